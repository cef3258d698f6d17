"""Forms of upstream's `mlir-opt` that xDSL does not read, and loops that it writes otherwise (D21)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loomir
from loomir.compiler.formats.mlir.parser import parse_module
from tests.support import raises_error

COPY = """func.func @main(%x: memref<2x2xf32>, %y: memref<2x2xf32> {loomir.name = "y", loomir.role = "output"}) {
  %z = memref.cast %x {note = 1 : i32} : memref<2x2xf32> to memref<?x2xf32>
  %w = memref.cast %z : memref<?x2xf32> to memref<2x2xf32>
  memref.copy %w, %y : memref<2x2xf32> to memref<2x2xf32>
  func.return
}"""


def loaded(text: str, folder: Path) -> loomir.Model:
    (folder / "text.mlir").write_text(text)
    return loomir.load(folder / "text.mlir")


def test_copies_and_casts(tmp_path: Path) -> None:
    x = np.array([[1, 2], [3, 4]], np.float32)
    assert loaded(COPY, tmp_path).run({"arg0": x})["y"].tolist() == x.tolist()
    # What is printed in generic form is the same.
    assert loaded(str(parse_module(COPY)), tmp_path).run({"arg0": x})["y"].tolist() == x.tolist()


@pytest.mark.parametrize(
    "wrong",
    [
        "memref.copy %w : memref<2x2xf32> to memref<2x2xf32>",
        "memref.copy %w, %y : memref<2x2xf32>",
        "memref.copy %w, %y : memref<2x2xf32>, memref<2x2xf32>",
        "memref.copy %w, %y : memref<2x3xf32> to memref<2x2xf32>",
        "memref.copy %w, %u : memref<2x2xf32> to memref<2x2xf32>",
        "memref.copy",
    ],
)
def test_wrong_copies(wrong: str) -> None:
    text = COPY.replace("memref.copy %w, %y : memref<2x2xf32> to memref<2x2xf32>", wrong)
    with raises_error("mlir-syntax"):
        parse_module(text)


WHILE = """func.func @main(%n: i32 {loomir.name = "n"}, %k: i32 {loomir.name = "k"})
    -> (i32 {loomir.name = "a"}, i32 {loomir.name = "b"}, i32 {loomir.name = "c"}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:3 = scf.while (%i = %zero, %s = %one) : (i32, i32) -> (i32, i32, i32) {
    %go = arith.cmpi slt, %i, %n : i32
    scf.condition(%go) FORWARDED : i32, i32, i32
  } do {
  ^bb0(%s2: i32, %k2: i32, %s3: i32):
    %i1 = arith.addi %s2, %one : i32
    %t = arith.addi %s3, %k2 : i32
    scf.yield %i1, %t : i32, i32
  }
  func.return %r#0, %r#1, %r#2 : i32, i32, i32
}"""


def counted(n: int, k: int) -> list[int]:
    i, s = 0, 1
    while i < n:
        i, s = i + 1, s + k
    return [i, k, s]


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("engine", ["structured", "loops", "native"])
def test_conditions_that_hand_on_other_values(n: int, engine: str, tmp_path: Path) -> None:
    """In another order, a value of outside."""
    made = loaded(WHILE.replace("FORWARDED", "%i, %k, %s"), tmp_path)
    outputs = made.run({"n": n, "k": 5}, engine=engine)  # type: ignore[arg-type]
    assert [int(outputs[name]) for name in "abc"] == counted(n, 5)


def test_a_value_that_is_dropped_and_one_twice(tmp_path: Path) -> None:
    made = loaded(WHILE.replace("FORWARDED", "%i, %k, %i"), tmp_path)
    outputs = made.run({"n": 3, "k": 5})
    # i + 1 is the next i, i + k the s that nobody reads.
    assert [int(outputs[name]) for name in "abc"] == [3, 5, 3]


def test_what_the_condition_part_computes(tmp_path: Path) -> None:
    text = WHILE.replace("    scf.condition", "    %m = arith.muli %s, %k : i32\n    scf.condition")
    with raises_error("not-of-stage", "scf.condition must forward"):
        loaded(text.replace("FORWARDED", "%i, %m, %s"), tmp_path)
