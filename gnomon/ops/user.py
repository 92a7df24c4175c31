"""Ops of the users' own, whose rules are functions given one by one: what stands behind `extend.core.Primitive`.

Each primitive has an op class of its own; the rules are looked up on the primitive when they are needed, so they may be given in any
order. A rule that was not given refuses in one sentence.
"""
from __future__ import annotations

import weakref
from collections.abc import MutableMapping

import numpy as np

from gnomon.base.errors import Refused
from gnomon.ir.jaxpr import ByIdentity
from gnomon.ir.op import Op, OpForm, Primitive, field, is_linear, set_primitive
from gnomon.ops.shape import zeros
from gnomon.trace.build import program
from gnomon.trace.context import local
from gnomon.trace.stage import bind, frame_of, value_of
from gnomon.types.dtype import tangent_dtype
from gnomon.types.value_type import ArrayType, has_tangent


class Zero:
    """A tangent or cotangent that is known to be zero: it has a type (`aval`) and no numbers."""

    __slots__ = ("aval",)

    def __init__(self, aval):
        self.aval = aval

    @staticmethod
    def from_primal_value(x):
        """The zero tangent of a value."""
        return Zero(tangent_of(value_of(x).type))

    def instantiate(self):
        """The zeros themselves."""
        return value_of(np.zeros(self.aval.shape, _FLOAT0) if self.aval.dtype == _FLOAT0 else zeros(self.aval))

    def __repr__(self):
        return f"Zero({self.aval})"


class UndefinedPrimal:
    """Stands for an operand that a transpose rule is to find the cotangent of: a type without a value."""

    __slots__ = ("aval",)

    def __init__(self, aval):
        self.aval = aval

    def __repr__(self):
        return f"UndefinedPrimal({self.aval})"


def tangent_of(t):
    return t.with_dtype(tangent_dtype(t.dtype), t.weak_type and has_tangent(t))


def given(x):
    """A tangent or cotangent as a rule returned it: a value, or None for zero."""
    if x is None or isinstance(x, Zero) or getattr(x, "dtype", None) == _FLOAT0:
        return None
    return value_of(x)


_FLOAT0 = tangent_dtype(bool)


class _Form(type):
    """Every primitive, of Gnomon's own ops too, is an instance."""

    def __instancecheck__(cls, x):
        return isinstance(x, Primitive)


class UserPrimitive(Primitive, metaclass=_Form):
    """A primitive of one's own: a name, and rules that say what it means.

    `def_abstract_eval(types -> type)` is needed everywhere, `def_impl` (or a lowering, see `interpreters.mlir`) to run it; the tables of
    `interpreters.ad` and `interpreters.batching` take the rules of the transformations. Set `multiple_results` where it has several.

    >>> from gnomon.interpreters import ad
    >>> import gnomon, gnomon.numpy as jnp
    >>> double_p = UserPrimitive("double")
    >>> double_p.def_impl(lambda x: x + x) and None
    >>> double_p.def_abstract_eval(lambda x: x) and None
    >>> ad.deflinear(double_p, lambda ct: [double_p.bind(ct)])
    >>> float(gnomon.jit(double_p.bind)(3.0)), float(gnomon.grad(double_p.bind)(3.0))
    (6.0, 2.0)
    """

    def __init__(self, name):
        body = {"name": name, "op_name": name, "user_name": name, "source": self}
        super().__init__(OpForm("UserOp", (UserOp,), body, abstract=True))
        self.own_name, self.impl, self.abstract_eval, self.rules = name, None, None, {}
        set_primitive(self.op, self)
        PRIMITIVES.add(self)

    def __reduce__(self):
        raise TypeError(f"the primitive {self.own_name} cannot be pickled, since its rules are functions of this process.")

    @property
    def multiple_results(self):
        return self.op.multiple

    @multiple_results.setter
    def multiple_results(self, value):
        self.op.multiple = bool(value)

    def def_impl(self, impl):
        """Give the function that runs it, on arrays and with the parameters as keywords."""
        self.impl = impl
        return impl

    def def_abstract_eval(self, abstract_eval):
        """Give the function from the operands' types (and parameters) to the type of the result, or a list of types."""
        self.abstract_eval = abstract_eval
        return abstract_eval

    def def_effectful_abstract_eval(self, effectful_abstract_eval):
        """The same for a function that returns (types, effects); there may be none."""
        def abstract_eval(*types, **parameters):
            out, effects = effectful_abstract_eval(*types, **parameters)
            if effects:
                raise Refused(f"the primitive {self.own_name} has effects, which those of one's own cannot have; use io_callback or "
                              "debug.callback inside its implementation")
            return out
        self.abstract_eval = abstract_eval
        return effectful_abstract_eval

    def def_bind_with_trace(self, bind_with_trace):
        """Refused: there are no traces that rules could be given for."""
        raise Refused(f"the primitive {self.own_name} cannot take over its binding; give it a rule for each transformation, or use custom_jvp, "
                      "custom_vjp or custom_vmap")

    def_custom_bind = def_bind_with_trace

    def bind(self, *args, **parameters):
        """Apply it to arrays: its result, or a list of them."""
        if self.impl is not None and local.frame is None and frame_of(args) is None:
            return self.impl(*args, **parameters)
        return self.apply(*args, **parameters)

    def apply(self, *args, **parameters):
        """The same by its lowering, also outside of programs."""
        items = tuple(sorted((k, hashable(v)) for k, v in parameters.items()))
        return bind(self.op(items), *[value_of(x) for x in args])

    def rule(self, name, what):
        """A rule, or Refused."""
        return self.rules.get(name) or Refused(f"the primitive {self.own_name} was given no rule for it. Give one with {what}")


