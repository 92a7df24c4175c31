"""What the types of slices, reductions, scans, sorts, indexing and convolutions say of sharding."""
import numpy as np
import pytest

from gnomon.errors import ShardingTypeError
from gnomon.ops.convolution import ConvDimensionNumbers, ConvGeneralDilated
from gnomon.ops.cumulative import Cumsum
from gnomon.ops.indexing import CLIP, Gather, GatherDimensionNumbers, Scatter, ScatterDimensionNumbers
from gnomon.ops.reductions import Argmax, ReduceMax
from gnomon.ops.shape import Reshape
from gnomon.ops.slicing import Concatenate, DynamicSlice, DynamicUpdateSlice, Pad, Rev, Slice, Split
from gnomon.ops.sorting import Sort, TopK
from gnomon.ops.window import ReduceWindowSum
from gnomon.types.mesh import AbstractMesh, AxisType
from gnomon.types.value_type import ArrayType, array_type

MESH = AbstractMesh((2, 2), ("x", "y"), (AxisType.Explicit,) * 2)
FLOAT, INT32 = np.dtype("float32"), np.dtype("int32")
INDEX, SCALAR = ArrayType((), INT32), ArrayType((), FLOAT)


def of(*shape, spec=None, dtype=FLOAT):
    return array_type(shape, dtype, False, spec or (None,) * len(shape), MESH)


X = of(8, 4, spec=("x", None))       # dimension 0 is sharded, dimension 1 is whole
ROWS, ROW_SCATTER = GatherDimensionNumbers((1,), (0,), (0,)), ScatterDimensionNumbers((1,), (0,), (0,))
COLUMNS, COLUMN_SCATTER = GatherDimensionNumbers((0,), (1,), (1,)), ScatterDimensionNumbers((0,), (1,), (1,))
VECTORS = of(3, 1, dtype=INT32)
FIRST = ConvDimensionNumbers(*[(0, 1, 2)] * 3)

# op that works along dimension 0, the same along dimension 1, other operands, and the spec of the second one's results
ALONG = {
    "cumsum": (Cumsum(0), Cumsum(1), (), [("x", None)]),
    "sort": (Sort(0), Sort(1), (), [("x", None)]),
    "top_k": (TopK(2, 0), TopK(2, 1), (), [("x", None)] * 2),
    "gather": (Gather(ROWS, (1, 4), CLIP), Gather(COLUMNS, (8, 1), CLIP), (VECTORS,), [("x", None)]),
    "scatter": (Scatter(ROW_SCATTER, CLIP), Scatter(COLUMN_SCATTER, CLIP), (VECTORS,), [("x", None)]),
}


@pytest.mark.parametrize("name", ALONG)
def test_dimensions_worked_along_are_whole(name):
    cut, kept, others, specs = ALONG[name]
    updates = {"scatter": ((of(3, 4),), (of(8, 3, spec=("x", None)),))}.get(name, ((), ()))
    with pytest.raises(ShardingTypeError, match="[Rr]eshard"):
        cut.infer((X, *others, *updates[0]))
    out = kept.infer((X, *others, *updates[1]))
    assert [t.spec for t in (out if kept.multiple else (out,))] == specs


ONES = ((0, 0),) * 2, (1, 1), (1, 1)
# op whose result splits as the operand does, the same where the result has a size that does not, other operands
CUT = {
    "slice": (Slice((2, 0), (6, 3)), Slice((1, 0), (6, 4)), ()),
    "strided slice": (Slice((0, 0), (8, 4), (2, 1)), Slice((0, 0), (8, 4), (3, 1)), ()),
    "pad": (Pad(((1, 1, 0), (0, 3, 0))), Pad(((1, 0, 0), (0, 0, 0))), (SCALAR,)),
    "concatenate": (Concatenate(0), None, (X,)),
    "split": (Split((4, 2, 2), 0), Split((5, 3), 0), ()),
    "rev": (Rev((0, 1)), None, ()),
    "dynamic_slice": (DynamicSlice((4, 3)), DynamicSlice((3, 4)), (INDEX, INDEX)),
    "dynamic_update_slice": (DynamicUpdateSlice(), None, (of(4, 4, spec=("x", None)), INDEX, INDEX)),
    "reduce_window": (ReduceWindowSum((2, 1), (2, 1), *ONES), ReduceWindowSum((2, 1), (1, 1), *ONES), ()),
}


