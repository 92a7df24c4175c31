"""Products, einsum, diagonals and triangles against NumPy."""
import numpy as np
import pytest
from hypothesis import given, strategies as st

import gnomon as G
import gnomon.numpy as jnp
from gnomon.types.dtype import bfloat16
from tests.numpy.against_numpy import numbers, same

pytestmark = pytest.mark.filterwarnings("ignore::gnomon.errors.GnomonWarning")     # NumPy counts in 64 bits

N = numbers
C = N((2, 3)) + 1j * N((2, 3), seed=3)
SHAPES = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)), ((5, 2, 3), (5, 3, 4)),
          ((5, 1, 2, 3), (6, 3, 4)),
          ((5, 2, 3), (3,)), ((3,), (5, 3, 4)), ((1, 2, 3), (5, 3, 4)), ((2, 0), (0, 3)), ((0, 3), (3, 2)), ((1, 2, 3), (1, 3, 4))]


@pytest.mark.parametrize("a, b", SHAPES, ids=str)
def test_matmul(a, b):
    same("matmul", N(a), N(b))


@pytest.mark.parametrize("call", [
    ("dot", N((2, 3)), N((3, 2))), ("dot", N((2, 5, 3)), N((4, 3, 2))), ("dot", np.float32(2), N((3,))), ("dot", N((3,)), N((3,))),
    ("dot", N((2, 3)), N((3,))), ("vdot", N((2, 3)), N((2, 3))), ("vdot", C, 2 * C), ("inner", N((2, 3)), N((4, 3))),
    ("inner", N((3,)), N((3,))),
    ("inner", np.float32(2), N((3,))), ("outer", N((3,)), N((2, 2))), ("tensordot", N((2, 3, 4)), N((3, 4, 5))),
    ("tensordot", N((2, 3, 4)), N((3, 2, 5)), ([0, 1], [1, 0])), ("tensordot", N((2, 3)), N((3, 2)), (0, 1)),
    ("tensordot", N((2,)), N((3,)), 0),
    ("tensordot", N((2, 3)), N((4, 3)), (-1, -1)), ("kron", N((2, 3)), N((3, 2))), ("kron", N((2,)), N((2, 2))),
    ("kron", N((2, 1, 2)), N((2,))),
    ("cross", N((3,)), N((3,), seed=2)), ("cross", N((4, 3)), N((3,))), ("cross", N((3, 4)), N((3, 4), seed=1), 0, 0, 0),
    ("cross", N((3, 4)), N((3, 4), seed=1), 0, 0), ("trace", N((3, 4))), ("trace", N((3, 4)), 1), ("trace", N((2, 3, 3)), 0, 1, 2),
    ("trace", N((2, 3, 3)), -1, 0, -1), ("vecdot", N((2, 3)), N((3,))), ("vecdot", C, C), ("vecdot", N((3, 2)), N((3, 1))),
    ("diagonal", N((3, 4))), ("diagonal", N((3, 4)), 2), ("diagonal", N((3, 4)), -1), ("diagonal", N((3, 4)), 9),
    ("diagonal", N((2, 3, 4)), 1, 0, 2),
    ("diag", N((3,))), ("diag", N((3,)), 2), ("diag", N((3,)), -1), ("diag", N((3, 4)), 1), ("diag", N((0,)), 1),
    ("diagflat", N((2, 2)), 1),
    ("tril", N((3, 4))), ("tril", N((2, 3, 3)), -1), ("triu", N((3, 4)), 1), ("triu", N((2, 3, 3))), ("tril", N((3, 3)), 9),
], ids=lambda call: call[0])
def test_against_numpy(call):
    options = {"axis": 0} if call[0] == "vecdot" and call[2].shape == (3, 1) else {}
    if call[0] == "vecdot" and options:
        same("vecdot", *call[1:], reference=lambda a, b, axis: np.sum(a * b, axis), axis=0)
    elif call[0] == "vecdot":
        same("vecdot", *call[1:], reference=lambda a, b: np.sum(np.conj(a) * b, -1))
    else:
        same(*call)


