"""Known OpenVINO 2026.4 faults with loops, branches and integers.

Each fault has a program in GRAPH (openvino_faults.mlir), and calls that show it.

docs/semantics.md has a row of each name. `python -m tests.conformance.openvino_faults [--for TARGET]` measures them: whether OpenVINO
gives what the specification says.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import loomir
from loomir.compiler.model import Model
from loomir.tools.fuzz.openvino_oracle import OpenVINO

PROGRAMS = Path(__file__).with_suffix(".mlir")


Feeds = Sequence[Sequence[np.ndarray]]
"""The inputs call by call."""


def programs() -> dict[str, str]:
    """The program of each fault, `main` in GRAPH."""
    sections = PROGRAMS.read_text().split("// ----- ")[1:]
    return {name: text for name, _, text in (section.partition("\n") for section in sections)}


def _i64(*values: int) -> np.ndarray:
    return np.array(values, np.int64) if len(values) != 1 else np.array(values[0], np.int64)


def _f32(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


TRUE, FALSE = np.array(True), np.array(False)
A, B, C = _f32(1, 2), _f32(7, 8), _f32(0.5, 4)
ROWS = np.arange(12, dtype=np.float32).reshape(6, 2)

STATES = np.arange(8, dtype=np.float32).reshape(2, 2, 2) / 8
"""Of two sequences, in both directions."""

_COUNTS = [(A, _i64(n)) for n in (3, 0, 5, 1, 0)]

FEEDS: dict[str, Feeds] = {
    "swap": [(A, B)],
    "rotation of three": [(A, B, C)],
    "swap through reshapes": [(A.reshape(1, 2), B)],
    "swap in a branch": [(A, B, TRUE), (A, B, FALSE)],
    "arguments given": [(A.reshape(1, 2), B.reshape(1, 2))],
    "zero trips as fed": _COUNTS,
    "zero trips at first": _COUNTS[1:],
    "constant zero trips": [(A, _i64(0))],
    "condition false at first": [(A, TRUE), (A, FALSE), (A, TRUE)],
    "constant condition false": [(A, TRUE)],
    "last value of no trip": [(A, _i64(3)), (A, _i64(0))],
    "early exit": [(A, np.array(n, np.float32)) for n in (9.0, 1e9, 0.0)],
    "while": [(A, np.array(n, np.float32)) for n in (9.0, 100.0, 0.0)],
    "trip count of 2^40": [(A, np.array(n, np.float32)) for n in (9.0, 100.0)],
    "parts of two": [(ROWS,)],
    "slice from 2": [(ROWS,)],
    "slice from 2 that counts": [(ROWS,)],
    "part that nobody reads": [(ROWS, A)],
    "joined pairs": _COUNTS,
    "joined on the last axis": [(A.reshape(2, 1),)],
    "trip count of -5": [(A, _i64(n)) for n in (-5, -1, 2, -(1 << 31))],
    "sequence of length 0": [
        (ROWS.reshape(2, 3, 2), STATES, -STATES, np.array(lengths, np.int32))
        for lengths in ((2, 0), (0, 0), (3, 1), (-1, 5))
    ],
    "no parts": [(rows, A.reshape(1, 2)) for rows in (ROWS, ROWS[:0], ROWS[:2])],
    "quotient rounded down": [
        (np.array([-7, 7, -7, 7, -6, 0], np.int32), np.array([2, -2, -2, 2, 3, -5], np.int32))
    ],
    "growing": [(A, _i64(2)), (A, _i64(0)), (_f32(1, 2, 3), _i64(1))],
    "inner loop": [(A.reshape(1, 2), _i64(n)) for n in (2, 0, 3)],
    "reduction behind an Unsqueeze": [(ROWS.reshape(2, 3, 2),)],
    "Select of an input that is boolean": [(_i64(5), TRUE), (_i64(5), FALSE), (_i64(0), TRUE)],
    "step of -2^63": [(_f32(3),)],
    "back edge from outside": [(ROWS.reshape(3, 4)[:2, :3], _i64(5, 6))],
    "branches of two ranks": [(ROWS[:3].reshape(2, 3), TRUE), (ROWS[:3].reshape(2, 3), FALSE)],
    "loop of constants": [(A,)],
    "remainder of an extent": [(_f32(1, 2, 3), np.array([n])) for n in (0, 1)],
    "back edge from the iteration number": [(_i64(n), _i64(9), _i64(7)) for n in (1, 2, 3, 5)],
    "boolean of a second output": [(_i64(*n),) for n in ((3, 2, 1), (1, 2, 3))],
    "Broadcast that changes nothing": [(_i64(1, 2),)],
}
"""By the name of its row in docs/semantics.md."""


def check(text: str, feeds: Feeds, target: str | None, folder: Path) -> list[str]:
    """Export a program, run it in OpenVINO and return each call's differences."""
    path = folder / "program.mlir"
    path.write_text(text)
    model = loomir.load(path, optimize=False)
    model.save(folder / "program.xml", target=target)
    return differences(model, feeds, folder)


def differences(model: Model, feeds: Feeds, folder: Path) -> list[str]:
    """Compare OpenVINO's results for `program.xml` with those of the graph engine."""
    named = [{i.name: np.asarray(a) for i, a in zip(model.inputs, feed, strict=True)} for feed in feeds]
    openvino = OpenVINO()
    try:
        given = openvino.run(folder / "program.xml", named, folder)
    finally:
        openvino.close()
    if isinstance(given, str):
        return [given]
    found: list[str] = []
    for call, (feed, actual) in enumerate(zip(named, given, strict=True)):
        for name, expected, array in zip(*zip(*model.run(feed, engine="graph").items()), actual, strict=True):
            if array.shape != expected.shape or not np.array_equal(array, expected):
                found.append(
                    f"call {call}, {name}: {array.tolist()} of {list(array.shape)} instead of {expected.tolist()}"
                )
    return found


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--for", dest="target")
    parser.add_argument("name", nargs="*")
    options = parser.parse_args()
    for name, text in programs().items():
        if options.name and name not in options.name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = check(text, FEEDS[name], options.target, Path(folder))
            except loomir.Error as error:
                found = [f"not written: {error}"]
        print(f"{name}: {'right' if not found else 'wrong'}", *found, sep="\n    ", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
