"""The smaller public modules."""
import os
import time

import numpy as np
import pytest

import gnomon
import gnomon.numpy as jnp
from gnomon.experimental import checkify
from gnomon import core, dlpack, dtypes, flatten_util, monitoring, profiler, segments, stages, test_util, typing
from gnomon.api_util import argnums_partial, flatten_fun, flatten_fun_nokwargs, safe_map
from gnomon.extend import core as extend_core, linear_util
from gnomon.extend.core import primitives


def test_every_name_of_the_top_module_is_there():
    assert all(hasattr(gnomon, name) for name in gnomon.__all__)
    assert gnomon.scipy is not None and gnomon.stages is stages
    with pytest.raises(AttributeError, match="module 'gnomon' has no attribute 'nonesuch'"):
        gnomon.nonesuch


# ---- segments, ravel_pytree ----------------------------------------------------------------------------------------

DATA, IDS = np.arange(5, dtype=np.float32), np.array([0, 0, -1, 2, 7], np.int32)


@pytest.mark.parametrize("name, floats, ints", [
    ("segment_sum", [1, 0, 3], [1, 0, 3]), ("segment_prod", [0, 1, 3], [0, 1, 3]),
    ("segment_max", [1, -np.inf, 3], [1, -2 ** 31, 3]), ("segment_min", [0, np.inf, 3], [0, 2 ** 31 - 1, 3]),
])
def test_segments(name, floats, ints):
    f = getattr(segments, name)
    assert f(DATA, IDS, 3).tolist() == floats and f(DATA.astype(np.int32), IDS, 3).tolist() == ints
    assert gnomon.jit(lambda d, i: f(d, i, num_segments=3))(DATA, IDS).tolist() == floats
    assert f(DATA, IDS, 3, bucket_size=2).tolist() == floats
    assert f(DATA, IDS).shape == (8,)
    rows = gnomon.vmap(lambda d: f(d, IDS, 3))(np.stack([DATA, DATA]))
    assert rows.tolist() == [floats, floats]


def test_segments_of_rows_and_their_gradient():
    data, ids = np.arange(6, dtype=np.float32).reshape(3, 2), np.array([1, 1, 0])
    assert segments.segment_sum(data, ids, 2).tolist() == [[4, 5], [2, 4]]
    assert gnomon.grad(lambda d: (segments.segment_sum(d, ids, 2) * jnp.arange(2)).sum())(data).tolist() == [[0, 1]] * 3
    assert gnomon.grad(lambda d: segments.segment_max(d, ids, 2).sum())(data).tolist() == [[0, 0], [1, 1], [1, 1]]


def test_segments_need_a_known_number():
    with pytest.raises(gnomon.errors.ConcretizationTypeError, match="segment_sum needs num_segments where segment_ids is a traced value"):
        gnomon.jit(segments.segment_sum)(DATA, IDS)
    with pytest.raises(ValueError, match="num_segments must be non-negative, got -1"):
        segments.segment_sum(DATA, IDS, -1)
    with pytest.raises(ValueError, match=r"the shape of segment_ids, \(2,\), must be that of the leading dimensions of data, \(5,\)"):
        segments.segment_sum(DATA, IDS[:2], 3)


def test_ravel_pytree():
    tree = {"a": jnp.arange(3), "b": [jnp.ones((2, 2)), 2.0]}
    vector, unravel = flatten_util.ravel_pytree(tree)
    assert vector.dtype == "float32" and vector.tolist() == [0, 1, 2, 1, 1, 1, 1, 2]
    back = unravel(2 * vector)
    assert back["a"].dtype == "int32" and back["a"].tolist() == [0, 2, 4] and back["b"][0].shape == (2, 2)
    assert gnomon.grad(lambda v: unravel(v)["b"][0].sum())(vector).tolist() == [0, 0, 0, 1, 1, 1, 1, 0]
    assert gnomon.jit(lambda u, v: u(v)["b"][1], static_argnums=0)(unravel, vector) == 2.0
    empty, unravel = flatten_util.ravel_pytree({})
    assert empty.shape == (0,) and unravel(empty) == {}
    with pytest.raises(ValueError, match=r"takes a vector of shape \(8,\), got \(3,\)"):
        flatten_util.ravel_pytree(tree)[1](jnp.ones(3))
    with pytest.raises(TypeError, match="takes a vector of dtype float32, got int32"):
        flatten_util.ravel_pytree(tree)[1](jnp.arange(8))


