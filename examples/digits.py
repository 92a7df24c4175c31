"""Learn to read handwritten digits: a small convolutional network, trained on 1,437 images and tested on 360.

    python examples/digits.py

Everything is a plain function of arrays. `value_and_grad` gives the gradient, `jit` compiles a whole training step,
`vmap` turns a function of one image into one of a batch: once to shift every image its own way, once to ask how hard
every single image pulls at the parameters. Writes digits.png: the loss curve, the images the network gets wrong and the
training images that pull hardest.
"""
import argparse
import pathlib
import time

import gnomon as jax
import gnomon.numpy as jnp
import numpy as np
from gnomon import lax
from matplotlib.figure import Figure
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

DATA = pathlib.Path(__file__).parent / "data" / "digits.npz"
BATCH = 64
PEAK_RATE = 4e-3


def load():
    """Images as float32[n, 8, 8, 1] in 0..1 and labels as int32[n], shuffled; the first 1,437 to train, 360 to test."""
    with np.load(DATA) as file:
        images, labels = file["images"], file["labels"]
    order = np.random.default_rng(0).permutation(len(labels))
    images = jnp.asarray(images[order, :, :, None], jnp.float32) / 16
    labels = jnp.asarray(labels[order], jnp.int32)
    return (images[:1437], labels[:1437]), (images[1437:], labels[1437:])


# --- the network: parameters are a dictionary, the model is a function --------------------------------------

def init_parameters(key):
    """Kernels drawn at the scale that keeps a relu network's signals at size one, biases zero."""
    shapes = {"conv1": (3, 3, 1, 16), "conv2": (3, 3, 16, 32), "dense": (4 * 4 * 32, 10)}
    keys = jax.random.split(key, len(shapes))

    def layer(key, shape):
        scale = np.sqrt(2 / np.prod(shape[:-1]))
        return {"kernel": scale * jax.random.normal(key, shape), "bias": jnp.zeros(shape[-1])}

    return {name: layer(key, shape) for key, (name, shape) in zip(keys, shapes.items())}


def convolve(layer, x):
    """A 3x3 convolution that keeps the image's size, then relu."""
    out = lax.conv_general_dilated(x, layer["kernel"], window_strides=(1, 1), padding="SAME",
                                   dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.nn.relu(out + layer["bias"])


def predict(parameters, images):
    """Log probabilities, float32[n, 10], of images float32[n, 8, 8, 1]."""
    x = convolve(parameters["conv1"], images)
    x = convolve(parameters["conv2"], x)
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    x = x.reshape(x.shape[0], -1)
    return jax.nn.log_softmax(x @ parameters["dense"]["kernel"] + parameters["dense"]["bias"])


def loss(parameters, images, labels):
    """Mean cross entropy."""
    return -jnp.mean(jnp.sum(predict(parameters, images) * jax.nn.one_hot(labels, 10), axis=-1))


# --- training -----------------------------------------------------------------------------------------------

def shift(key, image):
    """One image moved by up to one pixel each way; vmapped, every image of a batch has a shift of its own."""
    corner = jax.random.randint(key, (2,), 0, 3)
    padded = jnp.pad(image, ((1, 1), (1, 1), (0, 0)))
    return lax.dynamic_slice(padded, (corner[0], corner[1], 0), image.shape)


def adam(parameters, gradients, moments, step, rate):
    """One step of Adam (Kingma and Ba, 2015); `moments` is a pair of trees shaped like the parameters."""
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradients)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], gradients)
    first_scale, second_scale = 1 / (1 - 0.9 ** (step + 1)), 1 / (1 - 0.999 ** (step + 1))

    def move(p, m, v):
        return p - rate * first_scale * m / (jnp.sqrt(second_scale * v) + 1e-8)

    return jax.tree.map(move, parameters, first, second), (first, second)


