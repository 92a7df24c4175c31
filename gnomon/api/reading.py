"""Programs from their text."""
from __future__ import annotations

from gnomon.ir.jaxpr import ClosedJaxpr
from gnomon.ir.parse import parse
from gnomon.ops import op_named


def parse_jaxpr(text, consts=(), *, mesh=None) -> ClosedJaxpr:
    """The program that prints as `text`, such as `str(make_jaxpr(f)(x))`: it prints the same and has the same ops.

    `consts` are the values of the program's constants, which stand before the ``;`` and whose numbers are not printed. `mesh` is the mesh
    that sharded types (``f32[8@x]``) are on. Weak types are read where they are marked, as `pretty_print(weak=True)` prints them.
    ValueError, with line and column, for a text that is no program or that leaves out what a program holds: Python functions (callbacks,
    custom rules), arrays written into it, devices, indices of mutable references.

    >>> import gnomon
    >>> closed = parse_jaxpr("{ lambda ; a:f32[3]. let b:f32[3] = sin a; c:f32[3] = mul b 2.0:f32[] in (c,) }")
    >>> closed
    { lambda ; a:f32[3]. let b:f32[3] = sin a; c:f32[3] = mul b 2.0:f32[] in (c,) }
    >>> gnomon.core.eval_jaxpr(closed.jaxpr, closed.consts, gnomon.numpy.zeros(3))
    [Array([0., 0., 0.], dtype=float32)]
    """
    jaxpr, consts = parse(text, mesh, op_named), list(consts)
    if len(consts) != len(jaxpr.constvars):
        types = ", ".join([v.type.short() for v in jaxpr.constvars]) or "none"
        raise ValueError(f"parse_jaxpr got {len(consts)} consts for a program whose constants are {types}. Give one value for each, as consts=.")
    return ClosedJaxpr(jaxpr, consts)
