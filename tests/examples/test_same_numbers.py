"""The examples give JAX's numbers: the same text with its imports renamed, in two processes."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.peer

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

# Example: (what to compute in it, how close it has to be). Float32 training drifts apart slowly, so it gets few steps.
NUMBERS = {
    "digits": ("""
training, (images, labels) = load()
parameters, losses = train(training, 6, seed=3)
norms = gradient_norms(parameters, images[:20], labels[:20])
result = [losses, norms.tolist(), predict(parameters, images[:2]).tolist()]
""", 1e-3),
    "pendulum": ("parameters, misfits = fit(steps=5, seed=1)\nresult = [misfits, parameters.tolist()]", 1e-3),
    "logistic_map": ("result = [jax.vmap(period)(jnp.array(list(PERIODS))).tolist(), feigenbaum(levels=7)]", 1e-7),
}


def as_jax(text):
    """The example's text with the imports of gnomon turned into imports of jax, and nothing else changed."""
    text = re.sub(r"^import gnomon as jax$", "import jax", text, flags=re.MULTILINE)
    text = re.sub(r"^(import|from) gnomon\b", r"\1 jax", text, flags=re.MULTILINE)
    assert "gnomon" not in text
    return text


def numbers(name, text, folder):
    """The example's result as nested lists, from a process of its own."""
    code, _ = NUMBERS[name]
    folder.mkdir()
    shutil.copytree(EXAMPLES / "data", folder / "data")
    script = folder / f"{name}.py"
    definitions = text.partition('if __name__ == "__main__"')[0]
    # Two runs of one library would agree, and say nothing.
    other = "gnomon" if folder.name == "jax" else "jax"
    script.write_text(f"{definitions}\n{code}\nimport json, sys\nassert {other!r} not in sys.modules\n"
                      "print(json.dumps(result))\n")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", NUMBERS)
def test_same_numbers(name, tmp_path):
    text = (EXAMPLES / f"{name}.py").read_text()
    theirs = numbers(name, as_jax(text), tmp_path / "jax")
    ours = numbers(name, text, tmp_path / "gnomon")
    assert len(ours) == len(theirs)
    for found, expected in zip(ours, theirs):
        np.testing.assert_allclose(found, expected, rtol=NUMBERS[name][1], atol=1e-6)
