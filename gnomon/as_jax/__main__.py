"""python -m gnomon.as_jax script.py [arguments]: runs a script written for JAX on Gnomon."""
from __future__ import annotations

import runpy
import sys

import gnomon.as_jax  # noqa: F401


def main():
    """Run the script named on the command line as `__main__`."""
    if len(sys.argv) < 2:
        sys.exit("usage: python -m gnomon.as_jax script.py [arguments]")
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
