"""gnomon.scipy.sparse: linear systems that are solved by products alone."""
from gnomon.scipy.sparse import linalg  # noqa: F401
