"""Laws of pytrees, on trees drawn at random."""
import collections
import enum

import hypothesis.strategies as st
from hypothesis import given

import gnomon.run.pytree  # noqa: F401  (makes the registries)
from gnomon.base import tree
from gnomon.base.tree import tree_flatten, tree_leaves, tree_map, tree_structure

Point = collections.namedtuple("Point", "x y")
Colour = enum.Enum("Colour", "RED GREEN BLUE")
DICTS = (dict, collections.OrderedDict)


@tree.register_pytree_node_class
class Wrapped:
    def __init__(self, content, tag):
        self.content, self.tag = content, tag

    def tree_flatten(self):
        return (self.content,), self.tag

    @classmethod
    def tree_unflatten(cls, tag, children):
        return cls(*children, tag)

    def __eq__(self, other):
        return type(other) is Wrapped and (self.content, self.tag) == (other.content, other.tag)


def trees_with(keys):
    def containers(children):
        dicts = st.dictionaries(keys, children, max_size=4)
        return st.one_of(
            st.lists(children, max_size=3), st.lists(children, max_size=3).map(tuple), dicts,
            dicts.map(collections.OrderedDict), st.builds(Point, children, children),
            st.builds(Wrapped, children, st.sampled_from("ab")))
    return st.recursive(st.integers() | st.none(), containers, max_leaves=12)


orderable = trees_with(st.sampled_from("abcdefgh"))
trees = trees_with(st.sampled_from([*"abc", 0, 1, 2.5, *Colour, None, (1, 2)]))


def naive_leaves(node):
    """The leaves, said once more: the sorted keys of a dict, or for what cannot be sorted any order that is fixed."""
    if node is None:
        return []
    if type(node) is dict:
        return [leaf for key in tree.leaf_order(node) for leaf in naive_leaves(node[key])]
    if type(node) is collections.OrderedDict:
        return [leaf for child in node.values() for leaf in naive_leaves(child)]
    if type(node) in (list, tuple, Point):
        return [leaf for child in node for leaf in naive_leaves(child)]
    if type(node) is Wrapped:
        return naive_leaves(node.content)
    return [node]


def naive_map(function, node):
    if node is None:
        return None
    if type(node) in DICTS:
        return type(node)((key, naive_map(function, child)) for key, child in node.items())
    if type(node) is Point:
        return Point(*(naive_map(function, child) for child in node))
    if type(node) in (list, tuple):
        return type(node)(naive_map(function, child) for child in node)
    if type(node) is Wrapped:
        return Wrapped(naive_map(function, node.content), node.tag)
    return function(node)


def key_orders(node):
    """The orders of the keys of all dicts, from outside in."""
    if type(node) in DICTS:
        return [list(node)] + [order for child in node.values() for order in key_orders(child)]
    if type(node) in (list, tuple, Point):
        return [order for child in node for order in key_orders(child)]
    return key_orders(node.content) if type(node) is Wrapped else []


def refilled(node):
    """An equal tree whose dicts were filled in the reverse order."""
    if type(node) is dict:
        return {key: refilled(child) for key, child in reversed(node.items())}
    if type(node) is collections.OrderedDict:
        return collections.OrderedDict((key, refilled(child)) for key, child in node.items())
    if type(node) in (list, tuple):
        return type(node)(map(refilled, node))
    if type(node) is Point:
        return Point(*map(refilled, node))
    return Wrapped(refilled(node.content), node.tag) if type(node) is Wrapped else node


@given(trees)
def test_unflatten_undoes_flatten(value):
    leaves, structure = tree_flatten(value)
    assert leaves == naive_leaves(value) == tree_leaves(value)
    assert structure.unflatten(leaves) == value
    assert structure.num_leaves == len(leaves)
    assert structure == tree_structure(structure.unflatten(leaves))


@given(trees)
def test_map_is_the_naive_map_with_keys_in_their_order(value):
    out, expected = tree_map(str, value), naive_map(str, value)
    assert out == expected
    assert key_orders(out) == key_orders(value)


@given(trees)
def test_map_of_identity_and_of_two(value):
    assert tree_map(lambda x: x, value) == value
    assert tree_map(lambda x, y: (x, y), value, refilled(value)) == naive_map(lambda x: (x, x), value)


@given(trees)
def test_the_order_of_filling_does_not_matter(value):
    assert tree_flatten(value) == tree_flatten(refilled(value))
    assert hash(tree_structure(value)) == hash(tree_structure(refilled(value)))


@given(orderable)
def test_both_registries_agree_where_keys_can_be_compared(value):
    leaves, structure = tree.standard.flatten(value)
    other_leaves, other = tree.ordered.flatten(value)
    assert leaves == other_leaves and structure.unflatten(leaves) == other.unflatten(leaves)
    assert tree.difference(structure, other) is None and tree.difference(other, structure) is None
    assert tree.in_ordered(structure) == other


@given(trees)
def test_paths_lead_to_their_leaves(value):
    found, structure = tree.tree_flatten_with_path(value)
    assert [leaf for _, leaf in found] == tree_leaves(value) and structure == tree_structure(value)
    for path, leaf in found:
        node = value
        for entry in path:
            if isinstance(entry, tree.FlattenedIndexKey):
                node = node.content
            else:
                node = getattr(node, entry.name) if isinstance(entry, tree.GetAttrKey) else node[
                    entry.idx if isinstance(entry, tree.SequenceKey) else entry.key]
        assert node is leaf or node == leaf


@given(trees, st.data())
def test_a_prefix_broadcasts_to_the_whole(value, data):
    """Cut a tree anywhere: what is left is a prefix of it, and each cut covers the leaves that were below."""
    cut = data.draw(st.lists(st.booleans(), min_size=1, max_size=8))
    turn = [0]

    def stop(node):
        turn[0] += 1
        return cut[turn[0] % len(cut)]

    subtrees, structure = tree_flatten(value, is_leaf=stop)
    prefix = structure.unflatten(range(len(subtrees)))
    expected = [i for i, subtree in enumerate(subtrees) for _ in tree_leaves(subtree)]
    assert tree.flatten_axes("axes", tree_structure(value), prefix) == expected
    assert structure.flatten_up_to(value) == subtrees


@given(trees, trees)
def test_differences_are_found_exactly_where_structures_differ(one, two):
    a, b = tree_structure(one), tree_structure(two)
    assert (tree.difference(a, b) is None and tree.difference(b, a) is None) == (
        tree.in_ordered(a) == tree.in_ordered(b))


@given(st.lists(trees, min_size=1, max_size=3), st.integers(1, 3))
def test_transposing_twice_changes_nothing(outer, count):
    outer, inner = tree_structure(outer), tree_structure([0] * count)
    whole = tree.treedef_compose(outer, inner)
    value = whole.unflatten(range(whole.num_leaves))
    turned = tree.tree_transpose(outer, inner, value)
    assert tree.tree_transpose(inner, outer, turned) == value


@given(trees)
def test_one_level_at_a_time_reaches_the_leaves(value):
    def walk(node):
        if not tree.is_tree_node(type(node)):
            return [node]
        children, _ = tree.flatten_one_level(node)
        assert [child for _, child in tree.flatten_one_level_with_keys(node)[0]] == list(children)
        return [leaf for child in children for leaf in walk(child)]

    assert walk(value) == tree_leaves(value)
