"""shard_map: a program that every device runs on its own part of the arguments."""
from __future__ import annotations

import math

from gnomon.base.lists import partition, pick, spread
from gnomon.ir.jaxpr import Eqn, Jaxpr, Var
from gnomon.ir.op import NestedOp, is_linear
from gnomon.ops.arithmetic import div
from gnomon.ops.collectives import Psum, retag
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.nested.call import residual_vars, with_tangents, without_outputs
from gnomon.ops.shape import reshape
from gnomon.trace.build import program
from gnomon.trace.stage import bind, inline
from gnomon.types.effect import NamedAxis, OnMesh
from gnomon.types.mesh import AxisType, Mesh
from gnomon.types.sharding import P
from gnomon.types.value_type import NOWHERE, array_type, tags_of


class ShardMap(NestedOp):
    """Runs `jaxpr` once per position on the axes `newly_manual_axes` of `mesh`; the specs say how operands are cut and results put together.

    With `check_vma` the types inside say over which of these axes a value varies."""

    jaxpr: Jaxpr
    mesh: object
    in_specs: tuple
    out_specs: tuple
    newly_manual_axes: frozenset
    check_vma: bool

    parameter_order = ("check_vma", "in_specs", "jaxpr", "mesh", "newly_manual_axes", "out_specs")

    def show_parameter(self, parameter, value):
        if parameter == "newly_manual_axes":
            return "frozenset({" + ", ".join(map(repr, sorted(value, key=str))) + "})"
        return str(value) if parameter == "mesh" else f"({', '.join(map(str, value))}{',' * (len(value) == 1)})" \
            if parameter.endswith("specs") else str(value)

    def programs(self):
        return (self.jaxpr,)

    @property
    def effects(self):
        inside = frozenset([e for e in super().effects if not (e.__class__ is NamedAxis and e.axis in self.newly_manual_axes)])
        return inside | {OnMesh(self.mesh)} if isinstance(self.mesh, Mesh) else inside

    def result(self, *ins):
        for v, t, spec in zip(self.jaxpr.invars, ins, self.in_specs, strict=True):
            if v.type.strong is not self.part(t, spec).strong:
                raise TypeError(f"shard_map takes a part of type {v.type} but is given a value of type {t} with the spec {spec}.")
        return tuple([self.whole(v.type, spec) for v, spec in zip(self.jaxpr.outvars, self.out_specs, strict=True)])

    def part(self, t, spec):
        return part_type(t, spec, self.mesh, self.newly_manual_axes, self.check_vma)

    def whole(self, t, spec):
        return whole_type(t, spec, self.mesh, self.newly_manual_axes)

    def lower(self, emit, *xs):
        if self.mesh.size == 1:
            return emit.single_position(self.mesh, lambda: emit.eqns(self.jaxpr, xs))
        outs = [(t, spec.axes) for t, spec in zip(emit.outs, self.out_specs)]
        return emit.manual_computation(emit.manual_on(self.mesh), list(xs), [s.axes for s in self.in_specs], list(self.jaxpr.in_types), outs,
                                       self.newly_manual_axes, lambda *values: emit.eqns(self.jaxpr, values))

    def of(self, jaxpr, in_specs, out_specs):
        return self.replace(jaxpr=jaxpr, in_specs=tuple(in_specs), out_specs=tuple(out_specs))

    def jvp(self, T, args, tangents):
        nonzero = tuple(t is not None for t in tangents)
        jaxpr, has = T.jvp(self.jaxpr, nonzero)
        moving = [T.has_tangent(v.type) and nz for v, nz in zip(self.jaxpr.invars, nonzero)]
        op = self.of(jaxpr, [*self.in_specs, *pick(moving, self.in_specs)], [*self.out_specs, *pick(has, self.out_specs)])
        return with_tangents(bind(op, *args, *pick(moving, tangents)), has)

    # -- cutting in two ----------------------------------------------------------------------------------------

    def split(self, T, eqn, unknown):
        early, later, late, count = T.split(self.jaxpr, unknown)
        known_in, unknown_in = partition(unknown, eqn.ins)
        known_specs, unknown_specs = partition(unknown, self.in_specs)
        known_out, unknown_out = partition(late, eqn.outs)
        early_out_specs, late_out_specs = partition(late, self.out_specs)
        n = len(early.outvars) - count
        inner = early.outvars[n:]
        residuals, forwarded = residual_vars(early, known_in, (), count)
        given = {v: spec for v, spec in zip(early.invars, known_specs)}
        specs = [given[v] if r in forwarded else self.stacked(v.type) for v, r in zip(inner, residuals)]
        flat = [r not in forwarded and not v.type.shape and bool(s.axes) for v, r, s in zip(inner, residuals, specs)]

        def first(*xs):
            outs = inline(early, (), xs)
            return [*outs[:n], *[reshape(x, (1,)) if f else x for x, f in zip(map(untagged, outs[n:]), flat)]]

        def second(*xs):
            kept = [retag(reshape(x, ()) if f else x, v.type.varying) for x, f, v in zip(xs, flat, inner)]
            return inline(later, (), [*kept, *xs[count:]])
        plain = [v.type.update(varying=v.type.varying - tags_of(v.type.varying)) if tags_of(v.type.varying) else v.type for v in inner]
        widened = [t.update(shape=(1,)) if f else t for t, f in zip(plain, flat)]
        early, later = program(early.in_types, first), program([*widened, *later.in_types[count:]], second)
        one = self.of(early, known_specs, [*early_out_specs, *specs])
        outer = [forwarded[r] if r in forwarded else Var(self.whole(t, s)) for r, t, s in zip(residuals, widened, specs)]
        names = [r if r in forwarded else v for r, v in zip(residuals, outer)]
        made = Eqn(one, tuple(known_in), (*known_out, *names), eqn.place)
        if forwarded:
            kept = [o not in forwarded for o in made.outs]
            made = without_outputs(made, forwarded, lambda j: self.of(j, known_specs, pick(kept, one.out_specs)))
        two = self.of(later, [*specs, *unknown_specs], late_out_specs)
        return [made], [Eqn(two, (*outer, *unknown_in), tuple(unknown_out), eqn.place)], late

    def stacked(self, t):
        """The spec under which a value of each position is kept: one behind the other where it varies."""
        axes = t.varying & self.newly_manual_axes if self.check_vma else self.newly_manual_axes
        axes = tuple([a for a in self.mesh.axis_names if a in axes])
        return P(axes) if axes else P()

    # -- backward ----------------------------------------------------------------------------------------------

    def transpose(self, T, cts, *args):
        linear = tuple(is_linear(a) for a in args)
        has_ct = tuple(c is not None for c in cts)
        back, has = T.transpose(self.jaxpr, linear, has_ct, False)
        fixed, wanted = partition(linear, self.in_specs)
        out_specs, ct_specs = pick(has, wanted), pick(has_ct, self.out_specs)
        if not self.check_vma:
            back = self.counted(back, len(fixed), ct_specs, out_specs)
        outs = bind(self.of(back, [*fixed, *ct_specs], out_specs), *[a for a in args if not is_linear(a)], *pick(has_ct, cts))
        return spread(linear, spread(has, outs))

    def counted(self, back, n_fixed, ct_specs, out_specs):
        """Where types do not say what varies, every position counts: each has its share of the cotangent of a result that they have in
        common, and the cotangents of an operand that they have in common are summed."""
        def missing(spec):
            used = {a for axes in spec.axes for a in axes}
            return tuple([a for a in self.mesh.axis_names if a in self.newly_manual_axes and a not in used])

        def run(*xs):
            cts = []
            for x, spec in zip(xs[n_fixed:], ct_specs):
                n = math.prod([self.mesh.shape[a] for a in missing(spec)])
                cts.append(div(x, full_scalar(x, n)) if n > 1 else x)
            outs = inline(back, (), [*xs[:n_fixed], *cts])
            return [bind(Psum(missing(s)), x)[0] if missing(s) else x for x, s in zip(outs, out_specs)]
        return program(back.in_types, run)

    def discharge(self, D, args, refs):
        """References that are made inside become values there; none comes from outside."""
        made, _ = D(self.jaxpr, (False,) * len(args))
        return bind(self.of(made, self.in_specs, self.out_specs), *args), {}

    # -- batching ----------------------------------------------------------------------------------------------

    def batch(self, T, args, axes, batching):
        inner = T.Batching(batching.size, batching.name)
        jaxpr, out_axes = T.vmap(self.jaxpr, tuple(axes), inner)
        return bind(self.of(jaxpr, map(with_axis, self.in_specs, axes), map(with_axis, self.out_specs, out_axes)), *args), out_axes


