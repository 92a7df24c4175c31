"""Functions wrapped in layers of transformations, as JAX's own transforms are written.

Gnomon's transforms rewrite programs and do not use this; it is here for code written against JAX's module. A transformation is
a function `gen(f, *static, *args, **kwargs)` that calls `f`; one "with aux" gets a `store(value)` function behind `f`, and what
it stores can be read once the wrapped function was called.
"""
from __future__ import annotations

import functools

__all__ = ["StoreException", "WrappedFun", "cache", "merge_linear_aux", "transformation", "transformation2", "transformation_with_aux",
           "transformation_with_aux2", "wrap_init"]

_EMPTY = object()


class StoreException(Exception):  # noqa: N818
    """A value was stored twice, or read before it was stored."""


class Store:
    """A place for one value."""

    def __init__(self):
        self.value = _EMPTY

    def store(self, value):
        if self.value is not _EMPTY and self.value != value:
            raise StoreException("a transformation stored its auxiliary output twice")
        self.value = value

    def __call__(self):
        if self.value is _EMPTY:
            raise StoreException("the auxiliary output is there only once the wrapped function was called")
        return self.value


class WrappedFun:
    """A function with transformations around it; `call_wrapped` calls all of it."""

    __slots__ = ("f", "f_transformed", "transforms", "params", "debug_info")

    def __init__(self, f, f_transformed, transforms, params, debug_info):
        self.f, self.f_transformed, self.transforms, self.params = f, f_transformed, transforms, params
        self.debug_info = debug_info

    @property
    def __name__(self):
        return getattr(self.f, "__name__", type(self.f).__name__)

    def wrap(self, gen, static, store=None):
        """The function with one more transformation around it."""
        before = (*static, store.store) if store is not None else static
        outer = functools.partial(gen, self.f_transformed, *before)
        return WrappedFun(self.f, outer, ((gen, static), *self.transforms), self.params, self.debug_info)

    def call_wrapped(self, *args, **kwargs):
        """Call the function through all its transformations."""
        return self.f_transformed(*args, **kwargs)

    def __repr__(self):
        return f"<wrapped {self.__name__} in {len(self.transforms)} transformations>"

    def _key(self):
        return self.f, self.transforms, self.params

    def __eq__(self, other):
        return isinstance(other, WrappedFun) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())


def wrap_init(f, params=None, *, debug_info=None) -> WrappedFun:
    """A function with no transformation around it yet.

    >>> wrap_init(lambda x: x + 1).call_wrapped(1)
    2
    """
    params = {} if params is None else params
    return WrappedFun(f, functools.partial(f, **params), (), tuple(sorted(params.items())), debug_info)


def transformation2(gen, fun: WrappedFun, *static) -> WrappedFun:
    """`fun` with `gen(f, *static, *args)` around it."""
    return fun.wrap(gen, static)


def transformation_with_aux2(gen, fun: WrappedFun, *static, use_eq_store=False, unk_names=False):
    """`fun` with `gen(f, *static, store, *args)` around it, and a function that reads what it stored."""
    store = Store()
    return fun.wrap(gen, static, store), store


def transformation(gen, fun: WrappedFun, *static) -> WrappedFun:
    """`fun` with a generator around it: `gen(*static, *args)` yields (args, kwargs), gets the output, and yields the new one."""
    return fun.wrap(functools.partial(_through_generator, gen), static)


def transformation_with_aux(gen, fun: WrappedFun, *static):
    """The same for a generator that yields (output, aux) in the end."""
    store = Store()
    return fun.wrap(functools.partial(_through_generator_with_aux, gen, len(static)), static, store), store


def _through_generator(gen, f, *args, **kwargs):
    steps = gen(*args, **kwargs)
    inner_args, inner_kwargs = next(steps)
    out = steps.send(f(*inner_args, **inner_kwargs))
    steps.close()
    return out


def _through_generator_with_aux(gen, n, f, *args, **kwargs):
    static, store, rest = args[:n], args[n], args[n + 1:]
    steps = gen(*static, *rest, **kwargs)
    inner_args, inner_kwargs = next(steps)
    out, aux = steps.send(f(*inner_args, **inner_kwargs))
    steps.close()
    store(aux)
    return out


def merge_linear_aux(aux1, aux2):
    """(True, what `aux1` holds), or (False, what `aux2` holds): exactly one of two auxiliary outputs must be there."""
    found = []
    for which, aux in ((True, aux1), (False, aux2)):
        try:
            found.append((which, aux()))
        except StoreException:
            pass
    if len(found) != 1:
        raise StoreException(f"{len(found)} of two auxiliary outputs are there; exactly one must be")
    return found[0]


def cache(call, *, explain=None):
    """`call(fun, *args)` remembered per wrapped function and arguments."""
    return functools.lru_cache(maxsize=None)(call)
