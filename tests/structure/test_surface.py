"""Every public name of JAX is there, or refused in a sentence that says what to do; docs/surface.md shows it, a table per module.

surface.txt has a line per name: the module, the name, and for the numerical modules the signature. `pytest tests/structure
--update-snapshots` writes docs/surface.md anew; the diff is the review."""
import json
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
DOC = HERE.parents[1] / "docs" / "surface.md"
ROWS = [line.split(" ", 2) for line in (HERE / "surface.txt").read_text().splitlines()]
# Modules all of whose names must be there, or be refused by a sentence of their own.
WHOLE = ("jax.dtypes", "jax.image", "jax.nn", "jax.numpy", "jax.ops", "jax.random", "jax.scipy", "jax.tree", "Array", "Tracer")
# What Python itself or JAX's own inner workings put on its classes.
OF_PYTHON = """__annotations__ __buffer__ __del__ __dict__ __firstlineno__ __release_buffer__ __slots__ __static_attributes__
    __weakref__ __module__""".split()
ADDED_BY_PYTHON = ("Array __firstlineno__", "Array __static_attributes__")         # to every class, from 3.13 on
OF_JAX = "dimension_as_value full_lower get_const get_referent parent to_concrete_value val".split()
INNER = ({f"Array {name}": "bookkeeping of JAX's own class; numpy.asarray(x) gives the numbers" for name in OF_PYTHON} |
         {f"Tracer {name}": "part of how JAX traces; jax.make_jaxpr shows the program" for name in OF_JAX})

# Runs where `jax` is Gnomon, and looks at each name as a user would.
LOOK = '''
import gnomon.as_jax, importlib, inspect, json, sys
from gnomon.api.absent import Absent
from gnomon.base.errors import Refused
import jax, jax.numpy as jnp

class Name:
    """A default that is shown by its name."""
    def __init__(self, name): self.name = name
    def __repr__(self): return self.name

def plain(default):
    if default is inspect.Parameter.empty:
        return default
    if inspect.isclass(default):
        return Name(default.__name__)
    return Name("unspecified") if type(default).__name__ in ("Unspecified", "object") else default

def signature(value):
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    kept = [p.replace(annotation=p.empty, default=plain(p.default)) for p in found.parameters.values()]
    return str(found.replace(parameters=kept, return_annotation=inspect.Signature.empty))

def look(holder, name):
    try:
        value = getattr(holder() if callable(holder) else holder, name)
    except (AttributeError, ModuleNotFoundError, Refused) as error:
        return "refused", str(error), None
    if isinstance(value, Absent):
        return "refused", f"{name}: {value.why}.", None
    return "there", "", signature(value)

def module(name):
    def get():
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            raise AttributeError(str(error))
    return get

x, traced = jnp.ones((2, 2)), []
rows = [line.split(" ", 1) for line in json.loads(sys.stdin.read())]
def answers(kinds):
    holders = {"Array": x, "Array.at": x.at[0]} | ({"Tracer": traced[0]} if traced else {})
    return {f"{m} {n}": look(holders.get(m) if m in holders else module(m), n) for m, n in rows if (m == "Tracer") == kinds}
def f(v):
    traced.append(v)
    found.update(answers(True))
    traced.clear()
    return v
found = answers(False)
jax.jit(f)(x)
print(json.dumps(found))
'''


@pytest.fixture(scope="module")
def answers():
    names = [" ".join(row[:2]) for row in ROWS]
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", LOOK], input=json.dumps(names), capture_output=True, text=True,
                          cwd=HERE.parents[1])
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    for answer in found.values():
        answer[1] = re.sub(r" in Gnomon [\d.]+", " in Gnomon", answer[1])
    for name, why in INNER.items():
        if name in found and (found[name][0] == "refused" or name in ADDED_BY_PYTHON):
            found[name][:2] = "refused", f"{name.split()[1]}: {why}."
    return found


def whole(name):
    return name.split()[0].startswith(WHOLE)


def test_every_name_is_there_or_refused_by_its_own_sentence(answers):
    bare = {name: why for name, (state, why, _) in answers.items()
            if state == "refused" and whole(name) and (" yet;" in why or "has no attribute" in why)}
    assert not bare
    short = {name: why for name, (state, why, _) in answers.items() if state == "refused" and len(why.split()) < 6}
    assert not short


def callable_parts(signature):
    """The parameters as a caller may use them: names of positional-only ones do not matter."""
    parts = signature.strip("()").split(", ") if signature != "()" else []
    fixed = parts.index("/") if "/" in parts else 0
    return [part.partition("=")[1:] if i < fixed else part for i, part in enumerate(parts)]


# Where a parameter differs on purpose.
OTHER_PARAMETERS = {"jax.random Key": "a name for annotations; it is the class of arrays"}


def test_parameters_have_the_same_names_and_defaults(answers):
    wrong = {}
    for row in ROWS:
        name = " ".join(row[:2])
        state, _, ours = answers[name]
        if len(row) == 3 and state == "there" and ours is not None and name not in OTHER_PARAMETERS:
            if callable_parts(ours) != callable_parts(row[2]):
                wrong[name] = ours, row[2]
    assert not wrong


def document(answers):
    modules = {}
    for name, (state, why, _) in answers.items():
        module, name = name.split()
        modules.setdefault(module, []).append((name, state, why))
    lines = ["# The surface", "", "JAX's public names, module by module: how many are in Gnomon, and what is said of the others.", "",
             "| module | names | there | refused |", "|---|---|---|---|"]
    counts = {module: (len(rows), sum(state == "there" for _, state, _ in rows)) for module, rows in modules.items()}
    lines += [f"| `{module}` | {total} | {there} | {total - there} |" for module, (total, there) in counts.items()]
    total, there = (sum(numbers) for numbers in zip(*counts.values()))
    lines += [f"| together | {total} | {there} | {total - there} |"]
    for module, rows in modules.items():
        refused = {}
        for name, state, why in rows:
            if state == "refused":
                refused.setdefault(why.replace(name, "NAME", 1) if why.startswith(name) else why, []).append(name)
        if refused:
            lines += ["", f"## {module}", "", "| refused | why |", "|---|---|"]
            for why, names in refused.items():
                said = why if len(names) == 1 else why.replace("NAME: ", "", 1)
                lines.append(f"| {', '.join(f'`{name}`' for name in names)} | {said.replace('NAME', names[0]).replace('|', chr(92) + '|')} |")
    return "\n".join(lines) + "\n"


def test_the_document_is_true(answers, request):
    text = document(answers)
    if request.config.getoption("--update-snapshots"):
        DOC.write_text(text)
    assert text == DOC.read_text(), "the surface has changed; run with --update-snapshots and look at the diff"
