"""What an operation does besides computing its results."""
from __future__ import annotations

from dataclasses import dataclass

PURE = frozenset()


@dataclass(frozen=True)
class Effect:
    """One kind of side effect. `ordered` effects keep their order in a program; none is removed as dead work."""

    name: str
    ordered: bool = False

    def __str__(self):
        return self.name


@dataclass(frozen=True)
class NamedAxis:
    """Not a side effect: says that a program uses a mapped axis by this name, so that its type depends on it."""

    axis: object

    ordered = False

    def __str__(self):
        return f"axis {self.axis}"


CALLBACK = frozenset([Effect("callback")])
ORDERED_CALLBACK = frozenset([Effect("ordered callback", ordered=True)])
STATE = frozenset([Effect("state", ordered=True)])


def must_run(effects):
    """Whether an equation with these effects has to stay although nobody reads its results."""
    return any(isinstance(e, Effect) for e in effects)
