"""shard_map: a function that every device runs on its own part of the arguments."""
from __future__ import annotations

import functools
import math

from gnomon.api.function import Flat, as_values, check_leaves, lazy_names
from gnomon.base.arguments import flag, hashables
from gnomon.base.errors import Refused
from gnomon.base.frames import entry_point
from gnomon.base.source import function_name, named_after
from gnomon.base.tree import argument_roots, keystr, tree_flatten, tree_flatten_with_path, tree_structure, tree_unflatten
from gnomon.base.tree import spread as spread_prefix
from gnomon.ir.jaxpr import intern
from gnomon.ops.collectives import vary
from gnomon.ops.nested.shard_map import ShardMap, manual_mesh, part_type
from gnomon.trace.context import local, manual_axes
from gnomon.trace.stage import bind, stage
from gnomon.types.mesh import AbstractMesh, Mesh
from gnomon.types.sharding import UNCONSTRAINED, P
from gnomon.types.value_type import RefType


class _Infer:
    def __repr__(self):
        return "Infer"


Infer = _Infer()


@entry_point
def shard_map(f=None, /, *, out_specs, in_specs=Infer, mesh=None, axis_names=frozenset(), check_vma=True):
    """`f` as a function that each device of a mesh runs on its part of the arguments, with collectives (`lax.psum(x, "x")`) between them.

    `in_specs` and `out_specs` are PartitionSpecs, or trees of them that match the arguments and the result or a prefix of them: an
    argument is cut along the dimensions that its spec names axes for, and results are put together so. `in_specs` left out are
    those of the arguments' types, on explicit axes. `mesh` is by default the one in force (`set_mesh`). `axis_names` are the axes to
    run over, all by default; the compiler goes on using the others. With `check_vma` the types inside say over which axes a value
    varies; an output that varies over an axis that its spec leaves out is an error, and gradients need no psum of one's own. Without
    `f` a decorator.

    Errors: ValueError for specs that do not fit the arguments, the mesh or the result.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> mesh = gnomon.make_mesh((1,), ("x",))
    >>> total = shard_map(lambda x: gnomon.lax.psum(x.sum(), "x"), mesh=mesh, in_specs=P("x"), out_specs=P())
    >>> float(total(jnp.arange(4.0)))
    6.0
    """
    if f is None:
        return functools.partial(shard_map, out_specs=out_specs, in_specs=in_specs, mesh=mesh, axis_names=axis_names, check_vma=check_vma)
    if not callable(f):
        raise TypeError(f"shard_map needs a function, got {type(f).__name__}.")
    name, axis_names, check_vma = function_name(f), hashables("shard_map", "axis_names", axis_names), flag(check_vma, "shard_map", "check_vma")
    in_specs = tuple(in_specs) if isinstance(in_specs, list) else in_specs
    for what, specs in (("in_specs", in_specs), ("out_specs", out_specs)):
        if specs is not Infer:
            check_are_specs(what, specs)

    @entry_point
    def shard_map_f(*args, **kwargs):
        if kwargs:
            raise TypeError(f"shard_map of {name} takes arguments by position, since in_specs are for those, got {', '.join(kwargs)} by name. "
                            "Pass it by position, or bind it with functools.partial.")
        here = chosen_mesh(mesh)
        axes = chosen_axes(here, axis_names)
        call = Call(f, name, here, axes, bool(check_vma))
        return call(args, in_specs, out_specs)

    return named_after(shard_map_f, f, "shard_map")


@entry_point
def smap(f=None, /, *, in_axes=Infer, out_axes, axis_name):
    """shard_map over one axis of the mesh in force: `in_axes` and `out_axes` are, as for vmap, the dimension of each argument and result that
    is cut over the axis `axis_name`, or None.

    >>> import gnomon
    >>> import gnomon.numpy as jnp
    >>> with gnomon.set_mesh(gnomon.make_mesh((1,), ("x",))):
    ...     smap(lambda x: x * 2, in_axes=0, out_axes=0, axis_name="x")(jnp.arange(3)).tolist()
    [0, 2, 4]
    """
    if f is None:
        return functools.partial(smap, in_axes=in_axes, out_axes=out_axes, axis_name=axis_name)
    if isinstance(axis_name, (tuple, list)):
        raise TypeError(f"smap runs over one axis, got axis_name={axis_name!r}. Use shard_map for several.")
    specs = [axes if axes is Infer else _specs_of(axes, axis_name, what) for axes, what in ((in_axes, "in_axes"), (out_axes, "out_axes"))]
    return shard_map(f, in_specs=specs[0], out_specs=specs[1], axis_names={axis_name})


