"""The two registries of pytree nodes, our own and not jaxlib's default ones, handed to `base.tree`."""
from __future__ import annotations

from jaxlib._jax import pytree

from gnomon.base import tree


class Registry(pytree.PyTreeRegistry):
    """A registry that pickles as its name in this module, so that structures can be pickled."""

    def __init__(self, name: str, **nodes: bool):
        super().__init__(**nodes)
        self.name = name

    def __reduce__(self):
        return self.name


standard = Registry("standard")
ordered = Registry("ordered", enable_dict=False)
tree.install(standard, ordered, pytree)
