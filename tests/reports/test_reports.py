"""Mistakes that users of array libraries have run into, one test each: what must hold so that they cannot happen here.

Grouped by area. Those about time compare two runs of one program, since seconds on a shared machine say little.
"""
import enum
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
import scipy.special

import gnomon
import gnomon.numpy as jnp
from gnomon import lax
from gnomon.custom_batching import custom_vmap
from gnomon.custom_derivatives import SymbolicZero, zero_from_primal
from gnomon.sharding import PartitionSpec as P


@pytest.fixture
def x64():
    with gnomon.enable_x64(True):
        yield


def close(got, want, **tolerance):
    np.testing.assert_allclose(got, want, **{"rtol": 1e-6, **tolerance})


def seconds(run, times, clock=time.perf_counter):
    """The least time of some runs."""
    found = []
    for _ in range(times):
        start = clock()
        run()
        found.append(clock() - start)
    return min(found)


def work(run, times):
    """The least time of some runs on the processors, whatever else these had to do: for times that are compared with our own."""
    return seconds(run, times, time.process_time)


# ---- tracing and time ----------------------------------------------------------------------------------------------

def test_asking_tracers_for_attributes_costs_the_same_at_every_equation():
    def trace(n):
        def probe(x):
            for _ in range(n):
                getattr(x, "sharding", None), getattr(x, "device", None)
                x = x * 1.0001
            return x
        gnomon.make_jaxpr(probe)(1.0)
    trace(100)
    assert work(lambda: trace(2000), 12) < 8 * work(lambda: trace(500), 12)


def scan_of_writes(n):
    def fill(row, start):
        def step(carry, _):
            row, i = carry
            return (lax.cond(i < n, lambda r: r.at[i].set(1.0), lambda r: r, row), i + 1), None
        return lax.scan(step, (row, start), None, length=n)[0][0]
    run, args = gnomon.jit(gnomon.vmap(fill)), (jnp.zeros((2, n)), jnp.zeros(2, "int32"))
    assert float(run(*args).min()) == 1.0
    return lambda: run(*args).block_until_ready()


def test_conditional_writes_over_lanes_take_linear_time():
    assert work(scan_of_writes(20_000), 6) < 12 * work(scan_of_writes(5_000), 6)


def test_cumsum_along_rows_keeps_up_with_numpy():
    x = np.random.default_rng(0).normal(size=(1000, 1000)).astype(np.float32)
    y, run = jnp.array(x), gnomon.jit(lambda v: jnp.cumsum(v, 1))
    run(y)
    assert seconds(lambda: run(y).block_until_ready(), 20) < 2 * seconds(lambda: np.cumsum(x, 1), 10)


def test_convolution_in_a_loop_is_as_fast_as_outside():
    x, kernel = jnp.full((1, 64, 128), 0.5), jnp.full((64, 64, 1), 0.01)

    def conv(v):
        return lax.conv(v, kernel, (1,), "VALID")
    outside, inside = gnomon.jit(lambda v: conv(conv(v))), gnomon.jit(lambda v: lax.fori_loop(0, 2, lambda i, v: conv(v), v))
    close(outside(x), inside(x), rtol=1e-5)
    assert seconds(lambda: inside(x).block_until_ready(), 3) < 5 * seconds(lambda: outside(x).block_until_ready(), 3)


def test_a_state_that_starts_as_a_python_number_is_traced_once():
    traces = []

    @gnomon.jit
    def step(state, x):
        traces.append(state)
        return state + x.sum()
    state = 0.0
    for _ in range(4):
        state = step(state, jnp.ones(3))
    assert float(state) == 12.0 and len(traces) == 1


# ---- pytrees -------------------------------------------------------------------------------------------------------

def test_tree_map_keeps_the_order_of_a_dict():
    out = gnomon.tree.map(lambda v: v + 1, {"z": 0, "a": 1, "m": 2})
    assert list(out.items()) == [("z", 1), ("a", 2), ("m", 3)]


def test_dict_keys_need_no_order():
    class Side(enum.Enum):
        LEFT = 1
        RIGHT = 2
    assert gnomon.tree.map(lambda v: v * 10, {Side.RIGHT: 1, Side.LEFT: 2}) == {Side.RIGHT: 10, Side.LEFT: 20}


