"""One program and its plan -> a StableHLO module as text."""
from __future__ import annotations

import re

import numpy as np

from gnomon.base.errors import Refused
from gnomon.ir.check import subprograms
from gnomon.ir.jaxpr import Jaxpr, Literal, Var, intern
from gnomon.lower.emit import TOKEN, Emitter, HloValue
from gnomon.lower.text import physical, type_text
from gnomon.ops.elementwise import Elementwise
from gnomon.trace.build import Builder
from gnomon.trace.stage import bind
from gnomon.transforms.vmap import Batching, vmap
from gnomon.types.dtype import is_key
from gnomon.types.mesh import AbstractMesh
from gnomon.types.sharding import sdy_mesh, sdy_sharding
from gnomon.types.value_type import ArrayType

_WORD = np.dtype("uint32")


def is_nan(value):
    """Whether a number is NaN, or holds it."""
    unequal = value != value
    return unequal if unequal.__class__ is bool else bool(np.any(unequal))


class Module:
    """A module being written: its functions, each nested program once."""

    def __init__(self, plan=None, located=False):
        self.plan = plan
        # what stands behind operations, for the compiler to carry along: with False the names of named_scopes alone; with True names of all,
        # and the user's file and line; with "lines" the file and line as a name
        self.located = located
        self.root = ""              # what names of operations in the main function begin with
        self.counter = [0]
        self.functions = {}         # (program, name) -> function name
        self.texts = []
        self.used = {"main"}
        self.meshes = {}
        self.first_device = ""      # the mesh of the first device alone, where something must run there
        self.writes_nan = False     # whether NaN stands among the constants
        self.ordered = False        # whether there are effects that keep their order
        self.callbacks = []         # Python callables, in the order of their indices
        self.manual = None          # the region that is being written, in which each device runs by itself

    @property
    def platform(self):
        """The name of the platform that the program is for; "cpu" where nothing says."""
        return self.plan is not None and self.plan.platform or "cpu"

    # -- nested programs ---------------------------------------------------------------------------------------

    def function(self, jaxpr, name):
        """The name of the private function for a program."""
        key = jaxpr, self.manual and (self.manual.name, self.manual.axes)
        found = self.functions.get(key)
        if found is None:
            found = self.unique(name)
            self.functions[key] = found
            self.texts.append(self.write_function(jaxpr, f"private @{found}"))
        return found

    def unique(self, name):
        name = re.sub(r"[^A-Za-z0-9_]", "_", name) or "fn"
        found, n = name, 0
        while found in self.used:
            n += 1
            found = f"{name}_{n}"
        self.used.add(found)
        return found

    def write_function(self, jaxpr, head, arg_attributes=None, out_attributes=None):
        emit = Emitter(self)
        emit.is_main = head == "public @main"
        args = [HloValue(f"%arg{i}", v.type) for i, v in enumerate(jaxpr.invars)]
        heads = [f"{a.name}: {type_text(a.type)}{_attributes(arg_attributes, i)}" for i, a in enumerate(args)]
        results = [f"{type_text(v.type)}{_attributes(out_attributes, i)}" for i, v in enumerate(jaxpr.outvars)]
        private = head.startswith("private")
        if self.ordered:
            emit.token = HloValue("%token", TOKEN) if private else emit.scalar(0)
        outs = emit.eqns(jaxpr, args)
        if self.ordered and private:
            heads, results, outs = [f"%token: {type_text(TOKEN)}", *heads], [type_text(TOKEN), *results], [emit.token, *outs]
        heads, results = ", ".join(heads), ", ".join(results)
        body = "\n  ".join(emit.lines)
        back = f"return {', '.join([o.name for o in outs])} : {', '.join([type_text(o.type) for o in outs])}" if outs \
            else "return"
        return f"func.func {head}({heads}) -> ({results}) {{\n  {body}\n  {back}\n}}"

    # -- keys --------------------------------------------------------------------------------------------------

    def refuse_unless_moving(self, op):
        if isinstance(op, Elementwise) and op.name not in ("select_n",):
            raise Refused(f"{op.name} is not defined on random keys; use gnomon.random, or key_data to get at the words")

    def word_program(self, op, types):
        """The op over the uint32 words of keys, as a program with one dimension more for them."""
        from_words = [ArrayType(t.shape, _WORD) if is_key(t.dtype) else t for t in types]
        size = next(t.dtype.key_shape[0] for t in types if is_key(t.dtype))
        invars = [Var(t) for t in from_words]
        build = Builder(invars)
        with build:
            jaxpr = build.finish([bind(op, *build.values(invars))])
        axes = tuple(t.ndim if is_key(t.dtype) else None for t in types)
        rank = jaxpr.outvars[0].type.ndim
        program, _ = vmap(intern(jaxpr), axes, Batching(size), None, (rank,))
        return program

    def mapped(self, jaxpr, lead):
        """The program with the axes `lead` in front of all its inputs and outputs."""
        for size in reversed(lead):
            jaxpr, _ = vmap(jaxpr, (0,) * len(jaxpr.invars), Batching(size), None, (0,) * len(jaxpr.outvars))
        return jaxpr

    # -- places ------------------------------------------------------------------------------------------------

    def constrain(self, emit, x, t):
        """Hold a value to the sharding that its type states."""
        text = self.sharding_text(t.sharding, t)
        name = emit.fresh()
        emit.line(f"{name} = sdy.sharding_constraint {x.name} {text.removeprefix('#sdy.sharding')} : {type_text(t)}")
        return HloValue(name, t)

    def sharding_text(self, sharding, t):
        return sdy_sharding(sharding, len(physical(t)[0]), self.mesh_name(sharding.mesh))

    def mesh_name(self, mesh):
        """The name of a mesh in the module; how its axes are used makes no difference to it."""
        mesh = AbstractMesh(mesh.axis_sizes, mesh.axis_names)
        return self.meshes.setdefault(mesh, f"mesh_{len(self.meshes)}" if self.meshes else "mesh")

    def on_first_device(self, count):
        """The attribute of an op with `count` results that runs on the first of several devices, its operands gathered."""
        if self.plan is None or self.plan.num_partitions == 1 or self.manual is not None:
            return ""
        self.first_device = "sdy.mesh @first_device = <[], device_ids=[0]>\n"
        return f"sdy.sharding = #sdy.sharding_per_value<[{', '.join(['<@first_device, []>'] * max(count, 1))}]>"

    def everywhere(self, emit, x):
        """A value repeated on all devices of the first mesh, where there is one of several devices."""
        name = next(iter(self.meshes.values()), None)
        if name is None or self.plan is None or self.plan.num_partitions == 1 or self.manual is not None:
            return x
        out = emit.fresh()
        whole = ", ".join(["{}"] * len(physical(x.type)[0]))
        emit.line(f"{out} = sdy.sharding_constraint {x.name} <@{name}, [{whole}]> : {type_text(x.type)}")
        return HloValue(out, x.type)

    def text(self, jaxpr, name="main"):
        plan = self.plan
        self.ordered = any(getattr(e, "ordered", False) for e in jaxpr.effects)
        self.writes_nan = any(is_nan(v.value) for p in subprograms(jaxpr) for e in p.eqns for v in e.ins if v.__class__ is Literal)
        self.root = f"jit({name})/"
        arg_attributes = self.input_attributes(jaxpr)
        out_attributes = self.output_attributes(jaxpr)
        main = self.write_function(jaxpr, "public @main", arg_attributes, out_attributes)
        meshes = "".join([f"{sdy_mesh(mesh, n)}\n" for mesh, n in self.meshes.items()])
        partitions = plan.num_partitions if plan is not None else 1
        replicas = plan.num_replicas if plan is not None else 1
        module_name = re.sub(r"[^A-Za-z0-9_]", "_", name) or "fn"
        return (f"module @jit_{module_name} attributes {{mhlo.num_partitions = {partitions} : i32, "
                f"mhlo.num_replicas = {replicas} : i32}} {{\n{meshes}{self.first_device}{main}\n" + "\n".join(self.texts) + "\n}\n")

    def input_attributes(self, jaxpr):
        plan, out = self.plan, {}
        for i, v in enumerate(jaxpr.invars):
            sharding = plan.in_shardings[i] if plan is not None and plan.in_shardings else None
            sharding = sharding or getattr(v.type, "sharding", None)
            if sharding is not None and hasattr(sharding, "spec"):
                out.setdefault(i, []).append(f"sdy.sharding = {self.sharding_text(sharding, v.type)}")
        if plan is not None and plan.donated:
            for i, o in aliases(jaxpr, plan.donated).items():
                out.setdefault(i, []).append(f"tf.aliasing_output = {o} : i32")
        return out

    def output_attributes(self, jaxpr):
        plan, out = self.plan, {}
        for i, v in enumerate(jaxpr.outvars):
            sharding = plan.out_shardings[i] if plan is not None and plan.out_shardings else None
            sharding = sharding or getattr(v.type, "sharding", None)
            if sharding is not None and hasattr(sharding, "spec"):
                out.setdefault(i, []).append(f"sdy.sharding = {self.sharding_text(sharding, v.type)}")
        return out


def without_locations(text):
    """A module's text without the names that stand behind its operations."""
    return re.sub(r' loc\("[^"\n]*"\)$', "", text, flags=re.MULTILINE) if ' loc("' in text else text


def _attributes(table, i):
    entries = table.get(i) if table else None
    return f" {{{', '.join(entries)}}}" if entries else ""


def aliases(jaxpr, donated):
    """donated input -> output that takes over its buffer: the first output of the same type not taken yet."""
    taken, out = set(), {}
    for i in donated:
        t = jaxpr.invars[i].type
        for o, v in enumerate(jaxpr.outvars):
            if o not in taken and v.type.shape == t.shape and v.type.dtype == t.dtype:
                taken.add(o)
                out[i] = o
                break
    return out


def write_module(jaxpr: Jaxpr, plan=None, name="main", located=False):
    """The StableHLO text of a closed program, and the Python callables it calls back (in the order of their indices).

    `located`: what stands behind operations (see `Module`), so that the compiled text has it, too."""
    module = Module(plan, located)
    text = module.text(jaxpr, name)
    return text, tuple(module.callbacks)
