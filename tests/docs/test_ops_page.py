"""docs/ops.md is executed: its code is what it says."""
from __future__ import annotations

import re
from pathlib import Path

from gnomon.ir import op as form

PAGE = Path(__file__).parents[2] / "docs" / "ops.md"


def test_the_page_runs():
    before = dict(form.OPS)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert len(blocks) >= 3
    scope = {"__name__": "ops_page"}
    try:
        for block in blocks:
            exec(compile(block, str(PAGE), "exec"), scope)
    finally:
        form.OPS.clear()
        form.OPS.update(before)
    assert "softsquare" not in form.OPS
