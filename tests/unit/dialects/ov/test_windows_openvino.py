"""Convolution and pooling against OpenVINO on random attributes."""

# ruff: noqa: B023 -- the functions are called at once, in the iteration that defines them

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import openvino
import openvino.opset16 as opset
import pytest

from loomir.dialects.ov.base import AttrValue, OvOperation, evaluate
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.pooling import AvgPoolOp, MaxPoolOp
from loomir.dialects.ov.operators.windows import Window
from loomir.tools.fuzz.openvino_oracle import EXACT
from tests.support import raises_error

CASES = 60
AUTO_PADS = ("explicit", "same_upper", "same_lower", "valid")


def run_openvino(
    build: Callable[[list[Any]], openvino.Node], arrays: Sequence[np.ndarray]
) -> list[np.ndarray]:
    parameters: list[Any] = [opset.parameter(a.shape, a.dtype) for a in arrays]
    # Typed by hand: the stubs of openvino.Model contradict each other.
    make_model: Any = openvino.Model
    model = make_model(list(build(parameters).outputs()), parameters)
    compiled = openvino.Core().compile_model(model, "CPU", EXACT)
    results = compiled(dict(enumerate(arrays)))
    return [np.array(results[k]) for k in range(len(compiled.outputs))]


def random_window(rng: np.random.Generator, rank: int) -> dict[str, list[int]]:
    kernel = [int(rng.integers(1, 4)) for _ in range(rank)]
    return {
        "kernel": kernel,
        "strides": [int(rng.integers(1, 4)) for _ in range(rank)],
        "pads_begin": [int(rng.integers(0, k)) for k in kernel],
        "pads_end": [int(rng.integers(0, k)) for k in kernel],
        "dilations": [int(rng.integers(1, 3)) for _ in range(rank)],
    }


def ours(
    op_class: type[OvOperation], arrays: Sequence[np.ndarray], attributes: dict[str, AttrValue]
) -> list[np.ndarray]:
    op = op_class.make(*[ConstantOp.of(a).output for a in arrays], attributes=attributes)
    results = evaluate(op, arrays)
    facts = op.infer([Fact.of_array(a) for a in arrays])
    assert [f.static for f in facts] == [r.shape for r in results]
    return list(results)


@pytest.mark.parametrize("grouped", [False, True])
def test_convolution(grouped: bool):
    rng = np.random.default_rng(11)
    for _ in range(CASES):
        rank = int(rng.integers(1, 4))
        window = random_window(rng, rank)
        kernel = window.pop("kernel")
        auto_pad = str(rng.choice(AUTO_PADS))
        spatial = [int(rng.integers(6, 9)) for _ in range(rank)]
        groups, c_in, c_out = (int(v) for v in rng.integers(1, 4, 3))
        n = int(rng.integers(1, 3))
        data = rng.standard_normal((n, groups * c_in if grouped else c_in, *spatial)).astype(np.float32)
        filters = rng.standard_normal((*((groups,) if grouped else ()), c_out, c_in, *kernel)).astype(
            np.float32
        )
        make = opset.group_convolution if grouped else opset.convolution
        (theirs,) = run_openvino(
            lambda p: make(
                *p, window["strides"], window["pads_begin"], window["pads_end"], window["dilations"], auto_pad
            ),
            [data, filters],
        )
        op_class = GroupConvolutionOp if grouped else ConvolutionOp
        (result,) = ours(op_class, [data, filters], {**window, "auto_pad": auto_pad})
        assert result.shape == theirs.shape, (window, auto_pad)
        np.testing.assert_allclose(result, theirs, rtol=1e-4, atol=1e-4, err_msg=str((window, auto_pad)))


