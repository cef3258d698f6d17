"""CTCGreedyDecoderSeqLen below GRAPH against `evaluate`; CTCGreedyDecoder through its decomposition."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from loomir.compiler.model import Engine, Model
from loomir.dialects.element_types import i32, i64
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.decoding import CTCGreedyDecoderOp, CTCGreedyDecoderSeqLenOp
from tests.operators import one_operation
from tests.support import raises_error
from tests.unit.passes.structured.convert_ov_to_linalg.engines import check

DTYPES = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)


def test_ctc_greedy_decoder_seq_len() -> None:
    """Ties, NaN, lengths beyond the steps and below 0."""
    rng = np.random.default_rng(0)
    for case in range(16):
        n, t, classes = (int(v) for v in rng.integers(1, 7, 3))
        data = rng.integers(0, 3, (n, t, classes)).astype(DTYPES[case % 4])
        if case % 5 == 0:
            data[rng.random(data.shape) < 0.2] = np.nan
        arrays = [data, rng.integers(-1, t + 2, n).astype((np.int32, np.int64)[case % 2])]
        if case % 3:
            arrays.append(np.array([rng.integers(0, classes)], np.int32))
        check(
            CTCGreedyDecoderSeqLenOp,
            arrays,
            {
                "merge_repeated": bool(rng.integers(2)),
                "classes_index_type": (i32, i64)[int(rng.integers(2))],
                "sequence_length_type": (i32, i64)[int(rng.integers(2))],
            },
            constants=[2] if case % 2 else [],
            dynamic=bool(rng.integers(2)),
            engines=("structured", "native") if case % 5 == 0 else ("structured",),
        )


@pytest.mark.parametrize("engine", ["graph", "structured"])
def test_mask(engine: Engine) -> None:
    """Elements behind a column's first 0 do not count, whatever they are."""
    best = np.array([[0, 1], [0, 1], [2, 0], [1, 1]])
    data = np.eye(3, dtype=np.float32)[best]
    mask = np.array([[1, 1], [1, 1], [1, 0], [1, 1]], np.float32)
    module, _ = one_operation(CTCGreedyDecoderOp, [data, mask], {})
    found = Model(module).run({"x0": data, "x1": mask}, engine=engine)["y0"]
    assert found.shape == (2, 4, 1, 1)
    np.testing.assert_array_equal(found[..., 0, 0], [[0, 1, -1, -1], [1, -1, -1, -1]])


@pytest.mark.parametrize("engine", ["graph", "structured"])
def test_shapes(engine: Engine) -> None:
    data, lengths = np.zeros((2, 3, 4), np.float32), np.zeros(3, np.int64)
    for wrong in (data, data[0], data[..., :0]):
        with raises_error("ctc-shapes"):
            CTCGreedyDecoderSeqLenOp.make(*(ConstantOp.of(a).output for a in (wrong, lengths)))
    module, _ = one_operation(CTCGreedyDecoderSeqLenOp, [data, lengths[:2]], {}, dynamic=True)
    with raises_error("runtime-shape"):
        Model(module).run({"x0": data, "x1": lengths}, engine=engine)
