"""gnomon.scipy.spatial.transform: rotations in three dimensions, and paths between them."""
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gnomon import numpy as jnp
from gnomon import random
from gnomon.base.arguments import flag
from gnomon.numpy.axes import integer, sequence
from gnomon.numpy.creation import as_array
from gnomon.numpy.promote import requested_dtype, to_inexact
from gnomon.scipy.floats import wide_floats
from gnomon.types.size import check_size

__all__ = ["Rotation", "Slerp"]


def floats(x, name, last):
    """An array of floats of shape (last,) or (n, last); lists are taken too."""
    x = to_inexact(as_array(x, None, name))
    last = last if isinstance(last, tuple) else (last,)
    if x.ndim not in (len(last), len(last) + 1) or x.shape[-len(last):] != last:
        shape = ", ".join(map(str, last))
        raise ValueError(f"{name} takes an array of shape ({shape},) or (n, {shape}), got shape {x.shape}.")
    return x


def product(p, q):
    """The product of quaternions, their real parts last."""
    v, w = p[..., :3], p[..., 3:]
    u, s = q[..., :3], q[..., 3:]
    return jnp.concatenate([w * u + s * v + jnp.cross(v, u), w * s - (v * u).sum(-1, keepdims=True)], -1)


def normalized(q):
    return q / jnp.linalg.norm(q, axis=-1, keepdims=True)