def test_two_dimensional_cross_products():
    same("cross", N((4, 2)), N((4, 2), seed=1), reference=lambda a, b: a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    third = lambda a: np.pad(a, ((0, 0), (0, 1)))
    same("cross", N((4, 2)), N((4, 3)), reference=lambda a, b: np.cross(third(a), b))


def test_matvec_and_vecmat():
    m, v, w = N((5, 2, 3)), N((3,)), N((4, 1, 2))
    same("matvec", m, v, reference=lambda m, v: np.einsum("bij,j->bi", m, v))
    same("vecmat", w, m, reference=lambda w, m: np.einsum("abi,bij->abj", np.broadcast_to(w, (4, 5, 2)), m))
    same("vecmat", 1j * N((2,)), m[0], reference=lambda w, m: np.conj(w) @ m)
    same("matvec", m, N((5, 3)), reference=lambda m, v: np.einsum("bij,bj->bi", m, v))


def test_dtypes():
    for dtype in ("int8", "uint32", "bool", bfloat16, "float16", "complex64"):
        a, b = N((2, 3), dtype), N((3, 2), dtype, 1)
        out = jnp.matmul(a, b)
        assert out.dtype == np.dtype(dtype)
        expected = np.matmul(a, b) if np.dtype(dtype).kind != "V" else np.matmul(a.astype(float), b.astype(float))
        np.testing.assert_allclose(np.asarray(out).astype(complex), expected.astype(dtype).astype(complex), rtol=1e-2)
    assert jnp.matmul(jnp.ones((2, 2), "bfloat16"), jnp.ones((2, 2), "bfloat16"), preferred_element_type="float32").dtype == "float32"
    assert jnp.dot(jnp.ones(2, "int8"), jnp.ones(2, "int8"), preferred_element_type="int32").dtype == "int32"
    assert jnp.matmul(jnp.ones((2, 2), int), jnp.ones((2, 2), "float16")).dtype == "float16"
    traces = [jnp.trace(jnp.ones((2, 2), d)).dtype.name for d in ("int8", "uint8", "bool", "bfloat16")]
    assert traces == ["int32", "uint32", "int32", "bfloat16"]
    assert jnp.dot(1.0, 2.0).type.weak_type and not jnp.dot(1.0, jnp.ones(())).type.weak_type


def test_precision_is_recorded():
    x = jnp.ones((2, 2))
    show = lambda f: str(G.make_jaxpr(f)(x))
    assert "precision=(Precision.HIGHEST, Precision.HIGHEST)" in show(lambda x: jnp.matmul(x, x, precision="highest"))
    assert "precision=(Precision.HIGH, Precision.DEFAULT)" in show(lambda x: jnp.einsum("ij,jk", x, x, precision=("high", "default")))
    with G.default_matmul_precision("float32"):
        assert "HIGHEST" in show(lambda x: jnp.dot(x, x))
    assert "precision" not in show(lambda x: jnp.dot(x, x))
    with pytest.raises(ValueError, match="'foo'"):
        jnp.dot(x, x, precision="foo")
    assert "precision=BF16_BF16_F32" in show(lambda x: jnp.dot(x, x, precision="BF16_BF16_F32"))


EINSUMS = [
    ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk->ki", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)),
    ("bhqd,bhkd->bhqk", (2, 3, 4, 5), (2, 3, 6, 5)),
    ("bhqk,bhkd->bqhd", (2, 3, 4, 5), (2, 3, 5, 6)), ("ii->i", (3, 3)), ("ii", (3, 3)), ("ij->ji", (2, 3)), ("ij->", (2, 3)),
    ("iij->ji", (2, 2, 3)),
    ("iji->j", (2, 3, 2)), ("i,j->ij", (2,), (3,)), ("i,i->i", (3,), (3,)), ("ijk,jl->kl", (2, 3, 4), (3, 5)),
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 5)),
    ("...ij,...jk->...ik", (2, 2, 3), (3, 4)), ("...ij,jk", (2, 2, 3), (3, 4)), ("i...,i...", (2, 3), (2, 3)), ("ij,->ij", (2, 3), ()),
    ("a,b,c,d->abcd", (2,), (3,), (2,), (1,)), ("ij,ij,ij->", (2, 3), (2, 3), (2, 3)), ("iij,jk->ik", (2, 2, 3), (3, 4)),
    ("ab,cb->ac", (2, 3), (4, 3)),
    ("...->...", (2, 3)), ("ij,jk->ik", (2, 1), (1, 4)), ("i j , j k -> i k", (2, 3), (3, 4)), ("ba", (2, 3)),
    ("zZ,ZA->zA", (2, 3), (3, 4)),
    ("ij,jk,k->i", (0, 3), (3, 4), (4,)),
]


