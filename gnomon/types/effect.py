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
class OnMesh:
    """Not a side effect: says that a program runs on the devices of a mesh."""

    mesh: object

    ordered = False

    def __str__(self):
        return f"on {self.mesh}"


@dataclass(frozen=True)
class NamedAxis:
    """Not a side effect: says that a program uses a mapped axis by this name, so that its type depends on it."""

    axis: object

    ordered = False

    def __str__(self):
        return f"axis {self.axis}"


@dataclass(frozen=True)
class RefEffect:
    """What an equation or a program does to the mutable reference that is its input number `index`: "read", "write" or
    "accumulate"."""

    kind: str
    index: int

    ordered = False

    def __str__(self):
        return f"{self.kind} of input {self.index}"


@dataclass(frozen=True)
class UsesRefs:
    """Not a side effect: says that a program has mutable references in it, to be turned into values before it is transformed or
    lowered."""

    ordered = False

    def __str__(self):
        return "state"


CALLBACK = frozenset([Effect("callback")])
ORDERED_CALLBACK = frozenset([Effect("ordered callback", ordered=True)])
STATE = UsesRefs()
HOLDS_STATE = frozenset([STATE])


def on_refs(effects, first):
    """The effects of a program on its inputs as those of an equation whose operands from number `first` on they are."""
    if STATE not in effects:
        return effects
    return frozenset([RefEffect(e.kind, e.index + first) if e.__class__ is RefEffect else e for e in effects])


def must_run(effects):
    """Whether an equation with these effects has to stay although nobody reads its results."""
    return any(isinstance(e, Effect) or e.__class__ is RefEffect and e.kind != "read" for e in effects)
