"""Random operations on rows: where inference proves that they give at most so many more, no run gives more."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from math import floor

import numpy as np
import onnx
import onnx.parser
import pytest

import loomir
from loomir.compiler.model import Model
from loomir.dialects.interface import main_function
from loomir.errors import Error
from loomir.passes.analysis.inference import infer
from loomir.passes.analysis.inference.growth import LinearBound, LinearBounds
from loomir.passes.analysis.inference.loops import trip_bounds

MOST = 60
"""The most rows of what is fed."""

FAR = 2**63 - 1


class _Body:
    """Lines of ONNX text that make values of rows of 2 from others."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.constants: dict[str, Sequence[int]] = {}
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def integers(self, *values: int) -> str:
        name = "k" + "".join(f"_{v}" for v in values).replace("-", "m")
        self.constants[name] = values
        return name

    def number(self, *values: int) -> int:
        return self.random.choice(values)

    def lines(self, values: Sequence[str], depth: int = 0) -> tuple[list[str], str]:
        """Some operations, and the name of the last one's result."""
        made, known = [], list(values)
        for _ in range(self.number(2, 3, 4, 5, 6)):
            operand = self.random.choice(known[-2:] if self.number(0, 1, 2) else known)
            steps = [
                self.joined,
                self.reshaped,
                self.reshaped,
                self.padded,
                self.padded,
                self.tiled,
                self.cut,
                self.backwards,
                self.halved,
                self.turned,
            ]
            step = self.random.choice(steps if depth == 2 else [*steps, self.branch, self.inner])
            result = self.name()
            made += step(result, operand, self.random.choice(known), depth)
            known.append(result)
        return made, known[-1]

    def joined(self, result: str, a: str, b: str, _: int) -> list[str]:
        return [f"{result} = Concat <axis = 0> ({a}, {self.random.choice([b, 'r'])})"]

    def reshaped(self, result: str, a: str, *_: object) -> list[str]:
        flat, more = self.name(), self.name()
        return [
            f"{flat} = Reshape ({a}, {self.integers(-1)})",
            f"{more} = Concat <axis = 0> ({flat}, flat_row)",
            f"{result} = Reshape ({more}, {self.integers(-1, 2)})",
        ]

    def turned(self, result: str, a: str, *_: object) -> list[str]:
        columns = self.name()
        return [
            f"{columns} = Reshape ({a}, {self.integers(2, -1)})",
            f"{result} = Transpose <perm = [1, 0]> ({columns})",
        ]

    def padded(self, result: str, a: str, *_: object) -> list[str]:
        return [f"{result} = Pad ({a}, {self.integers(self.number(-1, 0, 1), 0, self.number(-1, 1, 2), 0)})"]

    def tiled(self, result: str, a: str, *_: object) -> list[str]:
        """Rows or columns so many times, then some of the rows."""
        longer, times = self.name(), self.number(1, 2, 3)
        start, step = self.integers(self.number(-1, 0, 1, 2)), self.integers(self.number(1, times))
        return [
            f"{longer} = Tile ({a}, {self.integers(times, 1)})",
            f"{result} = Slice ({longer}, {start}, {self.integers(FAR)}, {self.integers(0)}, {step})",
        ]

    def halved(self, result: str, a: str, *_: object) -> list[str]:
        wide, rows = self.name(), self.name()
        start = self.integers(self.number(0, 1, 2))
        return [
            f"{wide} = Tile ({a}, {self.integers(1, 2)})",
            f"{rows} = Reshape ({wide}, {self.integers(-1, 2)})",
            f"{result} = Slice ({rows}, {start}, {self.integers(FAR)}, {self.integers(0)}, {self.integers(2)})",
        ]

    def cut(self, result: str, a: str, *_: object) -> list[str]:
        start, stop = self.integers(self.number(-2, -1, 0, 1, 2)), self.integers(self.number(-2, -1, FAR))
        return [
            f"{result} = Slice ({a}, {start}, {stop}, {self.integers(0)}, {self.integers(self.number(1, 1, 2))})"
        ]

    def backwards(self, result: str, a: str, *_: object) -> list[str]:
        start, stop = self.integers(self.number(-2, -1, 5)), self.integers(self.number(-FAR, 0, 1))
        return [
            f"{result} = Slice ({a}, {start}, {stop}, {self.integers(0)}, {self.integers(self.number(-1, -2))})"
        ]

    def branch(self, result: str, a: str, b: str, depth: int) -> list[str]:
        """By how many rows there are."""
        rows, some, few = self.name(), self.name(), self.name()
        regions = []
        for key in ("then_branch", "else_branch"):
            lines, last = self.lines([a], depth + 1)
            made, name = "\n".join(lines), self.name()
            regions.append(
                f"{key} = {name}_ () => (float[m, 2] {name}) {{ {made}\n {name} = Identity ({last}) }}"
            )
        return [
            f"{rows} = Shape <start = 0, end = 1> ({a})",
            f"{some} = Constant <value_ints = [{self.number(1, 5, 20, 50)}]> ()",
            f"{few}_ = Less ({rows}, {some})",
            f"{few} = Squeeze ({few}_)",
            f"{result} = If ({few}) <{', '.join(regions)}>",
        ]

    def inner(self, result: str, a: str, b: str, depth: int) -> list[str]:
        trips, carried, name = self.name(), self.name(), self.name()
        lines, last = self.lines([carried], depth + 1)
        made = "\n".join(lines)
        return [
            f"{trips} = Constant <value_int = {self.number(2, 3, 4)}> ()",
            f"""{result} = Loop ({trips}, "", {a}) <body = {name}_ (int64 {name}i, bool {name}c, float[m, 2] {carried})
              => (bool {name}g, float[o, 2] {name}) {{
              {name}g = Constant <value = bool {{1}}> ()
              {made}
              {name} = Identity ({last})
            }}>""",
        ]