@pytest.mark.parametrize("name", CUT)
def test_cut_dimensions_stay_split(name):
    even, uneven, others = CUT[name]
    out = even.infer((X, *others))
    assert {t.spec for t in (out if even.multiple else (out,))} == {("x", None)}
    if uneven is not None:
        with pytest.raises(ShardingTypeError, match="does not split into the 2 parts that it has over 'x'. Reshard the operand first."):
            uneven.infer((X, *others))


WIDE = AbstractMesh((4, 2), ("x", "y"), (AxisType.Explicit,) * 2)


@pytest.mark.parametrize("shape, spec, new, expected", [
    ((8, 16), ("x", "y"), (8, 4, 4), ("x", "y", None)), ((8, 16), ("x", "y"), (4, 2, 16), ("x", None, "y")),
    ((8, 16), ("x", "y"), (1, 8, 1, 16), (None, "x", None, "y")), ((8, 16), ("x", "y"), (128,), (("x", "y"),)),
    ((8, 16), ("x", None), (128,), ("x",)), ((8, 16), (("x", "y"), None), (4, 2, 16), ("x", "y", None)),
    ((128,), (("x", "y"),), (8, 16), (("x", "y"), None)), ((128,), (("x", "y"),), (4, 32), ("x", "y")),
    ((8, 4, 6), ("x", None, "y"), (32, 6), ("x", "y")), ((8, 4, 6), ("x", "y", None), (192,), (("x", "y"),)),
    ((8, 4, 6), (None, "x", "y"), (8, 24), (None, ("x", "y"))), ((2, 8, 16), ("y", "x", None), (16, 16), (("y", "x"), None)),
    ((16, 16), ("x", "y"), (4, 4, 4, 4), ("x", None, "y", None)), ((8,), ("x",), (4, 1, 2), ("x", None, None)),
    ((8, 16), ("x", "y"), (2, 4, 16), None), ((8, 16), (None, "y"), (128,), None), ((8, 16), ("x", None), (16, 8), None),
    ((8, 16), (("x", "y"), None), (2, 4, 16), None), ((128,), ("x",), (2, 64), None), ((8, 4, 6), ("x", None, "y"), (192,), None),
    ((8, 16), ("x", None), (4, 32), None), ((8,), ("x",), (2, 2, 2), None), ((0, 8), (None, "x"), (0,), None),
])
def test_reshapes_keep_parts_whole(shape, spec, new, expected):
    x = array_type(shape, FLOAT, False, spec, WIDE)
    if expected is not None:
        assert Reshape(new).infer((x,)).spec == expected
    else:
        with pytest.raises(ShardingTypeError) as caught:
            Reshape(new).infer((x,))
        assert str(caught.value) == (f"reshape of {x} to {new} merges or splits a sharded dimension, so the result's sharding is ambiguous. "
                                     "Say it with out_sharding, or reshard first.")


def test_reductions_keep_the_rest():
    x = of(8, 4, 2, spec=("x", None, "y"))
    assert ReduceMax((1,)).infer((x,)).spec == ("x", "y")
    assert ReduceMax((0,)).infer((x,)).spec == (None, "y")
    assert Argmax((1,), INT32).infer((x,)).spec == ("x", "y")


def test_updates_agree_with_the_array():
    starts = (INDEX, INDEX)
    assert DynamicUpdateSlice().infer((X, of(8, 2, spec=("x", None)), *starts)).spec == ("x", None)
    with pytest.raises(ShardingTypeError, match="one sharding"):
        DynamicUpdateSlice().infer((X, of(8, 2), *starts))
    with pytest.raises(ShardingTypeError, match="one sharding"):
        Concatenate(1).infer((X, of(8, 4)))


def test_paired_dimensions_of_a_gather():
    along_rows = Gather(GatherDimensionNumbers((), (1,), (1,), (0,), (0,)), (1, 1), CLIP)
    assert along_rows.infer((X, of(8, 3, 1, spec=("x", None, None), dtype=INT32))).spec == ("x", None)
    with pytest.raises(ShardingTypeError, match="paired"):
        along_rows.infer((X, of(8, 3, 1, spec=("y", None, None), dtype=INT32)))


def test_convolutions_keep_batch_and_output_features():
    op = ConvGeneralDilated((1,), ((0, 0),), (1,), (1,), FIRST)
    image, kernel = of(4, 2, 9, spec=("x", None, None)), of(6, 2, 3, spec=("y", None, None))
    assert op.infer((image, kernel)).spec == ("x", "y", None)
    with pytest.raises(ShardingTypeError, match="whole"):
        op.infer((of(4, 2, 9, spec=(None, "x", None)), kernel))
    with pytest.raises(ShardingTypeError, match="whole"):
        op.infer((of(4, 2, 9, spec=(None, None, "x")), kernel))
