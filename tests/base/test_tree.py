"""Pytrees: flattening and what is built on it, key paths, prefixes, registration, names of arguments."""
import collections
import copy
import dataclasses
import enum
import functools
import pickle
import subprocess
import sys
import threading

import pytest

import gnomon.run.pytree  # noqa: F401  (makes the registries)
from gnomon import tree as gtree
from gnomon import tree_util
from gnomon.base import tree
from gnomon.base.tree import keystr, tree_flatten, tree_leaves, tree_map, tree_structure

Point = collections.namedtuple("Point", "x y")


class Side(enum.Enum):
    LEFT = 2
    RIGHT = 1


class Named(str, enum.Enum):
    A = "a"


@tree.register_dataclass
@dataclasses.dataclass
class Layer:
    weight: object
    bias: object
    name: str = tree.static(default="dense")


@tree.register_pytree_node_class
class Box:
    def __init__(self, content):
        self.content = content

    def tree_flatten(self):
        return (self.content,), "box"

    @classmethod
    def tree_unflatten(cls, data, children):
        assert data == "box"
        return cls(*children)


# --- flattening ---


@pytest.mark.parametrize("value, leaves, text", [
    (3, [3], "*"), (None, [], "None"), ((), [], "()"), ([], [], "[]"), ({}, [], "{}"),
    ({"w": 1, "b": [2, None, (3,)]}, [2, 3, 1], "{'b': [*, None, (*,)], 'w': *}"),
    (Point(1, [2]), [1, 2], "CustomNode(namedtuple[Point], [*, [*]])"),
    (collections.OrderedDict([("z", 1), ("a", 2)]), [1, 2], "CustomNode(OrderedDict[('z', 'a')], [*, *])"),
    (Layer(1, {"a": 2}), [1, 2], "CustomNode(Layer[('dense',)], [*, {'a': *}])"),
    (Box([1]), [1], "CustomNode(Box[box], [[*]])"),
])
def test_leaves_and_structure(value, leaves, text):
    found, structure = tree_flatten(value)
    assert found == leaves and str(structure) == f"PyTreeDef({text})"
    assert (structure.num_leaves, structure) == (len(leaves), tree_structure(value))
    again = structure.unflatten(found)
    assert type(again) is type(value) and tree_flatten(again) == (found, structure)


def test_structure_of_a_dict_prints_sorted():
    assert str(gtree.structure({"w": 0.0, "layers": [1.0, 2.0]})) == "PyTreeDef({'layers': [*, *], 'w': *})"


def test_strings_sets_and_subclasses_are_leaves():
    class MyDict(dict):
        pass

    for value in ("ab", {1, 2}, MyDict(a=1), range(3), functools.partial(len, [1])):
        assert tree_leaves([value]) == [value]


def test_unflatten_wants_as_many_leaves():
    structure = tree_structure([1, (2, 3)])
    assert tree.unflatten(structure, iter("abc")) == ["a", ("b", "c")]
    for leaves in ([1, 2], [1, 2, 3, 4]):
        with pytest.raises(ValueError, match="expected 3"):
            tree.unflatten(structure, leaves)


def test_is_leaf():
    value = {"a": [1, 2], "b": (3, None)}
    assert tree_leaves(value, is_leaf=lambda x: isinstance(x, list)) == [[1, 2], 3]
    assert tree_leaves(value, is_leaf=lambda x: x is None) == [1, 2, 3, None]
    assert tree_leaves(value, is_leaf=lambda x: True) == [value]
    assert tree_map(type, value, is_leaf=lambda x: x is None) == {"a": [int, int], "b": (int, type(None))}


def test_defaultdict_keeps_its_factory():
    value = collections.defaultdict(list, {"b": 1, "a": 2})
    again = tree_map(lambda x: -x, value)
    assert type(again) is collections.defaultdict and again == {"b": -1, "a": -2} and again["new"] == []


def test_an_error_of_a_class_reaches_the_user():
    class Bad:
        pass

    def flatten(node):
        raise ValueError("my own words")

    tree.register_pytree_node(Bad, flatten, lambda data, children: Bad())
    for use in (tree_leaves, tree_structure, tree.tree_leaves_with_path, functools.partial(tree_map, abs)):
        with pytest.raises(ValueError, match="my own words"):
            use([Bad()])


