"""GridSample below GRAPH against `evaluate`, and `evaluate` where specifications are silent."""

from __future__ import annotations

from itertools import product

import ml_dtypes
import numpy as np
import pytest

from loomir.compiler.model import Engine, Model
from loomir.dialects.ov.base import evaluate
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.sampling import MODES, PADDINGS, GridSampleOp
from tests.operators import one_operation
from tests.support import raises_error
from tests.unit.passes.structured.convert_ov_to_linalg.engines import check

DTYPES = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int32, np.uint8)


@pytest.mark.parametrize("mode", MODES)
def test_modes(mode: str) -> None:
    """All paddings, one to three axes, places far outside, infinite and NaN."""
    rng = np.random.default_rng(0)
    for k, (padding, align) in enumerate(product(PADDINGS, (False, True))):
        rank = (2, 1, 3)[k % 3] if mode != "bicubic" else 1 + k % 2
        spatial = [int(v) for v in rng.integers(1, 5, rank)]
        data = (rng.normal(size=(2, 3, *spatial)) * 9).astype(DTYPES[k])
        grid = rng.normal(size=(2, *[2] * (rank - 1), 7, rank)).astype((np.float32, np.float64)[k % 2])
        grid.reshape(-1)[:5] = [np.nan, np.inf, -np.inf, 1e30, -7]
        check(
            GridSampleOp,
            [data, grid],
            {"mode": mode, "padding_mode": padding, "align_corners": align, "pixels": k == 4},
            dynamic=k % 2 == 0,
            engines=("structured", "native") if k < 2 else ("structured",),
        )


def test_nearest_of_booleans() -> None:
    data = np.array([[[True, False, True]]])
    check(GridSampleOp, [data, np.array([[[-1.0], [0.0], [0.7]]], np.float32)], {"mode": "nearest"})


def test_infinite_neighbour() -> None:
    """Samples outside are 0, not a product with 0.

    Infinite elements at the border do not turn them into NaN.
    """
    data, grid = np.array([[[np.inf, 1.0]]], np.float32), np.array([[[-5.0]]], np.float32)
    op = GridSampleOp.make(*(ConstantOp.of(a).output for a in (data, grid)))
    np.testing.assert_array_equal(evaluate(op, [data, grid])[0], [[[0.0]]])
    check(GridSampleOp, [data, grid], {})


@pytest.mark.parametrize("engine", ["structured", "native"])
def test_run_time_errors(engine: Engine) -> None:
    arrays = [np.zeros((1, 1, 2), np.float32), np.zeros((1, 2, 1), np.float32)]
    module, _ = one_operation(GridSampleOp, arrays, dynamic=True)
    for data, grid in (([2, 1, 2], [1, 2, 1]), ([1, 1, 0], [1, 2, 1])):
        with raises_error("runtime-shape"):
            Model(module.clone()).run(
                {"x0": np.zeros(data, np.float32), "x1": np.zeros(grid, np.float32)}, engine=engine
            )


def test_errors() -> None:
    data = np.zeros((1, 1, 3, 3), np.float32)
    for grid in ([1, 2, 2, 3], [2, 2, 2, 2], [1, 2, 2]):
        with raises_error("grid-sample-shapes"):
            one_operation(GridSampleOp, [data, np.zeros(grid, np.float32)])
    with raises_error("attribute-value"):
        one_operation(GridSampleOp, [data, np.zeros((1, 2, 2, 2), np.float32)], {"mode": "linear"})
    with raises_error("element-type"):
        one_operation(GridSampleOp, [data, np.zeros((1, 2, 2, 2), np.int32)])
