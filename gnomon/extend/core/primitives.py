"""The primitives by name: `primitives.sin_p` is the `primitive` of every equation that takes a sine.

>>> import gnomon
>>> eqn, = gnomon.make_jaxpr(lambda x: x * 2.0)(1.0).eqns
>>> eqn.primitive is mul_p, eqn.primitive.name  # doctest: +SKIP
(True, 'mul')
"""
from gnomon.ir.op import primitive_named as _primitive_named


def __getattr__(name):
    found = _primitive_named(name) if name.endswith("_p") else None
    if found is None:
        raise AttributeError(f"Gnomon has no primitive {name!r}.")
    return found
