"""gnomon.scipy.optimize: minimization of smooth functions."""
from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gnomon import lax
from gnomon import numpy as jnp
from gnomon.api.differentiate import value_and_grad
from gnomon.base.errors import Refused
from gnomon.numpy.axes import function_argument, integer
from gnomon.numpy.promote import as_value, to_inexact
from gnomon.scipy.floats import a_number
from gnomon.types.dtype import is_float

__all__ = ["OptimizeResults", "minimize"]


class OptimizeResults(NamedTuple):
    """What a minimization found: the place x, whether it converged (success), a status, the value `fun` and the gradient `jac` there, an
    estimate of the inverse Hessian, and how often values and gradients were computed and steps were taken."""

    x: object
    success: object
    status: object
    fun: object
    jac: object
    hess_inv: object
    nfev: object
    njev: object
    nit: object


CONVERGED, STEPS_USED_UP, NO_LOWER_POINT = 0, 1, 2
MANY = 2 ** 31 - 1      # evaluations, without a bound
LIMITED = "l-bfgs-experimental-do-not-rely-on-this"
OPTIONS = {"bfgs": ("gtol", "maxiter", "norm", "line_search_maxiter"),
           LIMITED: ("gtol", "maxiter", "norm", "maxcor", "ftol", "maxfun", "maxls")}


def minimize(fun, x0, args=(), *, method, tol=None, options=None):
    """A minimum of fun(x, *args), a real function of a vector that has a gradient, from x0 downwards.

    method: 'BFGS', which keeps an estimate of the inverse Hessian, or 'l-bfgs-experimental-do-not-rely-on-this', which keeps the last few
    steps instead, for vectors of many numbers. tol: the largest component of the gradient at the end (1e-5). options: 'gtol' (the same),
    'maxiter' (200 times the size of x0), 'norm' (of the gradient, inf), 'line_search_maxiter' (30); for the second method 'maxcor' (how many
    steps are kept, 10), 'ftol' (0: how little the value may fall, relative to it, before it stops), 'maxfun' (no bound: how often the function
    is evaluated), 'maxls' for line_search_maxiter, and no 'norm' (2).

    Returns OptimizeResults. Its status is 0 where it converged, 1 where the steps or evaluations were used up, 2 where no lower point was
    found; hess_inv is None for the second method. It can be jitted and vmapped, but not differentiated in reverse; see custom_root for that.
    ValueError for an x0 that is no vector of real numbers and for unknown options, TypeError where fun does not return a number, Refused
    for another method.

    >>> import gnomon.numpy as jnp
    >>> found = minimize(lambda x: ((x - 1) ** 2).sum(), jnp.zeros(2), method="BFGS")
    >>> jnp.round(found.x, 3).tolist(), bool(found.success)
    ([1.0, 1.0], True)
    """
    if not isinstance(args, tuple):
        raise TypeError(f"minimize takes args as a tuple, got {args!r}.")
    if not isinstance(method, str) or method.lower() not in OPTIONS:
        raise Refused(f"minimize knows the methods 'BFGS' and {LIMITED!r}, not {method!r}.")
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(f"minimize takes a dictionary as options, got {options!r} of type {type(options).__name__}.")
    function_argument(fun, "minimize", "fun")
    method, options = method.lower(), dict(options or {})
    unknown = [name for name in options if name not in OPTIONS[method]]
    if unknown:
        raise ValueError(f"minimize by {method} takes the options {', '.join(map(repr, OPTIONS[method]))}, got {', '.join(unknown)}.")
    x0 = to_inexact(as_value(x0, "minimize", 1))
    if x0.ndim != 1 or not is_float(x0.dtype):
        raise ValueError(f"minimize takes a vector x0 of real numbers, got an array of type {x0.type}.")

    def whole(name, default):
        value = options.get(name)
        return default if value is None else integer(value, "minimize", f"options[{name!r}]")
    def number(name, default):
        value = options.get(name)
        return default if value is None else a_number(value, "minimize", f"options[{name!r}]")
    gtol = number("gtol", 1e-5 if tol is None else a_number(tol, "minimize", "tol"))
    maxiter = whole("maxiter", 200 * x0.shape[0])
    value_and_gradient = value_and_grad(lambda x: fun(x, *args))
    if method == "bfgs":
        return bfgs(value_and_gradient, x0, gtol, maxiter, number("norm", jnp.inf), whole("line_search_maxiter", 30))
    return lbfgs(value_and_gradient, x0, gtol, maxiter, number("norm", 2), whole("maxls", 30), max(whole("maxcor", 10), 1),
                 number("ftol", 0.0), whole("maxfun", MANY))


