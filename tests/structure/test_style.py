"""What can be said about the text of our files without running them."""
import ast
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONGEST_LINE = 160
OURS = sorted(path for folder in ("gnomon", "tests", "examples", "bench") for path in (ROOT / folder).rglob("*.py"))
TEXTS = OURS + sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md"),
                       ROOT / "pyproject.toml", ROOT / "Makefile", ROOT / ".ci" / "run"})
# Nothing of the machine it was written on, and nothing left to do without an owner.
FORBIDDEN = re.compile(r"/(?:work|root|home/\w+|Users/\w+)/|\b(?:TODO|FIXME|XXX|HACK)\b|\bbreakpoint\(\)|\bpdb\b")


def per_file(paths):
    return pytest.mark.parametrize("path", paths, ids=[str(path.relative_to(ROOT)) for path in paths])


def lines_where(path, wrong):
    return [f"{number}: {line.strip()[:80]}" for number, line in enumerate(path.read_text().splitlines(), 1)
            if wrong(line)]


@per_file(OURS)
def test_lines_are_short_and_end_clean(path):
    assert not lines_where(path, lambda line: len(line) > LONGEST_LINE)
    assert not lines_where(path, lambda line: line != line.rstrip() or "\t" in line)


@per_file([path for path in TEXTS if path != pathlib.Path(__file__).resolve()])
def test_no_forbidden_words(path):
    assert not lines_where(path, FORBIDDEN.search)


@per_file(OURS)
def test_module_says_what_it_is(path):
    """Every module has a docstring; a file with nothing in it needs none."""
    module = ast.parse(path.read_text())
    assert not module.body or (ast.get_docstring(module) or "").strip()