# --- the order and the kind of a dict's keys ---


def test_map_keeps_the_order_of_keys():
    value = {"z": 0, "a": {"y": 1, "b": [2]}, "m": 3}
    out = tree_map(lambda x: x + 1, value)
    assert out == {"z": 1, "a": {"y": 2, "b": [3]}, "m": 4}
    assert list(out) == ["z", "a", "m"] and list(out["a"]) == ["y", "b"]


def test_map_keeps_the_order_inside_classes():
    out = tree_map(lambda x: x, [Box(Layer({"z": 1, "a": 2}, Point({"y": 3, "b": 4}, None)))])
    layer = out[0].content
    assert list(layer.weight) == ["z", "a"] and list(layer.bias.x) == ["y", "b"]


def test_map_calls_in_the_order_of_sorted_keys():
    calls = []
    tree_map(calls.append, {"z": 1, "a": {"y": 2, "b": 3}})
    assert calls == [3, 2, 1]


def test_map_keeps_the_order_of_the_first_tree():
    out = tree_map(lambda x, y: (x, y), {"z": 1, "a": 2}, {"a": 20, "z": 10})
    assert out == {"z": (1, 10), "a": (2, 20)} and list(out) == ["z", "a"]
    assert list(tree.tree_map_with_path(lambda path, x: x, {"z": 1, "a": 2})) == ["z", "a"]
    assert list(tree.tree_broadcast(0, {"z": 1, "a": 2})) == ["z", "a"]


def test_equal_dicts_have_equal_structures():
    one, two = {"z": 1, "a": 2}, {"a": 2, "z": 1}
    assert tree_flatten(one) == tree_flatten(two)
    assert hash(tree_structure(one)) == hash(tree_structure(two))


mixed = [
    {Side.RIGHT: 1, Side.LEFT: 2}, {1: 1, "a": 2}, {"b": {None: 1, (1, 2): 2, "x": 3}, "a": [4]},
    Layer({int: 1, 3: 2}, {"a": 3}), {2: {object: 1, 5: [2]}, 1.5: 3},
]


@pytest.mark.parametrize("value", mixed)
def test_keys_that_cannot_be_compared(value):
    leaves, structure = tree_flatten(value)
    assert sorted(leaves) == list(range(1, len(leaves) + 1))
    assert structure == tree_structure(copy.copy(value)) and hash(structure) == hash(tree_structure(value))
    assert structure.unflatten(leaves) == value
    assert tree_map(lambda x: x, value) == value
    assert tree_map(lambda x, y: x + y, value, value) == tree_map(lambda x: 2 * x, value)
    assert [leaf for _, leaf in tree.tree_leaves_with_path(value)] == leaves
    assert tree.tree_map_with_path(lambda path, x: x, value) == value
    assert structure.flatten_up_to(value) == leaves
    assert tree_leaves(value, is_leaf=lambda x: x is None) == leaves
    assert tree.tree_broadcast(7, value) == tree_map(lambda x: 7, value)


def test_such_dicts_flatten_alike_in_any_order():
    one, two = {Side.RIGHT: 1, Side.LEFT: 2, "s": 3, 0: 4}, {0: 4, Side.LEFT: 2, "s": 3, Side.RIGHT: 1}
    assert tree_flatten(one) == tree_flatten(two)
    assert tree_flatten(one)[0] == [4, 3, 2, 1]  # by type, and there by value or name
    assert tree_structure({Side.LEFT: 1}) != tree_structure({Side.RIGHT: 1})


def test_such_dicts_where_structures_are_put_together():
    outer, inner = tree_structure([0, 0]), tree_structure({"a": 0, 1: 0})
    out = tree.tree_transpose(outer, inner, [{"a": 1, 1: 2}, {"a": 3, 1: 4}])
    assert out == {"a": [1, 3], 1: [2, 4]}
    pair = tree.treedef_tuple([outer, inner])
    assert pair == tree_structure(([0, 0], {"a": 0, 1: 0})) and pair.num_leaves == 4
    assert tree.treedef_compose(outer, inner).num_leaves == 4


def test_equal_keys_of_other_types_come_back_as_they_were():
    for keys in ([1, 2], [1.0, 2], [True, 2], ["a", "b"], [Named.A, "b"]):
        assert list(map(type, tree_map(lambda x: x, dict.fromkeys(keys, 0)))) == list(map(type, keys))


