"""Small layers: each is a pair (init, apply) of functions.

`init(key, input_shape)` gives (output_shape, params), with -1 for sizes that are not known yet; `apply(params, inputs, rng=key)` the outputs.

>>> import gnomon
>>> init, apply = serial(Dense(4), Relu, Dense(2))
>>> shape, params = init(gnomon.random.key(0), (-1, 3))
>>> shape, apply(params, gnomon.numpy.ones((5, 3))).shape
((-1, 2), (5, 2))
"""
from __future__ import annotations

import functools
import math

from gnomon import lax, numpy as jnp, random
from gnomon.nn import elu, gelu, leaky_relu, log_softmax, relu, selu, sigmoid, softmax, softplus, standardize
from gnomon.nn.initializers import glorot_normal, normal, ones, zeros

__all__ = ["AvgPool", "BatchNorm", "Conv", "Conv1DTranspose", "ConvTranspose", "Dense", "Dropout", "Elu", "Exp", "FanInConcat", "FanInSum", "FanOut",
           "Flatten", "Gelu", "GeneralConv", "GeneralConvTranspose", "Identity", "LeakyRelu", "LogSoftmax", "MaxPool", "Relu", "Selu", "Sigmoid",
           "Softmax", "Softplus", "SumPool", "Tanh", "elementwise", "elu", "gelu", "glorot", "glorot_normal", "leaky_relu", "log_softmax",
           "logsoftmax", "normal", "ones", "parallel", "randn", "relu", "selu", "serial", "shape_dependent", "sigmoid", "softmax", "softplus",
           "standardize", "zeros"]

logsoftmax, glorot, randn = log_softmax, glorot_normal, normal


def keeps_shape(apply):
    """A layer without parameters whose result has the shape of its input."""
    return lambda rng, input_shape: (input_shape, ()), apply


def elementwise(fun, **fun_kwargs):
    """fun(x, **fun_kwargs) as a layer."""
    return keeps_shape(lambda params, inputs, **kwargs: fun(inputs, **fun_kwargs))


Tanh, Relu, Exp, Sigmoid = elementwise(jnp.tanh), elementwise(relu), elementwise(jnp.exp), elementwise(sigmoid)
LogSoftmax, Softmax = elementwise(log_softmax, axis=-1), elementwise(softmax, axis=-1)
Softplus, Elu, LeakyRelu, Selu, Gelu = (elementwise(f) for f in (softplus, elu, leaky_relu, selu, gelu))
Identity = elementwise(lambda x: x)


def Dense(out_dim, W_init=glorot_normal(), b_init=normal()):  # noqa: N802, N803
    """x @ W + b, over the last axis."""
    def init(rng, input_shape):
        key_w, key_b = random.split(rng)
        return (*input_shape[:-1], out_dim), (W_init(key_w, (input_shape[-1], out_dim)), b_init(key_b, (out_dim,)))

    def apply(params, inputs, **kwargs):
        w, b = params
        return jnp.dot(inputs, w) + b
    return init, apply


def convolution(dimension_numbers, out_chan, filter_shape, strides, padding, W_init, b_init, transposed):  # noqa: N803
    lhs, rhs, out = dimension_numbers
    strides = strides or (1,) * len(filter_shape)
    W_init = W_init or glorot_normal(rhs.index("I"), rhs.index("O"))  # noqa: N806
    run = lax.conv_transpose if transposed else lax.conv_general_dilated

    def init(rng, input_shape):
        sizes = iter(filter_shape)
        kernel = [out_chan if c == "O" else input_shape[lhs.index("C")] if c == "I" else next(sizes) for c in rhs]
        key_w, key_b = random.split(rng)
        shape_of = lax.conv_transpose_shape_tuple if transposed else lax.conv_general_shape_tuple
        known = [1 if n == -1 else n for n in input_shape]
        output_shape = list(shape_of(known, kernel, strides, padding, dimension_numbers))
        output_shape[out.index("N")] = input_shape[lhs.index("N")]
        return tuple(output_shape), (W_init(key_w, kernel), b_init(key_b, [out_chan if c == "C" else 1 for c in out]))

    def apply(params, inputs, **kwargs):
        w, b = params
        return run(inputs, w, strides, padding, dimension_numbers=dimension_numbers) + b
    return init, apply


def GeneralConv(dimension_numbers, out_chan, filter_shape, strides=None, padding="VALID", W_init=None, b_init=normal(1e-6)):  # noqa: N802, N803
    """A convolution with a bias; `dimension_numbers` are three strings as ("NHWC", "HWIO", "NHWC")."""
    return convolution(dimension_numbers, out_chan, filter_shape, strides, padding, W_init, b_init, False)


def GeneralConvTranspose(dimension_numbers, out_chan, filter_shape, strides=None, padding="VALID", W_init=None,  # noqa: N802
                         b_init=normal(1e-6)):  # noqa: N803
    """A transposed convolution with a bias."""
    return convolution(dimension_numbers, out_chan, filter_shape, strides, padding, W_init, b_init, True)


Conv = functools.partial(GeneralConv, ("NHWC", "HWIO", "NHWC"))
ConvTranspose = functools.partial(GeneralConvTranspose, ("NHWC", "HWIO", "NHWC"))
Conv1DTranspose = functools.partial(GeneralConvTranspose, ("NHC", "HIO", "NHC"))


