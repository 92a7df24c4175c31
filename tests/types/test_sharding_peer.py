"""Meshes, specs and shardings on the peer's own devices, against its answers."""
import itertools

import numpy as np
import pytest

from gnomon.types import mesh as ours_mesh
from gnomon.types import sharding as ours

pytestmark = pytest.mark.peer

# mesh name -> shape, axis names, axis types, and whether its devices are in reverse
MESHES = {
    "grid": ((4, 2), ("x", "y"), ("Auto", "Auto"), False),
    "explicit": ((4, 2), ("x", "y"), ("Explicit", "Explicit"), False),
    "mixed": ((2, 4), ("x", "y"), ("Explicit", "Auto"), False),
    "backwards": ((4, 2), ("x", "y"), ("Auto", "Auto"), True),
    "line": ((8,), ("x",), ("Auto",), False),
    "one": ((1, 1), ("x", "y"), ("Auto", "Auto"), False),
}
SPECS = [(), ("x",), ("y",), ("x", "y"), ("y", "x"), (None, "x"), (("x", "y"),), (("y", "x"), None), (("x",), "y"),
         (None, None), ("x", None), ("z",), ("x", "x"), ("x", ("x", "y")), ((), "y"), ("x", None, "y")]
SHAPES = [(8,), (8, 16), (16, 8, 8), (9, 6), (0, 8), ()]


@pytest.fixture(scope="module")
def sides(peer):
    """For both sides: {name: mesh}, the spec class and the sharding class."""
    import jax.sharding as theirs

    def meshes(mesh_class, axis_type):
        found = {}
        for name, (shape, names, types, reverse) in MESHES.items():
            devices = peer.devices()[::-1] if reverse else peer.devices()
            grid = np.array(devices[:int(np.prod(shape))]).reshape(shape)
            found[name] = mesh_class(grid, names, axis_types=tuple(axis_type[its] for its in types))
        return found

    return ((meshes(ours_mesh.Mesh, ours_mesh.AxisType), ours.PartitionSpec, ours.NamedSharding),
            (meshes(theirs.Mesh, theirs.AxisType), theirs.PartitionSpec, theirs.NamedSharding))


def outcome(function, error):
    """The answer, or that it was an error; the peer's are of several classes, ours ValueErrors."""
    try:
        return function()
    except error:
        return "an error"


def test_mesh_facts(sides):
    (own, *_), (their, *_) = sides
    for name in MESHES:
        a, b = own[name], their[name]
        assert (repr(a), str(a)) == (repr(b), str(b))
        assert (a.shape, a.size, a.empty, a.axis_names, a.explicit_axes, a.auto_axes) == (
            b.shape, b.size, b.empty, b.axis_names, b.explicit_axes, b.auto_axes)
        assert a.device_ids.tolist() == b.device_ids.tolist() and a.local_devices == b.local_devices


def test_spec_text(sides):
    (_, own, _), (_, their, _) = sides
    for spec in SPECS:
        assert repr(own(*spec)) == repr(their(*spec)) and list(own(*spec)) == list(their(*spec))
    for a, b in itertools.product(SPECS, SPECS):
        assert (own(*a) == own(*b)) == (their(*a) == their(*b))


@pytest.mark.parametrize("name", MESHES)
def test_sharding_facts(sides, name):
    def facts(side, spec, shape):
        meshes, make_spec, make = side
        sharding = make(meshes[name], make_spec(*spec))
        return (repr(sharding), sharding.is_fully_replicated, sharding.memory_kind, sharding.device_set,
                sharding.num_devices, sharding.is_fully_addressable, sharding.shard_shape(shape),
                list(sharding.devices_indices_map(shape).items()))

    for spec, shape in itertools.product(SPECS, SHAPES):
        if len(spec) > len(shape):
            continue  # an error of ours; the peer lets surplus entries be None until the array is put there
        own = outcome(lambda: facts(sides[0], spec, shape), ValueError)
        assert own == outcome(lambda: facts(sides[1], spec, shape), Exception), (spec, shape)


def test_equivalence(sides):
    def answer(side, a, b, ndim):
        meshes, make_spec, make = side
        left, right = (make(meshes[name], make_spec(*spec)) for name, spec in (a, b))
        return left.is_equivalent_to(right, ndim)

    valid = [(name, spec) for name in MESHES for spec in SPECS
             if "z" not in spec and spec not in (("x", "x"), ("x", ("x", "y")), ("x", None, "y"))
             and not (name == "line" and "y" in str(spec))]
    differing = [(a, b) for a, b in itertools.product(valid, valid)
                 if answer(sides[0], a, b, 2) != answer(sides[1], a, b, 2)]
    assert not differing


def test_shardy_text(sides, peer):
    (own_meshes, own_spec, own), (their_meshes, their_spec, their) = sides
    for name in ("grid", "explicit", "line"):
        for spec in SPECS:
            sharding = outcome(lambda: own(own_meshes[name], own_spec(*spec)), ValueError)
            if sharding == "an error" or len(spec) > 2:
                continue
            argument = peer.ShapeDtypeStruct((8, 8), np.float32, sharding=their(their_meshes[name], their_spec(*spec)))
            text = peer.jit(lambda x: x).lower(argument).as_text()
            assert ours.sdy_mesh(own_meshes[name]) in text
            assert f"sdy.sharding = {ours.sdy_sharding(sharding, 2)}" in text


def test_types_keep_explicit_axes(sides, peer):
    (own_meshes, own_spec, own), (their_meshes, their_spec, their) = sides
    for name in ("grid", "explicit", "mixed"):
        for spec in [("x",), ("y", "x"), (("y", "x"),), (None, ("x", "y")), ()]:
            argument = peer.ShapeDtypeStruct((8, 8), np.float32, sharding=their(their_meshes[name], their_spec(*spec)))
            # typeof of an argument inside a trace is the type it is traced with
            theirs = []
            peer.eval_shape(lambda x: theirs.append(peer.typeof(x).sharding.spec), argument)
            found, memory = ours.type_sharding(own(own_meshes[name], own_spec(*spec)), 2)
            assert tuple(theirs[0]) == ((None, None) if found is None else tuple(found.spec)) and memory is None
