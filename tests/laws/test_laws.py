"""The laws that every op keeps, tried on every example."""
import importlib
import pathlib
import pkgutil

import pytest

import gnomon.ops
from gnomon.ir.op import OPS, NestedOp

from tests.laws.examples import LAWS, examples
from tests.laws.laws import CHECKS, holds_for, subject

for module in pkgutil.iter_modules(gnomon.ops.__path__, "gnomon.ops."):
    if not module.ispkg:
        importlib.import_module(module.name)

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = examples()
# One after the other for each example, since the laws of derivatives share a compiled program.
CASES = list({subject(law, e): pytest.param(law, e, id=f"{law}-{e}")
              for e in reversed(EXAMPLES) for law in reversed(LAWS) if holds_for(law, e)}.values())[::-1]


@pytest.mark.parametrize("law, example", CASES)
def test_law(law, example):
    CHECKS[law](example)


# Ops that an example cannot state, and the tests that try them instead.
ELSEWHERE = {
    "tests/laws/test_collectives.py": ("psum", "pmax", "pmin", "axis_index"),
    "tests/laws/test_collectives_moving.py": ("all_gather", "all_to_all", "ppermute", "pbroadcast"),
    "tests/places/test_shard_map.py": ("pvary", "psum_invariant", "all_gather_invariant", "reduce_scatter"),
    "tests/places/test_places.py": ("device_put", "reshard"),
    "tests/laws/test_placing.py": ("sharding_constraint",),
    "tests/ops/test_refs.py": ("addupdate", "empty_ref", "free_ref", "freeze", "get", "new_ref", "swap"),
    "tests/lax/test_named.py": ("create_token", "after_all"),
    "tests/ops/test_foreign.py": ("ffi_call",), "tests/ops/test_layouts.py": ("unreachable",),
    "tests/api/test_export.py": ("dim_as_value",),
    "tests/places/test_reduced.py": ("preduced", "reduced_vary_cast", "vary_unreduced_cast", "retag"),
}


def test_every_op_has_an_example():
    """Ops that hold programs have tests of their own, tests/transforms/test_nested.py."""
    tried = {type(e.op) for e in EXAMPLES}
    elsewhere = {name for names in ELSEWHERE.values() for name in names}
    untried = sorted(name for name, cls in OPS.items() if cls.__module__.startswith("gnomon.") and cls not in tried
                     and not issubclass(cls, NestedOp) and name not in elsewhere)
    assert not untried, f"no example in tests/laws/examples for: {', '.join(untried)}"


def test_what_is_tried_elsewhere():
    for file, names in ELSEWHERE.items():
        text = (ROOT / file).read_text()
        assert not [name for name in names if name not in text], file


def test_laws_left_out_are_few():
    """A law that does not hold somewhere says why, and no op goes without the law of its type."""
    assert not [str(e) for e in EXAMPLES if "type" in e.without]
