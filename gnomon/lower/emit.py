"""The emitter: what an op's `lower` rule is handed.

It writes the body of one StableHLO function, a line an equation. Values are `HloValue`s (a name and a type).
`emit.out` is the type of the current equation's result (`emit.outs`, where it has several).
"""
from __future__ import annotations

import numpy as np

from gnomon.base.errors import Refused
from gnomon.base.source import file_line, scope_of
from gnomon.ir.jaxpr import Literal
from gnomon.lower.manual import Collectives
from gnomon.lower.text import (dense, dense_bytes, ints, physical, physical_type, quoted, scalar_text, tensor_text, type_text)
from gnomon.types.dtype import is_complex, is_float, is_key
from gnomon.types.value_type import ArrayType

# XLA's CPU compiler makes any number of these where it can see that the operand is NaN: they go through an integer.
LOSE_NAN = {"stablehlo.exponential", "stablehlo.exponential_minus_one", "stablehlo.logistic"}

BOOL, INT32 = np.dtype(bool), np.dtype("int32")
HOST_KERNEL_SIZE = 4096     # elements from which a call of NumPy, some 30 microseconds with its change of threads, is worth its time
TOKEN = ArrayType((), INT32)        # a number handed from one ordered effect to the next


class HloValue:
    """A value of the function being written."""

    __slots__ = ("name", "type")

    def __init__(self, name, type):
        self.name, self.type = name, type

    shape = property(lambda self: self.type.shape)
    dtype = property(lambda self: self.type.dtype)
    ndim = property(lambda self: len(self.type.shape))


