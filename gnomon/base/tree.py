"""Pytrees: taking nested containers apart into a flat list of leaves, and putting them together again.

The work is done by two registries, written in C++, that the room `run` hands to `install`. `standard` sorts the keys of
a dict, so that equal dicts flatten alike whatever order they were filled in. `ordered` differs in dicts alone: their
leaves come in the same sorted order, keys need not be comparable, and what it unflattens has the keys in the order of
the dict it took apart. `tree_map` uses `ordered`; everything else uses it only where `standard` gives up.
"""
from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import inspect
import operator

# Set by `install`, from jaxlib: PyTreeDef (the structure of a tree, without its leaves), treedef_tuple_in, and the
# entries of key paths: DictKey, SequenceKey, GetAttrKey, FlattenedIndexKey.
standard = ordered = None
waiting: list[tuple] = []  # what was registered before `install`: (method of a registry, its arguments)
registered: dict[type, tuple | None] = {}  # registered classes, with the names of the children of dataclasses


class Unspecified:
    """The default of arguments for which None means something."""

    def __repr__(self):
        return "unspecified"


unspecified = Unspecified()


def install(standard_registry, ordered_registry, kit) -> None:
    """Take two empty registries, the second without dicts, and the classes in `kit` that go with them."""
    global standard, ordered, standard_flatten, ordered_flatten, treedef_tuple_in
    global PyTreeDef, DictKey, SequenceKey, GetAttrKey, FlattenedIndexKey
    standard, ordered = standard_registry, ordered_registry
    standard_flatten, ordered_flatten = standard.flatten, ordered.flatten
    PyTreeDef, treedef_tuple_in = kit.PyTreeDef, kit.treedef_tuple
    DictKey, SequenceKey = kit.DictKey, kit.SequenceKey
    GetAttrKey, FlattenedIndexKey = kit.GetAttrKey, kit.FlattenedIndexKey
    ordered.register_node(dict, take_dict, make_dict, take_dict_with_keys)
    for method, arguments in waiting:
        register(method, *arguments)
    waiting.clear()


def register(method: str, nodetype: type, *arguments) -> None:
    """Call a method of both registries, now or when they are there."""
    if standard is None:
        waiting.append((method, (nodetype, *arguments)))
    else:
        getattr(standard, method)(nodetype, *arguments)
        getattr(ordered, method)(nodetype, *arguments)


# --- dicts in the ordered registry ----------------------------------------------------------------------------------


class Arrangement:
    """How the values of a dict, in the order of its keys, become sorted leaves and back."""

    __slots__ = ("leaf_order", "pick", "place")

    def __init__(self, keys: tuple):
        self.leaf_order = leaf_order(keys)
        positions = [self.leaf_order.index(key) for key in keys]
        self.pick = operator.itemgetter(*self.leaf_order) if len(keys) > 1 else lambda d: tuple(d.values())
        self.place = operator.itemgetter(*positions) if len(keys) > 1 else lambda leaves: leaves


def leaf_order(keys) -> tuple:
    """`keys` sorted; by type first where they cannot be compared, enum members by name, and else as they come."""
    try:
        return tuple(sorted(keys))
    except TypeError:
        pass
    by_type: dict[type, list] = {}
    for key in keys:
        by_type.setdefault(type(key), []).append(key)
    order = []
    for kind in sorted(by_type, key=lambda kind: (kind.__module__, kind.__qualname__)):
        try:
            order += sorted(by_type[kind])
        except TypeError:
            order += sorted(by_type[kind], key=lambda k: k.name) if issubclass(kind, enum.Enum) else by_type[kind]
    return tuple(order)


arrangement = functools.lru_cache(maxsize=4096)(Arrangement)


class Keys:
    """What is noted of a dict beside its leaves. Two are equal if their dicts flatten alike, in whatever order."""

    __slots__ = ("keys", "arranged")

    def __init__(self, keys, arranged):
        # Equal keys of another type (1, 1.0, True) share an arrangement, so the dict's own keys are kept here.
        self.keys, self.arranged = keys, arranged

    @property
    def leaf_order(self):
        return self.arranged.leaf_order

    def __eq__(self, other):
        return self.arranged is other.arranged or self.leaf_order == other.leaf_order

    def __hash__(self):
        return hash(self.leaf_order)

    def __repr__(self):
        return repr(self.leaf_order)

    def __reduce__(self):
        return keys_of, (self.keys,)


