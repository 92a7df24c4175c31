"""The order of the rooms: a file imports only from rooms above its own, in plain sight, and in no circle."""
import ast
import importlib
import pathlib
import subprocess
import sys

import pytest

import gnomon

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "gnomon"

# From the ground up. Every folder that is not named here is a front end.
CORE = ("base", "types", "ir", "trace", "ops", "transforms", "passes", "lower", "run", "api")
FRONT_END, AS_JAX, WHOLE = len(CORE), len(CORE) + 1, len(CORE) + 2
# What `import gnomon` must not load: each is slow, or belongs to one function that asks for it.
NOT_AT_IMPORT = ("jax", "scipy", "rich", "opt_einsum", "matplotlib", "logging", "difflib", "gnomon.lower.emit", "gnomon.passes.roll",
                 "gnomon.run.compile", "gnomon.ops.random", "gnomon.ops.linalg_base", "gnomon.numpy.linalg", "gnomon.lax.linalg")

FILES = {path: ast.parse(path.read_text(), str(path)) for path in sorted(PACKAGE.rglob("*.py"))}
NAMES = [str(path.relative_to(ROOT)) for path in FILES]


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


LOADERS = ("Late", "import_module", "__import__")
TABLES = {"gnomon": gnomon._NAMES, "gnomon.lax": gnomon.lax._FAMILIES, "gnomon.numpy": gnomon.numpy._AREAS}

MODULES = {module_name(path): path for path in FILES}


def room(module):
    """The number of the room a module is in; modules directly in the package are a front end too."""
    parts = module.split(".")
    if len(parts) == 1 or parts[1] == "__main__":
        return WHOLE
    if parts[1] in CORE:
        return CORE.index(parts[1])
    return AS_JAX if parts[1] == "as_jax" else FRONT_END


def imports(path):
    """(line, module) for each import of the file; `from a import b` gives a.b where that is a module of ours."""
    here = module_name(path).split(".")
    package = here if path.name == "__init__.py" else here[:-1]
    for node in ast.walk(FILES[path]):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = package[:len(package) - node.level + 1] if node.level else []
            source = ".".join(base + ([node.module] if node.module else []))
            for alias in node.names:
                whole = f"{source}.{alias.name}"
                yield node.lineno, whole if whole in MODULES or source == "gnomon" else source


def late_imports(path):
    """(line, module) for each module that the file names to load later: by `Late` or `import_module`, or in the table of `late`."""
    for node in ast.walk(FILES[path]):
        if isinstance(node, ast.Call) and call_name(node) in LOADERS:
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield node.lineno, argument.value
    for module in TABLES.get(module_name(path), ()):
        yield 1, module


def call_name(node):
    return getattr(node.func, "attr", getattr(node.func, "id", None))


def ours(module):
    return module.split(".")[0] == "gnomon"


def per_file(test):
    return pytest.mark.parametrize("path", FILES, ids=NAMES)(test)


@per_file
def test_imports_only_from_rooms_above(path):
    here = room(module_name(path))
    below = [f"line {line}: {module}" for line, module in (*imports(path), *late_imports(path)) if ours(module) and room(module) > here]
    assert not below, f"{module_name(path)} imports from a room below its own"


@per_file
def test_as_jax_is_imported_by_nothing_of_ours(path):
    if room(module_name(path)) == AS_JAX or path.name == "__main__.py":
        return
    assert not [line for line, module in imports(path) if module.startswith("gnomon.as_jax")]


@per_file
def test_no_import_inside_a_function(path):
    functions = [node for node in ast.walk(FILES[path]) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    hidden = {inner.lineno for node in functions for inner in ast.walk(node)
              if isinstance(inner, (ast.Import, ast.ImportFrom))}
    assert not hidden, f"{module_name(path)} imports inside a function, on lines {sorted(hidden)}"


@per_file
def test_jaxlib_only_in_run_and_jax_nowhere(path):
    wanted = {module.split(".")[0] for _, module in imports(path)}
    wanted |= {module.split(".")[0] for _, module in late_imports(path)}
    assert "jax" not in wanted
    if module_name(path).split(".")[1:2] != ["run"]:
        assert "jaxlib" not in wanted


def test_one_place_imports_by_name():
    """Slow packages are loaded late by one helper; `run` loads parts of jaxlib so, __init__ files parts of their own."""
    run = CORE.index("run")
    users = {name for name, path in MODULES.items() if path.name != "__init__.py" and room(name) not in (run, AS_JAX)
             for node in ast.walk(FILES[path])
             if isinstance(node, ast.Call) and call_name(node) in ("import_module", "__import__")}
    assert len(users) <= 1, users


@pytest.mark.parametrize("package", TABLES)
def test_late_names_are_those_of_their_modules(package):
    """The import system gives a package its loaded modules as attributes, so none may have the name of something else."""
    for module, names in TABLES[package].items():
        public = importlib.import_module(module).__all__ if package != "gnomon" else names.split()
        assert sorted(public) == sorted(names.split()), module
        folder, _, own = module.rpartition(".")
        assert folder != package or own not in {name for table in TABLES[package].values() for name in table.split()}, module


def test_late_names_are_listed():
    space = {}
    exec("from gnomon.numpy import *; from gnomon.lax import psum, scan", space)
    assert {"einsum", "linalg", "sin", "pad", "psum", "scan"} <= set(space)
    assert {"einsum", "linalg", "sin"} <= set(dir(gnomon.numpy)) and {"psum", "linalg"} <= set(dir(gnomon.lax))
    assert {"checkpoint", "random", "explain"} <= set(dir(gnomon))


def test_no_circles():
    """Only what a file names counts: that importing a.b runs a's __init__ first is true of every file in a."""
    needs = {name: {module for _, module in imports(path) if module in MODULES and module != name}
             for name, path in MODULES.items()}
    done, walking = set(), []

    def visit(name):
        if name in done:
            return
        assert name not in walking, " -> ".join([*walking[walking.index(name):], name])
        walking.append(name)
        for needed in sorted(needs[name]):
            visit(needed)
        walking.pop()
        done.add(name)

    for name in sorted(needs):
        visit(name)


def test_import_gnomon_loads_little():
    code = f"import gnomon, sys; print([name for name in {NOT_AT_IMPORT} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
