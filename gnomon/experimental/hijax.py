"""Types and primitives of one's own that compile to several arrays. Gnomon has none: the names are here so that code which only defines
them runs."""
from gnomon.api.absent import absent_class as _absent_class
from gnomon.api.core import AbstractValue, ShapedArray
from gnomon.base.errors import Refused as _Refused
from gnomon.interpreters.ad import Zero, instantiate_zeros, is_undefined_primal
from gnomon.types.value_type import RefType as AbstractRef

__all__ = ["AbstractRef", "AbstractValue", "AvalMutableQDD", "AvalQDD", "HiPrimitive", "HiPspec", "HiType", "MutableHiType", "ShapedArray",
           "TransformedRef", "VJPHiPrimitive", "Zero", "aval_method", "aval_property", "control_flow_allowed_effects", "instantiate_zeros",
           "is_undefined_primal", "register_hitype"]

_WHY = "types that hold several arrays are not there; register the class as a pytree, or keep its arrays in references (gnomon.new_ref)"
AvalMutableQDD, AvalQDD, HiPspec, HiType, MutableHiType, TransformedRef, VJPHiPrimitive = (
    _absent_class(f"hijax.{name}", _WHY) for name in ("AvalMutableQDD", "AvalQDD", "HiPspec", "HiType", "MutableHiType", "TransformedRef",
                                                      "VJPHiPrimitive"))


class HiPrimitive:
    """A primitive on such types: it can be defined, and not be bound."""

    def __init__(self, name):
        self.name = name

    def bind(self, *args, **params):
        raise _Refused(f"the primitive {self.name} cannot be bound: {_WHY}.")


class aval_property:  # noqa: N801
    """A property of values of such a type."""

    def __init__(self, fget):
        self.fget = fget


class aval_method:  # noqa: N801
    """A method of values of such a type."""

    def __init__(self, fun):
        self.fun = fun


class _EffectTypes:
    """Classes of effects, which loops and branches would allow."""

    def add_type(self, effect_type):
        """Nothing here has such an effect, so nothing has to allow it."""


control_flow_allowed_effects = _EffectTypes()


def register_hitype(val_cls, typeof_fn) -> None:
    """Takes the class; its values cannot be given to a traced function, which says so."""