# ---- dtypes, dlpack, typing ----------------------------------------------------------------------------------------

def test_dtypes():
    assert dtypes.canonicalize_dtype("int64") == np.int32 and dtypes.result_type(1, np.float16(2)) == np.float16
    assert dtypes.result_type(1, 2.0, return_weak_type_flag=True) == (np.float32, True)
    assert dtypes.issubdtype(gnomon.random.key(0).dtype, dtypes.prng_key) and dtypes.scalar_type_of(np.int8(1)) is int
    assert dtypes.itemsize_bits("int4") == 4 and dtypes.float0 is gnomon.float0
    key = gnomon.random.key(0).dtype
    assert dtypes.canonicalize_dtype(key, allow_extended_dtype=True) is key
    with pytest.raises(ValueError, match="got the extended dtype key<fry>"):
        dtypes.canonicalize_dtype(key)


def test_dlpack():
    x = np.arange(4, dtype=np.float32)
    assert dlpack.from_dlpack(x).tolist() == [0, 1, 2, 3] and np.from_dlpack(jnp.arange(3)).tolist() == [0, 1, 2]
    assert dlpack.is_supported_dtype("bfloat16") and not dlpack.is_supported_dtype(gnomon.random.key(0).dtype)


def test_annotations():
    def f(x: typing.ArrayLike, dtype: typing.DTypeLike) -> gnomon.Array:
        return jnp.asarray(x, dtype)
    assert isinstance(f(1.0, "int32"), gnomon.Array) and gnomon.Array in typing.ArrayLike.__args__


# ---- looking inside programs ---------------------------------------------------------------------------------------

def test_types():
    t = core.ShapedArray((2, 3), jnp.float32)
    assert t is gnomon.typeof(jnp.zeros((2, 3))) and isinstance(t, core.ShapedArray) and isinstance(t, core.AbstractValue)
    assert not isinstance(1, core.ShapedArray) and core.max_dim(2, 3) == 3 and core.min_dim(2, 3) == 2
    assert extend_core.mapped_aval(2, 0, t) is core.ShapedArray((3,), "float32")
    assert extend_core.unmapped_aval(4, 1, core.ShapedArray((2, 3), "float32")).shape == (2, 4, 3)
    assert extend_core.valid_jaxtype(1.0) and not extend_core.valid_jaxtype("s")


def test_an_interpreter_of_programs():
    """The usual example: a program walked equation by equation, each primitive applied or replaced."""
    closed = gnomon.make_jaxpr(lambda x: jnp.exp(jnp.tanh(x) * 2.0))(1.0)
    assert [e.primitive.name for e in closed.eqns] == ["tanh", "mul", "exp"]
    inverse = {primitives.exp_p: jnp.log, primitives.tanh_p: jnp.arctanh}
    env = {closed.jaxpr.outvars[0]: float(np.exp(np.tanh(0.5) * 2.0))}
    for e in reversed(closed.eqns):
        y = env[e.outvars[0]]
        x = inverse[e.primitive](y) if e.primitive in inverse else e.primitive.bind(y, 0.5, **e.params)
        env[e.invars[0]] = x
    assert float(env[closed.jaxpr.invars[0]]) == pytest.approx(0.5)