# ---- jit -----------------------------------------------------------------------------------------------------------

def test_args_info_says_which_argument_is_donated():
    lowered = gnomon.jit(lambda x, y: (x, y + 1), donate_argnums=1).lower({"A": jnp.ones(2), "B": jnp.ones(2)}, jnp.ones(3))
    (x, y), _ = lowered.args_info
    assert not x["A"].donated and not x["B"].donated and y.donated


def test_threads_trace_apart():
    problems, found = [], {}

    @gnomon.jit
    def shared(x):
        return lax.scan(lambda c, v: (c + jnp.sin(v), c * v), 0.0, x)

    def work(k):
        try:
            x = jnp.arange(1.0, 4.0 + k % 3)
            found[k] = gnomon.value_and_grad(lambda x: shared(x)[0] + gnomon.jit(lambda y: (y ** k).sum())(x))(x)
        except Exception as error:
            problems.append(error)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not problems
    for k in range(8):
        x = np.arange(1.0, 4.0 + k % 3)
        close(found[k][0], np.sin(x).sum() + (x ** k).sum(), rtol=1e-4)
        close(found[k][1], np.cos(x) + k * x ** (k - 1.0), rtol=1e-4)


# ---- loops and branches --------------------------------------------------------------------------------------------

def test_weak_carries_settle():
    def step(c, x):
        return [c[0] + x, c[1] + c[0], c[2] + c[1]], None
    out, _ = lax.scan(step, [0.0, 0.0, 0.0], jnp.ones(5, "float16"))
    assert [float(v) for v in out] == [5, 10, 10] and {str(v.dtype) for v in out} == {"float16"}


@pytest.mark.parametrize("limits, starts", [(3, 5), (3, 3)])
def test_while_loops_under_two_vmaps(limits, starts):
    def double(limit, start):
        return lax.while_loop(lambda c: c[0] < limit, lambda c: (c[0] + 1, c[1] * 2.0), (0, start))[1]
    a, b = jnp.arange(1, limits + 1), jnp.arange(1.0, starts + 1)
    want = np.outer(2.0 ** np.arange(1, limits + 1), np.arange(1.0, starts + 1))
    close(gnomon.vmap(lambda limit: gnomon.vmap(lambda s: double(limit, s))(b))(a), want)
    close(gnomon.vmap(gnomon.vmap(double, in_axes=(None, 0)), in_axes=(0, None))(a, b), want)


@pytest.mark.parametrize("jacobian", [gnomon.jacrev, gnomon.jacfwd])
def test_jacobian_of_running_sums(jacobian):
    close(jacobian(lambda ns: lax.scan(lambda c, n: (c + n, c + n), 0.0, ns)[1])(jnp.arange(5.0)), np.tril(np.ones((5, 5))))


def test_a_linearized_branch_over_lanes_can_be_transposed():
    def push(pred, t):
        return gnomon.linearize(lambda y: lax.cond(pred, lambda: 2.0 * y, lambda: 3.0 * y), 1.0)[1](t)
    back = gnomon.linear_transpose(lambda t: gnomon.vmap(push)(jnp.array([True, False]), jnp.stack([t, t])).sum(), 1.0)
    assert float(back(jnp.float32(1.0))[0]) == 5.0


def test_one_predicate_for_all_lanes_runs_one_branch():
    seen = []

    def arm(name, factor):
        def run(x):
            gnomon.debug.callback(lambda: seen.append(name))
            return x * factor
        return run
    out = gnomon.vmap(lambda p, x: lax.cond(p, arm("yes", 2.0), arm("no", 3.0), x), in_axes=(None, 0))(True, jnp.arange(3.0))
    gnomon.effects_barrier()
    assert out.tolist() == [0, 2, 4] and set(seen) == {"yes"}


def test_gradient_through_a_jitted_scan_with_an_unused_part():
    @gnomon.jit
    def loss(p):
        out, _ = lax.scan(lambda c, _: ({k: v + c["a"] for k, v in c.items()}, 0.0), {"a": p, "b": jnp.zeros(())}, jnp.arange(2))
        return out["a"] * p
    assert float(gnomon.grad(loss)(3.0)) == 24.0


