"""The README's code runs and gives what it says."""
from __future__ import annotations

import re
from pathlib import Path

import numpy as np

README = Path(__file__).parents[2] / "README.md"


def test_the_tour_runs(capsys, tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.S)
    assert len(blocks) >= 6
    script = tmp_path / "tour.py"       # a file, so that lines can be shown
    script.write_text("\n".join(blocks).replace("G.grad(lambda x: x ** 2 if", "answer = G.grad(lambda x: x ** 2 if"))
    scope = {"__name__": "tour"}
    exec(compile(script.read_text(), str(script), "exec"), scope)
    out = capsys.readouterr()
    assert "{ lambda ;" in out.out and "trace 1 at tour.py:" in out.out and "by line of your code" in out.out
    assert "rolled 5,000 steps of the loop at tour.py:" in out.err
    assert "Attempted boolean conversion of traced array with shape bool[]" in out.out
    assert float(scope["answer"]) == 6.0 and scope["per_example"].shape == (8,)
    assert float(np.asarray(scope["loss"](scope["w"], scope["x"], scope["y"]))) < 0.1