@pytest.mark.parametrize("subscripts, shapes", [(s, shapes) for s, *shapes in EINSUMS], ids=[s for s, *_ in EINSUMS])
def test_einsum(subscripts, shapes):
    operands = [N(shape, seed=i) for i, shape in enumerate(shapes)]
    expected = np.einsum(subscripts, *operands)
    np.testing.assert_allclose(jnp.einsum(subscripts, *operands), expected, rtol=1e-6)
    np.testing.assert_allclose(G.jit(lambda *xs: jnp.einsum(subscripts, *xs))(*operands), expected, rtol=1e-6)


def test_einsum_forms():
    a, b = N((2, 3)), N((3, 4))
    for arguments in ([a, [0, 1], b, [1, 2], [0, 2]], [a, [0, 1], b, [1, 2]], [a, [Ellipsis, 1], b, [1, 2], [Ellipsis, 2]],
                      [a, [30, 5], b, [5, 2]]):
        np.testing.assert_allclose(jnp.einsum(*arguments), np.einsum(*arguments))
    np.testing.assert_allclose(jnp.einsum("ij,jk->ik", N((2, 1)), b), N((2, 1)).sum(1)[:, None] * b.sum(0))
    path, report = jnp.einsum_path("ij,jk,kl->il", a, b, N((4, 5)))
    assert path == [(0, 1), (0, 1)] and "jk" in str(report)
    c = N((4, 2))
    for optimize in (True, False, "greedy", [(1, 2), (0, 1)], "auto"):
        np.testing.assert_allclose(jnp.einsum("ij,jk,kl", a, b, c, optimize=optimize), a @ b @ c)
    assert jnp.einsum("ij,jk", a.astype("int8"), b.astype("int8"), preferred_element_type="int32").dtype == "int32"
    assert jnp.einsum("ij->i", jnp.ones((2, 2), "bfloat16"), preferred_element_type="float32").dtype == "float32"
    assert jnp.einsum("i,i", N((3,), "int32"), N((3,), "float16")).dtype == "float16"


@given(st.data())
def test_einsum_of_random_subscripts(data):
    letters = "abcd"
    sizes = {c: data.draw(st.integers(1, 3)) for c in letters}
    terms = data.draw(st.lists(st.text(letters, max_size=3), min_size=1, max_size=3))
    used = sorted(set("".join(terms)))
    out = "".join(data.draw(st.permutations(used))[:data.draw(st.integers(0, len(used)))])
    operands = [N(tuple(sizes[c] for c in term), seed=i) for i, term in enumerate(terms)]
    subscripts = f"{','.join(terms)}->{out}"
    np.testing.assert_allclose(jnp.einsum(subscripts, *operands), np.einsum(subscripts, *operands), rtol=1e-5)


def test_einsum_is_planned_once():
    q = jnp.ones((2, 3, 4, 5))
    program = G.make_jaxpr(lambda q: jnp.einsum("bhqd,bhkd->bhqk", q, q))(q)
    assert str(program) == """\
{ lambda ; a:f32[2,3,4,5]. let
    b:f32[2,3,4,4] = dot_general[
      dimension_numbers=(([3], [3]), ([0, 1], [0, 1]))
      preferred_element_type=float32
    ] a a
  in (b,) }"""


