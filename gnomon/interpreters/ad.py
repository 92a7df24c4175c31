"""Derivatives of primitives of one's own, and what their rules are written with."""
from __future__ import annotations

from gnomon.api.absent import Absent as _Absent, absent_class as _absent_class
from gnomon.ir.jaxpr import ClosedJaxpr as _ClosedJaxpr, intern as _intern
from gnomon.ir.op import primitive as _primitive
from gnomon.ops.arithmetic import AddAny as _AddAny, add_any as _add_any
from gnomon.ops.shape import zeros as _zeros
from gnomon.ops.user import Rules as _Rules, UndefinedPrimal, Zero
from gnomon.trace.stage import Tracer as _Tracer, value_of as _value_of
from gnomon.transforms import jvp as _jvp_program
from gnomon.types.value_type import has_tangent as _has_tangent

primitive_jvps = _Rules("jvp")
primitive_transposes = _Rules("transpose")
add_jaxvals_p = _primitive(_AddAny)



class _Moving(type):
    def __instancecheck__(cls, x):
        return isinstance(x, _Tracer) and x.frame.kind in _DERIVATIVES and _has_tangent(x.type) and bool(x.frame.sources(x.atom))


class JVPTracer(metaclass=_Moving):
    """The traced values of a function being differentiated that depend on its arguments and have a derivative, for `isinstance`."""


_DERIVATIVES = frozenset(["jvp", "grad", "value_and_grad", "vjp", "linearize", "jacfwd", "jacrev", "hessian"])
JVPTrace = _absent_class("JVPTrace", "transforms rewrite programs here and have no traces of their own")
backward_pass = _Absent("backward_pass", "programs are run backward by gnomon.vjp and gnomon.linear_transpose; use those")
jvp = _Absent("interpreters.ad.jvp", "it is a layer of JAX's own jvp; use gnomon.jvp")
linearize = _Absent("interpreters.ad.linearize", "it is a layer of JAX's own linearize; use gnomon.linearize")


def is_undefined_primal(x) -> bool:
    """Whether an argument of a transpose rule is one whose cotangent is asked for."""
    return isinstance(x, UndefinedPrimal)


def instantiate_zeros(tangent):
    """A tangent with numbers, also where it is a `Zero`."""
    return tangent.instantiate() if isinstance(tangent, Zero) else tangent


def zeros_like_aval(aval):
    """Zeros of a type."""
    return _value_of(_zeros(aval))


def add_jaxvals(x, y):
    """The sum of two values of one type."""
    return _add_any(_value_of(x), _value_of(y))


def add_tangents(x, y):
    """The sum of two tangents, each of which may be a `Zero`."""
    if isinstance(x, Zero):
        return y
    return x if isinstance(y, Zero) else add_jaxvals(x, y)


def get_primitive_transpose(p):
    """The transpose rule that a primitive of one's own was given. NotImplementedError if there is none."""
    if p not in primitive_transposes:
        raise NotImplementedError(f"Transpose rule (for reverse-mode differentiation) for {p} was not given.")
    return primitive_transposes[p]


def _sum(terms, out):
    total = Zero.from_primal_value(out)
    for t in terms:
        total = add_tangents(total, t)
    return total


def defjvp(primitive, *jvprules):
    """The derivative as a sum over the operands: jvprules[i](tangent_i, *primals, **params), or None for no contribution.

    >>> from gnomon.extend.core import Primitive
    >>> import gnomon
    >>> square_p = Primitive("square")
    >>> square_p.def_impl(lambda x: x * x) and None
    >>> square_p.def_abstract_eval(lambda x: x) and None
    >>> defjvp(square_p, lambda t, x: 2 * x * t)
    >>> float(gnomon.grad(square_p.bind)(3.0))
    6.0
    """
    def jvp(primals, tangents, **params):
        out = primitive.bind(*primals, **params)
        return out, _sum([rule(t, *primals, **params) for rule, t in zip(jvprules, tangents, strict=True)
                          if rule is not None and not isinstance(t, Zero)], out)
    primitive_jvps[primitive] = jvp


def defjvp2(primitive, *jvprules):
    """The same for rules that are given the result, too: jvprules[i](tangent_i, result, *primals, **params)."""
    def jvp(primals, tangents, **params):
        out = primitive.bind(*primals, **params)
        return out, _sum([rule(t, out, *primals, **params) for rule, t in zip(jvprules, tangents, strict=True)
                          if rule is not None and not isinstance(t, Zero)], out)
    primitive_jvps[primitive] = jvp


def _linear_jvp(primitive):
    def jvp(primals, tangents, **params):
        out = primitive.bind(*primals, **params)
        if all(isinstance(t, Zero) for t in tangents):
            return out, [Zero.from_primal_value(x) for x in out] if primitive.multiple_results else Zero.from_primal_value(out)
        return out, primitive.bind(*map(instantiate_zeros, tangents), **params)
    return jvp


def deflinear2(primitive, transpose_rule):
    """A primitive that is linear in all operands; transpose_rule(cotangent, *args, **params) gives a list of cotangents."""
    primitive_jvps[primitive] = _linear_jvp(primitive)
    primitive_transposes[primitive] = transpose_rule


def deflinear(primitive, transpose_rule):
    """The same for a rule that is not given the operands: transpose_rule(cotangent, **params)."""
    deflinear2(primitive, lambda ct, *args, **params: transpose_rule(ct, **params))


def defbilinear(prim, lhs_rule, rhs_rule):
    """A primitive of two operands, linear in each: lhs_rule(cotangent, x, y, **params) gives the cotangent of x, rhs_rule that of y."""
    defjvp(prim, lambda t, x, y, **params: prim.bind(t, y, **params), lambda t, x, y, **params: prim.bind(x, t, **params))

    def transpose(ct, x, y, **params):
        if is_undefined_primal(x) and is_undefined_primal(y):
            raise TypeError(f"{prim} is linear in each operand and not in both together; only one may be transposed.")
        return [lhs_rule(ct, x, y, **params), None] if is_undefined_primal(x) else [None, rhs_rule(ct, x, y, **params)]
    primitive_transposes[prim] = transpose


def jvp_jaxpr(jaxpr, nonzeros, instantiate):
    """(the program of outputs and their tangents, from inputs and the tangents of those that are `nonzeros`; which outputs have one)."""
    closed = jaxpr.jaxpr if isinstance(jaxpr, _ClosedJaxpr) else jaxpr
    consts = jaxpr.consts if isinstance(jaxpr, _ClosedJaxpr) else []
    k, n = len(consts), len(closed.outvars)
    must = (instantiate,) * n if isinstance(instantiate, bool) else tuple(instantiate)
    made, has = _jvp_program(_intern(closed.closed()), (False,) * k + tuple(nonzeros), must)
    constvars, invars = made.invars[:k], made.invars[k:]
    return _ClosedJaxpr(type(made)(constvars, invars, made.eqns, made.outvars), consts), list(has)
