"""Functions with NumPy's methods: `np.add.reduce`, `.accumulate`, `.outer`, `.at`, `.reduceat`, and `frompyfunc`."""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.numpy import ufuncs

__all__ = ["add", "bitwise_and", "bitwise_or", "bitwise_xor", "logaddexp", "logaddexp2", "logical_and", "logical_or", "logical_xor",
           "maximum", "minimum", "multiply", "negative", "subtract", "ufunc"]


class ufunc:
    def __init__(self, func, /, nin, nout, *, name=None, nargs=None, identity=None):
        self.__name__ = self.__qualname__ = name or func.__name__
        self.__doc__ = func.__doc__
        self.function, self.nin, self.nout, self.nargs, self.identity = func, nin, nout, nargs or nin, identity

    def __call__(self, *args, out=None, where=None):
        if out is not None or where is not None:
            raise Refused(f"{self.__name__} takes no 'out' and no 'where': arrays are immutable. Use what it returns, and "
                          "gnomon.numpy.where.")
        return self.function(*args)

    def __repr__(self):
        return f"<ufunc gnomon.numpy.{self.__name__}>"


add = ufunc(ufuncs.add, 2, 1, identity=0)
multiply = ufunc(ufuncs.multiply, 2, 1, identity=1)
subtract = ufunc(ufuncs.subtract, 2, 1)
negative = ufunc(ufuncs.negative, 1, 1)
maximum = ufunc(ufuncs.maximum, 2, 1)
minimum = ufunc(ufuncs.minimum, 2, 1)
logaddexp = ufunc(ufuncs.logaddexp, 2, 1)
logaddexp2 = ufunc(ufuncs.logaddexp2, 2, 1)
logical_and = ufunc(ufuncs.logical_and, 2, 1, identity=True)
logical_or = ufunc(ufuncs.logical_or, 2, 1, identity=False)
logical_xor = ufunc(ufuncs.logical_xor, 2, 1, identity=False)
bitwise_and = ufunc(ufuncs.bitwise_and, 2, 1, identity=-1)
bitwise_or = ufunc(ufuncs.bitwise_or, 2, 1, identity=0)
bitwise_xor = ufunc(ufuncs.bitwise_xor, 2, 1, identity=0)
