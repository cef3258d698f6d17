"""Names and default limits of options, as users give them.

Argument parsers show them. The module imports nothing large, so that `--help` is quick.

It has the engines that run a program, the kinds of inputs and outputs and the rounding modes of a quantised network, all by
user-facing name, and the default limits on the resources that a model may request. The user can override the limits.
"""

from __future__ import annotations

from typing import Literal

from loomir.errors import Error, shown

MAX_BYTES = 1 << 30
"""Default limit in bytes of one tensor, the arena, and constant folding.

For constant folding it limits the sum of all folded constants.
"""

DEFAULT_MAX_ITERATIONS = 10**8
"""Default limit on the iterations of all loops together.

It applies to an engine that counts them.
"""

MAX_CAPACITY = 1 << 20
"""Default limit of otherwise unbounded extents, in engines below GRAPH."""

MAX_SPECIALISATIONS = 16
"""Default limit on a model's specialised programs.

They are programs of one model for different values of its inputs.
"""


Engine = Literal["graph", "structured", "loops", "interpreter", "native"]

ENGINES_RUN: dict[Engine, str] = {
    "graph": "GRAPH, with numpy semantics of each operation",
    "structured": "STRUCTURED, loops compiled to Python",
    "loops": "LOOPS, loops compiled to Python",
    "interpreter": "LOOPS, operation by operation in xDSL's interpreter, without compilation: slow, the reference",
    "native": "LOOPS as C, compiled by the system's compiler",
}
"""Program form and execution method of each engine."""

ENGINES: tuple[Engine, ...] = tuple(ENGINES_RUN)


def checked_engine(name: object) -> Engine:
    """The name if it is an engine's. Error: `bad-engine`."""
    for engine in ENGINES:
        if isinstance(name, str) and name == engine:
            return engine
    raise Error("bad-engine", f"unknown engine {shown(name)}", hint=f"known: {', '.join(ENGINES)}")


Io = Literal["float", "int8", "uint8"]
IO: tuple[Io, ...] = ("float", "int8", "uint8")


Rounding = Literal["exact", "tflite"]
ROUNDINGS: tuple[Rounding, ...] = ("exact", "tflite")
