"""The `.bin`: equal contents once, elements of a few bits in shared bytes."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from loomir.compiler.formats.openvino.files import WeightsWriter
from loomir.dialects.numerics import packed, unpacked


def test_equal_contents_are_stored_once() -> None:
    """Whatever their shapes and types are."""
    weights = WeightsWriter()
    a = np.arange(4, dtype=np.float32)
    assert weights.place(a, "f32") == (0, 16)
    assert weights.place(np.array(7, np.int64), "i64") == (16, 8)
    assert weights.place(a.reshape(2, 2).copy(), "f32") == (0, 16)
    assert weights.place(a.view(np.int32), "i32") == (0, 16)
    assert weights.place(a[::-1], "f32") == (24, 16)
    assert b"".join(weights.pieces()) == a.tobytes() + np.int64(7).tobytes() + a[::-1].tobytes()


def test_a_constant_without_elements_has_a_place() -> None:
    assert WeightsWriter().place(np.zeros((0, 3), np.float32), "f32") == (0, 1)


@pytest.mark.parametrize(
    ("dtype", "name", "bits"),
    [(ml_dtypes.int4, "i4", 4), (ml_dtypes.uint4, "u4", 4), (ml_dtypes.uint2, "u2", 2)],
)
def test_elements_that_share_bytes(dtype: type, name: str, bits: int) -> None:
    """The first one is in the lowest bits."""
    weights = WeightsWriter()
    array = np.array([1, 2, 3, 1, 2], dtype)
    assert weights.place(array, name) == (0, (5 * bits + 7) // 8)
    (piece,) = weights.pieces()
    assert unpacked(np.frombuffer(piece, np.uint8), 5, bits).tolist() == [1, 2, 3, 1, 2]
    assert packed(np.array([0xF1, 0xF2], np.uint8), 4).tolist() == [0x21]