@pytest.mark.parametrize("subscripts, shapes, axis", [("bij,jk->bik", [(4, 2, 3), (3, 2)], (0, None)),
                                                      ("ij,bjk->bik", [(2, 3), (4, 3, 2)], (None, 0)),
                                                      ("bij,bjk->bik", [(4, 2, 3), (4, 3, 2)], (0, 0))])
def test_vmap_of_einsum(subscripts, shapes, axis):
    a, b = (N(s, seed=i) for i, s in enumerate(shapes))
    np.testing.assert_allclose(G.vmap(lambda a, b: jnp.einsum("ij,jk->ik", a, b), axis)(a, b), np.einsum(subscripts, a, b))


def test_vmap_of_vdot():
    x, y = N((3, 2)), N((3,))
    np.testing.assert_allclose(G.vmap(jnp.vdot, (1, None), 0)(x, y), x.T @ y)
    np.testing.assert_allclose(G.vmap(jnp.vdot, (None, 1), 0)(y, x), x.T @ y)


def test_gradients():
    a, b = N((2, 3)), N((3, 4), seed=1)
    da, db = G.grad(lambda a, b: (jnp.matmul(a, b) ** 2).sum(), (0, 1))(a, b)
    np.testing.assert_allclose(da, 2 * (a @ b) @ b.T)
    np.testing.assert_allclose(db, 2 * a.T @ (a @ b))
    np.testing.assert_allclose(G.grad(lambda x: jnp.trace(jnp.matmul(x, x)))(N((3, 3))), 2 * N((3, 3)).T)
    np.testing.assert_allclose(G.grad(lambda v: (jnp.diag(v, 1) * jnp.ones((4, 4))).sum())(N((3,))), np.ones(3))
    np.testing.assert_allclose(G.grad(lambda m: jnp.einsum("ii->i", m).sum())(N((3, 3))), np.eye(3))
    np.testing.assert_allclose(G.grad(lambda m: (jnp.diagonal(m, 1) * jnp.arange(1.0, 3)).sum())(N((3, 3))), np.diag([1, 2], 1))


@pytest.mark.parametrize("shape, value, wrap", [((3, 3), 7.0, False), ((5, 3), 7.0, False), ((7, 3), 7.0, True), ((3, 5), 7.0, False),
                                                ((2, 2, 2), 7.0, False),
                                                ((4, 4), np.float32([1, 2]), False), ((3, 3), np.float32([1, 2, 3, 4, 5]), False)], ids=str)
def test_fill_diagonal(shape, value, wrap):
    x = N(shape)
    expected = x.copy()
    np.fill_diagonal(expected, value, wrap)
    np.testing.assert_array_equal(G.jit(lambda x: jnp.fill_diagonal(x, value, wrap, inplace=False))(x), expected)
    np.testing.assert_array_equal(jnp.fill_diagonal(x, value, wrap, inplace=False), expected)


def test_indices_of_triangles():
    for n, k, m in ((3, 0, None), (3, 1, 4), (4, -1, 2)):
        same("tril_indices", n, k, m, jit=False)
        same("triu_indices", n, k, m, jit=False)
    same("tril_indices_from", N((3, 4)), 1, jit=False, exact_dtype=False)
    same("triu_indices_from", N((3, 4)), jit=False, exact_dtype=False)
    same("diag_indices", 3, 3, jit=False)
    same("diag_indices_from", N((3, 3)), jit=False, exact_dtype=False)
    np.testing.assert_array_equal(jnp.mask_indices(3, jnp.triu, 1), np.mask_indices(3, np.triu, 1))
    np.testing.assert_array_equal(jnp.mask_indices(2, jnp.triu, size=4), [[0, 0, 1, 0], [0, 1, 1, 0]])
    assert jnp.tril_indices(3)[0].dtype == "int32"
    np.testing.assert_array_equal(G.jit(lambda: jnp.tril_indices(3)[1])(), np.tril_indices(3)[1])
    np.testing.assert_array_equal(G.jit(jnp.tril)(N((3, 3)), 1), np.tril(N((3, 3)), 1))