def test_programs_as_functions():
    y = jnp.arange(3.0)
    closed = gnomon.make_jaxpr(lambda x: (x + y, gnomon.jit(lambda z: z * 2)(x)))(1.0)
    assert isinstance(closed, extend_core.ClosedJaxpr) and extend_core.check_jaxpr(closed.jaxpr) is closed.jaxpr
    out = extend_core.jaxpr_as_fun(closed)(2.0)
    assert out[0].tolist() == [2, 3, 4] and float(out[1]) == 4.0
    assert [float(v) for v in core.eval_jaxpr(closed.jaxpr, closed.consts, 1.0)[1:]] == [2.0]
    assert len(list(extend_core.subjaxprs(closed.jaxpr))) == 1
    inner, = extend_core.jaxprs_in_params(closed.eqns[1].params)
    assert isinstance(inner, extend_core.Jaxpr)
    with pytest.raises(AttributeError, match="Gnomon has no primitive 'nonesuch_p'"):
        primitives.nonesuch_p


def test_where_we_are():
    seen = []

    def look(x):
        seen.append((extend_core.unsafe_am_i_under_a_jit_DO_NOT_USE(), extend_core.unsafe_am_i_under_a_vmap_DO_NOT_USE(),
                     extend_core.unsafe_get_axis_names_DO_NOT_USE()))
        return x
    look(1)
    gnomon.jit(look)(1)
    gnomon.jit(gnomon.vmap(look, axis_name="i"))(jnp.ones(2))
    assert seen == [(False, False, []), (True, False, []), (True, True, ["i"])]
    assert extend_core.get_opaque_trace_state() == extend_core.get_opaque_trace_state()
    inside = []
    gnomon.jit(lambda x: inside.append(extend_core.get_opaque_trace_state()))(1)
    assert inside[0] != extend_core.get_opaque_trace_state()


def test_concrete_or_error():
    assert extend_core.concrete_or_error(int, 3.0) == 3
    assert gnomon.grad(lambda x: x * extend_core.concrete_or_error(int, x))(2.0) == 2.0
    with pytest.raises(gnomon.errors.ConcretizationTypeError, match="(?s)expected: a traced value of type float32.*It sizes the result"):
        gnomon.jit(lambda x: extend_core.concrete_or_error(int, x, "It sizes the result."))(1.0)


def test_linear_util():
    def times(factor, x):
        y = yield (x,), {}
        yield factor * y

    def with_count(f, store, *args):
        store(len(args))
        return f(*args)
    fun = linear_util.wrap_init(lambda x, y=1: x + y, {"y": 2})
    wrapped = linear_util.transformation(times, fun, 10)
    assert wrapped.call_wrapped(1) == 30
    counted, count = linear_util.transformation_with_aux2(with_count, fun)
    with pytest.raises(linear_util.StoreException):
        count()
    assert counted.call_wrapped(5) == 7 and count() == 1


def test_api_util():
    tree = gnomon.tree.structure(((1, {"a": 2}), {"k": 3}))
    flat, out_tree = flatten_fun(linear_util.wrap_init(lambda x, d, k: {"sum": x + d["a"] + k}), tree)
    assert flat.call_wrapped(1, 2, 3) == [6] and out_tree() == gnomon.tree.structure({"sum": 0})
    flat, out_tree = flatten_fun_nokwargs(linear_util.wrap_init(lambda x: (x, x)), gnomon.tree.structure((1,)))
    assert flat.call_wrapped(4) == [4, 4]
    partial, dynamic = argnums_partial(linear_util.wrap_init(lambda a, b, c: (a, b, c)), (0, 2), (1, 2, 3))
    assert dynamic == (1, 3) and partial.call_wrapped(7, 9) == (7, 2, 9)
    with pytest.raises(ValueError, match="lengths 1, 2"):
        safe_map(max, [1], [2, 3])


# ---- watching ------------------------------------------------------------------------------------------------------

@pytest.fixture
def listening():
    yield monitoring
    monitoring.clear_event_listeners()


