"""Calls outside a trace that are remembered: the second and later ones give what the first one gave."""
import gc

import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon.base.source import file_line, scope_of
from gnomon.ir.check import check
from gnomon.numpy.composite import remembered
from gnomon.run.client import get_client

X = np.linspace(0.1, 0.9, 12, dtype=np.float32).reshape(3, 4)
HARD = np.array([np.nan, -np.inf, np.inf, -0.0, 0.0, 1.5], np.float32)
CALLS = {
    "clip": lambda x: jnp.clip(x, 0.2, 0.7), "nan_to_num": lambda x: jnp.nan_to_num(x, posinf=2.0), "isclose": lambda x: jnp.isclose(x, x),
    "mean": jnp.mean, "nansum": lambda x: jnp.nansum(x, axis=0, keepdims=True), "outer": lambda x: jnp.outer(x, x),
    "linspace": lambda x: jnp.linspace(x, 2.0, 5), "median": jnp.median, "average": lambda x: jnp.average(x, returned=True),
    "sin of integers": lambda x: jnp.sin(jnp.isnan(x)), "hypot": lambda x: jnp.hypot(x, jnp.isnan(x)), "cov": jnp.cov,
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("numbers", [X, HARD], ids=["usual", "hard"])
def test_later_calls_give_what_the_first_one_gave(name, numbers):
    x = jnp.asarray(numbers)
    results = [gnomon.tree.leaves(CALLS[name](x)) for _ in range(4)]
    for later in results[1:]:
        for a, b in zip(results[0], later, strict=True):
            assert a.type == b.type
            np.testing.assert_allclose(a, b, rtol=3e-7)
            np.testing.assert_array_equal(np.signbit(a), np.signbit(b))


def test_numbers_that_are_equal_are_told_apart():
    x = jnp.array([-0.0, 0.0, np.nan], jnp.float32)
    for _ in range(3):
        assert np.signbit(jnp.nan_to_num(x, nan=-0.0)[2]) and not np.signbit(jnp.nan_to_num(x, nan=0.0)[2])
        assert jnp.clip(jnp.array([5]), 0, 1).dtype == "int32" and jnp.clip(jnp.array([5]), 0, 1.0).dtype == "float32"


def test_numbers_computed_once_are_not_shared_with_what_was_given_out():
    first, second, third = (jnp.linspace(0.0, 1.0, 5) for _ in range(3))
    gnomon.jit(lambda x: x * 0 + 7, donate_argnums=0)(second)
    third.delete()
    np.testing.assert_array_equal(jnp.linspace(0.0, 1.0, 5), first)


def test_settings_and_announcements_count_at_every_call():
    i = jnp.arange(4)
    assert [jnp.mean(i).dtype for _ in range(3)] == ["float32"] * 3
    with gnomon.enable_x64(True):
        assert [jnp.linspace(0.0, 1.0, 3).dtype for _ in range(3)] == ["float64"] * 3
    with gnomon.debug_nans(True):
        for _ in range(3):
            with pytest.raises(FloatingPointError):
                jnp.mean(jnp.zeros(0))


def test_functions_that_look_at_numbers_are_called_every_time():
    seen = []

    @remembered
    def look(x):
        seen.append(float(x[0]))
        return x + 1
    for n in range(4):
        assert look(jnp.array([float(n)]))[0] == n + 1
    assert seen == [0.0, 1.0, 2.0, 3.0]


def test_a_mistake_is_told_every_time():
    for _ in range(3):
        with pytest.raises(ValueError):
            jnp.clip(jnp.ones(3) * 1j, 0, 1)
        with pytest.raises((TypeError, ValueError)):
            jnp.mean(jnp.ones(3), axis=4)


def test_clear_caches_lets_go_of_what_eager_calls_compiled():
    def alive():
        gc.collect()
        return len(get_client().live_executables())

    def work():
        x = jnp.ones((200, 200))
        return [complex(jnp.sum(f(x))) for _ in range(2) for f in (jnp.mean, jnp.var, jnp.fft.fft, jnp.cumsum, lambda x: x @ x, jnp.trace,
                                                                 gnomon.grad(lambda x: jnp.sin(x).sum()), gnomon.vmap(jnp.sum))]
    gnomon.clear_caches()
    before = alive()
    first = work()
    assert alive() >= before + 6
    gnomon.clear_caches()
    assert alive() == before and work() == first


# ---- while a program is being recorded --------------------------------------------------------------------------------

RECORDED = {
    **CALLS, "floor_divide": lambda x: jnp.floor_divide(x, 2), "logaddexp": lambda x: jnp.logaddexp(x, 0.5), "corrcoef": jnp.corrcoef,
    "gcd": lambda x: jnp.gcd(x.astype(int), 6), "gradient": lambda x: jnp.gradient(x, axis=0), "divmod": lambda x: jnp.divmod(x, 0.3),
    "percentile": lambda x: jnp.percentile(x, 30), "dynamic_slice": lambda x: gnomon.lax.dynamic_slice(x, (x[0, 0].astype(int), 1), (2, 2)),
    "reduce": lambda x: gnomon.lax.reduce(x, 0.5, gnomon.lax.add, (1,)), "eigh": lambda x: gnomon.lax.linalg.eigh(x[:, :3] @ x[:, :3].T + 1),
    "reduce_window": lambda x: gnomon.lax.reduce_window(x, 0.0, gnomon.lax.max, (2, 2), padding="SAME"),
    "conv": lambda x: gnomon.lax.conv_general_dilated(x[None, None], x[None, None, :2, :2], (1, 1), "SAME"),
}


@pytest.mark.parametrize("name", RECORDED)
def test_later_calls_record_what_the_first_one_did(name):
    call = RECORDED[name]

    def twice(x):
        first = call(x)
        second = call(x * 1)
        third = gnomon.jit(lambda y: call(x))(x)        # of a value of the program around
        return first, second, third

    programs = [gnomon.make_jaxpr(call)(X) for _ in range(4)]
    assert len({str(p) for p in programs}) == 1
    for p in programs:
        check(p.jaxpr)
    for results in zip(*map(gnomon.tree.leaves, gnomon.jit(twice)(X)), gnomon.tree.leaves(call(jnp.asarray(X)))):
        for r in results:
            np.testing.assert_allclose(r, results[0], rtol=3e-7)
    moving = [gnomon.jvp(lambda x: gnomon.tree.map(lambda y: y * 1.0, call(x)), (X,), (X,)) for _ in range(3)]
    for a, b in zip(*map(gnomon.tree.leaves, moving[1:])):
        np.testing.assert_allclose(a, b, rtol=3e-7)


def test_equations_stand_at_the_line_of_each_call():
    def lines(x):
        a = jnp.corrcoef(x)
        b = jnp.corrcoef(x)
        with gnomon.named_scope("third"):
            return a, b, jnp.corrcoef(x)
    start = lines.__code__.co_firstlineno
    for _ in range(2):
        eqns = gnomon.make_jaxpr(lines)(X).jaxpr.eqns
        count = len(eqns) // 3
        for i, offset in enumerate((1, 2, 4)):
            assert {file_line(e.place)[1] for e in eqns[i * count:(i + 1) * count]} == {start + offset}
        assert {scope_of(e.place) for e in eqns[:count]} == {""} and {scope_of(e.place) for e in eqns[2 * count:]} == {"third"}


def test_what_is_recorded_depends_on_types_numbers_and_settings():
    def program(f, *xs):
        return [str(gnomon.make_jaxpr(f)(*xs)) for _ in range(3)][-1]
    assert program(lambda x: jnp.nan_to_num(x, nan=-0.0), X) != program(lambda x: jnp.nan_to_num(x, nan=0.0), X)
    assert "f32" in program(lambda x: jnp.clip(x, 0, 1.0), X.astype(int)) and "f32" not in program(lambda x: jnp.clip(x, 0, 1), X.astype(int))
    assert "f64" not in program(jnp.mean, X.astype(int))
    with gnomon.enable_x64(True):
        assert "f64" in program(jnp.mean, X.astype(int))
    f = gnomon.jit(lambda x, y: jnp.logaddexp(x, y))
    for _ in range(3):
        assert f(1, 2).weak_type and not f(1, jnp.float32(2)).weak_type and f(jnp.float16(1), 2).dtype == "float16"


def test_numbers_that_are_known_are_looked_at_every_time():
    def f(x):
        return x.sum() * jnp.nonzero(x > 1)[0].size
    for n in range(1, 5):
        assert gnomon.grad(f)(jnp.arange(n + 2.0))[0] == n


def test_a_mistake_is_told_every_time_it_is_recorded():
    for _ in range(3):
        with pytest.raises(ValueError):
            gnomon.make_jaxpr(lambda x: jnp.clip(x * 1j, 0, 1))(X)
        with pytest.raises((TypeError, ValueError)):
            gnomon.make_jaxpr(lambda x: jnp.mean(x, axis=4))(X)
        with pytest.raises(gnomon.errors.TracerBoolConversionError):
            gnomon.jit(lambda x: 1 if jnp.allclose(x, x) else 2)(X)
