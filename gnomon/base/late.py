"""Modules that are loaded when something of them is first asked for, so that an import costs what it uses."""
import importlib
import sys

_MODULE = type(sys)
load = importlib.import_module


class Late:
    """A module that is loaded when something of it is first wanted."""

    def __init__(self, name):
        self.__name__ = name

    def __getattr__(self, attribute):
        value = self.__dict__[attribute] = getattr(load(self.__name__), attribute)
        return value


def late(package, names, modules=()):
    """`__getattr__`, `__dir__` and `__all__` of a package whose other names are there already.

    `names` maps a module's full name to the public names, apart by spaces, that it gives the package; `modules` are submodules that
    are attributes themselves. A module may not share a name with what it gives: the import system would put the module in its place.
    """
    space = sys.modules[package].__dict__
    homes = {name: module for module, own in names.items() for name in own.split()}

    def __getattr__(name):
        if name in modules:
            return load(f"{package}.{name}")
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = load(homes[name])
        for own in names[homes[name]].split():
            space.setdefault(own, getattr(module, own))
        return space[name]

    def __dir__():
        return sorted({*space, *homes, *modules})

    there = [name for name, value in space.items() if not name.startswith("_") and value.__class__ is not _MODULE]
    return __getattr__, __dir__, [*there, *homes, *modules]
