"""Makes code that says `import jax` run on Gnomon: import this module first, or run `python -m gnomon.as_jax script.py`.

`jax` and its public modules become Gnomon's own; a name that is not there yet says so in one sentence.
"""
from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import sys
import types

import gnomon
from gnomon.base import settings

# jax's modules whose names differ from ours are told here; all others map by name.
RENAMED = {"jax.Array": "gnomon.Array"}


class Facade(types.ModuleType):
    """A jax module that is a Gnomon module under another name."""

    def __init__(self, name, ours):
        super().__init__(name, ours.__doc__)
        self.__dict__["_ours"] = ours
        self.__path__ = []
        self.__spec__ = importlib.util.spec_from_loader(name, FINDER, is_package=True)

    def __getattr__(self, name):
        try:
            return getattr(self._ours, name)
        except AttributeError:
            pass
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(f"{self.__name__}.{name} is not in Gnomon {gnomon.__version__} yet; leave it out, or use real JAX for this "
                             "program.")

    def __dir__(self):
        return sorted(set(super().__dir__()) | set(dir(self._ours)))


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `jax` and `jax.*` in Gnomon."""

    def find_spec(self, name, path=None, target=None):
        if name != "jax" and not name.startswith("jax."):
            return None
        if ours(name) is None:
            raise ModuleNotFoundError(f"{name} is not in Gnomon {gnomon.__version__} yet; leave it out, or use real JAX for this program.",
                                      name=name)
        return importlib.util.spec_from_loader(name, self, is_package=True)

    def create_module(self, spec):
        return Facade(spec.name, ours(spec.name))

    def exec_module(self, module):
        pass


def ours(name):
    """The Gnomon module for a jax module's name, or None."""
    path = RENAMED.get(name, "gnomon" + name[3:])
    parts = path.split(".")
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name is not None and not path.startswith(error.name):
            raise
    found = gnomon
    for part in parts[1:]:
        found = getattr(found, part, None)
        if found is None:
            return None
    return found


FINDER = Finder()


def install():
    """Put Gnomon in JAX's place in this process."""
    present = sys.modules.get("jax")
    if present is not None and not isinstance(present, Facade):
        raise ImportError("gnomon.as_jax must be imported before jax; real JAX is loaded in this process already.")
    if FINDER not in sys.meta_path:
        sys.meta_path.insert(0, FINDER)
    settings.config.update("announce", "silent")
    settings.read_environment("JAX_")


install()