@jax.jit
def train_step(state, step, total, images, labels):
    """Draw a batch, shift it, take one Adam step at a rate that falls along half a cosine."""
    parameters, moments, key = state
    key, batch_key, shift_key = jax.random.split(key, 3)
    chosen = jax.random.randint(batch_key, (BATCH,), 0, images.shape[0])
    batch = jax.vmap(shift)(jax.random.split(shift_key, BATCH), images[chosen])
    value, gradients = jax.value_and_grad(loss)(parameters, batch, labels[chosen])
    rate = PEAK_RATE * 0.5 * (1 + jnp.cos(jnp.pi * step / total))
    parameters, moments = adam(parameters, gradients, moments, step, rate)
    return (parameters, moments, key), value


def train(data, steps, seed=0, progress=None):
    """Parameters after `steps` steps and the list of losses along the way."""
    init_key, key = jax.random.split(jax.random.key(seed))
    parameters = init_parameters(init_key)
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    state, losses = (parameters, (zeros, zeros), key), []
    for step in range(steps):
        state, value = train_step(state, step, steps, *data)
        losses.append(float(value))
        if progress is not None:
            progress(losses[-1])
    return state[0], losses


@jax.jit
def gradient_norms(parameters, images, labels):
    """How hard each image pulls: the norm of its own gradient, float32[n]."""
    def one(image, label):
        gradients = jax.grad(loss)(parameters, image[None], label[None])
        return jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(gradients)))
    return jax.vmap(one)(images, labels)


# --- the picture --------------------------------------------------------------------------------------------

def draw(losses, rows, path):
    """Loss curve on the left; on the right one row of images for each (title, images, captions)."""
    figure = Figure(figsize=(11, 3.6), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=(1, 1.6))
    axes = left.subplots()
    axes.semilogy(losses, linewidth=0.6, color="0.7")
    window = min(25, len(losses))
    smooth = np.convolve(losses, np.ones(window) / window, "valid")
    axes.semilogy(np.arange(window - 1, len(losses)), smooth, color="C0")
    axes.set(xlabel="step", ylabel="cross entropy")
    for part, (title, images, captions) in zip(right.subfigures(len(rows), 1), rows):
        part.suptitle(title, fontsize=10)
        for cell, image, caption in zip(part.subplots(1, 8).flat, images, captions):
            cell.imshow(image[:, :, 0], cmap="gray_r")
            cell.set_title(caption, fontsize=8)
        for cell in part.axes:
            cell.axis("off")
    figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description="train a small network on handwritten digits")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--picture", type=pathlib.Path, default=pathlib.Path("digits.png"))
    options = parser.parse_args()

    began = time.perf_counter()
    training, (images, labels) = load()
    columns = (TextColumn("step {task.completed:>4.0f}/{task.total:.0f}"), BarColumn(),
               TextColumn("loss {task.fields[loss]:.4f}"), TimeElapsedColumn())
    with Progress(*columns) as bar:
        task = bar.add_task("train", total=options.steps, loss=float("nan"))
        parameters, losses = train(training, options.steps, options.seed,
                                   progress=lambda value: bar.update(task, advance=1, loss=value))
    guesses = jnp.argmax(jax.jit(predict)(parameters, images), axis=-1)
    right = int(jnp.sum(guesses == labels))
    print(f"held-out images read correctly: {right} of {len(labels)} ({100 * right / len(labels):.1f} %)"
          f" after {time.perf_counter() - began:.1f} s")

    norms = np.asarray(gradient_norms(parameters, *training))
    hardest = np.argsort(-norms)[:8]
    print(f"one image's pull on the parameters: median {np.median(norms):.1e}, largest {norms.max():.1e}")

    wrong = np.flatnonzero(np.asarray(guesses != labels))[:8]
    images, labels, guesses = np.asarray(images), np.asarray(labels), np.asarray(guesses)
    seen, meant = np.asarray(training[0]), np.asarray(training[1])
    draw(losses, [("misread", images[wrong], [f"{labels[i]} read as {guesses[i]}" for i in wrong]),
                  ("pull hardest in training", seen[hardest], [f"a {meant[i]}" for i in hardest])], options.picture)
    print(f"wrote {options.picture}")
    if right < 0.97 * len(labels):
        raise SystemExit("fewer than 97 % were read correctly")


if __name__ == "__main__":
    main()
