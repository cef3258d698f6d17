"""LpPool is a convolution of powers with ones, of each channel apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import bf16, dtype_of, f16, f32
from loomir.dialects.ov.attributes import to_float
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp
from loomir.dialects.ov.operators.elementwise_binary import MultiplyOp, PowerOp
from loomir.dialects.ov.operators.elementwise_unary import AbsOp, SqrtOp
from loomir.dialects.ov.operators.pooling import LpPoolOp
from loomir.dialects.ov.windows import Window
from loomir.errors import Error
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks
from loomir.passes.graph.convert_ov_to_openvino.expressing import expresses
from loomir.passes.graph.decompositions.extents import Sizes


@expresses(LpPoolOp)
def lp_pool(op: LpPoolOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """Compute `(Σ |x|^p)^(1/p)` over windows.

    Smaller floats are computed in f32. Error: `not-in-openvino` if padding depends on extents that are not known.
    """
    shape = checks.fact(op.data).shape
    if shape is None:
        raise Error("not-in-openvino", "a norm over windows of data of unknown rank cannot be said there")
    element, p = build.fact(op.data).element, to_float(op.p)
    wide = f32 if element in (f16, bf16) else element
    windows = op.windows()
    pads = [_padding(window, extent.static) for window, extent in zip(windows, shape[2:])]
    value = op.data
    if wide != element:
        value = build.make(ConvertOp, value, attributes={"destination_type": wide})
    sizes = Sizes(build)
    batch, channels, *rest = sizes.of(value)
    value = _power(build, build.make(AbsOp, value), p)
    value = sizes.reshape(value, [sizes.mul(batch, channels), 1, *rest])
    ones = build.constant(np.ones((1, 1, *(w.kernel for w in windows)), dtype_of(wide)))
    value = build.make(
        ConvolutionOp, value, ones,
        attributes={
            "strides": [w.stride for w in windows],
            "dilations": [w.dilation for w in windows],
            "pads_begin": [begin for begin, _ in pads],
            "pads_end": [end for _, end in pads],
        },
    )  # fmt: skip
    value = sizes.reshape(value, [batch, channels, *sizes.of(value)[2:]])
    value = _root(build, value, p)
    if wide != element:
        value = build.make(ConvertOp, value, attributes={"destination_type": element})
    return [value]


def _power(build: GraphBuilder, value: SSAValue, p: float) -> SSAValue:
    if p == 1:
        return value
    return (
        build.make(MultiplyOp, value, value) if p == 2 else build.make(PowerOp, value, build.like(p, value))
    )


def _root(build: GraphBuilder, value: SSAValue, p: float) -> SSAValue:
    if p == 1:
        return value
    return build.make(SqrtOp, value) if p == 2 else build.make(PowerOp, value, build.like(1 / p, value))


def _padding(window: Window, extent: int | None) -> tuple[int, int]:
    """Return the padding before and behind, for windows that round down.

    The padding is such that the number of windows may be rounded down. The zeros add nothing to a sum.
    """
    if extent is None:
        if window.is_same or (window.rounding != "floor" and window.stride > 1):
            raise Error(
                "not-in-openvino", "padding that depends on an extent that is not known cannot be said there"
            )
        return (0, 0) if window.auto_pad == "valid" else (window.pad_begin, window.pad_end)
    begin, _ = window.padding(extent)
    # What the last window reads and nobody has: below zero where elements at the end are in no window.
    return begin, (window.extent(extent) - 1) * window.stride + window.span - extent - begin
