"""TopK and ArgMax below GRAPH against `evaluate`, and what numpy semantics says where specifications are silent."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from loomir.compiler.model import Engine, Model
from loomir.dialects.element_types import i32, i64
from loomir.dialects.ov.base import evaluate
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.sorting import ArgMaxOp, TopKOp
from tests.operators import one_operation
from tests.support import raises_error
from tests.unit.passes.structured.convert_ov_to_linalg.engines import check

FLOATS = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)
DTYPES = (
    *FLOATS, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
)  # fmt: skip
NAN = np.nan


def random_data(rng: np.random.Generator, shape: list[int], dtype: type) -> np.ndarray:
    """Few different numbers, among them extreme ones: many ties."""
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        return rng.choice(np.array([info.min, info.max, 0, 1, 2, 3, info.max - 1], dtype), shape)
    return rng.choice(np.array([1, 2, -1, 0, -0.0, NAN, np.inf, -np.inf, 3, 0.5]), shape).astype(dtype)


@pytest.mark.parametrize("extent", [1, 7, 40])
def test_top_k(extent: int) -> None:
    """Insertion (few), a heap (many), one; all element types; k known or not; extents known or not."""
    rng = np.random.default_rng(extent)
    for case in range(24):
        rank = int(rng.integers(1, 4))
        axis = int(rng.integers(rank))
        shape = [int(v) for v in rng.integers(1, 4, rank)]
        shape[axis] = extent
        k = 1 if case % 4 == 0 else int(rng.integers(0, extent + 1))
        check(
            TopKOp,
            [random_data(rng, shape, DTYPES[case % len(DTYPES)]), np.array([k], np.int32)],
            {
                "axis": axis - rank * (case % 2),
                "mode": ("max", "min")[int(rng.integers(2))],
                "sort": ("value", "index", "none")[int(rng.integers(3))],
                "index_element_type": (i32, i64)[int(rng.integers(2))],
            },
            constants=[1] if case % 3 else [],
            dynamic=bool(case % 2),
            engines=("structured", "native") if case % 6 == 0 else ("structured",),
        )


def test_top_k_of_nothing() -> None:
    check(TopKOp, [np.zeros((2, 0), np.float32), np.array(0)], {"axis": 1}, constants=[1])
    check(TopKOp, [np.zeros((0, 5), np.float32), np.array(3)], {"axis": 1}, constants=[1])


@pytest.mark.parametrize(
    ("mode", "sort", "values", "places"),
    [
        ("max", "value", [3, 2, 2, 1, NAN], [4, 1, 3, 2, 0]),
        ("min", "value", [NAN, 1, 2, 2, 3], [0, 2, 1, 3, 4]),
        ("max", "index", [2, 1, 2, 3], [1, 2, 3, 4]),
        ("min", "index", [NAN, 2, 1, 2], [0, 1, 2, 3]),
    ],
)
def test_top_k_order(mode: str, sort: str, values: list[float], places: list[int]) -> None:
    """NaN is the least; the first of equal elements is the better one."""
    data, k = np.array([NAN, 2, 1, 2, 3], np.float32), np.array(len(values))
    op = TopKOp.make(
        *(ConstantOp.of(a).output for a in (data, k)), attributes={"axis": 0, "mode": mode, "sort": sort}
    )
    found, where = evaluate(op, [data, k])
    np.testing.assert_array_equal(found, np.array(values, np.float32))
    np.testing.assert_array_equal(where, places)


@pytest.mark.parametrize("engine", ["structured", "native"])
def test_k_out_of_range(engine: Engine) -> None:
    module, op = one_operation(TopKOp, [np.zeros(4, np.float32), np.array(3)], {"axis": 0})
    model = Model(module)
    for k in (5, -1):
        with raises_error("runtime-shape"):
            evaluate(op, [np.zeros(4, np.float32), np.array(k)])
        with raises_error("runtime-shape"):
            model.run({"x0": np.zeros(4, np.float32), "x1": np.array(k)}, engine=engine)


def test_known_k_out_of_range() -> None:
    data = ConstantOp.of(np.zeros(4, np.float32)).output
    for k in (5, -1):
        with raises_error("top-k-range", f"k is {k}"):
            TopKOp.make(data, ConstantOp.of(np.array(k)).output, attributes={"axis": 0})


def test_arg_max() -> None:
    rng = np.random.default_rng(1)
    for case in range(48):
        rank = int(rng.integers(1, 4))
        check(
            ArgMaxOp,
            [random_data(rng, [int(v) for v in rng.integers(1, 6, rank)], DTYPES[case % len(DTYPES)])],
            {
                "axis": int(rng.integers(-rank, rank)),
                "mode": ("max", "min")[int(rng.integers(2))],
                "keep_dims": bool(rng.integers(2)),
                "select_last_index": bool(rng.integers(2)),
                "index_element_type": (i32, i64)[int(rng.integers(2))],
            },
            dynamic=bool(case % 2),
            engines=("structured", "native") if case % 12 == 0 else ("structured",),
        )


@pytest.mark.parametrize("engine", ["graph", "structured"])
def test_empty_axis(engine: Engine) -> None:
    with raises_error("empty-axis"):
        ArgMaxOp.make(ConstantOp.of(np.zeros((2, 0))).output, attributes={"axis": 1})
    module, _ = one_operation(ArgMaxOp, [np.zeros((2, 3))], {"axis": 1}, dynamic=True)
    with raises_error("runtime-shape"):
        Model(module).run({"x0": np.zeros((2, 0))}, engine=engine)


@pytest.mark.parametrize(("mode", "last", "places"), [("max", False, [1, 0]), ("min", True, [3, 0])])
def test_nan_is_what_is_looked_for(mode: str, last: bool, places: list[int]) -> None:
    data = np.array([[1, NAN, 3, NAN], [NAN, 0, 0, 5]])
    op = ArgMaxOp.make(
        ConstantOp.of(data).output, attributes={"axis": 1, "mode": mode, "select_last_index": last}
    )
    assert evaluate(op, [data])[0].reshape(-1).tolist() == places
