"""What the laws compute with: programs as functions on NumPy arrays, compiled by XLA or run op by op."""
import numpy as np

from gnomon.ir.check import check
from gnomon.ir.jaxpr import intern
from gnomon.lower.module import write_module
from gnomon.lower.plan import Plan
from gnomon.run.client import devices
from gnomon.run.compile import compile
from gnomon.run.eager import evaluate
from gnomon.run.execute import make_call
from gnomon.run.transfer import put
from gnomon.run.xla import QUICK_COMPILE
from gnomon.trace.build import program
from gnomon.trace.stage import bind
from gnomon.types.mesh import AxisType, Mesh
from gnomon.types.sharding import NamedSharding

__all__ = ["compiled", "evaluate", "executed", "host_array", "op_program", "program", "to_array"]


def op_program(op, types):
    """The program of one equation."""
    return program(types, lambda *xs: results(op, bind(op, *xs)))


def results(op, out):
    return list(out) if op.multiple else [out]


def to_array(x, t):
    """An Array of type `t` from a NumPy array; of keys, their words."""
    return put(np.ascontiguousarray(x).reshape(np.shape(x)), type=t)


def host_array(x):
    """The numbers of an Array, the words where it holds keys."""
    return x.host()


SOONER = (*QUICK_COMPILE, ("xla_backend_optimization_level", 0))       # slower code, ready in a third of the time


def executable(jaxpr, options=()):
    """The compiled program, remembered on it."""
    found = jaxpr.memo.get(("law", options))
    if found is None:
        text, callbacks = write_module(check(jaxpr))
        found = jaxpr.memo["law", options] = compile(text, Plan(host_callbacks=callbacks, compiler_options=options))
    return found


def compiled(jaxpr, options=()):
    """A program as a function from NumPy arrays to NumPy arrays."""
    jaxpr = intern(jaxpr)
    call = make_call(executable(jaxpr, options), jaxpr.out_types)

    def run(*arrays):
        return [host_array(y) for y in call([to_array(x, v.type) for x, v in zip(arrays, jaxpr.invars, strict=True)])]

    return run


def executed(jaxpr, arrays, options=()):
    """The results as XLA makes them, not as their types say."""
    jaxpr = intern(jaxpr)
    buffers = [to_array(x, v.type).buffer() for x, v in zip(arrays, jaxpr.invars, strict=True)]
    return [np.asarray(shard[0]) for shard in executable(jaxpr, options).call(buffers).disassemble_into_single_device_arrays()]


def on_devices(arrays, types, specs, count):
    """The arrays sharded over the one explicit axis of a mesh of so many devices."""
    mesh = Mesh(np.array(devices()[:count]), ("x",), (AxisType.Explicit,))
    return [put(to_array(x, t), NamedSharding(mesh, spec)) for x, t, spec in zip(arrays, types, specs)]
