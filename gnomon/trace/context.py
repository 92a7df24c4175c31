"""The only mutable globals of tracing, one set a thread, and the first up-call of the house: the runtime.

`local.frame` is the program being recorded, or None when operations run at once; `local.axes` the named axes in scope
(vmap's axis_name, manual mesh axes); `local.mesh` the mesh set by `set_mesh`.
`runtime` is filled by run/eager.py: it evaluates single ops and makes arrays of constants.
"""
from __future__ import annotations

import threading


class Local(threading.local):
    frame = None
    axes: dict = {}
    user: dict = {}         # values of the users' own contexts
    axes_key: tuple = ()    # the axes, the mesh and the users' values in scope, as part of jit's key
    manual: frozenset = frozenset()     # those of the named axes over which types say whether a value varies
    mesh = None             # a concrete Mesh
    kept = None             # a list that is told what reverse passes keep, while somebody listens
    lanes = 1               # of how many lanes of vmap what is recorded is one
    keys_checked = False    # whether what runs now uses no key that was not seen to already
    abstract_mesh = None


local = Local()


def scope_key():
    """What `local.axes_key` is for the axes, the mesh and the users' values in scope."""
    return tuple(local.axes.items()), local.manual, local.abstract_mesh, tuple(local.user.items())


class Runtime:
    """The slot that run/eager.py fills."""

    evaluate = None         # (op, args) -> result(s), now
    constant = None         # NumPy array or scalar -> Array
    is_array = None         # whether an object is an Array
    reference = None        # a traced mutable reference -> what stands for it before the user; filled by run/ref.py


runtime = Runtime()


class eager:
    """Context manager: operations inside run at once, even while a program is being recorded."""

    __slots__ = ("saved",)

    def __enter__(self):
        self.saved = local.frame
        local.frame = None

    def __exit__(self, *error):
        local.frame = self.saved


class recording:
    """Context manager: operations inside are recorded in this frame."""

    __slots__ = ("frame", "saved")

    def __init__(self, frame):
        self.frame = frame

    def __enter__(self):
        self.saved = local.frame
        local.frame = self.frame

    def __exit__(self, *error):
        local.frame = self.saved


class lanes:
    """Context manager: what is recorded inside is one of so many lanes of vmap."""

    __slots__ = ("size", "saved")

    def __init__(self, size):
        self.size = size if size.__class__ is int else 1        # a symbolic size is not known

    def __enter__(self):
        self.saved, local.lanes = local.lanes, local.lanes * self.size

    def __exit__(self, *error):
        local.lanes = self.saved


class named_axes:
    """Context manager: brings named axes {name: size} into scope."""

    __slots__ = ("added", "saved")

    def __init__(self, added):
        self.added = added

    def __enter__(self):
        self.saved = local.axes, local.axes_key
        if self.added:
            local.axes = {**local.axes, **self.added}
            local.axes_key = scope_key()

    def __exit__(self, *error):
        local.axes, local.axes_key = self.saved


class scope:
    """Context manager: the named axes and meshes as they were when it was made, for rules of the user's that are staged later."""

    __slots__ = ("held", "saved")

    def __init__(self):
        self.held = local.axes, local.manual, local.mesh, local.abstract_mesh, local.axes_key

    def enter(self):
        local.axes, local.manual, local.mesh, local.abstract_mesh, local.axes_key = self.held

    def __enter__(self):
        self.saved = scope()
        self.enter()

    def __exit__(self, *error):
        self.saved.enter()


class manual_axes:
    """Context manager: the part of a program that runs once per position on the axes {name: size} of `mesh` (an abstract one, on which
    they are Manual); types say whether a value varies over those in `checked`."""

    __slots__ = ("added", "mesh", "checked", "saved")

    def __init__(self, added, mesh, checked):
        self.added, self.mesh, self.checked = added, mesh, checked

    def __enter__(self):
        self.saved = scope()
        local.axes, local.manual = {**local.axes, **self.added}, (local.manual - frozenset(self.added)) | self.checked
        local.mesh, local.abstract_mesh = None, self.mesh
        local.axes_key = scope_key()

    def __exit__(self, *error):
        self.saved.enter()


class user_value:
    """Context manager: a user's context has another value."""

    __slots__ = ("context", "value", "saved")

    def __init__(self, context, value):
        self.context, self.value, self.saved = context, value, []

    def __enter__(self):
        self.saved.append((local.user, local.axes_key))
        local.user = {**local.user, self.context: self.value}
        local.axes_key = scope_key()

    def __exit__(self, *error):
        local.user, local.axes_key = self.saved.pop()
