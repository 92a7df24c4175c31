"""Mutable references to arrays, as functions: `get`, `set`, `swap`, `addupdate` read and write what `new_ref` makes."""
from gnomon.api.refs import addupdate, empty_ref, free_ref, freeze, get, new_ref, set, swap
from gnomon.run.ref import Ref
from gnomon.types.value_type import RefType as AbstractRef

__all__ = ["AbstractRef", "Ref", "addupdate", "empty_ref", "free_ref", "freeze", "get", "new_ref", "set", "swap"]
