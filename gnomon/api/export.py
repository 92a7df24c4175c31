"""Programs on their own: recorded for types, also of symbolic sizes, called elsewhere, kept in a file."""
from __future__ import annotations

import io
import json
import zipfile
from collections import OrderedDict

import numpy as np

from gnomon.api.custom import custom_vjp
from gnomon.api.differentiate import vjp as vjp_of
from gnomon.api.function import ShapeDtypeStruct, as_values, check_leaves, type_of
from gnomon.api.jit import Jitted, eval_jaxpr, jit
from gnomon.base.errors import Refused
from gnomon.base.frames import entry_point
from gnomon.base.late import Late
from gnomon.base.record import Record
from gnomon.base.tree import argument_names, broadcast_prefix, flatten_one_level, is_namedtuple, tree_flatten, tree_structure, tree_unflatten
from gnomon.ir.jaxpr import Eqn, Jaxpr, intern
from gnomon.ir.portable import Reader, Writer, array_data, array_of
from gnomon.ir.specialize import specialized, with_parameters
from gnomon.lower.plan import Plan
from gnomon.ops import op_named
from gnomon.ops.nested.call import Jit
from gnomon.ops.nested.custom import CustomCall
from gnomon.ops.sizes import size_as_value  # noqa: F401 (symbolic sizes become numbers by it)
from gnomon.run.client import default_backend
from gnomon.run.xla import portable_module
from gnomon.types.dtype import is_inexact, is_key
from gnomon.types.size import is_static_shape
from gnomon.types.symbolic import Scope, SymbolicSize, solve, symbolic_shape

lowering = Late("gnomon.lower.module")
passes = Late("gnomon.passes.pipeline")

FORMAT = 1          # of the files that `serialize` writes
maximum_supported_calling_convention_version, minimum_supported_calling_convention_version = 10, 9
PLATFORMS = "cpu", "cuda", "rocm", "tpu"
STABLEHLO_VERSION = "1.9.0"     # that `mlir_module_serialized` is written for: readers of it and of newer versions read it


class DisabledSafetyCheck(Record):
    """A check that `export` is told to leave out: `platform()`, `custom_call(target)`."""

    _impl: str

    @classmethod
    def platform(cls):
        """Let a program be called on platforms that it was not exported for."""
        return cls("platform")

    @classmethod
    def custom_call(cls, target_name):
        """Let a program call what the compiler knows by this name (any name is allowed here: programs are compiled where they are called)."""
        return cls(f"custom_call:{target_name}")

    def is_custom_call(self):
        """The name for `custom_call`, else None."""
        kind, _, name = self._impl.partition(":")
        return name if kind == "custom_call" else None


