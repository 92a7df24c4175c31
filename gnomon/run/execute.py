"""make_call(executable, out_types, plan): what runs a compiled program, many times.

A call takes a list of arrays and gives a list of arrays. For programs on one device it is as short as it can be:
collect the buffers, run, wrap the results. What can go wrong is looked at only after it went wrong.
"""
from __future__ import annotations

import atexit
import itertools
import threading
from collections import deque

from gnomon.base.errors import JaxRuntimeError
from gnomon.base.source import PACKAGE
from gnomon.run import xla
from gnomon.run.array import Array, Deleted, base_type
from gnomon.run.partition import sharding_from_hlo
from gnomon.run.placement import Placement, default_placement, placement
from gnomon.run.transfer import place
from gnomon.types.memory import DEVICE
from gnomon.types.sharding import NamedSharding, SingleDeviceSharding

FAILURES = (TypeError, xla.RuntimeFailure)  # of a run; TypeError: something that is no buffer stands for one


def make_call(executable, out_types, plan=None):
    """A function from a list of arrays to a list of arrays of types `out_types` that runs the program.

    Arguments have the types that the program was lowered for. Those that are elsewhere than the program runs are moved
    there. Arrays that the plan donates are deleted. RuntimeError if an argument was deleted before.
    """
    plan = executable.plan if plan is None else plan
    out_types = list(out_types)
    places = result_placements(executable, out_types, plan)
    handlers = [xla.result_handler(base_type(type), where or default_placement())
                for type, where in zip(out_types, places)]
    run = _keeping_order(executable, plan)
    if executable.devices == default_placement().devices:
        call = _call_on_default(run, handlers, out_types, places, plan)
    else:
        arguments = argument_placements(executable, plan)
        call = _call_on_others(run, handlers, out_types, places, arguments, plan)
    return _donating(call, plan) if plan.donated else call


# ---- where arguments and results are ----------------------------------------------------------------------------

def result_placements(executable, out_types, plan) -> list[Placement | None]:
    """Where each result is, as in `Array.placement`."""
    shardings = plan.out_shardings or (None,) * len(out_types)
    partitions = (out_types and executable.result_partitions()) or (None,) * len(out_types)
    places = []
    for type, sharding, partition in zip(out_types, shardings, partitions, strict=True):
        committed = plan.committed or sharding is not None
        if sharding is None:
            sharding = _sharding(executable, partition, type.shape, type.memory or DEVICE)
        where = placement(sharding, committed)
        places.append(None if where is default_placement() else where)
    return places


def argument_placements(executable, plan):
    """For each argument its placement and the set of the shardings known to be as good."""
    if len(executable.devices) == 1:
        where = placement(SingleDeviceSharding(executable.devices[0]))
        return itertools.repeat((where, {where.sharding}))
    partitions = executable.argument_partitions()
    shardings = plan.in_shardings or (None,) * len(partitions)
    places = [placement(_sharding(executable, partition, None, None) if sharding is None else sharding)
              for sharding, partition in zip(shardings, partitions, strict=True)]
    return [(where, {where.sharding}) for where in places]


def _sharding(executable, partition, shape, memory_kind):
    devices = executable.devices
    if len(devices) == 1:
        return SingleDeviceSharding(devices[0], memory_kind)
    ndim = tiled_dimensions(partition) if shape is None else len(shape)
    return sharding_from_hlo(partition, plan_mesh(executable.plan), devices, ndim, memory_kind)


def tiled_dimensions(partition):
    """How many dimensions of an array a partition speaks of; a last one may count copies."""
    return partition.num_dimensions() - (partition.is_tiled() and partition.replicate_on_last_tile_dim())


def plan_mesh(plan):
    """The mesh whose axes name what the compiler chose: the plan's, or that of its first sharding with a mesh."""
    if plan.mesh is not None:
        return plan.mesh
    shardings = (plan.in_shardings or ()) + (plan.out_shardings or ())
    return next((sharding.mesh for sharding in shardings if isinstance(sharding, NamedSharding)), None)


# ---- calls ------------------------------------------------------------------------------------------------------

def _call_on_default(run, handlers, out_types, places, plan):
    """Calls of programs on the default device, the shortest path there is.

    Arrays without a buffer get one; no other check is made before the run.
    """
    if any(places):
        def call(arrays):
            try:
                results = run([array.buffer() if (buffer := array._buffer) is None else buffer for array in arrays]
                              ).consume_with_handlers(handlers)
            except FAILURES as error:
                raise run_error(plan, arrays, error) from None
            return list(map(Array, out_types, results, places))

    elif len(out_types) == 1:
        out_type, = out_types

        def single(array):
            buffer = array._buffer
            try:
                result, = run([array.buffer() if buffer is None else buffer]).consume_with_handlers(handlers)
            except FAILURES as error:
                raise run_error(plan, [array], error) from None
            return Array(out_type, result)

        def one(arrays):
            try:
                result, = run([array.buffer() if (buffer := array._buffer) is None else buffer for array in arrays]
                              ).consume_with_handlers(handlers)
            except FAILURES as error:
                raise run_error(plan, arrays, error) from None
            return Array(out_type, result)

        def call(arrays):
            return [one(arrays)]

        call.one, call.single = one, single     # the result by itself, of a list of arrays and of one array

    else:
        def call(arrays):
            try:
                results = run([array.buffer() if (buffer := array._buffer) is None else buffer for array in arrays]
                              ).consume_with_handlers(handlers)
            except FAILURES as error:
                raise run_error(plan, arrays, error) from None
            return list(map(Array, out_types, results))

    return call