def bfgs(value_and_gradient, x, gtol, maxiter, norm, searches):
    value, gradient = first_value(value_and_gradient, x)
    eye = jnp.eye(x.shape[0], dtype=x.dtype)

    def large(gradient):
        return jnp.linalg.norm(gradient, ord=norm) >= gtol

    def unfinished(state):
        return large(state[2]) & (state[6] < maxiter) & (state[7] != NO_LOWER_POINT)

    def step(state):
        x, value, gradient, inverse, nfev, njev, nit, _ = state
        direction = -inverse @ gradient
        # along a direction that does not fall, as rounding can have it, the estimate is of no use
        falls = direction @ gradient < 0
        inverse, direction = jnp.where(falls, inverse, eye), jnp.where(falls, direction, -gradient)
        # the first step has no scale to go by
        first = jnp.where(nit == 0, jnp.minimum(1, 1 / jnp.maximum(jnp.sum(jnp.abs(gradient)), 1e-30)), 1).astype(x.dtype)
        found, a, new_value, new_gradient, count = line_search(value_and_gradient, x, value, gradient, direction, first, searches)
        s, y = a * direction, new_gradient - gradient
        curvature = y @ s
        curved = curvature > 1e-10 * jnp.linalg.norm(y) * jnp.linalg.norm(s)
        rho = 1 / jnp.where(curved, curvature, 1)
        start = jnp.where(nit == 0, curvature / jnp.where(curved, y @ y, 1), 1)      # the first curvature gives the scale
        inverse = jnp.where(curved, start * inverse, inverse)
        side = eye - rho * s[:, None] * y
        updated = side @ inverse @ side.T + rho * s[:, None] * s
        inverse = jnp.where(found & curved, updated, inverse)
        status = jnp.where(found, CONVERGED, NO_LOWER_POINT)
        keep = [jnp.where(found, new, old) for new, old in ((x + s, x), (new_value, value), (new_gradient, gradient))]
        return (*keep, inverse, nfev + count, njev + count, nit + 1, status)
    state = lax.while_loop(unfinished, step, (x, value, gradient, eye, 1, 1, 0, CONVERGED))
    x, value, gradient, inverse, nfev, njev, nit, status = state
    converged = ~large(gradient)
    status = jnp.where(converged, CONVERGED, jnp.where(status == NO_LOWER_POINT, NO_LOWER_POINT, STEPS_USED_UP))
    return OptimizeResults(x, converged, status, value, gradient, inverse, nfev, njev, nit)


def first_value(value_and_gradient, x):
    value, gradient = value_and_gradient(x)
    if value.shape:
        raise TypeError(f"minimize takes a function that returns a number, but it returned an array of type {value.type}.")
    return value, gradient


def lbfgs(value_and_gradient, x, gtol, maxiter, norm, searches, kept, ftol, maxfun):
    """BFGS with limited memory (Nocedal and Wright, algorithm 7.5): the last `kept` steps s and changes of the gradient y, the newest first,
    stand for the inverse Hessian. A pair that is not there yet has rho = 0, and adds nothing."""
    value, gradient = first_value(value_and_gradient, x)
    pairs = jnp.zeros((kept, x.shape[0]), x.dtype)

    def large(gradient):
        return jnp.linalg.norm(gradient, ord=norm) >= gtol

    def unfinished(state):
        return large(state["gradient"]) & (state["nit"] < maxiter) & (state["nfev"] < maxfun) & (state["status"] == STEPS_USED_UP)

    def step(state):
        x, value, gradient, nit = (state[name] for name in ("x", "value", "gradient", "nit"))
        direction = -two_loops(gradient, *[state[name] for name in ("s", "y", "rho", "scale")])
        falls = direction @ gradient < 0
        direction = jnp.where(falls, direction, -gradient)
        first = jnp.where(nit == 0, jnp.minimum(1, 1 / jnp.maximum(jnp.sum(jnp.abs(gradient)), 1e-30)), 1).astype(x.dtype)
        found, a, new_value, new_gradient, count = line_search(value_and_gradient, x, value, gradient, direction, first, searches)
        s, y = a * direction, new_gradient - gradient
        curvature = y @ s
        curved = found & (curvature > 1e-10 * jnp.linalg.norm(y) * jnp.linalg.norm(s))

        def pushed(memory, new):
            return jnp.where(curved, jnp.concatenate([jnp.asarray(new)[None], memory[:-1]]), memory)
        scale = jnp.where(curved, curvature / jnp.where(curved, y @ y, 1), state["scale"])
        settled = found & (value - new_value <= ftol * jnp.maximum(1, jnp.maximum(jnp.abs(value), jnp.abs(new_value)))) & (ftol > 0)
        status = jnp.where(found, jnp.where(settled, CONVERGED, STEPS_USED_UP), NO_LOWER_POINT)
        keep = {name: jnp.where(found, new, state[name]) for name, new in (("x", x + s), ("value", new_value), ("gradient", new_gradient))}
        return keep | dict(s=pushed(state["s"], s), y=pushed(state["y"], y), rho=pushed(state["rho"], 1 / jnp.where(curved, curvature, 1)),
                           scale=scale, nfev=state["nfev"] + count, nit=nit + 1, status=status)
    state = dict(x=x, value=value, gradient=gradient, s=pairs, y=pairs, rho=pairs[:, 0] if x.shape[0] else jnp.zeros(kept, x.dtype),
                 scale=jnp.ones((), x.dtype), nfev=1, nit=0, status=STEPS_USED_UP)
    state = lax.while_loop(unfinished, step, state)
    converged = ~large(state["gradient"]) | (state["status"] == CONVERGED)
    status = jnp.where(converged, CONVERGED, state["status"])
    return OptimizeResults(state["x"], converged, status, state["value"], state["gradient"], None, state["nfev"], state["nfev"], state["nit"])


