"""How calls of the functions of gnomon.scipy that are made of arrays and options are made up; `tests/numpy/generated.py` runs them.

A recipe takes a `Draw` and gives a call's arguments; `reference` in its options is SciPy's function where its arguments are named otherwise."""
import types

import numpy as np
import scipy.cluster.vq
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.spatial.transform
import scipy.stats

import gnomon.numpy as jnp
from gnomon.scipy import fft, integrate, interpolate, linalg, ndimage, signal, stats
from gnomon.scipy.cluster import vq
from gnomon.scipy.spatial import transform

# ---- cosine transforms ----------------------------------------------------------------------------------------------


def cosine(d):
    x = d.array("bif", least=1, empty=False)
    type, axis = int(d.rng.randint(1, 5)), d.axis(x)
    n = d.one([None, None, 2, 3, 5])
    return (x,), {"type": type, "n": n, "axis": axis, "norm": d.one([None, "backward", "ortho", "forward"])}, {"ulps": 64}


def cosines(d):
    x = d.array("bif", least=1, empty=False)
    options = {"type": int(d.rng.randint(1, 5)), "norm": d.one([None, "backward", "ortho", "forward"])}
    axes = d.axes(x)
    if d.flag():
        options["s"] = d.one([2, 4]) if axes is not None and np.ndim(axes) == 0 else tuple(
            int(d.rng.randint(2, 6)) for _ in range(x.ndim if axes is None else len(axes)))
    return (x,), {**options, "axes": axes}, {"ulps": 64}


FFT = {"dct": cosine, "idct": cosine, "dctn": cosines, "idctn": cosines}

# ---- signals --------------------------------------------------------------------------------------------------------

MODES = ["full", "same", "valid"]


def pair(d, ranks=(0, 1, 2, 3), kinds="bifc"):
    """Two arrays of one rank, of one dtype or of two."""
    ndim = d.one(ranks)
    shapes = [tuple(int(n) for n in d.rng.randint(1, 6, ndim)) for _ in range(2)]
    x = d.array(kinds, shape=shapes[0])
    return x, d.array(kinds, shape=shapes[1], dtype=x.dtype if d.flag() else None)


def convolution(d):
    x, y = pair(d)
    return (x, y), {"mode": d.one(MODES), "method": d.one(["auto", "direct", "fft"])}, {"ulps": 64}


def by_transforms(d):
    x, y = pair(d, kinds="fc")
    axes = None
    if x.ndim and d.flag():
        axes = sorted({d.axis(x) % x.ndim for _ in range(2)})
        y = y[tuple(slice(None) if a in axes else slice(1) for a in range(x.ndim))]
    return (x, y), {"mode": d.one(MODES), "axes": axes}, {"ulps": 64}


def of_matrices(d):
    options = {"mode": d.one(MODES), "boundary": d.one(["fill", "fill", "wrap", "symm"])}
    if options["boundary"] == "fill":
        options["fillvalue"] = d.one([0, 2, 1.5])
    return pair(d, (2,)), options, {"ulps": 64}


def trend(d):
    x = d.array("bifc", least=1, empty=False)
    axis = d.axis(x)
    bp = d.one([0, 0, [1], [0, 2] if x.shape[axis] > 1 else 0, x.shape[axis]])
    return (x,), {"axis": axis, "type": d.one(["linear", "constant", "l", "c"]), "bp": bp}, {"ulps": 64, "least": 3}


WINDOWS = ["hann", "hamming", "boxcar", "triang", ("tukey", 0.3), ("gaussian", 3.0), ("kaiser", 4.0)]


