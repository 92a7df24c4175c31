"""Programs as data: dropping what is not used, closing over constants, tracing."""
from __future__ import annotations

from gnomon.api.absent import Absent as _Absent, absent_class as _absent_class
from gnomon.api.function import type_of as _type_of
from gnomon.api.jit import eval_jaxpr as _eval_jaxpr
from gnomon.ir.jaxpr import ClosedJaxpr as _ClosedJaxpr, Jaxpr as _Jaxpr, Literal as _Literal
from gnomon.passes.dead_code import drop_dead_code as _drop_dead_code
from gnomon.passes.flatten import flatten as _flatten
from gnomon.trace.stage import Tracer as DynamicJaxprTracer, stage as _stage, value_of as _value_of

_SPLIT = "programs are cut by gnomon.linearize and gnomon.vjp; there are no partially known values"
JaxprTracer, Val = (_absent_class(n, _SPLIT) for n in ("JaxprTracer", "Val"))
partial_eval_jaxpr_nounits, new_eqn_recipe, custom_partial_eval_rules, partial_eval_jaxpr_custom_rules = (
    _Absent(n, _SPLIT) for n in ("partial_eval_jaxpr_nounits", "new_eqn_recipe", "custom_partial_eval_rules",
                                 "partial_eval_jaxpr_custom_rules"))
_DCE = "what is not used is dropped equation by equation, without rules; see dce_jaxpr"
dce_rules, dce_jaxpr_call_rule, dce_jaxpr_closed_call_rule = (
    _Absent(n, _DCE) for n in ("dce_rules", "dce_jaxpr_call_rule", "dce_jaxpr_closed_call_rule"))
_LOWER = "programs have one level; use gnomon.jit(f).lower(...)"
lower_jaxpr, lower_jaxpr2 = _Absent("lower_jaxpr", _LOWER), _Absent("lower_jaxpr2", _LOWER)

__all__ = ["DynamicJaxprTracer", "PartialVal", "abstract_eval_fun", "close_jaxpr", "convert_constvars_jaxpr", "dce_jaxpr", "dce_jaxpr_consts",
           "move_binders_to_back", "prune_closed_jaxpr_outputs", "trace_to_jaxpr_dynamic",
           "trace_to_jaxpr_nounits"]


def _flags(value, n):
    return [value] * n if isinstance(value, bool) else list(value)


def convert_constvars_jaxpr(jaxpr):
    """The program with its constants as leading inputs."""
    return jaxpr.closed()


def close_jaxpr(jaxpr):
    """A program without constants as a ClosedJaxpr. ValueError if it has any."""
    if jaxpr.constvars:
        raise ValueError(f"close_jaxpr takes a program without constants, but this one has {len(jaxpr.constvars)}. Use ClosedJaxpr(jaxpr, consts).")
    return _ClosedJaxpr(jaxpr, [])


def _live(jaxpr):
    return {v for e in jaxpr.eqns for v in e.ins if v.__class__ is not _Literal} | {v for v in jaxpr.outvars if v.__class__ is not _Literal}


def dce_jaxpr(jaxpr, used_outputs, instantiate=False, live_inputs=True):
    """(the program of the used outputs, without what only the others need; which inputs it still takes).

    `instantiate` says which inputs are kept in any case.

    >>> import gnomon
    >>> jaxpr = gnomon.make_jaxpr(lambda x, y: (x + 1, y * 2))(1.0, 2.0).jaxpr
    >>> smaller, used = dce_jaxpr(jaxpr, [False, True])
    >>> len(smaller.eqns), used
    (1, [False, True])
    """
    outs = [v for v, u in zip(jaxpr.outvars, _flags(used_outputs, len(jaxpr.outvars)), strict=True) if u]
    made = _drop_dead_code(_Jaxpr(jaxpr.constvars, jaxpr.invars, jaxpr.eqns, outs, jaxpr.names))
    live = _live(made)
    used = [v in live or keep for v, keep in zip(jaxpr.invars, _flags(instantiate, len(jaxpr.invars)), strict=True)]
    return _Jaxpr(made.constvars, [v for v, u in zip(made.invars, used) if u], made.eqns, outs), used


def dce_jaxpr_consts(jaxpr, used_outputs, instantiate=False):
    """The same, and it drops unused constants: (program, which constants and which inputs it still takes)."""
    made, used = dce_jaxpr(jaxpr, used_outputs, instantiate)
    live = _live(made)
    consts = [v in live for v in made.constvars]
    return _Jaxpr([v for v, u in zip(made.constvars, consts) if u], made.invars, made.eqns, made.outvars), consts, used