def model(seed: int) -> onnx.ModelProto:
    """Return a model of a possible loop body.

    It computes rows of 2 from other rows.
    """
    body = _Body(seed)
    lines, last = body.lines(["a", "b"])
    made = "\n".join(lines)
    constants = "\n".join(f"{n} = Constant <value_ints = {list(v)}> ()" for n, v in body.constants.items())
    return onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 21]>
    main (float[k, 2] a, float[j, 2] b, float[1, 2] r, float[2] flat_row) => (float[l, 2] y) {{
      {constants}
      {made}
      y = Identity ({last})
    }}""")


def proved(loaded: Model, start: int, more: int) -> int | None:
    """By how much the rows of the result exceed L at most, where `a` has at most L rows and `b` `more` than that; L is at least `start`."""
    main = main_function(loaded.module).body.block
    end = main.last_op
    assert end is not None
    lines = {
        (main.args[0], 0): LinearBound(Fraction(1), Fraction(0)),
        (main.args[1], 0): LinearBound(Fraction(1), Fraction(more)),
    }
    found = LinearBounds(infer(loaded.module), start, lines, trip_bounds).offset(
        end.operands[0], 0, Fraction(1)
    )
    return None if found is None else floor(found)


@pytest.mark.parametrize("seed", range(80))
def test_no_run_gives_more_rows_than_are_proved(seed: int) -> None:
    loaded = loomir.load(model(seed), max_shapes={"a": [MOST, 2], "b": [MOST, 2]})
    for start, more in ((1, 0), (4, 2), (9, -3)):
        offset = proved(loaded, start, more)
        if offset is None:
            continue
        for line in (start, start + 1, start + 2, start + 7, 40):
            for rows in ((line, line + more), (line - 1, line + more), (line, 1), (1, line + more)):
                feed = {name: np.ones((n, 2), np.float32) for name, n in zip("ab", rows)}
                feed |= {"r": np.ones((1, 2), np.float32), "flat_row": np.ones(2, np.float32)}
                try:
                    made = loaded.run(feed, engine="graph")["y"]
                except Error as error:
                    if error.identifier != "runtime-shape":  # a shape that some operation refuses
                        raise
                    continue
                assert len(made) <= line + offset, (start, more, rows)