class Exported:
    """A program that stands on its own, as `export` and `deserialize` make it.

    `fun_name` is the function's; `in_tree` and `out_tree` are the structures of ``(args, kwargs)`` and of the result, `in_avals` and `out_avals`
    the types of their leaves, whose sizes may be symbolic; `platforms` are those that it is for."""

    def __init__(self, fun_name, in_tree, in_avals, out_tree, out_avals, platforms, disabled_safety_checks, arg_names, jaxpr, consts, without_rules=(),
                 backward=None):
        self.fun_name, self.in_tree, self.in_avals = fun_name, in_tree, tuple(in_avals)
        self.out_tree, self.out_avals = out_tree, tuple(out_avals)
        self.platforms, self.disabled_safety_checks = tuple(platforms), tuple(disabled_safety_checks)
        self.arg_names = tuple(arg_names)
        self.jaxpr, self.consts = jaxpr, list(consts)       # a closed program of (consts, arguments)
        self.without_rules = tuple(without_rules)   # functions whose derivative rules a file did not hold
        self.backward = backward
        self.calls = {}                             # by sizes

    nr_devices, uses_global_constants, calling_convention_version = 1, False, maximum_supported_calling_convention_version
    ordered_effects = unordered_effects = ()
    in_shardings_hlo = out_shardings_hlo = _in_named_shardings = _out_named_shardings = property(lambda self: None)
    module_kept_var_idx = property(lambda self: tuple(range(len(self.in_avals))))

    def __repr__(self):
        shown = [f"{name}: {t.short()}" for name, t in zip(self.arg_names, self.in_avals)]
        return f"Exported({self.fun_name}({', '.join(shown)}) -> {', '.join([t.short() for t in self.out_avals])}, platforms={self.platforms})"

    def in_shardings_jax(self, mesh=None):
        """The sharding of each argument: None, as an exported program runs on one device."""
        return (None,) * len(self.in_avals)

    def out_shardings_jax(self, mesh=None):
        """The sharding of each result: None, as an exported program runs on one device."""
        return (None,) * len(self.out_avals)

    # ---- calls ------------------------------------------------------------------------------------------------------

    @entry_point
    def call(self, *args, **kwargs):
        """Run the program, or record a call of it under jit, grad and vmap.

        The arguments have the structure and dtypes that it was exported for; symbolic sizes are those of the arguments, and a program is
        compiled for each new set of them. TypeError or ValueError, naming the argument, for others.

        >>> import gnomon, gnomon.numpy as jnp
        >>> from gnomon import export
        >>> n, = export.symbolic_shape("n")
        >>> doubled = export.export(gnomon.jit(lambda x: 2 * x))(gnomon.ShapeDtypeStruct((n,), jnp.float32))
        >>> doubled.call(jnp.ones(2)), doubled.call(jnp.ones(3))
        (Array([2., 2.], dtype=float32), Array([2., 2., 2.], dtype=float32))
        """
        leaves, tree = tree_flatten((args, kwargs))
        what = f"The exported {self.fun_name}"
        if tree != self.in_tree:
            raise TypeError(f"{what} takes arguments of structure {self.in_tree} and was called with {tree}.")
        check_leaves(leaves, f"a call of the exported {self.fun_name}", lambda: self.arg_names)
        values = as_values(leaves)
        self.check_platform()
        equations = []
        for value, t, name in zip(values, self.in_avals, self.arg_names):
            given = value.type
            if given.dtype != t.dtype or given.ndim != t.ndim:
                raise TypeError(f"{what} takes {t.short()} as argument {name}, and was called with {given.short()}.")
            equations += [(size, number, f"{what}: dimension {i} of argument {name}") for i, (size, number) in enumerate(zip(t.shape, given.shape))]
        if any([isinstance(number, SymbolicSize) for _, number, _ in equations]):
            raise Refused(f"{what} is called with symbolic sizes; call the function itself in the program that is being exported")
        numbers = solve(equations)
        return tree_unflatten(self.out_tree, self.flat_call(numbers)(*values))

    def check_platform(self):
        here = default_backend()
        if here not in self.platforms and not (here == "gpu" and {"cuda", "rocm"} & set(self.platforms)):
            if DisabledSafetyCheck.platform() not in self.disabled_safety_checks:
                raise ValueError(f"The exported {self.fun_name} is for the platforms {', '.join(self.platforms)} and is called on {here}. Export it "
                                 f"with platforms=[..., {here!r}], or with disabled_checks=[DisabledSafetyCheck.platform()].")

    def flat_call(self, numbers):
        """The function from values to a list of values, for the sizes that `numbers` says."""
        key = tuple(sorted(numbers.items()))
        found = self.calls.get(key)
        if found is None:
            program = specialized(self.jaxpr, numbers)

            def run(*values):
                return eval_jaxpr(program, (), *self.consts, *values)
            run.__name__ = run.__qualname__ = f"call_{self.fun_name}"
            found = self.calls[key] = self.with_derivative(jit(run), numbers)
        return found

    def with_derivative(self, run, numbers):
        """The function with the derivative that a file kept apart, where the program no longer has its rules."""
        if not self.without_rules:
            return run

        def forward(*values):
            if self.backward is None:
                raise Refused(f"the derivative of the exported {self.fun_name} is not in the file that it was read from, as {self.without_rules[0]} has a "
                              "rule of its own; write it with serialize(vjp_order=1)")
            return run(*values), values

        def backward(values, cts):
            return tuple(self.backward.flat_call(numbers)(*values, *cts))
        made = custom_vjp(run)
        made.defvjp(forward, backward)
        return made

    # ---- derivatives ------------------------------------------------------------------------------------------------

    def has_vjp(self) -> bool:
        """Whether `vjp` can be had."""
        return self.backward is not None or not self.without_rules

    @entry_point
    def vjp(self):
        """The exported program of the gradient: of the arguments' leaves and cotangents of the results' leaves, it gives a cotangent for each
        argument's leaf. `Refused` where a file did not keep it."""
        if self.backward is None:
            if self.without_rules:
                raise Refused(f"the derivative of the exported {self.fun_name} is not in the file that it was read from; write it with "
                              "serialize(vjp_order=1)")
            n = len(self.in_avals)

            def backward(*values):
                outs, pull = vjp_of(lambda *values: eval_jaxpr(self.jaxpr, (), *self.consts, *values), *values[:n])
                return pull(list(values[n:]))
            backward.__name__ = f"vjp_of_{self.fun_name}"
            if any([not is_inexact(t.dtype) for t in self.out_avals]):
                raise Refused(f"the results of the exported {self.fun_name} are not all floating-point numbers, which have cotangents; return the others "
                              "from another function")
            specs = [ShapeDtypeStruct(t.shape, t.dtype) for t in (*self.in_avals, *self.out_avals)]
            self.backward = export(jit(backward), platforms=self.platforms, disabled_checks=self.disabled_safety_checks)(*specs)
        return self.backward

    # ---- the program in other forms ---------------------------------------------------------------------------------

    def mlir_module(self) -> str:
        """The StableHLO text, in a form that runs anywhere. `Refused` for symbolic sizes, where there is one for each set of them."""
        if any([not is_static_shape(t.shape) for t in (*self.in_avals, *self.out_avals)]):
            raise Refused(f"the exported {self.fun_name} has symbolic sizes, and StableHLO is written for given ones; export it for those, or keep the "
                          "program with serialize()")
        return lowering.without_locations(lowering.write_module(passes.optimised(self.jaxpr)[0], Plan(name=self.fun_name), self.fun_name)[0])

    @property
    def mlir_module_serialized(self) -> bytes:
        """`mlir_module` as a portable StableHLO artifact."""
        return portable_module(self.mlir_module(), STABLEHLO_VERSION)

    def serialize(self, vjp_order: int = 0) -> bytearray:
        """The bytes that `deserialize` reads. `vjp_order` derivatives are kept with it; they are needed only for functions with derivative rules
        of their own, which a file cannot hold. `Refused` for programs that hold Python functions (callbacks), TypeError for trees of
        classes that were not given a name by `register_pytree_node_serialization`.

        >>> import gnomon, gnomon.numpy as jnp
        >>> from gnomon import export
        >>> data = export.export(gnomon.jit(jnp.sin))(jnp.zeros(2)).serialize()
        >>> export.deserialize(data).call(jnp.zeros(2))
        Array([0., 0.], dtype=float32)
        """
        if not isinstance(vjp_order, int) or vjp_order < 0:
            raise ValueError(f"serialize takes the number of derivatives to keep as vjp_order, got {vjp_order!r}.")
        lost = []
        writer = Writer()
        try:
            main = writer.program(without_rules(self.jaxpr, lost, {}))
        except Refused as error:
            raise Refused(f"serialize of the exported {self.fun_name}: {error.why}") from None
        about = dict(format=FORMAT, fun_name=self.fun_name, platforms=self.platforms, checks=[c._impl for c in self.disabled_safety_checks],
                     in_tree=tree_data(tree_unflatten(self.in_tree, range(len(self.in_avals)))),
                     out_tree=tree_data(tree_unflatten(self.out_tree, range(len(self.out_avals)))),
                     in_avals=[writer.type(t) for t in self.in_avals], out_avals=[writer.type(t) for t in self.out_avals],
                     arg_names=self.arg_names, without_rules=sorted({*self.without_rules, *lost}), constraints=constraints_of(self.in_avals),
                     consts=[const_data(c) for c in self.consts], programs=writer.programs, main=main)
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("program.json", json.dumps(about))
            if vjp_order:
                archive.writestr("vjp", bytes(self.vjp().serialize(vjp_order - 1)))
        return bytearray(out.getvalue())


