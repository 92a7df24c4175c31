"""What JAX keeps under `jax.experimental`, as far as Gnomon has it."""
from gnomon.api.absent import Absent as _Absent
from gnomon.api.callback import io_callback
from gnomon.base.settings import enable_x64 as _enable_x64
from gnomon.types.dtype import tangent_dtype as primal_tangent_dtype

EArray = _Absent("experimental.EArray", "arrays of a user's own dtypes are not there; use a pytree of arrays")


def enable_x64(new_val: bool = True):
    """Context manager: 64-bit dtypes exist inside. The same as `gnomon.enable_x64`."""
    return _enable_x64(new_val)


def disable_x64():
    """Context manager: 64-bit dtypes are narrowed inside."""
    return _enable_x64(False)


__all__ = ["EArray", "disable_x64", "enable_x64", "io_callback", "primal_tangent_dtype"]
