"""Sizes that are expressions in named variables: ``2*n + 1``.

An expression is a polynomial with integer coefficients in *atoms*: variables, and operations on expressions (``floordiv(n, 2)``,
``mod(n, 2)``, ``max(n, 3)``, ``min(n, 3)``). Its normal form is unique but for what the operations hide, and expressions are interned by it
in the `Scope` of their variables, which holds what is known of them.

A variable stands for an integer of at least 1, as the sizes that it is given must be. A comparison is decided by bounds: intervals of
the atoms, improved by adding multiples of what is known to be at least 0 (the scope's constraints, and what defines an operation), where
that cancels a term. What stays open raises `InconclusiveDimensionOperation`; equality that cannot be shown counts as False.
"""
from __future__ import annotations

import math
import operator
import re
import threading
from fractions import Fraction

from gnomon.base.errors import InconclusiveDimensionOperation
from gnomon.types.size import AS_VALUE, Size, max_size, min_size

__all__ = ["Scope", "SymbolicSize", "is_symbolic_dim", "size_bounds", "solve", "symbolic_shape"]

INFINITY = math.inf
DEPTH = 3                       # how many facts are combined to decide a comparison
OPERATIONS = {"floordiv": operator.floordiv, "mod": operator.mod, "max": max_size, "min": min_size}
_lock = threading.Lock()


class Scope:
    """Variables that belong together, and what is known of them: ``constraints`` such as ``"a >= b"``, ``"mod(b, 2) == 0"`` or ``"n == 3*m"``.

    An equation whose left side is one variable or one operation replaces it by the right side wherever it occurs."""

    def __init__(self, constraints_str=()):
        self.constraints = (constraints_str,) if isinstance(constraints_str, str) else tuple(constraints_str)
        self.sizes = {}             # by terms
        self.known = []             # expressions that are at least 0
        self.replaced = {}          # an atom -> the size that stands for it
        for text in self.constraints:
            self.constrain(text)

    def __repr__(self):
        return f"SymbolicScope({list(self.constraints)})"

    def constrain(self, text):
        """Take in one constraint."""
        sides = re.split(r"(==|>=|<=)", text) if isinstance(text, str) else ()
        if len(sides) != 3:
            raise ValueError(f"A constraint of symbolic sizes is two expressions with ==, >= or <= between them, got {text!r}.")
        left, right = [Parser(side, self).whole() for side in (sides[0], sides[2])]
        if sides[1] == "==":
            atom = left.atom if isinstance(left, SymbolicSize) else None
            if atom is None:
                raise ValueError(f"The left side of the constraint {text!r} must be one variable or one operation.")
            if isinstance(right, SymbolicSize) and atom in right.atoms():
                raise ValueError(f"The constraint {text!r} has {left} on both sides.")
            self.replaced[atom] = right
            self.sizes = {key: size for key, size in self.sizes.items() if atom not in size.atoms()}
        difference = right - left if sides[1] == "<=" else left - right
        for fact in (difference, -difference) if sides[1] == "==" else (difference,):
            if isinstance(fact, SymbolicSize):
                self.known.append(fact)
            elif fact < 0:
                raise ValueError(f"The constraint {text!r} cannot be met.")

    def variable(self, name):
        """The size that is a variable."""
        return self.of_atom((name,))

    def of_atom(self, atom):
        found = self.replaced.get(atom)
        return found if found is not None else self.made({((atom, 1),): 1})

    def operation(self, name, a, b):
        """``floordiv``, ``mod``, ``max`` or ``min`` of two sizes."""
        return self.of_atom((name, a, b))

    def made(self, terms):
        """The size with these terms: {monomial: coefficient}, a monomial a sorted tuple of (atom, power)."""
        terms = {m: c for m, c in terms.items() if c}
        if not terms or (len(terms) == 1 and () in terms):
            return terms.get((), 0)
        key = frozenset(terms.items())
        found = self.sizes.get(key)
        if found is None:
            with _lock:
                found = self.sizes.setdefault(key, SymbolicSize(self, terms))
        return found


