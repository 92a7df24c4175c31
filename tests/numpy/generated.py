"""Calls made up by chance: for each function of gnomon.numpy, arrays of any dtype, shape and memory order with edges among the numbers.

A recipe takes a `Draw` and gives the call's arguments; `check` compares the results with NumPy's on wider numbers."""
import collections
import zlib

import numpy as np

import gnomon as G
import gnomon.numpy as jnp
from gnomon.types.dtype import bfloat16, finfo

BF16 = np.dtype(bfloat16)
INTS = [np.dtype(d) for d in ("int8", "uint8", "int16", "uint16", "int32", "uint32")]
WIDE_INTS = [np.dtype("int64"), np.dtype("uint64")]
FLOATS = [np.dtype("float16"), BF16, np.dtype("float32")]
COMPLEX = [np.dtype("complex64")]
WIDER = {np.dtype("float16"): np.dtype("float64"), BF16: np.dtype("float64"), np.dtype("float32"): np.dtype("float64"),
         np.dtype("complex64"): np.dtype("complex128")}
SHAPES = [(), (0,), (1,), (3,), (4,), (2, 3), (3, 2), (1, 4), (2, 0), (2, 3, 2), (3, 1, 2)]
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-3, 3.0, np.inf, -np.inf, np.nan, 7.0]