def _specs_of(axes, name, what):
    leaves, tree = tree_flatten(axes, lambda x: x is None)
    for a in leaves:
        if a is not None and (not isinstance(a, int) or a < 0):
            raise TypeError(f"smap {what} must be dimensions (0 or more) or None, or a tree of them, got {a!r}.")
    return tree_unflatten(tree, [P() if a is None else P(*[None] * a, name) for a in leaves])


def check_are_specs(what, specs):
    for path, s in tree_flatten_with_path(specs, lambda x: x is None)[0]:
        if s is not None and not isinstance(s, P):
            raise TypeError(f"shard_map {what} must be PartitionSpecs or a tree of them, but {what}{keystr(path)} is of type "
                            f"{type(s).__name__}: {s!r}.")
        if s is not None and (s.unreduced or s.reduced or UNCONSTRAINED in s.partitions):
            raise ValueError(f"shard_map {what}{keystr(path)} is {s}; its entries must be axis names or None, and nothing unreduced.")


def chosen_mesh(mesh):
    """The mesh to run on: the one given, or the one in force."""
    if mesh is None:
        mesh = local.mesh if local.mesh is not None else local.abstract_mesh
        if mesh is None:
            raise ValueError("shard_map needs a mesh: pass mesh=, or set one with set_mesh.")
    if not isinstance(mesh, (Mesh, AbstractMesh)):
        raise TypeError(f"shard_map mesh must be a Mesh or an AbstractMesh, got {type(mesh).__name__}. Make one with make_mesh.")
    if local.abstract_mesh is not None and local.abstract_mesh.manual_axes:
        outer = local.abstract_mesh         # inside another shard_map: the same devices, some axes Manual already
        if (mesh.axis_names, mesh.axis_sizes) != (outer.axis_names, outer.axis_sizes):
            raise ValueError(f"shard_map inside another must use the same mesh, {outer}, got {mesh}. Leave mesh out.")
        return outer
    return mesh


def chosen_axes(mesh, axis_names):
    """The axes to run over; those that an outer shard_map runs over are taken."""
    for a in axis_names:
        if a not in mesh.shape:
            raise ValueError(f"shard_map axis_names has {a!r}, which is not an axis of the mesh {mesh}; its axes are {mesh.axis_names}.")
    taken = frozenset(mesh.manual_axes)
    if axis_names & taken:
        raise ValueError(f"shard_map over {sorted(axis_names & taken)} stands inside a shard_map over the same axes. Use other axis_names.")
    found = axis_names or frozenset(mesh.axis_names) - taken
    if not found:
        raise ValueError(f"shard_map: all axes of the mesh {mesh} are run over by a shard_map outside. Name none of them twice.")
    return found


