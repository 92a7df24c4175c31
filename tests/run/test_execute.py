"""Compiled programs on arrays: results, places, donation, and what is said when a run fails."""
import gc
import threading
import weakref

import ml_dtypes
import numpy as np
import pytest

from gnomon.base.errors import JaxRuntimeError
from gnomon.base.settings import default_device
from gnomon.lower.plan import Plan
from gnomon.run import client
from gnomon.run.array import Array, from_numpy
from gnomon.run.compile import compile
from gnomon.run.execute import effects_barrier
from gnomon.run.transfer import follow, put
from gnomon.types.mesh import Mesh
from gnomon.types.sharding import NamedSharding, P, SingleDeviceSharding
from gnomon.types.value_type import ArrayType
from tests.run.hlo import array, call_of, donating, doubler, doubling, f32


@pytest.mark.parametrize("count", [0, 1, 2, 98])
def test_results_are_arrays_of_the_declared_types(count):
    types = [f32(4)] * count
    xs = [array(np.arange(4) + i) for i in range(count)]
    ys = doubler(*types)(xs)
    assert [y.type for y in ys] == types
    for x, y in zip(xs, ys):
        np.testing.assert_array_equal(y, 2 * np.asarray(x))
        assert not y.committed and y.placement is None


def test_weak_types_come_from_the_declaration():
    weak, = doubler(f32(weak_type=True))([from_numpy(np.float32(2), f32(weak_type=True))])
    assert repr(weak) == "Array(4., dtype=float32, weak_type=True)"


def test_an_argument_without_a_buffer_gets_one_once():
    x = from_numpy(np.arange(4, dtype="float32"), f32(4))
    call = doubler(f32(4))
    call([x])
    made = x._buffer
    assert made is not None
    call([x])
    assert x._buffer is made


def test_buffers_are_freed_with_their_arrays():
    y, = doubler(f32(4))([array(np.arange(4))])
    gone = weakref.ref(y)
    del y
    gc.collect()
    assert gone() is None


def test_a_result_is_read_without_a_copy():
    y, = doubler(f32(400))([array(np.arange(400))])
    assert np.asarray(y).__array_interface__["data"][0] == y.unsafe_buffer_pointer()
    assert np.asarray(y) is np.asarray(y)
    assert not np.asarray(y).flags.writeable


def test_bfloat16_is_read_without_a_copy_and_outlives_its_array():
    t = ArrayType((3,), np.dtype(ml_dtypes.bfloat16))
    y, = doubler(t)([put(np.array([1, 2, 3], ml_dtypes.bfloat16))])
    view, address = np.asarray(y), y.unsafe_buffer_pointer()
    assert view.__array_interface__["data"][0] == address and view.dtype == t.dtype
    del y
    gc.collect()
    np.testing.assert_array_equal(view.astype("float32"), [2, 4, 6])


# ---- donation

def donor(count, name="step", **plan):
    types = [f32(4)] * count
    return call_of(doubling(types, donating(count)), types, donated=tuple(range(count)), name=name, **plan)


def test_donated_arrays_are_deleted_and_say_so():
    x = array(np.arange(4))
    x.block_until_ready()
    y, = donor(1)([x])
    assert x.is_deleted() and not y.is_deleted()
    assert x.shape == (4,) and isinstance(x.sharding, SingleDeviceSharding)
    story = r"Array has been deleted with shape=float32\[4\]: it was donated to step"
    for use in (repr, np.asarray, Array.buffer, Array.host, lambda x: x.addressable_shards, lambda x: x.__dlpack__()):
        with pytest.raises(RuntimeError, match=story):
            use(x)
    with pytest.raises(RuntimeError, match="Array has been deleted"):
        x.block_until_ready()
    with pytest.raises(RuntimeError, match="Argument 1 of g cannot be used: " + story):
        doubler(f32(4), f32(4), name="g")([y, x])


