"""Types, values and recorded programs of array making, manipulation and products, beside JAX's."""
import numpy as np
import pytest

import gnomon as G
import gnomon.numpy as jnp

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]

# what both evaluate, with `jnp`, `np`, and the arrays v (5,), m (2, 3), i (int32), w (a weak scalar)
EXPRESSIONS = """
jnp.array(1.0) ; jnp.array(1) ; jnp.array(True) ; jnp.array(1j) ; jnp.array(1.0, 'float32') ; jnp.array([1, 2.]) ; jnp.array([])
jnp.array([np.float16(1), 2.0]) ; jnp.array([np.ones(2, np.float16), np.ones(2, np.int32)]) ; jnp.array([w, 2])
jnp.array([[w, 1], [2, 3]])
jnp.asarray(np.float64(1)) ; jnp.asarray(w) ; jnp.array(w, float) ; jnp.array(1.0, ndmin=2) ; jnp.array(1.5, 'int32')
jnp.array([0.5], bool)
jnp.zeros(3) ; jnp.zeros((2, 3), 'int8') ; jnp.full(3, 1.0) ; jnp.full(3, 1) ; jnp.full(2, True) ; jnp.full(3, w)
jnp.full((2, 3), np.arange(3, dtype='int32'))
jnp.full_like(i, 1.5) ; jnp.full_like(w, 2) ; jnp.zeros_like(1) ; jnp.ones_like(w, dtype='float32') ; jnp.ones_like(i, shape=(2,))
jnp.empty_like(1.0)
jnp.arange(3) ; jnp.arange(3.0) ; jnp.arange(0, 1, 0.1) ; jnp.arange(np.int8(3)) ; jnp.arange(5, 0, -2)
jnp.arange(3, dtype='complex64') ; jnp.arange(0, 3, 1.0)
jnp.linspace(0, 1, 5) ; jnp.linspace(0, 10, 5, dtype='int32') ; jnp.linspace(np.float16(0), 1, 3).dtype ; jnp.linspace(0, 1j, 3)
jnp.linspace(v, 1, 3, axis=-1)
jnp.logspace(0, 2, 3) ; jnp.logspace(0, 2, 3, dtype=int) ; jnp.eye(2, 3, 1) ; jnp.eye(2, dtype=bool) ; jnp.tri(2, 3, -1, dtype=int)
jnp.indices((2, 3))
jnp.meshgrid(i, v) ; jnp.meshgrid(i, v, sparse=True, indexing='ij') ; jnp.mgrid[0:2, 0:1:0.5] ; jnp.ogrid[0:2, 0:3] ; jnp.r_[1, 2, 3]
jnp.r_[0:1:3j, 5] ; jnp.c_[v, v]
jnp.copy(1.0) ; jnp.astype(w, 'int32') ; jnp.astype(jnp.array([300., -1, np.nan]), 'uint8') ; jnp.astype(i, None)
jnp.frombuffer(b'1234', dtype='uint8')
jnp.concatenate([v, i[:2]]) ; jnp.stack([w, 2]) ; jnp.stack([1, 2]) ; jnp.append(w, 1) ; jnp.hstack([w, i]) ; jnp.block([[m, m], [m, m]])
jnp.vstack([v, i[0]] and [v, v])
jnp.tile(i, 2) ; jnp.repeat(m, 2, axis=1) ; jnp.repeat(v, np.array([1, 2, 0, 1, 0]), total_repeat_length=7)
jnp.roll(m, (1, 2), axis=(0, 1)) ; jnp.resize(v, (2, 4))
jnp.insert(i, 1, 7) ; jnp.delete(i, np.array([0, -1])) ; jnp.pad(i, (3, 2), mode='mean')
jnp.pad(i, (1, 2), mode='linear_ramp', end_values=(0, 10)) ; jnp.pad(i, 1, constant_values=2.7)
jnp.matmul(m, m.T) ; jnp.matmul(i, i) ; jnp.dot(w, v) ; jnp.dot(2, 3) ; jnp.inner(i, v) ; jnp.outer(i, v) ; jnp.kron(m, i[:2])
jnp.cross(v[:3], v[1:4]) ; jnp.vdot(m * 1j, m)
jnp.trace(m.astype('int8')) ; jnp.trace(m > 1) ; jnp.trace(m.astype('uint8')) ; jnp.einsum('ij,kj', m, m)
jnp.einsum('ij->j', i.reshape(1, -1)) ; jnp.tensordot(m, m, 2)
jnp.tril(m > 0) ; jnp.diag(v, 1) ; jnp.diagonal(m, 1) ; jnp.vander(i) ; jnp.tril_indices(3) ; jnp.packbits(i)
jnp.unpackbits(i.astype('uint8'))
jnp.isclose(w, 1) ; jnp.allclose(i, i + 1) ; jnp.array_equal(v, m) ; jnp.vectorize(lambda a, b: a * b)(v, 2)
jnp.apply_along_axis(jnp.sum, 1, m)
"""
CASES = [e.strip() for line in EXPRESSIONS.strip().splitlines() for e in line.split(" ; ")]


