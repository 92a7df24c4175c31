"""The examples in the docstrings run."""
import doctest

import pytest

import gnomon.run.pytree  # noqa: F401  (makes the registries)
from gnomon.base import errors, settings, tree


@pytest.mark.parametrize("module", [errors, settings, tree], ids=lambda module: module.__name__)
def test_examples(module):
    result = doctest.testmod(module)
    assert result.attempted > 0 and result.failed == 0
