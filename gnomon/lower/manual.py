"""Collectives of devices, and the regions (manual computations of Shardy's dialect) in which they stand."""
from __future__ import annotations

import numpy as np

from gnomon.base.errors import Refused
from gnomon.lower.text import physical, type_text
from gnomon.types.sharding import sdy_axes
from gnomon.types.value_type import ArrayType

CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"


class Manual:
    """Where a region stands: its mesh (name and sizes), and the axes on which the program runs once per position."""

    __slots__ = ("mesh", "name", "axes")

    def __init__(self, mesh, name, axes):
        self.mesh, self.name, self.axes = mesh, name, axes

    @property
    def whole(self):
        """Whether no axis is left to the compiler."""
        return len(self.axes) == len(self.mesh.axis_names)

    def positions(self, names):
        """The device numbers as rows over `names` (row-major), one row per place on the other axes."""
        mesh = self.mesh
        for n in names:
            if n not in self.axes:
                raise Refused(f"its named axis {n!r} is not bound here; run it inside the vmap or shard_map that names the axis")
        ids = np.arange(mesh.size).reshape(mesh.axis_sizes)
        order = [mesh.axis_names.index(n) for n in names]
        rest = [i for i in range(ids.ndim) if i not in order]
        return ids.transpose(*rest, *order).reshape(-1, int(np.prod([mesh.shape[n] for n in names])))


