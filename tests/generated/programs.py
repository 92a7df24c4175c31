"""Programs drawn at random from a list of choices, the same for any module that has NumPy's and JAX's names.

A `Program` reads its choices one after the other while it runs; what they choose among depends only on the shapes and dtypes of the
values so far, so two libraries that agree on those run the same program. Values stay of moderate size and away from cliffs, so that
rounding is not magnified.
"""
from __future__ import annotations

import numpy as np

SIZES = (1, 2, 3, 4)


class Library:
    """The modules of one library."""

    def __init__(self, module):
        self.top, self.np, self.lax, self.nn, self.random = module, module.numpy, module.lax, module.nn, module.random
        self.linalg, self.segments = module.scipy.linalg, getattr(module, "segments", None) or module.ops


class Program:
    """A function of arrays. `log` tells the steps of the last run, `backward_only` and `forward_only` whether it has derivatives in one
    direction alone."""

    def __init__(self, choices, steps):
        self.choices, self.steps = choices, steps
        self.log = []

    def __call__(self, library, *inputs):
        self.at, self.log, self.depth = 0, [], 0
        self.backward_only = self.forward_only = False
        values = list(inputs)
        for _ in range(self.steps):
            values.append(self.step(library, values))
        return values[len(inputs):][-3:]

    # -- choosing

    def draw(self, n):
        """A number below n; zeros once the choices have run out."""
        self.at += 1
        return self.choices[self.at - 1] % n if self.at <= len(self.choices) else 0

    def one_of(self, options):
        return options[self.draw(len(options))]

    def value(self, values, accept=lambda v: True):
        """One of the values that qualify, preferring late ones; None if there is none."""
        fitting = [v for v in values if accept(v)]
        if not fitting:
            return None
        if self.draw(3):
            fitting = [v for v in fitting if is_float(v)] or fitting
        return fitting[-1 - min(self.draw(len(fitting)), self.draw(len(fitting)))]

    def axis(self, x):
        axis = self.draw(x.ndim)
        return axis - x.ndim if self.draw(2) else axis

    def tell(self, name, *values, **more):
        shown = ", ".join(f"{v.dtype}{list(v.shape)}" if hasattr(v, "shape") else repr(v) for v in values)
        self.log.append(f"{name}({shown}{', ' if more else ''}{', '.join(f'{k}={v}' for k, v in more.items())})")

    # -- one step

    def step(self, L, values, nested=False):
        name = self.one_of(SIMPLE if nested else STEPS)
        self.nested = nested
        out = getattr(self, name)(L, values)
        if out is None:         # nothing that qualifies
            out = self.unary(L, values)
        return tamed(L, out)

    def unary(self, L, values):
        x = self.value(values)
        if is_float(x):
            name = self.one_of(list(UNARY))
            self.tell(name, x)
            return UNARY[name](L, x)
        if x.dtype.kind == "c":
            name = self.one_of(list(COMPLEX))
            self.tell(name, x)
            return COMPLEX[name](L, x)
        if x.dtype.kind == "b":
            self.tell("not", x)
            return ~x
        name = self.one_of(list(INTEGER))
        self.tell(name, x)
        return INTEGER[name](L, x)

    def binary(self, L, values):
        x = self.value(values)
        y = self.value(values, lambda v: broadcast_together(x, v))
        if self.draw(4) == 0:
            y = self.one_of([2, 0.5, True, -3, 1.0])
        names = list(BINARY)
        name = self.one_of(names)
        self.tell(name, x, y)
        if name == "power to" and x.dtype.kind == "b":      # under JAX a boolean to an integer power has 32 bits in x64, too
            name = "multiply"
        if name in ("arctan2", "hypot", "logaddexp", "power", "less", "maximum", "minimum") and \
                any(getattr(v, "dtype", np.dtype(float)).kind == "c" for v in (x, y)):
            return L.np.add(x, y)
        return BINARY[name](L, x, y)

    def reduction(self, L, values):
        x = self.value(values, lambda v: v.ndim and v.size)
        if x is None:
            return None
        axis = self.one_of([None, self.axis(x)])
        name = self.one_of(list(REDUCTIONS))
        keep = bool(self.draw(2))
        if x.dtype.kind in "cb" and name not in ("sum", "mean", "prod", "any"):
            name = "sum"
        self.tell(name, x, axis=axis, keepdims=keep)
        return REDUCTIONS[name](L, x, axis, keep)

    def along(self, L, values):
        x = self.value(values, lambda v: v.ndim and v.dtype.kind != "c")
        if x is None:
            return None
        name, axis = self.one_of(list(ALONG)), self.axis(x)
        if x.dtype.kind == "b":
            name = "sort"
        self.tell(name, x, axis=axis)
        return ALONG[name](L, x, axis)

    def arrange(self, L, values):
        x = self.value(values, lambda v: v.ndim)
        if x is None:
            return None
        axis, name = self.axis(x), self.one_of(ARRANGE)
        self.tell(name, x, axis=axis)
        n = x.shape[axis]
        if name == "reshape":
            return L.np.reshape(x, self.one_of([(-1,), (1, *x.shape), x.shape[::-1], (*x.shape, 1)]))
        if name == "transpose":
            return L.np.transpose(x)
        if name == "expand":
            return L.np.expand_dims(x, axis)
        if name == "first":
            return L.np.take(x, self.draw(n) if n else 0, axis=axis) if n else x
        if name == "flip":
            return L.np.flip(x, axis)
        if name == "roll":
            return L.np.roll(x, self.draw(5) - 2, axis)
        if name == "repeat":
            return L.np.repeat(x, 2, axis) if x.size < 40 else x
        if name == "pad":
            width = [(0, 0)] * x.ndim
            width[axis] = (self.draw(2), self.draw(2))
            mode = self.one_of(["constant", "edge", "reflect", "wrap"])
            return L.np.pad(x, width, mode=mode) if x.size < 40 and n > 1 else x
        if name == "slice":
            index = [slice(None)] * x.ndim
            index[axis] = self.one_of([slice(1, None), slice(None, None, -1), slice(None, None, 2), slice(-2, None), None])
            return x[tuple(index)]
        if name == "split":
            return L.np.array_split(x, 2, axis)[self.draw(2)]
        if name == "dynamic_slice":
            start = self.value(values, lambda v: v.ndim == 0 and v.dtype.kind == "i")
            start = self.draw(n + 1) if start is None else start
            return L.lax.dynamic_slice_in_dim(x, start, max(n - 1, 0), axis % x.ndim)
        if name == "diagonal":
            return L.np.diagonal(x, self.draw(3) - 1) if x.ndim == 2 else x
        return L.np.tril(x, self.draw(3) - 1) if x.ndim >= 2 else x

    def join(self, L, values):
        x = self.value(values, lambda v: v.ndim and v.size < 40)
        y = None if x is None else self.value(values, lambda v: v.shape == x.shape)
        if x is None:
            return None
        name, axis = self.one_of(["concatenate", "stack"]), self.axis(x)
        self.tell(name, x, y, axis=axis)
        return getattr(L.np, name)([x, y], axis=axis)

    def contract(self, L, values):
        x = self.value(values, lambda v: v.ndim and v.dtype.kind != "b")
        if x is None:
            return None
        y = self.value(values, lambda v: v.ndim and v.dtype.kind != "b" and fits_matmul(x, v))
        if y is None or self.draw(3) == 0:
            y = self.value(values, lambda v: v.ndim == 1 and v.size < 5 and v.dtype.kind != "b")
            if y is None or x.size > 20:
                return None
            self.tell("outer", x, y)
            return L.np.tensordot(x, y, 0)
        name = self.one_of(["matmul", "einsum", "dot_general", "vecdot"])
        self.tell(name, x, y)
        if name == "einsum" and x.ndim == y.ndim == 2:
            return L.np.einsum("ij,jk->ki", x, y)
        if name == "dot_general" and x.dtype == y.dtype:
            return L.lax.dot_general(x, y, (((x.ndim - 1,), (y.ndim - 2 if y.ndim > 1 else 0,)), ((), ())))
        if name == "vecdot" and y.ndim == 1:
            return L.np.vecdot(x, y)
        return L.np.matmul(x, y)

    def convert(self, L, values):
        x = self.value(values)
        dtype = self.one_of(["float32", "int32", "bool", "float64", "float16", "bfloat16", "complex64"])
        if x.dtype.kind == "c":
            part = self.one_of(["real", "imag", "abs"])
            self.tell(part, x)
            return getattr(L.np, part)(x)
        self.tell("astype", x, dtype)
        return (L.np.round(x * 8) if is_float(x) and dtype == "int32" else x).astype(getattr(L.np, dtype) if dtype != "bool" else bool)

    def index(self, L, values):
        x = self.value(values, lambda v: v.ndim and v.size)
        if x is None:
            return None
        at = self.value(values, lambda v: v.dtype.kind == "i" and v.ndim < 3 and v.size < 20)
        at = L.np.arange(3) - 1 if at is None else at
        n = x.shape[0]
        at = at % n
        name = self.one_of(["get", "set", "add", "max", "multiply", "take_along_axis", "mask", "put"])
        self.tell(f"index {name}", x, at)
        if name == "take_along_axis":
            at = L.np.argsort(x if x.dtype.kind != "c" else x.real, axis=0)
            return L.np.take_along_axis(x, at, axis=0)
        if name == "mask":
            return L.np.where(x.real > 0 if x.dtype.kind == "c" else x > 0, x, L.np.zeros_like(x))
        if name == "put":
            return x.at[self.draw(n)].set(x[-1])
        if name == "get" or x.dtype.kind in "cb":
            return x[at] if x.size < 40 else x[at.ravel()[:2]]
        if name in ("set", "multiply"):     # what two updates of one place leave is not said; JAX's second derivative of two factors is NaN
            at = at.ravel()[:1]
        return getattr(x.at[at], name)(x.dtype.type(2) if x.dtype.kind != "V" else 2)

    def matrix(self, L, values):
        """A matrix that is far from singular, in at least single precision; None if there is nothing to make it of."""
        x = self.value(values, lambda v: v.ndim == 2 and v.dtype.kind in "fc" and v.dtype.itemsize >= 4 and 1 < v.shape[0] < 5 and v.shape[1])
        if x is None or x.ndim != 2 or x.dtype.kind not in "fc" or x.dtype.itemsize < 4:
            return None
        return x @ L.np.conj(x.T) + L.np.diag(L.np.arange(2, 2 + x.shape[0])).astype(x.dtype)

    def factor(self, L, values):
        a = self.matrix(L, values)
        if a is None:
            return None
        name = self.one_of(list(FACTORS))
        self.tell(name, a)
        return FACTORS[name](L, a)

    def spectrum(self, L, values):
        x = self.value(values, lambda v: v.ndim and v.size and v.dtype.kind in "fc" and v.dtype.itemsize >= 4)
        if x is None or x.dtype.kind not in "fc" or x.dtype.itemsize < 4:
            return None
        axis, name = self.axis(x), self.one_of(["fft", "ifft", "rfft", "irfft", "hfft", "fftn", "fftshift"])
        name = "fft" if x.dtype.kind == "c" and name == "rfft" else name
        self.tell(name, x, axis=axis)
        if name == "fftn":
            return L.np.fft.fftn(x) / 2
        if name in ("irfft", "hfft"):
            return getattr(L.np.fft, name)(x, n=self.one_of([3, 4]), axis=axis)
        return L.np.fft.fftshift(x, axis) if name == "fftshift" else getattr(L.np.fft, name)(x, axis=axis) / 2

    def convolve(self, L, values):
        x = self.value(values, lambda v: v.ndim and v.size and v.dtype.kind in "f")
        if x is None or x.dtype.kind != "f":
            return None
        y = self.value(values, lambda v: v.ndim == 1 and v.size and v.dtype == x.dtype)
        y = x.ravel()[:2] if y is None or y.ndim != 1 or y.dtype != x.dtype else y
        name = self.one_of(["convolve", "correlate", "conv", "strided", "windows", "maximum", "separate"])
        self.tell(name, x, y)
        if name in ("convolve", "correlate"):
            return getattr(L.np, name)(x.ravel()[:6], y, mode=self.one_of(["full", "same", "valid"]))
        line, width = x.reshape(1, 1, -1), min(2, x.size)
        if name == "conv":
            return L.lax.conv_general_dilated(line, y.reshape(1, 1, -1), (1,), "SAME", rhs_dilation=(1 + self.draw(2),))[0, 0]
        if name == "strided":
            return L.lax.conv_general_dilated(line, y.reshape(1, 1, -1), (2,), [(1, y.size)], lhs_dilation=(1 + self.draw(2),))[0, 0]
        if name == "separate":
            two = L.np.concatenate([line, line * 2], 1)
            return L.lax.conv_general_dilated(two, L.np.ones((2, 1, width), x.dtype), (1,), "VALID", feature_group_count=2)[0]
        add, init = (L.lax.add, 0) if name == "windows" else (L.lax.max, -np.inf)
        return L.lax.reduce_window(x.ravel(), np.asarray(init, x.dtype)[()], add, (width,), (1 + self.draw(2),), self.one_of(["VALID", "SAME"]))

    def collect(self, L, values):
        x = self.value(values, lambda v: v.ndim and v.size and v.dtype.kind in "fi" and v.size < 20)
        if x is None or x.dtype.kind not in "fi":
            return None
        at = self.value(values, lambda v: v.dtype.kind == "i" and v.ndim < 3 and 0 < v.size < 20)
        at = L.np.arange(4) - 1 if at is None or at.dtype.kind != "i" or at.ndim > 2 or not 0 < at.size < 20 else at
        name, n = self.one_of(list(COLLECTIONS)), x.shape[0]
        self.tell(name, x, at)
        return COLLECTIONS[name](L, x, at, n)

    def order(self, L, values):
        x = self.value(values, lambda v: v.ndim and v.size and v.dtype.kind in "fi")
        if x is None or x.dtype.kind not in "fi":
            return None
        axis, name = self.axis(x), self.one_of(list(ORDERS))
        self.tell(name, x, axis=axis)
        return ORDERS[name](L, x, axis % x.ndim)

    def keyed(self, L, values):
        """Random numbers: of a key, of keys under vmap, of a key that a loop carries."""
        x = self.value(values, lambda v: v.ndim and v.size and v.dtype.kind == "f" and v.dtype.itemsize >= 4)
        if x is None or x.dtype.kind != "f" or x.dtype.itemsize < 4:
            return None
        R, key, name = L.random, L.random.key(self.draw(5)), self.one_of(["normal", "lanes", "carried", "integers", "chosen"])
        self.tell(name, x)
        if name == "normal":
            return x + R.normal(R.fold_in(key, 3), x.shape, x.dtype)
        if name == "lanes":
            return L.top.vmap(lambda k, u: u * R.uniform(k, u.shape, x.dtype))(R.split(key, x.shape[0]), x)
        if name == "integers":
            return R.randint(key, x.shape, 0, 7) * L.np.where(R.bernoulli(key, 0.4, x.shape), 1, -1)
        if name == "chosen":
            return L.np.take(x, R.permutation(key, x.shape[0]), axis=0)

        def step(carry, u):
            k, total, count = carry
            k, used = R.split(k)
            total = total * 0.5 + u * R.uniform(used, u.shape, x.dtype)
            return (k, total, count + 1), (L.np.sum(total), R.bits(k, (), "uint32") % 5)
        (_, last, count), (sums, bits) = L.lax.scan(step, (key, x[0], L.np.int32(0)), x)
        return self.one_of([lambda: last * count, lambda: sums, lambda: bits.astype("int32")])()

    # -- programs within programs

    def body(self, L, values, like):
        """A few simple steps, whose last value is brought to the type of `like`."""
        values = list(values)
        for _ in range(1 + self.draw(2)):
            values.append(self.step(L, values, nested=True))
        return brought_to(L, values[-1], like)

    def replayed(self, run):
        """A function that may be traced any number of times: it reads the same choices each time."""
        start, kept, depth = self.at, list(self.log), self.depth

        def f(*xs):
            self.at, self.log, self.depth = start, [*kept, "begin"], depth
            out = run(*xs)
            self.log.append("end")
            self.end = max(self.end, self.at)
            return out
        self.end = start
        return f

    def after(self, out):
        self.at = self.end
        return out

    def cond(self, L, values):
        x, other = self.value(values), self.value(values)
        predicate = self.value(values, lambda v: v.ndim == 0 and v.dtype.kind == "b")
        predicate = (L.np.sum(other.real if other.dtype.kind == "c" else other) > 0.3) if predicate is None else predicate
        self.tell("cond", predicate, x, other)
        closes = self.draw(2)
        if closes:
            yes = self.replayed(lambda: self.body(L, [other, x], x))
            no = lambda: x * 1 if x.dtype.kind != "b" else x        # noqa: E731
            return self.after(L.lax.cond(predicate, yes, no))
        yes = self.replayed(lambda u, v: self.body(L, [v, u], u))
        return self.after(L.lax.cond(predicate, yes, lambda u, v: u, x, other))

    def switch(self, L, values):
        x = self.value(values)
        at = self.value(values, lambda v: v.ndim == 0 and v.dtype.kind == "i")
        at = 1 if at is None else at % 3
        self.tell("switch", at, x)
        one = self.replayed(lambda u: self.body(L, [u], u))
        return self.after(L.lax.switch(at, [one, lambda u: u, lambda u: u[::-1] if u.ndim else u], x))

    def scan(self, L, values):
        xs = self.value(values, lambda v: v.ndim and v.shape[0])
        carry, fixed = self.value(values), self.value(values)
        if xs is None:
            return None
        reverse, unroll = bool(self.draw(2)), 1 + self.draw(2)
        self.tell("scan", carry, xs, fixed, reverse=reverse, unroll=unroll)

        def step(c, x):
            new = self.body(L, [fixed, x, c], c)
            return new, self.one_of([lambda: x, lambda: new, lambda: c])()
        last, out = L.lax.scan(self.replayed(step), carry, xs, reverse=reverse, unroll=unroll)
        return self.after(self.one_of([last, out]))

    def loop(self, L, values):
        x, fixed = self.value(values), self.value(values)
        name = self.one_of(["fori_loop", "while_loop"])
        self.tell(name, x, fixed)
        if name == "fori_loop":
            run = self.replayed(lambda i, u: self.body(L, [fixed, i * 1, u], u))
            return self.after(L.lax.fori_loop(0, 3, run, x))
        run = self.replayed(lambda s: (s[0] + 1, self.body(L, [fixed, s[1]], s[1])))
        # a loop of unknown length cannot be differentiated backwards
        fixed = L.lax.stop_gradient(fixed)
        return self.after(L.lax.while_loop(lambda s: s[0] < 2, run, (0, L.lax.stop_gradient(x)))[1])

    def mapped(self, L, values):
        x = self.value(values, lambda v: v.ndim and v.size)
        if x is None:
            return None
        axis = self.axis(x)
        y = self.value(values)
        shared = self.draw(2) or not y.ndim or y.shape[0] != x.shape[axis]
        out_axis = self.one_of([0, -1])
        self.tell("vmap", x, y, in_axes=(axis, None if shared else 0), out_axes=out_axis)
        run = self.replayed(lambda u, v: self.complex_body(L, [v, u]))
        return self.after(L.top.vmap(run, in_axes=(axis, None if shared else 0), out_axes=out_axis)(x, y))

    def complex_body(self, L, values):
        """Steps that may hold programs once more, up to three deep."""
        values = list(values)
        if self.depth < 3 and self.draw(2 + self.depth) == 0:
            self.depth += 1
            nests = self.one_of(NESTING)
            values.append(getattr(self, nests)(L, values))
            self.depth -= 1
            if values[-1] is None:
                values.pop()
            else:
                values[-1] = tamed(L, values[-1])
        values.append(self.step(L, values, nested=True))
        return values[-1]

    def compiled(self, L, values):
        x, y = self.value(values), self.value(values)
        name = self.one_of(["jit", "checkpoint", "saving"])
        self.tell(name, x, y)
        wrap = getattr(L.top, name, None) or (lambda f: L.top.checkpoint(f, policy=L.top.checkpoint_policies.dots_saveable))
        return self.after(wrap(self.replayed(lambda u, v: self.complex_body(L, [v, u])))(x, y))

    def ruled(self, L, values):
        """A function with a derivative rule of its own, which is not the function's."""
        x = self.value(values, is_float)
        if x is None or not is_float(x):
            return None
        name = self.one_of(["custom_jvp", "custom_vjp", "linear_transpose"])
        self.tell(name, x)
        run = self.replayed(lambda u: brought_to(L, self.complex_body(L, [u]), u))
        if name == "linear_transpose":
            return self.after(L.top.linear_transpose(lambda u: L.np.cumsum(u) * 2.0, x)(run(x).ravel())[0])
        f = getattr(L.top, name)(run)
        if name == "custom_jvp":
            f.defjvp(lambda args, tangents: (f(*args), tangents[0] * L.np.cos(args[0])))
        else:
            self.backward_only = True
            f.defvjp(lambda u: (run(u), u), lambda u, ct: (ct * L.np.sin(u),))
        return self.after(f(x))

    def named(self, L, values):
        """vmap with a name for the axis, along which lanes meet."""
        x = self.value(values, lambda v: v.ndim and v.size and v.dtype.kind != "b")
        if x is None:
            return None
        meet = self.one_of(["psum", "pmean", "pmax", "axis_index"])
        if meet == "pmax":      # JAX does not differentiate it
            x = x if x.dtype.kind == "i" else L.lax.stop_gradient(x.real)
        self.tell(f"vmap with {meet}", x)

        def lane(u):
            out = self.body(L, [u], u)
            return out * L.lax.axis_index("i") if meet == "axis_index" else getattr(L.lax, meet)(out, "i") + u
        return self.after(L.top.vmap(self.replayed(lane), axis_name="i")(x))

    def endless(self, L, values):
        """A loop of a length that depends on the numbers, which moves forward only."""
        x, fixed = self.value(values, lambda v: v.dtype.kind in "fc"), self.value(values)
        if self.depth or self.nested or x.dtype.kind not in "fc":
            return None
        self.tell("while", x, fixed)
        self.forward_only = True
        run = self.replayed(lambda state: {"n": state["n"] + 1, "x": self.body(L, [fixed, state["x"]], state["x"]), "done": state["n"] > 3})

        def goes_on(state):
            return (L.np.sum(abs(state["x"])) < 20) & (state["n"] < 4) & ~state["done"]
        return self.after(L.lax.while_loop(goes_on, run, {"n": L.np.int32(0), "x": x, "done": L.np.bool_(False)})["x"])

    def tree(self, L, values):
        """A scan whose carry and results are dictionaries, of a float and an integer."""
        x, fixed = self.value(values, lambda v: v.ndim and v.shape[0]), self.value(values)
        if not x.ndim or not x.shape[0]:
            return None
        self.tell("scan of trees", x, fixed)

        def step(c, u):
            new = self.body(L, [fixed, u, c["value"]], c["value"])
            return {"count": c["count"] * 3 % 7 + 1, "value": new}, {"seen": (c["count"], u), "none": None}
        last, out = L.lax.scan(self.replayed(step), {"count": L.np.int32(1), "value": x[0]}, x)
        return self.after(self.one_of([last["value"], out["seen"][1], out["seen"][0], last["count"]]))

    def lanes_of_loops(self, L, values):
        """vmap over a while loop whose lanes end at different times, and over a cond with a different arm in each."""
        x = self.value(values, lambda v: v.ndim and v.size and v.dtype.kind == "f")
        if x is None or x.dtype.kind != "f" or not x.ndim or not x.size:
            return None
        name, y = self.one_of(["while", "cond", "switch"]), self.value(values)
        self.tell(f"lanes of {name}", x, y)
        y = L.lax.stop_gradient(y) if name == "while" else y
        run = self.replayed(lambda u: self.body(L, [y, u], u))

        def lane(u):
            key = L.np.sum(u)
            if name == "cond":
                return L.lax.cond(key > 0, run, lambda u: u * 0.5, u)
            if name == "switch":
                return L.lax.switch((abs(key) * 2).astype("int32"), [run, lambda u: u, lambda u: -u], u)
            stopped = L.lax.stop_gradient(u)
            return L.lax.while_loop(lambda s: s[0] < 3 * abs(L.np.sum(stopped)), lambda s: (s[0] + 1, run(s[1])), (stopped.dtype.type(0), stopped))[1] + u
        return self.after(L.top.vmap(lane)(x))

    def slope(self, L, values):
        x, y = self.value(values, lambda v: is_float(v) and v.dtype.itemsize >= 4), self.value(values)
        if x is None:
            return None
        name = self.one_of(["grad", "jvp", "linearize", "vjp", "value_and_grad", "jacfwd", "jacrev"])
        if self.backward_only:
            name = "grad"
        self.tell(name, x, y)
        run = self.replayed(lambda u: self.complex_body(L, [y, u]))
        if name in ("grad", "value_and_grad"):
            def total(u):
                out = run(u)
                return L.np.sum(out.real if out.dtype.kind == "c" else out * L.np.ones((), x.dtype)).astype(x.dtype)
            return self.after(L.top.grad(total)(x) if name == "grad" else L.top.value_and_grad(total)(x)[1])
        if name in ("jacfwd", "jacrev"):
            return self.after(L.np.sum(getattr(L.top, name)(lambda u: L.np.sum(run(u).real * L.np.ones((), x.dtype), axis=None) * u.ravel()[:3])(x), 0))
        if name == "vjp":
            out, back = L.top.vjp(run, x)
            return self.after(back(out * 0 + 1)[0] if out.dtype.kind in "fVc" else out)
        tangent = L.np.cos(x)
        out, moved = L.top.jvp(run, (x,), (tangent,)) if name == "jvp" else moved_linearly(L, run, x, tangent)
        return self.after(moved if out.dtype.kind in "fVc" else out)