class SymbolicSize(Size):
    """An expression; see the module."""

    __slots__ = ("scope", "terms", "_text")

    def __init__(self, scope, terms):
        self.scope = scope
        self.terms = dict(sorted(terms.items(), key=rank))
        self._text = None

    def __reduce__(self):
        return read_size, (str(self), self.scope.constraints)

    @property
    def atom(self):
        """The one atom that it is, or None."""
        (monomial, coefficient), *more = self.terms.items()
        return monomial[0][0] if not more and coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1 else None

    def atoms(self):
        """All atoms in it, those within operations too."""
        found = set()
        for monomial in self.terms:
            for atom, _ in monomial:
                found.add(atom)
                for part in atom[1:]:
                    if isinstance(part, SymbolicSize):
                        found |= part.atoms()
        return found

    def variables(self):
        """The names of its variables."""
        return {atom[0] for atom in self.atoms() if len(atom) == 1}

    # ---- text -------------------------------------------------------------------------------------------------------

    def __str__(self):
        if self._text is None:
            text = ""
            for monomial, c in self.terms.items():
                product = "*".join([atom_text(a) + (f"^{p}" if p > 1 else "") for a, p in monomial])
                number = "" if product and abs(c) == 1 else str(abs(c))
                text += (" - " if c < 0 else " + ") + "*".join([part for part in (number, product) if part])
            self._text = text[3:] if text.startswith(" + ") else "-" + text[3:]
        return self._text

    __repr__ = __str__

    # ---- arithmetic -------------------------------------------------------------------------------------------------

    def __add__(self, other):
        other = self.same_scope(other, "+")
        if other is NotImplemented:
            return NotImplemented
        terms = dict(self.terms)
        for m, c in terms_of(other).items():
            terms[m] = terms.get(m, 0) + c
        return self.scope.made(terms)

    __radd__ = __add__

    def __neg__(self):
        return self.scope.made({m: -c for m, c in self.terms.items()})

    def __pos__(self):
        return self

    def __sub__(self, other):
        other = self.same_scope(other, "-")
        return NotImplemented if other is NotImplemented else self + -other

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        if isinstance(other, float):
            return AS_VALUE[0](self) * other
        other = self.same_scope(other, "*")
        if other is NotImplemented:
            return NotImplemented
        terms = {}
        for m, c in self.terms.items():
            for n, d in terms_of(other).items():
                both = product(m, n)
                terms[both] = terms.get(both, 0) + c * d
        return self.scope.made(terms)

    __rmul__ = __mul__

    def __truediv__(self, other):
        return AS_VALUE[0](self) / other

    def __rtruediv__(self, other):
        return other / AS_VALUE[0](self)

    def __pow__(self, power):
        if not isinstance(power, int) or power < 0:
            return NotImplemented
        return math.prod([self] * power)

    def __floordiv__(self, other):
        pair = self.__divmod__(other)
        return pair if pair is NotImplemented else pair[0]

    def __mod__(self, other):
        pair = self.__divmod__(other)
        return pair if pair is NotImplemented else pair[1]

    def __rfloordiv__(self, other):
        return divided(self.scope, other, self)[0] if isinstance(other, int) else NotImplemented

    def __rmod__(self, other):
        return divided(self.scope, other, self)[1] if isinstance(other, int) else NotImplemented

    def __divmod__(self, other):
        other = self.same_scope(other, "//")
        return NotImplemented if other is NotImplemented else divided(self.scope, self, other)

    def __rdivmod__(self, other):
        return divided(self.scope, other, self) if isinstance(other, int) else NotImplemented

    def same_scope(self, other, what):
        """The other operand, an int or a size of the same scope."""
        if isinstance(other, SymbolicSize):
            if other.scope is not self.scope:
                raise ValueError(f"The sizes {self} and {other} are of different scopes, so their variables are not the same and they have no "
                                 f"{what}; make them with one call of symbolic_shape, or give both the same scope.")
            return other
        return other if isinstance(other, int) else int(other) if hasattr(other, "dtype") and hasattr(other, "item") and not hasattr(
            other, "type") else NotImplemented

    # ---- comparison -------------------------------------------------------------------------------------------------

    __hash__ = object.__hash__

    def extreme(self, a, b, name):
        low, high = size_bounds(a - b)
        if low >= 0 or high <= 0:
            return a if (low >= 0) is (name == "max") else b
        return self.scope.operation(name, a, b)

    def __eq__(self, other):
        return self is other

    def __ge__(self, other):
        return self.decided(other, ">=", lambda low, high: True if low >= 0 else False if high < 0 else None)

    def __gt__(self, other):
        return self.decided(other, ">", lambda low, high: True if low > 0 else False if high <= 0 else None)

    def __le__(self, other):
        return self.decided(other, "<=", lambda low, high: True if high <= 0 else False if low > 0 else None)

    def __lt__(self, other):
        return self.decided(other, "<", lambda low, high: True if high < 0 else False if low >= 0 else None)

    def decided(self, other, sign, decide):
        other = self.same_scope(other, sign)
        if other is NotImplemented:
            return NotImplemented
        found = decide(*size_bounds(self - other))
        if found is None:
            known = f"{self} {sign[0]}= {other + {'>': 1, '<': -1}.get(sign, 0)}"
            raise InconclusiveDimensionOperation(
                f"Whether {self} {sign} {other} depends on the values of the symbolic sizes. Say what holds with constraints, as in "
                f"symbolic_shape(..., constraints=[\"{known}\"]).")
        return found

    # ---- values -----------------------------------------------------------------------------------------------------

    def value(self, numbers):
        """The int that it is where its variables have these numbers ({name: int})."""
        total = 0
        for monomial, c in self.terms.items():
            for atom, power in monomial:
                c *= atom_value(atom, numbers) ** power
            total += c
        return total


