"""How calls of each function of gnomon.numpy are made up; `generated.py` runs them."""
import numpy as np


def unary(kinds="bifc", style="edges", ulps=0, **more):
    return lambda d: ((d.array(kinds, style=style),), {}, {"ulps": ulps, **more})


def binary(kinds="bifc", style="edges", ulps=0, same=True, **more):
    def recipe(d):
        x = d.array(kinds, style=style)
        y = d.array(kinds, shape=d.partner(x.shape), style=style, dtype=x.dtype if same else None)
        return ((x, y) if d.flag() else (y, x)), {}, {"ulps": ulps, **more}
    return recipe


def reduction(kinds="bifc", style="plain", ulps=4, where=True, empty=True, **more):
    def recipe(d):
        x = d.array(kinds, style=style, empty=empty)
        kwargs = {"axis": d.axes(x), "keepdims": d.flag()}
        if where and d.rng.randint(3) == 0:
            kwargs["where"] = d.numbers(bool, d.partner(x.shape))
            if more.get("start"):
                kwargs["initial"] = x.dtype.type(1)
        return (x,), kwargs, {"ulps": ulps, **{k: v for k, v in more.items() if k != "start"}}
    return recipe


def along(kinds="bifc", style="plain", ulps=0, none=True, least=1, extra=(), **more):
    """Functions of an array and one axis."""
    def recipe(d):
        x = d.array(kinds, style=style, least=least)
        return (x, *[e(d) if callable(e) else e for e in extra]), {"axis": d.axis(x, none)}, {"ulps": ulps, **more}
    return recipe