class Emitter(Collectives):
    """Writes one function of a module."""

    def __init__(self, module):
        self.module = module
        self.lines = []
        self.counter = module.counter
        self.constants = {}
        self.out = self.outs = None
        self.place = None
        self.is_main = False
        self.path = ""              # of what is being written, in a program with named_scopes
        self.token = None           # in a module with ordered effects, what the next of them has to wait for

    @property
    def one_device(self):
        """Whether the program runs on one device, so that nothing of it becomes a collective."""
        plan, manual = self.module.plan, self.module.manual
        return plan is None or plan.num_partitions == 1 or manual is not None and manual.whole

    @property
    def one_cpu(self):
        """Whether the program is known to run on one CPU device, so that it may be written for that."""
        plan = self.module.plan
        return plan is not None and plan.platform == "cpu" and plan.num_partitions == 1

    def on_host(self, size, least=HOST_KERNEL_SIZE):
        """Whether NumPy does better than XLA with `size` elements: on one CPU device, from `least` on."""
        return size >= least and self.one_cpu

    # -- names and lines ---------------------------------------------------------------------------------------

    def fresh(self):
        self.counter[0] += 1
        return f"%{self.counter[0]}"

    def line(self, text):
        self.lines.append(text)

    def __call__(self, op, xs, attributes="", out=None):
        """`%n = op %a, %b, attributes : (types) -> type` with one result; `out` defaults to the equation's type."""
        out = self.out if out is None else out
        name = self.fresh()
        head = ", ".join([x.name for x in xs])
        if attributes:
            head = f"{head}, {attributes}" if head else attributes
        if xs:
            types = ", ".join([type_text(x.type) for x in xs])
            self.lines.append(f"{name} = {op} {head} : ({types}) -> {type_text(out)}")
        else:
            self.lines.append(f"{name} = {op} {head} : {type_text(out)}")
        return HloValue(name, out)

    def generic(self, op, xs, properties="", regions="", outs=None, attributes=""):
        """The generic form with any number of results and regions; returns a list."""
        outs = list(self.outs) if outs is None else list(outs)
        name = self.fresh()
        types = ", ".join([type_text(x.type) for x in xs])
        results = ", ".join([type_text(t) for t in outs])
        props = f" <{{{properties}}}>" if properties else ""
        region = f" ({regions})" if regions else ""
        attrs = f" {{{attributes}}}" if attributes else ""
        bound = name if len(outs) == 1 else f"{name}:{len(outs)}"
        lhs = f"{bound} = " if outs else ""
        result_text = results if len(outs) == 1 else f"({results})"
        self.lines.append(f'{lhs}"{op}"({", ".join([x.name for x in xs])}){props}{region}{attrs} : ({types}) -> {result_text}')
        if len(outs) == 1:
            return [HloValue(name, outs[0])]
        return [HloValue(f"{name}#{i}", t) for i, t in enumerate(outs)]

    def block(self, types, body, end="stablehlo.return"):
        """A region's text: `body(*values)` writes it and returns the values it yields."""
        outer, self.lines = self.lines, []
        constants, self.constants = self.constants, {}
        args = [HloValue(self.fresh(), t) for t in types]
        outs = body(*args)
        heads = ", ".join([f"{a.name}: {type_text(a.type)}" for a in args])
        self.lines.append(f"{end} {', '.join([o.name for o in outs])} : "
                          f"{', '.join([type_text(o.type) for o in outs])}" if outs else end)
        text = "{\n" + (f"^bb0({heads}):\n" if args else "") + "\n".join(self.lines) + "\n}"
        self.lines, self.constants = outer, constants
        return text

    # -- constants ---------------------------------------------------------------------------------------------

    def constant(self, value, t):
        """A value of type `t` with the same number everywhere."""
        shape, dtype = physical(t)
        text = scalar_text(value, dtype)
        return self._constant(text, t)

    def _constant(self, text, t):
        key = (text, t)
        found = self.constants.get(key)
        if found is None:
            name = self.fresh()
            self.lines.append(f"{name} = stablehlo.constant dense<{text}> : {type_text(t)}")
            found = self.constants[key] = HloValue(name, t)
        return found

    def array_constant(self, array):
        """A small NumPy array written out."""
        array = np.asarray(array)
        return self._constant(dense(array), ArrayType(array.shape, array.dtype))

    def constant_like(self, x, value):
        return self.constant(value, x.type)

    def scalar(self, value, dtype=INT32):
        return self.constant(value, ArrayType((), np.dtype(dtype)))

    def literal(self, lit):
        if not lit.type.shape:
            return self.constant(lit.value, lit.type)
        return self._constant(dense_bytes(lit.value), lit.type)

    # -- the commonest forms -----------------------------------------------------------------------------------

    def elementwise(self, op, xs, out=None, attributes=""):
        """All operands and the result have one type: `%n = op %a, %b attributes : type`."""
        out = self.out if out is None else out
        name = self.fresh()
        types = type_text(out) if all(x.type.dtype == out.dtype for x in xs) else \
            f"({', '.join([type_text(x.type) for x in xs])}) -> {type_text(out)}"
        self.lines.append(f"{name} = {op} {', '.join([x.name for x in xs])}{attributes} : {types}")
        if op in LOSE_NAN and self.module.writes_nan and is_float(out.dtype) and out.dtype.itemsize < 8:
            x = xs[0]
            return self.select(self.compare("NE", x, x), x, HloValue(name, out))
        return HloValue(name, out)

    def chlo(self, op, xs, out=None):
        """An op of the chlo dialect, in the generic form, since its short form differs from op to op."""
        return self.generic(op, xs, outs=[self.out if out is None else out])[0]

    def aligned(self, xs, shape=None):
        """Elementwise operands, each repeated to the result's shape."""
        shape = self.out.shape if shape is None else shape
        return [x if x.type.shape == shape else self.align(x, shape) for x in xs]

    def align(self, x, shape):
        return self.broadcast(x, shape, tuple(range(len(shape))) if x.type.shape else ())

    def broadcast(self, x, shape, dims):
        t = x.type
        if t.shape == shape and len(dims) == len(shape):
            return x
        dims = [*dims, *range(len(shape), len(shape) + len(physical(t)[0]) - len(t.shape))]      # the words of keys
        return self("stablehlo.broadcast_in_dim", [x], f"dims = {dims}", ArrayType(tuple(shape), t.dtype))

    def convert(self, x, dtype, out=None):
        """Numbers in another dtype, with NumPy's rules where StableHLO's differ."""
        old = x.type.dtype
        if old == dtype:
            return x
        if dtype == BOOL:
            zero = self.constant_like(x, 0)
            return self.compare("NE", x, zero)
        if is_complex(old) and not is_complex(dtype):
            real = self("stablehlo.real", [x], out=ArrayType(x.type.shape, np.dtype(f"f{old.itemsize // 2}")))
            return self.convert(real, dtype)
        return self("stablehlo.convert", [x], out=ArrayType(x.type.shape, dtype))

    def compare(self, direction, x, y, total_order=False):
        """Booleans from two operands of one type; `total_order` tells -0 from 0 and gives NaNs a place."""
        dtype = x.type.dtype
        if is_key(dtype):
            return self.compare_keys(direction, x, y)
        kind = ("UNSIGNED" if dtype.kind in "bu" or str(dtype).startswith("uint") else
                "SIGNED" if dtype.kind == "i" or str(dtype).startswith("int") else "TOTALORDER" if total_order
                else "FLOAT")
        t = type_text(x.type)
        out = ArrayType(x.type.shape, BOOL)
        name = self.fresh()
        self.lines.append(f"{name} = stablehlo.compare {direction}, {x.name}, {y.name}, {kind} : ({t}, {t}) -> {type_text(out)}")
        return HloValue(name, out)

    def words(self, x):
        """The same value as the uint32 words that its keys are made of; other values as they are."""
        return HloValue(x.name, physical_type(x.type)) if is_key(x.type.dtype) else x

    def compare_keys(self, direction, x, y):
        """Keys are equal where all their words are."""
        x_words, y_words = self.words(x), self.words(y)
        same = self.compare(direction, x_words, y_words)
        op, init = ("stablehlo.and", True) if direction == "EQ" else ("stablehlo.or", False)
        rank = x_words.ndim
        return self.reduce(op, same, init, range(x.type.ndim, rank), ArrayType(x.type.shape, BOOL))

    def select(self, which, yes, no):
        """`which ? yes : no`, all of one shape."""
        name, t = self.fresh(), type_text(yes.type)
        self.lines.append(f"{name} = stablehlo.select {which.name}, {yes.name}, {no.name} : {type_text(which.type)}, {t}")
        return HloValue(name, yes.type)

    def select_n(self, which, cases):
        """The case that `which` numbers, by halving for many cases."""
        if which.type.dtype == BOOL:
            return self.select(which, cases[1], cases[0]) if len(cases) == 2 else cases[0]
        if len(cases) == 1:
            return cases[0]
        middle = len(cases) // 2
        low = self.compare("LT", which, self.constant_like(which, middle))
        rest = self.elementwise("stablehlo.subtract", [which, self.constant_like(which, middle)], which.type) \
            if len(cases) > 2 else which
        return self.select(low, self.select_n(which, cases[:middle]), self.select_n(rest, cases[middle:]))

    def reduce(self, op, x, init, axes, out=None):
        """Reduce over axes with one binary op whose identity is `init` (a number or an HloValue)."""
        out = self.out if out is None else out
        t = x.type
        scalar = ArrayType((), t.dtype)
        start = init if isinstance(init, HloValue) else self.constant(init, scalar)
        name = self.fresh()
        self.lines.append(f"{name} = stablehlo.reduce({x.name} init: {start.name}) applies {op} across dimensions = "
                          f"{list(axes)} : ({type_text(t)}, {type_text(scalar)}) -> {type_text(out)}")
        return HloValue(name, out)

    def integer_pow(self, x, n):
        """x to an integer power by repeated squaring."""
        if n == 0:
            return self.constant_like(x, 1)
        power, square, m = None, x, abs(n)
        while m:
            if m & 1:
                power = square if power is None else self.elementwise("stablehlo.multiply", [power, square], x.type)
            m >>= 1
            if m:
                square = self.elementwise("stablehlo.multiply", [square, square], x.type)
        if n < 0:
            power = self.elementwise("stablehlo.divide", [self.constant_like(x, 1), power], x.type)
        return power

    def precision(self, precision):
        """`[DEFAULT, DEFAULT]` from a Precision, a name, or a pair of them."""
        pair = precision if isinstance(precision, (tuple, list)) else (precision, precision)
        names = [getattr(p, "name", p) for p in pair]
        return "[" + ", ".join([_PRECISION.get(str(n).lower(), str(n).upper()) for n in names]) + "]"

    # -- programs ----------------------------------------------------------------------------------------------

    def eqns(self, jaxpr, args):
        """Write a program's equations here; returns its outputs."""
        env, located = dict(zip(jaxpr.invars, args)), self.module.located
        for e in jaxpr.eqns:
            xs = [self.literal(v) if v.__class__ is Literal else env[v] for v in e.ins]
            if self.path or located or e.place is not None and len(e.place) > 2:
                self.named_eqn(e, xs, env)
            else:
                self.eqn(e, xs, env)
        return [self.literal(v) if v.__class__ is Literal else env[v] for v in jaxpr.outvars]

    def named_eqn(self, e, xs, env):
        """Write an equation and behind its lines where it comes from: its path, `model/layer/dot_general`, of the named_scopes and of the
        programs that it stands in; and as the module asks, the user's file and line."""
        outer, start, op = self.path, len(self.lines), e.op
        steps = [*filter(None, (outer, scope_of(e.place))), f"{op.op_name}({op.name})" if op.op_name == "jit" else op.op_name]
        self.path = "/".join(steps)
        self.eqn(e, xs, env)
        self.locate(start, e.place)
        self.path = outer

    def locate(self, start, place):
        """Write the location behind those of the lines from `start` on that are one whole operation each."""
        at, located = file_line(place), self.module.located
        if located == "lines":
            if at is None:
                return
            text = quoted(f"<{at[0]}:{at[1]}>")
        else:
            root = self.module.root if self.is_main else ""
            text = quoted(f"{root}{self.path}")
            text = f"{text}({quoted(at[0])}:{at[1]}:0)" if located and at is not None else text
        behind = f" loc({text})"
        for i in range(start, len(self.lines)):
            text = self.lines[i]
            if text.startswith("%") and "\n" not in text and " : " in text and text[-1] in ">)" and " loc(" not in text:
                self.lines[i] = text + behind

    def eqn(self, e, xs, env):
        op = e.op
        outs = e.outs
        self.place = e.place
        if op.multiple:
            self.outs = [v.type for v in outs]
            self.out = self.outs[0] if self.outs else None
            if isinstance(op.lower, Refused):
                raise Refused(f"{op.name} cannot be compiled: {op.lower.why}")
            results = op.lower(self, *xs)
            for v, r in zip(outs, results, strict=True):
                env[v] = r if r.type is v.type else HloValue(r.name, v.type)
            return
        v = outs[0]
        out = self.out = v.type
        if not op.on_keys and (is_key(out.dtype) or any(is_key(x.type.dtype) for x in xs)):
            env[v] = self.on_words(op, xs, out)
            return
        if isinstance(op.lower, Refused):
            raise Refused(f"{op.name} cannot be compiled: {op.lower.why}")
        r = op.lower(self, *xs)
        if out.sharding is not None:
            r = self.module.constrain(self, r, out)
        env[v] = r if r.type is out else HloValue(r.name, out)

    def on_words(self, op, xs, out):
        """An op that moves keys about: the same op, batched over the words that keys are made of."""
        self.module.refuse_unless_moving(op)
        words = [self.words(x) for x in xs]
        program = self.module.word_program(op, [x.type for x in xs])
        result, = self.eqns(program, words)
        return HloValue(result.name, out)

    def call(self, jaxpr, args, name, inline=None):
        """Call a program as a private function, written once however often it is called."""
        function = self.module.function(jaxpr, name)
        outs = [v.type for v in jaxpr.outvars]
        if self.token is not None:
            args, outs = [self.token, *args], [TOKEN, *outs]
        head = f"func.call @{function}({', '.join([a.name for a in args])})"
        types = f"({', '.join([type_text(a.type) for a in args])})"
        if not outs:
            self.lines.append(f"{head} : {types} -> ()")
            return []
        attributes = ' {mhlo.frontend_attributes = {inlineable = "false"}}' if inline is False else ""
        n = self.fresh()
        results = ", ".join([type_text(t) for t in outs])
        bound, results = (n, results) if len(outs) == 1 else (f"{n}:{len(outs)}", f"({results})")
        self.lines.append(f"{bound} = {head}{attributes} : {types} -> {results}")
        return self.take_token([HloValue(n, outs[0])] if len(outs) == 1
                               else [HloValue(f"{n}#{i}", t) for i, t in enumerate(outs)])

    def take_token(self, values):
        """Results of something that effects may be in: the first is what later effects wait for, the rest is given
        back."""
        if self.token is None:
            return values
        self.token = values[0]
        return values[1:]

    def inside(self, run, values):
        """Run `run(*values)` in a region whose first value, in a module with ordered effects, is the token."""
        if self.token is None:
            return run(*values)
        outer, self.token = self.token, values[0]
        out = run(*values[1:])
        out, self.token = [self.token, *out], outer
        return out

    def call_mapped(self, jaxpr, lead, args, name):
        """Call a program with one result for each index of the axes `lead`, which stand in front in all arguments."""
        return self.call(self.module.mapped(jaxpr, lead), args, name)[0]

    def while_loop(self, carry, cond, body):
        """`cond(*values) -> bool value`, `body(*values) -> values`, over values that keep their types."""
        carry = list(carry) if self.token is None else [self.token, *carry]
        types = [c.type for c in carry]
        regions = (self.block(types, lambda *xs: self.inside(lambda *v: [cond(*v)], xs)[-1:]) + ", "
                   + self.block(types, lambda *xs: self.inside(body, xs)))
        return self.take_token(self.generic("stablehlo.while", carry, regions=regions, outs=types))

    def case(self, index, branches, outs):
        """Run one of `branches` (functions without arguments that return values) by index."""
        outs = list(outs) if self.token is None else [TOKEN, *outs]
        given = () if self.token is None else (self.token,)
        regions = ", ".join([self.block([], lambda b=b: self.inside(lambda: b(), given)) for b in branches])
        return self.take_token(self.generic("stablehlo.case", [index], regions=regions, outs=outs))

    def slice(self, x, starts, limits, strides, out=None):
        """A strided slice; the words of keys are taken whole."""
        shape, _ = physical(x.type)
        words = shape[x.type.ndim:]
        bounds = [f"{a}:{b}:{s}" for a, b, s in zip(starts, limits, strides)] + [f"0:{n}:1" for n in words]
        out, name = self.out if out is None else out, self.fresh()
        self.lines.append(f"{name} = stablehlo.slice {x.name} [{', '.join(bounds)}] : ({type_text(x.type)}) -> {type_text(out)}")
        return HloValue(name, out)

    def slice_in_dim(self, x, start, limit, axis):
        """The places from `start` to `limit` along one axis."""
        shape = x.type.shape
        starts, limits = [[at if d == axis else n for d, n in enumerate(rest)] for at, rest in ((start, (0,) * len(shape)), (limit, shape))]
        out = ArrayType((*shape[:axis], limit - start, *shape[axis + 1:]), x.type.dtype)
        return self.slice(x, starts, limits, (1,) * len(shape), out)

    def index_leading(self, x, i):
        """x[i] along the leading axis, for a scalar int32 `i` in range."""
        shape, dtype = physical(x.type)
        row = ArrayType((1, *shape[1:]), dtype)
        starts = self._starts(i, len(shape))
        name = self.fresh()
        self.lines.append(f"{name} = stablehlo.dynamic_slice {x.name}, {starts}, sizes = {list(row.shape)} : "
                          f"({type_text(x.type)}, {', '.join([type_text(i.type)] * len(shape))}) "
                          f"-> {type_text(row)}")
        return self("stablehlo.reshape", [HloValue(name, row)], out=ArrayType(x.type.shape[1:], x.type.dtype))

    def update_leading(self, buffer, y, i):
        """`buffer` with `y` at index `i` of its leading axis."""
        shape, dtype = physical(buffer.type)
        row = self("stablehlo.reshape", [y], out=ArrayType((1, *shape[1:]), dtype))
        name, index = self.fresh(), type_text(i.type)
        self.lines.append(f"{name} = stablehlo.dynamic_update_slice {buffer.name}, {row.name}, {self._starts(i, len(shape))} : "
                          f"({type_text(buffer.type)}, {type_text(row.type)}, {', '.join([index] * len(shape))}) "
                          f"-> {type_text(buffer.type)}")
        return HloValue(name, buffer.type)

    def _starts(self, i, rank):
        zero = self.constant(0, i.type)
        return ", ".join([i.name] + [zero.name] * (rank - 1))

    def custom_call(self, target, xs, outs, config="", attributes="", layouts=True, column_major=False, place=""):
        """A typed FFI call; `config` is the text of the backend configuration dictionary's entries, `place` that of a
        sharding of the results. With `column_major`, a number of leading dimensions, values with two dimensions more
        are lists of matrices that are stored column by column."""
        def layout(t):
            rank = len(physical(t)[0])
            order = list(range(rank - 1, -1, -1))
            if column_major is not False and rank == column_major + 2:
                order[:2] = rank - 2, rank - 1
            return f"dense<{order}> : tensor<{rank}xindex>"
        parts = [f'call_target_name = "{target}"', "api_version = 4 : i32", f"backend_config = {{{config}}}"]
        if layouts:
            parts.append(f"operand_layouts = [{', '.join([layout(x.type) for x in xs])}]")
            parts.append(f"result_layouts = [{', '.join([layout(t) for t in outs])}]")
        if attributes:
            parts.append(attributes)
        return self.generic("stablehlo.custom_call", xs, properties=", ".join(parts), outs=outs, attributes=place)

    def host_kernel(self, name, xs, outs, **numbers):
        """Call a function of `run/host_kernels.py`. Only where `on_host`."""
        config = ", ".join([f"{key} = {value} : i64" for key, value in numbers.items()])
        return self.custom_call(f"gnomon_host_{name}", xs, outs, config)

    def python_callback(self, callback, xs, outs, ordered=False):
        """Call a Python function of NumPy arrays; an `ordered` one waits for those before it."""
        module, index = self.module, len(self.module.callbacks)
        config, effect = f"index = {index} : ui64", "has_side_effect = true"
        xs = [module.everywhere(self, x) for x in xs]
        if not ordered:
            module.callbacks.append(callback)
            found = self.custom_call("xla_ffi_python_cpu_callback", xs, outs, config, effect,
                                     place=module.on_first_device(len(outs)))
        else:
            module.callbacks.append(lambda token, *arrays: (token, *callback(*arrays)))
            found = self.take_token(self.custom_call("xla_ffi_python_cpu_callback", [self.token, *xs], [TOKEN, *outs],
                                                     config,
                                                     effect, place=module.on_first_device(1 + len(outs))))
        return [module.everywhere(self, x) for x in found]

    ints = staticmethod(ints)
    tensor_text = staticmethod(tensor_text)
    type_text = staticmethod(type_text)
    ArrayType = ArrayType


_PRECISION = {"none": "DEFAULT", "default": "DEFAULT", "fastest": "DEFAULT", "high": "HIGH", "bfloat16_3x": "HIGH",
              "tensorfloat32": "HIGH", "highest": "HIGHEST", "float32": "HIGHEST", "bfloat16": "DEFAULT"}