def without_rules(jaxpr, lost, done):
    """The program with functions that have derivative rules written as calls of what they compute; their names go into `lost`. `done` has
    the programs that were met, since many calls may hold the same one."""
    if jaxpr in done:
        return done[jaxpr]

    def change(value):
        return without_rules(value, lost, done) if value.__class__ is Jaxpr else value
    eqns = []
    for e in jaxpr.eqns:
        op = e.op
        if isinstance(op, CustomCall):
            lost.append(op.name_)
            op = Jit(change(op.call_jaxpr), op.name_)
        else:
            op = with_parameters(op, change)
        eqns.append(e if op is e.op else Eqn(op, e.ins, e.outs, e.place))
    found = done[jaxpr] = intern(Jaxpr(jaxpr.constvars, jaxpr.invars, eqns, jaxpr.outvars, jaxpr.names))
    return found


def constraints_of(types):
    """What is known of the symbolic sizes in types."""
    scopes = {size.scope for t in types for size in t.shape if isinstance(size, SymbolicSize)}
    return list(next(iter(scopes)).constraints) if scopes else []


def const_data(const):
    """A constant as JSON holds it; keys are their words."""
    if is_key(const.dtype):
        raise Refused("a program that holds random keys cannot be written to a file; make them an argument of the function")
    return array_data(np.asarray(const))


