"""NonZero below GRAPH against `evaluate`."""

from __future__ import annotations

import numpy as np

from loomir.dialects.element_types import i32, i64
from loomir.dialects.ov.base import evaluate
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.sorting import NonZeroOp
from tests.unit.passes.structured.convert_ov_to_linalg.engines import check
from tests.unit.passes.structured.convert_ov_to_linalg.test_sorting import DTYPES, random_data


def test_non_zero() -> None:
    """All element types and ranks, NaN and negative zero among the elements."""
    rng = np.random.default_rng(0)
    for case in range(26):
        rank = int(rng.integers(0, 4))
        dtype = (*DTYPES, np.bool_)[case % 13]
        shape = [int(v) for v in rng.integers(1, 6, rank)]
        data = rng.integers(0, 2, shape) != 0 if dtype == np.bool_ else random_data(rng, shape, dtype)
        check(
            NonZeroOp,
            [np.asarray(data)],
            {"output_type": (i32, i64)[case % 2]},
            dynamic=bool(rng.integers(2)),
            engines=("structured", "native") if case % 7 == 0 else ("structured",),
        )


def test_none_and_all() -> None:
    for data in (np.zeros((2, 3)), np.ones((2, 3)), np.zeros((0, 3)), np.array(0.0), np.array(2.0)):
        check(NonZeroOp, [data], {})


def test_which_are_zero() -> None:
    data = np.array([[np.nan, -0.0], [0.0, np.inf]], np.float32)
    (found,) = evaluate(NonZeroOp.make(ConstantOp.of(data).output), [data])
    np.testing.assert_array_equal(found, [[0, 1], [0, 1]])
