"""Settings that watch what the machine does, or forbid some of it."""
import logging
import re

import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon.base.errors import GnomonWarning
from gnomon.base.settings import TABLE
from gnomon.ir.check import JaxprError
from gnomon.ir.jaxpr import Eqn
from gnomon.trace.stage import Frame


@pytest.fixture
def setting():
    """`config.update` whose changes last for one test."""
    before = {}

    def update(name, value):
        before.setdefault(name, TABLE[name].value)
        gnomon.config.update(name, value)
    yield update
    for name, value in before.items():
        gnomon.config.update(name, value)


def test_no_tracing():
    f = gnomon.jit(lambda x: x * 1.5)
    f(1.0)
    with gnomon.no_tracing(True):
        assert float(f(2.0)) == 3.0
        with pytest.raises(RuntimeError, match="re-tracing function <lambda> for jit, but 'no_tracing' is set: it was not traced yet for "
                                               r"arguments of types float32\[2\]"):
            f(jnp.ones(2))


def test_no_execution():
    f = gnomon.jit(lambda x: x * 2.5)
    with gnomon.no_execution(True):
        f.lower(1.0).compile()
        with pytest.raises(RuntimeError, match="<lambda> is about to run, but 'no_execution' is set"):
            f(1.0)
    assert float(f(1.0)) == 2.5


STORE = []


def leaky(x):
    STORE.append(x * 2.0)
    return x


def test_leaks_are_found_when_the_trace_ends():
    with gnomon.checking_leaks():
        gnomon.jit(lambda x: gnomon.vmap(lambda y: x * y)(jnp.ones(2)))(1.0)
        gnomon.grad(lambda x: gnomon.lax.scan(lambda c, v: (c * x, v), x, jnp.ones(3))[0])(1.0)
        with pytest.raises(gnomon.errors.UnexpectedTracerError) as caught:
            gnomon.jit(leaky)(1.0)
    assert re.search(r"traced inside the function leaky is still alive after that function's trace ended: .* It was created at "
                     r"test_settings_obeyed\.py:\d+", str(caught.value))
    STORE.clear()


def test_compiles_are_logged(caplog):
    with caplog.at_level(logging.WARNING, logger="gnomon"):
        gnomon.jit(lambda x: x * 7.5 + 1)(1.0)
        assert not caplog.records
        with gnomon.log_compiles(True):
            gnomon.jit(lambda x: x * 8.5 + 1)(1.0)
    traced, compiled = (r.getMessage() for r in caplog.records)
    assert traced.startswith("Traced <lambda> for arguments of types float32[] in ") and compiled.startswith("Compiled <lambda> in ")


@pytest.mark.parametrize("name", ["explain_cache_misses", "announce_retraces"])
def test_retraces_are_explained(name, capsys):
    def f(x):
        return x
    f.__name__ = name
    f = gnomon.jit(f)
    with getattr(gnomon, name)(True):
        f(1.0)
        assert not capsys.readouterr().err
        f(jnp.ones(2))
    told = capsys.readouterr().err
    assert f"{name}: trace 2 at " in told and "argument x changed in shape from float32[] to float32[2]" in told


def test_programs_are_checked(setting):
    setting("enable_checks", True)
    gnomon.jit(gnomon.grad(lambda x: gnomon.lax.fori_loop(0, 3, lambda i, c: c * x, x)))(2.0)
    frame = Frame("broken")
    with pytest.raises(JaxprError, match="is not defined"):
        op = gnomon.make_jaxpr(lambda x: x * x)(1.0).jaxpr.eqns[0]
        frame.eqns.append(Eqn(op.op, op.ins, op.outs))
        frame.finish([])


def test_programs_are_written_to_a_folder(tmp_path, setting):
    setting("dump_ir_to", str(tmp_path))
    setting("dump_ir_modes", "jaxpr,stablehlo")

    @gnomon.jit
    def triple(x):
        return x * 3.25
    triple(1.0)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert [name.split("_", 2)[2] for name in names] == ["triple.jaxpr", "triple.mlir"]
    assert "mul a 3.25" in (tmp_path / names[0]).read_text() and "stablehlo.multiply" in (tmp_path / names[1]).read_text()


def test_large_constants_are_told(setting):
    setting("captured_constants_warn_bytes", 1000)
    large = jnp.arange(1000.0)
    with pytest.warns(GnomonWarning, match=r"<lambda> closes over arrays of 4,000 bytes.*Pass them as arguments"):
        gnomon.jit(lambda x: x + large)(1.0)


def test_meshes_as_contexts_can_be_forbidden(setting):
    mesh = gnomon.sharding.Mesh(np.array(gnomon.devices()[:1]), ("x",))
    with mesh:
        pass
    setting("disallow_mesh_context_manager", True)
    with pytest.raises(RuntimeError, match=r"Use set_mesh\(mesh\)"), mesh:
        pass
