"""Makes code that says `import jax` run on Gnomon: import this module first, or run `python -m gnomon.as_jax script.py`.

`jax` and its public modules become Gnomon's own; a name that is not there says so in one sentence. Real JAX is not touched, and
cannot be used in the same process.
"""
from __future__ import annotations

import importlib
import importlib.util
import sys
import types

from gnomon.base import settings
from gnomon.base.version import VERSION as GNOMON_VERSION
from gnomon.run.xla import VERSION

# The version told to code that asks which JAX this is: that of the jaxlib below.
VERSION_INFO = tuple(int(part) for part in VERSION.split(".") if part.isdigit())

# JAX's modules that have another name here; all others have the same one.
RENAMED = {"jax.ops": "gnomon.segments"}

# What modules say of themselves, and modules with nothing else in them.
VERSIONS = {"__version__": VERSION, "__version_info__": VERSION_INFO}
SAID = {"jax": VERSIONS, "jax.version": VERSIONS, "jax.lib": VERSIONS}
EMPTY = {name: types.ModuleType(name) for name in ("jax.version", "jax.lib")}

# Modules that are refused, and why: the longest name that fits counts.
REFUSED = {
    "jax._src": "these are JAX's internals; use the public names",
    "jax.experimental.pallas": "there are no Pallas kernels; write the function with jax.numpy and jax.lax",
    "jax.experimental.jax2tf": "there is no conversion to TensorFlow; hand over StableHLO: jax.jit(f).lower(...).as_text()",
    "jax.experimental.jet": "there is no Taylor mode; nest jax.jvp",
    "jax.experimental.compute_on": "code does not run on the host inside a compiled program; use pure_callback",
    "jax.extend.mlir": "programs are written as StableHLO text; see jax.jit(f).lower(...).as_text()",
    "jax.extend.lowering": "rules for lowering are given by jax.interpreters.mlir: register_lowering(primitive, lower_fun(function))",
    "jax.extend.pallas": "there are no Pallas kernels; write the function with jax.numpy and jax.lax",
    "jax.extend.ifrt_programs": "programs of other runtimes are not run; use jax.jit",
    "jax.extend.sharding": "shardings of the compiler's own are not built by hand; use jax.sharding.NamedSharding",
    "jax.extend.xla": "the compiler is behind jax.jit(f).lower(...).compile()",
    "jax.example_libraries": "of the example libraries only optimizers and stax are part of Gnomon; use a package for neural networks",
    "jax.tools": "JAX's tools are not part of Gnomon; jax.jit(f).lower(...).as_text() shows the compiled program",
}
NOT_THERE = "leave it out, or use real JAX for this program"


def why_not(name: str) -> str:
    """The sentence about a name that is not there."""
    parent = name
    while parent:
        if parent in REFUSED:
            return f"{name} is not in Gnomon: {REFUSED[parent]}."
        parent = parent.rpartition(".")[0]
    return f"{name} is not in Gnomon {GNOMON_VERSION} yet; {NOT_THERE}."


class Facade(types.ModuleType):
    """A jax module that is a Gnomon module under another name. Names are looked up once."""

    def __init__(self, name, ours):
        super().__init__(name, ours.__doc__)
        self.__dict__["_ours"] = ours
        self.__path__ = []
        self.__file__ = getattr(ours, "__file__", None)

    def __getattr__(self, name):
        if name == "__all__":
            return list(public_names(self._ours))
        if name.startswith("__") and not name.startswith("__array_"):
            raise AttributeError(name)
        full_name = f"{self.__name__}.{name}"
        value = getattr(self._ours, name, None)
        if value is not None and not isinstance(value, types.ModuleType):
            self.__dict__[name] = value
        elif module_for(full_name) is not None:
            value = importlib.import_module(full_name)
        elif value is not None or not hasattr(self._ours, name):       # a module that only Gnomon has, or nothing
            raise AttributeError(why_not(full_name))
        return value

    def __setattr__(self, name, value):
        if self.__name__.startswith("jax._src") and hasattr(self._ours, name):
            raise AttributeError(f"{self.__name__}.{name} cannot be replaced: Gnomon does not look it up there, so nothing would change.")
        super().__setattr__(name, value)

    def __dir__(self):
        return sorted(set(super().__dir__()) | set(public_names(self._ours)))


def public_names(module):
    """The names that `from module import *` brings."""
    return getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]


def module_for(name):
    """The module that a jax module's name stands for, or None: names of functions and of Gnomon's own rooms are none."""
    if name in EMPTY:
        return EMPTY[name]
    if name == "jax._src" or name.startswith("jax._src."):
        return importlib.import_module("gnomon.as_jax.internals").MODULES.get(name)
    if name in ROOMS or not (name == "jax" or name.startswith("jax.")):
        return None
    path = RENAMED.get(name, "gnomon" + name[3:])
    if path in sys.modules:
        return sys.modules[path]
    try:
        if importlib.util.find_spec(path) is None:
            return None
    except (ModuleNotFoundError, ValueError):
        return None
    return importlib.import_module(path)


# Gnomon's rooms are packages of its own, of which JAX has no counterpart.
ROOMS = frozenset(f"jax.{room}" for room in ("api", "as_jax", "base", "ir", "lower", "passes", "run", "segments", "trace", "transforms",
                                             "types", "__main__"))


class Finder:
    """Finds `jax` and `jax.*` in Gnomon: a finder and a loader by their methods (the base classes of importlib.abc take long to
    import)."""

    def find_spec(self, name, path=None, target=None):
        if name != "jax" and not name.startswith("jax."):
            return None
        if module_for(name) is None:
            # The name is left out of the error, so that `from jax import foo` shows this sentence and not Python's own.
            raise ModuleNotFoundError(why_not(name))
        return importlib.util.spec_from_loader(name, self, is_package=True)

    def create_module(self, spec):
        facade = Facade(spec.name, module_for(spec.name))
        facade.__dict__.update(SAID.get(spec.name, {}))
        return facade

    def exec_module(self, module):
        pass


FINDER = Finder()


def install():
    """Put Gnomon in JAX's place in this process. ImportError if real JAX is loaded already."""
    present = sys.modules.get("jax")
    if present is not None and not isinstance(present, Facade):
        raise ImportError("gnomon.as_jax must be imported before jax; real JAX is loaded in this process already.")
    if FINDER not in sys.meta_path:
        sys.meta_path.insert(0, FINDER)
    settings.config.update("announce", "silent")
    settings.read_environment("JAX_")


install()
