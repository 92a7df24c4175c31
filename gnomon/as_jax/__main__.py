"""python -m gnomon.as_jax script.py [arguments]: runs a script written for JAX on Gnomon.

Also `-m module [arguments]` and `-c code [arguments]`, as Python itself takes them.
"""
from __future__ import annotations

import os
import runpy
import sys

import gnomon.as_jax  # noqa: F401

USAGE = "usage: python -m gnomon.as_jax (script.py | -m module | -c code) [arguments]"


def main():
    """Run what the command line names as `__main__`."""
    args = sys.argv[1:]
    if not args or args[0] in ("-m", "-c") and len(args) < 2:
        sys.exit(USAGE)
    if args[0] == "-m":
        sys.argv = args[1:]
        runpy.run_module(args[1], run_name="__main__", alter_sys=True)
    elif args[0] == "-c":
        sys.argv = ["-c", *args[2:]]
        exec(compile(args[1], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv = args
        sys.path[0] = os.path.dirname(os.path.abspath(args[0]))
        runpy.run_path(args[0], run_name="__main__")


if __name__ == "__main__":
    main()