def test_debug_output_is_there_before_the_process_ends():
    code = """
        import gnomon, gnomon.numpy as jnp
        step = lambda c, v: (gnomon.debug.print("line {}", v), (c + v, v))[1]
        gnomon.jit(lambda x: gnomon.lax.scan(step, 0.0, x))(jnp.arange(10.0))
    """
    done = subprocess.run([sys.executable, "-c", "\n".join(line.strip() for line in code.splitlines())], capture_output=True, text=True)
    assert done.stdout.count("line") == 10, done.stderr


def test_a_process_that_ends_while_something_compiles_ends_well():
    code = """
        import gnomon, gnomon.numpy as jnp
        f = lambda x: jnp.stack([getattr(jnp, name)(x * k) for k in range(30) for name in ("sin", "tanh", "exp", "cos", "cbrt")]).sum()
        first, second = gnomon.grad(f)(1.0), gnomon.grad(f)(1.0)
    """
    done = subprocess.run([sys.executable, "-c", "\n".join(line.strip() for line in code.splitlines())], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# ---- rules that users give -----------------------------------------------------------------------------------------

def test_second_derivative_of_a_rule_with_a_scan_in_it():
    @gnomon.custom_jvp
    def cube(x):
        return x ** 3

    @cube.defjvp
    def rule(primals, tangents):
        (x,), (t,) = primals, tangents
        square = lax.scan(lambda c, k: (c * k, None), jnp.float32(1.0), jnp.stack([x, x]))[0]
        return cube(x), 3.0 * square * t
    twice = gnomon.grad(gnomon.grad(cube))
    assert [float(f(2.0)) for f in (gnomon.grad(cube), twice, gnomon.jit(twice))] == [12.0, 12.0, 12.0]


def test_a_rule_may_return_a_symbolic_zero():
    @gnomon.custom_jvp
    def f(x):
        return x + 1

    @f.defjvp
    def rule(primals, tangents):
        return f(*primals), zero_from_primal(primals[0], symbolic_zeros=True)
    y, t = gnomon.jvp(gnomon.vmap(gnomon.jit(f)), (jnp.arange(3.0),), (jnp.ones(3),))
    assert y.tolist() == [1, 2, 3] and t.tolist() == [0, 0, 0]


@gnomon.custom_jvp
def times(x, y):
    return x * y


def times_rule(primals, tangents):
    (x, y), (tx, ty) = primals, tangents
    t = jnp.zeros_like(x)
    t = t if type(tx) is SymbolicZero else t + tx * y
    return times(x, y), t if type(ty) is SymbolicZero else t + x * ty


times.defjvp(times_rule, symbolic_zeros=True)


def test_symbolic_zeros_are_seen_under_jit():
    assert float(gnomon.jacfwd(gnomon.jit(times))(3.0, 5.0)) == 5.0
    assert float(gnomon.jit(gnomon.grad(times, 1))(3.0, 5.0)) == 3.0


def test_a_carry_that_begins_to_move_in_the_second_step():
    def cube(x):
        return lax.scan(lambda c, _: (times(c, x), None), jnp.float32(1.0), None, length=3)[0]
    assert float(gnomon.grad(cube)(2.0)) == 12.0 and float(gnomon.jvp(cube, (2.0,), (1.0,))[1]) == 12.0


def test_none_is_enough_for_the_cotangent_of_an_integer():
    @gnomon.custom_vjp
    def f(x, n):
        return x * n
    f.defvjp(lambda x, n: (x * n, n), lambda n, g: (g * n, None))
    assert float(gnomon.grad(f)(2.0, 3)) == 3.0 and float(gnomon.jit(gnomon.grad(f))(2.0, jnp.int32(4))) == 4.0
    assert gnomon.vmap(gnomon.grad(f))(jnp.ones(2), jnp.array([1, 2])).tolist() == [1.0, 2.0]


def test_reverse_through_a_batching_rule_around_a_derivative_rule():
    @gnomon.custom_vjp
    def add(a, b):
        return a + b
    add.defvjp(lambda a, b: (add(a, b), None), lambda _, g: (g, 2.0 * g))
    batched = custom_vmap(add)
    batched.def_vmap(lambda size, which, *args: (add(*args), True))
    assert [float(g) for g in gnomon.grad(batched, (0, 1))(1.0, 2.0)] == [1.0, 2.0]
    assert gnomon.vmap(batched)(jnp.ones(2), jnp.ones(2)).tolist() == [2, 2]
    ga, gb = gnomon.grad(lambda a, b: gnomon.vmap(batched)(a, b).sum(), (0, 1))(jnp.ones(2), jnp.ones(2))
    assert ga.tolist() == [1, 1] and gb.tolist() == [2, 2]


def test_gradient_of_a_gradient_of_a_checkpointed_layer():
    w, x = jnp.array([[1.0, -2.0], [0.5, 3.0]]), jnp.array([[1.0], [0.5]])

    def layer(a, b):
        return jnp.sum(gnomon.nn.relu(a @ b) ** 2)

    def outer(layer):
        return gnomon.grad(lambda w: jnp.sum(gnomon.grad(layer, argnums=1)(w, x)))
    close(gnomon.jit(outer(gnomon.checkpoint(layer)))(w), outer(layer)(w))


# ---- derivatives at the edges --------------------------------------------------------------------------------------

def test_mixed_second_derivatives_of_a_power_at_exponent_zero():
    one, other = gnomon.grad(gnomon.grad(lax.pow, 0), 1), gnomon.grad(gnomon.grad(lax.pow, 1), 0)
    close([one(23.0, 0.0), other(23.0, 0.0)], [1 / 23, 1 / 23])


def test_derivative_of_zero_to_the_zero_is_the_same_under_jit():
    def power(x, k):
        return x ** k
    for f in (gnomon.jacfwd(power), gnomon.jacfwd(gnomon.jit(power)), gnomon.jit(gnomon.grad(power)), gnomon.grad(gnomon.jit(power))):
        assert float(f(0.0, 0)) == 0.0


def second(f):
    return gnomon.grad(gnomon.grad(f))


def test_second_derivative_of_i0_at_zero(x64):
    close(second(lambda t: jnp.i0(2 * t - 1))(0.5), 2.0, rtol=1e-10)


@pytest.mark.parametrize("x", [1e-300, -1e-20, 1e-8, 0.3, -3.0, 30.0])
@pytest.mark.parametrize("name", ["numpy", "scipy.special"])
def test_derivatives_of_i0_keep_their_digits_near_zero(name, x, x64):
    i0 = jnp.i0 if name == "numpy" else gnomon.scipy.special.i0
    want = [scipy.special.i1(x), scipy.special.ivp(0, x, 2), scipy.special.ivp(0, x, 3) or 0.375 * x]
    close([gnomon.grad(i0)(x), second(i0)(x), gnomon.grad(second(i0))(x)], want, rtol=1e-9)


@pytest.mark.parametrize("x, y", [(1.0, 1.0), (0.0, 1.0), (1.0, 0.0), (-3.0, 4.0), (2.0, -2.0), (1e150, 1e150), (1e-150, 2e-150)])
def test_second_derivatives_of_hypot_where_the_larger_side_changes(x, y, x64):
    h = np.hypot(x, y)
    u, v = x / h, y / h
    close(gnomon.grad(jnp.hypot, (0, 1))(x, y), [u, v])
    close(np.array(gnomon.hessian(jnp.hypot, (0, 1))(x, y)) * h, [[v * v, -u * v], [-u * v, u * u]], atol=1e-12)


def test_second_derivative_of_tanh_of_a_tiny_number(x64):
    close(second(jnp.tanh)(1e-300), -2e-300)


def test_second_derivative_of_log_sigmoid_far_out(x64):
    close(second(gnomon.nn.log_sigmoid)(-37.42994775023705), -5.551115123125775e-17, rtol=1e-5)


def test_derivatives_of_softplus_and_its_kin_at_zero():
    close([gnomon.grad(gnomon.nn.log_sigmoid)(0.0), gnomon.grad(gnomon.nn.softplus)(0.0), second(gnomon.nn.softplus)(0.0)],
          [0.5, 0.5, 0.25])


def test_gradient_of_masked_distances_is_finite():
    def energy(x):
        distance = jnp.linalg.norm(x[:, None] - x[None, :], axis=-1)
        return jnp.sum(jnp.where(~jnp.eye(3, dtype=bool), distance, 0.0))
    x = jnp.array([[0.0, 0.0], [3.0, 4.0], [-3.0, 4.0]])
    reverse, forward = gnomon.grad(energy)(x), gnomon.jacfwd(energy)(x)
    close(reverse, forward)
    close(reverse[0], [0.0, -3.2], atol=1e-5)


def test_one_convention_for_gradients_of_complex_numbers():
    z = 1.0 + 0.5j
    for f in (jnp.abs, lambda z: jnp.sqrt(jnp.real(z) ** 2 + jnp.imag(z) ** 2)):
        close(complex(gnomon.grad(f)(z)), np.conj(z) / abs(z))


# ---- linear algebra ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("matrix, gradient", [
    (np.zeros((4, 4)), np.zeros((4, 4))), ([[1, 2], [2, 4]], [[4, -2], [-2, 1]]), (np.diag([1, 2, 0]), np.diag([0, 0, 2])),
], ids=["zero", "rank one", "one zero"])
def test_gradient_of_the_determinant_of_a_singular_matrix(matrix, gradient):
    close(gnomon.grad(jnp.linalg.det)(jnp.array(matrix, "float32")), gradient, atol=1e-5)