def test_donation_reuses_the_memory_even_after_a_read():
    x, = doubler(f32(4000))([array(np.arange(4000))])
    np.asarray(x)
    address = x.unsafe_buffer_pointer()
    y, = call_of(doubling([f32(4000)], donating(1)), [f32(4000)], donated=(0,))([x])
    assert y.unsafe_buffer_pointer() == address


def test_donation_leaves_a_view_that_somebody_holds_alone():
    x, = doubler(f32(4))([array(np.arange(4))])
    view = np.asarray(x)
    y, = donor(1)([x])
    np.testing.assert_array_equal(view, [0, 2, 4, 6])
    np.testing.assert_array_equal(y, [0, 4, 8, 12])
    assert x.is_deleted()


def test_donation_leaves_the_users_numpy_array_alone():
    mine = np.arange(4, dtype="float32")
    x = put(mine)
    donor(1)([x])
    np.testing.assert_array_equal(mine, [0, 1, 2, 3])


def test_donating_an_array_twice_in_a_call(capfd):
    x = array(np.arange(4))
    with pytest.raises(JaxRuntimeError, match="step got the same array as arguments 0, 1"):
        donor(2)([x, x])


# ---- devices

def test_a_program_on_another_device_takes_its_arguments_there():
    device = client.devices()[3]
    y, = doubler(f32(4), devices=(device,))([array(np.arange(4))])
    np.testing.assert_array_equal(y, [0, 2, 4, 6])
    assert y.device is device and not y.committed
    z, = doubler(f32(4), devices=(device,), committed=True)([y])
    assert z.device is device and z.committed


def test_the_default_device_may_be_another_one():
    device = client.devices()[2]
    with default_device(device):
        x = array(np.arange(4))
        y, = doubler(f32(4))([x])
    assert x.device is y.device is device and not x.committed and not y.committed


def test_computation_follows_committed_arrays():
    first, second = client.devices()[1:3]
    loose, one, other = array([1]), array([2], target=first), array([3], target=second)
    assert follow([loose]) == ((), False)
    assert follow([loose, one]) == ((first,), True)
    with pytest.raises(ValueError, match=r"incompatible devices: x with shape float32\[1\] and device ids \[1\] on "
                                         r"platform CPU and y with shape float32\[1\] and device ids \[2\]"):
        follow([one, loose, other], lambda position: "x_y"[position])


@pytest.fixture
def mesh():
    return Mesh(np.array(client.devices()[:8]).reshape(4, 2), ("x", "y"))


SHARDED = """module @m attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func public @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %k: tensor<f32>)
      -> (tensor<8x4xf32>, tensor<8xf32>, tensor<f32>) {
    %kb = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %b = stablehlo.add %a, %kb : tensor<8x4xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %rows = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
    %all = stablehlo.reduce(%rows init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    return %b, %rows, %all : tensor<8x4xf32>, tensor<8xf32>, tensor<f32>
  }
}"""


def sharded_call(mesh, **plan):
    plan = dict(devices=tuple(mesh.device_list), num_partitions=8,
                in_shardings=(NamedSharding(mesh, P("x", "y")), None), committed=True) | plan
    return call_of(SHARDED, [f32(8, 4), f32(8), f32()], **plan)


def test_a_program_on_eight_devices(mesh):
    x = np.arange(32, dtype="float32").reshape(8, 4)
    call = sharded_call(mesh)
    one = array(1.0)
    for a in (put(x, NamedSharding(mesh, P("x", "y"))), put(x, NamedSharding(mesh, P("y"))), put(x)):
        whole, rows, total = call([a, one])
        np.testing.assert_array_equal(whole, x + 1)
        np.testing.assert_array_equal(rows, (x + 1).sum(1))
        assert float(total) == (x + 1).sum()
        assert whole.sharding is NamedSharding(mesh, P("x", "y"))
        assert rows.sharding is NamedSharding(mesh, P("x"))
        assert total.sharding is NamedSharding(mesh, P()) and total.is_fully_replicated
        assert whole.committed


