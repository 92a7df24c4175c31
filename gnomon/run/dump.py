"""The setting dump_ir_to: programs that are compiled are written to a folder, in the forms that dump_ir_modes names."""
from __future__ import annotations

import itertools
import os
import threading

from gnomon.base.settings import current

_numbers, _lock = itertools.count(), threading.Lock()


def dump(jaxpr, text: str, name: str) -> None:
    """Write a program and its StableHLO, numbered, where the setting says a folder."""
    folder = current.dump_ir_to
    if not folder:
        return
    os.makedirs(folder, exist_ok=True)
    forms = {"jaxpr": ("jaxpr", lambda: str(jaxpr)), "stablehlo": ("mlir", lambda: text)}
    safe = "".join(c if c.isalnum() or c in "_-" else "_" for c in name)
    with _lock:
        number = next(_numbers)
    for mode in map(str.strip, current.dump_ir_modes.split(",")):
        if mode in forms:
            suffix, make = forms[mode]
            with open(os.path.join(folder, f"gnomon_{number:05}_{safe}.{suffix}"), "w") as file:
                file.write(make())
