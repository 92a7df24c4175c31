"""Operators and methods of arrays and of traced values."""
import operator

import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp

pytestmark = pytest.mark.filterwarnings("ignore")

X = np.array([[5, -7, 2], [3, 4, -1]], "float32")
Y = np.array([2, -3, 4], "float32")
I, J = X.astype("int32"), np.array([1, 2, 3], "int32")
ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
              divmod]
BITS = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]
COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


def same(ours, theirs):
    for a, b in zip(*[v if isinstance(v, tuple) else (v,) for v in (ours, theirs)]):
        assert isinstance(a, G.Array)
        np.testing.assert_allclose(a, b, rtol=1e-5)


@pytest.mark.parametrize("op", ARITHMETIC + COMPARISONS, ids=lambda op: op.__name__)
def test_operators_on_floats(op):
    x, y = np.abs(X) + 1 if op is operator.pow else X, Y
    a, b = jnp.array(x), jnp.array(y)
    with np.errstate(all="ignore"):
        same(op(a, b), op(x, y))
        same(op(a, 2), op(x, 2))
        same(op(2.0, b), op(2.0, y))
        same(op(a, y), op(x, y))
        same(op(x, b), op(x, y))                # NumPy leaves it to the array
        same(op(np.float32(3), b), op(np.float32(3), y))
        same(G.jit(op)(a, b), op(x, y))
        same(G.jit(lambda b: op(2.0, b))(b), op(2.0, y))


@pytest.mark.parametrize("op", BITS + [operator.pow, operator.floordiv, operator.mod], ids=lambda op: op.__name__)
def test_operators_on_integers(op):
    a, b = jnp.array(I), jnp.array(J)
    same(op(a, b), op(I, J))
    same(op(a, 2), op(I, 2))
    same(op(2, b), op(2, J))
    same(G.jit(op)(a, b), op(I, J))


def test_unary_operators():
    a = jnp.array(X)
    for op in (operator.neg, operator.pos, operator.abs):
        same(op(a), op(X))
    same(~jnp.array(I), ~I)
    same(~(a > 0), ~(X > 0))
    same(a @ jnp.array(Y), X @ Y)
    same(X @ jnp.array(Y), X @ Y)


class Strange:
    def __radd__(self, other):
        return "added"

    def __rmatmul__(self, other):
        return "multiplied"


@pytest.mark.parametrize("traced", [False, True])
def test_foreign_operands(traced):
    def check(x):
        assert x + Strange() == "added" and x @ Strange() == "multiplied"
        assert (x == None) is False and (x != "text") is True      # noqa: E711
        for op in (operator.add, operator.mul, operator.matmul, operator.lt, operator.pow, operator.floordiv):
            for bad in (None, "text", object()):
                if op is operator.mul and bad == "text":
                    continue        # Python tries to repeat the text
                with pytest.raises(TypeError, match="not supported|unsupported|can only|can't multiply"):
                    op(x, bad)
            for bad in ([1], (1, 2), {}):
                for pair in ((x, bad), (bad, x)):
                    with pytest.raises(TypeError, match="unsupported operand"):
                        op(*pair)
        with pytest.raises(TypeError, match="Convert the list with gnomon.numpy.asarray first"):
            x == [1, 2]     # noqa: B015
        return x
    (G.make_jaxpr(check) if traced else check)(jnp.arange(3))


METHODS = [
    ("sum", (), {}), ("sum", (0,), {"keepdims": True}), ("prod", (1,), {}), ("max", (), {}), ("min", (0,), {}),
    ("mean", (1,), {}), ("var", (), {"ddof": 1}), ("std", (0,), {}), ("any", (), {}), ("all", (1,), {}),
    ("argmax", (1,), {}), ("argmin", (), {}), ("cumsum", (1,), {}), ("cumprod", (), {}), ("clip", (-1, 3), {}),
    ("round", (1,), {}), ("conj", (), {}), ("conjugate", (), {}),
    ("reshape", (3, 2), {}), ("reshape", ((-1,),), {}), ("ravel", (), {}), ("flatten", (), {}), ("transpose", (), {}),
    ("transpose", (1, 0), {}), ("transpose", ((1, 0),), {}), ("swapaxes", (0, 1), {}), ("repeat", (2,), {"axis": 1}),
    ("squeeze", (), {}), ("diagonal", (), {}), ("trace", (), {}), ("argsort", (), {}), ("take", (J,), {}),
    ("dot", (Y,), {}), ("astype", ("int32",), {}),
    ("copy", (), {}), ("view", ("int32",), {}), ("byteswap", (), {}),
    ("compress", (np.array([True, False]),), {"axis": 0}),
]


@pytest.mark.parametrize("name, args, options", METHODS, ids=lambda v: v if isinstance(v, str) else "")
def test_methods(name, args, options):
    x = X
    expected = getattr(x, name)(*args, **options)
    same(getattr(jnp.array(x), name)(*args, **options), expected)
    if name not in ("compress",):
        same(G.jit(lambda x: getattr(x, name)(*args, **options))(x), expected)