def test_singular_values_of_zero_that_are_not_used_do_no_harm():
    def first(a):
        u, s, vh = jnp.linalg.svd(a, full_matrices=False)
        return jnp.sum(u[:, :1] * s[:1] @ vh[:1])
    assert np.isfinite(gnomon.grad(first)(jnp.outer(jnp.array([1.0, 2.0, 2.0]), jnp.ones(3)) / 3.0)).all()


def test_gradient_of_eigh_with_large_eigenvalues():
    def f(m):
        values, vectors = jnp.linalg.eigh(m)
        return vectors[0, 0] ** 2 + values[1]
    close(gnomon.grad(f)(jnp.diag(jnp.array([1e8, 3e8]))), [[0, 0], [0, 1]], atol=1e-5)


def test_power_of_a_matrix_of_booleans():
    a = np.array([[True, True], [False, True]])
    out = jnp.linalg.matrix_power(jnp.array(a), 2)
    assert out.dtype == bool and out.tolist() == np.linalg.matrix_power(a, 2).tolist()


# ---- what NumPy does -----------------------------------------------------------------------------------------------

def test_nanquantile_of_nothing_is_nan():
    out = jnp.nanquantile(jnp.empty((0, 4), "float32"), 0.5, axis=0)
    assert out.shape == (4,) and np.isnan(out).all()