def rank(item):
    """Terms with more factors stand first, constants last."""
    monomial, _ = item
    return -sum([p for _, p in monomial]), [(atom_text(a), p) for a, p in monomial]


def atom_text(atom):
    return atom[0] if len(atom) == 1 else f"{atom[0]}({', '.join([str(part) for part in atom[1:]])})"


def atom_value(atom, numbers):
    if len(atom) == 1:
        return numbers[atom[0]]
    parts = [part.value(numbers) if isinstance(part, SymbolicSize) else part for part in atom[1:]]
    return OPERATIONS[atom[0]](*parts)


def terms_of(size):
    return size.terms if isinstance(size, SymbolicSize) else {(): size} if size else {}


def product(m, n):
    """The product of two monomials."""
    powers = dict(m)
    for atom, power in n:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items(), key=lambda item: atom_text(item[0])))


def divided(scope, a, b):
    """(a // b, a % b)."""
    if b == 0:
        raise ZeroDivisionError(f"The size {a} is divided by 0.")
    quotient, rest = exact_quotient(scope, a, b)
    if rest == 0:
        return quotient, 0
    if not isinstance(rest, SymbolicSize) and not isinstance(b, SymbolicSize):
        # what is left is a number below b, as it is for all values
        return quotient + rest // b, rest % b
    low, high = size_bounds(rest)
    if low >= 0 and size_bounds(b - rest)[0] > 0:
        return quotient, rest
    whole = scope.operation("floordiv", rest, b)
    return quotient + whole, scope.operation("mod", rest, b)