def test_monitoring(listening):
    seen = []
    monitoring.register_event_duration_secs_listener(lambda name, seconds, **details: seen.append((name, details)))
    gnomon.jit(lambda x: x * 3.25 + 1)(1.0)
    names = [name for name, _ in seen]
    assert names[0] == "/jax/core/compile/jaxpr_trace_duration" and names[-1] == "/jax/core/compile/backend_compile_duration"
    assert seen[0][1] == {"fun_name": "<lambda>"}
    numbers = []
    monitoring.register_scalar_listener(listener := lambda name, value, **details: numbers.append(value))
    monitoring.record_scalar("/mine", 3)
    monitoring.unregister_scalar_listener(listener)
    monitoring.record_scalar("/mine", 4)
    assert numbers == [3]
    with pytest.raises(ValueError, match="is not registered"):
        monitoring.unregister_scalar_listener(listener)


def test_profiler_writes_a_trace(tmp_path):
    with profiler.trace(tmp_path), profiler.StepTraceAnnotation("step", step_num=1), profiler.TraceAnnotation("inside"):
        profiler.annotate_function(gnomon.jit(lambda x: x + 1), name="mine")(jnp.ones(10)).block_until_ready()
    files = [os.path.join(folder, name) for folder, _, names in os.walk(tmp_path) for name in names]
    assert any(name.endswith(".xplane.pb") for name in files) and profiler.device_memory_profile()
    with pytest.raises(RuntimeError, match="No profile started"):
        profiler.stop_trace()


def test_environment(capsys):
    text = gnomon.print_environment_info(return_string=True)
    assert gnomon.__version__ in text and "jaxlib:" in text
    gnomon.print_environment_info()
    assert capsys.readouterr().out == text + "\n"
    assert gnomon.host_count() == gnomon.process_count() == 1 and gnomon.host_id() == 0 and gnomon.host_ids() == [0]


def test_live_arrays():
    x = jnp.ones(3) + 1
    assert any(y is x for y in gnomon.live_arrays())
    x.delete()
    assert not any(y is x for y in gnomon.live_arrays())


def test_effects_barrier_waits_for_callbacks():
    seen = []

    def slow(x):
        time.sleep(0.05)
        seen.append(int(x))
    gnomon.jit(lambda x: gnomon.debug.callback(slow, x))(3)
    gnomon.effects_barrier()
    assert seen == [3]


def test_print_saved_residuals(capsys):
    def loss(x, y):
        return jnp.sin(x * y).sum()
    gnomon.ad_checkpoint.print_saved_residuals(loss, jnp.ones(3), 2.0)
    lines = capsys.readouterr().out.splitlines()
    assert "f32[] from the argument y" in lines and any(line.startswith("f32[3] output of cos from test_modules.py") for line in lines)


def test_pictures_of_shardings(capsys):
    mesh = gnomon.make_mesh((2, 2), ("x", "y"), devices=gnomon.devices()[:4])
    gnomon.debug.visualize_sharding((4, 4), gnomon.NamedSharding(mesh, gnomon.P("x", None)))
    assert capsys.readouterr().out.splitlines() == ["┌───────────┐", "│  CPU 0,1  │", "├───────────┤", "│  CPU 2,3  │", "└───────────┘"]
    x = gnomon.device_put(jnp.zeros(4), gnomon.NamedSharding(mesh, gnomon.P(("x", "y"))))
    gnomon.debug.visualize_array_sharding(x)
    assert capsys.readouterr().out.splitlines()[1] == "│  CPU 0  │  CPU 1  │  CPU 2  │  CPU 3  │"
    seen = []
    gnomon.debug.inspect_array_sharding(x, callback=seen.append)
    assert seen == [x.sharding]
    with pytest.raises(gnomon.errors.Refused, match="is decided by the compiler"):
        gnomon.jit(lambda x: gnomon.debug.inspect_array_sharding(x, callback=print))(jnp.ones(2))


def test_check_grads():
    test_util.check_grads(lambda x, y: jnp.sin(x) * y["a"] ** 2, (jnp.ones(3), {"a": jnp.float32(2.0)}), order=2)
    wrong = gnomon.custom_jvp(lambda x: x * x)
    wrong.defjvp(lambda p, t: (wrong(*p), t[0]))
    with pytest.raises(AssertionError, match="the tangent that the jvp gives"):
        test_util.check_grads(wrong, (3.0,), order=1, modes="fwd")
    with pytest.raises(AssertionError, match="the cotangents that the vjp gives"):
        test_util.check_grads(wrong, (3.0,), order=1, modes="rev")
    with pytest.raises(ValueError, match="modes are 'fwd' and 'rev'"):
        test_util.check_grads(wrong, (3.0,), order=1, modes="back")