def keys_of(keys: tuple) -> Keys:
    return Keys(keys, arrangement(keys))


def take_dict(tree: dict):
    keys = tuple(tree)
    arranged = arrangement(keys)
    return arranged.pick(tree), Keys(keys, arranged)


def take_dict_with_keys(tree: dict):
    leaves, keys = take_dict(tree)
    return tuple(zip(map(DictKey, keys.leaf_order), leaves)), keys


def make_dict(keys: Keys, leaves: tuple):
    return dict(zip(keys.keys, keys.arranged.place(leaves)))


# --- flattening -----------------------------------------------------------------------------------------------------


def standard_flatten(tree, is_leaf=None):  # noqa: F811 (until `install` puts the registry's own in its place)
    raise RuntimeError("Pytrees are not ready before gnomon.run.pytree is imported; import gnomon first.")


ordered_flatten = standard_flatten


def tree_flatten(tree, is_leaf=None):
    """The leaves of `tree` in a list, and its structure.

    Nodes are tuples, named tuples, lists, dicts, None (without leaves) and registered classes; all else is a leaf. The
    leaves of a dict come in the order of its sorted keys. What ``is_leaf`` holds for is a leaf too.

    >>> leaves, structure = tree_flatten({"w": 1, "b": [2, None]})
    >>> leaves, structure
    ([2, 1], PyTreeDef({'b': [*, None], 'w': *}))
    >>> structure.unflatten(leaves)
    {'b': [2, None], 'w': 1}
    """
    try:
        return standard_flatten(tree, is_leaf)
    except ValueError:  # keys that cannot be compared, or an error of the user's own that comes again now
        pass
    return ordered_flatten(tree, is_leaf)


flatten = tree_flatten


def tree_unflatten(treedef, leaves):
    """The tree with the structure `treedef` and the given `leaves`; ValueError if they are too many or too few.

    >>> tree_unflatten(tree_structure([0, (0, 0)]), "abc")
    ['a', ('b', 'c')]
    """
    return treedef.unflatten(leaves)


unflatten = tree_unflatten


def tree_leaves(tree, is_leaf=None) -> list:
    """The leaves of `tree`.

    >>> tree_leaves({"w": 1, "b": [2, None]})
    [2, 1]
    """
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree, is_leaf=None):
    """The structure of `tree`; equal structures compare equal and hash alike.

    >>> tree_structure((1, {"a": 2}))
    PyTreeDef((*, {'a': *}))
    """
    return tree_flatten(tree, is_leaf)[1]


def tree_flatten_with_path(tree, is_leaf=None, is_leaf_takes_path=False):
    """As `tree_flatten`, each leaf paired with its key path. ``is_leaf`` may take the path before the node.

    >>> tree_flatten_with_path({"a": [5]})[0]
    [((DictKey(key='a'), SequenceKey(idx=0)), 5)]
    """
    is_leaf = with_path(is_leaf, is_leaf_takes_path)
    try:
        return standard.flatten_with_path(tree, is_leaf)
    except ValueError:
        pass
    return ordered.flatten_with_path(tree, is_leaf)


def tree_leaves_with_path(tree, is_leaf=None, is_leaf_takes_path=False) -> list:
    """The leaves of `tree`, each paired with its key path.

    >>> [(keystr(path), leaf) for path, leaf in tree_leaves_with_path({"a": [5, 6]})]
    [("['a'][0]", 5), ("['a'][1]", 6)]
    """
    return tree_flatten_with_path(tree, is_leaf, is_leaf_takes_path)[0]


def with_path(is_leaf, takes_path):
    if is_leaf is None or takes_path:
        return is_leaf
    return lambda path, node: is_leaf(node)


def flatten_one_level(tree):
    """The children of a node, and what else must be known to rebuild it; ValueError for a leaf.

    >>> flatten_one_level({"b": [1], "a": 2})
    ((2, [1]), ('a', 'b'))
    """
    return one_level(tree, "flatten_one_level")


