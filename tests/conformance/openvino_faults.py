"""What OpenVINO 2026.4 is known to do wrongly with loops, branches and integers: a program in GRAPH for each, and calls that show it.

docs/semantics.md has a row of each name. `python -m tests.conformance.openvino_faults [--for TARGET]` measures them: whether OpenVINO
gives what the specification says.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import loomir
from loomir.compiler.model import Model
from loomir.tools.fuzz.openvino_oracle import OpenVINO


@dataclass(frozen=True)
class Fault:
    """A program, `main` in GRAPH, and its inputs call by call."""

    text: str
    feeds: Sequence[Sequence[np.ndarray]]


def _i64(*values: int) -> np.ndarray:
    return np.array(values, np.int64) if len(values) != 1 else np.array(values[0], np.int64)


def _f32(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


TRUE, FALSE = np.array(True), np.array(False)
A, B, C = _f32(1, 2), _f32(7, 8), _f32(0.5, 4)
ROWS = np.arange(12, dtype=np.float32).reshape(6, 2)

_COUNTED = """func.func @main(%x: tensor<2xf32>, %n: tensor<i64>) -> (tensor<2xf32>, tensor<?xf32>) {
  %r:2 = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    %b = ov.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %axis = ov.constant dense<0> : tensor<i64> : tensor<i64>
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %first = ov.gather %b, %axes, %axis : (tensor<2xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1xf32>
    ov.next carried(%b : tensor<2xf32>) concat(%first : tensor<1xf32>)
  }
  func.return %r#0, %r#1 : tensor<2xf32>, tensor<?xf32>
}"""

_CONDITION = """func.func @main(%x: tensor<2xf32>, %c: tensor<i1>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  %n = ov.constant dense<4> : tensor<i64> : tensor<i64>
  %r:2 = ov.loop trip(%n) while(%c) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    %b = ov.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %row = ov.unsqueeze %b, %axes : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
    ov.next carried(%b : tensor<2xf32>) concat(%row : tensor<1x2xf32>)
  }
  func.return %r#0, %r#1 : tensor<2xf32>, tensor<?x2xf32>
}"""

_SWAP = """func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %n = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r:2 = ov.loop trip(%n) carried(%a, %b) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<2xf32>, %q: tensor<2xf32>):
    ov.next carried(%q, %p : tensor<2xf32>, tensor<2xf32>)
  }
  func.return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
}"""

_ROTATION = """func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %n = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r:3 = ov.loop trip(%n) carried(%a, %b, %c) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<2xf32>, %q: tensor<2xf32>, %s: tensor<2xf32>):
    %u = ov.add %p, %q : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %v = ov.add %u, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%v, %p, %q : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  }
  func.return %r#0, %r#1, %r#2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}"""

_RESHAPED_SWAP = """func.func @main(%a: tensor<1x2xf32>, %b: tensor<2xf32>) -> (tensor<1x2xf32>, tensor<2xf32>) {
  %n = ov.constant dense<2> : tensor<i64> : tensor<i64>
  %r:2 = ov.loop trip(%n) carried(%a, %b) : (tensor<i64>, tensor<1x2xf32>, tensor<2xf32>) -> (tensor<1x2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<1x2xf32>, %q: tensor<2xf32>):
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %q1 = ov.unsqueeze %q, %axes : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
    %p1 = ov.squeeze %p, %axes : (tensor<1x2xf32>, tensor<1xi64>) -> tensor<2xf32>
    ov.next carried(%q1, %p1 : tensor<1x2xf32>, tensor<2xf32>)
  }
  func.return %r#0, %r#1 : tensor<1x2xf32>, tensor<2xf32>
}"""

_SWAP_IN_A_BRANCH = """func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>) {
  %n = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r:2 = ov.loop trip(%n) carried(%a, %b) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<2xf32>, %q: tensor<2xf32>):
    %s:2 = ov.if %c -> (tensor<2xf32>, tensor<2xf32>) {
      ov.yield %q, %p : tensor<2xf32>, tensor<2xf32>
    } else {
      ov.yield %p, %q : tensor<2xf32>, tensor<2xf32>
    }
    ov.next carried(%s#0, %s#1 : tensor<2xf32>, tensor<2xf32>)
  }
  func.return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
}"""

