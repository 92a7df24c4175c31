"""Convolutions."""
from __future__ import annotations

import functools
import math

import numpy as np

from gnomon.lax.contraction import dot_general
from gnomon.lax.shape import integers
from gnomon.lax.windows import padtype_to_pads, pairs
from gnomon.numpy.promote import as_value, requested_dtype
from gnomon.numpy.recorded import recorded
from gnomon.ops.compare import eq
from gnomon.ops.convert import convert_element_type
from gnomon.ops.convolution import ConvDimensionNumbers, ConvGeneralDilated
from gnomon.ops.dot import canonical_precision
from gnomon.ops.shape import Iota, broadcast_in_dim, reshape, transpose
from gnomon.ops.slicing import rev
from gnomon.ops.window import dilated, window_size
from gnomon.trace.stage import bind
from gnomon.types.size import check_shape, integer

__all__ = [
    "ConvDimensionNumbers", "ConvGeneralDilatedDimensionNumbers", "conv", "conv_dimension_numbers",
    "conv_general_dilated", "conv_general_dilated_local", "conv_general_dilated_patches", "conv_general_permutations",
    "conv_general_shape_tuple",
    "conv_shape_tuple", "conv_transpose", "conv_transpose_shape_tuple", "conv_with_general_padding",
]

ConvGeneralDilatedDimensionNumbers = None | ConvDimensionNumbers | tuple[str, str, str]


def conv_general_permutations(dimension_numbers):
    """From three words such as ('NHWC', 'HWIO', 'NHWC'), where each of the dimensions in the order (batch, feature,
    spatial...) or (output feature, input feature, spatial...) stands. The spatial order is that of the kernel's word.
    ValueError where a word repeats or lacks a letter.

    >>> conv_general_permutations(("NHWC", "HWIO", "NHWC"))
    ((0, 3, 1, 2), (3, 2, 0, 1), (0, 3, 1, 2))
    """
    if not three_words(dimension_numbers):
        raise TypeError(f"Convolution dimension numbers are three words such as ('NHWC', 'HWIO', 'NHWC'), got {dimension_numbers!r}.")
    return places_of_letters(*dimension_numbers)


@functools.cache
def places_of_letters(lhs, rhs, out):
    out_list = []
    for word, (first, second), what in ((lhs, "NC", "lhs"), (rhs, "OI", "rhs"), (out, "NC", "out")):
        if word.count(first) != 1 or word.count(second) != 1 or len(set(word)) != len(word):
            raise ValueError(f"Convolution dimension numbers need the letters {first} and {second} once and no letter "
                             f"twice in the word for {what}, got {word!r}.")
        spatial = [c for c in rhs if c not in "OI"]
        if sorted(c for c in word if c not in (first, second)) != sorted(spatial):
            raise ValueError(f"Convolution dimension numbers need the same spatial letters in all three words, got "
                             f"{lhs!r}, {rhs!r} and {out!r}.")
        out_list.append(tuple([word.index(c) for c in (first, second, *spatial)]))
    return tuple(out_list)


def three_words(numbers):
    return isinstance(numbers, (tuple, list)) and len(numbers) == 3 and all(isinstance(word, str) for word in numbers)


def conv_dimension_numbers(lhs_shape, rhs_shape, dimension_numbers):
    """ConvDimensionNumbers from None (batch, feature, spatial; output feature, input feature, spatial), three words, or
    themselves. ValueError where they do not fit the ranks.

    >>> conv_dimension_numbers((1, 8, 8, 3), (3, 3, 3, 4), ("NHWC", "HWIO", "NHWC")).out_spec
    (0, 3, 1, 2)
    """
    lhs_shape, rhs_shape = shapes_of(lhs_shape, rhs_shape, "conv_dimension_numbers")
    rank = len(lhs_shape)
    if rank != len(rhs_shape):
        raise ValueError(f"A convolution needs operands of one rank, got shapes {lhs_shape} and {rhs_shape}.")
    if isinstance(dimension_numbers, ConvDimensionNumbers):
        return dimension_numbers
    if dimension_numbers is None:
        return ConvDimensionNumbers(*[tuple(range(rank))] * 3)
    if three_words(dimension_numbers):
        if any(len(w) != rank for w in dimension_numbers):
            raise ValueError(f"Convolution dimension numbers {dimension_numbers} do not name the {rank} dimensions of "
                             f"shapes {lhs_shape} and {rhs_shape}.")
        return ConvDimensionNumbers(*conv_general_permutations(dimension_numbers))
    if isinstance(dimension_numbers, (tuple, list)) and len(dimension_numbers) == 3:
        return ConvDimensionNumbers(*[integers(spec, "A convolution's dimension numbers")
                                      for spec in dimension_numbers])
    raise TypeError(f"Convolution dimension numbers are None, ConvDimensionNumbers or three words, got "
                    f"{dimension_numbers!r}.")