def BatchNorm(axis=(0, 1, 2), epsilon=1e-5, center=True, scale=True, beta_init=zeros, gamma_init=ones):  # noqa: N802
    """Mean 0 and variance 1 over `axis`, then gamma · x + beta."""
    axis = (axis,) if jnp.isscalar(axis) else tuple(axis)

    def init(rng, input_shape):
        shape = tuple(n for i, n in enumerate(input_shape) if i not in axis)
        key_beta, key_gamma = random.split(rng)
        return input_shape, (beta_init(key_beta, shape) if center else (), gamma_init(key_gamma, shape) if scale else ())

    def apply(params, x, **kwargs):
        beta, gamma = [jnp.expand_dims(p, axis) if there else None for p, there in zip(params, (center, scale))]
        z = standardize(x, axis, epsilon=epsilon)
        z = gamma * z if scale else z
        return z + beta if center else z
    return init, apply


def pooling(name, start, combine, mean=False):
    def layer(window_shape, strides=None, padding="VALID", spec=None):
        """Windows of `window_shape` over the dimensions of `spec` (NHWC) that are neither N nor C."""
        strides = strides or (1,) * len(window_shape)
        whole = [i for i in range(len(window_shape) + 2) if (i not in (0, len(window_shape) + 1) if spec is None else spec[i] not in "NC")]
        window, steps = [1] * (len(window_shape) + 2), [1] * (len(window_shape) + 2)
        for i, n, s in zip(whole, window_shape, strides):
            window[i], steps[i] = n, s

        def init(rng, input_shape):
            pads = lax.padtype_to_pads([max(n, 1) for n in input_shape], window, steps, padding)
            return tuple((n + lo + hi - w) // s + 1 if n >= 0 else n for n, w, s, (lo, hi) in zip(input_shape, window, steps, pads)), ()

        def apply(params, inputs, **kwargs):
            out = lax.reduce_window(inputs, start, combine, window, steps, padding)
            return out / lax.reduce_window(jnp.ones_like(inputs), 0.0, lax.add, window, steps, padding) if mean else out
        return init, apply
    layer.__name__ = layer.__qualname__ = name
    return layer


MaxPool = pooling("MaxPool", -math.inf, lax.max)
SumPool = pooling("SumPool", 0.0, lax.add)
AvgPool = pooling("AvgPool", 0.0, lax.add, mean=True)
Flatten = (lambda rng, input_shape: ((input_shape[0], math.prod(input_shape[1:])), ())), lambda params, x, **kwargs: x.reshape(x.shape[0], -1)


def FanOut(num):  # noqa: N802
    """The input, `num` times."""
    return lambda rng, input_shape: ([input_shape] * num, ()), lambda params, inputs, **kwargs: [inputs] * num


FanInSum = (lambda rng, shapes: (shapes[0], ())), lambda params, inputs, **kwargs: sum(inputs)


def FanInConcat(axis=-1):  # noqa: N802
    """The inputs, one after the other along `axis`."""
    def init(rng, shapes):
        at, out = axis % len(shapes[0]), list(shapes[0])
        out[at] = sum(s[at] for s in shapes)
        return tuple(out), ()
    return init, lambda params, inputs, **kwargs: jnp.concatenate(inputs, axis)


def Dropout(rate, mode="train"):  # noqa: N802
    """In mode "train" keeps each element with the probability `rate`, divided by it; `apply` then needs rng=key."""
    def apply(params, inputs, **kwargs):
        key = kwargs.get("rng")
        if key is None:
            raise ValueError("Dropout draws random numbers, so its apply needs a key: apply(params, inputs, rng=key).")
        if mode != "train":
            return inputs
        return jnp.where(random.bernoulli(key, rate, inputs.shape), inputs / rate, 0)
    return keeps_shape(apply)


def keys_for(rng, n):
    return [None] * n if rng is None else random.split(rng, n)


def serial(*layers):
    """Layers one after the other."""
    inits, applies = zip(*layers) if layers else ((), ())

    def init(rng, input_shape):
        params = []
        for layer in inits:
            rng, key = random.split(rng)
            input_shape, own = layer(key, input_shape)
            params.append(own)
        return input_shape, params

    def apply(params, inputs, **kwargs):
        for layer, own, key in zip(applies, params, keys_for(kwargs.pop("rng", None), len(layers))):
            inputs = layer(own, inputs, rng=key, **kwargs)
        return inputs
    return init, apply


def parallel(*layers):
    """Layers side by side, each on an input of its own, as `FanOut` gives them."""
    inits, applies = zip(*layers)

    def init(rng, input_shape):
        made = [layer(key, shape) for layer, key, shape in zip(inits, random.split(rng, len(layers)), input_shape)]
        return [shape for shape, _ in made], [params for _, params in made]

    def apply(params, inputs, **kwargs):
        keys = keys_for(kwargs.pop("rng", None), len(layers))
        return [layer(own, x, rng=key, **kwargs) for layer, own, x, key in zip(applies, params, inputs, keys)]
    return init, apply


def shape_dependent(make_layer):
    """A layer that `make_layer(input_shape)` makes once the shape of its input is known."""
    return lambda rng, input_shape: make_layer(input_shape)[0](rng, input_shape), \
        lambda params, inputs, **kwargs: make_layer(inputs.shape)[1](params, inputs, **kwargs)
