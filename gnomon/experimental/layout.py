"""In which order the dimensions of arrays lie in memory, for the compiler to keep to."""
from gnomon.api.absent import Absent as _Absent
from gnomon.api.places import with_layout_constraint
from gnomon.types.layout import Format, Layout

explicit_layout = _Absent("explicit_layout", "layouts are no part of types; use with_layout_constraint where a value is computed")

__all__ = ["Format", "Layout", "explicit_layout", "with_layout_constraint"]