# ---- what is not there ---------------------------------------------------------------------------------------------

def test_absent_functions_say_why():
    f = gnomon.debug.breakpoint
    with pytest.raises(gnomon.errors.Refused, match="^debug.breakpoint: "):
        f()
    assert not hasattr(f, "attribute") and "not in Gnomon" in repr(f)


def test_absent_classes_have_no_instances():
    Error = checkify.Error
    assert not isinstance(1, Error)
    with pytest.raises(gnomon.errors.Refused):
        Error()


def test_ds():
    assert jnp.arange(10)[gnomon.ds(2, 3)].tolist() == [2, 3, 4] and jnp.arange(10)[gnomon.ds(1, 3, 2)].tolist() == [1, 3, 5]
    assert gnomon.ds(3) == slice(0, 3)
    with pytest.raises(gnomon.errors.Refused, match="dynamic_slice_in_dim"):
        gnomon.jit(lambda i: jnp.arange(10)[gnomon.ds(i, 3)])(1)


def test_settings_of_the_top_module_are_contexts():
    for name in ("debug_nans", "default_matmul_precision", "log_compiles", "numpy_rank_promotion", "threefry_partitionable"):
        setting = getattr(gnomon, name)
        with setting(setting.value):
            assert setting.value == gnomon.config.values[f"jax_{name}"]


# ---- names for those who build on it -------------------------------------------------------------------------------

def test_what_is_behind_the_devices():
    from gnomon.extend import backend
    assert backend.backends()["cpu"] is backend.get_backend() is backend.get_backend(platform="cpu")
    assert backend.backend_xla_version("cpu") is None or backend.backend_xla_version("cpu") > 0
    with pytest.raises(gnomon.errors.Refused) as caught:
        backend.clear_backends()
    assert str(caught.value) == ("clear_backends: the devices are made once and stay as long as the process; set platforms or num_cpu_devices "
                                 "before the first use, or start a new process.")


def test_classes_that_are_arrays():
    table = core.pytype_aval_mappings
    assert all(type(x) in table for x in (1, 2.0, np.float32(1), np.arange(2), jnp.ones(1), np.bool_(True), jnp.bfloat16(1).dtype.type(1)))
    assert str not in table and str(table[np.ndarray](np.zeros(3, "f4"))) == "float32[3]"
    assert type(jnp.ones(1)) in extend_core.array_types
    with pytest.raises(gnomon.errors.Refused, match=r"^pytype_aval_mappings: values of str are arrays once the class has a method __jax_array__"):
        table[str] = lambda x: x
    from gnomon.interpreters import xla
    for known in (table, xla.canonicalize_dtype_handlers):
        class Boxed:
            __array__ = None

        known[Boxed] = known[np.ndarray]
        assert Boxed in known
    assert extend_core.DebugInfo("jit", "f at f.py:1").arg_names is None


def test_types_of_tangents_and_traces():
    t = gnomon.typeof(np.ones((2, 3), "f4"))
    assert t.to_tangent_aval() is t and str(gnomon.typeof(np.arange(2, dtype="i4")).to_tangent_aval()) == "void[2]"
    assert (t.nbytes, t.itemsize) == (24, 4) and t.update_weak_type(True).weak_type and t.update_weak_type(True).strip_weak_type() is t
    zero = gnomon.custom_derivatives.zero_from_primal
    tree = zero({"a": 1.0, "b": (np.arange(2),)})
    assert float(tree["a"]) == 0 and tree["b"][0].dtype == gnomon.dtypes.float0
    assert isinstance(zero([1.0], symbolic_zeros=True)[0], gnomon.custom_derivatives.SymbolicZero)
    from gnomon.interpreters import ad
    assert ad.Zero(gnomon.typeof(np.arange(2)).to_tangent_aval()).instantiate().shape == (2,)
    seen = []

    def f(x, n):
        y, k = x * 2, n + 1
        seen.extend(isinstance(v, ad.JVPTracer) for v in (x, y, k, jnp.ones(2) * 3, 1.0))
        assert extend_core.find_top_trace([x, n]).main is y._trace.main
        return y
    gnomon.jvp(lambda x: f(x, jnp.arange(2)), (1.0,), (1.0,))
    assert seen == [True, True, False, False, False] and extend_core.find_top_trace([1.0]) == extend_core.get_opaque_trace_state()


