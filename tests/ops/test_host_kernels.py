"""Where NumPy sorts for compiled CPU programs: the same bits as in the form that runs anywhere, under every transform."""
import threading

import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon.lower.emit import HOST_KERNEL_SIZE
from gnomon.lower.module import write_module
from gnomon.lower.plan import Plan
from gnomon.ops.rolling import MORE
from gnomon.run.compile import compile, load
from gnomon.run.execute import make_call
from gnomon.run.client import HOST_KERNEL as CALLED

N = HOST_KERNEL_SIZE


def both_forms(f, *xs):
    """The results of a compiled function, which calls NumPy, and those of its form for any platform."""
    xs = [jnp.asarray(x) for x in xs]
    jitted = gnomon.jit(f)
    assert CALLED in jitted.lower(*xs).as_text()
    closed = gnomon.make_jaxpr(f)(*xs)
    text, _ = write_module(closed.jaxpr.closed())
    assert CALLED not in text
    portable = make_call(compile(text, Plan()), closed.jaxpr.out_types)([*closed.consts, *xs])
    return gnomon.tree.leaves(jitted(*xs)), portable


def check(f, *xs):
    for found, wanted in zip(*both_forms(f, *xs), strict=True):
        assert found.dtype == wanted.dtype and found.shape == wanted.shape
        assert np.asarray(found).tobytes() == np.asarray(wanted).tobytes()


def numbers(dtype, *shape):
    """Numbers of all kinds: repeated ones, both zeros, infinities, NaN of both signs, the ends of the range."""
    rng, dtype = np.random.default_rng(0), jnp.dtype(dtype)
    if dtype.kind in "biu":
        x = rng.integers(0, 2 if dtype.kind == "b" else 100, shape).astype(dtype)
        if dtype.kind != "b":
            x.ravel()[:2] = np.iinfo(dtype).min, np.iinfo(dtype).max
        return x
    x = np.round(rng.standard_normal(shape) * 100)
    x.ravel()[:6] = 0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan
    return x.astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "int32", "uint32", "int8", "bool"])
