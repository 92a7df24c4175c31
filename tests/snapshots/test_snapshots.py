"""Jaxprs and StableHLO of some forty programs, as they were when last looked at.

`pytest tests/snapshots --update-snapshots` writes them anew; the diff is the review."""
from __future__ import annotations

from pathlib import Path

import pytest

import gnomon as G
from gnomon.ir.check import check
from gnomon.lower.module import write_module
from tests.snapshots.programs import PROGRAMS

HERE = Path(__file__).parent


@pytest.mark.parametrize("name", PROGRAMS)
def test_text_is_as_it_was(name, request):
    f, *args = PROGRAMS[name]
    closed = G.make_jaxpr(f)(*args)
    check(closed.jaxpr)
    text = f"{closed}\n\n{write_module(closed.jaxpr.closed(), None, name)[0]}"
    path = HERE / "text" / f"{name.replace(' ', '_')}.txt"
    if request.config.getoption("--update-snapshots"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert path.exists(), f"{path.name} is not there; run with --update-snapshots and look at it"
    assert text == path.read_text()


def test_no_snapshot_is_left_over():
    kept = {p.stem for p in (HERE / "text").glob("*.txt")}
    assert kept == {n.replace(" ", "_") for n in PROGRAMS}