def test_floor_division_keeps_the_sign_of_zero():
    out = np.asarray(jnp.floor_divide(jnp.float32(-0.0), jnp.float32(3.0)))
    assert out == 0 and np.signbit(out)
    assert [float(v) for v in jnp.divmod(jnp.float32(-7.0), jnp.float32(2.0))] == [-4.0, 1.0]


def test_a_product_with_nan_is_nan_under_jit(x64):
    def f(x):
        return jnp.exp(x * jnp.nan)
    assert np.isnan(f(jnp.float64(0.123))) and np.isnan(gnomon.jit(f)(jnp.float64(0.123)))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_nan_among_the_constants_stays_nan_under_jit(dtype):
    """The compiler may know that the operand of an exponential is NaN."""
    def functions(x):
        nans = [x * jnp.nan, x + np.nan, jnp.where(x < 0, jnp.nan, 0.5).astype(dtype), jnp.where(x < 0, jnp.nan, x), jnp.full(2, jnp.nan, dtype)]
        return [[jnp.exp(v), jnp.expm1(v), gnomon.nn.sigmoid(v), gnomon.nn.softplus(v), gnomon.nn.silu(v), jnp.sinh(v)] for v in nans]
    found = np.array(gnomon.jit(functions)(jnp.array([-0.5, 0.7], dtype)), "float32")
    assert np.isnan(found[..., 0]).all() and np.isnan(found[..., 1]).tolist() == [[k in (0, 1, 4)] * 6 for k in range(5)]


