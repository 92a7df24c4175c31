"""gnomon.scipy.cluster.vq: vector quantization."""
from __future__ import annotations

from gnomon import numpy as jnp
from gnomon.numpy.composite import composite
from gnomon.numpy.promote import promote_inexact

__all__ = ["vq"]


@composite
def vq(obs, code_book, check_finite=True):
    """(codes, distances): for every observation the number of the nearest entry of the code book, and how far it is.

    obs: (m, n), code_book: (k, n); with vectors for n = 1. check_finite has no effect.

    >>> import gnomon.numpy as jnp
    >>> codes, distances = vq(jnp.array([[1.0], [5.0]]), jnp.array([[0.0], [4.0]]))
    >>> codes.tolist(), distances.tolist()
    ([0, 1], [1.0, 1.0])
    """
    x, book = promote_inexact("vq", obs, code_book)
    if x.ndim != book.ndim or x.ndim not in (1, 2) or x.ndim == 2 and x.shape[1] != book.shape[1]:
        raise ValueError(f"vq takes observations (m, n) and a code book (k, n), got shapes {x.shape} and {book.shape}.")
    if x.ndim == 1:
        x, book = x[:, None], book[:, None]
    distances = jnp.linalg.norm(x[:, None, :] - book[None, :, :], axis=-1)
    return jnp.argmin(distances, -1), distances.min(-1)