def evaluated(expression, module, text):
    names = {"jnp": module, "np": np, "v": module.arange(5.0) + 1, "m": module.arange(6.0).reshape(2, 3), "i": module.arange(1, 6),
             "w": module.array(1.0)}
    out = eval(expression, names)
    return [(text(x), np.asarray(x)) if hasattr(x, "aval") else (str(x), None) for x in (out if isinstance(out, (tuple, list)) else [out])]


@pytest.mark.parametrize("expression", CASES)
def test_same_type_and_numbers(peer, expression):
    ours = evaluated(expression, jnp, lambda x: x.type.short() + "*" * x.weak_type)
    theirs = evaluated(expression, peer.numpy, lambda x: x.aval.str_short(short_dtypes=True) + "*" * x.weak_type)
    assert [a for a, _ in ours] == [a for a, _ in theirs]
    for (_, a), (_, b) in zip(ours, theirs):
        if a is not None:
            np.testing.assert_allclose(a, b, rtol=2e-6)


PROGRAMS = """
a @ b : (2,3) (3,4) ; a @ b : (5,2,3) (3,4) ; a @ b : (2,3) (5,3,4) ; a @ b : (5,1,2,3) (6,3,4) ; a @ b : (3,) (5,3,4)
jnp.dot(a, b) : (2,5,3) (4,3,2)
jnp.inner(a, b) : (2,3) (4,3) ; jnp.tensordot(a, b) : (2,3,4) (3,4,5) ; jnp.outer(a, b) : (3,) (4,) ; jnp.vdot(a, b) : (2,3) (2,3)
jnp.einsum('bhqd,bhkd->bhqk', a, b) : (2,3,4,5) (2,3,6,5) ; jnp.einsum('bhqk,bhkd->bqhd', a, b) : (2,3,4,5) (2,3,5,6)
jnp.einsum('ij,jk->ki', a, b) : (2,3) (3,4)
jnp.einsum('ijk,jl->kl', a, b) : (2,3,4) (3,5) ; jnp.einsum('ij,ij->', a, b) : (2,3) (2,3) ; jnp.einsum('i,i->i', a, b) : (2,) (2,)
jnp.einsum('ij,jk->ik', a, b) : (2,1) (3,4)
jnp.reshape(a, (3, -1)) : (2,3) ; jnp.transpose(a) : (2,3) ; jnp.moveaxis(a, 0, -1) : (2,3,4) ; jnp.broadcast_to(a, (2,3)) : (3,)
jnp.expand_dims(a, 0) : (3,)
jnp.concatenate([a, b]) : (2,) (3,) ; jnp.zeros((2, 3)) : ; jnp.ones_like(a) : (2,) ; jnp.arange(3) : ; jnp.arange(1, 9, 3) :
jnp.full((2,), a) : ()
jnp.repeat(a, 2) : (3,) ; jnp.squeeze(a) : (1,3)
"""


@pytest.mark.parametrize("case", [c.strip() for line in PROGRAMS.strip().splitlines() for c in line.split(" ; ")])
def test_same_program(peer, case):
    expression, _, shapes = case.partition(" :")
    shapes = [eval(s) for s in shapes.split()]

    def program(root, module):
        function = lambda *args: eval(expression, {"jnp": module, "a": args[0] if args else None, "b": args[1] if args[1:] else None})
        return "\n".join(line.rstrip() for line in str(root.make_jaxpr(function)(*[module.ones(s) for s in shapes])).splitlines())
    assert program(G, jnp) == program(peer, peer.numpy)
