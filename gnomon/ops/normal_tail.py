"""The inverse of the normal distribution's function far out, where its values are too near to 1 to tell apart."""
from __future__ import annotations

from gnomon.base.errors import Refused
from gnomon.ops.arithmetic import NOT_LINEAR, add, add_any, broadcast_like, mul, sub
from gnomon.ops.elementwise import Elementwise, full_scalar
from gnomon.ops.exponential import exp
from gnomon.ops.longhand import exp as exp_longhand, log, log1p, sqrt, written
from gnomon.trace.stage import bind
from gnomon.types.dtype import finfo, is_float


class NormalTail(Elementwise):
    """Where the normal distribution between `lower` and `upper` has this share below. `lower` must be at least 3."""

    accepts, accepts_text = staticmethod(is_float), "floats"
    transpose = NOT_LINEAR

    @written
    def lower(self, share, lower, upper):
        """With Mills' ratio M(x), the chance of what is beyond x is M(x) exp(-x x / 2), but for a factor. The step
        from `lower` is found by Newton's method on its logarithm, so that nothing underflows and a short step keeps
        its digits."""
        width, base = upper - lower, mills_ratio(lower)
        beyond = exp_longhand(-width * (lower + width * 0.5)) * mills_ratio(upper) / base
        goal = -log1p(-share * (1.0 - beyond))
        step = 2.0 * goal / (lower + sqrt(lower * lower + 2.0 * goal))
        for _ in range(3):
            ratio = mills_ratio(lower + step)
            step = step - ratio * (step * (lower + step * 0.5) - log(ratio / base) - goal)
        return lower + step

    def derivative(self, args, tangents):
        share, lower, upper = args
        out = bind(self, *args)
        if tangents[0] is not None:
            raise Refused("the share of the normal distribution's tail is a random number; only the bounds have "
                          "derivatives")
        total = None
        one = full_scalar(share, 1)
        for bound, weight, t in ((lower, sub(one, share), tangents[1]), (upper, share, tangents[2])):
            if t is not None:
                # the densities at the bound and at the result, divided
                step, middle = sub(out, bound), mul(full_scalar(out, 0.5), add(out, bound))
                term = mul(t, mul(weight, exp(mul(step, middle))))
                total = term if total is None else add_any(total, term)
        return out, broadcast_like(total, out)


def mills_ratio(x):
    """(1 - Phi(x)) / phi(x) of the normal distribution for x of at least 3, as a continued fraction."""
    below = x
    for n in range(40 if finfo(x.dtype).bits > 32 else 16, 0, -1):
        below = x + float(n) / below
    return 1.0 / below


def normal_tail(share, lower, upper):
    return bind(NormalTail(), share, lower, upper)
