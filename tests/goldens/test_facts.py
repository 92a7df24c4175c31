"""The facts of facts.py hold, word for word."""
from __future__ import annotations

import warnings

import pytest

from tests.goldens.facts import FACTS


@pytest.mark.parametrize("name", FACTS)
def test_fact(name):
    run, want = FACTS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert run() == want
