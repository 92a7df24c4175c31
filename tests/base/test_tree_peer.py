"""Pytrees do what JAX's do, and more where JAX gives up."""
import collections
import dataclasses

import pytest
from hypothesis import given

import gnomon.run.pytree  # noqa: F401  (makes the registries)
from gnomon import tree as gtree
from gnomon import tree_util
from gnomon.base.tree import argument_names

from .test_tree_properties import orderable

pytestmark = pytest.mark.peer

Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Layer:
    weight: object
    name: str = dataclasses.field(default="dense", metadata={"static": True})


TREES = [
    3, None, (), [], {}, {"w": 1, "b": [2, None, (3,)]}, Point(1, [2]), {2: 3, 1: 4}, [[[]], [None], ({},)],
    collections.OrderedDict([("z", 1), ("a", 2)]), collections.defaultdict(list, {"b": 1, "a": [2]}), "text", {1, 2},
]


def outcome(use):
    """What `use` gives, or the class of its error."""
    try:
        return use()
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("value", TREES, ids=str)
def test_same_leaves_structures_and_paths(peer, value):
    assert gtree.leaves(value) == peer.tree.leaves(value)
    assert str(gtree.structure(value)) == str(peer.tree.structure(value))
    ours, theirs = gtree.leaves_with_path(value), peer.tree.leaves_with_path(value)
    assert ours == theirs
    for simple in (False, True):
        assert [tree_util.keystr(path, simple=simple, separator="/") for path, _ in ours] == [
            peer.tree_util.keystr(path, simple=simple, separator="/") for path, _ in theirs]
    assert gtree.leaves(value, is_leaf=lambda x: x is None) == peer.tree.leaves(value, is_leaf=lambda x: x is None)


@given(orderable)
def test_same_leaves_of_random_trees(value):
    import jax

    if "Wrapped" not in str(gtree.structure(value)):
        assert gtree.flatten(value)[0] == jax.tree.leaves(value)
        assert str(gtree.structure(value)) == str(jax.tree.structure(value))
        assert gtree.map(str, value) == jax.tree.map(str, value)