def flatten_one_level_with_keys(tree):
    """As `flatten_one_level`, each child paired with its entry of a key path.

    >>> flatten_one_level_with_keys([7])
    (((SequenceKey(idx=0), 7),), None)
    """
    children, data = one_level(tree, "flatten_one_level_with_keys")
    if is_namedtuple(type(tree)):  # jaxlib 0.10 pairs every child with the first field
        children = tuple((GetAttrKey(name), child) for name, child in zip(tree._fields, tree))
    return children, data


def one_level(tree, method):
    try:
        level = getattr(standard, method)(tree)
    except ValueError:
        level = getattr(ordered, method)(tree)
    if level is None:
        raise ValueError(f"{method} takes a node of a tree, and a {type(tree).__name__} is a leaf; "
                         f"register the class with register_pytree_node to make it one.")
    return level


def is_namedtuple(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields") and kind not in registered


def is_tree_node(typ: type) -> bool:
    """Whether objects of class `typ` are nodes: built-in containers, named tuples and registered classes.

    >>> is_tree_node(dict), is_tree_node(int)
    (True, False)
    """
    return standard.is_node(typ)


def all_leaves(iterable, is_leaf=None) -> bool:
    """Whether every element of `iterable` is a leaf (None is none).

    >>> all_leaves([1, 2.0]), all_leaves([1, [2.0]])
    (True, False)
    """
    elements = list(iterable)
    leaves = tree_leaves(elements, is_leaf if is_leaf is None else lambda x: x is not elements and is_leaf(x))
    return len(leaves) == len(elements) and all(map(operator.is_, leaves, elements))


# --- structures -----------------------------------------------------------------------------------------------------


def treedef_children(treedef) -> list:
    """The structures of the children of the root.

    >>> treedef_children(tree_structure([1, (2, 3)]))
    [PyTreeDef(*), PyTreeDef((*, *))]
    """
    return treedef.children()


def treedef_is_leaf(treedef) -> bool:
    """Whether `treedef` has nothing below its root: the structure of a leaf, of None or of an empty container.

    >>> treedef_is_leaf(tree_structure(1)), treedef_is_leaf(tree_structure((1,)))
    (True, False)
    """
    return treedef.num_nodes == 1


def treedef_tuple(treedefs):
    """The structure of a tuple of trees with these structures.

    >>> treedef_tuple([tree_structure(1), tree_structure([2])])
    PyTreeDef((*, [*]))
    """
    treedefs = list(treedefs)
    try:
        return treedef_tuple_in(standard, treedefs)
    except ValueError:
        return treedef_tuple_in(ordered, [in_ordered(treedef) for treedef in treedefs])


def treedef_compose(outer, inner):
    """`outer` with `inner` in the place of each leaf."""
    try:
        return outer.compose(inner)
    except ValueError:
        return in_ordered(outer).compose(in_ordered(inner))


def in_ordered(treedef):
    """`treedef` as the ordered registry makes it."""
    return ordered_flatten(treedef.unflatten([unspecified] * treedef.num_leaves))[1]


# --- mapping and reducing -------------------------------------------------------------------------------------------


def tree_map(f, tree, *rest, is_leaf=None):
    """A tree like `tree` with ``f(leaf, *leaves of rest)`` for each leaf; dicts keep the order of their keys.

    Each tree of `rest` has the structure of `tree`, or more below its leaves; else ValueError names the first place
    where they differ.

    >>> tree_map(lambda x, y: x + y, {"w": 1, "b": [2, None]}, {"w": 10, "b": [20, None]})
    {'w': 11, 'b': [22, None]}
    """
    leaves, treedef = ordered_flatten(tree, is_leaf)
    if not rest:
        return treedef.unflatten([f(leaf) for leaf in leaves])
    columns = [flatten_up_to(treedef, other, "tree.map", i) for i, other in enumerate(rest, 2)]
    return treedef.unflatten([f(*row) for row in zip(leaves, *columns)])


def tree_map_with_path(f, tree, *rest, is_leaf=None, is_leaf_takes_path=False):
    """As `tree_map`, with ``f(path, leaf, *leaves of rest)``.

    >>> tree_map_with_path(lambda path, x: keystr(path) + "=" + str(x), {"w": 1, "b": [2]})
    {'w': "['w']=1", 'b': ["['b'][0]=2"]}
    """
    leaves, treedef = ordered.flatten_with_path(tree, with_path(is_leaf, is_leaf_takes_path))
    columns = [flatten_up_to(treedef, other, "tree.map_with_path", i) for i, other in enumerate(rest, 2)]
    return treedef.unflatten([f(*leaf, *row) for leaf, *row in zip(leaves, *columns)])


def flatten_up_to(treedef, tree, caller: str, position: int) -> list:
    """The subtrees of `tree` at the leaves of `treedef`. `caller` and `position` name it in the error."""
    try:
        return treedef.flatten_up_to(tree)
    except ValueError:
        found = difference(treedef, tree_structure(tree))
        if found is None:
            raise
    path, one, other = found
    place = at(path)
    raise ValueError(f"{caller}: tree {position} does not have the structure of tree 1; {place} tree 1 has {one} and "
                     f"tree {position} has {other}.")


def tree_reduce(function, tree, initializer=unspecified, is_leaf=None):
    """The leaves of `tree` combined from left to right: ``function(so far, leaf)``.

    >>> tree_reduce(lambda a, b: a + b, {"a": 1, "b": [2, 3]})
    6
    """
    leaves = tree_leaves(tree, is_leaf)
    if initializer is not unspecified:
        return functools.reduce(function, leaves, initializer)
    if not leaves:
        raise TypeError("tree.reduce of a tree without leaves needs an initializer.")
    return functools.reduce(function, leaves)


def tree_reduce_associative(operation, tree, *, identity=unspecified, is_leaf=None):
    """The leaves of `tree` combined two and two, halves first, by an associative `operation`.

    >>> tree_reduce_associative(lambda a, b: f"({a}{b})", list("abcde"))
    '((ab)(c(de)))'
    """
    leaves = tree_leaves(tree, is_leaf)
    if not leaves:
        if identity is unspecified:
            raise TypeError("tree.reduce_associative of a tree without leaves needs an identity.")
        return identity

    def combine(start, stop):
        if stop - start == 1:
            return leaves[start]
        middle = (start + stop) // 2
        return operation(combine(start, middle), combine(middle, stop))

    return combine(0, len(leaves))


def tree_all(tree, *, is_leaf=None) -> bool:
    """Whether every leaf of `tree` is true.

    >>> tree_all([True, {"a": 1}]), tree_all([True, {"a": 0}])
    (True, False)
    """
    return all(tree_leaves(tree, is_leaf))


def tree_transpose(outer_treedef, inner_treedef, pytree_to_transpose):
    """Turn a tree of trees inside out: `outer_treedef` in place of each leaf of `inner_treedef`.

    With None, the inner structure is that of the first subtree. TypeError if the number of leaves does not fit.

    >>> tree_transpose(tree_structure([0, 0]), tree_structure({"a": 0}), [{"a": 1}, {"a": 2}])
    {'a': [1, 2]}
    """
    leaves, treedef = tree_flatten(pytree_to_transpose)
    if inner_treedef is None:
        subtrees = outer_treedef.flatten_up_to(pytree_to_transpose)
        if not subtrees:
            raise ValueError("tree.transpose: outer_treedef has no leaves, so there is no subtree to take the inner "
                             "structure from; give inner_treedef.")
        inner_treedef = tree_structure(subtrees[0])
    rows, columns = outer_treedef.num_leaves, inner_treedef.num_leaves
    if len(leaves) != rows * columns:
        found = difference(treedef_compose(outer_treedef, inner_treedef), treedef)
        detail = f"; {at(found[0])} it has {found[2]} in place of {found[1]}" if found else ""
        raise TypeError(f"tree.transpose: the tree has {len(leaves)} leaves and not {rows} times {columns}{detail}.")
    return inner_treedef.unflatten([outer_treedef.unflatten(leaves[i::columns]) for i in range(columns)])


# --- prefixes -------------------------------------------------------------------------------------------------------


def tree_broadcast(prefix_tree, full_tree, is_leaf=None):
    """A tree like `full_tree` in which each leaf of `prefix_tree` stands for all leaves below it.

    >>> tree_broadcast({"a": 1, "b": 2}, {"a": 0, "b": [0, 0]})
    {'a': 1, 'b': [2, 2]}
    """
    treedef = ordered_flatten(full_tree, is_leaf)[1]
    return treedef.unflatten(spread("tree.broadcast: prefix_tree", prefix_tree, treedef, is_leaf, "full_tree"))


def broadcast_prefix(prefix_tree, full_tree, is_leaf=None) -> list:
    """The leaves of ``tree_broadcast(prefix_tree, full_tree)``.

    >>> broadcast_prefix([1, 2], [0, [0, 0]])
    [1, 2, 2]
    """
    return spread("prefix_tree", prefix_tree, tree_structure(full_tree, is_leaf), is_leaf, "the full tree")


def flatten_axes(name: str, treedef, axes_tree, *, whole="the arguments", roots=()) -> list:
    """One entry of `axes_tree`, in which None is a leaf, for each leaf of `treedef`.

    `name` is what the user calls the axes ("vmap in_axes") and `whole` what they must fit; `roots` are the names of
    the elements of the outermost tuple, for the path in the ValueError.

    >>> flatten_axes("vmap in_axes", tree_structure((1, {"a": 2, "b": 3})), (0, None))
    [0, None, None]
    """
    if axes_tree is None or type(axes_tree) is int:
        return [axes_tree] * treedef.num_leaves
    return spread(name, axes_tree, treedef, lambda node: node is None, whole, roots)


def spread(name, prefix, treedef, is_leaf, whole, roots=()) -> list:
    """Each leaf of `prefix` as often as `treedef` has leaves below it; ValueError at the first difference."""
    leaves, prefix_treedef = tree_flatten(prefix, is_leaf)
    counts: list[int] = []
    found = difference(prefix_treedef, treedef, counts=counts)
    if found is None:
        return [leaf for leaf, count in zip(leaves, counts, strict=True) for _ in range(count)]
    path, one, other = found
    way_out = ""
    if not path and treedef.node_data() and treedef.node_data()[0] is tuple:
        way_out = f"; give a tuple with {counted(len(treedef.children()), 'entry', 'entries')}"
    place = at(path, roots)
    raise ValueError(f"{name} must have the structure of {whole} or be a prefix of it; {place} there is {other} in "
                     f"{whole} and {one} in {name.split()[-1]}{way_out}.")


def counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def difference(prefix, treedef, path=(), counts=None):
    """The first place where `treedef` is not `prefix` with more below its leaves.

    None if there is none, else the path to it and what each of them has there, in words. The number of leaves of
    `treedef` below each leaf of `prefix` is appended to `counts`.
    """
    node = prefix.node_data()
    if node is None:
        if counts is not None:
            counts.append(treedef.num_leaves)
        return None
    children, other, others = prefix.children(), treedef.node_data(), treedef.children()
    if other is None or same_dict_keys(node) != same_dict_keys(other) or len(children) != len(others):
        one, two = describe(node, children), describe(other, others)
        if one == two:  # they differ in what a class keeps beside its children
            one, two = f"{one} with {shorten(repr(node[1]))}", f"{two} with {shorten(repr(other[1]))}"
        return path, one, two
    for entry, child, other_child in zip(entries(node, children), children, others):
        found = difference(child, other_child, (*path, entry), counts)
        if found is not None:
            return found
    return None


def same_dict_keys(node):
    """`node`, a pair of class and data, in a form that compares equal for the two registries' dicts."""
    return (dict, dict_keys(node[1])) if node[0] is dict else node


def dict_keys(data) -> tuple:
    return data.leaf_order if isinstance(data, Keys) else tuple(data)


def entries(node, children) -> list:
    """The entries of key paths for the children of a node of a structure."""
    kind, data = node
    if issubclass(kind, dict) and kind in (dict, collections.OrderedDict, collections.defaultdict):
        return [DictKey(key) for key in dict_keys(data[1] if kind is collections.defaultdict else data)]
    if kind in (tuple, list):
        return [SequenceKey(i) for i in range(len(children))]
    names = kind._fields if is_namedtuple(kind) else registered.get(kind)
    if names is not None:
        return [GetAttrKey(name) for name in names]
    return [FlattenedIndexKey(i) for i in range(len(children))]


def describe(node, children) -> str:
    """A node of a structure in words: 'a list of 2', 'a dict with keys 'a', 'b''."""
    if node is None:
        return "a leaf"
    kind, data = node
    if kind is type(None):
        return "None"
    if kind is dict:
        return f"a dict with keys {shorten(', '.join(map(repr, dict_keys(data))))}" if children else "an empty dict"
    if kind in (tuple, list):
        return f"a {kind.__name__} of {len(children)}" if children else f"an empty {kind.__name__}"
    return f"a {kind.__name__} of {len(children)}"


def shorten(text: str, length: int = 200) -> str:
    return text if len(text) <= length else text[:length - 4] + " ..."


def at(path, roots=()) -> str:
    return f"at {keystr(path, roots=roots)}" if path else "at the root"


# --- key paths ------------------------------------------------------------------------------------------------------


def keystr(keys, *, simple: bool = False, separator: str = "", roots=()) -> str:
    """A key path as the Python that leads there; with ``simple`` the bare keys, joined by `separator`.

    `roots` are names that stand for the first entry, an index.

    >>> path = tree_leaves_with_path({"a": [5]})[0][0]
    >>> keystr(path), keystr(path, simple=True, separator="/")
    ("['a'][0]", 'a/0')
    """
    if simple:
        return separator.join(map(simple_key, keys))
    if roots and keys and isinstance(keys[0], SequenceKey) and keys[0].idx < len(roots):
        return separator.join([roots[keys[0].idx], *map(str, keys[1:])])
    return separator.join(map(str, keys))


def simple_key(entry) -> str:
    for attribute in ("key", "idx", "name"):
        if hasattr(entry, attribute):
            return str(getattr(entry, attribute))
    return str(entry)


def argument_names(function, args, kwargs, positions=None) -> list[str]:
    """A name for each leaf of ``(args, kwargs)``, for errors: ``x``, ``params['w']``, ``rest[0]``.

    `positions` are the places of `args` among the arguments of the call, if some were left out.

    >>> argument_names(lambda x, *rest, **options: x, (1, {"w": 2}), {"k": [3]})
    ['x', "rest[0]['w']", "options['k'][0]"]
    """
    names = [(root, value) for root, value in zip(argument_roots(function, len(args), positions), args)]
    names += [(keyword_root(function, key), kwargs[key]) for key in sorted(kwargs)]
    return [root + keystr(path) for root, value in names for path, _ in tree_leaves_with_path(value)]


def argument_roots(function, count: int, positions=None) -> list[str]:
    """The names of `count` positional arguments of `function`; ``args[i]`` where it does not say."""
    named, rest = [], "args"
    for parameter in parameters(function):
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            named.append(parameter.name)
        elif parameter.kind is parameter.VAR_POSITIONAL:
            rest = parameter.name
    return [named[i] if i < len(named) else f"{rest}[{i - len(named)}]"
            for i in (range(count) if positions is None else positions)]


def keyword_root(function, key: str) -> str:
    rest = "kwargs"
    for parameter in parameters(function):
        if parameter.name == key and parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            return key
        if parameter.kind is parameter.VAR_KEYWORD:
            rest = parameter.name
    return f"{rest}[{key!r}]"


def parameters(function):
    try:
        return inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # built-in functions need not have a signature
        return ()


# --- registering classes --------------------------------------------------------------------------------------------


def register_pytree_node(nodetype, flatten_func, unflatten_func, flatten_with_keys_func=None) -> None:
    """Make objects of class `nodetype` nodes.

    ``flatten_func(node)`` gives its children and hashable data, ``unflatten_func(data, children)`` the node again, and
    ``flatten_with_keys_func(node)``, if given, pairs of a key path entry and a child, and the data. Subclasses are not
    registered with it. ValueError if the class is registered already.

    >>> class Pair:
    ...     def __init__(self, a, b): self.a, self.b = a, b
    >>> register_pytree_node(Pair, lambda p: ((p.a, p.b), None), lambda _, children: Pair(*children))
    >>> tree_leaves([Pair(1, 2), 3])
    [1, 2, 3]
    """
    if not isinstance(nodetype, type):
        raise TypeError(f"register_pytree_node takes a class, not {nodetype!r}.")
    given = {"flatten_func": flatten_func, "unflatten_func": unflatten_func}
    if flatten_with_keys_func is not None:
        given["flatten_with_keys_func"] = flatten_with_keys_func
    for name, function in given.items():
        if not callable(function):
            raise TypeError(f"register_pytree_node({nodetype.__name__}): {name} must be a function, "
                            f"not {function!r}.")
    add(nodetype, None, "register_node", flatten_func, unflatten_func, flatten_with_keys_func)


def register_pytree_node_class(cls):
    """Decorator: `cls` has a method ``tree_flatten`` and a class method ``tree_unflatten(data, children)``.

    >>> @register_pytree_node_class
    ... class Box:
    ...     def __init__(self, x): self.x = x
    ...     def tree_flatten(self): return (self.x,), None
    ...     @classmethod
    ...     def tree_unflatten(cls, data, children): return cls(*children)
    >>> tree_map(lambda x: x + 1, Box(1)).x
    2
    """
    register_pytree_node(cls, operator.methodcaller("tree_flatten"), cls.tree_unflatten)
    return cls


def register_pytree_with_keys(nodetype, flatten_with_keys, unflatten_func, flatten_func=None) -> None:
    """As `register_pytree_node`, with the function that gives key path entries first.

    >>> class Point:
    ...     def __init__(self, x): self.x = x
    >>> register_pytree_with_keys(Point, lambda p: (((GetAttrKey("x"), p.x),), None), lambda _, xs: Point(*xs))
    >>> keystr(tree_leaves_with_path(Point(1))[0][0])
    '.x'
    """
    if flatten_func is None:
        def flatten_func(node):
            pairs, data = flatten_with_keys(node)
            return [child for _, child in pairs], data
    register_pytree_node(nodetype, flatten_func, unflatten_func, flatten_with_keys)


def register_pytree_with_keys_class(cls):
    """Decorator: `cls` has ``tree_flatten_with_keys``, ``tree_unflatten`` and, if it likes, ``tree_flatten``.

    >>> @register_pytree_with_keys_class
    ... class Cell:
    ...     def __init__(self, x): self.x = x
    ...     def tree_flatten_with_keys(self): return ((GetAttrKey("x"), self.x),), None
    ...     @classmethod
    ...     def tree_unflatten(cls, data, children): return cls(*children)
    >>> tree_leaves(Cell(1))
    [1]
    """
    register_pytree_with_keys(cls, operator.methodcaller("tree_flatten_with_keys"), cls.tree_unflatten,
                              operator.methodcaller("tree_flatten") if hasattr(cls, "tree_flatten") else None)
    return cls


def register_dataclass(nodetype, data_fields=None, meta_fields=None, drop_fields=()):
    """Make a dataclass a node: its `data_fields` are children, its `meta_fields` hashable data.

    Of a dataclass the fields may be left out: those made by `static` are data then and the others children. The class
    is built again by keyword, without `drop_fields`. TypeError or ValueError if the fields do not fit the class.

    >>> @register_dataclass
    ... @dataclasses.dataclass
    ... class Layer:
    ...     weight: float
    ...     name: str = static(default="dense")
    >>> tree_map(lambda x: x * 2, Layer(1.5))
    Layer(weight=3.0, name='dense')
    """
    called = f"register_dataclass({getattr(nodetype, '__name__', nodetype)})"
    if data_fields is None and meta_fields is None:
        if not dataclasses.is_dataclass(nodetype):
            raise TypeError(f"{called} needs data_fields and meta_fields, for the class is not a dataclass.")
        kept = [field for field in dataclasses.fields(nodetype) if field.name not in drop_fields]
        data_fields = [field.name for field in kept if not field.metadata.get("static", False)]
        meta_fields = [field.name for field in kept if field.metadata.get("static", False)]
    elif data_fields is None or meta_fields is None:
        raise TypeError(f"{called} needs both data_fields and meta_fields, or neither.")
    data_fields, meta_fields = tuple(data_fields), tuple(meta_fields)
    if dataclasses.is_dataclass(nodetype):
        wanted = {field.name for field in dataclasses.fields(nodetype) if field.init}
        missing = wanted.difference(data_fields, meta_fields, drop_fields)
        surplus = {*data_fields, *meta_fields} - wanted
        if missing:
            raise ValueError(f"{called} leaves out {listed(missing)}; name them in data_fields, meta_fields or "
                             f"drop_fields.")
        if surplus:
            raise ValueError(f"{called} names {listed(surplus)}, which its constructor does not take; leave them out, "
                             f"with drop_fields where the fields are found by themselves.")
    add(nodetype, data_fields, "register_dataclass_node", data_fields, meta_fields)
    return nodetype


def static(**kwargs) -> dataclasses.Field:
    """A dataclass field that `register_dataclass` keeps as data and not as a child; arguments of `dataclasses.field`.

    >>> static(default=1).metadata["static"]
    True
    """
    return dataclasses.field(**kwargs | {"metadata": {"static": True, **(kwargs.get("metadata") or {})}})


def register_static(cls):
    """Decorator: objects of `cls` are nodes without leaves, part of the structure; they must be hashable.

    >>> @register_static
    ... class Mode(str): pass
    >>> tree_leaves([Mode("train"), 1])
    [1]
    """
    register_pytree_node(cls, lambda node: ((), node), lambda node, _: node)
    return cls


def add(nodetype, fields, method, *arguments) -> None:
    if nodetype in registered:
        raise ValueError(f"{nodetype.__name__} is registered as a pytree node already; register a class once.")
    register(method, nodetype, *arguments)
    registered[nodetype] = fields


def listed(names) -> str:
    return ", ".join(map(repr, sorted(names)))


# --- classes that are nodes from the start --------------------------------------------------------------------------


register_pytree_node(
    collections.OrderedDict,
    lambda tree: (tuple(tree.values()), tuple(tree)),
    lambda keys, values: collections.OrderedDict(zip(keys, values)),
    lambda tree: (tuple((DictKey(key), value) for key, value in tree.items()), tuple(tree)))


def take_defaultdict(tree):
    leaves, keys = take_dict(tree)
    return leaves, (tree.default_factory, keys)


def take_defaultdict_with_keys(tree):
    pairs, keys = take_dict_with_keys(tree)
    return pairs, (tree.default_factory, keys)


register_pytree_node(
    collections.defaultdict, take_defaultdict,
    lambda data, leaves: collections.defaultdict(data[0], make_dict(data[1], leaves)), take_defaultdict_with_keys)


class Opaque:
    """A callable that `functools.partial` does not look into. Compares and hashes as what it calls."""

    __slots__ = ("function",)

    def __init__(self, function):
        self.function = function

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)

    def __eq__(self, other):
        return isinstance(other, Opaque) and self.function == other.function

    def __hash__(self):
        return hash(self.function)

    def __repr__(self):
        return repr(self.function)


class Partial(functools.partial):
    """`functools.partial` that is a node: its arguments are children, its function is data.

    A partial function given to it is taken as one function, whose own arguments are no children.

    >>> times = Partial(pow, 3)
    >>> times(2), tree_map(lambda x: x + 1, times)(2)
    (9, 16)
    """

    def __new__(cls, func, *args, **keywords):
        return super().__new__(cls, Opaque(func) if isinstance(func, functools.partial) else func, *args, **keywords)


register_pytree_node(
    Partial,
    lambda tree: ((tree.args, tree.keywords), tree.func),
    lambda func, children: Partial(func, *children[0], **children[1]),
    lambda tree: (((GetAttrKey("args"), tree.args), (GetAttrKey("keywords"), tree.keywords)), tree.func))
