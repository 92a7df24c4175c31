"""The ops, a class each; families are loaded by who uses them."""
import importlib as _importlib
import pkgutil as _pkgutil

from gnomon.ir.op import OPS as _OPS, primitive_named as _primitive_named


def primitive_named(name):
    """The `Primitive` that prints as `name`, with or without JAX's suffix ``_p``; None if there is none."""
    found = _primitive_named(name)
    if found is None:
        load_families()
        found = _primitive_named(name)
    return found


def op_named(name):
    """The class of the ops that print as `name`; None if there is none."""
    found = _OPS.get(name)
    if found is None:
        load_families()
        found = _OPS.get(name)
    return found


def load_families():
    """Load the ops that nothing has asked for yet."""
    for module in _pkgutil.walk_packages(__path__, f"{__name__}."):
        _importlib.import_module(module.name)
