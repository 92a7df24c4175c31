"""docs/deviations.md is true: each row of its tables is run, with Gnomon and with what it is compared with."""
import pathlib
import re

import numpy
import pytest
import scipy.linalg
import scipy.special
import scipy.stats

import gnomon
import gnomon.numpy
import gnomon.scipy

pytestmark = pytest.mark.filterwarnings("ignore")
TEXT = (pathlib.Path(__file__).parents[2] / "docs" / "deviations.md").read_text()
ROW = re.compile(r"^\| `(.+)` \| `(.+)` \| `(.+)` \| (.+) \|$", re.M)
SECTIONS = {title: ROW.findall(body) for title, body in re.findall(r"^## From (\w+)\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S)}


def shown(code, **names):
    """What a call gives, on one line, or the name of what it raises."""
    try:
        return " ".join(str(eval(code, names)).split())
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("section", ["NumPy", "SciPy"])
def test_rows(section):
    rows = SECTIONS[section]
    assert rows and len(rows) == TEXT.split(f"## From {section}\n")[1].split("\n## ")[0].count("\n| `")
    for code, theirs, ours, why in rows:
        assert shown(code, np=numpy, scipy=scipy, jit=lambda f: f) == theirs, code
        assert shown(code, np=gnomon.numpy, scipy=gnomon.scipy, jit=gnomon.jit) == ours, code
        assert ours != theirs and len(why.split()) > 2


def test_rows_beside_the_peer():
    for code, _, ours, _ in SECTIONS["JAX"]:
        assert shown(code, random=gnomon.random, key=gnomon.random.key(0), lax=gnomon.lax, np=gnomon.numpy) == ours, code


@pytest.mark.peer
def test_rows_of_the_peer(peer):
    for code, theirs, _, _ in SECTIONS["JAX"]:
        assert shown(code, random=peer.random, key=peer.random.key(0), lax=peer.lax, np=peer.numpy) == theirs, code