def _call_on_others(run, handlers, out_types, places, arguments, plan):
    """Calls of programs on several devices, or on another than the default one.

    `arguments` says where each argument has to be; those that are elsewhere are moved.
    """
    def call(arrays):
        buffers = []
        for array, (where, known) in zip(arrays, arguments):
            here = (array.placement or default_placement()).sharding
            if here in known:
                buffer = array._buffer
                buffers.append(array.buffer() if buffer is None else buffer)
            elif here.is_equivalent_to(where.sharding, len(array.type.shape)):
                known.add(here)
                buffers.append(array.buffer())
            else:
                buffers.append(place(array, where).buffer())
        try:
            results = run(buffers).consume_with_handlers(handlers)
        except FAILURES as error:
            raise run_error(plan, arrays, error) from None
        return list(map(Array, out_types, results, places))

    return call


def _donating(call, plan):
    gone = Deleted(f": it was donated to {plan.name}, which reused its memory. Use what {plan.name} returned, or do "
                   "not donate it")
    donated = plan.donated

    def donating_call(arrays):
        # A NumPy view kept for later reads would hold the memory, and XLA would copy it.
        for position in donated:
            array = arrays[position]
            if array._buffer is not None:
                array._host = None
        results = call(arrays)
        for position in donated:
            array = arrays[position]
            array._buffer, array._host = gone, None
        return results

    return donating_call


# ---- runs that must keep an order -------------------------------------------------------------------------------

_unfinished: deque = deque()     # tokens of runs that call Python
_last_collective = None          # token of the last run on several CPU devices
_order = threading.Lock()


def _keeping_order(executable, plan):
    """What runs the program: jaxlib's own function where nothing has to be kept in order.

    Runs on several CPU devices share one pool of threads, and two runs at once whose devices wait for each other can
    starve it for ever; so each waits for the one before. Runs that call Python are remembered for `effects_barrier`.
    """
    run = executable.loaded.execute_sharded
    if len(executable.devices) > 1 and executable.client.platform == "cpu":
        def run_after_the_last(buffers):
            global _last_collective
            with _order:
                if _last_collective is not None:
                    _last_collective.block_until_ready()
                    _last_collective = None
                results = run(buffers, True)
                _last_collective = results.consume_token()
            return results
        return run_after_the_last
    if executable.calls_python:
        def run_remembered(buffers):
            results = run(buffers, True)
            while _unfinished and len(_unfinished) > 64:
                _unfinished.popleft().block_until_ready()
            _unfinished.append(results.consume_token())
            return results
        return run_remembered
    return run


def effects_barrier():
    """Wait until every program that calls Python and was started has ended."""
    last = _last_collective
    if last is not None:
        last.block_until_ready()
    while _unfinished:
        _unfinished.popleft().block_until_ready()


atexit.register(effects_barrier)


# ---- what went wrong --------------------------------------------------------------------------------------------

def run_error(plan, arrays, error) -> Exception:
    """The error to raise for a run that failed, in the user's terms."""
    for position, array in enumerate(arrays):
        if type(array._buffer) is Deleted:
            gone = array._buffer.error(array.type)
            return RuntimeError(f"Argument {position} of {plan.name} cannot be used: {gone}")
    if not isinstance(error, xla.RuntimeFailure):
        return error
    reason = str(error)
    if "donated in the same call" in reason or "donate the same buffer twice" in reason:
        twice = [position for position, array in enumerate(arrays)
                 if any(other._buffer is array._buffer for i, other in enumerate(arrays) if i != position)]
        return JaxRuntimeError(f"{plan.name} got the same array as arguments {', '.join(map(str, twice))} and was to "
                               "reuse its memory. Pass a copy, or do not donate it.")
    python = reason.partition("error calling callback: ")[2]
    if python:
        return JaxRuntimeError(f"Python that {plan.name} called raised an error:\n{without_our_frames(python)}")
    return JaxRuntimeError(f"Running {plan.name} failed: {reason}")


def without_our_frames(text: str) -> str:
    """A traceback's text without what Gnomon did between the program and the user's function."""
    head, *frames = text.split("\n  File ")
    if not frames:
        return text
    last, _, tail = frames[-1].partition("\n")
    rest = tail.split("\n")
    code = [line for line in rest if line.startswith("    ")]
    after = [line for line in rest if not line.startswith("    ")]
    frames[-1] = "\n".join([last, *code])
    kept = [frame for frame in frames if not frame.startswith(f'"{PACKAGE}')]
    return "\n".join(["\n  File ".join([head, *kept]), *after])