def prune_closed_jaxpr_outputs(jaxpr, used_outputs):
    """A ClosedJaxpr without the outputs that are not used."""
    outs = [v for v, u in zip(jaxpr.jaxpr.outvars, used_outputs, strict=True) if u]
    return _ClosedJaxpr(_Jaxpr(jaxpr.jaxpr.constvars, jaxpr.jaxpr.invars, jaxpr.eqns, outs), jaxpr.consts)


def move_binders_to_back(closed_jaxpr, to_move):
    """A ClosedJaxpr with the inputs in `to_move` behind the others."""
    inner = closed_jaxpr.jaxpr
    order = sorted(range(len(inner.invars)), key=lambda i: bool(to_move[i]))
    return _ClosedJaxpr(_Jaxpr(inner.constvars, [inner.invars[i] for i in order], inner.eqns, inner.outvars), closed_jaxpr.consts)


def _stage_flat(fun, avals):
    frame_out = []

    def run(*xs):
        out = fun(*xs)
        frame_out[:] = [_value_of(x) for x in (out if isinstance(out, (tuple, list)) else (out,))]
        return list(frame_out)
    return _stage(run, list(avals), name=getattr(fun, "__name__", "fun"))


def abstract_eval_fun(fun, *avals, debug_info=None, **params):
    """The types of the list that `fun(*values, **params)` returns for values of these types."""
    return list(_stage_flat(lambda *xs: fun(*xs, **params), avals)[0].out_types)


def trace_to_jaxpr_dynamic(fun, in_avals, *, keep_inputs=None, lower=False, auto_dce=False):
    """(program, types of its outputs, values of its constants) of a wrapped flat function (see extend.linear_util)."""
    jaxpr, consts = _stage_flat(fun.call_wrapped, in_avals)
    return jaxpr, list(jaxpr.out_types), list(consts)


class PartialVal(tuple):
    """What is known of a value: the pair (type, None) of one that is not known, (None, value) of one that is."""

    @classmethod
    def unknown(cls, aval):
        return cls((aval, None))

    @classmethod
    def known(cls, const):
        return cls((None, const))

    def is_known(self) -> bool:
        return self[0] is None

    def get_known(self):
        """The value, or None."""
        return self[1] if self[0] is None else None

    def get_aval(self):
        """The type, known or not."""
        return _type_of(self[1]) if self[0] is None else self[0]


def trace_to_jaxpr_nounits(fun, pvals, instantiate=False):
    """(the program of the outputs that are not known, what is known of each output, the values of the program's constants) of a wrapped flat
    function (see extend.linear_util), of whose inputs only some are known.

    An output is known if it depends on known inputs alone; with `instantiate` (one flag, or one for each) it counts as not known.

    >>> import gnomon
    >>> from gnomon.extend import linear_util
    >>> fun = linear_util.wrap_init(lambda x, y: (x + 1, x * y))
    >>> x, y = PartialVal.known(2), PartialVal.unknown(gnomon.typeof(1.0))
    >>> _, (first, second), _ = trace_to_jaxpr_nounits(fun, [x, y])
    >>> int(first.get_known()), str(second.get_aval())
    (3, 'float32[]')
    """
    def run(*unknown):
        rest = iter(unknown)
        return fun.call_wrapped(*[pv.get_known() if pv.is_known() else next(rest) for pv in pvals])
    jaxpr, consts = _stage_flat(run, [pv.get_aval() for pv in pvals if not pv.is_known()])
    jaxpr = _flatten(jaxpr)
    moving = set(jaxpr.invars)
    for e in jaxpr.eqns:
        if e.op.effects or not moving.isdisjoint(e.ins):
            moving.update(e.outs)
    unknown = [v in moving or keep for v, keep in zip(jaxpr.outvars, _flags(instantiate, len(jaxpr.outvars)), strict=True)]
    known_part = _drop_dead_code(_Jaxpr(jaxpr.constvars, (), [e for e in jaxpr.eqns if moving.isdisjoint(e.outs)],
                                        [v for v, u in zip(jaxpr.outvars, unknown) if not u]))
    values = iter(_eval_jaxpr(known_part, consts))
    outs = [PartialVal.unknown(v.type) if u else PartialVal.known(next(values)) for v, u in zip(jaxpr.outvars, unknown)]
    rest = _drop_dead_code(_Jaxpr(jaxpr.constvars, jaxpr.invars, jaxpr.eqns, [v for v, u in zip(jaxpr.outvars, unknown) if u]))
    return rest, outs, list(consts)
