"""Rows and slots below GRAPH against `evaluate`, and their errors when run."""

from __future__ import annotations

import numpy as np
import pytest

from loomir.compiler.model import Model
from loomir.dialects.ov.base import evaluate
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.internal import FromSlotOp, RequireOp, RowEraseOp, RowInsertOp, ToSlotOp
from tests.operators import one_operation
from tests.support import raises_error
from tests.unit.passes.structured.convert_ov_to_linalg.engines import check

RNG = np.random.default_rng(0)
DTYPES = [np.float32, np.float64, np.float16, np.int8, np.int64, np.uint8, np.bool_]


def rows(count: int, *shape: int, dtype: type = np.float32) -> np.ndarray:
    return RNG.integers(0, 2 if dtype is np.bool_ else 100, (count, *shape)).astype(dtype)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("position", [0, 1, 3, -1, -3])
def test_rows(position: int, dynamic: bool) -> None:
    """In front, in between, behind; counted from either end, by every type of number."""
    for index, dtype in enumerate(DTYPES):
        data, row = rows(3, 2, dtype=dtype), rows(1, 2, dtype=dtype)
        place = np.array(position, (np.int64, np.int32)[index % 2])
        engines = ("structured", "native") if dtype is np.int8 else ("structured",)
        check(RowInsertOp, [data, row, place], {}, dynamic=dynamic, engines=engines)
        if position < 3:
            check(RowEraseOp, [data, place.reshape(1)], {}, dynamic=dynamic, engines=engines)


def test_rows_at_the_limits() -> None:
    """Into nothing, the last one out, rows without elements, rank 1."""
    none, one = rows(0, 2), rows(1, 2)
    for dynamic in (False, True):
        check(RowInsertOp, [none, one, np.array(0)], {}, dynamic=dynamic)
        check(RowEraseOp, [one, np.array(-1)], {}, dynamic=dynamic)
        check(RowInsertOp, [rows(2, 0), rows(1, 0), np.array(1)], {}, dynamic=dynamic)
        check(RowEraseOp, [rows(2), np.array(1, np.uint8)], {}, dynamic=dynamic)