class Rotation(NamedTuple):
    """A rotation, or several, as unit quaternions `quat` of shape (4,) or (n, 4), the real part last.

    Made by from_quat, from_matrix, from_rotvec, from_euler, from_mrp, identity, random and concatenate.

    >>> r = Rotation.from_euler("z", 90, degrees=True)
    >>> jnp.round(r.apply(jnp.array([1.0, 0.0, 0.0])), 3).tolist()
    [0.0, 1.0, 0.0]
    """

    quat: object

    # ---- making rotations

    @classmethod
    def from_quat(cls, quat):
        """From quaternions of any length, the real part last."""
        return cls(normalized(floats(quat, "Rotation.from_quat", 4)))

    @classmethod
    def from_matrix(cls, matrix):
        """From rotation matrices, (3, 3) or (n, 3, 3)."""
        m = floats(matrix, "Rotation.from_matrix", (3, 3))
        x, y, z = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
        # four forms of the same quaternion times 4 q_i; the one with the largest q_i is exact
        forms = jnp.stack([
            jnp.stack([1 + x - y - z, m[..., 1, 0] + m[..., 0, 1], m[..., 2, 0] + m[..., 0, 2], m[..., 2, 1] - m[..., 1, 2]], -1),
            jnp.stack([m[..., 1, 0] + m[..., 0, 1], 1 - x + y - z, m[..., 2, 1] + m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0]], -1),
            jnp.stack([m[..., 2, 0] + m[..., 0, 2], m[..., 2, 1] + m[..., 1, 2], 1 - x - y + z, m[..., 1, 0] - m[..., 0, 1]], -1),
            jnp.stack([m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1], 1 + x + y + z], -1)], -2)
        best = jnp.argmax(jnp.stack([x, y, z, x + y + z], -1), -1)
        return cls(normalized(jnp.take_along_axis(forms, best[..., None, None], -2)[..., 0, :]))

    @classmethod
    def from_rotvec(cls, rotvec, degrees=False):
        """From vectors along the axis whose length is the angle."""
        v = floats(rotvec, "Rotation.from_rotvec", 3)
        v = v * (math.pi / 180) if flag(degrees, "Rotation.from_rotvec", "degrees") else v
        squared = (v * v).sum(-1, keepdims=True)
        small = squared < 1e-4
        angle = jnp.sqrt(jnp.where(small, 1, squared))
        factor = jnp.where(small, 0.5 - squared / 48 + squared * squared / 3840, jnp.sin(angle / 2) / angle)
        real = jnp.where(small, 1 - squared / 8 + squared * squared / 384, jnp.cos(angle / 2))
        return cls(jnp.concatenate([v * factor, real], -1))

    @classmethod
    def from_mrp(cls, mrp):
        """From modified Rodrigues parameters: vectors along the axis of length tan(angle / 4)."""
        v = floats(mrp, "Rotation.from_mrp", 3)
        squared = (v * v).sum(-1, keepdims=True)
        return cls(jnp.concatenate([2 * v, 1 - squared], -1) / (1 + squared))

    @classmethod
    def from_euler(cls, seq, angles, degrees=False):
        """From angles about up to three axes: `seq` names them, small letters for fixed axes, capitals for those of the body.

        angles: a number for one axis; (k,) or (n, k) for k axes."""
        axes, intrinsic = euler_axes(seq)
        a = to_inexact(as_array(angles, None, "Rotation.from_euler"))
        if len(axes) == 1 and (a.ndim == 0 or a.ndim == 1 and a.shape != (1,)):
            a = a[..., None]
        if not a.ndim or a.shape[-1] != len(axes) or a.ndim > 2:
            raise ValueError(f"Rotation.from_euler takes as many angles as axes in the last dimension, {len(axes)}, got shape {a.shape}.")
        a = a * (math.pi / 180) if flag(degrees, "Rotation.from_euler", "degrees") else a
        total = None
        for i, axis in enumerate(axes):
            half = a[..., i] / 2
            parts = [jnp.zeros_like(half)] * 3 + [jnp.cos(half)]
            parts[axis] = jnp.sin(half)
            turn = jnp.stack(parts, -1)
            total = turn if total is None else product(total, turn) if intrinsic else product(turn, total)
        return cls(total)

    @classmethod
    def identity(cls, num=None, dtype=float):
        """The rotation that moves nothing, or `num` of them."""
        shape = how_many(num, "Rotation.identity")
        q = np.zeros(shape)
        q[..., 3] = 1
        return cls(jnp.asarray(q.astype(requested_dtype(dtype))))

    @classmethod
    def random(cls, random_key, num=None):
        """A random rotation, or `num` of them, all equally likely."""
        shape = how_many(num, "Rotation.random")
        return cls(normalized(random.normal(random_key, shape)))

    @classmethod
    def concatenate(cls, rotations):
        """All rotations of a sequence in one object."""
        return cls(jnp.concatenate([jnp.atleast_2d(a_rotation(r, "Rotation.concatenate").quat)
                                    for r in sequence(rotations, "Rotation.concatenate", "rotations", "Rotations")]))

    # ---- what they are

    @property
    def single(self):
        """Whether this is one rotation and not a list of them."""
        return self.quat.ndim == 1

    def __len__(self):
        if self.single:
            raise TypeError("A single rotation has no length.")
        return self.quat.shape[0]

    def __getitem__(self, indexer):
        if self.single:
            raise TypeError("A single rotation cannot be indexed.")
        return Rotation(self.quat[indexer])

    def as_quat(self, canonical=False, scalar_first=False):
        """Unit quaternions, the real part last, or first with `scalar_first`; `canonical`: with the sign that makes it positive."""
        q = self.quat
        if flag(canonical, "Rotation.as_quat", "canonical"):
            # the sign of the first of w, x, y, z that is not 0
            x, y, z, w = (q[..., i] for i in range(4))
            negative = (w < 0) | (w == 0) & ((x < 0) | (x == 0) & ((y < 0) | (y == 0) & (z < 0)))
            q = jnp.where(negative[..., None], -q, q)
        return jnp.roll(q, 1, -1) if flag(scalar_first, "Rotation.as_quat", "scalar_first") else q

    def as_matrix(self):
        """Rotation matrices, (3, 3) or (n, 3, 3)."""
        x, y, z, w = (self.quat[..., i] for i in range(4))
        rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
        return jnp.stack([jnp.stack(row, -1) for row in rows], -2)

    def as_rotvec(self, degrees=False):
        """Vectors along the axis whose length is the angle, at most pi."""
        q = self.as_quat(canonical=True)
        v, w = q[..., :3], q[..., 3:]
        squared = (v * v).sum(-1, keepdims=True)
        small = squared < 1e-4
        sine = jnp.sqrt(jnp.where(small, 1, squared))
        # 2 arcsin(s) / s, by its series where s is small
        factor = jnp.where(small, 2 + squared / 3 + squared * squared * 3 / 20, 2 * jnp.arctan2(sine, jnp.where(small, 1, w)) / sine)
        out = v * factor
        return out * (180 / math.pi) if flag(degrees, "Rotation.as_rotvec", "degrees") else out

    def as_mrp(self):
        """Modified Rodrigues parameters: vectors along the axis of length tan(angle / 4)."""
        q = jnp.where(self.quat[..., 3:] < 0, -self.quat, self.quat)
        return q[..., :3] / (1 + q[..., 3:])

    def as_euler(self, seq, degrees=False):
        """Angles about three axes, (3,) or (n, 3); see `from_euler`. Where the second angle leaves the others undecided the third is 0."""
        axes, intrinsic = euler_axes(seq)
        if len(axes) != 3:
            raise ValueError(f"Rotation.as_euler takes three axes, got {seq!r}.")
        out = euler_angles(self.quat, axes, intrinsic)
        return out * (180 / math.pi) if flag(degrees, "Rotation.as_euler", "degrees") else out

    def magnitude(self):
        """The angles of the rotations, between 0 and pi."""
        return 2 * jnp.arctan2(jnp.linalg.norm(self.quat[..., :3], axis=-1), jnp.abs(self.quat[..., 3]))

    # ---- what they do

    def apply(self, vectors, inverse=False):
        """Vectors, (3,) or (n, 3), turned by the rotations (back, with `inverse`)."""
        v = floats(vectors, "Rotation.apply", 3)
        m = self.as_matrix().astype(v.dtype)
        m = jnp.swapaxes(m, -1, -2) if flag(inverse, "Rotation.apply", "inverse") else m
        return (m @ v[..., None])[..., 0]

    def __mul__(self, other):
        """First `other`, then this rotation."""
        return Rotation(normalized(product(*jnp.broadcast_arrays(self.quat, a_rotation(other, "Rotation.__mul__").quat))))

    def inv(self):
        """The rotations back."""
        return Rotation(self.quat * np.array([-1, -1, -1, 1], self.quat.dtype))

    def mean(self, weights=None):
        """The rotation from which the others are least far away, in the mean of squares."""
        q = jnp.atleast_2d(self.quat)
        w = jnp.ones(q.shape[0], q.dtype) if weights is None else to_inexact(as_array(weights, None, "Rotation.mean"))
        if w.shape != (q.shape[0],):
            raise ValueError(f"Rotation.mean takes as many weights as rotations, {q.shape[0]}, got shape {w.shape}.")
        moments = wide_floats((q * w[:, None]).T @ q)
        return Rotation(jnp.linalg.eigh(moments).eigenvectors[:, -1].astype(q.dtype))


