"""Several processes that compute together: each sees the devices of all, and programs span them."""
from __future__ import annotations

import atexit
import os

from gnomon.run import client, xla

VARIABLES = {"coordinator_address": "GNOMON_COORDINATOR_ADDRESS", "num_processes": "GNOMON_NUM_PROCESSES",
             "process_id": "GNOMON_PROCESS_ID"}


def initialize(coordinator_address: str | None = None, num_processes: int | None = None,
               process_id: int | None = None, *, initialization_timeout: int = 300,
               heartbeat_timeout_seconds: int = 100, shutdown_timeout_seconds: int = 300,
               coordinator_bind_address: str | None = None) -> None:
    """Join the other processes; call it once in each, before the first device is used.

    `coordinator_address` ("host:port") is where process 0 can be reached, `process_id` counts from 0. What is not given
    is read from the environment variables GNOMON_COORDINATOR_ADDRESS, GNOMON_NUM_PROCESSES and GNOMON_PROCESS_ID. Times
    are in seconds. ValueError if something is missing, RuntimeError if it is too late or done already.
    """
    given = dict(coordinator_address=coordinator_address, num_processes=num_processes, process_id=process_id)
    for name, variable in VARIABLES.items():
        if given[name] is None:
            given[name] = os.environ.get(variable)
        if given[name] is None:
            raise ValueError(f"distributed.initialize needs {name}: give it as an argument or set {variable}.")
    address, processes, process = given["coordinator_address"], int(given["num_processes"]), int(given["process_id"])
    if ":" not in address:
        raise ValueError(f"coordinator_address is 'host:port', got {address!r}.")
    if not 0 <= process < processes:
        raise ValueError(f"process_id is from 0 to num_processes - 1 = {processes - 1}, got {process}.")
    if is_initialized():
        raise RuntimeError("distributed.initialize was called before; call it once in each process.")
    if client.is_started():
        raise RuntimeError("distributed.initialize comes too late: the devices of this process have been made. Call it "
                           "before the first array is made or the first device is asked for.")
    cluster = client.cluster
    cluster.process_id, cluster.num_processes = process, processes
    times = dict(heartbeat_timeout=heartbeat_timeout_seconds, shutdown_timeout=shutdown_timeout_seconds)
    if process == 0:
        bind = coordinator_bind_address or "[::]:" + address.rpartition(":")[2]
        cluster.service = xla._jax.get_distributed_runtime_service(
            bind, processes, cluster_register_timeout=initialization_timeout, **times)
    runtime = xla._jax.get_distributed_runtime_client(
        address, process, init_timeout=initialization_timeout, use_compression=True, **times)
    try:
        runtime.connect()
    except xla.RuntimeFailure as error:
        raise RuntimeError(f"Process {process} could not join the coordinator at {address}: {error}") from None
    cluster.runtime = runtime
    atexit.register(shutdown)


def is_initialized() -> bool:
    """Whether this process has joined others."""
    return client.cluster.runtime is not None


def shutdown() -> None:
    """Leave the other processes. Waits until all of them do."""
    cluster = client.cluster
    if cluster.runtime is not None:
        cluster.runtime.shutdown()
        cluster.runtime = None
    if cluster.service is not None:
        cluster.service.shutdown()
        cluster.service = None