def dilation_of(dilation, count, what):
    """One dilation per spatial dimension, 1 where none is given."""
    return (1,) * count if dilation is None else integers(dilation, what)


def precision_of(precision):
    """A pair of Precisions or None; ValueError for an algorithm, which is for products of matrices."""
    found = canonical_precision(precision)
    if found is not None and found.__class__ is not tuple:
        raise ValueError(f"A convolution takes a lax.Precision as its precision, got the algorithm {found} for products of matrices.")
    return found


@recorded
def conv_general_dilated(lhs, rhs, window_strides, padding, lhs_dilation=None, rhs_dilation=None,
                         dimension_numbers=None, feature_group_count=1, batch_group_count=1, precision=None,
                         preferred_element_type=None, out_sharding=None):
    """Slides a kernel over an array and sums products over the window and the input features.

    lhs          (batch, features, spatial...) in the order that `dimension_numbers` says
    rhs          the kernel: (output features, input features, spatial...)
    padding      'SAME', 'VALID', 'SAME_LOWER', or (low, high) pairs, negative to cut off
    lhs_dilation, rhs_dilation   how far apart elements stand; a `lhs_dilation` above 1 is a transposed convolution
    feature_group_count          cuts the features into groups with kernels of their own
    batch_group_count            cuts the batch

    Operands have one dtype, unless `preferred_element_type` gives the result's. ValueError or TypeError where they do
    not fit.

    >>> import gnomon.numpy as jnp
    >>> conv_general_dilated(jnp.arange(4.0).reshape(1, 1, 4), jnp.ones((1, 1, 2)), (1,), "VALID").tolist()
    [[[1.0, 3.0, 5.0]]]
    """
    x, k = as_value(lhs, "conv_general_dilated", 0), as_value(rhs, "conv_general_dilated", 1)
    numbers = conv_dimension_numbers(x.type.shape, k.type.shape, dimension_numbers)
    spatial = x.type.ndim - 2
    if spatial < 0:
        raise ValueError(f"conv_general_dilated takes operands with batch, feature and spatial dimensions, got shapes "
                         f"{x.type.shape} and {k.type.shape}.")
    strides = integers(window_strides, "conv_general_dilated's window_strides")
    lhs_dilation = dilation_of(lhs_dilation, spatial, "conv_general_dilated's lhs_dilation")
    rhs_dilation = dilation_of(rhs_dilation, spatial, "conv_general_dilated's rhs_dilation")
    for given, name in ((strides, "window_strides"), (lhs_dilation, "lhs_dilation"), (rhs_dilation, "rhs_dilation")):
        if len(given) != spatial:
            raise ValueError(f"conv_general_dilated needs one entry of {name} per spatial dimension, of which "
                             f"operands of shapes {x.type.shape} and {k.type.shape} have {spatial}, got {given}.")
    if isinstance(padding, str):
        if any(d != 1 for d in lhs_dilation):
            raise ValueError(f"conv_general_dilated takes padding {padding!r} only without lhs_dilation. Give (low, "
                             f"high) pairs, or call conv_transpose.")
        reach = [dilated(k.type.shape[d], r) for d, r in zip(numbers.rhs_spec[2:], rhs_dilation)]
        padding = padtype_to_pads([x.type.shape[d] for d in numbers.lhs_spec[2:]], reach, strides, padding)
    kind = None if preferred_element_type is None else requested_dtype(preferred_element_type)
    op = ConvGeneralDilated(strides, pairs(padding, "conv_general_dilated"), lhs_dilation, rhs_dilation, numbers,
                            integer(feature_group_count, "conv_general_dilated", "feature_group_count"),
                            integer(batch_group_count, "conv_general_dilated", "batch_group_count"),
                            precision_of(precision), kind, out_sharding)
    return bind(op, x, k)


