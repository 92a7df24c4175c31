"""Index expressions made up by Hypothesis: reading and updating as NumPy does, eager and under jit."""
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import gnomon as G
import gnomon.numpy as jnp

pytestmark = pytest.mark.filterwarnings("ignore")
SHAPES = st.sampled_from([(4,), (3, 4), (2, 3, 4), (1, 3), (2, 0, 3)])
UFUNCS = {"add": np.add, "multiply": np.multiply, "mul": np.multiply, "min": np.minimum, "max": np.maximum, "subtract": np.subtract}


@st.composite
def arrays_and_indices(draw, advanced=True):
    """(an array of different integers, an index of it): integers, slices, an ellipsis, None, arrays of integers and of booleans."""
    shape = draw(SHAPES)
    x = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    kinds = ["integer", "slice", "slice", "all"] + (["array", "array", "mask", "list"] if advanced else [])
    together = draw(st.sampled_from([(), (2,), (3, 1), (1,), (2, 3)]))
    elements, axis = [], 0
    while axis < len(shape):
        n, kind = shape[axis], draw(st.sampled_from(kinds + ["stop"]))
        if kind == "stop":
            break
        if kind == "mask" and draw(st.booleans()) and axis + 1 < len(shape) and together == ():
            elements.append(np.array(draw(st.lists(st.booleans(), min_size=n * shape[axis + 1], max_size=n * shape[axis + 1])),
                                     bool).reshape(shape[axis:axis + 2]))
            axis += 2
            kinds = [k for k in kinds if k not in ("mask", "array", "list")]
            continue
        if kind == "mask":
            if together:
                continue
            elements.append(np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool))
            kinds = [k for k in kinds if k not in ("mask", "array", "list")]
        elif kind == "slice" or kind == "all" or n == 0:
            bound = st.none() | st.integers(-n - 2, n + 2)
            step = draw(st.none() | st.sampled_from([1, 2, -1, -2, 3]))
            elements.append(slice(None) if kind == "all" else slice(draw(bound), draw(bound), step))
        elif kind == "integer":
            elements.append(draw(st.integers(-n, n - 1)))
        else:
            kinds = [k for k in kinds if k != "mask"]
            size = int(np.prod(together))
            index = np.array(draw(st.lists(st.integers(-n, n - 1), min_size=size, max_size=size)), int).reshape(together)
            elements.append(index.tolist() if kind == "list" and together else index)
        axis += 1
    if draw(st.booleans()):
        elements.insert(draw(st.integers(0, len(elements))), None)
    if draw(st.booleans()) and not any(e is Ellipsis for e in elements):
        elements.append(Ellipsis)
    return x, tuple(elements)


def of_numpy(index):
    return tuple(np.array(e, int) if isinstance(e, list) else e for e in index)


def dynamic(index):
    """(the index with its integer arrays given as arguments, those)."""
    return [e for e in index if isinstance(e, np.ndarray) and e.dtype != bool]


def refilled(index, arrays):
    arrays = iter(arrays)
    return tuple(next(arrays) if isinstance(e, np.ndarray) and e.dtype != bool else e for e in index)


@settings(max_examples=60)
@given(arrays_and_indices())
def test_reading(case):
    x, index = case
    want = x[of_numpy(index)]
    np.testing.assert_array_equal(jnp.asarray(x)[index], want)
    np.testing.assert_array_equal(jnp.asarray(x).at[index].get(), want)
    np.testing.assert_array_equal(G.jit(lambda x, arrays: x[refilled(index, arrays)])(x, dynamic(index)), want)


@settings(max_examples=60)
@given(arrays_and_indices(), st.sampled_from(["set", *UFUNCS, "apply"]), st.booleans())
def test_updating(case, method, traced):
    x, index = case
    place = of_numpy(index)
    shape = x[place].shape
    rng = np.random.RandomState(x.size)
    y = rng.randint(-3, 4, shape[rng.randint(len(shape) + 1):]).astype(np.int32)
    want = x.copy()
    if method == "apply":
        np.negative.at(want, place)
        update = lambda ref, y: ref.apply(jnp.negative)     # noqa: E731
    elif method == "set":
        y = np.int32(-7)        # where places repeat, NumPy and XLA write them in orders of their own
        want[place] = y
        update = lambda ref, y: ref.set(y)                  # noqa: E731
    else:
        UFUNCS[method].at(want, place, y)
        update = lambda ref, y: getattr(ref, method)(y)     # noqa: E731
    if traced:
        got = G.jit(lambda x, y, arrays: update(x.at[refilled(index, arrays)], y))(x, y, dynamic(index))
    else:
        got = update(jnp.asarray(x).at[index], jnp.asarray(y))
    np.testing.assert_array_equal(got, want)


@settings(max_examples=30)
@given(SHAPES, st.sampled_from(["set", "add", "multiply", "min", "max"]), st.data())
def test_traced_masks(shape, method, data):
    """`.at[mask]` under jit, where the mask is traced: numbers, and what broadcasts with the masked places."""
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    rank = data.draw(st.integers(1, len(shape)))
    count = int(np.prod(shape[:rank]))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)), bool).reshape(shape[:rank])
    y = np.float32(2.5) if data.draw(st.booleans()) else np.arange(np.prod(shape[rank:]), dtype=np.float32).reshape(shape[rank:]) - 3
    want = x.copy()
    if method == "set":
        want[mask] = y
    else:
        UFUNCS[method].at(want, mask, y)
    np.testing.assert_array_equal(G.jit(lambda x, m, y: getattr(x.at[m], method)(y))(x, mask, y), want)


@settings(max_examples=30)
@given(SHAPES, st.data())
def test_numbers_out_of_bounds(shape, data):
    """A number known while tracing must be in bounds, and the error names axis and size; of traced ones the mode says what happens."""
    x = jnp.asarray(np.arange(np.prod(shape), dtype=np.float32).reshape(shape))
    axis = data.draw(st.integers(0, len(shape) - 1))
    n = shape[axis]
    i = data.draw(st.sampled_from([n, n + 3, -n - 1, -n - 9]))
    index = (slice(None),) * axis + (i,)
    for run in (lambda f: f(x), lambda f: G.jit(f)(x)):
        with pytest.raises(IndexError, match=rf"index {i} is out of bounds.*axis {axis}.*size {n}".replace("-", r"\-")):
            run(lambda x: x[index])
    if not x.size:
        return
    traced = G.jit(lambda x, i, mode, fill: x.at[(slice(None),) * axis + (i,)].get(mode=mode, fill_value=fill), static_argnums=(2, 3))
    clipped = np.take(np.asarray(x), np.clip(i + n if i < 0 else i, 0, n - 1), axis)
    np.testing.assert_array_equal(traced(x, i, "clip", None), clipped)
    np.testing.assert_array_equal(traced(x, i, "fill", -1.0), np.full_like(clipped, -1))
    np.testing.assert_array_equal(traced(x, i, "wrap", None), np.take(np.asarray(x), i, axis, mode="wrap"))
    np.testing.assert_array_equal(G.jit(lambda x, i: x.at[(slice(None),) * axis + (i,)].set(9.0))(x, i), x)
