"""Lowerings of functions, roundings and operations on bits against their numpy semantics, for every element type."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from loomir.dialects.element_types import element_of
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators import elementwise_binary, elementwise_unary
from loomir.dialects.ov.operators.elementwise_unary import ErfOp, RoundOp, UnaryOp
from tests.operators import assert_lowering

FLOATS = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)
INTEGERS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
FUNCTIONS = (
    elementwise_unary.SinOp, elementwise_unary.CosOp, elementwise_unary.TanOp, elementwise_unary.AsinOp, elementwise_unary.AcosOp,
    elementwise_unary.AtanOp, elementwise_unary.SinhOp, elementwise_unary.CoshOp, elementwise_unary.AsinhOp, elementwise_unary.AcoshOp,
    elementwise_unary.AtanhOp, ErfOp,
)  # fmt: skip


def numbers(dtype: type, seed: int = 0) -> np.ndarray:
    """Numbers of both signs, and the limits of integer types."""
    rng = np.random.default_rng(seed)
    if dtype in FLOATS:
        return np.concatenate([rng.uniform(-1, 1, 12), rng.uniform(-5, 5, 12)]).astype(dtype)
    info = np.iinfo(dtype)
    pool = [0, 1, 2, 3, 7, 8, 31, 40, 63, 100, info.max, info.min] + ([-1, -2, -5] if info.min else [])
    return rng.choice(np.array(pool, dtype), 24)


@pytest.mark.parametrize("op_class", FUNCTIONS, ids=lambda c: c.name)
def test_functions(op_class: type[UnaryOp]):
    for dtype, tolerance in zip(FLOATS, (1e-5, 1e-12, 2e-3, 2e-2)):
        assert_lowering(op_class, [numbers(dtype)], tolerance=tolerance)
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-30], np.float32)
    assert_lowering(op_class, [special])
    for dtype in (np.int8, np.uint64):
        assert_lowering(op_class, [numbers(dtype)])
    assert_lowering(op_class, [numbers(np.float32).reshape(4, 6)], dynamic=True)


@pytest.mark.parametrize("mode", ["half_to_even", "half_away_from_zero"])
def test_round(mode: str):
    halves = np.array([0.5, -0.5, 1.5, -1.5, 2.5, 0.4999, -0.4999, 0.0, -0.0, np.inf, np.nan, 300.5, 2049.0])
    for dtype in FLOATS:
        assert_lowering(RoundOp, [halves.astype(dtype)], {"mode": mode})
    # Adding a half would round the number just below a half up, and be odd from 2^23 on.
    assert_lowering(
        RoundOp, [np.array([0.49999997, -0.49999997, 8388609.0, 5e9], np.float32)], {"mode": mode}
    )
    assert_lowering(RoundOp, [numbers(np.int32)], {"mode": mode})
    assert_lowering(RoundOp, [np.array(2.5, np.float32)], {"mode": mode})


@pytest.mark.parametrize(
    "op_class",
    [elementwise_binary.BitwiseAndOp, elementwise_binary.BitwiseOrOp, elementwise_binary.BitwiseXorOp],
)
def test_logic_of_bits(op_class: type[OvOperation]):
    for dtype in INTEGERS:
        assert_lowering(op_class, [numbers(dtype, 1), numbers(dtype, 2)])
    flags = np.array([[False, True], [True, True]])
    assert_lowering(op_class, [flags, flags[0]])
    assert_lowering(op_class, [flags, flags[:, :1]], dynamic=True)


def test_not():
    for dtype in INTEGERS:
        assert_lowering(elementwise_binary.BitwiseNotOp, [numbers(dtype)])
    assert_lowering(elementwise_binary.BitwiseNotOp, [np.array([False, True])])


@pytest.mark.parametrize(
    "op_class", [elementwise_binary.BitwiseLeftShiftOp, elementwise_binary.BitwiseRightShiftOp]
)
def test_shifts(op_class: type[OvOperation]):
    """By any number: negative ones and those from the width on shift everything out."""
    for dtype in INTEGERS:
        a, b = (x.reshape(-1) for x in np.meshgrid(np.unique(numbers(dtype)), np.unique(numbers(dtype, 3))))
        assert_lowering(op_class, [a, b])
        for count in (0, 3, 8 * np.dtype(dtype).itemsize - 1, 8 * np.dtype(dtype).itemsize):
            assert_lowering(op_class, [a, np.array(count, dtype)], constants=[1])


def test_bit_cast():
    for group in (
        (np.float32, np.int32, np.uint32),
        (np.float64, np.int64, np.uint64),
        (np.float16, ml_dtypes.bfloat16, np.int16, np.uint16),
        (np.int8, np.uint8, np.bool_),
    ):
        for source in group:
            x = numbers(np.int8) > 0 if source is np.bool_ else numbers(source)
            for target in group:
                assert_lowering(elementwise_binary.BitCastOp, [x], {"destination_type": element_of(target)})