@pytest.mark.parametrize("values", [[0, 1, np.nan], [np.nan, 1, 2], [np.nan, np.nan], [0, np.nan, 1]])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_nan_wins(name, values):
    x = np.array(values, np.float32)
    want = int(getattr(np, name)(x))
    assert int(getattr(jnp, name)(x)) == want == int(gnomon.jit(getattr(jnp, name))(x))


def test_vdot_over_columns():
    x, y = np.arange(6, dtype=np.float32).reshape(3, 2), np.array([1, 2, 3], np.float32)
    close(gnomon.vmap(jnp.vdot, (1, None), 0)(jnp.array(x), jnp.array(y)), x.T @ y)
    close(gnomon.vmap(jnp.vdot, (None, 1), 0)(jnp.array(y), jnp.array(x)), x.T @ y)


# ---- indexing ------------------------------------------------------------------------------------------------------

def test_a_mask_after_a_new_axis():
    x, mask = np.arange(6, dtype=np.int32).reshape(2, 3), np.array([True, False])
    assert jnp.array(x)[jnp.newaxis, jnp.array(mask)].tolist() == x[np.newaxis, mask].tolist()


def test_a_mask_of_another_length_is_refused():
    with pytest.raises(IndexError, match="(?s)4.*2|2.*4"):
        jnp.arange(4)[jnp.array([True, False])]


@pytest.mark.parametrize("name", ["compress", "extract"])
def test_a_condition_that_holds_where_there_is_nothing_is_refused(name):
    choose, x = getattr(jnp, name), jnp.arange(4)
    assert choose(jnp.array([True, False, True, False, False]), x).tolist() == [0, 2] == choose(jnp.array([True, False, True]), x).tolist()
    with pytest.raises(ValueError, match=f"{name}: the condition has 5 elements, of which some beyond the first 4 hold"):
        choose(jnp.array([True, False, True, False, True]), x)


def test_a_known_index_out_of_bounds_is_an_error():
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 5"):
        jnp.arange(5)[7]


def test_gradient_of_a_function_applied_at_an_index():
    x, want = jnp.array([1.0, 2.0]), np.diag([1.0, np.cos(2.0)])
    for jacobian in (gnomon.jacfwd, gnomon.jacrev):
        close(jacobian(lambda x: x.at[1].apply(jnp.sin))(x), want)


def test_gradients_of_products_over_segments_and_places():
    x = jnp.array([2.0, 3.0, 5.0])
    product = gnomon.grad(lambda x: gnomon.segments.segment_prod(x, jnp.array([0, 0, 1]), num_segments=2).sum())
    close(product(x), [3, 2, 1])
    gx, gy = gnomon.grad(lambda x, y: x.at[jnp.array([0, 2])].multiply(y, unique_indices=True).sum(), (0, 1))(x, jnp.array([7.0, 11.0]))
    close(gx, [7, 1, 11])
    close(gy, [2, 5])


# ---- dtypes --------------------------------------------------------------------------------------------------------

def test_an_integer_too_large_for_32_bits_is_not_cut_in_silence():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        gnomon.jit(lambda x: x + 0)(np.array([2 ** 32 + 5]))
    assert any("do not fit in int32" in str(w.message) for w in told)


def test_a_large_python_integer_means_the_same_under_jit(x64):
    found = []
    for make in (jnp.array, gnomon.jit(jnp.array)):
        try:
            found.append(make(2 ** 63).dtype)
        except OverflowError:
            found.append(OverflowError)
    assert found[0] == found[1]


def test_random_numbers_of_64_bits_are_not_narrowed_in_silence():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        out = gnomon.random.uniform(gnomon.random.key(0), dtype="float64")
    assert out.dtype == "float32" and any("float64" in str(w.message) for w in told)


# ---- random numbers ------------------------------------------------------------------------------------------------

def test_a_reused_key_is_not_seen_where_there_are_no_keys():
    def draw(key):
        a, b = gnomon.random.split(key)
        return gnomon.random.normal(a) + gnomon.random.normal(b)
    with gnomon.debug_key_reuse(True):
        for n in (3, 0):
            assert gnomon.vmap(draw)(gnomon.random.split(gnomon.random.key(1), n)).shape == (n,)