@pytest.mark.parametrize("engine", ["graph", "structured", "native"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_positions_out_of_range(engine, dynamic: bool) -> None:
    data, row = rows(2, 2), rows(1, 2)
    for arrays, op, positions in (([data, row], RowInsertOp, (3, -3)), ([data], RowEraseOp, (2, -3))):
        module, _ = one_operation(op, [*arrays, np.array(0)], {}, dynamic=dynamic)
        model = Model(module)
        for position in positions:
            feed = {f"x{k}": a for k, a in enumerate([*arrays, np.array(position)])}
            with raises_error("runtime-index"):
                model.run(feed, engine=engine)
    nothing = rows(0, 2)
    module, _ = one_operation(RowEraseOp, [nothing, np.array(0)], {}, dynamic=dynamic)
    with raises_error("runtime-index"):
        Model(module).run({"x0": nothing, "x1": np.array(0)}, engine=engine)


@pytest.mark.parametrize("shape", [(2, 3), (4, 3), (0, 3), (1,), (5,), ()])
def test_slots(shape: tuple[int, ...]) -> None:
    """Data as large as the slot, smaller, and without elements."""
    most = [4, 3] if len(shape) == 2 else [5] * len(shape)
    for dtype in DTYPES:
        data = rows(*shape, dtype=dtype) if shape else rows(1, dtype=dtype).reshape(())
        for dynamic in (False, True):
            check(ToSlotOp, [data], {"most": most}, dynamic=dynamic)
        (slot,) = evaluate(ToSlotOp.make(ConstantOp.of(data).output, attributes={"most": most}), [data])
        assert slot.shape == (1, np.prod(most, dtype=int))
        extents = np.array(shape, np.int64)
        least = [0 if k == 0 else d for k, d in enumerate(shape)]
        check(
            FromSlotOp, [slot[0], extents], {"least": least, "most": most}, engines=("structured", "native")
        )


@pytest.mark.parametrize("engine", ["graph", "structured", "native"])
def test_what_does_not_fit_a_slot(engine) -> None:
    for dynamic in (False, True):
        module, _ = one_operation(ToSlotOp, [rows(3)], {"most": [2]}, dynamic=dynamic)
        with raises_error("runtime-capacity"):
            Model(module).run({"x0": rows(3)}, engine=engine)
    slot = rows(6)
    attributes = {"least": [1, 2], "most": [4, 2]}
    module, _ = one_operation(FromSlotOp, [slot, np.array([3, 2])], attributes)
    model = Model(module)
    np.testing.assert_array_equal(
        model.run({"x0": slot, "x1": np.array([3, 2])}, engine=engine)["y0"], slot.reshape(3, 2)
    )
    for shape in ([0, 2], [5, 2], [4, 2], [3, 1], [-1, 2]):
        with raises_error("runtime-shape"):
            model.run({"x0": slot, "x1": np.array(shape)}, engine=engine)


@pytest.mark.parametrize("engine", ["graph", "structured", "native"])
@pytest.mark.parametrize("kind", ["index", "shape"])
def test_require(engine, kind: str) -> None:
    value = rows(2, 2)
    attributes = {"kind": kind, "reason": "it must hold"}
    module, _ = one_operation(RequireOp, [value, np.array(True)], attributes)
    model = Model(module)
    np.testing.assert_array_equal(model.run({"x0": value, "x1": True}, engine=engine)["y0"], value)
    with raises_error("runtime-index" if kind == "index" else "runtime-shape"):
        model.run({"x0": value, "x1": False}, engine=engine)


@pytest.mark.parametrize(
    ("identifier", "op", "arrays", "attributes"),
    [
        ("operand-rank", RowInsertOp, [np.ones(3), np.ones((1, 3)), np.array(0)], {}),
        ("operand-rank", RowInsertOp, [np.ones((2, 3)), np.ones((1, 3)), np.array([0, 1])], {}),
        ("slot-shape", RowInsertOp, [np.ones((2, 3)), np.ones((1, 4)), np.array(0)], {}),
        ("slot-shape", RowInsertOp, [np.ones((2, 3)), np.ones((2, 3)), np.array(0)], {}),
        ("element-types-differ", RowInsertOp, [np.ones((2, 3)), np.ones((1, 3), np.int8), np.array(0)], {}),
        ("element-type", RowInsertOp, [np.ones((2, 3)), np.ones((1, 3)), np.array(0.0)], {}),
        ("operand-rank", RowEraseOp, [np.array(1.0), np.array(0)], {}),
        ("element-type", RowEraseOp, [np.ones(3), np.array(0.0)], {}),
        ("operand-rank", ToSlotOp, [np.ones((2, 3))], {"most": [6]}),
        ("operand-rank", FromSlotOp, [np.ones((2, 3)), np.array([2])], {"least": [0], "most": [6]}),
        ("operand-rank", FromSlotOp, [np.ones(6), np.array([2, 3])], {"least": [0], "most": [6]}),
        ("element-type", FromSlotOp, [np.ones(6), np.array([2.0])], {"least": [0], "most": [6]}),
        ("element-type", RequireOp, [np.ones(6), np.array(1)], {"kind": "index", "reason": ""}),
        ("operand-rank", RequireOp, [np.ones(6), np.array([True])], {"kind": "index", "reason": ""}),
        ("attribute-value", RequireOp, [np.ones(6), np.array(True)], {"kind": "other", "reason": ""}),
    ],
)
def test_errors(identifier: str, op, arrays, attributes) -> None:
    with raises_error(identifier) if identifier != "slot-shape" else raises_error("slot-shape"):
        op.make(*(ConstantOp.of(a).output for a in arrays), attributes=attributes)