def untagged(x):
    return retag(x, x.type.varying - tags_of(x.type.varying))


def with_axis(spec, axis):
    """The spec of a value with one dimension more, which is not cut."""
    if axis is None:
        return spec
    entries = [*spec, *[None] * (axis - len(spec))]
    return P(*entries[:axis], None, *entries[axis:]) if any(entries[axis:]) else spec


def part_type(t, spec, mesh, manual, checked):
    """The type of one position's part of a value of type `t`."""
    axes = [*spec.axes, *[()] * (t.ndim - len(spec))]
    shape = tuple([n // math.prod([mesh.shape[a] for a in split]) for n, split in zip(t.shape, axes)])
    varying = t.varying
    if checked:
        varying = varying.union(*axes) if axes else varying
    entries = [tuple([a for a in as_tuple(e) if a not in manual]) for e in t.spec]
    return array_type(shape, t.dtype, t.weak_type, entries, manual_mesh(t.sharding.mesh, manual) if t.sharding is not None else None,
                      varying, t.memory)


def whole_type(t, spec, mesh, manual):
    """The type of what the positions' parts of type `t` make up."""
    axes = [*spec.axes, *[()] * (t.ndim - len(spec))]
    shape = tuple([n * math.prod([mesh.shape[a] for a in split]) for n, split in zip(t.shape, axes)])
    explicit = set(mesh.explicit_axes)
    entries = [(*[a for a in split if a in explicit], *as_tuple(e)) for split, e in zip(axes, t.spec)]
    named = any(entries)
    return array_type(shape, t.dtype, t.weak_type, entries, mesh if named else None, t.varying - manual - tags_of(t.varying) if t.varying
                      else NOWHERE, t.memory)


def as_tuple(entry):
    return () if entry is None else (entry,) if isinstance(entry, str) else entry


def manual_mesh(mesh, manual):
    """The abstract mesh as it is inside: some of its axes are Manual."""
    mesh = mesh.abstract_mesh
    return mesh.update_axis_types({a: AxisType.Manual for a in manual if a in mesh.shape})
