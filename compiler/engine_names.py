"""The engines that run a program, by the name that users give."""

from __future__ import annotations

from typing import Literal

from loomir.errors import Error, shown

Engine = Literal["graph", "structured", "loops", "interpreter", "native"]

ENGINES_RUN: dict[Engine, str] = {
    "graph": "GRAPH, by numpy semantics of each operation",
    "structured": "STRUCTURED, loops compiled to Python",
    "loops": "LOOPS, loops compiled to Python",
    "interpreter": "LOOPS, one operation after the other in xDSL's interpreter, nothing compiled: slow, the reference",
    "native": "LOOPS as C, compiled by the system's compiler",
}
"""Program form and execution method of each engine."""

ENGINES: tuple[Engine, ...] = tuple(ENGINES_RUN)


def checked_engine(name: object) -> Engine:
    """The name if it is an engine's. Error: `bad-engine`."""
    for engine in ENGINES:
        if isinstance(name, str) and name == engine:
            return engine
    raise Error("bad-engine", f"{shown(name)} is no engine", hint=f"known: {', '.join(ENGINES)}")
