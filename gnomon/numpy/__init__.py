"""gnomon.numpy: NumPy's functions on Gnomon's arrays, with JAX's names and semantics."""
from gnomon.numpy import fft  # noqa: F401
from gnomon.numpy import operators  # noqa: F401 - gives arrays their operators
from gnomon.numpy import linalg  # noqa: F401
from gnomon.numpy.comparing import *  # noqa: F401,F403
from gnomon.numpy.creation import *  # noqa: F401,F403
from gnomon.numpy.dtypes import *  # noqa: F401,F403
from gnomon.numpy.einsum import *  # noqa: F401,F403
from gnomon.numpy.files import *  # noqa: F401,F403
from gnomon.numpy.functional import *  # noqa: F401,F403
from gnomon.numpy.grids import *  # noqa: F401,F403
from gnomon.numpy.manipulation import *  # noqa: F401,F403
from gnomon.numpy.matrices import *  # noqa: F401,F403
from gnomon.numpy.namespace_info import *  # noqa: F401,F403
from gnomon.numpy.padding import *  # noqa: F401,F403
from gnomon.numpy.polynomials import *  # noqa: F401,F403
from gnomon.numpy.products import *  # noqa: F401,F403
from gnomon.numpy.quantiles import *  # noqa: F401,F403
from gnomon.numpy.reductions import *  # noqa: F401,F403
from gnomon.numpy.selection import *  # noqa: F401,F403
from gnomon.numpy.sets import *  # noqa: F401,F403
from gnomon.numpy.signals import *  # noqa: F401,F403
from gnomon.numpy.sorting import *  # noqa: F401,F403
from gnomon.numpy.statistics import *  # noqa: F401,F403
from gnomon.numpy.taking import *  # noqa: F401,F403
from gnomon.numpy.ufunc_objects import *  # noqa: F401,F403
from gnomon.numpy.ufuncs import *  # noqa: F401,F403
