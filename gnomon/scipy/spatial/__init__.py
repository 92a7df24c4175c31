"""gnomon.scipy.spatial: rotations in space."""
from gnomon.scipy.spatial import transform  # noqa: F401
