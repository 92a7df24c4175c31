"""Jaxpr -> Jaxpr with another meaning: jvp, split, transpose, vmap, and what is composed of them."""
from gnomon.transforms import jvp as _jvp_module
from gnomon.transforms.jvp import has_tangent, jvp, tangent_type
from gnomon.transforms.linearize import linearize, vjp
from gnomon.transforms.split import split
from gnomon.transforms.transpose import cotangent_type, transpose
from gnomon.transforms.vmap import Batching, vmap


class Transforms:
    """The set of transforms, as handed to the rules of nested ops."""

    jvp = staticmethod(jvp)
    split = staticmethod(split)
    transpose = staticmethod(transpose)
    vmap = staticmethod(vmap)
    linearize = staticmethod(linearize)
    Batching = Batching
    has_tangent = staticmethod(has_tangent)
    tangent_type = staticmethod(tangent_type)
    cotangent_type = staticmethod(cotangent_type)


_jvp_module.T[0] = Transforms