def test_average_pooling():
    rng = np.random.default_rng(12)
    for _ in range(CASES):
        rank = int(rng.integers(1, 4))
        window = random_window(rng, rank)
        window["dilations"] = [1] * rank
        rounding = str(rng.choice(["floor", "ceil", "ceil_torch"]))
        auto_pad = str(rng.choice(AUTO_PADS)) if rounding == "floor" else "explicit"
        # Padding and ceil_torch: OpenVINO's CPU plugin divides by the whole kernel, PyTorch and ONNX Runtime
        # don't.
        exclude = rounding == "ceil_torch" or bool(rng.integers(2))
        data = rng.standard_normal((2, 3, *(int(rng.integers(4, 9)) for _ in range(rank)))).astype(np.float32)
        (theirs,) = run_openvino(
            lambda p: opset.avg_pool(
                p[0], window["strides"], window["pads_begin"], window["pads_end"], window["kernel"], exclude,
                rounding, auto_pad, window["dilations"],
            ),
            [data],
        )  # fmt: skip
        what = str((data.shape, window, auto_pad, rounding, exclude))
        (result,) = ours(
            AvgPoolOp,
            [data],
            {**window, "auto_pad": auto_pad, "rounding_type": rounding, "exclude_pad": exclude},
        )
        assert result.shape == theirs.shape, what
        # OpenVINO divides nothing by nothing where a window holds no element.
        expected = np.where(np.isnan(theirs), 0, theirs)
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5, err_msg=what)


def test_maximum_pooling():
    rng = np.random.default_rng(13)
    for _ in range(CASES):
        rank = int(rng.integers(1, 4))
        window = random_window(rng, rank)
        rounding = str(rng.choice(["floor", "ceil_torch"]))
        auto_pad = str(rng.choice(AUTO_PADS)) if rounding == "floor" else "explicit"
        axis = int(rng.integers(0, 3))
        data = (
            rng.permutation(2 * 3 * 8**rank)
            .astype(np.float32)[: 2 * 3 * 7**rank]
            .reshape((2, 3, *[7] * rank))
        )
        theirs = run_openvino(
            lambda p: opset.max_pool(
                p[0], window["strides"], window["dilations"], window["pads_begin"], window["pads_end"],
                window["kernel"], rounding, auto_pad, "i32", axis,
            ),
            [data],
        )  # fmt: skip
        what = str((data.shape, window, auto_pad, rounding, axis))
        attributes = {**window, "auto_pad": auto_pad, "rounding_type": rounding, "axis": axis}
        results = ours(MaxPoolOp, [data], attributes)
        np.testing.assert_array_equal(results[0], theirs[0], err_msg=what)
        np.testing.assert_array_equal(results[1], theirs[1], err_msg=what)


def test_maximum_pooling_of_nan_padding_and_least_values():
    nan = np.array([[[1, np.nan, np.nan, -np.inf, -np.inf]]], np.float32)
    values, places = ours(MaxPoolOp, [nan], {"kernel": [2], "pads_begin": [1], "pads_end": [1]})
    np.testing.assert_array_equal(
        values, np.array([[[1, np.nan, np.nan, np.nan, -np.inf, -np.inf]]], np.float32)
    )
    assert places.tolist() == [[[0, 1, 1, 2, 3, 4]]]
    alone = np.array([[[-128, 3]]], np.int8)
    values, places = ours(MaxPoolOp, [alone], {"kernel": [1], "pads_begin": [1], "pads_end": [0]})
    assert values.tolist() == [[[-128, -128, 3]]]
    assert places.tolist() == [[[0, 0, 1]]]


def test_average_pooling_of_integers_and_of_nothing():
    data = np.array([[[100, 100, -101]]], np.int8)
    (result,) = ours(AvgPoolOp, [data], {"kernel": [2]})
    assert result.tolist() == [[[100, 0]]]
    (result,) = ours(AvgPoolOp, [data], {"kernel": [1], "pads_begin": [1], "exclude_pad": True})
    assert result.tolist() == [[[0, 100, 100, -101]]]


def test_window_extents():
    assert Window(3, stride=2).extent(8) == 3
    assert Window(3, stride=2, rounding="ceil").extent(8) == 4
    assert Window(2, stride=3, pad_end=1, rounding="ceil").extent(3) == 2
    assert Window(2, stride=3, pad_end=1, rounding="ceil_torch").extent(3) == 1
    assert Window(3, stride=2, auto_pad="same_upper").padding(4) == (0, 1)
    assert Window(3, stride=2, auto_pad="same_lower").padding(4) == (1, 0)
    with raises_error("window-too-large", "5 elements"):
        Window(3, dilation=2, pad_begin=1).extent(3)


def test_same_padding_of_nothing():
    data = np.zeros((1, 2, 0), np.float32)
    (result,) = ours(AvgPoolOp, [data], {"kernel": [3], "auto_pad": "same_upper"})
    assert result.shape == (1, 2, 0)
