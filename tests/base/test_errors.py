"""The exceptions: their bases, and the marker that stands in a rule's slot."""
import pytest

from gnomon.base import errors
from gnomon.base.errors import GnomonWarning, Refused


def test_every_public_name_is_an_exception_that_takes_a_sentence():
    for name in errors.__all__:
        error = getattr(errors, name)("a sentence")
        assert isinstance(error, Exception) and str(error) == "a sentence"


def test_refused_is_marker_and_error():
    marker = Refused("no transpose; use grad")
    assert marker.why == "no transpose; use grad"
    with pytest.raises(NotImplementedError, match="no transpose; use grad"):
        raise marker


def test_a_marker_called_as_a_rule_raises_a_new_error_each_time():
    marker = Refused("no transpose; use grad")
    seen = []
    for _ in range(2):
        with pytest.raises(Refused) as caught:
            marker("cotangent", 1, keyword=2)
        seen.append(caught.value)
    assert seen[0] is not seen[1] and marker not in seen
    assert marker.__traceback__ is None


def test_a_marker_in_a_class_body_does_not_bind():
    class Op:
        transpose = Refused("no transpose; use grad")

    with pytest.raises(Refused, match="no transpose"):
        Op().transpose("cotangent")


def test_the_warning_can_be_filtered_as_a_user_warning():
    assert issubclass(GnomonWarning, UserWarning)