_LAST_ARGUMENT = """func.func @main(%a: tensor<1x2xf32>, %b: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<3x2xf32>) {
  %n = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r:4 = ov.loop trip(%n) carried(%a, %b) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x2xf32>, tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<3x2xf32>) {
  ^bb0(%i: tensor<i64>, %p: tensor<1x2xf32>, %q: tensor<1x2xf32>):
    %u = ov.add %p, %q : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    %v = ov.multiply %u, %q : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.next carried(%v, %u : tensor<1x2xf32>, tensor<1x2xf32>) last(%q : tensor<1x2xf32>) concat(%p : tensor<1x2xf32>)
  }
  func.return %r#0, %r#1, %r#2, %r#3 : tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<3x2xf32>
}"""

_LAST_VALUE = """func.func @main(%x: tensor<2xf32>, %n: tensor<i64>) -> (tensor<2xf32>) {
  %r = ov.loop trip(%n) : (tensor<i64>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>):
    %f = ov.convert %i {destination_type = f32} : (tensor<i64>) -> tensor<f32>
    %b = ov.add %x, %f : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    ov.next last(%b : tensor<2xf32>)
  }
  func.return %r : tensor<2xf32>
}"""

_EARLY_EXIT = """func.func @main(%x: tensor<2xf32>, %limit: tensor<f32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  %n = ov.constant dense<5> : tensor<i64> : tensor<i64>
  %r:2 = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    %b = ov.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %row = ov.unsqueeze %b, %axes : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
    %greatest = ov.reduce_max %b, %axes {keep_dims = false} : (tensor<2xf32>, tensor<1xi64>) -> tensor<f32>
    %more = ov.less %greatest, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    ov.next while(%more) carried(%b : tensor<2xf32>) concat(%row : tensor<1x2xf32>)
  }
  func.return %r#0, %r#1 : tensor<2xf32>, tensor<?x2xf32>
}"""

_WHILE = _EARLY_EXIT.replace("dense<5>", "dense<-1>")
_VAST_TRIPS = _EARLY_EXIT.replace("dense<5>", "dense<1099511627776>")

_PARTS_OF_TWO = """func.func @main(%x: tensor<6x2xf32>) -> (tensor<6x2xf32>) {
  %zero = ov.constant dense<1.0> : tensor<2x2xf32> : tensor<2x2xf32>
  %r:2 = ov.loop carried(%zero) sliced(%x) {slices = [#ov.slice<axis = 0, start = -1, end = 0, stride = -2, part_size = 2>], concats = [#ov.slice<axis = 0, stride = 2, part_size = 2>]} : (tensor<2x2xf32>, tensor<6x2xf32>) -> (tensor<2x2xf32>, tensor<6x2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2x2xf32>, %part: tensor<2x2xf32>):
    %b = ov.add %a, %part : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    ov.next carried(%b : tensor<2x2xf32>) concat(%b : tensor<2x2xf32>)
  }
  func.return %r#1 : tensor<6x2xf32>
}"""

_SLICE_START = """func.func @main(%x: tensor<6x2xf32>) -> (tensor<3x2xf32>) {
  %n = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%n) sliced(%x) {slices = [#ov.slice<axis = 0, start = 2, end = 5>], concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<6x2xf32>) -> (tensor<3x2xf32>) {
  ^bb0(%i: tensor<i64>, %part: tensor<1x2xf32>):
    %b = ov.add %part, %part : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.next concat(%b : tensor<1x2xf32>)
  }
  func.return %r : tensor<3x2xf32>
}"""

_SLICE_START_ALONE = """func.func @main(%x: tensor<6x2xf32>) -> (tensor<3x2xf32>) {
  %r = ov.loop sliced(%x) {slices = [#ov.slice<axis = 0, start = 2, end = 5>], concats = [#ov.slice<axis = 0>]} : (tensor<6x2xf32>) -> (tensor<3x2xf32>) {
  ^bb0(%i: tensor<i64>, %part: tensor<1x2xf32>):
    %b = ov.add %part, %part : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.next concat(%b : tensor<1x2xf32>)
  }
  func.return %r : tensor<3x2xf32>
}"""