def exact_quotient(scope, a, b):
    """(q, r) with a == q * b + r: what of a polynomial can be divided term by term."""
    lead, divisor = next(iter(terms_of(b).items()))
    powers = dict(lead)
    quotient, rest, left = 0, 0, a
    while left != 0:
        monomial, c = next(iter(terms_of(left).items()))
        have = dict(monomial)
        term = scope.made({monomial: c})
        if c % divisor == 0 and all([have.get(atom, 0) >= p for atom, p in powers.items()]):
            factor = scope.made({tuple([(atom, p - powers.get(atom, 0)) for atom, p in monomial if p > powers.get(atom, 0)]): c // divisor})
            quotient, left = quotient + factor, left - factor * b
        elif not isinstance(b, SymbolicSize) and abs(c) > b > 0 and c // b:
            factor = scope.made({monomial: c // b})         # 5*n // 2 is 2*n + n // 2
            quotient, rest, left = quotient + factor, rest + (term - factor * b), left - term
        else:
            rest, left = rest + term, left - term
    return quotient, rest


# ---- bounds -------------------------------------------------------------------------------------------------------------

def size_bounds(size):
    """(the least, the greatest) value that a size can be shown to keep to; an int's are itself."""
    if not isinstance(size, SymbolicSize):
        return size, size
    return lower_bound(size, DEPTH), -lower_bound(-size, DEPTH)


def lower_bound(size, depth, used=()):
    """A number that no value of the size is below."""
    if not isinstance(size, SymbolicSize):
        return size
    best = interval(size)[0]
    if depth and best < 0:
        for fact in facts(size):
            if fact in used:
                continue
            for monomial, c in size.terms.items():
                share = fact.terms.get(monomial, 0)
                if monomial == () or c * share <= 0:
                    continue
                times = Fraction(c, share)          # size == times * fact + the rest, and times * fact >= 0
                scale = times.denominator
                rest = size * scale - fact * times.numerator
                found = lower_bound(rest, depth - 1, (*used, fact))
                if found > -INFINITY:
                    found = -(-found // scale) if isinstance(found, int) else found
                best = max(best, found)
    return best


def facts(size):
    """Sizes that are at least 0, of which some may bear on this one."""
    found = list(size.scope.known)
    for atom in size.atoms():
        if len(atom) == 3:
            name, a, b = atom
            itself = size.scope.of_atom(atom)
            if name == "floordiv" and isinstance(b, int) and b > 0:
                found += [a - itself * b, itself * b + (b - 1) - a]
            elif name == "mod":
                found += [b - 1 - itself] if size_low(b) > 0 else []
                found += [a - itself] if size_low(b) > 0 and size_low(a) >= 0 else []
            elif name == "max":
                found += [itself - a, itself - b]
            elif name == "min":
                found += [a - itself, b - itself]
    for big, c in size.terms.items():
        for small, d in size.terms.items():
            if c > 0 > d and small and is_multiple(big, small):
                found.append(size.scope.made({big: 1, small: -1}))
    return [f for f in found if isinstance(f, SymbolicSize)]


def size_low(size):
    return interval(size)[0]


def is_multiple(big, small):
    """Whether a monomial is another one times what is at least 1, and that is not negative."""
    powers = dict(big)
    return all([powers.get(atom, 0) >= p and atom_interval(atom)[0] >= 0 for atom, p in small]) and all(
        [atom_interval(atom)[0] >= 1 for atom, p in big if p > dict(small).get(atom, 0)])


def interval(size):
    """(least, greatest) by the bounds of the atoms alone."""
    if not isinstance(size, SymbolicSize):
        return size, size
    low = high = 0
    for monomial, c in size.terms.items():
        ends = c, c
        for atom, power in monomial:
            for _ in range(power):
                ends = times(ends, atom_interval(atom))
        low, high = low + ends[0], high + ends[1]
    return low, high


def times(a, b):
    ends = [0 if 0 in (x, y) else x * y for x in a for y in b]
    return min(ends), max(ends)


def atom_interval(atom):
    if len(atom) == 1:
        return 1, INFINITY
    name, a, b = atom
    (a_low, a_high), (b_low, b_high) = interval(a), interval(b)
    if name == "max":
        return max(a_low, b_low), max(a_high, b_high)
    if name == "min":
        return min(a_low, b_low), min(a_high, b_high)
    if b_low <= 0:
        return -INFINITY, INFINITY
    if name == "mod":
        return 0, b_high - 1
    ends = [quotient(x, y) for x in (a_low, a_high) for y in (b_low, b_high)]
    return min(ends), max(ends)


def quotient(x, y):
    if y == INFINITY:
        return 0 if x >= 0 else -1
    return x // y if abs(x) != INFINITY else x


# ---- text -> sizes ------------------------------------------------------------------------------------------------------

def non_negative(size):
    return max_size(size, 0)


TOKENS = re.compile(r"\s*(?:(\d+)|([A-Za-z_]\w*)|(.))")


class Parser:
    """Reads one expression: + - * ^, numbers, variables, floordiv mod max min non_negative."""

    def __init__(self, text, scope):
        self.text, self.scope = text, scope
        self.tokens = [m for m in TOKENS.finditer(text.rstrip())] if text.strip() else []
        self.at = 0

    def error(self, wanted):
        found = repr(self.peek()) if self.peek() else "its end"
        return ValueError(f"The symbolic size {self.text.strip()!r} has {found} where {wanted} should be.")

    def peek(self):
        return self.tokens[self.at].group().strip() if self.at < len(self.tokens) else ""

    def take(self, *wanted):
        found = self.peek()
        if found in wanted:
            self.at += 1
            return found
        return ""

    def whole(self):
        found = self.sum()
        if self.at != len(self.tokens):
            raise self.error("an operation")
        return found

    def sum(self):
        total = -self.product() if self.take("-") else self.product()
        while sign := self.take("+", "-"):
            term = self.product()
            total = total + term if sign == "+" else total - term
        return total

    def product(self):
        total = self.power()
        while self.take("*"):
            total = total * self.power()
        return total

    def power(self):
        base = self.factor()
        if self.take("^"):
            if not self.peek().isdigit():
                raise self.error("a number")
            base = base ** int(self.take(self.peek()))
        return base

    def factor(self):
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        if token is not None and token[1]:
            self.at += 1
            return int(token[1])
        if self.take("("):
            inner = self.sum()
            if not self.take(")"):
                raise self.error("')'")
            return inner
        if token is None or not token[2]:
            raise self.error("a variable, a number or '('")
        self.at += 1
        name = token[2]
        return self.call(name) if self.take("(") else self.scope.variable(name)

    def call(self, name):
        if name not in OPERATIONS and name != "non_negative":
            self.at -= 2
            raise self.error("one of floordiv, mod, max, min, non_negative")
        parts = [self.sum()]
        while self.take(","):
            parts.append(self.sum())
        if not self.take(")"):
            raise self.error("',' or ')'")
        if len(parts) != (1 if name == "non_negative" else 2):
            raise ValueError(f"The symbolic size {self.text.strip()!r} gives {name} {len(parts)} values.")
        return non_negative(parts[0]) if name == "non_negative" else OPERATIONS[name](*parts)


def read_size(text, constraints):
    """A size from its text, in a scope of its own."""
    return Parser(text, Scope(constraints)).whole()


def symbolic_shape(shape_spec, *, constraints=(), scope=None, like=None):
    """A shape from text such as ``"b, 4"`` or ``"(2*n, _, ...)"``: a tuple of ints and symbolic sizes.

    `constraints` are what is known of the variables (``"n >= 2"``), for a scope of its own; or `scope` is one that shapes share, so that a
    name means the same in all of them. ``_`` is the size, and ``...`` the sizes, that `like` (a shape) has in that place. ValueError for text
    that is no shape.

    >>> from gnomon import export
    >>> b, n = export.symbolic_shape("b, 2*n")
    >>> b * n, (2 * n) // 2, n >= 2
    (2*b*n, 2*n, True)
    """
    if scope is not None and not isinstance(scope, Scope):
        raise TypeError(f"symbolic_shape takes a SymbolicScope as scope, got {scope!r} of type {type(scope).__name__}.")
    if scope is not None and constraints:
        raise ValueError("symbolic_shape got both scope and constraints; give the constraints to the SymbolicScope.")
    scope = Scope(constraints) if scope is None else scope
    text = "..." if shape_spec is None else shape_spec
    if not isinstance(text, str):
        raise TypeError(f"symbolic_shape takes a string such as 'b, 4', got {shape_spec!r} of type {type(shape_spec).__name__}.")
    text = text.strip()
    if text.startswith("(") and text.endswith(")") and depth_is_kept(text[1:-1]):
        text = text[1:-1].strip()
    parts = split_commas(text)
    found = []
    for i, part in enumerate(parts):
        if part == "...":
            count = len(like) - (len(parts) - 1) if like is not None else -1
            if count < 0 or "..." in parts[i + 1:]:
                raise ValueError(f"The shape {shape_spec!r} has '...', for which `like` must be a shape of at least {len(parts) - 1} dimensions, got "
                                 f"{like}.")
            found += [given_size(n, shape_spec) for n in like[len(found):len(found) + count]]
        elif part == "_":
            if like is None or len(found) >= len(like):
                raise ValueError(f"The shape {shape_spec!r} has '_', for which `like` must be a shape with that dimension, got {like}.")
            found.append(given_size(like[len(found)], shape_spec))
        else:
            size = Parser(part, scope).whole()
            if not isinstance(size, SymbolicSize) and size < 0:
                raise ValueError(f"The shape {shape_spec!r} has the size {size}, which is negative.")
            if like is not None and len(found) < len(like) and not isinstance(size, SymbolicSize) and like[len(found)] not in (None, size):
                raise ValueError(f"The shape {shape_spec!r} has {size} where `like` has {like[len(found)]}.")
            found.append(size)
    if like is not None and len(found) != len(like):
        raise ValueError(f"The shape {shape_spec!r} has {len(found)} dimensions and `like` has {len(like)}.")
    return tuple(found)


def given_size(n, shape_spec):
    if n is None:
        raise ValueError(f"The shape {shape_spec!r} leaves a size to `like`, which does not say it.")
    return n


def depth_is_kept(text):
    """Whether no bracket closes before it opens: else the outer ones are not a pair."""
    depth = 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if depth < 0:
            return False
    return True


def split_commas(text):
    """The parts between commas that stand in no brackets; one at the end counts for nothing."""
    parts, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    parts = [part.strip() for part in parts]
    return parts[:-1] if parts[-1] == "" else parts


def is_symbolic_dim(p) -> bool:
    """Whether a size is symbolic.

    >>> from gnomon import export
    >>> export.is_symbolic_dim(export.symbolic_shape("n")[0]), export.is_symbolic_dim(3)
    (True, False)
    """
    return isinstance(p, SymbolicSize)


# ---- numbers ------------------------------------------------------------------------------------------------------------

def solve(equations):
    """The numbers of the variables, {name: int}, from (size, int, what it is) for each given dimension, and whether the rest holds.

    ValueError where no numbers fit, or where the dimensions do not say them."""
    numbers, scopes = {}, []
    for size, _, _ in equations:
        if isinstance(size, SymbolicSize) and size.scope not in scopes:
            scopes.append(size.scope)
    waiting = list(equations)
    while waiting:
        later = []
        for equation in waiting:
            if not solved_one(*equation, numbers):
                later.append(equation)
        if len(later) == len(waiting):
            break
        waiting = later
    wanted = {name for size, _, _ in equations if isinstance(size, SymbolicSize) for name in size.variables()}
    if unknown := sorted(wanted - numbers.keys()):
        raise ValueError(f"The sizes given do not say what {', '.join(unknown)} {'is' if len(unknown) == 1 else 'are'}: one dimension has to be "
                         "that variable alone, or linear in it.")
    for size, number, what in equations:
        holds = size.value(numbers) if isinstance(size, SymbolicSize) else size
        if holds != number:
            said = f" for {', '.join([f'{k} = {numbers[k]}' for k in sorted(size.variables())])}" if isinstance(size, SymbolicSize) else ""
            raise ValueError(f"{what} must be {size}{f', which is {holds}{said}' if said else ''}, got {number}.")
    for scope in scopes:
        for fact in scope.known:
            if fact.variables() <= numbers.keys() and fact.value(numbers) < 0:
                said = ", ".join([f"{k} = {numbers[k]}" for k in sorted(fact.variables())])
                raise ValueError(f"The sizes {said} break a constraint that was given: {', '.join(scope.constraints)}.")
    return numbers


def solved_one(size, number, what, numbers):
    """Whether a dimension says the number of its one unknown variable, which is written down; or has none."""
    if not isinstance(size, SymbolicSize):
        return True
    unknown = size.variables() - numbers.keys()
    if not unknown:
        return True
    if len(unknown) > 1:
        return False
    (name,) = unknown
    factor, rest = 0, number
    for monomial, c in size.terms.items():
        with_it = [(atom, power) for atom, power in monomial if name in names_in(atom)]
        if with_it and with_it != [((name,), 1)]:
            return False
        for atom, power in monomial:
            if atom != (name,):
                c *= atom_value(atom, numbers) ** power
        if with_it:
            factor += c
        else:
            rest -= c
    if not factor:
        return False
    if rest % factor or rest // factor < 1:
        raise ValueError(f"{what} must be {size} with {name} an integer of at least 1, got {number}.")
    numbers[name] = rest // factor
    return True


def names_in(atom):
    """The variables of an atom."""
    return {atom[0]} if len(atom) == 1 else {n for part in atom[1:] if isinstance(part, SymbolicSize) for n in part.variables()}
