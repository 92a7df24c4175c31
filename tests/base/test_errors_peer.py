"""The exceptions have JAX's names and JAX's bases."""
import builtins

import pytest

from gnomon.base import errors

pytestmark = pytest.mark.peer


def public_bases(error):
    """Names of the classes above `error`; private helpers are the peer's own business."""
    return [base.__name__ for base in error.__mro__ if not base.__name__.startswith("_")]


def test_same_names_and_bases(peer):
    theirs = {name: value for name, value in vars(peer.errors).items()
              if isinstance(value, type) and issubclass(value, Exception)}
    assert len(theirs) >= 12
    for name, value in theirs.items():
        assert public_bases(getattr(errors, name)) == public_bases(value), name


def test_errors_outside_that_module_have_the_same_built_in_base(peer):
    with pytest.raises(Exception) as caught:
        with peer.numpy_dtype_promotion("strict"):
            peer.numpy.arange(3, dtype="bfloat16") + peer.numpy.arange(3, dtype="float16")
    built_in = [base for base in type(caught.value).__mro__ if base.__module__ == builtins.__name__]
    assert type(caught.value).__name__ == "TypePromotionError"
    assert [base for base in errors.TypePromotionError.__mro__ if base.__module__ == builtins.__name__] == built_in
