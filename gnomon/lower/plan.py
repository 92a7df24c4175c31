"""Plan: everything besides the text of a program that decides how it is compiled and run."""
from __future__ import annotations

from gnomon.base.record import Record


class Plan(Record):
    """Where a program runs and what its arguments and results are like.

    Devices are opaque objects; `devices` empty means the default device. A program with `num_partitions` > 1 is
    partitioned over them by its sharding annotations.
    `in_shardings` and `out_shardings` have an entry for each argument and result, a `Sharding` with devices or None: an
    argument with None is taken where `devices` are, a result with None is placed by the compiler. None instead of the
    tuple stands for all None.
    `mesh`, a Mesh of the devices, is the one whose axes name the shardings that the compiler chooses.
    `donated` lists the arguments whose buffers the results reuse; the text carries the aliasing, their arrays are
    marked deleted. `committed` says that the results stay where they are (an argument, or the user, chose the devices).
    `compiler_options` are pairs of a name and a value. `host_callbacks` are the Python callables that the text numbers.
    `name` is the user's function, for messages. `platform` is where the program will run, if that is known when it is
    written: ops may then be written in a form that is quick there; without it, in one that runs anywhere.
    """

    devices: tuple = ()
    num_partitions: int = 1
    num_replicas: int = 1
    in_shardings: tuple | None = None
    out_shardings: tuple | None = None
    mesh: object = None
    donated: tuple[int, ...] = ()
    committed: bool = False
    compiler_options: tuple[tuple[str, object], ...] = ()
    host_callbacks: tuple = ()
    name: str = "main"
    platform: str | None = None