# --- mapping and reducing ---


def test_map_over_several_trees():
    assert tree_map(lambda a, b, c: (a, b, c), [1, 2], [3, [4]], [{}, 5]) == [(1, 3, {}), (2, [4], 5)]


@pytest.mark.parametrize("one, two, sentence", [
    ({"a": 1}, {"b": 1}, "at the root tree 1 has a dict with keys 'a' and tree 2 has a dict with keys 'b'."),
    ({"q": [1, 2]}, {"q": [1]}, "at ['q'] tree 1 has a list of 2 and tree 2 has a list of 1."),
    ([1, [None]], [1, [2]], "at [1][0] tree 1 has None and tree 2 has a leaf."),
    (Layer(1, (2,)), Layer(1, [2]), "at .bias tree 1 has a tuple of 1 and tree 2 has a list of 1."),
    (Layer(1, 2, "a"), Layer(1, 2, "b"), "at the root tree 1 has a Layer of 2 with ('a',) and tree 2 has a Layer of 2 "
     "with ('b',)."),
    (Point(1, {}), Point(1, 5), "at .y tree 1 has an empty dict and tree 2 has a leaf."),
    ({Side.LEFT: [1]}, {Side.LEFT: 1}, "at [<Side.LEFT: 2>] tree 1 has a list of 1 and tree 2 has a leaf."),
    (collections.defaultdict(int, b=1, a=[2]), collections.defaultdict(int, b=1, a=3),
     "at ['a'] tree 1 has a list of 1 and tree 2 has a leaf."),
    (Box([1]), Box(3), "at [<flat index 0>] tree 1 has a list of 1 and tree 2 has a leaf."),
])
def test_map_over_trees_that_differ(one, two, sentence):
    start = "tree 2 does not have the structure of tree 1; "
    with pytest.raises(ValueError) as caught:
        tree_map(lambda a, b: a, one, two)
    assert str(caught.value) == "tree.map: " + start + sentence
    with pytest.raises(ValueError) as caught:
        tree.tree_map_with_path(lambda path, a, b: a, one, two)
    assert str(caught.value) == "tree.map_with_path: " + start + sentence


def test_map_lets_every_error_through():
    for error in (KeyError("k"), StopIteration(), ValueError("v")):
        def fail(x):
            raise error
        with pytest.raises(type(error)) as caught:
            tree_map(fail, [1])
        assert caught.value is error


def test_reduce():
    assert tree.tree_reduce(lambda a, b: a + b, {"b": "y", "a": "x"}, "!") == "!xy"
    assert tree.tree_reduce(lambda a, b: b, [], None) is None
    with pytest.raises(TypeError, match="needs an initializer"):
        tree.tree_reduce(max, [None])
    assert tree.tree_reduce_associative(lambda a, b: (a, b), [1, 2, 3]) == (1, (2, 3))
    assert tree.tree_reduce_associative(max, [], identity=0) == 0
    with pytest.raises(TypeError, match="needs an identity"):
        tree.tree_reduce_associative(max, {})


def test_all():
    assert tree.tree_all([]) and tree.tree_all([1, {"a": [2]}]) and not tree.tree_all([1, {"a": [0]}])
    assert tree.tree_all([[]], is_leaf=lambda x: x == []) is False


def test_transpose():
    value = {"a": (1, [2]), "b": (3, [4])}
    outer, inner = tree_structure({"a": 0, "b": 0}), tree_structure((0, [0]))
    assert tree.tree_transpose(outer, inner, value) == ({"a": 1, "b": 3}, [{"a": 2, "b": 4}])
    assert tree.tree_transpose(outer, None, value) == tree.tree_transpose(outer, inner, value)
    with pytest.raises(TypeError, match=r"has 4 leaves and not 2 times 3; at \['a'\]\[1\] it has a list of 1 in place "
                                        r"of a list of 2"):
        tree.tree_transpose(outer, tree_structure((0, [0, 0])), value)
    with pytest.raises(ValueError, match="give inner_treedef"):
        tree.tree_transpose(tree_structure([]), None, [])


def test_all_leaves():
    assert tree.all_leaves([1, "a"]) and tree.all_leaves([]) and not tree.all_leaves([1, None])
    assert tree.all_leaves(iter([1, [2]]), is_leaf=lambda x: isinstance(x, list))


