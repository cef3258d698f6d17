"""Resample below GRAPH against `evaluate`: picked elements, sums that are written out, sums in loops."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from loomir.compiler.model import Engine, Model
from loomir.dialects.ov.operators.interpolate import ResampleOp
from tests.operators import one_operation
from tests.support import raises_error
from tests.unit.passes.structured.convert_ov_to_linalg.engines import check

FLOATS = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)


@pytest.mark.parametrize("taps", [(1, 1), (2, 2), (3, 7)])
@pytest.mark.parametrize("known", [False, True])
def test_weighted(taps: tuple[int, int], known: bool) -> None:
    rng = np.random.default_rng(len(taps))
    for k, dtype in enumerate(FLOATS):
        data = rng.normal(size=(2, 4, 5)).astype(dtype)
        tables: list[np.ndarray] = []
        for extent, count in zip((4, 5), taps):
            new = int(rng.integers(0, 7))
            tables.append(rng.integers(0, extent, (new, count)).astype(np.int32))
            tables.append(rng.normal(size=(new, count)).astype(np.float32))
        run(data, tables, [1, -1], weighted=True, known=known, native=k == 0)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.uint64, np.bool_])
def test_picked(dtype: type, known: bool) -> None:
    data = np.arange(24).reshape(2, 3, 4).astype(dtype)
    tables = [np.array([2, 0, 0, 1, 2], np.int32), np.array([3, 3], np.int64)]
    run(data, tables, [1, 2], weighted=False, known=known, native=dtype is np.int8)


def run(
    data: np.ndarray, tables: list[np.ndarray], axes: list[int], *, weighted: bool, known: bool, native: bool
) -> None:
    check(
        _Resample,
        [data, *tables],
        {"axes": axes, "weighted": weighted},
        constants=range(1, len(tables) + 1) if known else (),
        engines=("structured", "native") if native else ("structured",),
    )


class _Resample(ResampleOp):
    """The operation with its variadic operand given one by one, as the test's helpers do."""

    @classmethod
    def make(cls, *operands, attributes=None, results=1):
        tables: Any = list(operands[1:])
        return ResampleOp.make(operands[0], tables, attributes=attributes, results=results)


@pytest.mark.parametrize("engine", ["graph", "structured", "native"])
def test_position_outside(engine: Engine) -> None:
    data, table = np.zeros(3, np.float32), np.array([0, 1], np.int32)
    module, _ = one_operation(_Resample, [data, table], {"axes": [0]})
    model = Model(module)
    for place in (3, -1):
        with raises_error("runtime-index"):
            model.run({"x0": data, "x1": np.array([0, place], np.int32)}, engine=engine)


def test_errors() -> None:
    data, table = np.zeros((2, 3), np.float32), np.zeros(2, np.int32)
    with raises_error("resample-tables", "1 tables for 2 axes"):
        one_operation(_Resample, [data, table], {"axes": [0, 1]})
    pair = [np.zeros((2, 2), np.int32), np.zeros((3, 2), np.float32)]
    with raises_error("resample-tables", "weights of ov.resample has extent 0 = 3, elsewhere it is 2"):
        one_operation(_Resample, [data, *pair], {"axes": [0], "weighted": True})
    with raises_error("element-type"):
        one_operation(_Resample, [data.astype(np.int8), *pair], {"axes": [0], "weighted": True})