def matrices(kinds="ifc", ulps=64, **more):
    """Products: of vectors, matrices and stacks of them."""
    def recipe(d):
        dtype = d.dtype(kinds)
        a, b = d.one([((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((2, 2, 3), (3, 2)), ((2, 0), (0, 3)),
                      ((2, 1, 2, 3), (3, 3, 1))])
        return (d.array(dtype=dtype, shape=a), d.array(dtype=dtype, shape=b)), {}, {"ulps": ulps, **more}
    return recipe


def lists(least=1, count=(1, 4), kinds="bifc", axis=False):
    def recipe(d):
        shape, dtype = d.shape(least=least), d.dtype(kinds)
        xs = [d.array(dtype=dtype, shape=shape) for _ in range(d.rng.randint(*count))]
        return (xs,), ({"axis": d.axis(xs[0])} if axis else {})
    return recipe


def permuted(d):
    x = d.array()
    return (x, tuple(int(i) for i in d.rng.permutation(x.ndim))) if d.flag() else (x,), {}


def reshaped(d):
    x = d.array()
    shape = d.one([s for s in [(-1,), (1, -1), (x.size,), (x.size, 1), x.shape[::-1], (1, *x.shape)] if x.size or -1 not in s])
    return (x, shape), {"order": d.one("CF")}


def with_shape(d):
    x = d.array(most=2, empty=False)
    return (x, (int(d.rng.randint(1, 4)), *x.shape) if d.flag() else x.shape), {}


def ranges(d):
    start, stop, step = [int(v) for v in d.rng.randint(-6, 7, 3)]
    if d.flag():
        return (start, stop, step or 1), {}
    return (start / 4, stop / 2, (step or 1) / 2), {}, {"ulps": 8}


def spaced(d, positive=False):
    low, high = [float(v) for v in d.rng.randint(1 if positive else -8, 9, 2)]
    return (low, high, int(d.rng.randint(0, 8))), {"endpoint": d.flag()}, {"ulps": 256}


def of_sizes(d):
    return (int(d.rng.randint(0, 5)), int(d.rng.randint(0, 5)), int(d.rng.randint(-3, 4))), {}


def windows(d):
    return (int(d.rng.randint(0, 9)),), {}, {"ulps": 128}


def indices_of(d, x, axis, shape=None):
    n = x.size if axis is None else x.shape[axis]
    return d.rng.randint(-n, n, (d.shape(most=2) if shape is None else shape)) if n else None


def taking(d):
    x = d.array(least=1, empty=False)
    axis = d.axis(x, none=True)
    return (x, indices_of(d, x, axis)), {"axis": axis, **({"mode": d.one(["wrap", "clip"])} if d.flag() else {})}


def taking_along(d):
    x = d.array(least=1, empty=False)
    axis = d.axis(x)
    shape = list(x.shape)
    shape[axis] = 2
    return (x, indices_of(d, x, axis, tuple(shape)), axis), {}


def putting_along(d):
    x = d.array("if", least=1, empty=False)
    axis = d.axis(x)
    index = np.argsort(d.rng.rand(*x.shape), axis=axis)
    y = d.array(dtype=x.dtype, shape=x.shape)

    def reference(x, index, y, axis, inplace):
        x = x.copy()
        np.put_along_axis(x, index, y, axis)
        return x
    return (x, index, y, axis), {"inplace": False}, {"reference": reference}


def deleted(d):
    x = d.array(least=1, empty=False)
    axis = d.axis(x, none=True)
    n = x.size if axis is None else x.shape[axis]
    return (x, d.one([int(d.rng.randint(-n, n)), slice(0, n, 2), d.rng.randint(-n, n, 2)])), {"axis": axis}


def inserted(d):
    x = d.array(least=1, empty=False)
    axis = d.axis(x, none=True)
    n = x.size if axis is None else x.shape[axis]
    return (x, d.one([int(d.rng.randint(-n, n)), [0, n]]), x.dtype.type(1)), {"axis": axis}


def rolled(d):
    x = d.array()
    axes = d.axes(x)
    shift = int(d.rng.randint(-5, 6)) if not isinstance(axes, tuple) else tuple(int(s) for s in d.rng.randint(-5, 6, len(axes)))
    return (x, shift), {"axis": axes}


def repeated(d):
    x = d.array(least=1)
    axis = d.axis(x, none=True)
    n = x.size if axis is None else x.shape[axis]
    return (x, int(d.rng.randint(0, 4)) if d.flag() else d.rng.randint(0, 3, n)), {"axis": axis}


def tiled(d):
    return (d.array(), tuple(int(n) for n in d.rng.randint(0, 3, d.rng.randint(0, 4)))), {}


def padded(d):
    x = d.array("if", least=1, empty=False)
    mode = d.one(["constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum", "minimum", "mean", "empty"][:-1])
    width = d.one([1, (1, 2), [(int(a), int(b)) for a, b in d.rng.randint(0, 4, (x.ndim, 2))]])
    return (x, width), {"mode": mode}, {"ulps": 4}


def quantiles(d, nan=False):
    x = d.array("f", style="edges" if nan and d.flag() else "plain", least=1, empty=False)
    q = d.one([0.0, 0.3, 1.0, np.array([0.0, 0.25, 0.5, 1.0])])
    # the place among the numbers is worked out in float32 at least; narrow dtypes are not asked where that would show
    if x.dtype.itemsize < 4:
        x = x.astype(np.float32)
    return (x, q), {"axis": d.axes(x), "keepdims": d.flag(), "method": d.one(["linear", "lower", "higher", "midpoint", "nearest"])}, {"ulps": 64}


def percents(d):
    (x, q), kwargs, options = quantiles(d)
    return (x, q * 100), {**kwargs, "method": d.one(["linear", "lower", "higher", "midpoint"])}, options


def medians(d):
    x = d.array("f", style="edges" if d.flag() else "plain", empty=False)
    return (x,), {"axis": d.axes(x), "keepdims": d.flag()}, {"ulps": 4}


def two_sets(d):
    dtype = d.dtype("if")
    return (d.array(dtype=dtype, most=2), d.array(dtype=dtype, most=2)), {}


def sorted_and(d):
    x = np.sort(d.array("if", style="plain", shape=(d.rng.randint(0, 6),)))
    return (x, d.array(dtype=x.dtype, style="edges" if x.dtype.kind == "f" else "plain")), {"side": d.one(["left", "right"])}


def binned(d):
    bins = np.sort(d.array("f", shape=(4,)))
    return (d.array(dtype=bins.dtype), bins[::-1] if d.flag() else bins), {"right": d.flag()}


def interpolated(d):
    xp = np.cumsum(d.rng.randint(1, 4, 5)).astype("f4")
    return (d.array(dtype=np.dtype("f4"), style="plain"), xp, d.array(dtype=np.dtype("f4"), shape=(5,))), {}, {"ulps": 64}


def polynomials(d, count=2, least=1):
    dtype = d.dtype("fc")
    return tuple(d.array(dtype=dtype, shape=(int(d.rng.randint(least, 5)),)) for _ in range(count)), {}, {"ulps": 64}


def signal(d):
    dtype = d.dtype("ifc")
    return (d.array(dtype=dtype, shape=(int(d.rng.randint(1, 6)),)), d.array(dtype=dtype, shape=(int(d.rng.randint(1, 6)),)),
            d.one(["full", "same", "valid"])), {}, {"ulps": 64}


def differences(d):
    x = d.array("bifc", least=1)
    return (x, int(d.rng.randint(0, 4))), {"axis": d.axis(x)}, {"ulps": 8}


def counted(d):
    x = d.numbers("int32", (int(d.rng.randint(0, 6)),))
    return (np.abs(x),), {"minlength": int(d.rng.randint(0, 8))}


def clipped(d):
    x = d.array("if", style="edges")
    low, high = [d.array(dtype=x.dtype, shape=d.partner(x.shape)) for _ in range(2)]
    return (x, None if d.rng.randint(4) == 0 else low, high), {}


def chosen(d):
    x = d.array("bifc", style="edges")
    return (d.numbers(bool, d.partner(x.shape)), x, d.array(dtype=x.dtype, shape=d.partner(x.shape), style="edges")), {}


def selected(d):
    x = d.array("if")
    return ([d.numbers(bool, x.shape) for _ in range(2)], [d.array(dtype=x.dtype, shape=x.shape) for _ in range(2)], x.dtype.type(1)), {}


def shifted(d):
    x = d.array("i", style="edges")
    return (x, np.abs(d.numbers(x.dtype, d.partner(x.shape)))), {}


def powers(d):
    x = np.abs(d.array("f", style="edges"))
    return (x, d.array(dtype=x.dtype, shape=d.partner(x.shape))), {}, {"ulps": 64 if x.dtype.itemsize > 2 else 4}


def whole_powers(d):
    x = d.array("i")
    return (x, np.abs(d.numbers(x.dtype, d.partner(x.shape)))), {}


def scaled(d):
    x = d.array("f", style="edges")
    return (x, d.rng.randint(-5, 6, d.partner(x.shape)).astype("int32")), {}


def rounded(d):
    x = d.array("ifc", style="edges")
    return (x, int(d.rng.randint(-1, 3)) if x.dtype.kind != "i" else 0), {}, {"ulps": 4}


def vectors3(d):
    dtype, n = d.dtype("if"), int(d.one([3, 3, 2]))
    return (d.array(dtype=dtype, shape=(*d.shape(most=1), n)), d.array(dtype=dtype, shape=(n,))), {}, {"ulps": 8}


def traces(d):
    x = d.array("ifc", least=2)
    return (x, int(d.rng.randint(-3, 4))), {}, {"ulps": 4}


def triangle(d):
    return (d.array(least=2), int(d.rng.randint(-3, 4))), {}


def along_numbers(kinds="bif", none=True, style="edges", **more):
    def recipe(d):
        x = d.array(kinds, style=style, least=1, empty=False)
        return (x,), {"axis": d.axis(x, none)}, more
    return recipe


def nonempty(kinds="bif", style="plain", ulps=0, **more):
    return reduction(kinds, style, ulps, where=False, empty=False, **more)


def weighted(d):
    x = d.array("f", least=1, empty=False)
    axis = d.axis(x)
    return (x,), {"axis": axis, "weights": np.abs(d.numbers(x.dtype, (x.shape[axis],))) + x.dtype.type(1), "keepdims": d.flag()}, {"ulps": 64}


def observations(d):
    x = d.array("fc", shape=(int(d.rng.randint(1, 4)), 4))
    return (x,), {"rowvar": d.flag()}, {"ulps": 128}


def nan_wise(kinds="f", ulps=4, **more):
    def recipe(d):
        x = d.array(kinds, style="edges", empty=False)
        return (x,), {"axis": d.axes(x), "keepdims": d.flag()}, {"ulps": ulps, **more}
    return recipe


def nan_running(d):
    x = d.array("if", style="edges", least=1)
    return (x,), {"axis": d.axis(x, True)}, {"ulps": 64}


def moved(d):
    x = d.array(least=1)
    return (x, d.axis(x), d.axis(x)), {}


def pieces(d):
    x = d.array(least=1, empty=False)
    axis = d.axis(x)
    return (x, d.one([1, x.shape[axis], [1], [0, 1], [-1]])), {"axis": axis}


def pieces_uneven(d):
    x = d.array(least=1, empty=False)
    return (x, int(d.rng.randint(1, 5))), {"axis": d.axis(x)}


def products_of(d, subscripts=("ij,jk->ik", "ij,ij", "ii->i", "...j,j", "ij->ji", "i,j->ij")):
    s = d.one(subscripts)
    sizes = {c: int(d.rng.randint(1, 4)) for c in "ijk"}
    dtype = d.dtype("ifc")
    return (s, *[d.array(dtype=dtype, shape=tuple(sizes[c] for c in t if c in sizes)) for t in s.split("->")[0].split(",")]), {}, {"ulps": 64}


def broadcast_pair(d):
    x = d.array(style="edges")
    return (x, d.array(shape=d.partner(x.shape))), {}


def raveled(d):
    shape = d.one([(3, 4), (2, 3, 2), (5,)])
    many = d.shape(most=2)
    return (tuple(d.rng.randint(0, n, many) for n in shape), shape), {"order": d.one("CF")}


def unraveled(d):
    shape = d.one([(3, 4), (2, 3, 2), (5,)])
    return (d.rng.randint(0, int(np.prod(shape)), d.shape(most=2)), shape), {}


def heights(d):
    x = d.array("f", shape=(int(d.rng.randint(1, 8)),))
    return (x,), {"bins": int(d.rng.randint(1, 6)), "range": (-3.06, 3.07)}, {"ulps": 64}


def packed(d):
    x = d.array("b", least=1)
    return (x,), {"axis": d.axis(x, True), "bitorder": d.one(["big", "little"])}


def unpacked(d):
    x = d.array(dtype=np.dtype("uint8"), style="edges", least=1)
    return (x,), {"axis": d.axis(x, True), "bitorder": d.one(["big", "little"])}


def area(d):
    x = d.array("f", least=1)
    return (x,), {"axis": d.axis(x), "dx": 0.5}, {"ulps": 16}


def slopes(d):
    x = d.array("f", shape=d.one([(3,), (4, 3), (5,)]))
    return (x,), {}, {"ulps": 16}


def crossed(d):
    return [d.array(shape=(int(d.rng.randint(0, 4)),)) for _ in range(d.rng.randint(1, 4))], {"indexing": d.one(["xy", "ij"]), "sparse": d.flag()}


def blocks(d):
    dtype = d.dtype()
    return ([[d.array(dtype=dtype, shape=(2, 1)), d.array(dtype=dtype, shape=(2, 2))], [d.array(dtype=dtype, shape=(1, 2)), d.array(dtype=dtype, shape=(1,
            1))]],), {}


def conditions(d):
    x = d.array(least=1)
    axis = d.axis(x, True)
    n = x.size if axis is None else x.shape[axis]
    return (d.numbers(bool, (n,)), x), {"axis": axis}


def pick(d):
    x = d.array("if", most=2)
    return (d.rng.randint(-1, 4, x.shape), [d.array(dtype=x.dtype, shape=x.shape) for _ in range(3)]), {"mode": d.one(["wrap", "clip"])}


def turned(d):
    x = d.array(least=2)
    axes = tuple(int(a) for a in d.rng.permutation(x.ndim)[:2])
    return (x, int(d.rng.randint(-3, 6)), axes), {}


def like(value=False):
    return lambda d: ((d.array(), *([2] if value else [])), {})


def spreads(d):
    x = d.array("fc", empty=False)
    return (x,), {"axis": d.axes(x), "keepdims": d.flag(), "ddof": d.one([0, 0, 1])}, {"ulps": 256}


BOOLEAN_RESULT = "isfinite isinf isnan logical_not isreal iscomplex".split()
RECIPES = {name: unary() for name in [*BOOLEAN_RESULT, "positive", "real", "imag", "conj", "conjugate", "ravel", "copy", "atleast_1d",
                                      "atleast_2d", "atleast_3d", "shape", "ndim", "size", "isrealobj", "iscomplexobj", "argwhere",
                                      "flatnonzero", "nonzero", "array", "asarray"]}
RECIPES |= {name: unary("if") for name in "negative sign floor ceil trunc abs absolute isposinf isneginf".split()}
RECIPES["square"] = unary("ifc", "plain", 4)
RECIPES["reciprocal"] = unary("f", ulps=2)
RECIPES |= {name: unary("f") for name in "fabs signbit".split()}
RECIPES |= {"sqrt": unary("f", ulps=1), "nan_to_num": unary("i")}
RECIPES["spacing"] = lambda d: ((d.array(dtype=np.dtype("f4")),), {}, {"reference": lambda x: np.spacing(x.astype("f4"))})
RECIPES |= {name: unary("f", ulps=4) for name in """exp exp2 expm1 cos sin cosh sinh tanh arctan atan arcsinh asinh cbrt deg2rad rad2deg degrees
    radians i0""".split()}
RECIPES |= {name: unary("f", ulps=16) for name in "tan log log2 log10 log1p arccosh acosh".split()}
RECIPES |= {name: unary("f", "unit", 16) for name in "arcsin asin arccos acos arctanh atanh".split()}
RECIPES |= {"rint": unary("if", ulps=1), "sinc": unary("f", ulps=8, least=1.0)}
RECIPES["angle"] = unary("fc", "plain", 8)
RECIPES |= {name: unary("bi") for name in "invert bitwise_not bitwise_invert".split()}
RECIPES["bitwise_count"] = unary("i")
RECIPES |= {name: rounded for name in "round around".split()}
RECIPES |= {name: unary("f") for name in "modf frexp".split()}
RECIPES |= {name: binary() for name in "equal not_equal logical_and logical_or logical_xor".split()}
RECIPES |= {name: binary("ifc") for name in "add subtract".split()}
RECIPES |= {name: binary("if") for name in "less less_equal greater greater_equal maximum minimum fmax fmin".split()}
RECIPES["multiply"] = binary("ifc", "plain", 2)
RECIPES |= {name: binary("if", ulps=2) for name in "divide true_divide".split()}
RECIPES |= {name: binary("i") for name in "floor_divide remainder mod divmod gcd lcm bitwise_and bitwise_or bitwise_xor fmod".split()}
RECIPES |= {name: binary("f", ulps=8) for name in "arctan2 atan2 hypot".split()}
RECIPES |= {name: binary("f", ulps=8, least=1.0) for name in "logaddexp logaddexp2".split()}
RECIPES |= {name: binary("f") for name in "copysign heaviside".split()}
RECIPES["nextafter"] = lambda d: ((d.array(dtype=np.dtype("f4"), shape=(3,), style="edges"), d.array(dtype=np.dtype("f4"), shape=(3,), style="edges")), {},
                                  {"reference": lambda x, y: np.nextafter(x.astype("f4"), y.astype("f4"))})
RECIPES |= {name: shifted for name in "left_shift right_shift bitwise_left_shift bitwise_right_shift".split()}
RECIPES |= {"power": lambda d: (whole_powers if d.flag() else powers)(d), "pow": powers, "float_power": powers, "ldexp": scaled, "clip": clipped,
            "where": chosen, "select": selected, "cross": vectors3}
RECIPES |= {name: binary("f", "plain", 0) for name in "isclose allclose array_equal array_equiv".split()}
RECIPES |= {name: reduction("bif", "edges") for name in "all any count_nonzero".split()}
RECIPES["count_nonzero"] = reduction("bif", "edges", where=False)
RECIPES |= {name: reduction("bif", start=True) for name in "max min amax amin".split()}
RECIPES["sum"] = reduction("bifc", start=True)
RECIPES["prod"] = reduction("if", ulps=64, where=False)
RECIPES["mean"] = reduction("bifc", ulps=8, where=False, empty=False)
RECIPES |= {"ptp": nonempty("if"), "median": medians, "std": spreads, "var": spreads, "average": weighted}
RECIPES |= {name: nan_wise(ulps=64) for name in "nansum nanprod nanmax nanmin nanmean nanmedian nanvar nanstd".split()}
RECIPES |= {"nancumsum": nan_running, "nancumprod": nan_running}
RECIPES |= {name: along_numbers() for name in "argmax argmin".split()}
RECIPES |= {name: along_numbers("if") for name in "nanargmax nanargmin".split()}
RECIPES |= {name: along("bifc", ulps=64) for name in "cumsum cumprod".split()}
RECIPES |= {name: along("ifc", ulps=64, none=False, least=1) for name in "cumulative_sum cumulative_prod".split()}
RECIPES |= {"quantile": quantiles, "percentile": percents, "nanquantile": lambda d: quantiles(d, True), "nanpercentile": percents}
RECIPES["sort"] = along("bifc", "edges")
RECIPES["argsort"] = along("bif", "edges", reference=lambda x, axis: np.argsort(x, axis, kind="stable"))
RECIPES |= {"searchsorted": sorted_and, "digitize": binned, "interp": interpolated, "bincount": counted, "histogram": heights,
            "histogram_bin_edges": heights, "trapezoid": area, "gradient": slopes}
RECIPES |= {name: two_sets for name in "union1d intersect1d setdiff1d setxor1d isin".split()}
RECIPES |= {name: unary("if", "plain") for name in "unique unique_counts unique_inverse unique_all".split()}
RECIPES["unique_values"] = unary("if", "plain", reference=np.unique)
RECIPES |= {name: matrices() for name in "matmul dot inner".split()}
RECIPES["inner"] = lambda d: ((x := d.array("ifc", shape=(2, 3)), d.array(dtype=x.dtype, shape=d.one([(3,), (4, 3), (2, 2, 3)]))), {}, {"ulps": 64})
RECIPES |= {name: (lambda d: ((x := d.array("ifc", most=2), d.array(dtype=x.dtype, most=2)), {}, {"ulps": 4})) for name in ("outer", "kron")}
RECIPES |= {name: (lambda d: ((x := d.array("ifc", shape=(2, 3)), d.array(dtype=x.dtype, shape=(2, 3))), {}, {"ulps": 64})) for name in ("vdot", "vecdot")}
RECIPES["matvec"] = lambda d: ((x := d.array("ifc", shape=(2, 3)), d.array(dtype=x.dtype, shape=(4, 1, 3))), {}, {"ulps": 64})
RECIPES["vecmat"] = lambda d: ((x := d.array("ifc", shape=(4, 1, 2)), d.array(dtype=x.dtype, shape=(2, 3))), {}, {"ulps": 64})
RECIPES["tensordot"] = lambda d: ((x := d.array("ifc", shape=(2, 3, 2)), d.array(dtype=x.dtype, shape=(2, 3, 2)), d.one([0, ([0, 1], [0, 1])])), {},
            {"ulps": 64})
RECIPES["einsum"] = products_of
RECIPES |= {"trace": traces, "diagonal": traces, "tril": triangle, "triu": triangle, "diag": lambda d: ((d.array(least=1, most=2), int(d.rng.randint(-2,
            3))), {}),
            "diagflat": lambda d: ((d.array(most=2), int(d.rng.randint(-2, 3))), {}), "cov": observations, "corrcoef": observations}
RECIPES |= {"transpose": permuted, "permute_dims": lambda d: ((x := d.array(), tuple(int(i) for i in d.rng.permutation(x.ndim))), {}), "reshape": reshaped,
            "broadcast_to": with_shape, "resize": with_shape, "roll": rolled,
            "repeat": repeated, "tile": tiled, "pad": padded, "take": taking, "take_along_axis": taking_along, "put_along_axis": putting_along,
            "delete": deleted, "insert": inserted, "moveaxis": moved, "swapaxes": moved, "rollaxis": moved, "split": pieces, "array_split": pieces_uneven,
            "rot90": turned, "compress": conditions, "choose": pick, "meshgrid": crossed, "block": blocks, "broadcast_arrays": broadcast_pair}
RECIPES["flip"] = lambda d: ((x := d.array(),), {"axis": d.axes(x)})
RECIPES["expand_dims"] = lambda d: ((x := d.array(), d.one([0, -1, (0, 2), x.ndim])), {})
RECIPES["squeeze"] = lambda d: ((d.array(),), {})
RECIPES["extract"] = lambda d: ((d.numbers(bool, (2, 3)), d.array(shape=(2, 3))), {})
RECIPES |= {name: (lambda d: ((d.array(least=2),), {})) for name in ("fliplr", "flipud", "matrix_transpose")}
RECIPES |= {name: lists() for name in "hstack vstack dstack column_stack".split()}
RECIPES |= {name: lists(axis=True) for name in "concatenate concat stack".split()}
RECIPES["append"] = lambda d: ((x := d.array(least=1), d.array(dtype=x.dtype, shape=x.shape)), {"axis": d.axis(x, True)})
RECIPES["unstack"] = lambda d: ((x := d.array(least=1, empty=False),), {"axis": d.axis(x)}, {"reference": lambda x, axis: tuple(np.moveaxis(x, axis, 0))})
RECIPES |= {"hsplit": lambda d: ((d.array(shape=(4, 2)), 2), {}), "vsplit": lambda d: ((d.array(shape=(4, 2)), [1, 3]), {}),
            "dsplit": lambda d: ((d.array(shape=(1, 2, 4)), 2), {})}
RECIPES |= {"arange": ranges, "linspace": spaced, "geomspace": lambda d: spaced(d, True), "logspace": lambda d: ((0.0, 1.5, int(d.rng.randint(0, 6))), {},
            {"ulps": 64}),
            "eye": of_sizes, "tri": of_sizes, "identity": lambda d: ((int(d.rng.randint(0, 5)),), {}), "indices": lambda d: ((d.shape(),),
            {"sparse": d.flag()})}
RECIPES |= {name: windows for name in "bartlett blackman hamming hanning".split()}
RECIPES["kaiser"] = lambda d: ((int(d.rng.randint(0, 9)), 3.5), {}, {"ulps": 256})
RECIPES |= {name: like() for name in "zeros_like ones_like".split()} | {"full_like": like(True)}
RECIPES |= {name: (lambda d: ((d.shape(),), {})) for name in ("zeros", "ones")} | {"full": lambda d: ((d.shape(), d.array(shape=()),), {})}
RECIPES |= {name: signal for name in "convolve correlate".split()}
RECIPES |= {"polyadd": polynomials, "polysub": polynomials, "polymul": polynomials, "polyder": lambda d: polynomials(d, 1),
            "polyint": lambda d: polynomials(d, 1),
            "poly": lambda d: polynomials(d, 1), "vander": lambda d: polynomials(d, 1),
            "polyval": lambda d: ((x := d.array("fc", shape=(3,)), d.array(dtype=x.dtype)), {}, {"ulps": 64})}
RECIPES |= {"diff": differences, "ediff1d": lambda d: ((d.array("if"),), {}), "ravel_multi_index": raveled, "unravel_index": unraveled,
            "packbits": packed, "unpackbits": unpacked, "unwrap": along("f", ulps=64, none=False)}
RECIPES["tril_indices"] = RECIPES["triu_indices"] = lambda d: ((int(d.rng.randint(1, 5)), int(d.rng.randint(-2, 3)), int(d.rng.randint(1, 5))), {})
RECIPES["diag_indices"] = lambda d: ((int(d.rng.randint(1, 5)), int(d.rng.randint(1, 4))), {})
RECIPES["trim_zeros"] = lambda d: ((d.array("if", shape=(5,)) * (np.arange(5) > 1).astype("int8"),), {"trim": d.one(["f", "b", "fb"])})
RECIPES["lexsort"] = lambda d: (([d.rng.randint(0, 3, 6) for _ in range(d.rng.randint(1, 4))],), {})
RECIPES["iterable"] = unary()
RECIPES["sort_complex"] = lambda d: ((d.array("fc", shape=(4,)),), {})
RECIPES["astype"] = lambda d: ((d.array("bif"), d.dtype("f")), {}, {"reference": lambda x, dtype: x})


# ---- functions whose results are checked by what they are for ----------------------------------------------------------

def parted(of_indices=False):
    """The smaller numbers stand before the k-th, the larger ones behind it."""
    def recipe(d):
        x = d.array("if", least=1, empty=False)
        axis = d.axis(x)
        kth = int(d.rng.randint(x.shape[axis]))

        def sorted_parts(out):
            out = np.take_along_axis(x, np.asarray(out), axis) if of_indices else np.asarray(out)
            below, above = np.split(np.moveaxis(out, axis, 0), [kth])
            return np.sort(below, 0), above[0], np.sort(above, 0)
        return (x, kth), {"axis": axis}, {"of": sorted_parts, "reference": lambda x, kth, axis: sorted_parts(
            np.argsort(x, axis) if of_indices else np.sort(x, axis))}
    return recipe


def largest(d):
    x = d.array("if", least=1, empty=False)
    k = int(d.rng.randint(1, x.shape[-1] + 1))
    return (x, k), {}, {"reference": lambda x, k: np.flip(np.sort(x, -1), -1)[..., :k], "of": lambda out: out[0]}


def fitted(d):
    x = np.unique(d.numbers("float32", (9,)))
    return (x, d.numbers("float32", x.shape), int(d.rng.randint(0, 3))), {}, {"ulps": 1 << 14}


def divided(d):
    u, v = d.numbers("float32", (int(d.rng.randint(1, 6)),)), d.numbers("float32", (int(d.rng.randint(1, 4)),))
    v[0] = 2

    def product(out):
        whole, rest = np.asarray(out[0]), np.asarray(out[1])
        return np.polyadd(np.polymul(whole, v), rest)
    return (u, v), {}, {"of": lambda out: np.trim_zeros(product(out), "f"), "reference": lambda u, v: np.trim_zeros(product(np.polydiv(u, v)), "f"),
                        "ulps": 256}


def counted_in_boxes(d):
    x, y = d.numbers("float32", (12,)), d.numbers("float32", (12,))
    kwargs = {"bins": d.one([2, (2, 4)]), "density": d.flag(), "range": ((-4, 4), (-2, 2))}      # edges that are exact
    return (x, y), kwargs, {"ulps": 64}


def counted_in_boxes_of_rows(d):
    (x, y), kwargs, options = counted_in_boxes(d)
    return (np.stack([x, y], 1),), kwargs, {**options, "of": lambda out: [out[0], *out[1]], "reference": lambda *a, **k: flat_last(np.histogramdd(*a, **k))}


def flat_last(out):
    return [out[0], *out[1]]


def by_pieces(d):
    x = d.array("f", style="plain")
    return (x, [x < 0, x > 1], [-1, 2, 0.5]), {}, {"reference": lambda x, conditions, values: np.piecewise(x, conditions, values)}


def shapes_alone(d):
    shape = d.shape()
    return (shape, d.partner(shape)), {}, {}


RECIPES |= {"partition": parted(), "argpartition": parted(True), "top_k": largest, "polyfit": fitted, "polydiv": divided, "histogram2d": counted_in_boxes,
            "histogramdd": counted_in_boxes_of_rows, "piecewise": by_pieces, "broadcast_shapes": shapes_alone,
            "minmax": lambda d: ((d.array("if", empty=False),), {}, {"reference": lambda x: (x.min(), x.max())}),
            "ix_": lambda d: ((d.numbers("int32", (3,)), d.numbers(bool, (4,))), {}), "asarray": unary(),
            "mask_indices": lambda d: ((4, np.triu if d.flag() else np.tril, int(d.rng.randint(-1, 2))), {}),
            "diag_indices_from": lambda d: ((d.array(shape=(3, 3)),), {}),
            "apply_over_axes": lambda d: ((np.sum, d.array("if", shape=(2, 3, 2), dtype=np.dtype("float32")), d.one([[0], [0, 2]])), {},
                                          {"reference": np.apply_over_axes, "ulps": 8}),
            "apply_along_axis": lambda d: ((np.flip, int(d.rng.randint(-3, 3)), d.array("if", shape=(2, 3, 2))), {})}
RECIPES["asarray"] = unary()
RECIPES |= {name: (lambda d: ((d.array(shape=(3, 4)), int(d.rng.randint(-2, 3))), {})) for name in ("tril_indices_from", "triu_indices_from")}
RECIPES |= {name: (lambda d: ((d.shape(),), {}, {"of": lambda out: np.zeros(out.shape), "reference": np.zeros})) for name in ("empty",)}
RECIPES["empty_like"] = lambda d: ((d.array(),), {}, {"of": lambda out: np.zeros(out.shape), "reference": np.zeros_like})
RECIPES["roots"] = lambda d: ((np.concatenate([[1], d.numbers("float32", (3,))]).astype("float32"),), {},
                              {"of": lambda out: np.poly(np.asarray(out)).real.astype("float32"), "ulps": 1 << 6,
                               "reference": lambda p: p})


# ---- gnomon.numpy.linalg and fft ------------------------------------------------------------------------------------

def square(d, kinds="fc", better=True, stacks=True):
    """Square matrices far from singular, or a stack of them, of at least single precision."""
    n = int(d.rng.randint(0 if better else 1, 4))
    dtype = d.one([t for t in ("float32", "complex64", "float64" if d.wide else "float32") if np.dtype(t).kind in kinds])
    shape = (*d.one([(), (2,), (0,), (2, 1)] if stacks else [()]), n, n)
    return d.numbers(dtype, shape) + (np.eye(n, dtype=dtype) * 9 if better else 0)


def tall(d):
    dtype = d.one(["float32", "complex64"])
    return d.array(dtype=np.dtype(dtype), shape=d.one([(3, 2), (2, 3), (2, 3, 2), (1, 1)]))


def positive(d):
    x = square(d)
    return x @ np.conj(np.swapaxes(x, -1, -2))


def solvable(d):
    a = square(d, stacks=False)
    return (a, d.numbers(a.dtype, (a.shape[0], *d.one([(), (2,)])))), {}, {"ulps": 256}


def norms(d):
    x = d.array("ifc", least=1, empty=False)
    axis = d.axis(x)
    return (x,), {"axis": axis, "keepdims": d.flag(), "ord": d.one([None, 1, 2, np.inf, -np.inf, 0, 3])}, {"ulps": 64}


def matrix_norms(d):
    return (tall(d),), {"ord": d.one(["fro", 1, -1, np.inf, -np.inf, "nuc", 2, -2]), "keepdims": d.flag()}, {"ulps": 256}


def transforms(real=False, inverse=False, several=False):
    def recipe(d):
        kinds = "f" if real and not inverse else "fc"
        x = d.array(dtype=d.one([np.dtype(t) for t in ("float32", "complex64") if np.dtype(t).kind in kinds]), least=2 if several else 1, empty=False)
        kwargs = {"norm": d.one([None, "ortho", "forward", "backward"])}
        if not several:
            kwargs |= {"axis": d.axis(x), "n": d.one([None, 1, 2, 3, 5])}
        if real and inverse and kwargs.get("n", 5) is None:
            kwargs["n"] = 4
        return (x,), kwargs, {"ulps": 128}
    return recipe


LINALG = {name: (lambda d: ((square(d),), {}, {"ulps": 512})) for name in ("inv", "det", "slogdet", "cond")}
LINALG |= {"solve": solvable, "norm": norms, "vector_norm": norms, "matrix_norm": matrix_norms, "cholesky": lambda d: ((positive(d),), {}, {"ulps": 512}),
           "svdvals": lambda d: ((tall(d),), {}, {"ulps": 128}), "eigvalsh": lambda d: ((positive(d),), {}, {"ulps": 512}),
           "pinv": lambda d: ((square(d),), {}, {"ulps": 512}), "matrix_rank": lambda d: ((tall(d),), {}),
           "matrix_power": lambda d: ((square(d), int(d.rng.randint(-2, 4))), {}, {"ulps": 2048}),
           "multi_dot": lambda d: (([d.numbers("float32", s) for s in ((2, 3), (3, 4), (4, 1))],), {}, {"ulps": 128}),
           "cross": lambda d: ((d.array("f", shape=(2, 3)), d.array("f", shape=(2, 3))), {}, {"ulps": 8}),
           "outer": lambda d: ((x := d.array("ifc", shape=(3,)), d.array(dtype=x.dtype, shape=(2,))), {}, {"ulps": 4}),
           "matmul": matrices(), "vecdot": RECIPES["vecdot"],
           "tensordot": lambda d: ((x := d.array("ifc", shape=(2, 3)), d.array(dtype=x.dtype, shape=(2, 3))), {"axes": d.one([0, 2])}, {"ulps": 64}),
           "trace": lambda d: ((d.array("ifc", least=2),), {"offset": int(d.rng.randint(-2, 3))}, {"ulps": 4}),
           "diagonal": lambda d: ((d.array(least=2),), {"offset": int(d.rng.randint(-2, 3))}),
           "matrix_transpose": lambda d: ((d.array(least=2),), {})}


def rebuilt(make, compose, **more):
    """Factors that are not unique are checked by their product."""
    return lambda d: ((make(d),), {}, {"of": compose, "reference": lambda x: x, "ulps": 1 << 11, **more})


def turned_back(x):
    return np.conj(np.swapaxes(np.asarray(x), -1, -2))


def of_eigenvectors(out):
    values, vectors = [np.asarray(x) for x in out]
    return (vectors * values[..., None, :]) @ turned_back(vectors)


def of_singular_vectors(out):
    u, s, vh = [np.asarray(x) for x in out]
    k = s.shape[-1]
    return (u[..., :k] * s[..., None, :]) @ vh[..., :k, :]


def in_tensors(d):
    a = d.numbers("float32", (6, 6)) + 9 * np.eye(6, dtype="float32")
    return a.reshape(2, 3, 6), d.numbers("float32", (2, 3))


LINALG |= {"eigh": rebuilt(positive, of_eigenvectors), "qr": rebuilt(tall, lambda out: np.asarray(out[0]) @ np.asarray(out[1])),
           "svd": rebuilt(tall, of_singular_vectors),
           "eigvals": lambda d: ((square(d),), {}, {"of": lambda out: np.asarray(out).sum(-1), "reference": lambda x: np.trace(x, axis1=-2, axis2=-1),
                                                    "ulps": 1 << 10}),
           "eig": lambda d: ((x := square(d),), {}, {"of": lambda out: np.float32(1 + np.linalg.norm(
               x @ np.asarray(out[1]) - np.asarray(out[1]) * np.asarray(out[0])[..., None, :])), "reference": lambda x: 1.0, "ulps": 1 << 9}),
           "lstsq": lambda d: ((d.numbers("float32", (5, 2)) + np.eye(5, 2, dtype="float32") * 9, d.numbers("float32", (5,))), {},
                               {"of": lambda out: [out[0], out[3]], "reference": lambda a, b: [(r := np.linalg.lstsq(a, b))[0], r[3]], "ulps": 1 << 10}),
           "tensorinv": lambda d: ((in_tensors(d)[0],), {"ind": 2}, {"ulps": 1 << 10}),
           "tensorsolve": lambda d: (in_tensors(d), {}, {"ulps": 1 << 10})}
FFT = {"fft": transforms(), "ifft": transforms(), "rfft": transforms(real=True), "irfft": transforms(True, True), "hfft": transforms(True, True),
       "ihfft": transforms(real=True), "fft2": transforms(several=True), "ifft2": transforms(several=True), "fftn": transforms(several=True),
       "ifftn": transforms(several=True), "rfft2": transforms(True, False, True), "rfftn": transforms(True, False, True),
       "fftshift": lambda d: ((x := d.array(),), {"axes": d.axes(x)}), "ifftshift": lambda d: ((x := d.array(),), {"axes": d.axes(x)}),
       "fftfreq": lambda d: ((int(d.rng.randint(1, 9)), 0.5), {}, {"ulps": 2}), "rfftfreq": lambda d: ((int(d.rng.randint(1, 9)), 0.5), {}, {"ulps": 2})}
FFT |= {name: (lambda d: ((d.array(dtype=np.dtype("complex64"), shape=(3, 4)),), {"norm": d.one([None, "ortho", "forward"]), "s": d.one([None, (3, 5)])},
                          {"ulps": 128})) for name in ("irfft2", "irfftn")}
