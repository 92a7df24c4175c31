"""Mutable references to arrays. Gnomon has none; the names say so."""
from gnomon.api.absent import Absent as _Absent, Ref, empty_ref, free_ref, freeze, new_ref
from gnomon.types.value_type import RefType as AbstractRef

_WHY = new_ref.why
get, set, swap, addupdate = (_Absent(f"ref.{name}", _WHY) for name in ("get", "set", "swap", "addupdate"))

__all__ = ["AbstractRef", "Ref", "addupdate", "empty_ref", "free_ref", "freeze", "get", "new_ref", "set", "swap"]
