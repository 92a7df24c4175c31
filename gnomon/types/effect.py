"""What an operation does besides computing its results."""
from __future__ import annotations

PURE = frozenset()


class Mark:
    """Base of what a set of effects holds: immutable, equal where the kind and the fields are."""

    names = ()
    __slots__ = ("hashed",)
    ordered = False     # whether such effects keep their order in a program

    def __init__(self, *fields):
        for name, value in zip(self.names, fields, strict=True):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "hashed", hash((self.__class__, fields)))

    def __setattr__(self, name, value):
        raise AttributeError(f"{type(self).__name__} cannot be changed.")

    def __reduce__(self):
        return type(self), self.fields()

    def fields(self):
        return tuple([getattr(self, name) for name in self.names])

    def __eq__(self, other):
        return other.__class__ is self.__class__ and other.fields() == self.fields()

    def __hash__(self):
        return self.hashed

    def __repr__(self):
        return str(self)


class Effect(Mark):
    """One kind of side effect; none is removed as dead work."""

    __slots__ = names = ("name",)

    def __init__(self, name=None):
        super().__init__(type(self).__name__ if name is None else name)

    def __str__(self):
        return self.name


class OrderedEffect(Effect):
    """One whose occurrences keep their order."""

    __slots__ = ()
    ordered = True


class OnMesh(Mark):
    """Not a side effect: says that a program runs on the devices of a mesh."""

    __slots__ = names = ("mesh",)

    def __str__(self):
        return f"on {self.mesh}"


class NamedAxis(Mark):
    """Not a side effect: says that a program uses a mapped axis by this name, so that its type depends on it."""

    __slots__ = names = ("axis",)

    def __str__(self):
        return f"axis {self.axis}"


class RefEffect(Mark):
    """What an equation or a program does to the mutable reference that is its input number `index`: "read", "write" or
    "accumulate"."""

    __slots__ = names = ("kind", "index")

    def __str__(self):
        return f"{self.kind} of input {self.index}"


class UsesRefs(Mark):
    """Not a side effect: says that a program has mutable references in it, to be turned into values before it is transformed or
    lowered."""

    __slots__ = ()

    def __str__(self):
        return "state"


CALLBACK = frozenset([Effect("callback")])
ORDERED_CALLBACK = frozenset([OrderedEffect("ordered callback")])
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
