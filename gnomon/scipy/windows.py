"""Windows by name, for spectral analysis."""
from __future__ import annotations

import math

import numpy as np

__all__ = ["get_window"]

# coefficients of cosine sums, a_0 - a_1 cos(x) + a_2 cos(2 x) - ...
COSINES = {
    "hann": (0.5, 0.5), "hamming": (0.54, 0.46), "blackman": (0.42, 0.5, 0.08), "nuttall": (0.3635819, 0.4891775, 0.1365995, 0.0106411),
    "blackmanharris": (0.35875, 0.48829, 0.14128, 0.01168),
    "flattop": (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368), "boxcar": (1.0,),
}
ALIASES = {"hanning": "hann", "han": "hann", "hamm": "hamming", "ham": "hamming", "black": "blackman", "blk": "blackman", "box": "boxcar",
           "ones": "boxcar", "rect": "boxcar", "rectangular": "boxcar", "flat": "flattop", "flt": "flattop", "bart": "bartlett",
           "brt": "bartlett", "tri": "triang", "triangle": "triang", "nutt": "nuttall", "blackharr": "blackmanharris",
           "bkh": "blackmanharris", "half cosine": "cosine", "tuk": "tukey", "gauss": "gaussian", "gss": "gaussian", "ksr": "kaiser"}


def symmetric(kind, n, args):
    """A window of n points, equal at both ends."""
    k = np.arange(n)
    x = 2 * k / max(n - 1, 1) - 1           # from -1 to 1
    if kind in COSINES:
        return sum((-1) ** i * a * np.cos(i * math.pi * (x + 1)) for i, a in enumerate(COSINES[kind]))
    if kind == "bartlett":
        return 1 - np.abs(x)
    if kind == "triang":
        return 1 - np.abs(2 * k - (n - 1)) / (n + n % 2)
    if kind == "cosine":
        return np.sin(math.pi * (k + 0.5) / n)
    if kind == "tukey":
        alpha, = args or (0.5,)
        return 0.5 * (1 + np.cos(math.pi * np.clip((np.abs(x) - 1) / max(alpha, 1e-300) + 1, 0, 1)))
    if kind == "gaussian":
        width, = args
        return np.exp(-0.5 * ((k - (n - 1) / 2) / width) ** 2)
    beta, = args
    return np.i0(beta * np.sqrt(np.maximum(1 - x * x, 0))) / np.i0(beta)


def get_window(window, n):
    """A window of n points as a NumPy array, such that repeating it is smooth.

    window: a name, or a tuple of a name and parameters: ('tukey', alpha), ('gaussian', standard deviation), ('kaiser', beta).

    >>> get_window("bartlett", 4).tolist()
    [0.0, 0.5, 1.0, 0.5]
    """
    kind, *args = (window,) if isinstance(window, str) else ("kaiser", window) if isinstance(window, (int, float)) else window
    kind = ALIASES.get(kind, kind)
    known = (*COSINES, "bartlett", "triang", "cosine", "tukey", "gaussian", "kaiser")
    needed = {"gaussian": 1, "kaiser": 1}.get(kind, 0)
    if kind not in known or len(args) < needed:
        raise ValueError(f"There is no window {window!r}; there are {', '.join(known)}, gaussian and kaiser with a parameter. Give an array.")
    if n <= 1:
        return np.ones(n)
    return symmetric(kind, n + 1, args)[:-1]