def test_other_methods():
    x = jnp.array(X)
    same(x.ptp(), np.ptp(X))
    same(x.sort(), np.sort(X))
    same(jnp.array([1.0, 3.0]).searchsorted(2.0), 1)
    assert [v.tolist() for v in jnp.array([0, 2, 0, 3]).nonzero()] == [[1, 3]]
    same(jnp.array([0, 1]).choose([Y[:2], Y[1:]]), np.array([0, 1]).choose([Y[:2], Y[1:]]))
    same(x.to_device(G.devices()[1]), X)
    assert jnp.array([3.0, 1.0, 2.0]).argpartition(1)[1] == 2
    assert x.__array_namespace__() is jnp and x.__array_namespace__(api_version="2024.12") is jnp
    with pytest.raises(ValueError, match="2021.12"):
        x.__array_namespace__(api_version="2021.12")
    assert 4.0 in x and 9.0 not in x
    assert [v.tolist() for v in x] == X.tolist() and [v.tolist() for v in reversed(x)] == X[::-1].tolist()


def test_properties():
    def facts(x):
        return x.shape, x.ndim, x.size, x.dtype, x.nbytes, x.itemsize, len(x), x.T.shape, x.mT.shape, x.__numpy_dtype__
    x = jnp.array(X)
    expected = ((2, 3), 2, 6, np.float32, 24, 4, 2, (3, 2), (3, 2), np.float32)
    assert facts(x) == expected
    G.make_jaxpr(lambda x: [facts(x) == expected or pytest.fail(), x][1])(x)
    z = jnp.array([1 + 2j])
    assert z.real.tolist() == [1] and z.imag.tolist() == [2] and x.imag.tolist() == np.zeros((2, 3)).tolist()
    same(x.at[0, 0].add(1), X + np.eye(2, 3) * [1, 0, 0] * np.array([[1], [0]]))
    with pytest.raises(NotImplementedError, match="no flat iterator"):
        x.flat


def test_iteration_while_tracing():
    assert "slice" in str(G.make_jaxpr(lambda x: [v + 1 for v in x])(X)) and len(G.make_jaxpr(list)(X).out_avals) == 2
    with pytest.raises(TypeError, match="no dimensions"):
        G.make_jaxpr(list)(1.0)


@pytest.mark.parametrize("old", ["float32", "int32", "uint8", "float16", "bool", "complex64"])
@pytest.mark.parametrize("new", ["int32", "uint8", "float16", "float32", "bool", "complex64"])
def test_view(old, new):
    x = (np.arange(16).reshape(2, 8) % 2).astype(old)
    same(jnp.array(x).view(new).astype("complex64"), x.view(new).astype("complex64"))


def test_view_errors():
    for call, kind, words in ((lambda: jnp.float32(1).view("int8"), ValueError, "same width"),
                              (lambda: jnp.arange(3, dtype="int8").view("int32"), ValueError, "multiple of 32"),
                              (lambda: G.random.key(0).view("int32"), TypeError, "random.key_data")):
        with pytest.raises(kind, match=words):
            call()


def test_python_numbers_take_the_dtype_they_meet():
    for dtype in ("float16", "bfloat16", "int8", "complex64"):
        x = jnp.ones(2, dtype)
        assert (x + 1).dtype == x.dtype and (2 * x).dtype == x.dtype and not (x + 1).weak_type
    assert (jnp.arange(3) + 1.5).weak_type and (jnp.arange(3) + 1.5).dtype == np.float32
    with pytest.warns(G.errors.GnomonWarning, match="300, operand of [+], does not fit in uint8"):
        assert (jnp.arange(3, dtype="uint8") + 300).tolist() == [44, 45, 46]


def test_random_keys_are_compared_and_not_computed_with():
    keys = G.random.split(G.random.key(0), 3)
    for equal in (operator.eq, G.jit(operator.eq)):
        assert equal(keys, keys[1]).tolist() == [False, True, False]
    for call in (lambda: -keys, lambda: keys < keys, lambda: jnp.sin(keys), lambda: keys.sum(), lambda: jnp.mean(keys)):
        with pytest.raises(TypeError, match=r"random.key_data\(keys\) gives their integer words"):
            call()
    with pytest.raises(G.errors.TypePromotionError):
        keys + 1


def test_members_are_there_on_the_class_too():
    """Code asks gnomon.Array, the class of arrays and traced values, what an array can do."""
    names = """block_until_ready committed copy_to_host_async device is_deleted item sharding tolist at T shape dtype ndim size astype sum mean reshape
        view __add__ __matmul__ __getitem__ __dlpack__ __array_namespace__""".split()
    assert not [name for name in names if not hasattr(G.Array, name)] and not hasattr(G.Array, "no_member")
    x = jnp.arange(3)
    assert x.item(1) == 1 and x.tolist() == [0, 1, 2] and not x.committed and not x.is_deleted() and x.block_until_ready() is x
