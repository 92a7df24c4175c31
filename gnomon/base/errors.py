"""Every exception Gnomon raises that Python does not already name.

Names and bases are those of ``jax.errors``, so ``except`` clauses written for JAX keep working. A message is one
sentence: what was called, on which argument, at which line, and one way out. All constructors take that sentence.
"""
from __future__ import annotations

__all__ = [
    "ConcretizationTypeError", "GnomonWarning", "InconclusiveDimensionOperation", "JAXIndexError", "JAXTypeError",
    "JaxRuntimeError", "JaxprTypeError", "KeyReuseError", "NonConcreteBooleanIndexError", "Refused",
    "ShardingTypeError", "TracerArrayConversionError", "TracerBoolConversionError", "TracerIntegerConversionError",
    "TypePromotionError", "UnexpectedTracerError",
]


def shown(value) -> str:
    """A value in a message: its repr, in one line of at most 80 characters."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


class JAXTypeError(TypeError):
    """Base of the type errors that have to do with traced values."""


class JAXIndexError(IndexError):
    """Base of the index errors that have to do with traced values."""


class ConcretizationTypeError(JAXTypeError):
    """A number was asked of a traced value, which has a type and no number (``float(x)`` under ``jit``)."""


class TracerBoolConversionError(ConcretizationTypeError):
    """A traced value was used where Python needs True or False (``if x > 0``)."""


class TracerArrayConversionError(JAXTypeError):
    """A traced value was handed to NumPy, which needs its numbers (``numpy.sin(x)``, ``numpy.asarray(x)``)."""


class TracerIntegerConversionError(JAXTypeError):
    """A traced value was used where Python needs an integer (``some_list[x]``, ``range(x)``)."""


class NonConcreteBooleanIndexError(JAXIndexError):
    """A traced boolean mask was used as an index, so the shape of the result would depend on numbers not yet known."""


class UnexpectedTracerError(JAXTypeError):
    """A traced value was used after the trace it belongs to had ended: it leaked out of the traced function."""


class KeyReuseError(JAXTypeError):
    """A random key was consumed twice."""


class JaxprTypeError(TypeError):
    """A program failed its type check."""


class InconclusiveDimensionOperation(Exception):
    """A comparison of symbolic sizes has different answers for different sizes."""


class ShardingTypeError(Exception):
    """The shardings of the operands do not fit together, or leave the result's sharding open."""


class TypePromotionError(ValueError):
    """The operands' dtypes have no implicit common dtype under the promotion rules in force."""


class JaxRuntimeError(RuntimeError):
    """The compiler or the device reported a failure."""


class Refused(NotImplementedError):
    """What Gnomon does not do, and what to do instead.

    It is raised, and it stands in an op's rule slot in place of the rule. Calling it there, as a rule would be
    called, raises a new `Refused` with the same sentence: a marker lives as long as its op, so it must not collect
    tracebacks itself.

    >>> rule = Refused("sort has no transpose; take the gradient of its values instead")
    >>> rule.why
    'sort has no transpose; take the gradient of its values instead'
    """

    def __init__(self, why: str):
        super().__init__(why)
        self.why = why

    def __call__(self, *args, **kwargs):
        raise type(self)(self.why)


class GnomonWarning(UserWarning):
    """Something Gnomon did that may not be what was meant, such as narrowing a dtype or tracing again."""