def spectral(d, n, window=True):
    options = {"fs": d.one([1.0, 3, 0.5]), "detrend": d.one([False, "constant", "linear"]), "return_onesided": d.flag()}
    if window and d.rng.randint(4) == 0:
        options["window"] = d.numbers("float64", (6,)) + 4
        options["nperseg"] = size = 6
    else:
        options["window"] = d.one(WINDOWS)
        size = min(options.setdefault("nperseg", d.one([4, 5, 7, n, n + 3])), n)
    options["noverlap"] = d.one([None, 0, size - 1, size // 3])
    options["nfft"] = d.one([None, size, size + 3])
    return options


def signals(d, count=1):
    ndim, n = d.one([1, 1, 2]), d.one([12, 16, 17])
    shape = [n] if ndim == 1 else d.one([[2, n], [n, 2]])
    axis = int(np.argmax(shape)) - (ndim if d.flag() else 0)
    dtype = d.dtype("ifc")
    return [d.array(shape=tuple(shape), dtype=dtype) for _ in range(count)], axis, n


def power(d, count=1):
    xs, axis, n = signals(d, count)
    options = {**spectral(d, n), "axis": axis, "scaling": d.one(["density", "spectrum"]), "average": d.one(["mean", "median"])}
    return (*xs,), options, {"ulps": 1024}


def short_time(d):
    xs, axis, n = signals(d)
    options = {**spectral(d, n), "axis": axis, "padded": d.flag(), "boundary": d.one(["zeros", "even", "odd", "constant", None])}
    return (*xs,), options, {"ulps": 512}


def back_from_short_time(d):
    onesided, size = d.flag(), d.one([6, 8, 9])
    points = size // 2 + 1 if onesided else size
    z = d.array(shape=d.one([(points, 5), (2, points, 5), (points, 1)]), dtype=d.dtype("c"))
    options = {"fs": d.one([1.0, 3.0]), "nperseg": d.one([None, size]), "input_onesided": onesided, "boundary": d.flag(),
               "noverlap": d.one([None, size // 2, size - 2]), "window": d.one(["hann", "boxcar", "hamming"])}
    if d.flag():
        z, options["time_axis"], options["freq_axis"] = np.moveaxis(z, -1, 0), 0, -1
    # SciPy counts the times along another axis
    return (z,), options, {"ulps": 512, "of": lambda out: out[1], "reference": lambda *args, **kwargs: scipy.signal.istft(*args, **kwargs)[1]}


SIGNAL = {
    "convolve": convolution, "correlate": convolution, "fftconvolve": by_transforms, "convolve2d": of_matrices, "correlate2d": of_matrices,
    "detrend": trend, "welch": power, "csd": lambda d: power(d, 2), "stft": short_time, "istft": back_from_short_time,
}

# ---- between the points of arrays -----------------------------------------------------------------------------------

# our modes are what SciPy calls:
BEYOND = {"constant": "grid-constant", "nearest": "nearest", "wrap": "grid-wrap", "mirror": "mirror", "reflect": "reflect"}


def coordinates(d):
    x = d.array("ifc", empty=False, least=1)
    shape = d.one([(4,), (2, 3), (0,)])
    places = [(d.rng.randint(-40, 80, shape) / 8 + 1 / 64).astype("f4") for _ in range(x.ndim)]
    order, mode, cval = d.one([0, 1]), d.one(list(BEYOND)), d.one([0.0, 2.5, np.nan])
    if x.dtype.kind in "biu":
        cval = d.one([0, 3])

    def reference(x, places, order, mode, cval):
        out = scipy.ndimage.map_coordinates(x.astype("c16" if x.dtype.kind == "c" else "f8"), np.array(places).reshape(x.ndim, *shape), None, order,
                                            BEYOND[mode], cval)
        return np.round(out) if x.dtype.kind in "biu" else out
    return (x, places, order, mode, cval), {}, {"ulps": 64, "reference": reference}


def grid(d):
    n = d.one([1, 2, 3])
    points = [np.cumsum(d.rng.randint(1, 5, d.rng.randint(2, 5)) / 4).astype("f4") for _ in range(n)]
    values = d.array("bifc", shape=(*[len(p) for p in points], *d.one([(), (2,)])))
    at = [(d.rng.randint(-8, 40, d.one([(), (3,), (2, 3)])) / 8 + 1 / 32).astype("f4") for _ in range(n)]
    if d.flag():
        at = tuple([a.ravel()[:1] if d.flag() else a.ravel()[:3] for a in at])
    else:
        at = np.stack(np.broadcast_arrays(*[a.ravel()[:1] for a in at]), -1)
    return (points, values, at), {"method": d.one(["linear", "nearest"]), "fill_value": d.one([np.nan, -7.0, None])}, {"ulps": 64}


def sampled(d):
    y = d.array("ifc", least=1)
    axis = d.axis(y)
    way = d.rng.randint(3)
    if way == 0:
        return (y,), {"axis": axis, "dx": d.one([1.0, 0.5, 2])}, {"ulps": 64}
    x = d.array("f", shape=y.shape if way == 1 else (y.shape[axis],))
    return (y, x), {"axis": axis}, {"ulps": 64}


def code_book(d):
    n = d.one([(), (1,), (3,)])
    dtype = d.dtype("if")
    return (d.array(shape=(5, *n), dtype=dtype), d.array(shape=(3, *n), dtype=d.one([dtype, np.dtype("float32")]))), {}, {"ulps": 16}


def through_a_grid(module):
    def regular_grid(points, values, at, **options):
        return module.RegularGridInterpolator(points, values, bounds_error=False, **options)(at)
    return types.SimpleNamespace(regular_grid=regular_grid)


# ---- statistics -----------------------------------------------------------------------------------------------------

def commonest(d):
    x = d.array("bifc" if d.rng.randint(4) == 0 else "bif", style=d.one(["plain", "edges"]))
    return (x,), {"axis": d.axis(x, none=True) if x.ndim else d.one([0, None]), "keepdims": d.flag()}


def ranks(d):
    x = d.array("bif", style=d.one(["plain", "edges"]))
    return (x,), {"axis": d.axis(x, none=True) if x.ndim else None, "method": d.one(["average", "min", "max", "dense", "ordinal"])}


def standard_error(d):
    policy = d.one(["propagate", "omit"])
    x = d.array("bifc" if policy == "propagate" else "f", style=d.one(["plain", "plain", "edges"]), least=int(policy == "omit"))
    if policy == "omit":        # SciPy's is NaN for one number
        x = np.concatenate([np.full_like(x[:1], 2), np.full_like(x[:1], 3), x])
    axis = (0 if policy == "omit" else d.axis(x, none=True)) if x.ndim else None
    return (x,), {"axis": axis, "ddof": d.one([0, 1, 1.5]), "keepdims": d.flag(), "nan_policy": policy}, {"ulps": 64}


def kernel_density(d):
    n, k = d.one([1, 2]), d.one([5, 9])
    dtype = d.dtype("if")
    options = {"bw_method": d.one([None, "scott", "silverman", 0.7]), "weights": d.one([None, d.rng.randint(1, 5, k).astype("f4")])}
    data = d.rng.randint(-9, 9, (n, k)) if dtype.kind == "i" else d.rng.randn(n, k)
    data = data.astype(dtype if dtype.kind in "if" and dtype.itemsize > 1 else "f4")
    points = d.rng.randn(n, 4).astype("f4")
    return (data[0] if n == 1 and d.flag() else data, points), options, {"ulps": 2048}


def kernels(module):
    def density(data, points, **options):
        made = module.gaussian_kde(data, **options)
        mean, cov = np.zeros(made.d, "f"), np.eye(made.d, dtype="f")
        both = [made(points), made.logpdf(points), made.pdf(points), made.integrate_gaussian(mean, cov), made.integrate_kde(made)]
        return both if made.d > 1 else [*both, made.integrate_box_1d(-1.0, 2.0)]
    return types.SimpleNamespace(density=density)


STATS = {"mode": commonest, "rankdata": ranks, "sem": standard_error}

# ---- matrices -------------------------------------------------------------------------------------------------------

def numbers(d, kinds, shape):
    """An array of a dtype that LAPACK has, or of integers."""
    dtype = d.one({"i": [np.dtype("int8"), np.dtype("int32")], "f": [np.dtype("float64" if d.wide else "float32")],
                   "c": [np.dtype("complex128" if d.wide else "complex64")]}[d.one(kinds)])
    return d.array(shape=shape, dtype=dtype)


def square(d, kinds="ifc", shift=0, n=None, lead=None):
    n = d.one([0, 1, 2, 3, 4]) if n is None else n
    x = numbers(d, kinds, (*(d.one([(), (), (2,), (2, 1)]) if lead is None else lead), n, n))
    return x + np.array(shift * np.eye(n)).astype(x.dtype)


def definite(d, n, kinds="fc", lead=()):
    x = numbers(d, kinds, (*lead, n, n)) / 4
    return (x @ np.conj(np.swapaxes(x, -1, -2)) + np.eye(n)).astype(x.dtype)


def right_side(d, n, dtype, lead=()):
    """A vector or a matrix, of the dtype of the matrix or of another one."""
    x = numbers(d, "ifc", (*lead, n, d.one([1, 3])) if lead else d.one([(n,), (n, 1), (n, 3)]))
    return x if d.flag() else x.astype(dtype) if x.dtype.kind != "c" or dtype.kind == "c" else x.real.astype(dtype)


def vectors(count=1, least=1, kinds="bifc", **more):
    def recipe(d):
        xs = [d.array(kinds, shape=d.one([(3,), (4,), (2, 3)]) if least < 2 else (4,)) for _ in range(count)]
        return (*xs,), {}, {"ulps": 64, **more}
    return recipe


def toeplitz(d):
    c = d.array(shape=d.one([(3,), (1,), ()]))
    return ((c,) if d.flag() else (c, d.array(shape=d.one([(3,), (2,), ()]))), {})


def blocks(d):
    return tuple(d.array(shape=d.one([(), (2,), (2, 3), (1, 0), (0, 2)])) for _ in range(d.rng.randint(0, 4))), {}


def convolving(d):
    return (d.array(shape=(d.rng.randint(1, 5),)), int(d.rng.randint(1, 6)), d.one(MODES)), {}


def leslie(d):
    dtype = d.dtype()
    return (d.array(shape=(4,), dtype=dtype), d.array(shape=(3,), dtype=dtype)), {}


def one_matrix(ulps=512, shift=0, kinds="ifc", most=8.0, options=lambda d: {}, **more):
    def recipe(d):
        return (square(d, kinds, shift),), options(d), {"ulps": ulps, **more}
    return recipe


def system(d):
    kind = d.one(["gen", "sym", "her", "pos"])
    n, lead = d.one([0, 1, 2, 4]), d.one([(), (), (2,)])
    a = definite(d, n, lead=lead) if kind in ("her", "pos") else square(d, "f", 6, n, lead)
    if kind == "sym":
        a = a + np.swapaxes(a, -1, -2)
    return (a, right_side(d, n, a.dtype, lead)), {"assume_a": kind, "lower": d.flag()}, {"ulps": 512}


def triangular(d):
    n, lead = d.one([0, 1, 2, 4]), d.one([(), (), (2,)])
    a = square(d, "fc", 5, n, lead)
    return (a, right_side(d, n, a.dtype, lead)), {"trans": d.one([0, 1, 2, "N", "T", "C"]), "lower": d.flag(), "unit_diagonal": d.flag()}, {"ulps": 4096}


def factored(d):
    n, lead = d.one([0, 1, 2, 4]), d.one([(), (), (2,)])
    a = definite(d, n, lead=lead)
    return (a, right_side(d, n, a.dtype, lead)), {"lower": d.flag()}, {"ulps": 1024}


def exchanged(d):
    a = square(d, "fc", 6)
    return (a, right_side(d, a.shape[-1], a.dtype, a.shape[:-2])), {"trans": d.one([0, 1, 2])}, {"ulps": 1024}


def rectangular(options, kinds="fc", ulps=1024, **more):
    def recipe(d):
        return (numbers(d, kinds, d.one([(3, 3), (4, 2), (2, 4), (1, 1), (2, 3, 2), (0, 2)])),), options(d), {"ulps": ulps, **more}
    return recipe


def generalized(d):
    a = square(d, "fc", 0)
    a = (a + np.conj(np.swapaxes(a, -1, -2))) / 2
    b = definite(d, a.shape[-1], "f", a.shape[:-2])
    pencil = d.flag()
    return ((a, b) if pencil else (a,)), {"lower": d.flag(), "eigvals_only": True, "type": d.one([1, 2, 3]) if pencil else 1}, {"ulps": 4096}


def tridiagonal(d):
    n = d.one([1, 2, 5])
    options = d.one([{}, {"select": "i", "select_range": (0, n // 2)}, {"select": "v", "select_range": (-2.05, 2.55)}])
    return (numbers(d, "if", (n,)), numbers(d, "f", (n - 1,))), {"eigvals_only": True, **options}, {"ulps": 2048}


def multiplied(d):
    a, mode = numbers(d, "fc", d.one([(3, 3), (4, 2)])), d.one(["left", "right"])
    m, k = a.shape[0], min(a.shape)
    n = k if mode == "left" else m
    c = numbers(d, "f", d.one([(n,), (n, 2) if mode == "left" else (2, n)]))
    return (a, c), {"mode": mode, "pivoting": d.flag(), "conjugate": d.flag()}, {"ulps": 2048}


def sylvester(d):
    m, n, kind = d.one([1, 3]), d.one([1, 2]), d.one("fc")       # SciPy's is wrong where some are real and some complex
    return (square(d, kind, 8, m, ()), square(d, kind, 8, n, ()), numbers(d, kind, (m, n))), {}, {"ulps": 2048}


def direction(d):
    a = square(d, "f", n=d.one([1, 2, 4]), lead=())
    return (a, numbers(d, "f", a.shape)), {"compute_expm": d.flag()}, {"ulps": 4096}


def of_a_function(d):
    return (definite(d, d.one([1, 3]), "fc"),), {}, {"ulps": 2048}


def sized(*rest):
    return lambda d: ((int(d.rng.randint(1, 6)), *[d.one(r) for r in rest]), {}, {"ulps": 64})


KINDS = ["symmetric", "lower", "upper"]
LINALG = {
    "block_diag": blocks, "toeplitz": toeplitz,
    "hankel": lambda d: ((d.array(shape=(3,)),) if d.flag() else (d.array(shape=(3,)), d.array(shape=(2,))), {}),
    "circulant": vectors(ulps=0), "companion": lambda d: ((d.array("fc", shape=(4,)) + 4,), {}, {"ulps": 16}),
    "convolution_matrix": convolving, "fiedler": vectors(kinds="if", ulps=4),
    "fiedler_companion": lambda d: ((d.array("f", shape=(d.one([2, 3, 5, 6]),)) + 4,), {}, {"ulps": 16}), "leslie": leslie,
    "dft": sized([None, "sqrtn", "n"]), "hadamard": lambda d: ((d.one([1, 2, 4, 8]),), {}), "helmert": sized([True, False]), "hilbert": sized(),
    "invhilbert": sized(), "pascal": sized(KINDS), "invpascal": sized(KINDS),
    "expm": one_matrix(4096), "sqrtm": lambda d: ((definite(d, d.one([1, 3])),), {}, {"ulps": 4096}),
    "inv": one_matrix(shift=8, kinds="fc"), "det": one_matrix(),
    "cholesky": lambda d: ((definite(d, d.one([0, 1, 4]), lead=d.one([(), (2,)])),), {"lower": d.flag()}, {"ulps": 512}),
    "solve": system, "solve_triangular": triangular, "polar": rectangular(lambda d: {"side": d.one(["left", "right"])}, ulps=4096),
    "qr": rectangular(lambda d: {"mode": d.one(["full", "r", "economic"]), "pivoting": d.flag()}, of=lambda o: o),
    "lu": rectangular(lambda d: {"permute_l": d.flag()}), "svd": rectangular(lambda d: {"compute_uv": False}), "eigh": generalized,
    "eigh_tridiagonal": tridiagonal, "hessenberg": one_matrix(4096), "qr_multiply": multiplied, "solve_sylvester": sylvester,
    "expm_frechet": direction,
}


def in_two_steps(module):
    def cho(a, b, lower):
        return module.cho_solve(module.cho_factor(a, lower), b)

    def lu(a, b, trans):
        return module.lu_solve(module.lu_factor(a), b, trans)

    def exponential(a):
        return module.funm(a, np.exp if module is scipy.linalg else jnp.exp)
    return types.SimpleNamespace(cho=cho, lu=lu, exponential=exponential)


# ---- rotations ------------------------------------------------------------------------------------------------------

def quaternions(d):
    q = d.array("if" if d.rng.randint(4) == 0 else "f", shape=d.one([(4,), (1, 4), (3, 4)]))
    q = q + np.array([0, 0, 0, 5], q.dtype)
    return q if q.dtype.itemsize > 1 else q.astype("f4")


def a_rotation(d):
    return (quaternions(d),), {}, {"ulps": 256}


def euler(d):
    n = d.one([1, 2, 3])
    seq = d.one([s for s in ("xyz", "zyx", "xzx", "yzy", "zxy")])[:n]
    seq = seq.upper() if d.flag() else seq
    shape = d.one([(), (n,)] if n == 1 else [(n,), (2, n), (1, n)])
    return (seq, d.array("if", shape=shape), d.flag()), {}, {"ulps": 512}


def turned(d):
    q = quaternions(d)
    return (q, d.array(shape=d.one([(3,), (1, 3), (3, 3)]), dtype=q.dtype), d.flag()), {}, {"ulps": 256}


def composed(d):
    p = quaternions(d)
    return (p, quaternions(d).astype(p.dtype)), {}, {"ulps": 256}


def path(d):
    q = d.array("f", shape=(4, 4)) + np.float32([0, 0, 0, 5]).astype("f4")
    q = q.astype("f4")
    return (np.cumsum(d.rng.randint(1, 4, 4)).astype("f4"), q, d.one([np.float32(3.0), np.array([4.0, 3.25], "f")])), {}, {"ulps": 1024}


def rotations(module):
    R = module.Rotation
    ours = module is transform

    def forms(q):
        r = R.from_quat(q)
        return [r.as_matrix(), r.as_rotvec(), r.as_rotvec(True), r.as_mrp(), r.magnitude(), r.as_quat(True), r.as_quat(True, scalar_first=True),
                r.inv().as_matrix()]

    def there_and_back(q):
        r = R.from_quat(q)
        return [R.from_matrix(r.as_matrix()).as_matrix(), R.from_rotvec(r.as_rotvec()).as_matrix(), R.from_mrp(r.as_mrp()).as_matrix(),
                R.from_euler("xyz", r.as_euler("xyz")).as_matrix()]

    def from_euler(seq, angles, degrees):
        return R.from_euler(seq, angles, degrees).as_matrix()

    def apply(q, v, inverse):
        return R.from_quat(q).apply(v, inverse)

    def compose(p, q):
        return (R.from_quat(p) * R.from_quat(q)).as_matrix()

    def mean(q):
        return R.from_quat(q).mean().as_matrix()

    def slerp(times, q, at):
        return (module.Slerp.init if ours else module.Slerp)(times, R.from_quat(q))(at).as_matrix()
    return types.SimpleNamespace(forms=forms, there_and_back=there_and_back, from_euler=from_euler, apply=apply, compose=compose, mean=mean, slerp=slerp)


ROTATIONS = {"forms": a_rotation, "there_and_back": a_rotation, "from_euler": euler, "apply": turned, "compose": composed, "slerp": path,
             "mean": a_rotation}

TABLES = {
    "fft.": (FFT, (fft, scipy.fft)), "signal.": (SIGNAL, (signal, scipy.signal)), "ndimage.": ({"map_coordinates": coordinates}, (ndimage, scipy.ndimage)),
    "interpolate.": ({"regular_grid": grid}, (through_a_grid(interpolate), through_a_grid(scipy.interpolate))),
    "integrate.": ({"trapezoid": sampled}, (integrate, scipy.integrate)), "vq.": ({"vq": code_book}, (vq, scipy.cluster.vq)),
    "stats.": (STATS, (stats, scipy.stats)), "kde.": ({"density": kernel_density}, (kernels(stats), kernels(scipy.stats))),
    "linalg.": (LINALG, (linalg, scipy.linalg)),
    "systems.": ({"cho": factored, "lu": exchanged, "exponential": of_a_function}, (in_two_steps(linalg), in_two_steps(scipy.linalg))),
    "rotations.": (ROTATIONS, (rotations(transform), rotations(scipy.spatial.transform))),
}
CASES = {prefix + name: (recipe, modules, name) for prefix, (table, modules) in TABLES.items() for name, recipe in table.items()}