PRIMITIVES = weakref.WeakSet()


class Rules(MutableMapping):
    """The rules of one kind by primitive: a view of what the users' primitives were given."""

    def __init__(self, kind):
        self.kind = kind

    def __getitem__(self, prim):
        if self.kind not in getattr(prim, "rules", ()):
            raise KeyError(prim)
        return prim.rules[self.kind]

    def __setitem__(self, prim, rule):
        own(prim).rules[self.kind] = rule

    def __delitem__(self, prim):
        del own(prim).rules[self.kind]

    def __iter__(self):
        return (p for p in PRIMITIVES if self.kind in p.rules)

    def __len__(self):
        return sum(1 for _ in self)


def own(prim):
    """A primitive that takes rules."""
    if not hasattr(prim, "rules"):
        raise Refused(f"rules can be given to primitives made by extend.core.Primitive, but not to {prim}, whose rules stand in its op's class; "
                      "wrap the function in custom_jvp, custom_vjp or custom_vmap")
    return prim


def hashable(x):
    """A parameter as part of a key; what has no hash is told apart by identity."""
    try:
        hash(x)
    except TypeError:
        return ByIdentity(x)
    return x


class UserOp(Op, abstract=True):
    """One call of a primitive: `items` are its parameters."""

    items: tuple = field(())

    holds_programs = True
    source = None           # the primitive; set on the class made for it

    @property
    def named_parameters(self):
        return {k: v.value if v.__class__ is ByIdentity else v for k, v in self.items}

    def result(self, *types):
        found = self.source.abstract_eval
        if found is None:
            raise Refused(f"the primitive {self.name} was not told the types of its results. Give it def_abstract_eval(function of types)")
        out = found(*types, **self.named_parameters)
        if not self.multiple:
            return self.as_type(out)
        if not isinstance(out, (tuple, list)):
            raise TypeError(f"The primitive {self.name} has multiple_results, so its abstract evaluation must return a list of types, but it "
                            f"returned {out!r}.")
        return tuple([self.as_type(t) for t in out])

    def as_type(self, t):
        found = t if isinstance(t, ArrayType) else getattr(t, "type", None)
        if not isinstance(found, ArrayType):
            raise TypeError(f"The abstract evaluation of the primitive {self.name} must return types (core.ShapedArray), but it returned "
                            f"{t!r}.{'' if self.multiple or not isinstance(t, (tuple, list)) else ' Set multiple_results if it has several.'}")
        return found

    def lower(self, emit, *xs):
        fun = self.source.rules.get("lower") or traceable(self.source.impl)
        if fun is None:
            raise Refused(f"the primitive {self.name} cannot be compiled, since nobody said what it does. Give it def_impl(function), or "
                          "interpreters.mlir.register_lowering(primitive, mlir.lower_fun(function))")
        multiple = self.multiple

        def run(*values):
            out = fun(*values, **self.named_parameters)
            return [value_of(x) for x in (out if multiple else (out,))]
        types = tuple([x.type for x in xs])
        made, want = program(types, run), self.infer(types)
        for got, t in zip(made.out_types, want if multiple else (want,), strict=True):
            if got.shape != t.shape or got.dtype != t.dtype:
                raise TypeError(f"The primitive {self.name} is {got} by what it does and {t} by its abstract evaluation.")
        outs = emit.eqns(made, xs)
        return outs if multiple else outs[0]

    @property
    def derivative(self):
        rule = self.source.rule("jvp", "interpreters.ad.defjvp, ad.deflinear or ad.primitive_jvps[primitive] = rule(primals, tangents, **parameters)")
        if isinstance(rule, Refused):
            return rule

        def jvp(args, tangents):
            tangents = [Zero(tangent_of(x.type)) if t is None else t for x, t in zip(args, tangents)]
            outs, moved = rule(tuple(args), tuple(tangents), **self.named_parameters)
            if self.multiple:
                return [value_of(x) for x in outs], [given(t) for t in moved]
            return value_of(outs), given(moved)
        return jvp

    @property
    def transpose(self):
        rule = self.source.rule("transpose", "interpreters.ad.primitive_transposes[primitive] = rule(cotangent, *args, **parameters)")
        if isinstance(rule, Refused):
            return rule

        def transposed(ct, *args):
            if self.multiple:
                types = self.infer(tuple([a.type for a in args]))
                ct = [Zero(tangent_of(t)) if c is None else c for c, t in zip(ct, types)]
            found = rule(ct, *[UndefinedPrimal(a.type) if is_linear(a) else a for a in args], **self.named_parameters)
            return [None] * len(args) if found is None or isinstance(found, Zero) else [given(c) for c in found]
        return transposed

    @property
    def batch(self):
        rule = self.source.rule("batch", "interpreters.batching.primitive_batchers[primitive] = rule(args, dims, **parameters)")
        if isinstance(rule, Refused):
            return rule

        def batched(args, axes, batching):
            data = (batching,) if getattr(rule, "takes_axis_data", False) else ()
            outs, dims = rule(*data, tuple(args), tuple(axes), **self.named_parameters)
            return ([value_of(x) for x in outs], list(dims)) if self.multiple else (value_of(outs), dims)
        return batched


def traceable(impl):
    """An implementation that can be traced: not the one that only applies the primitive again."""
    return None if getattr(getattr(impl, "func", impl), "applies", False) else impl


def apply_primitive(prim, *args, **params):
    """Run a primitive at once by its lowering: an implementation for those that have one."""
    return prim.apply(*args, **params)


apply_primitive.applies = True
