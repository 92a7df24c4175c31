"""Every public function of gnomon.numpy has a docstring with an example that runs."""
import doctest
import inspect
import sys

import pytest

import gnomon.numpy as jnp

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
PUBLIC = sorted(name for name in dir(jnp) if not name.startswith("_") and callable(getattr(jnp, name))
                and getattr(getattr(jnp, name), "__module__", None) is not None
                and getattr(jnp, name).__module__.startswith("gnomon.numpy"))


@pytest.mark.parametrize("name", PUBLIC)
def test_example(name):
    function = getattr(jnp, name)
    names = vars(sys.modules[function.__module__])
    found = doctest.DocTestParser().get_doctest(inspect.cleandoc(function.__doc__ or ""), dict(names), name, None, 0)
    assert found.examples, f"{name} has no example"
    report = []
    doctest.DocTestRunner(verbose=False, optionflags=FLAGS).run(found, out=report.append)
    assert not report, "".join(report)
