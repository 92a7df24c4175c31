"""Two processes with two CPU devices each, and one program over all four."""
import os
import socket
import subprocess
import sys

import pytest

from gnomon.run import distributed

PROGRAM = """
import sys
import numpy as np
from gnomon.base.settings import config
from gnomon.run import client, distributed
config.update("num_cpu_devices", 2)
distributed.initialize()
from gnomon.run.transfer import make_array_from_callback, make_array_from_process_local_data
from gnomon.types.mesh import Mesh
from gnomon.types.sharding import NamedSharding, P
from tests.run.hlo import call_of, f32

assert (client.device_count(), client.local_device_count(), client.process_count()) == (4, 2, 2)
me = client.process_index()
mesh = Mesh(np.array(client.devices()), ("x",))
sharding = NamedSharding(mesh, P("x"))
x = make_array_from_callback((8,), sharding, lambda index: np.arange(8, dtype="float32")[index])
assert not x.is_fully_addressable and repr(x) == "Array(shape=(8,), dtype=float32)"
assert [s.data.tolist() for s in x.addressable_shards] == [[4 * me, 4 * me + 1], [4 * me + 2, 4 * me + 3]]
assert len(x.global_shards) == 4
try:
    np.asarray(x)
except RuntimeError as error:
    assert "spans devices of other processes" in str(error)
else:
    raise AssertionError("an array of other processes was read")
y = make_array_from_process_local_data(sharding, np.arange(4 * me, 4 * me + 4, dtype="float32"))
assert y.shape == (8,) and y.addressable_shards[0].data.tolist() == x.addressable_shards[0].data.tolist()
text = '''module @m attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<f32>, tensor<8xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %all = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %b = stablehlo.add %a, %a : tensor<8xf32>
    return %all, %b : tensor<f32>, tensor<8xf32>
  }
}'''
call = call_of(text, [f32(), f32(8)], devices=tuple(mesh.device_list), num_partitions=4, in_shardings=(sharding,))
for _ in range(20):
    total, double = call([x])
assert float(total) == 28 and total.is_fully_replicated
assert double.addressable_data(1).tolist() == [8 * me + 4, 8 * me + 6]
print("done")
"""


def free_port():
    with socket.socket() as s:
        s.bind(("localhost", 0))
        return s.getsockname()[1]


def test_two_processes():
    address = f"localhost:{free_port()}"
    runs = [subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env=os.environ | {"GNOMON_COORDINATOR_ADDRESS": address, "GNOMON_NUM_PROCESSES": "2",
                                               "GNOMON_PROCESS_ID": str(process)}) for process in range(2)]
    try:
        outputs = [run.communicate(timeout=120) for run in runs]
    finally:
        for run in runs:
            run.kill()
    for run, (out, error) in zip(runs, outputs):
        assert run.returncode == 0, error
        assert out.endswith("done\n")


@pytest.mark.parametrize("arguments, message", [
    ({}, "needs coordinator_address: give it as an argument or set GNOMON_COORDINATOR_ADDRESS"),
    (dict(coordinator_address="localhost"), "'host:port'"),
    (dict(process_id=2), "from 0 to num_processes - 1 = 1, got 2"),
])
def test_arguments_that_are_refused(arguments, message):
    if arguments:
        arguments = dict(coordinator_address="localhost:1", num_processes=2, process_id=0) | arguments
    with pytest.raises(ValueError, match=message):
        distributed.initialize(**arguments)
    assert not distributed.is_initialized()