class Collectives:
    """What the emitter writes for collectives. `self.module.manual` is the region they stand in."""

    def positions(self, names):
        manual = self.module.manual
        if manual is None:
            raise Refused(f"the named axis {names[0]!r} is not bound here; run it inside the vmap or shard_map that names the axis")
        return manual.positions(names)

    def replica_groups(self, names, groups=None):
        """The devices that work together, a list for each group of them."""
        rows = self.positions(names)
        return [row[list(g)].tolist() for row in rows for g in groups] if groups else rows.tolist()

    def all_reduce(self, op, x, groups):
        return self.generic("stablehlo.all_reduce", [x], f"{CHANNEL}, {_groups(groups)}, use_global_device_ids", self._combine(op, x),
                            [x.type])[0]

    def reduce_scatter(self, x, d, groups):
        out = _resized(x, d, x.type.shape[d] // len(groups[0]))
        return self.generic("stablehlo.reduce_scatter", [x],
                            f"{CHANNEL}, {_groups(groups)}, scatter_dimension = {d} : i64, use_global_device_ids",
                            self._combine("stablehlo.add", x), [out])[0]

    def all_gather(self, x, d, groups):
        out = _resized(x, d, x.type.shape[d] * len(groups[0]))
        return self.generic("stablehlo.all_gather", [x],
                            f"all_gather_dim = {d} : i64, {CHANNEL}, {_groups(groups)}, use_global_device_ids", "", [out])[0]

    def all_to_all(self, x, split, concat, groups):
        n = len(groups[0])
        shape = list(x.type.shape)
        shape[split] //= n
        shape[concat] *= n
        return self.generic("stablehlo.all_to_all", [x],
                            f"{CHANNEL}, concat_dimension = {concat} : i64, {_groups(groups)}, split_count = {n} : i64, "
                            f"split_dimension = {split} : i64", "", [ArrayType(tuple(shape), x.type.dtype)])[0]

    def collective_permute(self, x, names, perm):
        pairs = [[int(row[i]), int(row[j])] for row in self.positions(names) for i, j in perm]
        if not pairs:
            return self.constant_like(x, 0)
        return self.generic("stablehlo.collective_permute", [x],
                            f"{CHANNEL}, source_target_pairs = dense<{pairs}> : tensor<{len(pairs)}x2xi64>", "", [x.type])[0]

    def _combine(self, op, x):
        scalar = ArrayType((), x.type.dtype)
        a, b, out, t = self.fresh(), self.fresh(), self.fresh(), type_text(scalar)
        return (f"{{\n^bb0({a}: {t}, {b}: {t}):\n{out} = {op} {a}, {b} : {t}\nstablehlo.return {out} : {t}\n}}")

    def axis_index(self, name):
        """This device's position along an axis, int32."""
        manual = self.module.manual
        self.positions((name,))
        index = ArrayType((), np.dtype("int32"))
        mesh = manual.mesh
        if mesh.shape[name] == 1:
            return self.constant(0, index)
        rest = [a for a in mesh.axis_names if a not in manual.axes]
        if rest:        # the number of the device is known where all axes are manual
            return self.manual_computation(manual, [], [], [], [(index, ())], rest, lambda: [self.axis_index(name)])[0]
        number = ArrayType((), np.dtype("uint32"))
        behind = int(np.prod(mesh.axis_sizes[mesh.axis_names.index(name) + 1:], dtype=int))
        x = self("stablehlo.partition_id", [], out=number)
        x = self.elementwise("stablehlo.divide", [x, self.constant(behind, number)], number)
        x = self.elementwise("stablehlo.remainder", [x, self.constant(mesh.shape[name], number)], number)
        return self("stablehlo.convert", [x], out=index)

    def manual_on(self, mesh):
        """The region that this stands in, or that of no manual axis of a mesh."""
        outer, name, plan = self.module.manual, self.module.mesh_name(mesh), self.module.plan
        devices = mesh.size if plan is None else plan.num_partitions
        if devices != mesh.size:
            raise ValueError(f"shard_map over {mesh}, of {mesh.size} devices, cannot run where its arguments are, on {devices}. Give it a Mesh, which "
                             "has devices, or place the arguments on one with device_put.")
        return outer if outer is not None and outer.name == name else Manual(mesh, name, frozenset())

    def single_position(self, mesh, body):
        """Run `body()` where a mesh has one device."""
        outer, self.module.manual = self.module.manual, Manual(mesh, "", frozenset(mesh.axis_names))
        try:
            return body()
        finally:
            self.module.manual = outer

    def manual_computation(self, manual, xs, in_axes, body_types, outs, axes, body):
        """Run `body(*values)` once per position on `axes`, on its part of each of `xs`. `in_axes` says for each operand, and `outs` (pairs
        of a type and this) for each result, over which axes each dimension is split."""
        module = self.module
        mesh, name = manual.mesh, manual.name
        inner = Manual(mesh, name, frozenset(manual.axes).union(axes))
        whole = inner.whole
        if self.token is not None:
            xs, in_axes, body_types = [self.token, *xs], [(), *in_axes], [self.token.type, *body_types]
            outs = [(self.token.type, ()), *outs]

        def shardings(values):
            texts = [f"<@{name}, [{', '.join([sdy_axes(dim, whole) for dim in _padded(split, t)])}]>" for t, split in values]
            return f"#sdy.sharding_per_value<[{', '.join(texts)}]>"
        outer, module.manual = module.manual, inner
        try:
            region = self.block(body_types, lambda *values: self.inside(body, values), "sdy.return")
        finally:
            module.manual = outer
        named = ", ".join([f'"{a}"' for a in mesh.axis_names if a in axes])
        made = self.generic("sdy.manual_computation", xs,
                            f"in_shardings = {shardings(zip([x.type for x in xs], in_axes))}, manual_axes = #sdy<manual_axes{{{named}}}>, "
                            f"out_shardings = {shardings(outs)}", region, [t for t, _ in outs])
        return self.take_token(made)


def _padded(split, t):
    rank = len(physical(t)[0])
    return [*split, *[()] * (rank - len(split))]


def _groups(groups):
    return f"replica_groups = dense<{groups}> : tensor<{len(groups)}x{len(groups[0])}xi64>"


def _resized(x, d, size):
    shape = x.type.shape
    return ArrayType((*shape[:d], size, *shape[d + 1:]), x.type.dtype)