class Call:
    """One call of a function under shard_map."""

    def __init__(self, f, name, mesh, axes, checked):
        self.f, self.name, self.mesh, self.axes, self.checked = f, name, mesh, axes, checked

    def __call__(self, args, in_specs, out_specs):
        leaves, tree = tree_flatten((args, {}))
        names = lazy_names(self.f, args, {})
        check_leaves(leaves, "shard_map", names)
        values = as_values(leaves)
        if any(v.type.__class__ is RefType for v in values):
            raise Refused(f"{self.name} under shard_map takes no mutable references; pass their values, and return the new ones")
        specs = self.specs_of_arguments(args, values, in_specs, names)
        mesh, axes = self.mesh, self.axes
        types = [part_type(v.type, s, mesh, axes, self.checked) for v, s in zip(values, specs)]
        flat = Flat(self.f, tree)
        sizes = {a: mesh.shape[a] for a in mesh.axis_names if a in axes}
        inner = manual_mesh(mesh, axes)

        def run(*parts):
            outs = flat(*parts)
            self.out_specs = self.specs_of_results(flat.out_tree, [o.type for o in outs], out_specs)
            if not self.checked:
                return outs
            return [vary(o, more) if (more := frozenset().union(*s.axes) - o.type.varying) else o for o, s in zip(outs, self.out_specs)]
        with manual_axes(sizes, inner, axes if self.checked else frozenset()):
            jaxpr, captured = stage(run, types, name=self.name, kind="shard_map", arg_names=names)
        self.check_captured(captured)
        closed = intern(jaxpr.closed())
        op = ShardMap(closed, mesh, (*[P()] * len(captured), *specs), tuple(self.out_specs), axes, self.checked)
        return tree_unflatten(flat.out_tree, bind(op, *captured, *values))

    def check_captured(self, captured):
        """What the function closes over is whole on every device."""
        for x in captured:
            if x.type.__class__ is RefType:
                raise Refused(f"{self.name} under shard_map uses a mutable reference from outside; pass its value, and return the new one")
            if x.type.sharding is not None:
                raise ValueError(f"{self.name} under shard_map closes over a value of type {x.type}, which is sharded; pass it as an argument "
                                 "with a spec of its own.")

    # -- specs -------------------------------------------------------------------------------------------------

    def specs_of_arguments(self, args, values, in_specs, names):
        if in_specs is Infer:
            specs = [self.inferred(v.type, i, names) for i, v in enumerate(values)]
        else:
            if isinstance(in_specs, P) or in_specs is None:
                specs = [in_specs] * len(values)
            else:
                specs = spread_prefix("shard_map in_specs", in_specs, tree_structure(args), lambda x: x is None, "the arguments",
                                      tuple(argument_roots(self.f, len(args))))
            specs = [P() if s is None else s for s in specs]
        for i, (v, s) in enumerate(zip(values, specs)):
            self.check_spec("in_specs", s)
            t = v.type
            if len(s) > t.ndim:
                raise ValueError(f"shard_map of {self.name}: in_specs has {s}, with {len(s)} entries, for the argument {names()[i]} of type {t}, "
                                 f"which has {t.ndim} dimensions. Give at most one entry a dimension.")
            for d, split in enumerate(s.axes):
                n = math.prod([self.mesh.shape[a] for a in split])
                if t.shape[d] % n:
                    raise ValueError(f"shard_map of {self.name}: in_specs cuts dimension {d} of the argument {names()[i]} of type {t} over "
                                     f"{_axes_text(split)} of size {n} ({s}), but {n} does not evenly divide {t.shape[d]}. Pad the "
                                     "argument, or use another spec.")
            if t.sharding is not None:
                self.check_agrees(t, s, i, names)
        return specs

    def inferred(self, t, i, names):
        """The spec that an argument's type states, on the axes to run over."""
        auto = [a for a in self.mesh.auto_axes if a in self.axes]
        if auto:
            raise ValueError(f"shard_map of {self.name} needs in_specs: the arguments' types say how they are sharded on Explicit axes only, and "
                             f"{_axes_text(auto)} of the mesh {self.mesh} is not one.")
        return P(*[tuple([a for a in ((e,) if isinstance(e, str) else e or ()) if a in self.axes]) for e in t.spec])

    def check_agrees(self, t, spec, i, names):
        """On explicit axes the spec must be what the type says."""
        entries = [*spec.axes, *[()] * (t.ndim - len(spec))]
        for d, (split, entry) in enumerate(zip(entries, t.spec)):
            stated = tuple([a for a in ((entry,) if isinstance(entry, str) else entry or ()) if a in self.axes])
            if stated != split:
                raise ValueError(f"shard_map of {self.name}: in_specs has {spec} for the argument {names()[i]} of type {t}, whose dimension {d} is "
                                 f"sharded over {stated}. Leave in_specs out, or reshard the argument first.")

    def check_spec(self, what, spec):
        for split in spec.axes:
            for a in split:
                if a not in self.mesh.shape:
                    raise ValueError(f"shard_map of {self.name}: {what} has {spec}, but {a!r} is not an axis of the mesh {self.mesh}; its axes are "
                                     f"{self.mesh.axis_names}.")
                if a not in self.axes:
                    raise ValueError(f"shard_map of {self.name}: {what} has {spec}, but it does not run over the axis {a!r}; it runs over "
                                     f"{sorted(self.axes, key=str)}. Specs name those alone.")
        used = [a for split in spec.axes for a in split]
        if len(set(used)) != len(used):
            raise ValueError(f"shard_map of {self.name}: {what} has {spec}, which names an axis twice.")

    def specs_of_results(self, tree, types, out_specs):
        if isinstance(out_specs, P) or out_specs is None:
            specs = [out_specs] * len(types)
        else:
            specs = spread_prefix("shard_map out_specs", out_specs, tree, lambda x: x is None, f"what {self.name} returns")
        specs = [P() if s is None else s for s in specs]
        paths = [p for p, _ in tree_flatten_with_path(tree_unflatten(tree, list(range(len(types)))))[0]]
        for t, s, path in zip(types, specs, paths):
            self.check_spec("out_specs", s)
            where = f"output{keystr(path)} of {self.name}"
            if len(s) > t.ndim:
                raise ValueError(f"shard_map: out_specs has {s}, with {len(s)} entries, for the {where} of type {t}, which has {t.ndim} "
                                 "dimensions. Give at most one entry a dimension, and a result without dimensions one (x[None]).")
            more = (t.varying & self.axes).difference(*s.axes) if self.checked else ()
            if more:
                axes = _axes_text(sorted(more, key=str))
                raise ValueError(f"shard_map: out_specs has {s} for the {where}, which says that it is the same along {axes}, but its type is {t}: "
                                 f"it varies over {axes}. Sum it (lax.psum), name the axis in out_specs, or pass check_vma=False if "
                                 "it is known to be the same.")
        return specs


def _axes_text(axes):
    return f"the axis {axes[0]!r}" if len(axes) == 1 else "the axes " + ", ".join(map(repr, axes))


