"""Ops about where values are: device_put, sharding_constraint, reshard."""
from __future__ import annotations

from gnomon.base.errors import ShardingTypeError
from gnomon.ir.op import LINEAR, Op, field, result_sharding
from gnomon.trace.stage import bind
from gnomon.types.memory import DEVICE, Space, type_memory
from gnomon.types.sharding import NamedSharding, PartitionSpec, type_sharding


class Placing(Op, abstract=True):
    """Base of ops that say where a value is and leave its numbers alone."""

    derivative = LINEAR

    def transpose(self, ct, x):
        return bind(self, ct),

    def batch(self, args, axes, batching):
        return bind(self.replace(sharding=batched(self.sharding, axes[0])), *args), axes[0]

    def lower(self, emit, x):
        if isinstance(self.sharding, NamedSharding):
            return emit.module.constrain(emit, x, emit.out.update(sharding=self.sharding))
        return x


class ShardingConstraint(Placing):
    """Tells the compiler how a value on automatic mesh axes is to be sharded."""

    sharding: object
    layout: object = field(None)

    def result(self, x):
        check_fits(self.sharding, x, "with_sharding_constraint")
        return x


class DevicePut(Placing):
    """Moves a value to a device, a memory or a sharding."""

    sharding: Space | object

    def result(self, x):
        if isinstance(self.sharding, Space):
            return x.update(memory=type_memory(self.sharding))
        if not hasattr(self.sharding, "spec"):
            return x
        check_fits(self.sharding, x, "device_put")
        of_type, memory = type_sharding(self.sharding, x.ndim)
        return x.update(sharding=of_type if of_type is not None else x.sharding, memory=memory)

    def transpose(self, ct, x):
        return bind(DevicePut(Space(x.type.memory or DEVICE)), ct) if isinstance(self.sharding, Space) else bind(self, ct),


class Reshard(Placing):
    """Changes the sharding of a value on explicit mesh axes."""

    sharding: object = field(show="never", read=result_sharding)

    def result(self, x):
        check_fits(self.sharding, x, "reshard")
        return x.update(sharding=self.sharding)

    def transpose(self, ct, x):
        return bind(Reshard(x.type.sharding), ct) if x.type.sharding is not None else ct,


class LayoutConstraint(Op):
    """Tells the compiler in which order the dimensions of a value lie in memory there."""

    layout: object

    derivative = LINEAR

    def result(self, x):
        if len(self.layout.major_to_minor) != x.ndim:
            raise ValueError(f"with_layout_constraint got a layout of {len(self.layout.major_to_minor)} dimensions, {self.layout}, for a value "
                             f"of type {x}. Give it an order of its {x.ndim}.")
        return x

    def lower(self, emit, x):
        def order(dims):
            return f"[dense<{[*dims]}> : tensor<{len(dims)}xindex>]" if dims else "[dense<> : tensor<0xindex>]"
        dims = self.layout.major_to_minor
        return emit.generic("stablehlo.custom_call", [x], outs=[emit.out], properties='call_target_name = "LayoutConstraint", operand_layouts = '
                            f"{order(range(len(dims))[::-1])}, result_layouts = {order(dims[::-1])}")[0]

    def transpose(self, ct, x):
        return bind(self, ct),

    def batch(self, args, axes, batching):
        return bind(LayoutConstraint(self.layout.with_axis(axes[0])), *args), axes[0]


class MemorySpaceConstraint(Op):
    """The value in a kind of memory, as its type says."""

    memory_space: Space | str

    name = "with_memory_space_constraint"
    derivative = LINEAR

    def result(self, x):
        return x.update(memory=type_memory(self.memory_space))

    def lower(self, emit, x):
        return x

    def transpose(self, ct, x):
        return ct if x.type.memory == ct.type.memory else bind(MemorySpaceConstraint(x.type.memory or DEVICE), ct),

    def batch(self, args, axes, batching):
        return bind(self, *args), axes[0]


def check_fits(sharding, x, what):
    if sharding is not None and len(sharding.spec) > x.ndim:
        raise ShardingTypeError(f"{what} got the spec {sharding.spec} with {len(sharding.spec)} entries for a value of type {x}, which has "
                                f"{x.ndim} dimensions. Give at most one entry a dimension.")


def batched(sharding, axis):
    """The sharding of a value with one dimension more, which is not sharded."""
    if axis is None or not isinstance(sharding, NamedSharding):
        return sharding
    spec = [*sharding.spec]
    spec += [None] * (axis - len(spec))
    return NamedSharding(sharding.mesh, PartitionSpec(*spec[:axis], None, *spec[axis:]), memory_kind=sharding.memory_kind)
