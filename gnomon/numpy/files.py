"""Arrays in files, and how many digits are printed: NumPy's functions, for our arrays too."""
from __future__ import annotations

import numpy as np

from gnomon.numpy.creation import asarray
from gnomon.types.dtype import bfloat16

__all__ = ["get_printoptions", "load", "printoptions", "save", "savez", "set_printoptions"]

_TWO_RAW_BYTES = np.dtype("V2")


def save(file, arr, allow_pickle=True):
    """Write one array to a file in NumPy's .npy format. `file` is a path, to which ".npy" is added, or an open binary file.

    A traced value cannot be written: TracerArrayConversionError.
    Errors: TypeError for what is no path, TracerArrayConversionError for traced values.

    >>> import io
    >>> import gnomon.numpy as jnp
    >>> file = io.BytesIO()
    >>> save(file, jnp.arange(3))
    >>> _ = file.seek(0)
    >>> load(file)
    Array([0, 1, 2], dtype=int32)
    """
    np.save(file, np.asarray(arr), allow_pickle=allow_pickle)


def savez(file, *args, allow_pickle=True, **kwds):
    """Write several arrays to one file in NumPy's .npz format, by their keywords, or as arr_0, arr_1, ...

    Errors: TypeError for what is no path, TracerArrayConversionError for traced values.

    >>> import io
    >>> import gnomon.numpy as jnp
    >>> file = io.BytesIO()
    >>> savez(file, x=jnp.arange(3), y=jnp.ones(2))
    >>> _ = file.seek(0)
    >>> sorted(load(file))
    ['x', 'y']
    """
    np.savez(file, *[np.asarray(x) for x in args], allow_pickle=allow_pickle, **{name: np.asarray(x) for name, x in kwds.items()})


def load(file, *args, **kwargs):
    """The array in a .npy file; of a .npz file NumPy's mapping from names to NumPy arrays. Arguments as for NumPy's load.

    Elements of two bytes without a dtype are bfloat16, which NumPy writes so.
    Errors: FileNotFoundError where there is no such file, TypeError for what is no path.

    >>> import io
    >>> import gnomon.numpy as jnp
    >>> file = io.BytesIO()
    >>> save(file, jnp.array([1.5, 2], "bfloat16"))
    >>> _ = file.seek(0)
    >>> load(file)
    Array([1.5, 2], dtype=bfloat16)
    """
    found = np.load(file, *args, **kwargs)
    if not isinstance(found, np.ndarray):
        return found
    return asarray(found.view(bfloat16) if found.dtype == _TWO_RAW_BYTES else found)


# ---- printing -------------------------------------------------------------------------------------------------------

def set_printoptions(*args, **kwargs):
    """Set how the numbers of arrays, ours and NumPy's, are printed: precision, threshold, edgeitems, linewidth, suppress, ...

    Errors: TypeError for arguments that NumPy's function does not take.

    >>> before = get_printoptions()["precision"]
    >>> set_printoptions(precision=3)
    >>> get_printoptions()["precision"]
    3
    >>> set_printoptions(precision=before)
    """
    np.set_printoptions(*args, **kwargs)


def get_printoptions():
    """How the numbers of arrays are printed: the dictionary of what `set_printoptions` takes.

    >>> get_printoptions()["edgeitems"]
    3
    """
    return np.get_printoptions()


def printoptions(*args, **kwargs):
    """A context in which numbers are printed as `set_printoptions` with these arguments says.

    >>> import gnomon.numpy as jnp
    >>> with printoptions(precision=2):
    ...     print(jnp.array([0.12345]))
    [0.12]
    """
    return np.printoptions(*args, **kwargs)
