"""What can be wrong with a feed, an option or a call, and the error that says so: the second part of the table of docs/errors.md."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

import loomir
from loomir.compiler.model import Engine
from tests.hostile.fault import ENGINES, fault
from tests.hostile.faults import X1, graph, openvino

# -- a feed that does not fit


def fed(what: str, identifier: str, feed: Mapping[str, ArrayLike]) -> None:
    for engine in ENGINES:

        @fault(f"{what} ({engine})", identifier)
        def attempt(folder: Path, engine: Engine = engine) -> object:
            return openvino(folder).run(feed, engine=engine)


fed("an input of another element type", "input-dtype", {"x": np.ones(2, np.float64)})
fed("an input of another rank", "input-shape", {"x": np.ones((2, 1), np.float32)})
fed("an input of another shape", "input-shape", {"x": np.ones(3, np.float32)})
fed("an input left out", "input-missing", {})
fed("an input that the model does not have", "input-unknown", {"x": np.ones(2, np.float32), "z": 1})


# -- sequences and optionals

SEQUENCE = "seq(float[2]) s, int64 i"


def sequence_fault(
    what: str, identifier: str, feed: Mapping[str, object], body: str = "y = SequenceAt(s, i)"
) -> None:
    for engine in ENGINES:

        @fault(f"{what} ({engine})", identifier)
        def attempt(folder: Path, engine: Engine = engine) -> object:
            model = loomir.load(graph(body, SEQUENCE, "float[n] y"))
            return model.run({"i": np.array(1)} | feed, engine=engine)  # pyright: ignore[reportArgumentType]


TWO = [np.ones(2, np.float32)] * 2
sequence_fault("an array for a sequence", "input-sequence", {"s": np.ones((2, 2), np.float32)})
sequence_fault("None for a sequence", "input-sequence", {"s": None})
sequence_fault(
    "an array of another shape beside a sequence", "input-shape", {"s": TWO, "i": np.array([1, 2])}
)
sequence_fault("an element of another type", "input-dtype", {"s": [np.ones(2)]})
sequence_fault("an element of another shape", "input-shape", {"s": [np.ones(3, np.float32)]})
sequence_fault("a position that is too large", "runtime-index", {"s": TWO, "i": np.array(2)})
sequence_fault("a position in an empty sequence", "runtime-index", {"s": [], "i": np.array(0)})
sequence_fault("a position that is too small", "runtime-index", {"s": TWO, "i": np.array(-(1 << 63))})


@fault("the value of an absent optional", "runtime-absent")
def absent(folder: Path) -> object:
    model = loomir.load(graph("y = OptionalGetElement(o)", "optional(float[2]) o", "float[2] y"))
    return model.run({"o": None}, engine="graph")


@fault("a sequence of which all elements double (graph)", "limit-bytes")
def doubling(folder: Path) -> object:
    text = """t = Constant<value = bool {1}>() often = Constant<value_int = 100>()
      e = SequenceConstruct(x, x)
      z = Loop<body = b (int64 i, bool c, seq(float[k]) v) => (bool d, seq(float[m]) w) {
        d = Identity(c)
        u = ConcatFromSequence<axis = 0>(v)
        w = SequenceConstruct(u, u)
      }>(often, t, e)
      y = ConcatFromSequence<axis = 0>(z)"""
    return loomir.load(graph(text, "float[1] x", "float[n] y"), max_bytes=1 << 20).run(X1, engine="graph")
