"""Small optimizers: `adam(step_size)` and its like are triples (init, update, get_params) of functions.

`init(params)` makes a state, `update(i, gradients, state)` the state after step i, `get_params(state)` takes the parameters out of it;
all of them may be under jit. `step_size` is a number or a function of the step.

>>> import gnomon
>>> start, update, get_params = adam(0.1)
>>> state = start({"w": gnomon.numpy.ones(2)})
>>> state = update(0, {"w": gnomon.numpy.array([1.0, -1.0])}, state)
>>> [round(x, 3) for x in get_params(state)["w"].tolist()]
[0.9, 1.1]
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

from gnomon import numpy as jnp
from gnomon.base.tree import register_pytree_node, tree_flatten, tree_leaves, tree_map, tree_unflatten

__all__ = ["JoinPoint", "Optimizer", "OptimizerState", "adagrad", "adam", "adamax", "clip_grads", "constant", "exponential_decay",
           "inverse_time_decay", "l2_norm", "make_schedule", "momentum", "nesterov", "optimizer", "pack_optimizer_state", "piecewise_constant",
           "polynomial_decay", "rmsprop", "rmsprop_momentum", "sgd", "sm3", "unpack_optimizer_state"]


class Optimizer(NamedTuple):
    """What an optimizer consists of."""

    init_fn: Callable
    update_fn: Callable
    params_fn: Callable


class OptimizerState(NamedTuple):
    """The flat states of all parameters, the structure of the parameters, and that of each parameter's state."""

    packed_state: tuple
    tree_def: object
    subtree_defs: tuple


register_pytree_node(OptimizerState, lambda state: ((state.packed_state,), (state.tree_def, state.subtree_defs)),
                     lambda structures, children: OptimizerState(children[0], *structures))


class JoinPoint:
    """One parameter's state in the tree that `unpack_optimizer_state` makes."""

    def __init__(self, subtree):
        self.subtree = subtree

    def __iter__(self):
        yield self.subtree


def packed(states, tree_def):
    taken = [tree_flatten(state) for state in states]
    return OptimizerState(tuple([tuple(leaves) for leaves, _ in taken]), tree_def, tuple([d for _, d in taken]))


def states_of(state):
    return [tree_unflatten(d, leaves) for d, leaves in zip(state.subtree_defs, state.packed_state)]


def unpack_optimizer_state(opt_state: OptimizerState):
    """The state as a tree of the parameters' structure whose leaves are `JoinPoint`s, to be saved without this module's classes."""
    return tree_unflatten(opt_state.tree_def, [JoinPoint(state) for state in states_of(opt_state)])


def pack_optimizer_state(marked_pytree) -> OptimizerState:
    """The state again, from what `unpack_optimizer_state` returned. TypeError if a leaf is no `JoinPoint`."""
    points, tree_def = tree_flatten(marked_pytree)
    if not all(isinstance(p, JoinPoint) for p in points):
        raise TypeError("pack_optimizer_state takes a tree whose leaves are JoinPoints, as unpack_optimizer_state returns it.")
    return packed([p.subtree for p in points], tree_def)


def optimizer(opt_maker):
    """Makes of functions for one array (init(x), update(i, gradient, state), get_params(state)) those for trees of arrays."""
    @functools.wraps(opt_maker)
    def make(*args, **kwargs):
        init, update, get_params = opt_maker(*args, **kwargs)

        def init_tree(params):
            leaves, tree_def = tree_flatten(params)
            return packed([init(x) for x in leaves], tree_def)

        def update_tree(i, gradients, state):
            leaves, tree_def = tree_flatten(gradients)
            if tree_def != state.tree_def:
                raise TypeError(f"The gradients have the structure {tree_def}, but the optimizer was started with parameters of the "
                                f"structure {state.tree_def}. Differentiate with respect to the parameters that `init` was given.")
            made = packed([update(i, g, s) for g, s in zip(leaves, states_of(state))], tree_def)
            for before, after in zip(state.subtree_defs, made.subtree_defs):
                if before != after:
                    raise TypeError(f"update returned a state of the structure {after}, but it was given one of the structure {before}.")
            return made

        def params_tree(state):
            return tree_unflatten(state.tree_def, [get_params(s) for s in states_of(state)])
        return Optimizer(init_tree, update_tree, params_tree)
    return make


# ---- optimizers ------------------------------------------------------------------------------------------------------

def inverse_root(x):
    """1 / sqrt(x), and 0 where x is 0."""
    positive = x > 0
    return jnp.where(positive, 1 / jnp.sqrt(jnp.where(positive, x, 1)), 0)


def first(state):
    return state[0]


@optimizer
def sgd(step_size):
    """x - step · g."""
    step = make_schedule(step_size)
    return lambda x: x, lambda i, g, x: x - step(i) * g, lambda x: x


@optimizer
def momentum(step_size, mass: float):
    """v = mass · v + g; x - step · v."""
    step = make_schedule(step_size)

    def update(i, g, state):
        x, v = state
        v = mass * v + g
        return x - step(i) * v, v
    return lambda x: (x, jnp.zeros_like(x)), update, first


@optimizer
def nesterov(step_size, mass: float):
    """v = mass · v + g; x - step · (mass · v + g)."""
    step = make_schedule(step_size)

    def update(i, g, state):
        x, v = state
        v = mass * v + g
        return x - step(i) * (mass * v + g), v
    return lambda x: (x, jnp.zeros_like(x)), update, first


@optimizer
def adagrad(step_size, momentum=0.9):
    """Steps along a running mean of g / sqrt(sum of g²)."""
    step = make_schedule(step_size)

    def update(i, g, state):
        x, squares, mean = state
        squares = squares + jnp.square(g)
        mean = (1 - momentum) * (g * inverse_root(squares)) + momentum * mean
        return x - step(i) * mean, squares, mean
    return lambda x: (x, jnp.zeros_like(x), jnp.zeros_like(x)), update, first