@pytest.mark.parametrize("call, error, text", [
    (lambda: jnp.matmul(N((2, 3)), N((4, 5))), TypeError, "matmul sums over dimension 1 of the first operand"),
    (lambda: jnp.matmul(1.0, N((2, 3))), ValueError, "operand 0 has type float32"),
    (lambda: jnp.matmul(N((2, 2, 3)), N((3, 3, 4))), ValueError, "do not broadcast"),
    (lambda: jnp.matmul([1], [2]), TypeError, "matmul requires ndarray or scalar arguments, got <class 'list'> at position 0"),
    (lambda: jnp.dot(N((2, 3)), N((2, 3))), TypeError, "dot sums over dimension 1"),
    (lambda: jnp.tensordot(N((2, 3)), N((4, 3)), 1), TypeError, "tensordot sums over"),
    (lambda: jnp.tensordot(N((2,)), N((2,)), 2), TypeError, "at least as many dimensions"),
    (lambda: jnp.tensordot(N((2,)), N((2,)), ([0], [])), TypeError, "as many axes"),
    (lambda: jnp.cross(N((4,)), N((4,))), ValueError, "2 or 3 components"),
    (lambda: jnp.vecdot(N((2,)), N((3,))), TypeError, "vecdot sums over"),
    (lambda: jnp.matvec(N((2,)), N((2,))), ValueError, "matrices and vectors"),
    (lambda: jnp.matvec(N((2, 3)), N((2,))), TypeError, "as the matrices have columns"),
    (lambda: jnp.einsum("ij,jk", N((2, 3))), ValueError, "1 operands for the subscripts 'ij,jk', which name 2"),
    (lambda: jnp.einsum("ijk", N((2, 3))), ValueError, "operand of 2 dimensions at position 0"),
    (lambda: jnp.einsum("ij,jk", N((2, 3)), N((2, 3))), ValueError, "index 'j' with sizes 3 and 2"),
    (lambda: jnp.einsum("ii", N((2, 3))), ValueError, "index 'i'"),
    (lambda: jnp.einsum("ij->ik", N((2, 3))), ValueError, "each index once and only those of operands"),
    (lambda: jnp.einsum("ij->ii", N((2, 3))), ValueError, "each index once"),
    (lambda: jnp.einsum("ij", N((2, 3)), out=N((2, 3))), G.errors.Refused, "out"),
    (lambda: jnp.diag(N((2, 2, 2))), ValueError, "vector or a matrix"),
    (lambda: jnp.diagonal(N((2,))), ValueError, "at least 2 dimensions"),
    (lambda: jnp.diagonal(N((2, 2)), 0, 1, 1), ValueError, "two different axes"),
    (lambda: jnp.fill_diagonal(N((2, 2)), 1), G.errors.Refused, "inplace=False"),
    (lambda: jnp.trace(N((2, 2)), out=1), G.errors.Refused, "out"),
], ids=lambda x: "")
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_sharded_products():
    explicit = (G.sharding.AxisType.Explicit,) * 2
    mesh, P = G.make_mesh((4, 2), ("x", "y"), axis_types=explicit), G.sharding.PartitionSpec
    with G.sharding.set_mesh(mesh):
        a, b = jnp.ones((8, 2), out_sharding=P("x", None)), jnp.ones((2, 4), out_sharding=P(None, "y"))
        assert str(jnp.matmul(a, b).type) == "float32[8@x,4@y]" and str(jnp.einsum("ij,jk->ki", a, b).type) == "float32[4@y,8@x]"
        assert str(jnp.matmul(a, b, out_sharding=P(None, None)).type) == "float32[8,4]"
        assert str(jnp.einsum("aij,jk->kai", a.reshape(1, 8, 2), b, out_sharding=P("y", None, None)).type) == "float32[4@y,1,8]"
        c = jnp.ones((2, 8), out_sharding=P(None, "x"))
        with pytest.raises(G.errors.ShardingTypeError, match="ambiguous"):
            jnp.matmul(c, a)
        np.testing.assert_array_equal(jnp.matmul(c, a, out_sharding=P()), np.full((2, 2), 8))
