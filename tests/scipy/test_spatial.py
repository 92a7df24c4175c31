"""gnomon.scipy.spatial.transform against SciPy."""
import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as TheirRotation
from scipy.spatial.transform import Slerp as TheirSlerp

import gnomon as G
import gnomon.numpy as jnp
from gnomon import random
from gnomon.scipy.spatial.transform import Rotation, Slerp
from tests.linalg.derivatives import check_derivatives

QUATERNIONS = TheirRotation.random(7, rng=0).as_quat()
SEQUENCES = ["".join(s) for s in itertools.product("xyz", repeat=3) if s[0] != s[1] and s[1] != s[2]]


def both(q=QUATERNIONS):
    return Rotation.from_quat(np.asarray(q, "f")), TheirRotation.from_quat(q)


def close(x, y, tol=2e-5):
    np.testing.assert_allclose(x, y, rtol=tol, atol=tol)


def same(r, s):
    close(r.as_matrix(), s.as_matrix())


@pytest.mark.parametrize("q", [QUATERNIONS, QUATERNIONS[0], [0, 0, 0, 1], [0, 0, 0, -2], [1, 0, 0, 0]], ids=["many", "one", "identity", "minus", "half"])
def test_forms(q):
    r, s = both(q)
    for name in ("as_matrix", "as_mrp", "magnitude"):
        close(getattr(r, name)(), getattr(s, name)())
    for options in ({}, {"canonical": True}, {"scalar_first": True}):
        close(r.as_quat(**options), s.as_quat(**options))
    for degrees in (False, True):
        close(np.abs(r.as_rotvec(degrees)), np.abs(s.as_rotvec(degrees)), 1e-4)
    same(Rotation.from_matrix(r.as_matrix()), s)
    same(Rotation.from_rotvec(r.as_rotvec()), s)
    same(Rotation.from_rotvec(r.as_rotvec(True), True), s)
    same(Rotation.from_mrp(r.as_mrp()), s)
    same(r.inv(), s.inv())
    assert r.single == s.single


@pytest.mark.parametrize("seq", [*SEQUENCES, *map(str.upper, SEQUENCES)])
def test_euler_angles(seq):
    r, s = both()
    angles = s.as_euler(seq)
    close(r.as_euler(seq), angles, 1e-4)
    close(r.as_euler(seq, degrees=True), s.as_euler(seq, degrees=True), 1e-2)
    same(Rotation.from_euler(seq, angles.astype("f")), s)
    same(Rotation.from_euler(seq[:2], angles[:, :2].astype("f")), TheirRotation.from_euler(seq[:2], angles[:, :2]))
    same(Rotation.from_euler(seq[0], 30.0, degrees=True), TheirRotation.from_euler(seq[0], 30, degrees=True))
    # where two axes coincide, some angles that give the rotation
    for second in (0, np.pi, np.pi / 2, -np.pi / 2):
        locked = Rotation.from_euler(seq, np.array([0.3, second, 0.5], "f"))
        close(Rotation.from_euler(seq, locked.as_euler(seq)).as_matrix(), locked.as_matrix(), 1e-3)


def test_what_rotations_do():
    (r, s), v = both(), np.random.default_rng(0).standard_normal((7, 3))
    for inverse in (False, True):
        close(r.apply(v.astype("f"), inverse), s.apply(v, inverse))
        close(r[0].apply(v.astype("f"), inverse), s[0].apply(v, inverse))
        close(r.apply(v[0].astype("f"), inverse), s.apply(v[0], inverse))
    same(r * r[2], s * s[2])
    same(r[1:3] * r[3:5], s[1:3] * s[3:5])
    assert len(r) == 7
    same(Rotation.concatenate([r, r[0]]), TheirRotation.concatenate([s, s[0]]))
    same(Rotation.identity(2), TheirRotation.identity(2))
    w = np.arange(1, 8)
    near = TheirRotation.from_rotvec(0.3 * v)
    close(Rotation.from_quat(near.as_quat().astype("f")).mean(w.astype("f")).as_matrix(), near.mean(w).as_matrix(), 1e-4)
    drawn = Rotation.random(random.key(0), 1000)
    close(np.linalg.norm(np.asarray(drawn.quat), axis=-1), 1)
    close(np.asarray(drawn.as_matrix()).mean(0), 0, 0.1)
    for single in (lambda: len(r[0]), lambda: r[0][0]):
        with pytest.raises(TypeError, match="single rotation"):
            single()


def test_paths():
    r, s = both()
    times = np.array([0, 1, 2.5, 4, 5, 7, 8])
    at = np.linspace(0, 8, 30)
    same(Slerp.init(times.astype("f"), r)(at.astype("f")), TheirSlerp(times, s)(at))
    same(Slerp.init(times.astype("f"), r)(1.7), TheirSlerp(times, s)(1.7))
    with pytest.raises(ValueError, match="at least two rotations"):
        Slerp.init([0.0], r[0])


def test_derivatives_and_transforms():
    v = np.array([0.3, -0.5, 0.7])
    check_derivatives(lambda w: Rotation.from_rotvec(w).apply(v), np.array([0.1, 0.2, 0.3]))
    check_derivatives(lambda w: Rotation.from_rotvec(w).apply(v), np.zeros(3))
    check_derivatives(lambda q: Rotation.from_quat(q).as_rotvec(), QUATERNIONS[0])
    check_derivatives(lambda w: Rotation.from_rotvec(w).as_rotvec(), np.zeros(3))
    r = G.jit(lambda r: r * r)(both()[0])
    assert isinstance(r, Rotation)
    turned = G.vmap(lambda q, v: Rotation.from_quat(q).apply(v), (0, None))(QUATERNIONS.astype("f"), v.astype("f"))
    close(turned, both()[1].apply(v))


def test_errors():
    with pytest.raises(ValueError, match=r"Rotation.from_quat takes an array of shape \(4,\) or \(n, 4\), got shape \(3,\)"):
        Rotation.from_quat(jnp.ones(3))
    for seq in ("xw", "xX", "xx", "xyzx"):
        with pytest.raises(ValueError, match="A sequence of axes is one to three of the letters"):
            Rotation.from_euler(seq, [1.0, 2.0])
    with pytest.raises(ValueError, match="as many angles as axes"):
        Rotation.from_euler("xy", [1.0, 2.0, 3.0])
