"""Transposed convolutions below GRAPH against `evaluate`, whose results are those of the definition."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from loomir.dialects.ov.base import AttrValue, evaluate
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.convolution import ConvolutionBackpropDataOp, GroupConvolutionBackpropDataOp
from tests.operators import lowered, one_operation
from tests.support import raises_error
from tests.unit.passes.structured.convert_ov_to_linalg.engines import check

DTYPES = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int8, np.int64, np.uint16)


def random_case(rng: np.random.Generator, dtype: type) -> tuple[list[np.ndarray], dict[str, AttrValue]]:
    rank = int(rng.integers(1, 4))
    spatial = [int(v) for v in rng.integers(1, 5, rank)]
    kernel = [int(v) for v in rng.integers(1, 4, rank)]
    channels, produced = int(rng.integers(1, 3)), int(rng.choice([1, 2, 3, 4, 8]))
    attributes: dict[str, AttrValue] = {
        "strides": [int(v) for v in rng.integers(1, 5, rank)],
        "dilations": [int(v) for v in rng.integers(1, 5, rank)],
        "pads_begin": [int(v) for v in rng.integers(-1, 2, rank)],
        "pads_end": [int(v) for v in rng.integers(-1, 2, rank)],
        "output_padding": [int(v) for v in rng.integers(0, 2, rank)],
    }
    data = rng.integers(-4, 5, (1, channels, *spatial)).astype(dtype)
    filters = rng.integers(-4, 5, (channels, produced, *kernel)).astype(dtype)
    return [data, filters], attributes


@pytest.mark.parametrize("dynamic", [False, True])
def test_random(dynamic: bool) -> None:
    """Every combination of stride and dilation, coprime or not, paddings of both signs."""
    rng = np.random.default_rng(dynamic)
    for k in range(16):
        arrays, attributes = random_case(rng, DTYPES[k % len(DTYPES)])
        check(
            ConvolutionBackpropDataOp,
            arrays,
            attributes,
            constants=[1] if dynamic or k % 2 else [],
            dynamic=dynamic,
            engines=("structured", "native") if k % 4 == 0 else ("structured",),
        )


@pytest.mark.parametrize("auto_pad", ["explicit", "same_upper", "same_lower"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_output_shape(auto_pad: str, dynamic: bool) -> None:
    rng = np.random.default_rng(3)
    data = rng.normal(size=(1, 2, 4, 3)).astype(np.float32)
    filters = rng.normal(size=(2, 3, 3, 4)).astype(np.float32)
    for target in ([7, 6], [8, 9], [1, 20]):
        check(
            ConvolutionBackpropDataOp,
            [data, filters, np.array(target)],
            {"strides": [2, 2], "auto_pad": auto_pad},
            constants=[1, 2],
            dynamic=dynamic,
            engines=("structured", "native"),
        )


@pytest.mark.parametrize("dynamic", [False, True])
def test_groups(dynamic: bool) -> None:
    rng = np.random.default_rng(1)
    data = rng.normal(size=(2, 4, 5)).astype(np.float32)
    filters = rng.normal(size=(2, 2, 4, 3)).astype(np.float32)
    check(
        GroupConvolutionBackpropDataOp,
        [data, filters],
        {"strides": [2]},
        constants=[1],
        dynamic=dynamic,
        engines=("structured", "native"),
    )


def test_of_nothing() -> None:
    check(
        ConvolutionBackpropDataOp,
        [np.zeros((0, 1, 2), np.float32), np.zeros((1, 1, 2), np.float32)],
        {},
        constants=[1],
    )
    check(
        ConvolutionBackpropDataOp,
        [np.zeros((1, 1, 0), np.float32), np.ones((1, 1, 4), np.float32)],
        {"strides": [2]},
        constants=[1],
    )


def test_by_hand() -> None:
    """Each element of the data lays down the kernel; the stride is that of the result."""
    data, filters = np.array([[[1.0, 2.0]]], np.float32), np.array([[[1.0, 10.0, 100.0]]], np.float32)
    op = ConvolutionBackpropDataOp.make(
        *(ConstantOp.of(a).output for a in (data, filters)),
        attributes={"strides": [2], "output_padding": [1]},
    )
    np.testing.assert_array_equal(evaluate(op, [data, filters])[0], [[[1, 10, 102, 20, 200, 0]]])


def test_errors() -> None:
    def make(data: list[int], filters: list[int], **attributes: AttrValue) -> None:
        operands = [ConstantOp.of(np.zeros(s, np.float32)).output for s in (data, filters)]
        ConvolutionBackpropDataOp.make(*operands, attributes=attributes)

    with raises_error("convolution-shapes", "channels"):
        make([1, 2, 4], [3, 1, 2])
    with raises_error("convolution-shapes", "rank"):
        make([1, 2, 4, 4], [2, 1, 2])
    with raises_error("window-attributes", "strides"):
        make([1, 2, 4], [2, 1, 2], strides=[1, 1])
    with raises_error("window-attributes", "auto_pad"):
        make([1, 2, 4], [2, 1, 2], auto_pad="same")
    arrays = [np.zeros((1, 1, 4), np.float32), np.zeros((1, 1, 2), np.float32)]
    module, _ = one_operation(ConvolutionBackpropDataOp, arrays, dynamic=True)
    with raises_error("unknown-kernel"):
        lowered(module, arrays)
    op = ConvolutionBackpropDataOp.make(*(ConstantOp.of(a).output for a in [*arrays, np.array([3])]))
    with raises_error("runtime-shape"):
        evaluate(op, [*arrays, np.array([-3])])