def test_one_level():
    assert tree.flatten_one_level({1: "a", "b": 2}) == (("a", 2), tree.keys_of((1, "b")))
    keys, data = tree.flatten_one_level_with_keys(Point(1, 2))
    assert [keystr((key,)) for key, _ in keys] == [".x", ".y"] and data is Point
    assert tree.flatten_one_level(Box(1)) == ((1,), "box")
    for use in (tree.flatten_one_level, tree.flatten_one_level_with_keys):
        with pytest.raises(ValueError, match="a int is a leaf; register"):
            use(3)


# --- key paths ---


def test_key_paths():
    value = {"a": [1, Point(2, 3)], "b": Layer(4, Box(5)), "c": collections.OrderedDict(z=6)}
    paths = [path for path, _ in tree.tree_leaves_with_path(value)]
    assert [keystr(path) for path in paths] == [
        "['a'][0]", "['a'][1].x", "['a'][1].y", "['b'].weight", "['b'].bias[<flat index 0>]", "['c']['z']"]
    assert [keystr(path, simple=True, separator="/") for path in paths] == [
        "a/0", "a/1/x", "a/1/y", "b/weight", "b/bias/0", "c/z"]
    assert paths[1] == (tree_util.DictKey("a"), tree_util.SequenceKey(1), tree_util.GetAttrKey("x"))
    assert keystr(("mine", 3)) == "mine3" and keystr(("mine", 3), simple=True, separator=".") == "mine.3"


def test_is_leaf_may_take_the_path():
    deep = lambda path, x: len(path) == 2
    found = tree.tree_leaves_with_path({"a": [1, [2]]}, is_leaf=deep, is_leaf_takes_path=True)
    assert [leaf for _, leaf in found] == [1, [2]]
    found = tree.tree_map_with_path(lambda path, x: keystr(path), {"a": [1, [2]]}, is_leaf=lambda x: x == [2])
    assert found == {"a": ["['a'][0]", "['a'][1]"]}


# --- prefixes ---


def test_broadcast():
    full = {"a": [1, 2], "b": (3, None)}
    assert tree.tree_broadcast({"a": 0, "b": 9}, full) == {"a": [0, 0], "b": (9, None)}
    assert tree.broadcast_prefix(0, full) == [0, 0, 0]
    assert tree.broadcast_prefix({"a": 0, "b": (1, None)}, full) == [0, 0, 1]
    with pytest.raises(ValueError) as caught:
        tree.tree_broadcast({"a": [0], "b": 1}, full)
    assert str(caught.value) == ("tree.broadcast: prefix_tree must have the structure of full_tree or be a prefix of "
                                 "it; at ['a'] there is a list of 2 in full_tree and a list of 1 in prefix_tree.")


def test_flatten_axes():
    structure = tree_structure(({"a": 1, "b": [2, None]}, 3))
    assert tree.flatten_axes("vmap in_axes", structure, 0) == [0, 0, 0]
    assert tree.flatten_axes("vmap in_axes", structure, None) == [None] * 3
    assert tree.flatten_axes("vmap in_axes", structure, (None, 1)) == [None, None, 1]
    assert tree.flatten_axes("vmap in_axes", structure, ({"a": None, "b": [2, None]}, "x")) == [None, 2, "x"]


@pytest.mark.parametrize("axes, sentence", [
    ({"a": 0}, "at the root there is a tuple of 2 in the arguments and a dict with keys 'a' in in_axes; "
               "give a tuple with 2 entries."),
    ((0,), "at the root there is a tuple of 2 in the arguments and a tuple of 1 in in_axes; "
           "give a tuple with 2 entries."),
    (({"a": 0}, 0), "at params there is a dict with keys 'a', 'b' in the arguments and a dict with keys 'a' in "
                    "in_axes."),
    (({"a": 0, "b": (0, 0)}, 0), "at params['b'] there is a list of 2 in the arguments and a tuple of 2 in in_axes."),
    (({"a": [0], "b": 0}, 0), "at params['a'] there is a leaf in the arguments and a list of 1 in in_axes."),
])
def test_axes_that_do_not_fit(axes, sentence):
    structure = tree_structure(({"a": 1, "b": [2, 3]}, 3))
    with pytest.raises(ValueError) as caught:
        tree.flatten_axes("vmap in_axes", structure, axes, roots=("params", "x"))
    assert str(caught.value) == ("vmap in_axes must have the structure of the arguments or be a prefix of it; "
                                 + sentence)


