"""gnomon.scipy.stats: distributions, a module each, kernel density estimates and a few statistics."""
from __future__ import annotations

from gnomon.scipy.stats import (bernoulli, beta, betabinom, binom, cauchy, chi2, dirichlet, expon, gamma, gennorm, geom, gumbel_l,  # noqa: F401
                                gumbel_r, laplace, logistic, multinomial, multivariate_normal, nbinom, norm, pareto, poisson, t,
                                truncnorm, uniform, vonmises, wrapcauchy)
from gnomon.scipy.stats.density import gaussian_kde
from gnomon.scipy.stats.summaries import mode, rankdata, sem

__all__ = ["bernoulli", "beta", "betabinom", "binom", "cauchy", "chi2", "dirichlet", "expon", "gamma", "gaussian_kde", "gennorm", "geom",
           "gumbel_l", "gumbel_r", "laplace", "logistic", "mode", "multinomial", "multivariate_normal", "nbinom", "norm", "pareto",
           "poisson", "rankdata", "sem", "t", "truncnorm", "uniform", "vonmises", "wrapcauchy"]
