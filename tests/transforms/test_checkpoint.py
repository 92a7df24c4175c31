"""checkpoint: effects happen once; what policies say of values is done."""
import pytest

import gnomon as G
import gnomon.ad_checkpoint
import gnomon.numpy as jnp
from gnomon.ad_checkpoint import Offloadable, Recompute, Saveable, checkpoint_name, name_p
from gnomon.experimental import io_callback


def test_effects_happen_once(capsys):
    seen = []

    def f(x):
        G.debug.print("x is {}", x)
        y = io_callback(lambda v: seen.append(float(v)) or v, G.ShapeDtypeStruct((), "float32"), jnp.float32(3.0))
        return jnp.sin(x * y)
    for g in (G.grad(G.checkpoint(f)), G.jit(G.grad(G.checkpoint(f, policy=G.checkpoint_policies.everything_saveable)))):
        assert abs(float(g(2.0)) - 3 * float(jnp.cos(6.0))) < 1e-6
        G.effects_barrier()
        assert capsys.readouterr().out == "x is 2.0\n" and seen == [3.0]
        seen.clear()


def named(w, x):
    h = checkpoint_name(jnp.sin(x @ w), "h")
    return jnp.sin(checkpoint_name(jnp.cos(h @ w), "k")).sum()


W, X = jnp.array([[1.0, 0.5], [0.0, 1.0]]), jnp.ones((3, 2))


def kept_names(policy):
    """The ops whose results go from the forward part to the backward part, counted by op, and how many values are moved."""
    eqns = G.make_jaxpr(G.grad(G.checkpoint(named, policy=policy)))(W, X).jaxpr.eqns
    forward = next(e for e in eqns if e.op.op_name == "checkpoint")
    made = {v: e.op.op_name for e in forward.op.jaxpr.eqns for v in e.outs}
    return sorted(made[v] for v in forward.op.jaxpr.outvars[1:])


def test_policies_say_what_is_kept():
    p = G.checkpoint_policies
    move = {"offload_src": "device", "offload_dst": "pinned_host"}
    want = G.grad(named)(W, X)
    for policy, kept in [(None, []), (p.save_only_these_names("h"), ["name"]), (p.dots_saveable, ["dot_general", "dot_general"]),
                         (lambda prim, *_, **params: Saveable if prim is name_p else Recompute, ["name", "name"]),
                         (p.save_and_offload_only_these_names(names_which_can_be_saved=["h"], names_which_can_be_offloaded=["k"], **move),
                          ["device_put", "name"]),
                         (p.offload_dot_with_no_batch_dims("device", "pinned_host"), ["device_put", "device_put"]),
                         (p.save_from_both_policies(p.dots_saveable, lambda prim, *_, **__: Offloadable("device", "pinned_host")
                                                    if prim is name_p else False), ["device_put", "device_put", "dot_general", "dot_general"])]:
        assert kept_names(policy) == kept
        got = G.jit(G.grad(G.checkpoint(named, policy=policy)))(W, X)
        assert jnp.allclose(got, want, rtol=1e-5)
    back = G.make_jaxpr(G.grad(G.checkpoint(named, policy=p.offload_dot_with_no_batch_dims("device", "pinned_host"))))(W, X)
    assert str(back).count("device_put") == 4           # there and back


def test_policies_refuse_what_they_cannot_mean():
    p = G.checkpoint_policies
    with pytest.raises(ValueError) as caught:
        p.offload_dot_with_no_batch_dims("device", "disk")
    assert str(caught.value) == "offload_dot_with_no_batch_dims: offload_dst must be 'device' or 'pinned_host', got 'disk'."
    with pytest.raises(ValueError) as caught:
        p.save_and_offload_only_these_names(names_which_can_be_saved=["a"], names_which_can_be_offloaded=["a"], offload_src="device",
                                            offload_dst="pinned_host")
    assert str(caught.value) == ("save_and_offload_only_these_names: the names of values to be saved and to be offloaded must differ, but a "
                                 "is in both.")


def test_residuals_are_told_with_their_names(capsys):
    f = G.checkpoint(lambda x: jnp.sin(checkpoint_name(jnp.sin(x), "inner")), policy=G.checkpoint_policies.save_only_these_names("inner"))
    G.ad_checkpoint.print_saved_residuals(f, 1.0)
    G.ad_checkpoint.print_saved_residuals(G.jit(jnp.sin), 1.0)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "f32[] from the argument x" and lines[1].startswith("f32[] named 'inner' from test_checkpoint.py:")
    assert lines[2].startswith("f32[] output of cos from ")
