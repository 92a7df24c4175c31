"""Nested control flow drawn at random: a function (x, row, n) -> (x, row, n, w, bits) that carries an array, a row, an integer, a weak number
and a random key through loops, branches and functions with rules, up to three deep, in bodies that close over what is around."""
from __future__ import annotations

import numpy as np

SIZE = 6
BLOCKS = ("cond", "switch", "scan", "fori", "lanes", "prefix", "jvp_rule", "vjp_rule", "checkpoint", "jit", "until")


class Flow:
    """Draws a program when made; `forward_only` says whether it holds a loop of unknown length, `backward_only` a
    function with a reverse rule alone."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.forward_only = self.backward_only = False
        self.can_loop = bool(self.rng.integers(0, 4) == 0)
        self.steps = self.drawn(0, 2)

    def drawn(self, depth, count):
        return [self.drawn_step(depth) for _ in range(1 + self.rng.integers(0, count))]

    def drawn_step(self, depth):
        numbers = tuple(int(i) for i in self.rng.integers(0, 97, 4))
        if depth == 3 or self.rng.integers(0, 5) < 2:
            return "simple", numbers, ()
        name = BLOCKS[self.rng.integers(0, len(BLOCKS) - (not self.can_loop))]
        self.forward_only |= name == "until"
        self.backward_only |= name == "vjp_rule"
        return name, numbers, [self.drawn(depth + 1, 1 + (depth == 0)) for _ in range({"cond": 2, "switch": 3}.get(name, 1))]

    def __call__(self, library, x, row, n):
        x, row, n = map(library.np.asarray, (x, row, n))
        state = {"x": x, "row": row, "n": n, "w": 0.5, "key": library.random.key(3)}
        state = run(library, self.steps, state)
        return state["x"], state["row"], state["n"], library.np.add(state["w"], 0.0), library.random.bits(state["key"], (2,))


def run(L, steps, state, around=None):
    around = state if around is None else around
    for name, numbers, bodies in steps:
        outside = None if name in ("jvp_rule", "vjp_rule") else state      # a function with a rule does not close over what is differentiated
        state = STEPS[name](L, numbers, [lambda s, b=b, a=outside: run(L, b, s, a) for b in bodies], dict(state), around)
    return state


def simple(L, numbers, bodies, s, around):
    np_, (kind, a, b, _) = L.np, numbers
    x, row, n, w = s["x"], s["row"], s["n"], s["w"]
    kind = kind % 10
    if kind == 0:
        s["x"] = x.at[n % SIZE].set(row * np_.sin(x[(n + a) % SIZE]))
    elif kind == 1:
        s["x"] = x.at[(n + b) % SIZE].add(np_.tanh(row) * w).at[n % SIZE].multiply(0.5)
    elif kind == 2:
        s["row"] = np_.cos(row + around["x"][a % SIZE]) * 0.7
    elif kind == 3:
        s["n"] = n * 3 + a
    elif kind == 4:
        s["w"] = w * 0.25 + 1
    elif kind == 5:
        s["key"], used = L.random.split(s["key"])
        s["row"] = row * L.random.uniform(used, row.shape, "float32")
    elif kind == 6:
        s["x"] = L.lax.dynamic_update_slice(x, np_.sin(x[:2] + around["row"]), (n % SIZE, 0))
    elif kind == 7:
        s["row"] = np_.tanh(np_.sum(x, 0) * w + row)
    elif kind == 8:
        s["n"] = np_.where(row[0] > 0, n + 1, s["n"] - around["n"])
    else:
        s["x"] = L.lax.dynamic_slice(np_.concatenate([x, x * 0.5]), (n % SIZE, 0), x.shape)
    return s


def cond(L, numbers, bodies, s, around):
    test = (s["row"][0] > 0.3, s["n"] % 2 == 0, s["w"] > 1)[numbers[0] % 3]
    if numbers[1] % 2:
        return L.lax.cond(test, bodies[0], bodies[1], s)
    out = L.lax.cond(test, lambda: bodies[0](s)["x"], lambda: s["x"])
    return {**s, "x": out}


def switch(L, numbers, bodies, s, around):
    at = (s["n"] + numbers[0]) % 3
    return L.lax.switch(at, bodies, s)


def scan(L, numbers, bodies, s, around):
    def step(c, t):
        c = bodies[0]({**c, "row": c["row"] * t["a"] + around["row"] * 0.1})
        return c, {"y": c["row"] * t["a"], "n": c["n"] + t["i"]}
    xs = {"a": s["x"][:3, :1] * 0.5, "i": L.np.arange(3, dtype="int32")}
    last, ys = L.lax.scan(step, s, xs, reverse=bool(numbers[0] % 2), unroll=1 + numbers[1] % 3)
    return {**last, "row": last["row"] + ys["y"][1], "n": last["n"] + ys["n"][0]}


def fori(L, numbers, bodies, s, around):
    return L.lax.fori_loop(numbers[0] % 2, 3, lambda i, c: bodies[0]({**c, "n": c["n"] + i.astype("int32")}), s)


def until(L, numbers, bodies, s, around):
    limit = s["n"] % 4
    return L.lax.while_loop(lambda c: (c[0] < limit) & (c[1]["row"][0] < 2), lambda c: (c[0] + 1, bodies[0](c[1])), (0, s))[1]


def lanes(L, numbers, bodies, s, around):
    def lane(row, n):
        out = bodies[0]({**s, "row": row, "n": n})
        return out["row"], out["x"][numbers[0] % SIZE], out["n"]
    rows, xs, ns = L.top.vmap(lane)(s["x"][:3], s["n"] + L.np.arange(3, dtype="int32"))
    return {**s, "row": rows[0] - xs[1], "n": L.np.max(ns)}


def prefix(L, numbers, bodies, s, around):
    made = L.lax.associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (L.np.tanh(s["x"]), s["x"]), reverse=bool(numbers[0] % 2))
    return {**bodies[0](s), "x": L.np.tanh(made[1])}


def jvp_rule(L, numbers, bodies, s, around):
    @L.top.custom_jvp
    def f(x, row, rest):
        return bodies[0]({**rest, "x": x, "row": row})["x"]
    f.defjvp(lambda args, tangents: (f(*args), tangents[0] * L.np.cos(args[1]) + tangents[1] * 2.0))
    rest = {k: v for k, v in s.items() if k in ("n", "w", "key")}
    return {**s, "x": L.np.tanh(f(s["x"], s["row"], rest))} if numbers[0] % 2 else {**s, "row": L.np.sum(f(s["x"], s["row"], rest), 0)}


def vjp_rule(L, numbers, bodies, s, around):
    @L.top.custom_vjp
    def f(x, row, rest):
        return bodies[0]({**rest, "x": x, "row": row})["row"]
    f.defvjp(lambda x, row, rest: (f(x, row, rest), row), lambda row, ct: (L.np.zeros((SIZE, 2), "float32") + ct, ct * L.np.sin(row), None))
    rest = {k: v for k, v in s.items() if k in ("n", "w", "key")}
    return {**s, "row": f(s["x"], s["row"], rest)}


def checkpoint(L, numbers, bodies, s, around):
    return L.top.checkpoint(bodies[0])(s)


def jit(L, numbers, bodies, s, around):
    return L.top.jit(bodies[0])(s)


STEPS = {f.__name__: f for f in (simple, cond, switch, scan, fori, until, lanes, prefix, jvp_rule, vjp_rule, checkpoint, jit)}


def arguments(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(SIZE, 2)).astype("float32"), rng.normal(size=2).astype("float32"), np.int32(rng.integers(0, 20))


def stacks(L, flow):
    """{name: function of (x, row, n)} that transform a program in several ways."""
    top, np_ = L.top, L.np

    def loss(x, row, n):
        x, row, _, w, _ = flow(L, x, row, n)
        return np_.sum(np_.sin(x) * np.arange(1, 1 + x.size, dtype="float32").reshape(x.shape)) + np_.sum(row) * w

    def values(x, row, n):
        return flow(L, x, row, n)

    def pushed(x, row, n):
        return top.jvp(lambda x, row: loss(x, row, n), (x, row), (np_.cos(x), np_.sin(row)))

    def wide(f):
        return lambda x, row, n: top.vmap(f)(np_.stack([x, -x, x * 0.5]), np_.stack([row, row * 2, -row]), n + np_.arange(3, dtype="int32"))
    found = {"values": values, "vmap": wide(values)}
    if not flow.backward_only:
        found |= {"jvp": pushed, "vmap jvp": wide(pushed)}
    if not flow.forward_only:
        grad = top.grad(loss, (0, 1))
        found |= {"grad": grad, "vmap grad": wide(grad), "grad vmap": top.grad(lambda *a: np_.sum(wide(loss)(*a)), (0, 1))}
    if not (flow.forward_only or flow.backward_only):
        found |= {"linearize": lambda x, row, n: top.linearize(lambda x, row: loss(x, row, n), x, row)[1](np_.cos(x), np_.sin(row))}
    return found
