"""Symbolic sizes: arithmetic, what can be decided, their text, and the numbers that given sizes say."""
import operator
import pickle

import pytest
from hypothesis import given, settings, strategies as st

from gnomon.base.errors import InconclusiveDimensionOperation
from gnomon.export import SymbolicScope, is_symbolic_dim, symbolic_dim_bounds, symbolic_shape
from gnomon.types.size import max_size, min_size
from gnomon.types.symbolic import SymbolicSize, solve

SCOPE = SymbolicScope()
VARIABLES = symbolic_shape("a, b, c", scope=SCOPE)
OPERATIONS = [operator.add, operator.sub, operator.mul, max_size, min_size]
DIVISIONS = [operator.floordiv, operator.mod]
trees = st.recursive(st.one_of(st.sampled_from(range(3)), st.integers(-4, 9).map(lambda n: ("number", n))),
                     lambda inner: st.one_of(st.tuples(st.sampled_from(OPERATIONS), inner, inner),
                                             st.tuples(st.sampled_from(DIVISIONS), inner, st.sampled_from([1, 2, 3, 5, 0, 1, 2]))), max_leaves=6)


def built(tree, values):
    """What a tree of operations gives: a divisor is a number, or 0, 1 or 2 for a variable."""
    if isinstance(tree, int):
        return values[tree]
    if tree[0] == "number":
        return tree[1]
    operation, a, b = tree
    a = built(a, values)
    return operation(a, (values[0] if b == 0 else b) if operation in DIVISIONS else built(b, values))


@settings(max_examples=150, deadline=None)
@given(trees, st.lists(st.integers(1, 12), min_size=3, max_size=3))
def test_arithmetic_is_that_of_the_numbers(tree, numbers):
    size = built(tree, VARIABLES)
    wanted = built(tree, numbers)
    if not isinstance(size, SymbolicSize):
        assert size == wanted
        return
    assert size.value(dict(zip("abc", numbers))) == wanted
    low, high = symbolic_dim_bounds(size)
    assert low <= wanted <= high
    assert symbolic_shape(f"max({size}, 0)", scope=SCOPE)[0] is max_size(size, 0)       # the text says it whole


@pytest.mark.parametrize("compare", [operator.ge, operator.gt, operator.le, operator.lt])
@settings(max_examples=40, deadline=None)
@given(trees, trees, st.lists(st.integers(1, 12), min_size=3, max_size=3))
def test_comparisons_hold_for_all_numbers(compare, left, right, numbers):
    try:
        found = compare(built(left, VARIABLES), built(right, VARIABLES))
    except InconclusiveDimensionOperation:
        return
    assert found == compare(built(left, numbers), built(right, numbers))


