"""Accepted values of inputs, and the numbers that they become.

Refused values are in the table of faults (tests/hostile).
"""

from __future__ import annotations

import array
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import parser

import loomir
from loomir.compiler.feeds.values import Unfit, as_dtype
from loomir.compiler.model import ENGINES, Engine

ROWS = np.arange(12, dtype=np.float32).reshape(3, 4)


class Tensor:
    """Tensor of another library."""

    def __init__(self, held: np.ndarray) -> None:
        self.held = held

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return self.held


def read_only(held: np.ndarray) -> np.ndarray:
    held = held.copy()
    held.flags.writeable = False
    return held


TAKEN: list[tuple[str, str, Any, list[Any]]] = [
    ("other byte order", "float", np.array([1.5, -2], ">f4"), [1.5, -2]),
    ("integers in other byte order", "int64", np.array([1, -2], ">i8"), [1, -2]),
    ("every other element", "float", ROWS[1, ::2], [4, 6]),
    ("backwards", "float", ROWS[2, ::-1], [11, 10, 9, 8]),
    ("a column", "float", ROWS[:, 1], [1, 5, 9]),
    ("read-only", "float", read_only(ROWS[0]), [0, 1, 2, 3]),
    ("no masked element", "float", np.ma.array([1, 2], np.float32), [1, 2]),
    ("another library's tensor", "float", Tensor(ROWS[0]), [0, 1, 2, 3]),
    ("Python's array", "float", array.array("f", [1, 2]), [1, 2]),
    ("bytes that can be changed", "uint8", bytearray(b"ab"), [97, 98]),
    ("a range", "int64", range(3), [0, 1, 2]),
    ("integers for floats", "float", [1, 2], [1, 2]),
    ("numpy's numbers in a list", "float", [np.float64(1), np.float32(2)], [1, 2]),
    ("infinity", "float", [float("inf"), -float("inf")], [float("inf"), -float("inf")]),
    ("the ends of 64 bits", "int64", [-(1 << 63), (1 << 63) - 1], [-(1 << 63), (1 << 63) - 1]),
    ("the end of 64 bits without a sign", "uint64", [(1 << 64) - 1, 0], [(1 << 64) - 1, 0]),
    ("booleans", "bool", [True, False], [True, False]),
    ("no elements", "int64", [], []),
    ("floats of 16 bits", "float16", [1.5, 65504], [1.5, 65504]),
    ("bfloat16", "bfloat16", [1.5, 2], [1.5, 2]),
    ("integers of four bits", "uint4", [15, 0], [15, 0]),
    ("integers of four bits with a sign", "int4", [-8, 7], [-8, 7]),
]


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_taken(engine: Engine) -> None:
    for what, element, value, expected in TAKEN:
        text = "y = Identity(x) n = Shape(x)"
        model = loomir.load(
            parser.parse_model(
                f'<ir_version: 10, opset_import: ["" : 21]> g ({element}[k] x) => ({element}[k] y, int64[1] n) {{ {text} }}'
            )
        )
        outputs = model.run({"x": value}, engine=engine)
        assert outputs["y"].tolist() == expected, what
        assert outputs["n"].tolist() == [len(expected)], what


def test_values_of_text() -> None:
    """Text may fix an input: the number counts, not its spelling."""
    i8, u64 = np.dtype(np.int8), np.dtype(np.uint64)
    assert as_dtype([2.0, True], i8, exact=False).tolist() == [2, 1]
    assert as_dtype(np.array([1 << 63], np.uint64), u64, exact=False).tolist() == [1 << 63]
    for value, dtype in (
        ([2.5], i8), ([128.0], i8), ([-1], u64), ([2.0**64], u64), ([float("nan")], i8), ([2], np.dtype(bool)),
        (np.array([1 << 63], np.uint64), np.dtype(np.int64)), ([2.0**63], np.dtype(np.int64)), ([16], np.dtype(ml_dtypes.uint4)),
        ([1e39], np.dtype(np.float32)), ([500.0], np.dtype(ml_dtypes.float8_e4m3fn)),
    ):  # fmt: skip
        with pytest.raises(Unfit):
            as_dtype(value, dtype, exact=False)


def test_a_list_of_lists_that_holds_itself() -> None:
    nested: list[Any] = []
    nested.append(nested)
    deep: Any = 1.0
    for _ in range(100):
        deep = [deep]
    for value in (nested, deep):
        with pytest.raises(Unfit) as info:
            as_dtype(value, np.dtype(np.float32))
        assert info.value.kind == "shape"