def moved_linearly(L, f, x, tangent):
    out, linear = L.top.linearize(f, x)
    return out, linear(tangent)


def is_float(x):
    return x.dtype.kind in "fV"


def broadcast_together(x, y):
    try:
        shape = np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        return False
    return int(np.prod(shape)) <= 64


def fits_matmul(x, y):
    return x.shape[-1] == y.shape[-2 if y.ndim > 1 else 0] and x.ndim <= 2 and y.ndim <= 2


def tamed(L, x):
    """A value of moderate size."""
    if x.dtype.kind in "fV":
        return L.np.where(abs(x) < 8, x, x / (1 + abs(x) / 8)).astype(x.dtype) if x.size else x
    if x.dtype.kind == "c":
        return x / (1 + abs(x)).astype(x.real.dtype)
    return x % 8 if x.dtype.kind == "i" else x


def brought_to(L, x, like):
    """A value in the shape and dtype of another."""
    if x.dtype.kind == "c" and like.dtype.kind != "c":
        x = x.real
    x = x.astype(like.dtype)
    if x.shape == like.shape:
        return x
    return L.np.broadcast_to(x if not x.ndim else L.np.sum(x).astype(like.dtype) if like.dtype.kind != "b" else L.np.any(x), like.shape)


UNARY = {
    "sin": lambda L, x: L.np.sin(x), "cos": lambda L, x: L.lax.cos(x), "tanh": lambda L, x: L.np.tanh(x),
    "exp": lambda L, x: L.np.exp(L.np.minimum(x, 2)), "log1p": lambda L, x: L.np.log1p(abs(x)), "neg": lambda L, x: -x,
    "sqrt": lambda L, x: L.np.sqrt(x * x + 1), "square": lambda L, x: L.np.square(x), "abs": lambda L, x: abs(x),
    "logistic": lambda L, x: L.nn.sigmoid(x), "softplus": lambda L, x: L.nn.softplus(x), "gelu": lambda L, x: L.nn.gelu(x),
    "erf": lambda L, x: L.lax.erf(x), "arctan": lambda L, x: L.np.arctan(x), "relu": lambda L, x: L.nn.relu(x),
    "integer_pow": lambda L, x: x ** 3, "reciprocal": lambda L, x: 1 / (2 + x * x), "sinc": lambda L, x: L.np.sinc(x),
    "clip": lambda L, x: L.np.clip(x, -1.1, 0.9), "round": lambda L, x: L.np.round(x * 7 + 0.01), "sign": lambda L, x: L.np.sign(x),
    "where": lambda L, x: L.np.where(x > 0.1, x, 0), "nan_to_num": lambda L, x: L.np.nan_to_num(x), "elu": lambda L, x: L.nn.elu(x),
    "safe_root": lambda L, x: L.np.where(x > 0.1, L.np.sqrt(L.np.where(x > 0.1, x, 1)), 0), "cosh": lambda L, x: L.np.cosh(x / 4),
    "log_sigmoid": lambda L, x: L.nn.log_sigmoid(x), "stop": lambda L, x: L.lax.stop_gradient(x), "signbit": lambda L, x: L.np.signbit(x),
    "complex": lambda L, x: L.lax.complex(x, x * 2) if x.dtype.name in ("float32", "float64") else x + 1, "floor": lambda L, x: x // 1,
    "expm1": lambda L, x: L.np.expm1(x / 8), "modf": lambda L, x: L.np.modf(x + 0.001)[0], "cbrt": lambda L, x: L.np.cbrt(x * x + 1),
}
COMPLEX = {
    "conj": lambda L, x: L.np.conj(x), "abs": lambda L, x: abs(x + (2 + 1j)), "exp": lambda L, x: L.np.exp(x / 4), "real": lambda L, x: x.real,
    "imag": lambda L, x: L.np.imag(x), "multiply": lambda L, x: x * x, "sin": lambda L, x: L.np.sin(x), "angle": lambda L, x: L.np.angle(x + 3),
    "sqrt": lambda L, x: L.np.sqrt(x + 3),
}
INTEGER = {
    "neg": lambda L, x: -x, "square": lambda L, x: x * x, "to float": lambda L, x: x / 3, "and": lambda L, x: x & 5, "shift": lambda L, x: x << 1,
    "floor divide": lambda L, x: x // 3, "remainder": lambda L, x: x % -3, "abs": lambda L, x: abs(x), "one hot": lambda L, x: L.nn.one_hot(x, 3),
    "count": lambda L, x: L.lax.population_count(x),
}
BINARY = {
    "add": lambda L, x, y: x + y, "subtract": lambda L, x, y: x - y if not booleans(x, y) else x ^ y, "multiply": lambda L, x, y: x * y,
    "divide": lambda L, x, y: x / (abs(y) + 1.25), "maximum": lambda L, x, y: L.np.maximum(x, y), "minimum": lambda L, x, y: L.np.minimum(x, y),
    "arctan2": lambda L, x, y: L.np.arctan2(x + 0.013, y + 3.1), "hypot": lambda L, x, y: L.np.hypot(x * 1.0, y + 1.7),
    "logaddexp": lambda L, x, y: L.np.logaddexp(x, y), "power": lambda L, x, y: L.np.power(abs(x) + 0.5, y * 0.25),
    "less": lambda L, x, y: x < y, "equal": lambda L, x, y: x == y, "where": lambda L, x, y: L.np.where(L.np.sin(x) == x, x, y),
    "power to": lambda L, x, y: (1.25 + abs(x)) ** 2 if not isinstance(y, int) else L.np.asarray(x) ** abs(y),
}
REDUCTIONS = {
    name: (lambda name: lambda L, x, axis, keep: getattr(L.np, name)(x, axis=axis, keepdims=keep))(name)
    for name in ("sum", "mean", "max", "min", "prod", "argmax", "argmin", "any", "all", "median", "count_nonzero", "ptp")
}
REDUCTIONS |= {
    "var": lambda L, x, axis, keep: L.np.var(x, axis=axis, keepdims=keep),
    "std": lambda L, x, axis, keep: L.np.sqrt(L.np.var(x, axis=axis, keepdims=keep) + 0.1),
    "logsumexp": lambda L, x, axis, keep: L.nn.logsumexp(x * 1.0, axis=axis, keepdims=keep),
    "norm": lambda L, x, axis, keep: L.np.linalg.norm(x, axis=axis if axis is not None or x.ndim < 3 else 0, keepdims=keep),
    "average": lambda L, x, axis, keep: L.np.average(x, axis=axis, weights=abs(x) + 0.5, keepdims=keep),
}
ALONG = {
    "cumsum": lambda L, x, axis: L.np.cumsum(x, axis), "cumprod": lambda L, x, axis: L.np.cumprod(x, axis),
    "cummax": lambda L, x, axis: L.lax.cummax(x, axis % x.ndim), "sort": lambda L, x, axis: L.np.sort(x, axis),
    "argsort": lambda L, x, axis: L.np.argsort(x, axis), "softmax": lambda L, x, axis: L.nn.softmax(x * 1.0, axis),
    "log_softmax": lambda L, x, axis: L.nn.log_softmax(x * 1.0, axis), "diff": lambda L, x, axis: L.np.diff(x, axis=axis) if x.shape[axis] > 1 else x,
    "associative_scan": lambda L, x, axis: L.lax.associative_scan(L.np.add, x, axis=axis),
    "cumulative_sum": lambda L, x, axis: L.lax.cumsum(x, axis % x.ndim, reverse=True),
    "cumlogsumexp": lambda L, x, axis: L.lax.cumlogsumexp(x * 1.0, axis % x.ndim),
    "top_k": lambda L, x, axis: L.lax.top_k(x, x.shape[-1])[0], "gradient": lambda L, x, axis: L.np.gradient(x * 1.0, axis=axis) if x.shape[axis] > 1 else x,
}
ARRANGE = ["reshape", "transpose", "expand", "first", "flip", "roll", "repeat", "pad", "slice", "split", "dynamic_slice", "diagonal", "tril"]
FACTORS = {
    "cholesky": lambda L, a: L.np.linalg.cholesky(a), "solve": lambda L, a: L.np.linalg.solve(a, a[:, :1] + 1), "det": lambda L, a: L.np.linalg.det(a),
    "slogdet": lambda L, a: L.np.linalg.slogdet(a)[1], "inv": lambda L, a: L.np.linalg.inv(a), "eigvalsh": lambda L, a: L.np.linalg.eigvalsh(a),
    "svdvals": lambda L, a: L.np.linalg.svdvals(a), "qr": lambda L, a: abs(L.np.linalg.qr(a)[1]), "matrix_power": lambda L, a: L.np.linalg.matrix_power(a, 2),
    "triangular_solve": lambda L, a: L.lax.linalg.triangular_solve(a, a + 1, left_side=True, lower=True), "pinv": lambda L, a: L.np.linalg.pinv(a),
    "projector": lambda L, a: (lambda v: v @ L.np.conj(v.T))(L.np.linalg.eigh(a)[1][:, :1]), "lu": lambda L, a: L.lax.linalg.lu(a)[0],
    "trace": lambda L, a: L.np.trace(a), "einsum": lambda L, a: L.np.einsum("ij,kj,k->ik", a, a, a[0]), "expm": lambda L, a: L.linalg.expm(a / 16),
    "norm": lambda L, a: L.np.linalg.norm(a, "nuc"), "cho_solve": lambda L, a: L.linalg.cho_solve((L.np.linalg.cholesky(a), True), a[0]),
}
COLLECTIONS = {
    "segment_sum": lambda L, x, at, n: L.segments.segment_sum(x.ravel()[:at.size], at.ravel()[:x.size] % 4, 4),
    "segment_max": lambda L, x, at, n: L.np.maximum(L.segments.segment_max(x.ravel()[:at.size], at.ravel()[:x.size] % 4, 4), -3),
    "take_wrap": lambda L, x, at, n: L.np.take(x, at, axis=0, mode="wrap"), "take_clip": lambda L, x, at, n: L.np.take(x, at, axis=-1, mode="clip"),
    "take_fill": lambda L, x, at, n: L.np.take(x, at, axis=0, mode="fill", fill_value=2), "drop": lambda L, x, at, n: x.at[at].add(1, mode="drop"),
    "get_fill": lambda L, x, at, n: x.at[at].get(mode="fill", fill_value=1), "min": lambda L, x, at, n: x.at[..., at % x.shape[-1]].min(0),
    "pairs": lambda L, x, at, n: x[at % n, ..., at % x.shape[-1]], "add_pairs": lambda L, x, at, n: x.at[at % n, ..., at % x.shape[-1]].add(2),
    "update": lambda L, x, at, n: L.lax.dynamic_update_slice(x, x[:1] * 2, (at.ravel()[0],) * x.ndim), "rows": lambda L, x, at, n: x[at % n][..., :1],
    "searchsorted": lambda L, x, at, n: L.np.searchsorted(L.np.sort(x.ravel()), x.ravel() + 0.25), "bincount": lambda L, x, at, n: L.np.bincount(
        L.np.clip(at.ravel(), 0, 4), length=5), "nonzero": lambda L, x, at, n: L.np.nonzero(x.ravel() > 0, size=3, fill_value=1)[0],
    "compress": lambda L, x, at, n: L.np.where(L.np.isin(at, L.np.array([1, 2])), at, -at), "subtract": lambda L, x, at, n: x.at[at % n].subtract(1),
    "divide": lambda L, x, at, n: x.at[at.ravel()[:1] % n].divide(2) if x.dtype.kind == "f" else x, "put_along": lambda L, x, at, n: L.np.put_along_axis(
        x, L.np.argmax(x, 0, keepdims=True), 1, 0, inplace=False), "choose": lambda L, x, at, n: L.np.choose(at % 2, [at, at * 2], mode="clip"),
    "select": lambda L, x, at, n: L.np.select([x > 1, x > 0], [x, x * 2], 0), "digitize": lambda L, x, at, n: L.np.digitize(x, L.np.array([-1, 0.3, 1])),
    "histogram": lambda L, x, at, n: L.np.histogram(x, 4, (-2, 2))[0], "interp": lambda L, x, at, n: L.np.interp(x.ravel()[:5] * 1.0, L.np.arange(
        4.0), L.np.array([0, 2, 1, 3.0])), "tri_pad": lambda L, x, at, n: L.lax.pad(x, x.dtype.type(1), [(1, -1, 1)] + [(0, 0, 0)] * (x.ndim - 1)),
}
ORDERS = {
    "sort pairs": lambda L, x, axis: L.lax.sort((L.np.round(x).astype("int32"), x, x * 2), dimension=axis, num_keys=2)[2],
    "sort_key_val": lambda L, x, axis: L.lax.sort_key_val(x, L.np.cos(x * 1.0), axis)[1], "descending": lambda L, x, axis: L.np.sort(x, axis, descending=True),
    "argsort descending": lambda L, x, axis: L.np.argsort(L.np.round(x), axis, descending=True), "top_k at": lambda L, x, axis: L.lax.top_k(x, 1)[1],
    "quantile": lambda L, x, axis: L.np.quantile(x * 1.0, 0.3, axis), "percentile": lambda L, x, axis: L.np.percentile(x * 1.0, 70, axis, method="lower"),
    "cummin": lambda L, x, axis: L.lax.cummin(x, axis, reverse=True), "cumprod": lambda L, x, axis: L.lax.cumprod(x, axis, reverse=True),
    "recurrence": lambda L, x, axis: L.lax.associative_scan(lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1]), (L.np.sin(x * 1.0), x * 1.0), axis=axis)[1],
    "unique": lambda L, x, axis: L.np.unique(L.np.round(x), size=4, fill_value=0), "nanmedian": lambda L, x, axis: L.np.nanmedian(x * 1.0, axis),
    "lexsort": lambda L, x, axis: L.np.lexsort((x.ravel(), L.np.round(x).ravel())), "partition": lambda L, x, axis: L.np.sort(L.np.partition(x, 0, axis), axis),
    "trapezoid": lambda L, x, axis: L.np.trapezoid(x * 1.0, axis=axis),
    "cumulative": lambda L, x, axis: L.np.cumulative_sum(x, axis=axis, include_initial=True),
    "reduce": lambda L, x, axis: L.lax.reduce(x, x.dtype.type(0), L.lax.add, (axis,)), "standardize": lambda L, x, axis: L.nn.standardize(x * 1.0, axis),
    "logsumexp": lambda L, x, axis: L.nn.logsumexp(x * 1.0, axis, b=L.np.cos(x * 1.0) + 2), "map": lambda L, x, axis: L.lax.map(lambda u: u * u, x),
    "argmax": lambda L, x, axis: L.lax.argmax(x, axis, np.int32), "nanmax": lambda L, x, axis: L.np.nanmax(L.np.where(x > 5, np.nan, x * 1.0), axis),
}
SIMPLE = ["unary", "unary", "unary", "binary", "binary", "reduction", "along", "arrange", "index", "contract", "convert", "factor", "collect", "order",
          "spectrum", "convolve"]
