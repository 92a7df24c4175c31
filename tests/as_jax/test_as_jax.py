"""Programs that say `import jax` run on Gnomon. Each runs in a process of its own, since the name `jax` is then taken."""
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def python(*args):
    """The output of a Python process that finds this Gnomon; AssertionError with its errors if it fails."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, *args], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run(program, *args):
    """The output of a program after `import gnomon.as_jax`."""
    return python("-c", "import gnomon.as_jax\n" + textwrap.dedent(program), *args)


def test_a_training_step():
    out = run("""
        import jax
        import jax.numpy as jnp
        from jax import grad, jit, lax, random, vmap

        @jit
        def step(w, x, y):
            loss = lambda w: jnp.mean((vmap(lambda row: jnp.tanh(row @ w))(x) - y) ** 2)
            return w - 0.1 * grad(loss)(w)
        key, k1, k2 = random.split(random.key(0), 3)
        x, y = random.normal(k1, (32, 4)), jnp.ones(32)
        w = jnp.zeros(4)
        for _ in range(3):
            w = step(w, x, y)
        assert w.shape == (4,) and isinstance(w, jax.Array) and bool(jnp.isfinite(w).all())
        total, _ = lax.scan(lambda c, v: (c + v, c), 0.0, w)
        print(type(total).__module__.split(".")[0])
    """)
    assert out.strip() == "gnomon"


def test_modules_and_names():
    run("""
        import importlib, types
        import jax, jax.numpy as jnp
        from jax import Array, tree_util
        from jax.ad_checkpoint import checkpoint_name
        from jax.custom_batching import custom_vmap
        from jax.dtypes import canonicalize_dtype, prng_key
        from jax.errors import TracerBoolConversionError
        from jax.experimental import io_callback, mesh_utils, multihost_utils
        from jax.experimental.pjit import pjit
        from jax.extend.core import ClosedJaxpr, Jaxpr
        from jax.flatten_util import ravel_pytree
        from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
        from jax.typing import ArrayLike
        import jax.extend.linear_util as lu
        import jax.scipy, jax.ops, jax.stages, jax.test_util, jax.monitoring, jax.profiler

        assert jax.numpy is jnp and jax.tree_util is tree_util
        assert tuple(map(int, jax.__version__.split("."))) == jax.__version_info__ == jax.version.__version_info__
        assert jnp.einsum.__name__ == "einsum" and not isinstance(jnp.einsum, types.ModuleType)
        assert jax.ops.segment_sum(jnp.ones(3), jnp.array([0, 0, 1])).tolist() == [2, 1]
        assert "sin" in dir(jnp) and "jit" in dir(jax)
        assert isinstance(jnp.ones(2), Array) and not isinstance(1.0, Array)
        jax.jit(lambda x: print(isinstance(x, jax.core.Tracer), isinstance(x, Array)))(1.0)
        names = {}
        exec("from jax.numpy import *", names)
        assert names["sin"] is jnp.sin
        assert importlib.import_module("jax.numpy") is jnp
        assert jax.config.jax_enable_x64 is False
        jax.config.update("jax_enable_x64", True)
        assert jnp.arange(3.0).dtype == jnp.float64
        eqn, = jax.make_jaxpr(lambda x: jnp.sin(x))(1.0).eqns
        assert eqn.primitive.name == "sin" and eqn.primitive.bind(jnp.float64(0.0), **eqn.params) == 0.0
    """)


NOT_THERE = {
    "jax.nonesuch": "AttributeError: jax.nonesuch is not in Gnomon {version} yet; leave it out, or use real JAX for this program.",
    "from jax import nonesuch":
        "ModuleNotFoundError: jax.nonesuch is not in Gnomon {version} yet; leave it out, or use real JAX for this program.",
    "import jax.numpy.nonesuch":
        "ModuleNotFoundError: jax.numpy.nonesuch is not in Gnomon {version} yet; leave it out, or use real JAX for this program.",
    "from jax._src import api": "ModuleNotFoundError: jax._src.api is not in Gnomon: these are JAX's internals; use the public names.",
    "from jax._src import core; core.jaxprs": "AttributeError: jax._src.core.jaxprs is not in Gnomon: these are JAX's internals; use the public names.",
    "from jax._src import compiler; compiler.backend_compile_and_load = None":
        "AttributeError: jax._src.compiler.backend_compile_and_load cannot be replaced: Gnomon does not look it up there, so nothing would change.",
    "from jax.experimental import sparse; sparse.BCOO.fromdense":
        "AttributeError: sparse.BCOO: there are no sparse arrays; use dense ones, or segment_sum and gathers.",
    "from jax.experimental import hijax; hijax.HiPrimitive('pair').bind(1.0)":
        "Refused: the primitive pair cannot be bound: types that hold several arrays are not there; register the class as a pytree, or keep its "
        "arrays in references (gnomon.new_ref).",
    "from jax.experimental import pallas":
        "ModuleNotFoundError: jax.experimental.pallas is not in Gnomon: there are no Pallas kernels; write the function with jax.numpy "
        "and jax.lax.",
    "from jax.interpreters import mlir; mlir.i32_attr(1)":
        "Refused: i32_attr: programs are written as StableHLO text and there are no MLIR objects; give register_lowering a function of "
        "Gnomon's: mlir.lower_fun(function).",
    "import jax.jit": "ModuleNotFoundError: jax.jit is not in Gnomon {version} yet; leave it out, or use real JAX for this program.",
    "jax.base": "AttributeError: jax.base is not in Gnomon {version} yet; leave it out, or use real JAX for this program.",
    "from jax.experimental import checkify; checkify.check(True, 'x')":
        "Refused: checkify.check: checks inside compiled programs are not there; check inputs before the call, return a flag from the "
        "function, or raise from debug.callback.",
}


def test_what_is_not_there_says_so():
    out = run(f"""
        import jax
        from gnomon.base.version import VERSION
        for program, expected in {NOT_THERE!r}.items():
            try:
                exec(program)
            except Exception as error:
                text = f"{{type(error).__name__}}: {{error}}"
                assert text == expected.format(version=VERSION), text
            else:
                raise AssertionError(program)
        assert not hasattr(jax, "nonesuch")
        try:
            from jax import nonesuch
        except ImportError:
            print("as Python does")
    """)
    assert out.strip() == "as Python does"


def test_internals_that_packages_import_are_served_by_public_names():
    run("""
        import sys
        import jax, jax.numpy as jnp
        import jax._src.traceback_util as traceback_util
        from jax._src import dispatch, tree_util
        from jax._src.ad_util import stop_gradient_p
        from jax._src.core import trace_state_clean
        from jax._src.dtypes import ExtendedDType, TypePromotionError, extended
        from jax._src.flatten_util import ravel_pytree
        from jax._src.state.types import AbstractRef
        from jax.experimental.sparse import BCOO
        from jax.interpreters import ad

        inside = []
        jax.jit(lambda x: inside.append(trace_state_clean()) or x)(1.0)
        assert inside == [False] and trace_state_clean()
        assert isinstance(jax.typeof(jax.new_ref(1.0)), AbstractRef) and not isinstance(jnp.ones(2), BCOO)
        assert TypePromotionError is jax.dtypes.TypePromotionError and ravel_pytree is jax.flatten_util.ravel_pytree
        pair = __import__("collections").namedtuple("pair", "a b")
        assert dict in tree_util._registry and int not in tree_util._registry and pair not in tree_util._registry
        ad.primitive_transposes[stop_gradient_p] = lambda ct, x: [ct]
        dispatch.wait_for_tokens()

        class scaled(extended):
            pass

        class Scaled(ExtendedDType):
            pass

        assert Scaled() and not jnp.issubdtype(jnp.float32, scaled) and jnp.issubdtype(scaled, extended) and not jnp.issubdtype(scaled, jax.dtypes.prng_key)

        frame = sys._getframe()
        assert traceback_util.include_frame(frame)
        traceback_util.register_exclusion(frame.f_code.co_filename)
        assert not traceback_util.include_frame(frame)
        assert traceback_util.api_boundary(lambda x: x + 1)(1) == 2
    """)


def test_it_is_quiet_where_jax_is_and_warns_where_jax_does():
    run("""
        import warnings
        import numpy as np
        import jax, jax.numpy as jnp
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            jnp.array(np.arange(3.0))                   # narrowed as JAX narrows, without a word
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            jnp.zeros(3, dtype="float64")
        assert len(told) == 1 and "float64" in str(told[0].message)
    """)


def test_settings_come_from_jaxs_environment_variables():
    env = {**os.environ, "PYTHONPATH": str(ROOT), "JAX_ENABLE_X64": "1"}
    code = "import gnomon.as_jax, jax.numpy as jnp; print(jnp.ones(1).dtype)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env).stdout.strip() == "float64"


def test_real_jax_is_not_replaced_once_it_is_loaded():
    code = """
        import sys, types
        sys.modules["jax"] = types.ModuleType("jax")        # as good as real
        try:
            import gnomon.as_jax
        except ImportError as error:
            print(error)
    """
    assert python("-c", textwrap.dedent(code)).strip() == (
        "gnomon.as_jax must be imported before jax; real JAX is loaded in this process already.")


def test_gnomon_alone_leaves_the_name_jax_free():
    assert python("-c", "import gnomon, sys; print('jax' in sys.modules, len([f for f in sys.meta_path if 'gnomon.as_jax' in repr(f)]))") == \
        "False 0\n"


@pytest.fixture
def script(tmp_path):
    (tmp_path / "helper.py").write_text("NAME = 'helper'\n")
    path = tmp_path / "script.py"
    path.write_text("import sys, jax, helper\nprint(__name__, sys.argv[1:], helper.NAME, jax.jit(lambda x: x + 1)(1))\n")
    return path


def test_command_line(script):
    assert python("-m", "gnomon.as_jax", str(script), "a", "-b") == "__main__ ['a', '-b'] helper 2\n"
    assert python("-m", "gnomon.as_jax", "-c", "import jax, sys; print(jax.numpy.ones(2).sum(), sys.argv)", "x") == "2.0 ['-c', 'x']\n"
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{script.parent}"}
    done = subprocess.run([sys.executable, "-m", "gnomon.as_jax", "-m", "script", "y"], capture_output=True, text=True, env=env)
    assert done.stdout == "__main__ ['y'] helper 2\n", done.stderr
    done = subprocess.run([sys.executable, "-m", "gnomon.as_jax"], capture_output=True, text=True, env=env)
    assert done.returncode == 1 and done.stderr.startswith("usage: ")
