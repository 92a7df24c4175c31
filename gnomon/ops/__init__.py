"""The ops, a class each; families are loaded by who uses them."""
import functools as _functools
import importlib as _importlib
import pkgutil as _pkgutil

from gnomon.ir.op import OPS as _OPS, primitive_named as _primitive_named


def primitive_named(name):
    """The `Primitive` that prints as `name`, with or without JAX's suffix ``_p``; None if there is none."""
    return _found(_primitive_named, name)


def op_named(name):
    """The class of the ops that print as `name`; None if there is none."""
    return _found(_OPS.get, name)


def _found(look, name):
    found = look(name)
    if found is None:
        load_families()
        found = look(name)
    return found


@_functools.cache
def load_families():
    """Load the ops that nothing has asked for yet."""
    for module in _pkgutil.walk_packages(__path__, f"{__name__}."):
        _importlib.import_module(module.name)