# ---- trees ------------------------------------------------------------------------------------------------------------

NAMED: dict = {}            # name -> (class, aux data to bytes, bytes to aux data, children to an instance)
NAMES: dict = {}            # class -> name
SEQUENCES = {"list": list, "tuple": tuple}


def tree_data(tree):
    """A tree whose leaves are ints as JSON holds it."""
    kind = type(tree)
    if tree is None or kind is int:
        return tree
    if kind in (list, tuple):
        return {kind.__name__: [tree_data(child) for child in tree]}
    if kind in (dict, OrderedDict):
        if any([not isinstance(key, (str, int, bool)) for key in tree]):
            raise TypeError(f"serialize keeps dicts whose keys are strings and integers; {next(k for k in tree if not isinstance(k, (str, int)))!r} "
                            "is neither.")
        return {"ordered" if kind is OrderedDict else "dict": [[key, tree_data(child)] for key, child in tree.items()]}
    name = NAMES.get(kind)
    if name is None:
        how = "register_namedtuple_serialization" if is_namedtuple(kind) else "register_pytree_node_serialization"
        raise TypeError(f"serialize meets a {kind.__module__}.{kind.__qualname__} among the arguments or results; give the class a name in files with "
                        f"gnomon.export.{how}.")
    children, data = (tuple(tree), None) if is_namedtuple(kind) else flatten_one_level(tree)
    return {"named": name, "data": list(NAMED[name][1](data)), "children": [tree_data(child) for child in children]}


def tree_of(data):
    if not isinstance(data, dict):
        return data
    kind = next(iter(data))
    if kind in SEQUENCES:
        return SEQUENCES[kind]([tree_of(child) for child in data[kind]])
    if kind in ("dict", "ordered"):
        return (OrderedDict if kind == "ordered" else dict)([(key, tree_of(child)) for key, child in data[kind]])
    if data["named"] not in NAMED:
        raise ValueError(f"The file has a tree of a class that it calls {data['named']!r}; give the class this name before with "
                         "gnomon.export.register_pytree_node_serialization.")
    _, _, read, make = NAMED[data["named"]]
    return make(read(bytes(data["data"])), tuple([tree_of(child) for child in data["children"]]))


