"""gnomon.lax: the operations themselves, as functions, and structured control flow."""
from gnomon.api.control import associative_scan, cond, fori_loop, map, scan, switch, while_loop  # noqa: F401,A004
from gnomon.api.places import with_sharding_constraint  # noqa: F401
from gnomon.lax.arithmetic import *  # noqa: F401,F403,A004
from gnomon.api.linear_solve import custom_linear_solve, custom_root  # noqa: F401
from gnomon.lax import linalg  # noqa: F401
from gnomon.lax.collectives import *  # noqa: F401,F403
from gnomon.lax.convolution import *  # noqa: F401,F403
from gnomon.lax.dot import *  # noqa: F401,F403
from gnomon.lax.fft import *  # noqa: F401,F403
from gnomon.lax.functions import *  # noqa: F401,F403,A004
from gnomon.lax.indexing import *  # noqa: F401,F403
from gnomon.lax.named import *  # noqa: F401,F403
from gnomon.lax.ordering import *  # noqa: F401,F403
from gnomon.lax.random import *  # noqa: F401,F403
from gnomon.lax.ragged import *  # noqa: F401,F403
from gnomon.lax.reductions import *  # noqa: F401,F403
from gnomon.lax.shape import *  # noqa: F401,F403
from gnomon.lax.slicing import *  # noqa: F401,F403
from gnomon.lax.windows import *  # noqa: F401,F403
from gnomon.ir.op import primitive_named as _primitive_named

_OTHER_NAMES = {"linear_solve_p": "custom_linear_solve_p"}


def __getattr__(name):
    """The primitives: `lax.sin_p` is the `primitive` of the equations that take a sine."""
    found = _primitive_named(_OTHER_NAMES.get(name, name)) if name.endswith("_p") else None
    if found is None:
        raise AttributeError(f"module 'gnomon.lax' has no attribute {name!r}")
    return found