def test_programs_of_which_some_inputs_are_known():
    from gnomon.extend import linear_util
    from gnomon.interpreters.partial_eval import PartialVal, trace_to_jaxpr_nounits
    twice = gnomon.jit(lambda x, y: (x * 2, x * y))

    def f(x, y):
        a, b = twice(x, y)
        return a + 1, b, 3.0

    def parts(x, y):
        known = [PartialVal.known(x), PartialVal.unknown(gnomon.typeof(y))]
        return trace_to_jaxpr_nounits(linear_util.wrap_init(f), known)
    program, outs, consts = parts(jnp.float32(2), jnp.ones(2))
    assert [o.is_known() for o in outs] == [True, False, True] and [float(outs[i].get_known()) for i in (0, 2)] == [5, 3]
    assert gnomon.core.eval_jaxpr(program, consts, jnp.ones(2))[0].tolist() == [2, 2]
    inside = gnomon.jit(lambda x: parts(x, jnp.ones(2))[1][0].get_known())        # what is known may be traced outside
    assert float(inside(2.0)) == 5.0 and float(gnomon.grad(inside)(2.0)) == 2.0
    assert not any(o.is_known() for o in trace_to_jaxpr_nounits(linear_util.wrap_init(f), [PartialVal.known(1.0)] * 2, True)[1])


def test_results_of_eval_shape_may_be_types_already():
    s = gnomon.ShapeDtypeStruct((2,), "float32")
    assert gnomon.eval_shape(lambda x: (s, x), 1.0)[0] == s and gnomon.eval_shape(lambda: s) == s
    with pytest.raises(TypeError, match="must return arrays"):
        gnomon.jit(lambda: s)()


def test_files_whose_frames_are_not_the_users():
    from gnomon.base import source
    from gnomon.extend import source_info_util
    code = compile("def apply(f, x):\n    return f(x) * 2.0\n", "/library/of/layers.py", "exec")
    namespace = {}
    exec(code, namespace)
    place = lambda: gnomon.make_jaxpr(lambda x: namespace["apply"](jnp.sin, x))(1.0).eqns[1].source_info      # noqa: E731
    assert source_info_util.summarize(place()) == "layers.py:2 (apply)"
    before = source._hidden
    try:
        source_info_util.register_exclusion("/library/of")
        assert source_info_util.summarize(place()).endswith("(<lambda>)")
    finally:
        source._hidden = before


def test_names_that_are_not_there_say_so():
    from gnomon import custom_derivatives, debug, sharding
    for name, why in [(custom_derivatives.remat_opt_p, "remat_opt_p: the rules of custom_vjp are written into programs"),
                      (debug.DebugEffect, "DebugEffect: the effects of programs are values of gnomon.extend.core.Effect"),
                      (sharding.ManualAxisType, "ManualAxisType: a value's type says which manual axes it varies over"),
                      (profiler.ProfileSession, "ProfileSession: one trace runs at a time and is written to a folder"),
                      (primitives.call_p, "call_p: calls are jit here, jit_p; wrap the function in gnomon.jit"),
                      (extend_core.DropVar, "DropVar: a result that nobody reads is a variable like others here")]:
        with pytest.raises(gnomon.errors.Refused, match="^" + why):
            name()
    assert primitives.remat_p.name == "checkpoint" and primitives.add_jaxvals_p.name == "add_any"
