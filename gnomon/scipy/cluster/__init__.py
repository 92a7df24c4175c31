"""gnomon.scipy.cluster: assignment to clusters."""
from gnomon.scipy.cluster import vq  # noqa: F401
