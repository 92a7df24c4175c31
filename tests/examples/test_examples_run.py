"""The examples, run as a reader runs them."""
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(name, *arguments, cwd):
    done = subprocess.run([sys.executable, str(ROOT / "examples" / name), *arguments], capture_output=True, text=True,
                          cwd=cwd, env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_digits_are_read(tmp_path):
    out = run("digits.py", cwd=tmp_path)
    assert "held-out images read correctly" in out
    assert (tmp_path / "digits.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name, last", [("pendulum.py", "damping"), ("logistic_map.py", "gap ratios")])
def test_small_examples_find_what_they_look_for(tmp_path, name, last):
    """Each leaves with an error where its own check fails."""
    assert run(name, cwd=tmp_path).splitlines()[-1].startswith(last)
