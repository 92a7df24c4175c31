"""Which of our ops answers each of JAX's primitives, and that each rule that a primitive has there is a rule of ours.

primitives.txt has a line per primitive of JAX 0.12 but vendors' fused kernels: its name and the rules that it has, J (derivative), L (its
own linearization), T (transpose), B (batching), X (lowering); P and S are of JAX's own machinery."""
import pathlib

import pytest

from gnomon.ir.op import rule_kind

from tests.structure.test_rules import op_classes

ROWS = [line.partition(" ")[::2] for line in pathlib.Path(__file__).with_name("primitives.txt").read_text().splitlines()]
SLOTS = {"J": "derivative", "L": "derivative", "T": "transpose", "B": "batch", "X": "lower"}

# Primitives whose work is done by an op of another name.
OTHERS = {
    "remat2": "checkpoint", "remat_opt": "custom_vjp_call", "eval_jaxpr": "jit", "call_hi_primitive": "custom_vjp_call",
    "call_hi_primitive_linearized": "custom_lin", "custom_jvp_call_jaxpr": "custom_jvp_call",
    "broadcast_to": "broadcast_in_dim", "empty": "broadcast_in_dim", "empty2": "broadcast_in_dim", "zeros_like": "broadcast_in_dim",
    "create_linear": "broadcast_in_dim", "debug_print": "debug_callback",
    "pbroadcast_dynamic": "psum", "custom_partitioning": "jit",
    "pin": "new_ref", "unpin": "freeze", "run_state": "new_ref", "accum_grad_in_ref": "addupdate",
    "unreduced_psum": "psum_invariant", "unreduced_reduce_scatter": "reduce_scatter", "all_gather_reduced": "all_gather",
    "all_gather_reduced_start": "all_gather",
    # a collective that is started and one that is done with are one here: the compiler decides what runs meanwhile
    "all_gather_start": "all_gather", "all_gather_done": "all_gather", "all_to_all_start": "all_to_all", "all_to_all_done": "all_to_all",
    "ppermute_start": "ppermute", "ppermute_done": "ppermute", "psum_done": "psum", "psum_invariant_start": "psum_invariant",
    "reduce_scatter_start": "reduce_scatter", "reduce_scatter_done": "reduce_scatter", "psend": "ppermute", "precv": "ppermute",
}
# What has no counterpart, and why.
NONE = {
    **dict.fromkeys(("unreduced_pmax", "unreduced_pmin"), "sums are what types can put off, no other reductions: pmax, pmin"),
    "relayout": "layouts are no part of types: with_layout_constraint",
    **dict.fromkeys(("to_edtype", "from_edtype"), "random keys are the only arrays that hold no numbers: wrap_key_data and key_data"),
    "inspect_sharding": "the compiler decides: inspect_array_sharding(jit(f)(x))",
    "call_exported": "the program of an export is called by jit", "shape_assertion": "sizes are checked before an exported program is called",
}
# Rules that ours lacks where JAX's are there, and why.
WITHOUT = {
    **{(name, slot): "a rule of JAX's that raises: Python and foreign code have no derivative"
       for name in ("pure_callback", "io_callback", "ffi_call") for slot in ("derivative", "transpose")},
    **{(name, slot): "references become values before a program is transformed or compiled"
       for name in ("addupdate", "empty_ref", "free_ref", "freeze", "get", "new_ref", "swap", "pin", "unpin", "run_state", "accum_grad_in_ref")
       for slot in ("derivative", "transpose", "batch", "lower")},
    ("dce_sink", "transpose"): "it gives nothing", ("debug_callback", "transpose"): "it gives nothing",
    ("debug_print", "transpose"): "it gives nothing", ("while", "transpose"): "a rule of JAX's that raises",
    ("remat_opt", "transpose"): "its derivative is written out before it is transposed",
    ("call_hi_primitive", "transpose"): "its derivative is written out before it is transposed",
}


@pytest.fixture(scope="module")
def ops():
    return {cls.op_name: cls for cls in op_classes()}


def test_every_primitive_is_answered(ops):
    unanswered = [name for name, _ in ROWS if name not in ops and name not in OTHERS and name not in NONE]
    assert unanswered == [] and len(ROWS) == 269
    assert not {*OTHERS.values()} - {*ops} and not {*NONE} & {*ops}, "a table here is out of date"


def test_every_rule_of_theirs_is_one_of_ours(ops):
    missing = []
    for name, rules in ROWS:
        if name in NONE:
            continue
        cls = ops.get(name) or ops[OTHERS[name]]
        missing += [(name, SLOTS[r]) for r in rules if r in SLOTS and rule_kind(cls, SLOTS[r]) == "refused" and (name, SLOTS[r]) not in WITHOUT]
    assert missing == []


def test_rules_where_jax_has_none(ops):
    """Where mathematics has a derivative or a batch, there is one: what lacks one is listed here."""
    lacking = {slot: {name for name, cls in ops.items() if rule_kind(cls, slot) == "refused"} for slot in ("derivative", "batch")}
    references = {"addupdate", "empty_ref", "free_ref", "freeze", "get", "new_ref", "swap"}
    assert lacking["derivative"] - references == {"pure_callback", "io_callback", "ffi_call", "iota"}           # others' code; no operands
    assert lacking["batch"] - references == {"after_all", "create_token", "dim_as_value", "platform_index", "iota", "iota_2x32_shape",  # the same
                                             "rng_uniform"}                                                  # one hidden stream