@optimizer
def rmsprop(step_size, gamma=0.9, eps=1e-8):
    """Steps along g / sqrt(running mean of g²)."""
    step = make_schedule(step_size)

    def update(i, g, state):
        x, squares = state
        squares = gamma * squares + (1 - gamma) * jnp.square(g)
        return x - step(i) * g / jnp.sqrt(squares + eps), squares
    return lambda x: (x, jnp.zeros_like(x)), update, first


@optimizer
def rmsprop_momentum(step_size, gamma=0.9, eps=1e-8, momentum=0.9):
    """The same, with momentum."""
    step = make_schedule(step_size)

    def update(i, g, state):
        x, squares, v = state
        squares = gamma * squares + (1 - gamma) * jnp.square(g)
        v = momentum * v + step(i) * g / jnp.sqrt(squares + eps)
        return x - v, squares, v
    return lambda x: (x, jnp.zeros_like(x), jnp.zeros_like(x)), update, first


@optimizer
def adam(step_size, b1=0.9, b2=0.999, eps=1e-8):
    """Steps along the running mean of g over the root of that of g², both without their bias to zero."""
    step = make_schedule(step_size)

    def update(i, g, state):
        x, mean, squares = state
        mean = (1 - b1) * g + b1 * mean
        squares = (1 - b2) * jnp.square(g) + b2 * squares
        i1 = jnp.asarray(i + 1, mean.dtype)
        unbiased, squares_unbiased = mean / (1 - b1 ** i1), squares / (1 - b2 ** i1)
        return x - step(i) * unbiased / (jnp.sqrt(squares_unbiased) + eps), mean, squares
    return lambda x: (x, jnp.zeros_like(x), jnp.zeros_like(x)), update, first


@optimizer
def adamax(step_size, b1=0.9, b2=0.999, eps=1e-8):
    """Adam with a decaying maximum of abs(g) in place of the mean of g²."""
    step = make_schedule(step_size)

    def update(i, g, state):
        x, mean, largest = state
        mean = (1 - b1) * g + b1 * mean
        largest = jnp.maximum(b2 * largest, jnp.abs(g))
        return x - step(i) / (1 - b1 ** jnp.asarray(i + 1, mean.dtype)) * mean / (largest + eps), mean, largest
    return lambda x: (x, jnp.zeros_like(x), jnp.zeros_like(x)), update, first


@optimizer
def sm3(step_size, momentum=0.9):
    """Adagrad that keeps, in place of a number per element, one per index of each dimension."""
    step = make_schedule(step_size)

    def init(x):
        return x, jnp.zeros_like(x), [jnp.zeros(n, x.dtype) for n in x.shape]

    def update(i, g, state):
        x, mean, bounds = state
        along = [b.reshape([-1 if j == d else 1 for j in range(x.ndim)]) for d, b in enumerate(bounds)]
        squares = functools.reduce(jnp.minimum, along) + jnp.square(g)
        mean = (1 - momentum) * (g * inverse_root(squares)) + momentum * mean
        bounds = [squares.max(tuple(j for j in range(x.ndim) if j != d)) for d in range(x.ndim)]
        return x - step(i) * mean, mean, bounds
    return init, update, first


# ---- schedules -------------------------------------------------------------------------------------------------------

def make_schedule(scalar_or_schedule):
    """A function of the step: the one given, or one that always returns the number given. TypeError for anything else."""
    if callable(scalar_or_schedule):
        return scalar_or_schedule
    if jnp.ndim(scalar_or_schedule) == 0:
        return constant(scalar_or_schedule)
    raise TypeError(f"make_schedule takes a number or a function of the step, got {scalar_or_schedule!r}.")


def constant(step_size):
    """Always `step_size`."""
    return lambda i: step_size


def exponential_decay(step_size, decay_steps, decay_rate):
    """step_size · decay_rate^(i / decay_steps)."""
    return lambda i: step_size * decay_rate ** (i / decay_steps)


def inverse_time_decay(step_size, decay_steps, decay_rate, staircase=False):
    """step_size / (1 + decay_rate · i / decay_steps), with `staircase` of whole multiples of decay_steps only."""
    def schedule(i):
        return step_size / (1 + decay_rate * (jnp.floor(i / decay_steps) if staircase else i / decay_steps))
    return schedule


def polynomial_decay(step_size, decay_steps, final_step_size, power=1.0):
    """From step_size to final_step_size in `decay_steps` steps, as (1 - i / decay_steps)^power."""
    def schedule(i):
        left = 1 - jnp.minimum(i, decay_steps) / decay_steps
        return left ** power * (step_size - final_step_size) + final_step_size
    return schedule


def piecewise_constant(boundaries, values):
    """values[k] after k of the boundaries. ValueError unless there is one value more than boundaries."""
    boundaries, values = jnp.array(boundaries), jnp.array(values)
    if not boundaries.ndim == values.ndim == 1 or boundaries.size != values.size - 1:
        raise ValueError(f"piecewise_constant takes n boundaries and n + 1 values, got the shapes {boundaries.shape} and {values.shape}.")
    return lambda i: values[jnp.sum(i > boundaries)]


def l2_norm(tree):
    """The root of the sum of squares of all elements of a tree."""
    return jnp.sqrt(sum([jnp.vdot(x, x) for x in tree_leaves(tree)]))


def clip_grads(grad_tree, max_norm):
    """A tree scaled down to the norm `max_norm` where it has a larger one."""
    norm = l2_norm(grad_tree)
    return tree_map(lambda g: jnp.where(norm < max_norm, g, g * (max_norm / norm)), grad_tree)
