"""What `vjp` returns: a function from cotangents to gradients, which can also add gradients into references."""
from __future__ import annotations

from types import SimpleNamespace

from gnomon.base.frames import entry_point
from gnomon.base.tree import GetAttrKey, Partial, register_pytree_node, tree_flatten, tree_unflatten
from gnomon.run.ref import Ref, accumulate


class Said:
    """Base of the words by which one says, in place of a gradient, what is done with it."""

    def __repr__(self):
        return f"{type(self).__name__}()"

    def __eq__(self, other):
        return type(self) is type(other)

    def __hash__(self):
        return hash(type(self))


class GradValue(Said):
    """The gradient is wanted as a value."""


class DontWant(Said):
    """The gradient is not wanted."""


class GradRef(Said):
    """Stands in the result for a gradient that was added into a reference."""


class DidntWant(Said):
    """Stands in the result for a gradient that was not wanted."""


ad = SimpleNamespace(DidntWant=DidntWant, DontWant=DontWant, GradRef=GradRef, GradValue=GradValue)


class VJP(Partial):
    """The function that `vjp` returns: from a cotangent of the output to a tuple of the gradients of the primals."""

    def with_refs(self, *wants):
        """The same function, with gradients added into references.

        `wants` has the structure of the primals, with a reference for each gradient to be added into it, or GradValue() or DontWant()
        of `gnomon.ad`. In the result GradRef() and DidntWant() stand for gradients that are no values. ValueError for another structure.

        >>> import gnomon
        >>> total = gnomon.new_ref(1.0)
        >>> _, back = gnomon.vjp(lambda x, y: x * y, 2.0, 3.0)
        >>> back.with_refs(total, gnomon.ad.DontWant())(1.0)
        (GradRef(), DidntWant())
        >>> float(total[...])
        4.0
        """
        leaves, tree = tree_flatten(wants, lambda x: isinstance(x, Said))
        for x in leaves:
            if not isinstance(x, (Ref, GradValue, DontWant)):
                raise ValueError(f"with_refs takes references, GradValue() and DontWant() in the structure of the primals, got {x!r}.")

        @entry_point
        def back(ct):
            gradients, found = tree_flatten(self(ct))
            if found != tree:
                raise ValueError(f"with_refs was given the structure {tree}, but the primals have {found}.")
            return tree_unflatten(tree, [used(g, want) for g, want in zip(gradients, leaves)])
        return back


def used(gradient, want):
    """What stands in the result for a gradient."""
    if isinstance(want, Ref):
        accumulate(want, ..., gradient)
        return GradRef()
    return gradient if isinstance(want, GradValue) else DidntWant()


for _cls in (GradValue, DontWant, GradRef, DidntWant):
    register_pytree_node(_cls, lambda said: ((), None), lambda _, __, cls=_cls: cls())
register_pytree_node(VJP, lambda vjp: ((vjp.args, vjp.keywords), vjp.func), lambda func, children: VJP(func, *children[0], **children[1]),
                     lambda vjp: (((GetAttrKey("args"), vjp.args), (GetAttrKey("keywords"), vjp.keywords)), vjp.func))