_UNUSED_PART = """func.func @main(%x: tensor<6x2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>) {
  %r = ov.loop carried(%y) sliced(%x) {slices = [#ov.slice<axis = 0>]} : (tensor<2xf32>, tensor<6x2xf32>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>, %part: tensor<1x2xf32>):
    %b = ov.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%b : tensor<2xf32>)
  }
  func.return %r : tensor<2xf32>
}"""

_JOINED_PAIRS = """func.func @main(%x: tensor<2xf32>, %n: tensor<i64>) -> (tensor<?xf32>) {
  %r:2 = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>):
    %b = ov.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    ov.next carried(%b : tensor<2xf32>) concat(%b : tensor<2xf32>)
  }
  func.return %r#1 : tensor<?xf32>
}"""

_LAST_AXIS = """func.func @main(%x: tensor<2x1xf32>) -> (tensor<2x3xf32>) {
  %n = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r:2 = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = -1>]} : (tensor<i64>, tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x3xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2x1xf32>):
    %b = ov.add %a, %a : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
    ov.next carried(%b : tensor<2x1xf32>) concat(%b : tensor<2x1xf32>)
  }
  func.return %r#1 : tensor<2x3xf32>
}"""

_NO_PARTS = """func.func @main(%x: tensor<?x2xf32>, %y: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<?x2xf32>) {
  %r:2 = ov.loop carried(%y) sliced(%x) {slices = [#ov.slice<axis = 0>], concats = [#ov.slice<axis = 0>]} : (tensor<1x2xf32>, tensor<?x2xf32>) -> (tensor<1x2xf32>, tensor<?x2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<1x2xf32>, %part: tensor<1x2xf32>):
    %b = ov.add %a, %part : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    ov.next carried(%b : tensor<1x2xf32>) concat(%b : tensor<1x2xf32>)
  }
  func.return %r#0, %r#1 : tensor<1x2xf32>, tensor<?x2xf32>
}"""

_DIVIDE = """func.func @main(%a: tensor<6xi32>, %b: tensor<6xi32>) -> (tensor<6xi32>) {
  %r = ov.divide %a, %b : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  func.return %r : tensor<6xi32>
}"""

_GROWING = """func.func @main(%x: tensor<?xf32>, %n: tensor<i64>) -> (tensor<?xf32>) {
  %r = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<?xf32>) -> (tensor<?xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<?xf32>):
    %b = ov.concat %a, %x {axis = 0 : i64} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    ov.next carried(%b : tensor<?xf32>)
  }
  func.return %r : tensor<?xf32>
}"""

_NESTED = """func.func @main(%x: tensor<1x2xf32>, %n: tensor<i64>) -> (tensor<?x?x2xf32>) {
  %m = ov.constant dense<3> : tensor<i64> : tensor<i64>
  %r = ov.loop trip(%m) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>) -> (tensor<?x?x2xf32>) {
  ^bb0(%i: tensor<i64>):
    %s:2 = ov.loop trip(%n) carried(%x) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<?x2xf32>) {
    ^bb0(%j: tensor<i64>, %a: tensor<1x2xf32>):
      %b = ov.add %a, %a : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
      ov.next carried(%b : tensor<1x2xf32>) concat(%b : tensor<1x2xf32>)
    }
    %axes = ov.constant dense<0> : tensor<1xi64> : tensor<1xi64>
    %t = ov.unsqueeze %s#1, %axes : (tensor<?x2xf32>, tensor<1xi64>) -> tensor<1x?x2xf32>
    ov.next concat(%t : tensor<1x?x2xf32>)
  }
  func.return %r : tensor<?x?x2xf32>
}"""

_COUNTS = [(A, _i64(n)) for n in (3, 0, 5, 1, 0)]

