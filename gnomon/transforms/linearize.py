"""Reverse differentiation is composed: jvp, then split at the tangents, then transpose."""
from __future__ import annotations

import contextlib

from gnomon.trace.context import local
from gnomon.transforms.jvp import has_tangent, jvp
from gnomon.transforms.split import split
from gnomon.transforms.transpose import transpose

@contextlib.contextmanager
def listening_for_kept():
    """Context manager: a list that gets (program, count, lanes) for each reverse pass made in this thread: the last `count` outputs of
    the program are kept for it, in so many lanes of vmap."""
    before, local.kept = local.kept, []
    try:
        yield local.kept
    finally:
        local.kept = before


def tell_kept(jaxpr):
    """Tell who listens of what the reverse pass of a program keeps."""
    if local.kept is not None:
        local.kept.append((*jaxpr.memo["kept"], local.lanes))


def linearize(jaxpr, nonzero):
    """(early, later, has, residuals): early computes the outputs and residuals from the inputs; later is linear, from
    residuals and tangents of the `nonzero` inputs to tangents of the outputs that have one (`has`)."""
    nonzero = tuple(nz and has_tangent(v.type) for nz, v in zip(nonzero, jaxpr.invars))
    moved, has = jvp(jaxpr, nonzero)
    n, k = len(jaxpr.invars), len(jaxpr.outvars)
    early, later, _, count = split(moved, (False,) * n + (True,) * (len(moved.invars) - n),
                                   (False,) * k + (True,) * (len(moved.outvars) - k))
    return early, later, has, count


def vjp(jaxpr, nonzero, has_ct=None):
    """(early, back, has, residuals): early as in `linearize`; back goes from residuals and the cotangents of outputs that
    `has` (and `has_ct`) to the cotangents of the `nonzero` inputs."""
    early, later, has, count = linearize(jaxpr, nonzero)
    given = None if has_ct is None else tuple(g for g, h in zip(has_ct, has) if h)
    linear = (False,) * count + (True,) * (len(later.invars) - count)
    back, _ = transpose(later, linear, given)
    jaxpr.memo["kept"] = early, count
    return early, back, has, count