def test_many_runs_with_collectives_do_not_starve_each_other(mesh):
    call = sharded_call(mesh)
    x = put(np.ones((8, 4), "float32"), NamedSharding(mesh, P("x", "y")))
    k = put(np.float32(1).reshape(()), NamedSharding(mesh, P()))
    results = []

    def work():
        for _ in range(60):
            total = call([x, k])[2]
        results.append(float(total))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert results == [64.0] * 3


def test_the_results_of_eight_devices_are_donated(mesh):
    sharding = NamedSharding(mesh, P("x"))
    header = ('module @m attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {\n'
              'sdy.mesh @mesh = <["x"=4, "y"=2]>\n')
    text = doubling([f32(8)], ['{sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, tf.aliasing_output = 0 : i32}'])
    call = call_of(header + text[text.index("func"):], [f32(8)], devices=tuple(mesh.device_list), num_partitions=8,
                   in_shardings=(sharding,), out_shardings=(sharding,), donated=(0,), name="step")
    x = put(np.arange(8, dtype="float32"), sharding)
    y, = call([x])
    np.testing.assert_array_equal(y, 2 * np.arange(8))
    assert x.is_deleted()


# ---- Python in programs

CALLBACK = """module @m {
  func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %b = stablehlo.custom_call @xla_ffi_python_cpu_callback(%a) {api_version = 4 : i32, has_side_effect = true,
      backend_config = {index = 0 : ui64}} : (tensor<4xf32>) -> tensor<4xf32>
    return %b : tensor<4xf32>
  }
}"""


def test_a_program_that_calls_python():
    seen = []

    def callback(x):
        seen.append(x.copy())
        return (np.sort(x)[::-1].copy(),)

    call = call_of(CALLBACK, [f32(4)], host_callbacks=(callback,))
    results = [call([array([3, 1, 2, i])]) for i in range(100)]
    effects_barrier()
    assert len(seen) == 100
    np.testing.assert_array_equal(results[9][0], [9, 3, 2, 1])


def test_an_exception_in_python_called_from_a_program(capfd):
    def callback(x):
        raise ValueError("no such luck")

    call = call_of(CALLBACK, [f32(4)], host_callbacks=(callback,), name="f")
    with pytest.raises(JaxRuntimeError, match="(?s)no such luck"):
        np.asarray(call([array([3, 1, 2, 4])])[0])
    with pytest.raises(ValueError, match="f calls back into Python"):
        compile(CALLBACK, Plan(host_callbacks=(callback,), name="f")).serialize()


# ---- compiling

def test_the_executable_tells_about_itself():
    executable = compile(doubling([f32(4)]), Plan(name="f"))
    assert executable.cost_analysis()["flops"] == 4
    assert executable.memory_analysis().argument_size_in_bytes == 16
    assert executable.as_text().startswith("HloModule doubling")
    assert executable.compile_seconds > 0 and not executable.from_cache
    assert repr(executable).startswith("<Executable f on cpu:0, compiled in ")


def test_compiler_options_reach_the_compiler():
    plan = Plan(compiler_options=(("xla_cpu_enable_fast_math", True),))
    assert compile(doubling([f32(4)]), plan).cost_analysis()["flops"] == 4
    with pytest.raises(JaxRuntimeError, match="Compiling f failed: the compiler has no option 'xla_fast'"):
        compile(doubling([f32(4)]), Plan(name="f", compiler_options=(("xla_fast", True),)))


def test_a_refused_program_shows_the_line():
    bad = doubling([f32(4)]).replace("add %a0", "addd %a0")
    with pytest.raises(JaxRuntimeError, match=r"Compiling main failed: .*addd.* in the line `%b0 = stablehlo\.addd"):
        compile(bad, Plan())


def test_calls_from_many_threads():
    call = doubler(f32(4), f32(4))
    shared = from_numpy(np.arange(4, dtype="float32"), f32(4))
    failures = []

    def work(number):
        for _ in range(200):
            a, b = call([shared, from_numpy(np.full(4, number, "float32"), f32(4))])
            if a.tolist() != [0, 2, 4, 6] or b.tolist() != [2 * number] * 4:
                failures.append((a, b))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
