"""Jets: Numbers with their Taylor coefficients in one variable or several, for derivatives of series and continued fractions.

`Jet(orders, terms)` is the polynomial with the coefficient `terms[i]` at x0^i0 x1^i1 ..., for exponents i up to `orders`; those that
are not among the terms are zero. Arithmetic drops what is beyond `orders`. The derivative of exponents i is i! times the coefficient.
"""
from __future__ import annotations

import itertools
import math

from gnomon.ops.longhand import digamma, exp, lgamma


def exponents(orders):
    return list(itertools.product(*[range(n + 1) for n in orders]))


def variable(value, orders, axis):
    """The jet of the variable of that number."""
    unit = tuple(int(d == axis) for d in range(len(orders)))
    return Jet(orders, {(0,) * len(orders): value, **({unit: value.like(1.0)} if orders[axis] else {})})


class Jet:
    __slots__ = ("orders", "terms")

    def __init__(self, orders, terms):
        self.orders, self.terms = orders, terms

    @property
    def value(self):
        return self.terms[(0,) * len(self.orders)]

    def derivative(self, orders=None):
        """The derivative of those orders, by default of the highest."""
        orders = self.orders if orders is None else orders
        found = self.terms.get(tuple(orders))
        return self.value.like(0.0) if found is None else found * float(math.prod(map(math.factorial, orders)))

    def of(self, x):
        """A number as a jet."""
        return x if isinstance(x, Jet) else Jet(self.orders, {(0,) * len(self.orders): self.value.like(x)})

    def full(self):
        """The coefficients in order, zeros too."""
        return [self.terms.get(i) or self.value.like(0.0) for i in exponents(self.orders)]

    def each(self, function):
        return Jet(self.orders, {i: function(x) for i, x in self.terms.items()})

    def __add__(self, other):
        terms = dict(self.terms)
        for i, x in self.of(other).terms.items():
            terms[i] = terms[i] + x if i in terms else x
        return Jet(self.orders, terms)

    def __neg__(self):
        return self.each(lambda x: -x)

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        if not isinstance(other, Jet):
            return self.each(lambda x: x * other)
        terms: dict = {}
        for i, x in self.terms.items():
            for j, y in other.terms.items():
                k = tuple([a + b for a, b in zip(i, j)])
                if all([a <= n for a, n in zip(k, self.orders)]):
                    terms[k] = terms[k] + x * y if k in terms else x * y
        return Jet(self.orders, terms)

    def __truediv__(self, other):
        if not isinstance(other, Jet):
            return self.each(lambda x: x / other)
        terms = {}
        for i in exponents(self.orders):
            rest = self.terms.get(i)
            for j, y in other.terms.items():
                lower = tuple([a - b for a, b in zip(i, j)])
                if any(j) and lower in terms:
                    product = terms[lower] * y
                    rest = -product if rest is None else rest - product
            if rest is not None:
                terms[i] = rest / other.value
        return Jet(self.orders, terms)

    def __rtruediv__(self, other):
        return self.of(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def exp(self):
        terms = {}
        for i in exponents(self.orders):
            if not any(i):
                terms[i] = exp(self.value)
                continue
            axis = next(d for d, n in enumerate(i) if n)
            total = None
            for j, x in self.terms.items():
                lower = tuple([a - b for a, b in zip(i, j)])
                if j[axis] and lower in terms:
                    term = x * terms[lower] * (j[axis] / i[axis])
                    total = term if total is None else total + term
            if total is not None:
                terms[i] = total
        return Jet(self.orders, terms)

    def through(self, derivatives):
        """The jet of a function of this one, given its derivatives at the value: itself, first, second, ..."""
        moving = Jet(self.orders, {i: x for i, x in self.terms.items() if any(i)})
        out, power = self.of(derivatives[0]), None
        for n, d in enumerate(derivatives[1:], 1):
            power = moving if power is None else power * moving
            out = out + Jet(self.orders, {i: x * d * (1 / math.factorial(n)) for i, x in power.terms.items()})
        return out


def plain(x):
    return x.value if isinstance(x, Jet) else x


def parts(x):
    """The Numbers that a Number or Jet is made of."""
    return x.full() if isinstance(x, Jet) else [x]


def whole(like, numbers):
    """The inverse of `parts`."""
    return Jet(like.orders, dict(zip(exponents(like.orders), numbers))) if isinstance(like, Jet) else numbers[0]


def constant(like, value):
    """A number that does not move, in the form of `like`."""
    return like.of(value) if isinstance(like, Jet) else like.like(value)


def lgamma_of(x):
    """log |gamma| of a Number or Jet."""
    if not isinstance(x, Jet):
        return lgamma(x)
    return x.through([lgamma(x.value), *polygammas(x.value, sum(x.orders))])


def digamma_of(x):
    return x.through(polygammas(x.value, sum(x.orders) + 1)) if isinstance(x, Jet) else digamma(x)


def polygammas(x, count):
    """digamma and so many of its derivatives, less one."""
    return [digamma(x) if n == 0 else x.like(float(n)).apply("chlo.polygamma", x) for n in range(count)]


def exp_of(x):
    return x.exp() if isinstance(x, Jet) else exp(x)
