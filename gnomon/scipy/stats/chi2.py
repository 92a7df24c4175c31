"""gnomon.scipy.stats.chi2: the chi-squared distribution with `df` degrees of freedom, a gamma distribution."""
from __future__ import annotations

from gnomon.scipy.floats import elementwise
from gnomon.scipy.stats import gamma

__all__ = ["cdf", "logcdf", "logpdf", "logsf", "pdf", "sf"]


@elementwise
def logpdf(x, df, loc=0, scale=1):
    """The logarithm of the density; -inf below `loc`.

    >>> float(logpdf(2.0, 2.0))
    -1.69314...
    """
    return gamma.logpdf(x, df / 2, loc, 2 * scale)


@elementwise
def pdf(x, df, loc=0, scale=1):
    """The density.

    >>> float(pdf(2.0, 2.0))
    0.18393...
    """
    return gamma.pdf(x, df / 2, loc, 2 * scale)


@elementwise
def cdf(x, df, loc=0, scale=1):
    """The probability of at most x.

    >>> float(cdf(2.0, 2.0))
    0.63212...
    """
    return gamma.cdf(x, df / 2, loc, 2 * scale)


@elementwise
def logcdf(x, df, loc=0, scale=1):
    """The logarithm of `cdf`.

    >>> float(logcdf(2.0, 2.0))
    -0.45867...
    """
    return gamma.logcdf(x, df / 2, loc, 2 * scale)


@elementwise
def sf(x, df, loc=0, scale=1):
    """The probability of more than x, exact where it is near 0.

    >>> float(sf(2.0, 2.0))
    0.36787...
    """
    return gamma.sf(x, df / 2, loc, 2 * scale)


@elementwise
def logsf(x, df, loc=0, scale=1):
    """The logarithm of `sf`.

    >>> float(logsf(4.0, 2.0))
    -2.0...
    """
    return gamma.logsf(x, df / 2, loc, 2 * scale)