def test_axes_of_dicts_that_cannot_be_compared():
    """A prefix may be flattened by the other registry than what it is a prefix of."""
    structure = tree_structure(({"a": 1, "b": {1: 2, "c": 3}},))
    assert tree.flatten_axes("vmap in_axes", structure, ({"b": 0, "a": None},)) == [None, 0, 0]


# --- names of arguments ---


def some_function(x, params, *rest, k, **options):
    return x


def test_names_of_arguments():
    names = tree.argument_names(some_function, (1, {"w": 1, "b": [1, 2]}, 3, (4, None, 5)),
                                {"k": {"q": 1}, "zz": [3], "a": 1})
    assert names == ["x", "params['b'][0]", "params['b'][1]", "params['w']", "rest[0]", "rest[1][0]", "rest[1][2]",
                     "options['a']", "k['q']", "options['zz'][0]"]


def test_names_of_arguments_some_of_which_were_left_out():
    assert tree.argument_names(some_function, (1, 2), {}, positions=(1, 3)) == ["params", "rest[1]"]


@pytest.mark.parametrize("function, names", [
    (functools.partial(some_function, 1), ["params", "rest[0]"]),
    (lambda a, b: a, ["a", "b"]), (lambda a, /, *, c: a, ["a", "args[0]"]), (min, ["args[0]", "args[1]"]),
    (3, ["args[0]", "args[1]"]),
])
def test_names_of_arguments_of_odd_functions(function, names):
    assert tree.argument_names(function, (1, 2), {}) == names


# --- registering ---


def test_a_subclass_is_not_registered_with_its_base():
    class BigBox(Box):
        pass

    assert not tree.is_tree_node(BigBox) and tree.is_tree_node(Box) and tree.is_tree_node(type(None))


@pytest.mark.parametrize("use, error, sentence", [
    (lambda: tree.register_pytree_node(3, len, len), TypeError, "register_pytree_node takes a class, not 3."),
    (lambda: tree.register_pytree_node(bytes, None, len), TypeError,
     "register_pytree_node(bytes): flatten_func must be a function, not None."),
    (lambda: tree.register_pytree_node_class(Box), ValueError,
     "Box is registered as a pytree node already; register a class once."),
    (lambda: tree.register_dataclass(Layer), ValueError,
     "Layer is registered as a pytree node already; register a class once."),
    (lambda: tree.register_dataclass(bytes), TypeError,
     "register_dataclass(bytes) needs data_fields and meta_fields, for the class is not a dataclass."),
    (lambda: tree.register_dataclass(Layer, ["weight"]), TypeError,
     "register_dataclass(Layer) needs both data_fields and meta_fields, or neither."),
    (lambda: tree.register_dataclass(Layer, ["weight"], ["name"]), ValueError,
     "register_dataclass(Layer) leaves out 'bias'; name them in data_fields, meta_fields or drop_fields."),
    (lambda: tree.register_dataclass(Layer, ["weight", "bias", "z"], ["name"]), ValueError,
     "register_dataclass(Layer) names 'z', which its constructor does not take; leave them out, with drop_fields where "
     "the fields are found by themselves."),
])
def test_wrong_registrations(use, error, sentence):
    with pytest.raises(error) as caught:
        use()
    assert str(caught.value) == sentence


def test_built_in_containers_are_registered_already():
    for kind in (dict, list, tuple, type(None), collections.OrderedDict):
        with pytest.raises(ValueError, match="registration|already"):
            tree.register_pytree_node(kind, lambda node: ((), None), lambda data, children: kind())
        assert tree_leaves([{"a": (1,)}]) == [1]


def test_dataclass_with_dropped_and_given_fields():
    @dataclasses.dataclass(frozen=True)
    class Cached:
        value: object
        size: int = 0
        cache: object = None

    assert tree.register_dataclass(Cached, ["value"], ["size"], drop_fields=["cache"]) is Cached
    assert tree_map(lambda x: x + 1, Cached(1, 2, "old")) == Cached(2, 2, None)


