"""From a closed program to a function that runs it, compiled for the places where its arguments are."""
from __future__ import annotations

from gnomon.base.garbage import waiting
from gnomon.base.late import Late
from gnomon.base.settings import current
from gnomon.ir.jaxpr import Eqn, Jaxpr, Var, intern
from gnomon.ir.op import NestedOp
from gnomon.lower.plan import Plan
from gnomon.ops.place import Placing
from gnomon.run.array import Array
from gnomon.run.client import default_backend
from gnomon.run.dump import dump
from gnomon.run.execute import make_call
from gnomon.run.slow import watching
from gnomon.run.xla import QUICK_COMPILE
from gnomon.types.dtype import is_key
from gnomon.types.effect import OnMesh
from gnomon.types.mesh import Mesh
from gnomon.types.sharding import NamedSharding

lowering = Late("gnomon.lower.module")
cost = Late("gnomon.passes.cost")
passes = Late("gnomon.passes.pipeline")
compiling = Late("gnomon.run.compile")
finite = Late("gnomon.run.finite")
key_reuse = Late("gnomon.run.key_reuse")


def watched() -> bool:
    """Whether a NaN or an infinity in a result is an error."""
    return current.debug_nans or current.debug_infs


def placements_of(arrays):
    """The arrays' placements, or None where all are on the default device."""
    for a in arrays:
        if a.placement is not None:
            return tuple([a.placement for a in arrays])
    return None


def call_for(jaxpr, places=None, name="main", donated=(), shardings=None, options=(), watch=True):
    """A function from a list of Arrays to a list of Arrays that runs a closed program.

    `places` are the arguments' placements (None: all on the default device), `shardings` the pair (in_shardings,
    out_shardings) that the user asked for, entries None where unspecified; `watch` whether debug_nans and debug_infs count.
    Remembered on the program."""
    key = ("call", places, donated, shardings, options, current.key, watch)
    found = jaxpr.memo.get(key)
    if found is None:
        if current.no_execution:
            raise RuntimeError(f"{name} is about to run, but 'no_execution' is set: only tracing and compiling are allowed. Use "
                               "jit(f).lower and compile.")
        executable, made, rows = compile_program(jaxpr, places, name, donated, shardings, options)
        found = call_of(executable, jaxpr, made, rows)
        if watch and watched():
            found = finite.watched_call(found, jaxpr, name, donated)
        if watch and current.debug_key_reuse:
            found = key_reuse.checked_call(found, jaxpr)
        jaxpr.memo[key] = found
    return found


def compile_program(jaxpr, places=None, name="main", donated=(), shardings=None, options=()):
    """(executable, the program it runs, rows): see `call_of`."""
    donated = tuple(lowering.aliases(jaxpr, donated)) if donated else ()
    plan = plan_for(jaxpr, places, name, donated, shardings, options)
    made, rows, plan, text, callbacks = written(jaxpr, plan, name)
    dump(made, text, name)
    if callbacks:
        plan = plan.replace(host_callbacks=callbacks)
    with watching(made, name):
        return compiling.compile(text, plan), made, rows


def single_op_program(op, types, which=None):
    """The program of one equation, whose operand number i is the input number `which[i]`, by default number i."""
    out = op.infer(types)
    ins = [Var(t) for t in types]
    operands = tuple(ins if which is None else [ins[i] for i in which])
    outs = tuple([Var(t) for t in (out if op.multiple else (out,))])
    return intern(Jaxpr((), dict.fromkeys(operands), [Eqn(op, operands, outs)], outs))


def written(jaxpr, plan, name):
    """(the optimised program, rows, the plan for it, its text, the Python functions it calls): see `arranged`."""
    with waiting:
        made, rows = arranged(jaxpr, plan)
        plan = quickened(plan, made)
        return made, rows, plan, *lowering.write_module(made, plan, name)