class Draw:
    """What chance decides, from a seed. `wide`: with 64-bit dtypes."""

    def __init__(self, name, seed, wide=False):
        self.rng = np.random.RandomState(zlib.crc32(f"{name} {seed}".encode()))
        self.wide = wide

    def one(self, choices):
        return choices[self.rng.randint(len(choices))]

    def flag(self):
        return bool(self.rng.randint(2))

    def dtype(self, kinds="bifc"):
        """A dtype among booleans, integers, floats and complex numbers."""
        kind = self.one(kinds)
        more = {"i": WIDE_INTS, "f": [np.dtype("float64")], "c": [np.dtype("complex128")]} if self.wide else {}
        return self.one({"b": [np.dtype(bool)], "i": INTS, "f": FLOATS, "c": COMPLEX}[kind] + more.get(kind, []))

    def shape(self, least=0, most=3, empty=True):
        return self.one([s for s in SHAPES if least <= len(s) <= most and (empty or 0 not in s)])

    def numbers(self, dtype, shape, style="plain"):
        """plain: small multiples of 1/8, exact in every dtype; edges: with NaN, inf, both zeros, limits; unit: within (-1, 1)."""
        dtype = np.dtype(dtype)
        count = int(np.prod(shape))
        if dtype.kind == "b":
            return self.rng.randint(0, 2, shape).astype(bool)
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            few = self.rng.randint(0 if dtype.kind == "u" else -5, 6, count).astype(dtype)
            if style == "edges":
                limits = np.array([info.max, info.min, info.max - 1, info.max // 2 + 1, 0, 1], dtype)
                few = np.where(self.rng.rand(count) < 0.5, limits[self.rng.randint(0, 6, count)], few)
            return few.reshape(shape)
        if dtype.kind == "c":
            return (self.numbers("float64", shape, "plain") + 1j * self.numbers("float64", shape, "plain")).astype(dtype)
        if style == "unit":
            return np.asarray(self.rng.rand(*shape) * 1.98 - 0.99).astype(dtype)
        x = self.rng.randint(-24, 25, count) / 8
        if style == "edges":
            x = np.where(self.rng.rand(count) < 0.4, np.array(EDGES)[self.rng.randint(0, len(EDGES), count)], x)
        return x.reshape(shape).astype(dtype)

    def array(self, kinds="bifc", shape=None, style="plain", dtype=None, **limits):
        """An array that may be a view: backwards, of every other element, or transposed."""
        dtype = self.dtype(kinds) if dtype is None else dtype
        shape = self.shape(**limits) if shape is None else shape
        if not shape:
            return self.numbers(dtype, shape, style)
        way = self.rng.randint(4)
        if way == 0:
            return self.numbers(dtype, (2 * shape[0], *shape[1:]), style)[::2]
        if way == 1:
            return self.numbers(dtype, shape[::-1], style).T
        return self.numbers(dtype, shape, style)[::-1] if way == 2 else self.numbers(dtype, shape, style)

    def axis(self, x, none=False):
        if none and self.rng.randint(3) == 0:
            return None
        return int(self.rng.randint(-x.ndim, x.ndim))

    def axes(self, x):
        """None, one axis or several."""
        if not x.ndim or self.rng.randint(3) == 0:
            return None
        if self.flag():
            return self.axis(x)
        chosen = self.rng.permutation(x.ndim)[:self.rng.randint(1, x.ndim + 1)]
        return tuple(int(a) - (x.ndim if self.flag() else 0) for a in chosen)

    def partner(self, shape):
        """A shape that broadcasts with another one."""
        shape = tuple(1 if self.rng.randint(3) == 0 else n for n in shape)
        return shape[self.rng.randint(len(shape) + 1):] if self.flag() else shape


def widened(x):
    return x.astype(WIDER[x.dtype]) if isinstance(x, np.ndarray) and x.dtype in WIDER else x


def flat(out):
    if isinstance(out, dict):
        return flat(list(out.values()))
    return [leaf for x in out for leaf in flat(x)] if isinstance(out, (list, tuple)) else [out]


def compare(ours, theirs, ulps, said, least=0.0):
    """Equal shapes and equal numbers, up to `ulps` units of the last place of our dtype; `least`: of what is at least as large."""
    ours, theirs = flat(ours), flat(theirs)
    assert len(ours) == len(theirs), said
    for a, b in zip(ours, theirs):
        a, b = np.asarray(a), np.asarray(b)
        assert a.shape == b.shape, (said, a.shape, b.shape)
        if a.dtype.kind in "biu" or a.dtype.kind not in "fcV":
            if b.dtype.kind in "fc":            # what JAX counts as integers and NumPy as floats
                assert np.array_equal(a.astype("f8"), b.real), (said, a, b)
            else:
                assert np.array_equal(a, b.astype(a.dtype)), (said, a, b)
            continue
        info = finfo(a.dtype)
        if not ulps:
            with np.errstate(all="ignore"):
                b = b.astype(a.dtype)
        large = float(info.max) * (1 - 8 * float(info.eps))
        if ulps >= 64:      # sums of many terms are as exact as the largest of them
            least = max(least, float(np.max(np.abs(b), initial=0, where=np.isfinite(b) & (np.abs(b) <= large))))
        for a, b in [(a.real, b.real), (a.imag, b.imag)] if a.dtype.kind == "c" else [(a, b)]:
            a, b = np.asarray(a).astype("f8"), np.asarray(b).real.astype("f8")
            over = np.isfinite(b) & (np.abs(b) > large)      # may round to inf or not
            with np.errstate(all="ignore"):
                near = np.abs(a - b) <= float(info.eps) * ulps * np.maximum(np.abs(b), least) + float(info.tiny)
            fine = near | (a == b) | (np.isnan(a) & np.isnan(b)) | over
            assert np.all(fine), (said, a, b)


def check(name, seed, recipe, wide=False, module=(jnp, np), jit=False):
    """One call by a recipe; True if NumPy could be called so too."""
    draw = Draw(name, seed, wide)
    made = recipe(draw)
    if made is None:
        return False
    args, kwargs, options = (*made, {}, {})[:3]
    reference = options.get("reference") or getattr(module[1], name)
    said = f"{name}(*{args}, **{kwargs}) [{[getattr(a, 'dtype', type(a)) for a in args]}]"
    wider = [[widened(x) for x in a] if isinstance(a, (list, tuple)) else widened(a) for a in args]
    wider_kwargs = {k: widened(v) for k, v in kwargs.items()}
    with np.errstate(all="ignore"):
        try:
            theirs = reference(*wider, **wider_kwargs)
        except Exception as error:      # what NumPy refuses we may answer or refuse
            theirs = error
    with G.enable_x64(wide):
        ours = getattr(module[0], name)
        if isinstance(theirs, Exception):
            return False
        try:
            out = ours(*args, **kwargs)
        except Exception as error:
            raise AssertionError(f"{said}: {type(error).__name__}: {error}") from error
        of = options.get("of", lambda out: out)
        compare(of(out), theirs, options.get("ulps", 0), said, options.get("least", 0.0))
        if jit:
            places = [i for i, a in enumerate(args) if isinstance(a, np.ndarray)]

            def run(arrays):
                given = list(args)
                for i, a in zip(places, arrays):
                    given[i] = a
                return ours(*given, **kwargs)
            compare(of(G.jit(run)([args[i] for i in places])), theirs, options.get("ulps", 0), "jit of " + said, options.get("least", 0.0))
    return True


def search(cases, arguments, check_call):
    """Make as many calls of each function of `cases` as the first of a command's arguments says, or of those that the others name, and print
    what differs."""
    wrong = collections.Counter()
    for name in cases:
        if len(arguments) > 1 and name not in arguments[1:]:
            continue
        for seed in range(int(arguments[0])):
            try:
                check_call(name, seed)
            except AssertionError as error:
                wrong[name] += 1
                if wrong[name] < 3:
                    print(name, seed, str(error)[:900])
    print(dict(wrong))
