"""sharding_constraint under the transforms: it moves numbers about and leaves them as they are. Callbacks among sharded
values."""
import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon.sharding import AxisType, NamedSharding, PartitionSpec as P

X = np.arange(32, dtype="f4").reshape(8, 4)


@pytest.fixture
def mesh():
    return gnomon.make_mesh((4,), ("x",), axis_types=(AxisType.Auto,))


def test_sharding_constraint(mesh):
    wanted = NamedSharding(mesh, P("x", None))

    def f(x):
        return gnomon.with_sharding_constraint(jnp.sin(x), wanted) * 2

    out = gnomon.jit(f)(gnomon.device_put(X, NamedSharding(mesh, P(None, "x"))))
    np.testing.assert_allclose(np.asarray(out), np.sin(X) * 2, rtol=1e-6)
    assert "sharding_constraint" in str(gnomon.make_jaxpr(f)(X))
    slopes = gnomon.jit(gnomon.grad(lambda x: f(x).sum()))(X)
    np.testing.assert_allclose(np.asarray(slopes), 2 * np.cos(X), rtol=1e-6, atol=1e-6)
    lanes = gnomon.jit(gnomon.vmap(f, in_axes=1, out_axes=1))(np.stack([X, 2 * X], 1))
    np.testing.assert_allclose(np.asarray(lanes)[:, 1], 2 * np.sin(2 * X), rtol=1e-6)


@pytest.mark.parametrize("kind", [AxisType.Auto, AxisType.Explicit])
def test_callbacks_see_whole_arrays(kind):
    mesh, seen = gnomon.make_mesh((4,), ("x",), axis_types=(kind,)), []

    def look(x):
        seen.append(np.asarray(x))
        return x * 2

    @gnomon.jit
    def f(x):
        return gnomon.pure_callback(look, gnomon.ShapeDtypeStruct(x.shape, x.dtype), x) + 1

    out = f(gnomon.device_put(X, NamedSharding(mesh, P("x"))))
    np.testing.assert_array_equal(np.asarray(out), X * 2 + 1)
    assert len(seen) == 1 and seen[0].shape == X.shape
