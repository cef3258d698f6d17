"""Unique below GRAPH against `evaluate`."""

from __future__ import annotations

import numpy as np
import pytest

from loomir.dialects.element_types import i32, i64
from loomir.dialects.ov.base import evaluate
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.sorting import UniqueOp
from tests.operators import one_operation, structured
from tests.support import raises_error
from tests.unit.passes.structured.convert_ov_to_linalg.engines import check
from tests.unit.passes.structured.convert_ov_to_linalg.test_sorting import DTYPES, random_data


@pytest.mark.parametrize("is_sorted", [True, False])
def test_unique(is_sorted: bool) -> None:
    """Elements and slices, of all element types."""
    rng = np.random.default_rng(int(is_sorted))
    for case in range(26):
        rank = int(rng.integers(0, 4))
        dtype = (*DTYPES, np.bool_)[case % 13]
        shape = [int(v) for v in rng.integers(1, 6, rank)]
        data = rng.integers(0, 2, shape) != 0 if dtype == np.bool_ else random_data(rng, shape, dtype)
        arrays = [np.asarray(data)]
        if rank and case % 2:
            arrays.append(np.array(int(rng.integers(-rank, rank))))
        check(
            UniqueOp,
            arrays,
            {
                "sorted": is_sorted,
                "index_element_type": (i32, i64)[int(rng.integers(2))],
                "count_element_type": (i32, i64)[int(rng.integers(2))],
            },
            constants=[1],
            dynamic=bool(rng.integers(2)),
            engines=("structured", "native") if case % 9 == 0 else ("structured",),
        )


def test_nothing() -> None:
    check(UniqueOp, [np.zeros((0, 3), np.float32)], {})
    check(UniqueOp, [np.zeros((0, 3), np.float32), np.array(0)], {}, constants=[1])
    # Three slices without elements are equal.
    check(UniqueOp, [np.zeros((0, 3), np.float32), np.array(1)], {}, constants=[1])


@pytest.mark.parametrize(
    ("is_sorted", "expected"),
    [
        (True, ([0, 1, 3, np.nan], [4, 2, 0, 1], [2, 3, 1, 3, 0, 0, 2], [2, 1, 2, 2])),
        (False, ([3, np.nan, 1, 0], [0, 1, 2, 4], [0, 1, 2, 1, 3, 3, 0], [2, 2, 1, 2])),
    ],
)
def test_order(is_sorted: bool, expected: tuple[list[float], ...]) -> None:
    """NaNs are one, and the greatest."""
    data = np.array([3, np.nan, 1, np.nan, 0.0, -0.0, 3])
    op = UniqueOp.make(ConstantOp.of(data).output, attributes={"sorted": is_sorted})
    for got, wanted in zip(evaluate(op, [data]), expected, strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_unknown_axis() -> None:
    """Inference allows it; nothing bounds the result, which a lowering needs."""
    module, op = one_operation(UniqueOp, [np.zeros((2, 3)), np.array(0)], {})
    assert op.infer([fact_of(o) for o in op.operands])[0].rank == 2
    with raises_error("unbounded-shape"):
        structured(module)