def named_in_files(nodetype, name, write, read, make):
    if not isinstance(name, str):
        raise TypeError(f"The name of {nodetype.__name__} in files must be a string, got {name!r}.")
    if nodetype in NAMES:
        raise ValueError(f"{nodetype.__name__} already has the name {NAMES[nodetype]!r} in files.")
    if name in NAMED:
        raise ValueError(f"The name {name!r} is already that of {NAMED[name][0].__name__} in files.")
    NAMED[name], NAMES[nodetype] = (nodetype, write, read, make), name
    return nodetype


def register_pytree_node_serialization(nodetype, *, serialized_name, serialize_auxdata, deserialize_auxdata, from_children=None):
    """Let files hold trees with instances of a class that is registered as a node.

    `serialized_name` stands for the class; `serialize_auxdata` makes bytes of what the class's flatten function gives besides the children,
    `deserialize_auxdata` reads them; `from_children` makes an instance of (that, children), by default the class's unflatten function.
    ValueError for a name or class that is registered already. Returns the class."""
    def make(data, children):
        if from_children is not None:
            return from_children(data, children)
        return nodetype.tree_unflatten(data, children)
    if from_children is None and not hasattr(nodetype, "tree_unflatten"):
        raise ValueError(f"register_pytree_node_serialization: {nodetype.__name__} has no tree_unflatten, so from_children, a function of (aux data, "
                         "children), must be given.")
    return named_in_files(nodetype, serialized_name, serialize_auxdata, deserialize_auxdata, make)


def register_namedtuple_serialization(nodetype, *, serialized_name):
    """Let files hold trees with instances of a named tuple. TypeError for another class. Returns the class."""
    if not is_namedtuple(nodetype):
        raise TypeError(f"register_namedtuple_serialization takes a named tuple's class, got {nodetype!r}.")
    return named_in_files(nodetype, serialized_name, lambda data: b"", lambda text: None, lambda data, children: nodetype(*children))


# ---- making and reading -------------------------------------------------------------------------------------------------

@entry_point
def export(fun_jit, *, platforms=None, disabled_checks=(), _override_lowering_rules=None):
    """A function from arguments, arrays or `ShapeDtypeStruct`s whose sizes may be symbolic, to the `Exported` program of `fun_jit` for them.

    `platforms` are those that it is for ("cpu", "cuda", "rocm", "tpu"), by default the one of `default_export_platform`. ValueError for another
    name, TypeError where `fun_jit` was not made by `jit`, `Refused` for programs over several devices.

    >>> import gnomon, gnomon.numpy as jnp
    >>> from gnomon import export
    >>> export.export(gnomon.jit(jnp.dot))(*export.symbolic_args_specs((jnp.ones((2, 3)), jnp.ones(3)), ("b, ...", "...")))
    Exported(dot(a: f32[b,3], b: f32[3]) -> f32[b], platforms=('cpu',))
    """
    if not isinstance(fun_jit, Jitted):
        raise TypeError(f"export takes a function made by jit, got {fun_jit!r}. Write export(jit(f)).")
    if _override_lowering_rules:
        raise Refused("_override_lowering_rules: an op's lowering is part of its class; register another op instead")
    wanted = (default_export_platform(),) if platforms is None else (platforms,) if isinstance(platforms, str) else tuple(platforms)
    for name in wanted:
        if name not in PLATFORMS:
            raise ValueError(f"export got the platform {name!r}; it takes {', '.join(PLATFORMS)}.")

    @entry_point
    def exported(*args, **kwargs):
        traced = fun_jit.trace(*args, **kwargs)
        entry, name = traced.entry, fun_jit.name
        options = fun_jit.options
        types = [*traced.types, *entry.jaxpr.out_types]
        if options.in_shardings is not None or options.out_shardings is not None or entry.jaxpr.effects or any([t.sharding for t in types]):
            if entry.jaxpr.effects:
                raise Refused(f"export of {name}: its program has effects ({', '.join(sorted(map(str, entry.jaxpr.effects)))}), which a program on its "
                              "own cannot have; take out callbacks, debug prints, references and meshes")
            raise Refused(f"export of {name}: it is for several devices, and an exported program runs on one; leave out its shardings")
        scopes = {size.scope for t in traced.types for size in t.shape if isinstance(size, SymbolicSize)}
        if len(scopes) > 1:
            raise ValueError(f"export of {name}: the symbolic sizes of its arguments are of different scopes, so that one name may mean two sizes. Make "
                             "them with one call of symbolic_args_specs or symbolic_shape, or with one scope.")
        positional, _, _, _, named, _ = fun_jit.sort_arguments(args, kwargs)
        names = argument_names(fun_jit.fun, positional, named)
        return Exported(name, traced.tree, traced.types, entry.out_tree, entry.jaxpr.out_types, wanted, disabled_checks, names, entry.jaxpr,
                        entry.consts)
    return exported


