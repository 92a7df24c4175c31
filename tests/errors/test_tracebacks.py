"""Tracebacks show the user's lines only, unless the fault is Gnomon's own or the setting says otherwise."""
import traceback

import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon import lax
from gnomon.base.frames import PACKAGE, hide_frames
from gnomon.base.settings import config


@pytest.fixture(autouse=True)
def filtering():
    before = config.traceback_filtering
    config.update("traceback_filtering", "auto")
    yield
    config.update("traceback_filtering", before)


def frames(program):
    """The names of the functions in the traceback of what a program raises, and whether any is Gnomon's."""
    with pytest.raises(Exception) as caught:
        program()
    found = [f for f in traceback.extract_tb(caught.value.__traceback__) if f.name != "frames"]
    return [f.name for f in found], any(f.filename.startswith(PACKAGE) for f in found)


def step(carry, x):
    if carry > 0:
        return carry, x
    return -carry, x


def model(x):
    return lax.scan(step, x, jnp.ones(3))[0]


def call(f, *args):
    return f(*args)


PROGRAMS = {
    "jit of grad of scan": (lambda: call(gnomon.jit(gnomon.grad(model)), 1.0), ["model", "step"]),
    "vmap": (lambda: call(gnomon.vmap(model), jnp.ones(2)), ["model", "step"]),
    "make_jaxpr": (lambda: call(gnomon.make_jaxpr(model), 1.0), ["model", "step"]),
    "the arguments": (lambda: call(gnomon.jit(model), object()), []),
    "an error of the user's": (lambda: call(gnomon.grad(lambda x: {}["a"]), 1.0), ["<lambda>"]),
    "what came back": (lambda: call(gnomon.grad(lambda x: x), jnp.ones(2)), []),
    "what cannot be run backward": (lambda: call(gnomon.grad(lambda x: lax.while_loop(lambda c: c < 3, lambda c: 2 * c, x)), 1.0), []),
    "a root": (lambda: call(lax.custom_root, lambda x: {}["a"], 1.0, max, max), ["<lambda>"]),
    "a shape": (lambda: call(gnomon.jit(lambda x: x @ x), jnp.ones((2, 3))), ["<lambda>"]),
}


@pytest.mark.parametrize("program, names", PROGRAMS.values(), ids=list(PROGRAMS))
def test_only_the_users_lines(program, names):
    assert frames(program) == (["<lambda>", "call", *names], False)


def test_off():
    config.update("traceback_filtering", "off")
    names, ours = frames(PROGRAMS["vmap"][0])
    assert ours and names[-1] != "step"


def test_a_fault_of_gnomons_own_keeps_all_frames(monkeypatch):
    monkeypatch.setattr("gnomon.api.vmap._run", lambda *args: None + 1)
    monkeypatch.setattr("gnomon.base.frames.is_ours", lambda entry: "_run" not in entry.tb_frame.f_globals.get("__name__", "test"))
    names, ours = frames(lambda: gnomon.vmap(model)(jnp.ones(2)))
    assert ours and "vmap_f" in names


def test_nothing_to_hide():
    error = ValueError("made and not raised")
    hide_frames(error)
    assert error.__traceback__ is None