def test_sorts_have_the_same_bits(dtype):
    x, y = numbers(dtype, N + 3), numbers(dtype, 3, N // 8, 5)
    check(lambda x, y: (jnp.sort(x), jnp.sort(y, 1), jnp.sort(y, 2, stable=False), jnp.argsort(x), jnp.argsort(y, 0)), x, y)


@pytest.mark.parametrize("dtype", ["float32", "int32", "bfloat16"])
def test_quantiles_and_places_of_extremes_have_the_same_bits(dtype):
    x, y = numbers(dtype, 2 ** 16), numbers(dtype, 8, 2 ** 13)
    check(lambda x, y: (jnp.median(y, 1), jnp.argmax(x), jnp.argmin(y, 1), jnp.quantile(y[:4, 6:], np.array([0.3, 0.5, 1.0]), -1)), x, y)


def test_gradient_of_the_median():
    check(gnomon.grad(lambda x: jnp.median(x) ** 2), numbers("float32", N + 6)[6:])


def test_lists_have_the_same_bits():
    x = numbers("int32", 2, N)
    check(lambda x: (jnp.nonzero(x[0] > 50, size=N), jnp.nonzero(x < 20, size=70, fill_value=-1), jnp.unique(x, size=200),
                     jnp.unique(x, size=20, fill_value=7), gnomon.vmap(lambda r: jnp.unique(r, size=110))(x),
                     gnomon.vmap(lambda r: jnp.nonzero(r > 90, size=500)[0])(x)), x)


def test_wide_sorts_have_the_same_bits():
    with gnomon.enable_x64(True):
        check(lambda x, y: (jnp.sort(x), jnp.sort(y)), numbers("float64", N), numbers("uint64", N))


def test_under_transforms():
    x = np.nan_to_num(numbers("float32", 4, N), posinf=9.0, neginf=9.0)

    def f(x):
        return (jnp.sort(x) * jnp.arange(x.size)).sum(), jnp.argsort(-x)

    check(lambda x: gnomon.vmap(f)(x), x)
    check(lambda x: gnomon.grad(lambda x: f(x)[0])(x), x[0])
    check(lambda x: gnomon.jvp(gnomon.jit(jnp.sort), (x,), (x + 1,)), x)
    check(lambda x: gnomon.lax.scan(lambda c, row: (c + row.sum(), jnp.sort(row + c)), 0.0, x), x)
    check(lambda x: gnomon.lax.cond(x[0] > 0, jnp.sort, lambda x: -jnp.sort(-x), x), x[0])
    check(lambda x: gnomon.lax.while_loop(lambda x: x[0] > -2000, lambda x: jnp.sort(x) - 500, x), x[0])
    check(lambda x: gnomon.checkpoint(lambda x: jnp.sort(jnp.sin(x)))(x), x[0])


def test_small_sorts_and_programs_on_several_devices_do_not_call_numpy():
    assert CALLED not in gnomon.jit(jnp.sort).lower(jnp.zeros(N - 1)).as_text()
    mesh = gnomon.make_mesh((2,), ("x",), axis_types=(gnomon.sharding.AxisType.Auto,))
    x = gnomon.device_put(numbers("float32", 2, N), gnomon.NamedSharding(mesh, gnomon.P("x")))
    lowered = gnomon.jit(jnp.sort).lower(x)
    assert CALLED not in lowered.as_text()
    np.testing.assert_array_equal(lowered.compile()(x), np.sort(x))


def test_a_program_can_be_saved():
    x = jnp.asarray(numbers("int32", N))
    executable = gnomon.jit(jnp.sort).lower(x).compile().executable
    again = load(executable.serialize(), Plan())
    assert again.calls_python
    result, = make_call(again, [x.type])([x])
    np.testing.assert_array_equal(result, np.sort(x))


def test_on_another_device_than_the_first():
    x = gnomon.device_put(numbers("int32", N), gnomon.devices()[3])
    result = gnomon.jit(jnp.sort)(x)
    assert result.devices() == {gnomon.devices()[3]}
    np.testing.assert_array_equal(result, np.sort(x))


def test_from_many_threads_at_once():
    """Runs wait for the interpreter, which whoever waits for them must let go."""
    x = jnp.asarray(numbers("float32", 8, N))
    wanted, wrong = np.sort(np.asarray(x)), []
    f = gnomon.jit(jnp.sort)

    def work():
        for _ in range(20):
            pending = [f(x) for _ in range(4)]
            if not all(np.array_equal(np.asarray(y), wanted, equal_nan=True) for y in pending):
                wrong.append(1)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong and not any(thread.is_alive() for thread in threads)


def test_two_in_one_program_and_callbacks_beside_them():
    x = jnp.asarray(numbers("float32", N))

    def f(x):
        y = gnomon.pure_callback(lambda x: np.asarray(x) + 1, gnomon.ShapeDtypeStruct(x.shape, x.dtype), x)
        return jnp.sort(x) + jnp.sort(-x), jnp.sort(y)

    a, b = gnomon.jit(f)(x)
    np.testing.assert_array_equal(b, np.sort(np.asarray(x) + 1))
    np.testing.assert_array_equal(a, np.sort(x) + np.sort(-np.asarray(x)))


@pytest.mark.parametrize("dtype", ["float32", "int8", "bool", "float64"])
def test_rolls_of_many_numbers_have_the_same_bits(dtype):
    with gnomon.enable_x64(dtype == "float64"):
        x, y = numbers(dtype, MORE), numbers(dtype, 4, MORE // 16, 5)
        check(lambda x, y: (jnp.roll(x, 7), jnp.roll(x, -1), jnp.roll(y, 3, 1), jnp.roll(y, (1, -2), (0, 2)),
                            gnomon.vmap(lambda r: jnp.roll(r, 3, 0))(y)), x, y)
        assert CALLED not in gnomon.jit(lambda x: jnp.roll(x, 7)).lower(x[1:]).as_text()
        np.testing.assert_array_equal(gnomon.jit(lambda x: jnp.roll(x, 7))(x[1:]), np.roll(x[1:], 7))


def test_gradient_of_a_roll():
    check(gnomon.grad(lambda x: (jnp.roll(x, 5) * jnp.arange(x.size)).sum()), numbers("float32", MORE + 6)[6:])
