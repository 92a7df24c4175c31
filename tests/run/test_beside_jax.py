"""Gnomon and JAX in one process: whichever comes first, neither notices the other."""
import subprocess
import sys

import pytest

pytestmark = pytest.mark.peer

OURS = """
import numpy as np
from gnomon.base.settings import config
from gnomon.run import client
from gnomon.run.array import Array
from gnomon.run.transfer import put
from gnomon.types.mesh import Mesh
from gnomon.types.sharding import NamedSharding, P
from tests.run.hlo import array, doubler, f32
import jaxlib, ml_dtypes, sys
config.update("num_cpu_devices", 4)

def ours():
    before = "jax" in sys.modules
    x = array(np.arange(4))
    y, = doubler(f32(4))([x])
    assert y.tolist() == [0, 2, 4, 6] and repr(y) == "Array([0., 2., 4., 6.], dtype=float32)"
    assert y.unsafe_buffer_pointer() == np.asarray(y).__array_interface__["data"][0]
    half = put(np.ones(4, ml_dtypes.bfloat16))
    assert np.asarray(Array(half.type, half.buffer())).dtype == ml_dtypes.bfloat16
    if before or jaxlib.__version__ > "0.12":    # 0.10 reads packed dtypes by way of JAX where that is installed
        small = put(np.ones(4, ml_dtypes.int4))
        assert np.asarray(Array(small.type, small.buffer())).tolist() == [1] * 4
    mesh = Mesh(np.array(client.devices()), ("x",))
    z = put(np.arange(8, dtype="float32"), NamedSharding(mesh, P("x")))
    assert [s.data.tolist() for s in z.addressable_shards] == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert np.asarray(z).tolist() == list(range(8))
    r = put(np.arange(8, dtype="float32"), NamedSharding(mesh, P()))
    r.__class__(r.type, r.buffer(), r.placement)
    assert np.asarray(r).tolist() == list(range(8))
    y.delete()
    try:
        np.asarray(y)
    except RuntimeError as error:
        assert "Array has been deleted with shape=float32[4]" in str(error)
    else:
        raise AssertionError("a deleted array was read")
    assert ("jax" in sys.modules) == before
"""
THEIRS = """
def theirs():
    import jax, jax.numpy as jnp, numpy as np
    from jax.sharding import PartitionSpec as P, NamedSharding
    x = jnp.arange(4.)
    y = jax.jit(lambda x: x + x)(x)
    assert y.tolist() == [0, 2, 4, 6] and repr(y) == "Array([0., 2., 4., 6.], dtype=float32)"
    assert jax.grad(lambda x: (x ** 3).sum())(x).tolist() == [0, 3, 12, 27]
    assert y.addressable_shards[0].data.aval.shape == (4,)
    z = jax.device_put(np.arange(8.), NamedSharding(jax.make_mesh((1,), ("x",)), P("x")))
    assert z.addressable_shards[0].data.aval.shape == (8,)
    assert jnp.linalg.inv(2 * jnp.eye(4))[0, 0] == 0.5
    assert jnp.ones(4, jnp.bfloat16).addressable_data(0).aval.dtype == jnp.bfloat16
"""


@pytest.mark.parametrize("order", ["ours theirs", "theirs ours", "ours theirs ours theirs", "theirs ours theirs"])
def test_in_any_order(order):
    program = OURS + THEIRS + "\n".join(f"{name}()" for name in order.split())
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_arrays_pass_between_the_two_through_dlpack():
    program = OURS + """
import jax, jax.numpy as jnp
from gnomon.run.transfer import from_dlpack
theirs = jnp.arange(100.)
mine = from_dlpack(theirs)
assert mine.tolist() == theirs.tolist()
assert mine.unsafe_buffer_pointer() == theirs.unsafe_buffer_pointer()
back = jnp.from_dlpack(doubler(f32(100))([mine])[0])
assert back.tolist() == (2 * theirs).tolist()
assert from_dlpack(jnp.ones(3, jnp.bfloat16)).dtype == jnp.bfloat16
assert np.asarray(jnp.asarray(mine)).tolist() == theirs.tolist()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
