"""Every public function of the numerical modules says what it does and has an example; `pytest --doctest-modules gnomon` runs them."""
import importlib
import inspect

import pytest

MODULES = """numpy numpy.linalg numpy.fft random nn nn.initializers image segments dtypes tree scipy.special scipy.linalg scipy.signal scipy.fft
    scipy.ndimage scipy.interpolate scipy.integrate scipy.optimize scipy.sparse.linalg scipy.cluster.vq scipy.spatial.transform scipy.stats
    scipy.stats.bernoulli scipy.stats.beta scipy.stats.betabinom scipy.stats.binom scipy.stats.cauchy scipy.stats.chi2 scipy.stats.dirichlet
    scipy.stats.expon scipy.stats.gamma scipy.stats.gennorm scipy.stats.geom scipy.stats.gumbel_l scipy.stats.gumbel_r scipy.stats.laplace
    scipy.stats.logistic scipy.stats.multinomial scipy.stats.multivariate_normal scipy.stats.nbinom scipy.stats.norm scipy.stats.pareto
    scipy.stats.poisson scipy.stats.t scipy.stats.truncnorm scipy.stats.uniform scipy.stats.vonmises scipy.stats.wrapcauchy""".split()


def public(module):
    """(name, object) for the functions and classes of ours that a module offers."""
    names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    for name in names:
        value = getattr(module, name)
        if callable(value) and str(getattr(value, "__module__", None) or "").startswith("gnomon") and not name.startswith("_"):
            yield name, value


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(f"gnomon.{name}")
    bare = [n for n, value in public(module) if not inspect.isclass(value) and ">>>" not in (value.__doc__ or "")]
    assert not bare
    assert not [n for n, value in public(module) if not (value.__doc__ or "").strip()]