def conv(lhs, rhs, window_strides, padding, precision=None, preferred_element_type=None):
    """A convolution of (batch, features, spatial...) with a kernel (output features, input features, spatial...);
    `padding` is 'SAME' or 'VALID'.

    >>> import gnomon.numpy as jnp
    >>> conv(jnp.ones((1, 2, 5)), jnp.ones((3, 2, 2)), (1,), "VALID").shape
    (1, 3, 4)
    """
    return conv_general_dilated(lhs, rhs, window_strides, padding, precision=precision,
                                preferred_element_type=preferred_element_type)


def conv_with_general_padding(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, precision=None,
                              preferred_element_type=None):
    """`conv` with any padding and with dilations.

    >>> import gnomon.numpy as jnp
    >>> conv_with_general_padding(jnp.ones((1, 2, 5)), jnp.ones((3, 2, 2)), (1,), [(1, 1)], None, (2,)).shape
    (1, 3, 5)
    """
    return conv_general_dilated(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, precision=precision,
                                preferred_element_type=preferred_element_type)


def transposed_padding(window, stride, padding):
    """Padding under which a stride-1 convolution of the spread-out operand undoes a convolution padded by this word."""
    if padding == "SAME":
        total = window + stride - 2
        low = window - 1 if stride > window - 1 else -(-total // 2)
    else:
        total = window + stride - 2 + max(window - stride, 0)
        low = window - 1
    return low, total - low


@recorded
def conv_transpose(lhs, rhs, strides, padding, rhs_dilation=None, dimension_numbers=None, transpose_kernel=False,
                   precision=None, preferred_element_type=None, use_consistent_padding=False):
    """A transposed convolution: the operand is spread out by `strides` and then convolved. Features come last unless
    `dimension_numbers` says otherwise.

    padding           'SAME' (the result is `strides` times as large), 'VALID', or pairs: of the convolution that is
                      done, or with `use_consistent_padding` of the one that is undone
    transpose_kernel  flips the kernel and exchanges its features: then this is the gradient of `conv_general_dilated`

    >>> import gnomon.numpy as jnp
    >>> conv_transpose(jnp.ones((1, 4, 2)), jnp.ones((3, 2, 5)), (2,), "SAME").shape
    (1, 8, 5)
    """
    x, k = as_value(lhs, "conv_transpose", 0), as_value(rhs, "conv_transpose", 1)
    rank = x.type.ndim
    if dimension_numbers is None:
        if not 2 <= rank <= 5:
            raise ValueError(f"conv_transpose needs dimension_numbers for operands of {rank} dimensions.")
        letters = "HWD"[:rank - 2]
        dimension_numbers = (f"N{letters}C", f"{letters}IO", f"N{letters}C")
    numbers = conv_dimension_numbers(x.type.shape, k.type.shape, dimension_numbers)
    spatial = numbers.rhs_spec[2:]
    strides = integers(strides, "conv_transpose's strides")
    rhs_dilation = dilation_of(rhs_dilation, len(spatial), "conv_transpose's rhs_dilation")
    reach = [dilated(k.type.shape[d], r) for d, r in zip(spatial, rhs_dilation)]
    if isinstance(padding, str):
        if padding not in ("SAME", "VALID"):
            raise ValueError(f"conv_transpose takes padding 'SAME', 'VALID' or (low, high) pairs, got {padding!r}.")
        padding = [transposed_padding(w, s, padding) for w, s in zip(reach, strides)]
    elif use_consistent_padding:
        padding = [(w - 1 - low, w - 1 - high) for w, (low, high) in zip(reach, pairs(padding, "conv_transpose"))]
    if transpose_kernel:
        k = rev(k, spatial)
        order = list(range(rank))
        o, i = numbers.rhs_spec[:2]
        order[o], order[i] = i, o
        k = transpose(k, tuple(order))
    return conv_general_dilated(x, k, (1,) * len(strides), padding, strides, rhs_dilation, numbers, precision=precision,
                                preferred_element_type=preferred_element_type)


def conv_general_dilated_patches(lhs, filter_shape, window_strides, padding, lhs_dilation=None, rhs_dilation=None,
                                 dimension_numbers=None, precision=None, preferred_element_type=None):
    """The windows that a convolution sees, written out as features: feature c * prod(filter_shape) + k of the result is
    element k of the window in input feature c.

    >>> import gnomon.numpy as jnp
    >>> conv_general_dilated_patches(jnp.arange(4.0).reshape(1, 1, 4), (2,), (1,), "VALID").tolist()
    [[[0.0, 1.0, 2.0], [1.0, 2.0, 3.0]]]
    """
    x = as_value(lhs, "conv_general_dilated_patches")
    filter_shape = integers(filter_shape, "conv_general_dilated_patches' filter_shape")
    words = dimension_numbers
    numbers = conv_dimension_numbers(x.type.shape, (1, 1, *filter_shape), words)
    features, size = x.type.shape[numbers.lhs_spec[1]], math.prod(filter_shape)
    # a kernel per window element, 1 there and 0 elsewhere, the same for all features
    row, column = [bind(Iota(np.dtype("int32"), (size, size), i)) for i in (0, 1)]
    one_hot = convert_element_type(eq(row, column), x.type.dtype)
    kernel = reshape(one_hot, (size, 1, *filter_shape))
    kernel = reshape(broadcast_groups(kernel, features), (features * size, 1, *filter_shape))
    kernel = transpose(kernel, tuple(np.argsort(numbers.rhs_spec).tolist()))
    return conv_general_dilated(x, kernel, window_strides, padding, lhs_dilation, rhs_dilation, numbers, features,
                                precision=precision, preferred_element_type=preferred_element_type)


def broadcast_groups(kernel, groups):
    """The kernel repeated once for each group, in front."""
    shape = kernel.type.shape
    return broadcast_in_dim(kernel, (groups, *shape), tuple(range(1, len(shape) + 1)))


def conv_general_dilated_local(lhs, rhs, window_strides, padding, filter_shape, lhs_dilation=None, rhs_dilation=None,
                               dimension_numbers=None, precision=None):
    """A convolution whose kernel differs from place to place: rhs has the window's elements among its input features
    (features * prod(filter_shape) of them) and the result's spatial dimensions.

    >>> import gnomon.numpy as jnp
    >>> conv_general_dilated_local(jnp.ones((1, 2, 5)), jnp.ones((3, 4, 4)), (1,), "VALID", (2,)).shape
    (1, 3, 4)
    """
    x, k = as_value(lhs, "conv_general_dilated_local", 0), as_value(rhs, "conv_general_dilated_local", 1)
    numbers = conv_dimension_numbers(x.type.shape, k.type.shape, dimension_numbers)
    patches = conv_general_dilated_patches(x, filter_shape, window_strides, padding, lhs_dilation, rhs_dilation,
                                           ConvDimensionNumbers(numbers.lhs_spec, numbers.rhs_spec, numbers.out_spec),
                                           precision)
    spatial_out, spatial_kernel = numbers.out_spec[2:], numbers.rhs_spec[2:]
    out = dot_general(patches, k, (((numbers.out_spec[1],), (numbers.rhs_spec[1],)), (spatial_out, spatial_kernel)),
                      precision)
    # spatial dimensions, batch, output features -> as the result has them
    order = (len(spatial_out), len(spatial_out) + 1, *range(len(spatial_out)))
    where = [0] * len(order)
    for place, source in zip(numbers.out_spec, order):
        where[place] = source
    return transpose(out, tuple(where))


# ---- shapes -------------------------------------------------------------------------------------------------------

def shapes_of(lhs_shape, rhs_shape, what):
    """The two shapes as tuples of sizes."""
    return check_shape(lhs_shape, f"The lhs_shape given to {what}"), check_shape(rhs_shape, f"The rhs_shape given to {what}")


def spatial_shapes(lhs_shape, rhs_shape, strides, numbers, what):
    """Shapes in the order (batch or output feature, feature, spatial...) and strides, checked. `numbers` is None, or three words."""
    lhs_shape, rhs_shape = shapes_of(lhs_shape, rhs_shape, what)
    strides = check_shape(strides, f"The strides given to {what}")
    lhs, rhs, out = [range(len(lhs_shape))] * 3 if numbers is None else conv_general_permutations(numbers)
    if len(lhs_shape) < 2 or not len(lhs_shape) == len(rhs_shape) == len(lhs) == len(strides) + 2 or 0 in strides:
        raise ValueError(f"{what} needs shapes of one rank, at least 2, and a stride above 0 per spatial dimension, got {lhs_shape}, {rhs_shape} "
                         f"and strides {strides}.")
    return [lhs_shape[d] for d in lhs], [rhs_shape[d] for d in rhs], strides, out


def conv_shape_tuple(lhs_shape, rhs_shape, strides, pads, batch_group_count=1):
    """The shape of a convolution of (batch, features, spatial...) with (output features, input features, spatial...).

    >>> conv_shape_tuple((1, 2, 5), (3, 2, 2), (1,), "VALID")
    (1, 3, 4)
    """
    lhs_shape, rhs_shape, strides, _ = spatial_shapes(lhs_shape, rhs_shape, strides, None, "conv_shape_tuple")
    groups = integer(batch_group_count, "conv_shape_tuple", "batch_group_count")
    if isinstance(pads, str):
        pads = padtype_to_pads(lhs_shape[2:], rhs_shape[2:], strides, pads)
    pads = pairs(pads, "conv_shape_tuple")
    if len(pads) != len(strides) or groups < 1 or lhs_shape[0] % groups:
        raise ValueError(f"conv_shape_tuple needs a pair of padding per spatial dimension and a batch_group_count that divides the batch, got "
                         f"{pads} and {groups} for shapes {tuple(lhs_shape)} and {tuple(rhs_shape)}.")
    sizes = [window_size(n, w, s, p) for n, w, s, p in zip(lhs_shape[2:], rhs_shape[2:], strides, pads)]
    return (lhs_shape[0] // groups, rhs_shape[0], *sizes)


def conv_general_shape_tuple(lhs_shape, rhs_shape, window_strides, padding, dimension_numbers):
    """The shape of a convolution with dimension numbers.

    >>> conv_general_shape_tuple((1, 5, 2), (2, 2, 3), (1,), "VALID", ("NWC", "WIO", "NWC"))
    (1, 4, 3)
    """
    lhs_shape, rhs_shape, window_strides, out = spatial_shapes(lhs_shape, rhs_shape, window_strides, dimension_numbers,
                                                               "conv_general_shape_tuple")
    shape = conv_shape_tuple(lhs_shape, rhs_shape, window_strides, padding)
    return tuple([shape[i] for i in np.argsort(out).tolist()])


def conv_transpose_shape_tuple(lhs_shape, rhs_shape, window_strides, padding, dimension_numbers):
    """The shape of a transposed convolution with dimension numbers.

    >>> conv_transpose_shape_tuple((1, 4, 2), (3, 2, 5), (2,), "SAME", ("NWC", "WIO", "NWC"))
    (1, 8, 5)
    """
    lhs_shape, rhs_shape, window_strides, out = spatial_shapes(lhs_shape, rhs_shape, window_strides, dimension_numbers,
                                                               "conv_transpose_shape_tuple")
    if isinstance(padding, str):
        padding = [transposed_padding(w, s, padding) for w, s in zip(rhs_shape[2:], window_strides)]
    spread = [dilated(n, s) for n, s in zip(lhs_shape[2:], window_strides)]
    shape = conv_shape_tuple((*lhs_shape[:2], *spread), rhs_shape, (1,) * len(spread), padding)
    return tuple([shape[i] for i in np.argsort(out).tolist()])