def arranged(jaxpr, plan):
    """The optimised program, and how its results make those of `jaxpr` (None: they are the same).

    On the default CPU device, results that are rows of one array may come in one piece, to be cut here."""
    simple = not (plan.devices or plan.donated or plan.out_shardings) and default_backend() == "cpu"
    made, _, rows = passes.passed(jaxpr, simple and not any(is_key(v.type.dtype) for v in jaxpr.outvars))
    return made, rows


def quickened(plan, made):
    """The plan with the CPU's older code generator, where that is the better one for the program."""
    if plan.platform == "cpu" and QUICK_COMPILE and cost.prefers_quick(made):
        return plan.replace(compiler_options=QUICK_COMPILE + plan.compiler_options)
    return plan


def call_of(executable, jaxpr, made, rows):
    """The function from a list of Arrays to a list of Arrays that runs an executable of `made`, giving the results of `jaxpr`."""
    call = make_call(executable, [v.type for v in made.outvars])
    if rows is None:
        return call
    types = [v.type for v in jaxpr.outvars]
    stacked = {k for k, i in rows if i is not None}

    def cut(arrays):
        outs = call(arrays)
        whole = {k: outs[k].host() for k in stacked}
        return [outs[k] if i is None else Array(t, None, None, whole[k][i, ...]) for (k, i), t in zip(rows, types)]
    return cut


def plan_for(jaxpr, places, name, donated, shardings, options):
    """The plan that the arguments' places and the user's shardings imply."""
    ins, outs = shardings or (None, None)
    chosen = [(p.sharding, p.devices) for p in places or () if p is not None and p.committed]
    for group in (ins or (), outs or ()):
        chosen += [(s, tuple(s.device_list)) for s in group if s is not None]
    meshes = [e.mesh for e in jaxpr.effects if e.__class__ is OnMesh] + meshes_named(jaxpr)
    chosen += [(mesh, mesh.device_list) for mesh in meshes]
    devices = None
    for sharding, found in chosen:
        if devices is None:
            devices = found
        elif devices != found:
            raise ValueError(f"{name} received incompatible devices: one argument is on {_ids(devices)} and another on "
                             f"{_ids(found)}. Move them to the same devices with device_put.")
    if devices is None:
        loose = next((p.devices for p in places or () if p is not None), ())
        platform = loose[0].platform if loose else default_backend()
        return Plan(devices=loose, num_partitions=max(1, len(loose)), donated=donated, compiler_options=options, name=name,
                    platform=platform)
    for sharding, v in zip(outs or (), jaxpr.outvars):
        if sharding is not None:
            sharding.shard_shape(v.type.shape)          # or the result cannot lie so
    many = len(devices) > 1
    in_shardings = None
    if places is not None or ins is not None:
        asked = ins or (None,) * len(jaxpr.invars)
        held = places or (None,) * len(jaxpr.invars)
        in_shardings = tuple(a if a is not None else h.sharding if h is not None and h.committed else None
                             for a, h in zip(asked, held))
    return Plan(devices=devices, num_partitions=len(devices) if many else 1, in_shardings=in_shardings,
                out_shardings=outs, mesh=meshes[0] if meshes else None, donated=donated, committed=True, compiler_options=options, name=name,
                platform=devices[0].platform)


def meshes_named(jaxpr):
    """The meshes of devices on which equations put or hold values, in the program and in those that it holds."""
    found = jaxpr.memo.get("meshes")
    if found is None:
        found = {}
        for e in jaxpr.eqns:
            if isinstance(e.op, Placing):
                if isinstance(e.op.sharding, NamedSharding) and isinstance(e.op.sharding.mesh, Mesh):
                    found[e.op.sharding.mesh] = None
            elif isinstance(e.op, NestedOp):
                for held in e.op.programs():
                    found.update(dict.fromkeys(meshes_named(held)))
        found = jaxpr.memo["meshes"] = list(found)
    return found


def _ids(devices):
    ids = [d.id for d in devices]
    return f"device {ids[0]}" if len(ids) == 1 else f"devices {ids}"