def default_export_platform() -> str:
    """The platform that `export` is for unless it is told: the one that arrays are made on.

    >>> default_export_platform()
    'cpu'
    """
    here = default_backend()
    return "cuda" if here == "gpu" else here


@entry_point
def deserialize(blob) -> Exported:
    """The program that `Exported.serialize` wrote. ValueError for other bytes, and for programs of another version that cannot be read."""
    if not isinstance(blob, (bytes, bytearray, memoryview)):
        raise TypeError(f"deserialize takes bytes, got {blob!r} of type {type(blob).__name__}.")
    try:
        with zipfile.ZipFile(io.BytesIO(bytes(blob))) as archive:
            about = json.loads(archive.read("program.json"))
            backward = archive.read("vjp") if "vjp" in archive.namelist() else None
    except (zipfile.BadZipFile, KeyError, ValueError) as error:
        raise ValueError(f"deserialize: these bytes are no program that Exported.serialize wrote ({error}).") from None
    if about.get("format") != FORMAT:
        raise ValueError(f"deserialize reads files of format {FORMAT}, and this one has format {about.get('format')}: read it with the version of Gnomon "
                         "that wrote it.")
    try:
        reader = Reader(about["programs"], op_named, Scope(about["constraints"]))
        in_avals, out_avals = [[reader.type(t) for t in about[name]] for name in ("in_avals", "out_avals")]
    except ValueError as error:
        raise ValueError(f"deserialize cannot read the program of {about['fun_name']}: {error}.") from None
    return Exported(about["fun_name"], tree_structure(tree_of(about["in_tree"])), in_avals, tree_structure(tree_of(about["out_tree"])), out_avals,
                    about["platforms"], [DisabledSafetyCheck(c) for c in about["checks"]], about["arg_names"], reader.programs[about["main"]],
                    as_values([array_of(c) for c in about["consts"]]), about["without_rules"], backward and deserialize(backward))


@entry_point
def symbolic_args_specs(args, shapes_specs, constraints=(), scope=None):
    """`ShapeDtypeStruct`s for a tree of arrays (or of what has a shape and a dtype), with shapes from text.

    `shapes_specs` is a tree of strings for `symbolic_shape`, or one of its prefixes; ``_`` and ``...`` stand for the argument's own sizes, and None
    for its whole shape. All names are of one scope: `scope`, or one with these `constraints`. Errors as for `symbolic_shape`.

    >>> import gnomon.numpy as jnp
    >>> symbolic_args_specs({"x": jnp.ones((4, 2))}, "b, _")
    {'x': ShapeDtypeStruct(shape=(b, 2), dtype=float32)}
    """
    if scope is not None and constraints:
        raise ValueError("symbolic_args_specs got both scope and constraints; give the constraints to the SymbolicScope.")
    scope = Scope(constraints) if scope is None else scope
    leaves, tree = tree_flatten(args)
    texts = broadcast_prefix(shapes_specs, args, is_leaf=lambda x: x is None or isinstance(x, str))
    types = [x.type if isinstance(x, ShapeDtypeStruct) else type_of(x) for x in leaves]
    return tree_unflatten(tree, [ShapeDtypeStruct(symbolic_shape(text, scope=scope, like=t.shape), t.dtype) for text, t in zip(texts, types)])