USES = {
    "map": lambda m: m.tree.map(lambda a, b: (a, b), {"a": 1, "b": (2,)}, {"b": (3,), "a": [4]}),
    "map over less": lambda m: m.tree.map(lambda a, b: a, [1, 2], [1]),
    "map over None": lambda m: m.tree.map(lambda a, b: a, [1, None], [1, 2]),
    "map, is_leaf": lambda m: m.tree.map(len, [[1, 2], [3]], is_leaf=lambda x: len(x) < 3 and isinstance(x[0], int)),
    "map_with_path": lambda m: m.tree.map_with_path(lambda p, a: m.tree_util.keystr(p) + str(a), {"a": [1, 2]}),
    "is_leaf_takes_path": lambda m: m.tree.map_with_path(lambda p, a: a, {"a": [1]}, is_leaf=lambda p, x: len(p) == 1,
                                                         is_leaf_takes_path=True),
    "unflatten": lambda m: m.tree.unflatten(m.tree.structure([1, (2, 3)]), iter("abc")),
    "unflatten less": lambda m: m.tree.unflatten(m.tree.structure([1, 2]), [1]),
    "broadcast": lambda m: m.tree.broadcast({"a": 1, "b": (2, 3)}, {"a": [0, 0], "b": (0, {"c": 0})}),
    "broadcast None": lambda m: m.tree.broadcast([1, None], [[1, 2], 3]),
    "broadcast less": lambda m: m.tree.broadcast({"a": [1]}, {"a": [1, 2]}),
    "transpose": lambda m: m.tree.transpose(m.tree.structure([0, 0]), m.tree.structure({"a": 0}), [{"a": 1}, {"a": 2}]),
    "transpose, inner found": lambda m: m.tree.transpose(m.tree.structure([0, 0]), None, [{"a": 1}, {"a": 2}]),
    "transpose, other names": lambda m: m.tree.transpose(m.tree.structure([0]), m.tree.structure({"b": 0}), [{"a": 1}]),
    "transpose, wrong count": lambda m: m.tree.transpose(m.tree.structure([0]), m.tree.structure([0, 0]), [1]),
    "reduce": lambda m: m.tree.reduce(lambda a, b: f"({a}{b})", list("abc")),
    "reduce, initializer": lambda m: m.tree.reduce(lambda a, b: a + b, [], 3),
    "reduce nothing": lambda m: m.tree.reduce(max, []),
    "reduce_associative": lambda m: [m.tree.reduce_associative(lambda a, b: f"({a}{b})", list("abcdefgh")[:n])
                                     for n in range(1, 9)],
    "reduce_associative nothing": lambda m: m.tree.reduce_associative(max, []),
    "reduce_associative, identity": lambda m: m.tree.reduce_associative(max, [], identity=0),
    "all": lambda m: [m.tree.all([1, [0]]), m.tree.all([]), m.tree.all([1, [2]])],
    "all_leaves": lambda m: [m.tree_util.all_leaves(x) for x in ([1, 2], [1, None], [1, [2]], [])],
    "treedef_is_leaf": lambda m: [m.tree_util.treedef_is_leaf(m.tree.structure(x)) for x in (1, None, [1], [])],
    "treedef_children": lambda m: str(m.tree_util.treedef_children(m.tree.structure([1, {"a": 2}]))),
    "treedef_tuple": lambda m: str(m.tree_util.treedef_tuple([m.tree.structure(1), m.tree.structure([2])])),
    "one level": lambda m: [m.tree_util.flatten_one_level(x) for x in ({"b": 1, "a": [2]}, [1], None, (1, 2))],
    "one level of a leaf": lambda m: m.tree_util.flatten_one_level(3),
    "one level with keys": lambda m: [m.tree_util.flatten_one_level_with_keys(x) for x in ({"b": 1, "a": [2]}, (1, 2))],
    "is_tree_node": lambda m: [m.tree_util.is_tree_node(x) for x in (dict, int, type(None), Point, str, set)],
    "partial": lambda m: m.tree.leaves(m.tree_util.Partial(max, 1, key=None, default=3)),
    "partial of partial": lambda m: m.tree.leaves(m.tree_util.Partial(m.tree_util.Partial(max, 1), 2)),
    "partial called": lambda m: m.tree.map(lambda x: x + 1, m.tree_util.Partial(pow, 2))(3),
    "static": lambda m: [dict(m.tree.static(**k).metadata) for k in ({}, {"metadata": {"a": 1}})],
    "registering twice": lambda m: [m.tree_util.register_pytree_node(dict, len, len)],
    "not a class with fields": lambda m: m.tree_util.register_dataclass(Point),
    "half of the fields": lambda m: m.tree_util.register_dataclass(Layer, ["weight"]),
    "too few fields": lambda m: m.tree_util.register_dataclass(Layer, [], []),
    "too many fields": lambda m: m.tree_util.register_dataclass(Layer, ["weight", "x"], ["name"]),
}


class Ours:
    tree, tree_util = gtree, tree_util


@pytest.mark.parametrize("name", USES)
def test_same_outcome(peer, name):
    assert outcome(lambda: USES[name](Ours)) == outcome(lambda: USES[name](peer))


def test_a_class_registered_with_both(peer):
    tree_util.register_dataclass(Layer)
    peer.tree_util.register_dataclass(Layer)
    value = [Layer({"b": 1, "a": 2}, "x")]
    assert gtree.flatten(value)[0] == peer.tree.leaves(value)
    assert str(gtree.structure(value)) == str(peer.tree.structure(value))
    assert gtree.leaves_with_path(value) == peer.tree.leaves_with_path(value)


def test_same_public_names(peer):
    for ours, theirs in ((gtree, peer.tree), (tree_util, peer.tree_util)):
        names = {name for name in dir(theirs) if not name.startswith("_")}
        assert names <= set(dir(ours)) | {"annotations"}, names - set(dir(ours))


def some_function(x, params, *rest, k, **options):
    return x


@pytest.mark.parametrize("function, args, kwargs", [
    (some_function, (1.0, {"w": 1.0, "b": [1.0, 2.0]}, 3.0, (4.0, 5.0)), {"k": {"q": 1.0}, "zz": [3.0], "a": 1.0}),
    (lambda *a, **k: 1.0, (1.0,), {"b": 2.0}), (lambda a, b=3.0: a, (), {"b": 1.0, "a": 2.0}),
])
def test_same_names_of_arguments(peer, function, args, kwargs):
    theirs = peer.make_jaxpr(function)(*args, **kwargs).jaxpr.debug_info.arg_names
    assert tuple(argument_names(function, args, kwargs)) == theirs
