"""How an array is laid out over devices, as a picture: visualize_sharding, inspect_array_sharding."""
from __future__ import annotations

import sys

import numpy as np

from gnomon.base.errors import Refused
from gnomon.trace.stage import Tracer


def inspect_array_sharding(value, *, callback):
    """Call `callback` with an array's sharding. For a traced value that is known only where its mesh axes are explicit; else it is
    refused, since the compiler decides it later."""
    if isinstance(value, Tracer):
        if value.type.sharding is None:
            raise Refused(f"debug.inspect_array_sharding: the sharding of a traced value of type {value.type} is decided by the compiler. "
                          "Look at `.sharding` of what jit returns, or fix it with lax.with_sharding_constraint")
        callback(value.type.sharding)
    else:
        callback(value.sharding)


def visualize_array_sharding(arr, **options):
    """Print which devices hold which part of an array of one or two dimensions."""
    inspect_array_sharding(arr, callback=lambda sharding: visualize_sharding(arr.shape, sharding, **options))


def visualize_sharding(shape, sharding, *, use_color=True, scale=1.0, min_width=9, max_width=80, color_map=None):
    """Print which devices hold which part of an array of this shape, of one or two dimensions. Colours are not used.

    >>> import gnomon
    >>> visualize_sharding((4,), gnomon.sharding.SingleDeviceSharding(gnomon.devices("cpu")[0]))
    ┌─────────┐
    │  CPU 0  │
    └─────────┘
    """
    if not 1 <= len(shape) <= 2:
        raise ValueError(f"visualize_sharding shows arrays of one or two dimensions, got the shape {tuple(shape)}.")
    sys.stdout.write(picture(tuple(shape), sharding, min_width, max_width) + "\n")


def picture(shape, sharding, min_width=9, max_width=80) -> str:
    """The boxes, one for each part, with the numbers of the devices that hold it."""
    holders: dict = {}
    for device, index in sharding.devices_indices_map(shape).items():
        index = index if len(shape) == 2 else (slice(None), *index)
        corner = tuple(0 if s.start is None else s.start for s in index)
        holders.setdefault(corner, []).append(device)
    rows, columns = (sorted({corner[i] for corner in holders}) for i in range(2))
    labels = np.empty((len(rows), len(columns)), dtype=object)
    for (row, column), devices in holders.items():
        ids = ",".join(str(d.id) for d in sorted(devices, key=lambda d: d.id))
        labels[rows.index(row), columns.index(column)] = f"{devices[0].platform.upper()} {ids}"
    width = min(max(min_width, 4 + max(map(len, labels.flat))), max(min_width, max_width // len(columns)))

    def line(left, cross, right):
        return left + cross.join("─" * width for _ in columns) + right
    inside = ["│" + "│".join(label.center(width) for label in row) + "│" for row in labels]
    return "\n".join([line("┌", "┬", "┐"), f"\n{line('├', '┼', '┤')}\n".join(inside), line("└", "┴", "┘")])