def test_normal_forms():
    a, b, c = VARIABLES
    assert (a + b) * (a - b) is a * a - b * b
    assert a - a == 0 and a * 0 == 0 and a // a == 1 and a % a == 0
    assert (2 * a * b + 4 * a) // (2 * a) is b + 2 and (6 * a) // 3 is 2 * a and (6 * a) % 3 == 0
    assert str((5 * a + 3) // 2) == "2*a + floordiv(a + 1, 2) + 1" and str(a ** 2 - 2 * b * a - 1) == "-2*a*b + a^2 - 1"
    assert a != b and a is not b and len({a, b, a + 0}) == 2
    assert is_symbolic_dim(a) and not is_symbolic_dim(3)
    again = pickle.loads(pickle.dumps(2 * a + 1))
    assert str(again) == "2*a + 1" and again.scope is not SCOPE


def test_what_is_decided():
    a, b, c = VARIABLES
    assert a >= 1 and a + b >= 2 and 2 * a * b >= a and a // 2 * 2 <= a and a % 4 < 4 and a - 1 >= 0 and b % a < a
    assert max_size(a, 1) is a and min_size(a, 0) == 0 and max_size(a + b, b) is a + b
    assert str(max_size(a, b)) == "max(a, b)" and max_size(a, b) >= b and min_size(a, b) <= a
    with pytest.raises(InconclusiveDimensionOperation, match=r'Whether a > b depends .* constraints=\["a >= b \+ 1"\]'):
        a > b
    assert symbolic_dim_bounds(a) == (1, float("inf")) and symbolic_dim_bounds(a % 5) == (0, 4) and symbolic_dim_bounds(7) == (7, 7)


def test_constraints():
    a, b, n, k = symbolic_shape("a, b, n, k", constraints=["a >= b", "mod(b, 2) == 0", "n == 3*b", "k <= 8"])
    assert a >= b and 2 * a >= 2 * b and b % 2 == 0 and n is 3 * b and n // 3 is b and k <= 8
    assert symbolic_dim_bounds(k) == (1, 8)
    assert symbolic_shape("m", constraints=["m == 5"]) == (5,)
    with pytest.raises(ValueError, match="The sizes a = 1, b = 2 break a constraint that was given: a >= b"):
        solve([(a, 1, "x"), (b, 2, "y")])


def test_what_sizes_are_given_by():
    a, b, _ = VARIABLES
    assert solve([(a * b, 6, "x"), (b, 3, "y"), (4, 4, "z")]) == {"a": 2, "b": 3}
    assert solve([(2 * a + 1, 7, "x")]) == {"a": 3}
    for equations, message in (([(2 * a, 7, "dimension 0")], "dimension 0 must be 2.a with a an integer of at least 1, got 7"),
                               ([(a, 2, "x"), (a + 1, 5, "dimension 1")], r"dimension 1 must be a \+ 1, which is 3 for a = 2, got 5"),
                               ([(a, 0, "x")], "x must be a with a an integer of at least 1, got 0"),
                               ([(a * b, 6, "x")], "do not say what a, b are"), ([(4, 5, "x")], "x must be 4, got 5")):
        with pytest.raises(ValueError, match=message):
            solve(equations)


@pytest.mark.parametrize("text, options, wanted", [
    ("2, n", {}, "(2, n)"), ("(n, 3)", {}, "(n, 3)"), ("n,", {}, "(n,)"), ("", {}, "()"), ("(n + 1)*2, (n)", {}, "(2*n + 2, n)"),
    ("_, n", dict(like=(4, None)), "(4, n)"), ("n, ...", dict(like=(None, 5, 6)), "(n, 5, 6)"), (None, dict(like=(1, 2)), "(1, 2)"),
    ("floordiv(n, 2), mod(n, 3), non_negative(n - 4), max(n, 2), min(n, 2), n^2", {},
     "(floordiv(n, 2), mod(n, 3), max(n - 4, 0), max(n, 2), min(n, 2), n^2)")])
def test_shapes_from_text(text, options, wanted):
    assert str(symbolic_shape(text, **options)) == wanted


@pytest.mark.parametrize("text, options, message", [
    ("a b", {}, "The symbolic size 'a b' has 'b' where an operation should be."),
    ("a +", {}, "has its end where a variable, a number"), ("sin(a)", {}, "one of floordiv, mod, max, min, non_negative"),
    ("(a", {}, "has its end where"), ("-1", {}, "has the size -1, which is negative"), ("floordiv(a)", {}, "gives floordiv 1 values"),
    ("_", {}, "'_', for which `like` must be a shape"), ("...", {}, "for which `like` must be a shape"),
    ("_", dict(like=(None,)), "leaves a size to `like`, which does not say it"), ("3, n", dict(like=(4, 4)), "has 3 where `like` has 4"),
    ("n", dict(like=(4, 4)), "has 1 dimensions and `like` has 2"), ("n", dict(constraints=["n > 3"]), "two expressions with ==, >= or <="),
    ("n", dict(constraints=["2*n == 4"]), "left side of the constraint"), ("n", dict(constraints=["3 >= 4"]), "cannot be met"),
    ("n", dict(constraints=["n >= 2"], scope=SCOPE), "both scope and constraints")])
def test_bad_shapes(text, options, message):
    with pytest.raises(ValueError) as error:
        symbolic_shape(text, **options)
    assert message in str(error.value)


def test_sizes_of_different_scopes_do_not_meet():
    a, = symbolic_shape("a")
    with pytest.raises(ValueError, match="The sizes a and a are of different scopes"):
        a + VARIABLES[0]
