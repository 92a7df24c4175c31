"""gnomon.numpy: NumPy's functions on Gnomon's arrays, with JAX's names and semantics."""
from gnomon.base.late import late as _late
from gnomon.numpy import operators  # noqa: F401 - gives arrays their operators
from gnomon.numpy.creation import *  # noqa: F401,F403
from gnomon.numpy.dtypes import *  # noqa: F401,F403
from gnomon.numpy.manipulation import *  # noqa: F401,F403
from gnomon.numpy.matrices import *  # noqa: F401,F403
from gnomon.numpy.products import *  # noqa: F401,F403
from gnomon.numpy.reductions import *  # noqa: F401,F403
from gnomon.numpy.selection import *  # noqa: F401,F403
from gnomon.numpy.sorting import *  # noqa: F401,F403
from gnomon.numpy.taking import *  # noqa: F401,F403
from gnomon.numpy.ufuncs import *  # noqa: F401,F403

# The functions of every program are above; these areas are loaded when one of their names is first asked for.
_AREAS = {
    "gnomon.numpy.comparing":
        "allclose array_equal array_equiv array_repr array_str isclose packbits unpackbits vander",
    "gnomon.numpy.einstein":
        "einsum einsum_path",
    "gnomon.numpy.files":
        "get_printoptions load printoptions save savez set_printoptions",
    "gnomon.numpy.functional":
        "apply_along_axis apply_over_axes iterable vectorize",
    "gnomon.numpy.grids":
        "c_ fromfunction geomspace index_exp indices ix_ linspace logspace meshgrid mgrid ogrid r_ s_",
    "gnomon.numpy.namespace_info":
        "__array_api_version__ __array_namespace_info__",
    "gnomon.numpy.padding":
        "pad",
    "gnomon.numpy.polynomials":
        "poly polyadd polyder polydiv polyfit polyint polymul polysub polyval roots",
    "gnomon.numpy.quantiles":
        "median nanmedian nanpercentile nanquantile percentile quantile",
    "gnomon.numpy.sets":
        "intersect1d isin setdiff1d setxor1d union1d unique unique_all unique_counts unique_inverse unique_values",
    "gnomon.numpy.signals":
        "bartlett blackman convolve correlate diff ediff1d gradient hamming hanning interp kaiser trapezoid unwrap",
    "gnomon.numpy.statistics":
        "bincount corrcoef cov histogram histogram2d histogram_bin_edges histogramdd",
    "gnomon.numpy.ufunc_objects":
        "add bitwise_and bitwise_or bitwise_xor frompyfunc logaddexp logaddexp2 logical_and logical_or logical_xor maximum "
        "minimum multiply negative subtract ufunc",
}

__getattr__, __dir__, __all__ = _late(__name__, _AREAS, ("fft", "linalg"))  # noqa: PLE0605