def a_rotation(x, name):
    if not isinstance(x, Rotation):
        raise TypeError(f"{name} takes Rotations, got {x!r} of type {type(x).__name__}.")
    return x


def how_many(num, name):
    """The shape of `num` quaternions, of one for None."""
    return (4,) if num is None else (check_size(integer(num, name, "num"), f"num, of {name},"), 4)


def euler_axes(seq):
    """(numbers of the axes, whether they turn with the body)."""
    if not isinstance(seq, str):
        raise TypeError(f"A sequence of axes is a string of up to three letters xyz (or XYZ), got {seq!r} of type {type(seq).__name__}.")
    intrinsic = seq.isupper()
    axes = ["xyz".find(c) for c in seq.lower()]
    if not 1 <= len(axes) <= 3 or -1 in axes or not (intrinsic or seq.islower()) or any(a == b for a, b in zip(axes, axes[1:])):
        raise ValueError(f"A sequence of axes is one to three of the letters xyz (or XYZ), no two neighbours equal, got {seq!r}.")
    return axes, intrinsic


def euler_angles(quat, axes, intrinsic):
    """Angles about three axes directly from quaternions (Bernardes and Viollet, "Quaternion to Euler angles conversion: a direct, general
    and computationally efficient method")."""
    i, j, k = axes[::-1] if intrinsic else axes
    proper = i == k
    if proper:
        k = 3 - i - j
    sign = (i - j) * (j - k) * (k - i) // 2
    q = [quat[..., n] for n in range(4)]
    if proper:
        a, b, c, d = q[3], q[i], q[j], q[k] * sign
    else:
        a, b, c, d = q[3] - q[j], q[i] + q[k] * sign, q[j] + q[3], q[k] * sign - q[i]
    second = 2 * jnp.arctan2(jnp.hypot(c, d), jnp.hypot(a, b))
    at_zero, at_pi = jnp.abs(second) <= 1e-7, jnp.abs(second - math.pi) <= 1e-7
    total, difference = jnp.arctan2(b, a), jnp.arctan2(d, c)
    locked = at_zero | at_pi
    first = jnp.where(at_zero, 2 * total, jnp.where(at_pi, (2 if intrinsic else -2) * difference, total - difference))
    third = jnp.where(locked, 0, total + difference)
    if intrinsic:       # read backwards: what is undecided is put into the first angle all the same
        first, third = jnp.where(locked, 0, first), jnp.where(locked, first, third)
    if not proper:
        third, second = third * sign, second - math.pi / 2
    angles = [third, second, first] if intrinsic else [first, second, third]
    return jnp.stack([jnp.where(x < -math.pi, x + 2 * math.pi, jnp.where(x > math.pi, x - 2 * math.pi, x)) for x in angles], -1)


class Slerp(NamedTuple):
    """A path through rotations at given times, turning at an even speed from each to the next. Made by `init`.

    >>> r = Rotation.from_euler("z", jnp.array([0.0, 90.0]), degrees=True)
    >>> float(jnp.round(Slerp.init(jnp.array([0.0, 1.0]), r)(0.5).magnitude() * 4 / jnp.pi, 3))
    1.0
    """

    times: object
    timedelta: object
    rotations: Rotation
    rotvecs: object

    @classmethod
    def init(cls, times, rotations):
        """The path that is at rotations[i] at times[i]; the times increase."""
        times = to_inexact(as_array(times, None, "Slerp.init"))
        if a_rotation(rotations, "Slerp.init").single or len(rotations) < 2:
            raise ValueError("Slerp.init takes at least two rotations.")
        if times.shape != (len(rotations),):
            raise ValueError(f"Slerp.init takes as many times as rotations, {len(rotations)}, got shape {times.shape}.")
        start = Rotation(rotations.quat[:-1])
        turns = (start.inv() * Rotation(rotations.quat[1:])).as_rotvec()
        return cls(times, jnp.diff(times), start, turns)

    def __call__(self, times):
        """The rotations at times within the path's."""
        t = to_inexact(as_array(times, None, "Slerp"))
        flat = jnp.atleast_1d(t)
        i = jnp.clip(jnp.searchsorted(self.times, flat, side="right") - 1, 0, self.timedelta.shape[0] - 1)
        share = (flat - self.times[i]) / self.timedelta[i]
        out = self.rotations[i] * Rotation.from_rotvec(self.rotvecs[i] * share[:, None])
        return out[0] if not t.ndim else out
