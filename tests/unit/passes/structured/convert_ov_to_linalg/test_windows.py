"""Windows below GRAPH against `evaluate`: padding below zero, and norms."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from loomir.dialects.ov.base import evaluate
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.pooling import LpPoolOp
from tests.operators import one_operation
from tests.support import raises_error
from tests.unit.passes.structured.convert_ov_to_linalg.engines import check


@pytest.mark.parametrize("dynamic", [False, True])
def test_negative_pads_cut_off(dynamic: bool) -> None:
    rng = np.random.default_rng(0)
    data = rng.normal(size=(2, 2, 6, 7)).astype(np.float32)
    filters = rng.normal(size=(3, 2, 2, 3)).astype(np.float32)
    for begin, end in (([-1, 2], [1, -2]), ([-3, -1], [-1, 0]), ([-7, 0], [4, 0])):
        pads = {"pads_begin": begin, "pads_end": end}
        engines = ("structured", "native")
        check(
            ConvolutionOp,
            [data, filters],
            {**pads, "strides": [1, 2]},
            constants=[1],
            dynamic=dynamic,
            engines=engines,
        )
    groups = rng.normal(size=(2, 1, 1, 2, 2)).astype(np.float32)
    check(
        GroupConvolutionOp,
        [data, groups],
        {"pads_begin": [-2, 0], "pads_end": [0, -1]},
        constants=[1],
        dynamic=dynamic,
    )


@pytest.mark.parametrize("dynamic", [False, True])
def test_filters_of_one_number(dynamic: bool) -> None:
    """They are a scalar below GRAPH, and the loops over the kernel are there nevertheless."""
    data = np.random.default_rng(0).normal(size=(2, 4, 5, 6)).astype(np.float32)
    engines = ("structured", "native")
    ones = np.ones((3, 4, 2, 3), np.float32)
    check(ConvolutionOp, [data, ones], {}, constants=[1], dynamic=dynamic, engines=engines)
    check(ConvolutionOp, [np.ones_like(data), ones], {}, constants=[0, 1], engines=engines)
    groups = np.full((2, 3, 2, 2, 1), 0.5, np.float32)
    check(GroupConvolutionOp, [data, groups], {}, constants=[1], dynamic=dynamic, engines=engines)


def test_negative_pads_by_hand() -> None:
    data, filters = np.arange(5, dtype=np.float32).reshape(1, 1, 5), np.ones((1, 1, 2), np.float32)
    op = ConvolutionOp.make(
        *(ConstantOp.of(a).output for a in (data, filters)), attributes={"pads_begin": [-1], "pads_end": [-1]}
    )
    np.testing.assert_array_equal(evaluate(op, [data, filters])[0], [[[3, 5]]])


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, 0.5])
def test_norms(p: float) -> None:
    rng = np.random.default_rng(0)
    for k, dtype in enumerate((np.float32, np.float64, np.float16, ml_dtypes.bfloat16)):
        check(
            LpPoolOp,
            [(rng.normal(size=(1, 2, 5, 6)) * 2).astype(dtype)],
            {
                "kernel": [2, 3],
                "p": p,
                "strides": [2, 2],
                "dilations": [1, 2],
                "pads_begin": [1, 0],
                "pads_end": [0, 2],
                "rounding_type": ("floor", "ceil", "ceil_torch")[k % 3],
            },
            dynamic=bool(k % 2),
            engines=("structured", "native") if k == 0 else ("structured",),
        )


def test_norm_errors() -> None:
    for p in (0.0, -1.0, float("inf"), float("nan")):
        with raises_error("attribute-value"):
            one_operation(LpPoolOp, [np.zeros((1, 1, 3), np.float32)], {"kernel": [2], "p": p})
    with raises_error("element-type"):
        one_operation(LpPoolOp, [np.zeros((1, 1, 3), np.int32)], {"kernel": [2]})