def test_a_plain_class_with_given_fields():
    class Plain:
        def __init__(self, *, a, b):
            self.a, self.b = a, b

    tree.register_dataclass(Plain, ("b", "a"), ())
    assert tree_leaves(Plain(a=1, b=2)) == [2, 1] and tree_map(lambda x: -x, Plain(a=1, b=2)).a == -1


def test_static_field_and_static_class():
    assert tree.static(metadata={"unit": "m"}).metadata == {"static": True, "unit": "m"}

    @tree.register_static
    @dataclasses.dataclass(frozen=True)
    class Mode:
        train: bool

    assert tree_leaves([Mode(True), 1]) == [1]
    assert tree_structure(Mode(True)) == tree_structure(Mode(True)) != tree_structure(Mode(False))


def test_with_keys():
    class Pair:
        def __init__(self, *both):
            self.both = both

    tree.register_pytree_with_keys(
        Pair, lambda p: (tuple((tree_util.GetAttrKey(n), x) for n, x in zip("ab", p.both)), None),
        lambda data, children: Pair(*children))
    assert [keystr(path) for path, _ in tree.tree_leaves_with_path(Pair(1, 2))] == [".a", ".b"]
    assert tree_leaves(Pair(1, 2)) == [1, 2]


def test_registration_before_the_registries_are_there():
    code = ("from gnomon.base import tree\n"
            "class C: pass\n"
            "tree.register_pytree_node(C, lambda c: ((1, 2), None), lambda data, children: C())\n"
            "try: tree.tree_leaves(C())\n"
            "except RuntimeError as error: print(error)\n"
            "import gnomon.run.pytree\n"
            "print(tree.tree_leaves([C(), 3]))\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    # A package that fills the registries when it is imported leaves no time before.
    assert done.stdout.endswith("[1, 2, 3]\n"), done.stderr


def test_registries_are_our_own():
    from jaxlib._jax import pytree

    assert tree_util.default_registry is not pytree.default_registry()
    assert not pytree.default_registry().is_node(Box)


def test_many_threads_register_and_flatten():
    wrong = []

    def work():
        for _ in range(50):
            class New:
                pass
            tree.register_pytree_node(New, lambda node: ((1, {"b": 2, "a": 3}), None), lambda data, children: New())
            if tree_leaves([New()]) != [1, 3, 2]:
                wrong.append(New)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# --- Partial ---


def test_partial():
    add = tree.Partial(lambda a, b, c=0: a + b + c, 1, c=2)
    assert add(10) == 13 and tree_leaves(add) == [1, 2]
    assert tree_map(lambda x: x * 100, add)(10) == 310
    assert [keystr(path) for path, _ in tree.tree_leaves_with_path(add)] == [".args[0]", ".keywords['c']"]
    assert tree_structure(tree.Partial(len, 1)) == tree_structure(tree.Partial(len, 2))
    assert tree_structure(tree.Partial(len, 1)) != tree_structure(tree.Partial(min, 1))


def test_partial_of_partial_is_one_function():
    for inner in (functools.partial(max, 5), tree.Partial(max, 5)):
        outer = tree.Partial(inner, 7)
        assert outer() == 7 and outer(9) == 9 and tree_leaves(outer) == [7]
        assert tree_map(lambda x: 1, outer)() == 5
        assert tree_structure(outer) == tree_structure(tree.Partial(inner, 0))
        assert repr(inner) in repr(outer)


# --- pickling ---


@pytest.mark.parametrize("value", [{"b": [1, None], "a": (2,)}, Layer(1, 2), {Side.LEFT: 1, "x": 2},
                                   collections.OrderedDict(z=1)])
def test_structures_can_be_pickled_and_copied(value):
    structure = tree_structure(value)
    for again in (pickle.loads(pickle.dumps(structure)), copy.deepcopy(structure)):
        assert again == structure and again.unflatten(tree_leaves(value)) == value


# --- the public modules ---


def test_public_names():
    assert gtree.map is tree_util.tree_map and gtree.leaves is tree_util.tree_leaves
    for module in (gtree, tree_util):
        for name in module.__all__:
            assert getattr(module, name).__doc__ or name in ("KeyPath", "PyTreeDef", "DictKey", "SequenceKey",
                                                             "GetAttrKey", "FlattenedIndexKey", "KeyEntry",
                                                             "default_registry"), name