FAULTS: dict[str, Fault] = {
    "swap": Fault(_SWAP, [(A, B)]),
    "rotation of three": Fault(_ROTATION, [(A, B, C)]),
    "swap through reshapes": Fault(_RESHAPED_SWAP, [(A.reshape(1, 2), B)]),
    "swap in a branch": Fault(_SWAP_IN_A_BRANCH, [(A, B, TRUE), (A, B, FALSE)]),
    "arguments given": Fault(_LAST_ARGUMENT, [(A.reshape(1, 2), B.reshape(1, 2))]),
    "zero trips as fed": Fault(_COUNTED, _COUNTS),
    "zero trips at first": Fault(_COUNTED, _COUNTS[1:]),
    "constant zero trips": Fault(
        _COUNTED.replace(
            "{\n  %r:2", "{\n  %k = ov.constant dense<0> : tensor<i64> : tensor<i64>\n  %r:2", 1
        ).replace("trip(%n)", "trip(%k)"),
        [(A, _i64(0))],
    ),
    "condition false at first": Fault(_CONDITION, [(A, TRUE), (A, FALSE), (A, TRUE)]),
    "constant condition false": Fault(
        _CONDITION.replace(
            "{\n  %n", "{\n  %k = ov.constant dense<false> : tensor<i1> : tensor<i1>\n  %n", 1
        ).replace("while(%c)", "while(%k)"),
        [(A, TRUE)],
    ),
    "last value of no trip": Fault(_LAST_VALUE, [(A, _i64(3)), (A, _i64(0))]),
    "early exit": Fault(_EARLY_EXIT, [(A, np.float32(9.0)), (A, np.float32(1e9)), (A, np.float32(0))]),
    "while": Fault(_WHILE, [(A, np.float32(9.0)), (A, np.float32(100)), (A, np.float32(0))]),
    "trip count of 2^40": Fault(_VAST_TRIPS, [(A, np.float32(9.0)), (A, np.float32(100))]),
    "parts of two": Fault(_PARTS_OF_TWO, [(ROWS,)]),
    "slice from 2": Fault(_SLICE_START, [(ROWS,)]),
    "slice from 2 that counts": Fault(_SLICE_START_ALONE, [(ROWS,)]),
    "part that nobody reads": Fault(_UNUSED_PART, [(ROWS, A)]),
    "joined pairs": Fault(_JOINED_PAIRS, _COUNTS),
    "joined on the last axis": Fault(_LAST_AXIS, [(A.reshape(2, 1),)]),
    "no parts": Fault(
        _NO_PARTS, [(ROWS, A.reshape(1, 2)), (ROWS[:0], A.reshape(1, 2)), (ROWS[:2], A.reshape(1, 2))]
    ),
    "quotient rounded down": Fault(
        _DIVIDE, [(np.array([-7, 7, -7, 7, -6, 0], np.int32), np.array([2, -2, -2, 2, 3, -5], np.int32))]
    ),
    "growing": Fault(_GROWING, [(A, _i64(2)), (A, _i64(0)), (_f32(1, 2, 3), _i64(1))]),
    "inner loop": Fault(_NESTED, [(A.reshape(1, 2), _i64(n)) for n in (2, 0, 3)]),
}
"""By the name of its row in docs/semantics.md."""


def check(fault: Fault, target: str | None, folder: Path) -> list[str]:
    """What is wrong, call by call, when OpenVINO runs what loomir writes."""
    path = folder / "program.mlir"
    path.write_text(fault.text)
    model = loomir.load(path, optimize=False)
    model.save(folder / "program.xml", target=target)
    return differences(model, fault.feeds, folder)


def differences(model: Model, feeds: Sequence[Sequence[np.ndarray]], folder: Path) -> list[str]:
    """What OpenVINO gives of `program.xml` in a folder that the graph engine does not."""
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
    for name, fault in FAULTS.items():
        if options.name and name not in options.name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = check(fault, options.target, Path(folder))
            except loomir.Error as error:
                found = [f"not written: {error}"]
        print(f"{name}: {'right' if not found else 'wrong'}", *found, sep="\n    ", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
