"""Products with logarithms, 0 where the factor is."""
from __future__ import annotations

from gnomon.ops.arithmetic import add, div
from gnomon.ops.compare import bitwise_and, eq, select_n
from gnomon.ops.elementwise import full_scalar
from gnomon.ops.exponential import log, log1p
from gnomon.ops.longhand import equals
from gnomon.ops.longhand import log as log_longhand
from gnomon.ops.longhand import log1p as log1p_longhand
from gnomon.ops.longhand import where, written
from gnomon.ops.special import Special
from gnomon.trace.stage import bind


def ratio(x, y):
    """x / y, and 0 where both are."""
    zero = full_scalar(x, 0)
    both = bitwise_and(eq(x, zero), eq(y, zero))
    return div(x, select_n(both, y, full_scalar(y, 1)))


class Xlogy(Special):
    """x log(y), which is 0 where x is 0 and y not NaN."""

    derivative = (lambda out, x, y: log(y), lambda out, x, y: ratio(x, y))

    @written
    def lower(self, x, y):
        return where(equals(x, 0.0) & equals(y, y), 0.0, x * log_longhand(y))


class Xlog1py(Special):
    """x log(1 + y), which is 0 where x is 0 and y not NaN."""

    derivative = (lambda out, x, y: log1p(y), lambda out, x, y: ratio(x, add(y, full_scalar(y, 1))))

    @written
    def lower(self, x, y):
        return where(equals(x, 0.0) & equals(y, y), 0.0, x * log1p_longhand(y))


_xlogy, _xlog1py = Xlogy(), Xlog1py()


def xlogy(x, y):
    return bind(_xlogy, x, y)


def xlog1py(x, y):
    return bind(_xlog1py, x, y)