def two_loops(gradient, s, y, rho, scale):
    """The inverse Hessian of the kept steps times the gradient (Nocedal and Wright, algorithm 7.4)."""
    def back(q, pair):
        s, y, rho = pair
        share = rho * (s @ q)
        return q - share * y, share
    q, shares = lax.scan(back, gradient, (s, y, rho))

    def forth(r, pair):
        s, y, rho, share = pair
        return r + s * (share - rho * (y @ r)), None
    return lax.scan(forth, scale * q, (s, y, rho, shares), reverse=True)[0]


SUFFICIENT, FLAT = 1e-4, 0.9        # of the strong Wolfe conditions: how far the value falls, how flat it is at the end
WIDENING, NARROWING, DONE = 0, 1, 2


def line_search(value_and_gradient, x, value, gradient, direction, first, searches):
    """(found, a, value, gradient, evaluations) at x + a direction, where the strong Wolfe conditions hold (Nocedal and Wright, algorithms
    3.5 and 3.6): steps get longer until they enclose such a point, then the enclosure gets narrower.

    Where rounding hides how far the value falls, the slope decides alone (Hager and Zhang's approximate conditions)."""
    slope = gradient @ direction
    noise = 10 * jnp.finfo(x.dtype).eps * jnp.abs(value)

    def evaluate(a):
        v, g = value_and_gradient(x + a * direction)
        return v, g, g @ direction

    def unfinished(state):
        return (state["phase"] != DONE) & (state["count"] < searches)

    def step(state):
        a, low, high = state["a"], state["low"], state["high"]
        v, g, s = evaluate(a)
        here = (a, v, s)
        falls = v <= value + SUFFICIENT * a * slope
        nearly = (v <= value + noise) & (s <= (2 * SUFFICIENT - 1) * slope) & (s >= FLAT * slope)
        done = falls & (jnp.abs(s) <= -FLAT * slope) | nearly
        widening = state["phase"] == WIDENING
        too_far = ~falls | (v >= low[1]) & ~(widening & (low[0] == 0)) | ~jnp.isfinite(v)
        turned = jnp.where(widening, s >= 0, s * (high[0] - low[0]) >= 0)

        def choose(when_too_far, when_turned, otherwise):
            return tuple([jnp.where(too_far, p, jnp.where(turned, q, r)) for p, q, r in zip(when_too_far, when_turned, otherwise)])
        new_low, new_high = choose(low, here, here), choose(here, low, high)
        phase = jnp.where(done, DONE, jnp.where(widening & ~too_far & ~turned, WIDENING, NARROWING))
        a_next = jnp.where(phase == WIDENING, 2 * a, inside(new_low, new_high))
        best = state["best"]
        better = done | (v < best[1]) & falls
        best = (jnp.where(better, a, best[0]), jnp.where(better, v, best[1]), jnp.where(better, g, best[2]))
        return dict(a=a_next, low=new_low, high=new_high, best=best, phase=phase, count=state["count"] + 1)
    zero = jnp.zeros_like(value)
    start = (zero, value, slope)
    state = lax.while_loop(unfinished, step, dict(a=first, low=start, high=start, best=(zero, value, gradient), phase=WIDENING, count=0))
    a, v, g = state["best"]
    return (state["phase"] == DONE) | (v < value), a, v, g, state["count"]


def inside(low, high):
    """The minimum of the cubic through two points with their slopes, or their middle where it is too near to one of them."""
    (a, u, s), (b, v, t) = low, high
    width = jnp.where(b == a, 1, b - a)
    d = s + t - 3 * (v - u) / width
    root = jnp.sqrt(jnp.maximum(d * d - s * t, 0))
    root = jnp.where(width > 0, root, -root)
    divisor = t - s + 2 * root
    cubic = b - width * (t + root - d) / jnp.where(divisor == 0, 1, divisor)
    share = (cubic - a) / width
    good = jnp.isfinite(cubic) & (share > 0.1) & (share < 0.9) & (divisor != 0)
    return jnp.where(good, cubic, (a + b) / 2)
