"""Foreign functions: a function in C, built against XLA's headers, called from programs."""
import ctypes
import shutil
import subprocess
import tempfile

import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon import ffi
from gnomon.errors import Refused

SOURCE = r"""
#include <stdint.h>
#include <string.h>
#include "xla/ffi/api/c_api.h"

/* out = by * x, for float32 numbers and an integer attribute `by`; a call without results counts itself */
static int64_t calls = 0;
int64_t call_count(void) { return calls; }

XLA_FFI_Error* scaled(XLA_FFI_CallFrame* frame) {
  __typeof__(frame->extension_start) extension = frame->extension_start;       /* its type has another name in later headers */
  if (extension && extension->type == XLA_FFI_Extension_Metadata) {
    XLA_FFI_Metadata* metadata = ((XLA_FFI_Metadata_Extension*)extension)->metadata;
    metadata->api_version.major_version = XLA_FFI_API_MAJOR;
    metadata->api_version.minor_version = XLA_FFI_API_MINOR;
    return NULL;
  }
  calls++;
  if (frame->rets.size == 0) return NULL;
  int64_t by = *(int64_t*)((XLA_FFI_Scalar*)frame->attrs.attrs[0])->value;
  XLA_FFI_Buffer* x = frame->args.args[0];
  XLA_FFI_Buffer* out = frame->rets.rets[0];
  int64_t size = 1;
  for (int64_t i = 0; i < out->rank; i++) size *= out->dims[i];
  for (int64_t i = 0; i < size; i++) ((float*)out->data)[i] = by * ((float*)x->data)[i];
  return NULL;
}
"""


@pytest.fixture(scope="module")
def library():
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    folder = tempfile.mkdtemp()
    with open(f"{folder}/scaled.c", "w") as file:
        file.write(SOURCE)
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", f"-I{ffi.include_dir()}", "-o", f"{folder}/scaled.so", f"{folder}/scaled.c"],
                   check=True)
    built = ctypes.CDLL(f"{folder}/scaled.so")
    ffi.register_ffi_target("test.scaled", ffi.pycapsule(built.scaled))
    yield built
    shutil.rmtree(folder)


def scaled(x, by=3, **options):
    return ffi.ffi_call("test.scaled", gnomon.ShapeDtypeStruct(x.shape, x.dtype), **options)(x, by=by)


X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_a_function_in_c_is_called(library):
    for run in (scaled, gnomon.jit(scaled), lambda x: scaled(x, input_output_aliases={0: 0})):
        np.testing.assert_array_equal(run(jnp.array(X)), 3 * X)
    np.testing.assert_array_equal(gnomon.jit(lambda x: scaled(x.T, by=np.int64(-2)))(X), -2 * X.T)     # row-major, whatever XLA prefers


@pytest.mark.parametrize("method", ["sequential", "sequential_unrolled", "expand_dims", "broadcast_all"])
def test_vmap_does_as_it_is_told(library, method):
    f = gnomon.vmap(lambda x: scaled(x, vmap_method=method), 1, 1)
    np.testing.assert_array_equal(f(X), 3 * X)
    np.testing.assert_array_equal(gnomon.jit(f)(X), 3 * X)


def test_a_rule_gives_it_a_derivative(library):
    triple = gnomon.custom_vjp(lambda x: scaled(x))
    triple.defvjp(lambda x: (scaled(x), ()), lambda _, ct: (scaled(ct),))
    np.testing.assert_array_equal(gnomon.grad(lambda x: (triple(x) * X).sum())(X), 3 * X)


def test_a_call_for_its_effect_stays(library):
    @gnomon.jit
    def f(x):
        ffi.ffi_call("test.scaled", (), has_side_effect=True)(x)
        return x + 1
    before = library.call_count()
    f(X).block_until_ready()
    gnomon.effects_barrier()
    assert library.call_count() == before + 1


def test_what_cannot_be_is_said():
    one = gnomon.ShapeDtypeStruct((), np.float32)
    cases = [
        (lambda: gnomon.grad(ffi.ffi_call("test.scaled", one))(1.0), Refused, "a foreign function has no derivative of its own"),
        (lambda: gnomon.vmap(ffi.ffi_call("test.scaled", one))(np.ones(2, "f4")), Refused, "cannot be batched without being told how"),
        (lambda: ffi.ffi_call("test.scaled", one)(1.0, by=object()), TypeError, "ffi_call: the attribute by of test.scaled cannot be handed over"),
        (lambda: ffi.ffi_call("test.scaled", one)("x"), TypeError, "ffi_call of test.scaled"),
        (lambda: ffi.ffi_call("test.scaled", one, vmap_method="no"), ValueError, "ffi_call: vmap_method must be one of"),
        (lambda: ffi.ffi_call("test.scaled", one, output_layouts=(0,)), Refused, "row-major order"),
        (lambda: ffi.ffi_call("test.missing", one)(1.0), gnomon.errors.JaxRuntimeError, "test.missing"),
        (lambda: ffi.ffi_lowering("x"), Refused, "call ffi_call"),
        (lambda: ffi.register_ffi_target(3, None), TypeError, "takes the name of a target, got 3"),
    ]
    for call, error, text in cases:
        with pytest.raises(error) as caught:
            call()
        assert text in str(caught.value)