HOLDING = ["cond", "switch", "scan", "loop", "mapped", "compiled", "slope", "ruled", "named", "tree", "keyed", "lanes_of_loops"]
NESTING = ["cond", "switch", "scan", "loop", "mapped", "compiled", "slope", "ruled", "tree", "keyed", "lanes_of_loops"]
STEPS = SIMPLE + HOLDING + ["join", "endless"]


def booleans(*xs):
    return all(isinstance(x, bool) or getattr(x, "dtype", None) in (bool,) for x in xs)


def arguments(choices):
    """Arrays of the shapes and dtypes that the choices say."""
    rng = np.random.default_rng(choices)
    n, m = rng.choice(SIZES, 2)
    dtypes = ["float64", "float64", "int32", "bool", "complex128", "float32"]
    out = [rng.standard_normal((n, m)) + 0.05]
    for _ in range(rng.integers(1, 3)):
        shape = [(n,), (m,), (), (m, n), (n, m), (2, n)][rng.integers(6)]
        dtype = dtypes[rng.integers(len(dtypes))]
        x = rng.standard_normal(shape) * 2 + (1j * rng.standard_normal(shape) if dtype == "complex128" else 0)
        out.append((x > 0 if dtype == "bool" else np.asarray(x)).astype(dtype))
    return out
