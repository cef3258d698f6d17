"""NonMaxSuppression below GRAPH against `evaluate`."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from loomir.compiler.model import Engine, Model
from loomir.dialects.element_types import i32, i64
from loomir.dialects.ov.base import evaluate
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.decoding import NonMaxSuppressionOp
from tests.operators import one_operation
from tests.support import raises_error
from tests.unit.passes.structured.convert_ov_to_linalg.engines import check

F32 = np.float32
SCORES = np.array([0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, -0.5])


@pytest.mark.parametrize("softens", [False, True])
def test_non_max_suppression(softens: bool) -> None:
    """Ties, no boxes, no threshold, NaN and infinite scores, operands known and not."""
    rng = np.random.default_rng(int(softens))
    for case in range(16):
        batches, classes = (int(v) for v in rng.integers(1, 3, 2))
        count = int(rng.choice([0, 1, 3, 12, 25], p=[0.05, 0.05, 0.2, 0.4, 0.3]))
        dtype = (F32, F32, np.float16, ml_dtypes.bfloat16)[case % 4]
        pool = np.concatenate([SCORES, [np.nan, -np.inf]]) if case % 5 == 0 else SCORES
        arrays = [
            (rng.random((batches, count, 4)) * 3).astype(dtype),
            rng.choice(pool, (batches, classes, count)).astype(dtype),
            np.array(rng.integers(-1, 10)) if case % 2 else np.array([rng.integers(1, 10)], np.int32),
            np.array(rng.choice([0, 0.2, 0.5, 1]), F32),
            np.array([rng.choice([0, 0.3, -1, np.nan])], F32),
        ]
        if softens:
            arrays.append(np.array(rng.choice([0, 0.2, 0.5]), F32))
        check(
            NonMaxSuppressionOp,
            arrays,
            {
                "box_encoding": ("corner", "center")[int(rng.integers(2))],
                "sort_result_descending": bool(rng.integers(2)),
                "drop_above_threshold": bool(rng.integers(2)),
                "output_type": (i32, i64)[int(rng.integers(2))],
            },
            constants=[k for k in range(2, len(arrays)) if rng.integers(2)],
            dynamic=bool(rng.integers(2)) and count > 0,
            engines=("structured", "native") if case % 5 == 0 else ("structured",),
        )


CORNERS = np.array([[[0, 0, 1, 1], [1, 1.1, 0, 0.1], [5, 5, 6, 6], [2, 2, 2, 3], [2, 2, 2, 3]]], F32)


@pytest.mark.parametrize(
    ("sigma", "drop", "threshold", "expected"),
    [
        # Overlap 9/11 of the first two; the empty boxes overlap nothing.
        (None, False, 0.5, [(2, 0.9), (1, 0.8), (3, 0.6), (4, 0.6)]),
        (None, False, 0.9, [(2, 0.9), (1, 0.8), (0, 0.7), (3, 0.6), (4, 0.6)]),
        (0.5, False, 0.5, [(2, 0.9), (1, 0.8), (3, 0.6), (4, 0.6), (0, 0.7 * np.exp(-((9 / 11) ** 2)))]),
        (0.5, True, 0.5, [(2, 0.9), (1, 0.8), (3, 0.6), (4, 0.6)]),
    ],
)
def test_rules(sigma: float | None, drop: bool, threshold: float, expected: list[tuple[int, float]]) -> None:
    scores = np.array([[[0.7, 0.8, 0.9, 0.6, 0.6]]], F32)
    arrays = [CORNERS, scores, np.array(9), np.array(threshold, F32), np.array(0.1, F32)]
    if sigma is not None:
        arrays.append(np.array(sigma, F32))
    op = NonMaxSuppressionOp.make(
        *(ConstantOp.of(a).output for a in arrays), attributes={"drop_above_threshold": drop}
    )
    indices, told, number = evaluate(op, arrays)
    np.testing.assert_array_equal(indices, [(0, 0, box) for box, _ in expected])
    np.testing.assert_allclose(told, [(0, 0, s) for _, s in expected], rtol=1e-6)
    assert number.tolist() == [len(expected)]


def test_score_equal_to_the_threshold_does_not_take_part() -> None:
    arrays = [CORNERS, np.full((1, 1, 5), 0.5, F32), np.array(9), np.array(1, F32), np.array(0.5, F32)]
    op = NonMaxSuppressionOp.make(*(ConstantOp.of(a).output for a in arrays))
    assert evaluate(op, arrays)[2].tolist() == [0]


@pytest.mark.parametrize("engine", ["graph", "structured"])
def test_shapes(engine: Engine) -> None:
    scores, numbers = np.zeros((1, 2, 5), F32), [np.array(3), np.array(0.5, F32), np.array(0.5, F32)]
    for boxes in (CORNERS[:, :3], CORNERS[..., :3], CORNERS[0]):
        with raises_error("nms-shapes"):
            NonMaxSuppressionOp.make(*(ConstantOp.of(a).output for a in (boxes, scores, *numbers)))
    with raises_error("operand-rank"):
        two = np.zeros(2, F32)
        NonMaxSuppressionOp.make(
            *(ConstantOp.of(a).output for a in (CORNERS, scores, numbers[0], two, numbers[2]))
        )
    module, _ = one_operation(
        NonMaxSuppressionOp, [CORNERS, scores, *numbers], {}, constants=[2, 3, 4], dynamic=True
    )
    with raises_error("runtime-shape"):
        Model(module).run({"x0": CORNERS[:, :4], "x1": scores}, engine=engine)