def test_integers_reach_both_ends_of_their_dtype():
    out = np.asarray(gnomon.random.randint(gnomon.random.key(0), (20_000,), 0, 256, "uint8"))
    assert out.min() == 0 and out.max() == 255 and abs(out.mean(dtype=float) - 127.5) < 3


def test_a_normal_distribution_cut_far_out_is_finite():
    out = np.asarray(gnomon.random.truncated_normal(gnomon.random.key(7), -100.0, 100.0, (100_000,)))
    assert np.isfinite(out).all() and abs(out.mean()) < 0.02 and abs(out.std() - 1) < 0.02


# ---- devices -------------------------------------------------------------------------------------------------------

@pytest.fixture
def on_four():
    """shard_map over four devices, by the names of one or two axes."""
    def on(f, in_specs, out_specs, axes=("x",)):
        shape = (4,) if len(axes) == 1 else (2, 2)
        mesh = gnomon.make_mesh(shape, axes, devices=gnomon.devices()[:4])
        return gnomon.shard_map(f, mesh=mesh, in_specs=in_specs, out_specs=out_specs)
    return on


def test_a_linear_map_and_its_transpose_on_each_device(on_four):
    def there_and_back(t):
        p = jnp.array([1.0])
        _, forward = gnomon.linearize(lambda v: jnp.mean(v ** 2), p)
        return gnomon.linear_transpose(forward, p)(forward(t))[0]
    close(on_four(there_and_back, P("x"), P("x"))(jnp.arange(4.0)), 4.0 * np.arange(4))


def test_a_second_sum_over_an_axis_counts_its_devices(on_four):
    assert float(on_four(lambda x: lax.psum(lax.psum(x.sum(), "x"), "x"), P("x"), P())(jnp.ones(4))) == 16.0


def test_argmax_on_each_device(on_four):
    x = jnp.array([[0, 3, 9, 1], [5, 2, 0, 4.0]], "float32")
    found = on_four(lambda x: x.argmax(axis=-1, keepdims=True), P("d", "m"), P("d", "m"), ("d", "m"))(x)
    assert found.tolist() == [[1, 0], [0, 1]]


def test_random_choices_on_each_device(on_four):
    keys, p = gnomon.random.split(gnomon.random.key(0), 8), jnp.tile(jnp.array([0.0, 1.0, 0.0]), (8, 1))
    draw = gnomon.vmap(lambda key, p: gnomon.random.choice(key, jnp.arange(3), p=p, replace=True))
    assert on_four(draw, (P("x"), P("x", None)), P("x"))(keys, p).tolist() == [1] * 8


def test_gradient_of_a_sum_over_devices_by_a_number_closed_over(on_four):
    def loss(w, x):
        return on_four(lambda x: lax.psum(((w * x) ** 2).sum(), "x"), P("x"), P())(x)
    close(gnomon.grad(loss)(3.0, jnp.arange(8.0)), 2 * 3.0 * 140.0)


def test_gradients_of_examples_are_those_of_vmap_or_refused(on_four):
    """The gradient by a value that the devices have in common is their sum, which does not fit the examples of one device."""
    xs, params = jnp.array([[0.0, 1], [1, 1], [1, 0], [2, 3]]), jnp.array([1.0, 2.0])

    def each(p):
        return gnomon.vmap(lambda x: gnomon.grad(lambda p: jnp.dot(p, x))(p))
    close(on_four(lambda x: each(lax.pcast(params, "x", to="varying"))(x), P("x"), P("x"))(xs), xs)
    with pytest.raises(TypeError) as error:
        on_four(each(params), P("x"), P("x"))(xs)
    assert str(error.value) == (
        "grad of <lambda>, under vmap inside shard_map: its output is varying over the mesh axis 'x' and the value to differentiate by is not, so "
        "the gradient of each lane would be the sum of the lanes of this number on all devices. Apply lax.pcast(value, 'x', to='varying') for "
        "each device's own gradient, or psum the output for that of the sum.")
