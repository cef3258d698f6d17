"""Pooling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, PadOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    ModOp,
    MultiplyOp,
    PowerOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.elementwise_unary import AbsOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.pooling import AvgPoolOp, LpPoolOp, MaxPoolOp
from loomir.dialects.ov.operators.reduction import (
    ReduceL1Op,
    ReduceL2Op,
    ReduceMaxOp,
    ReduceMeanOp,
    ReduceProdOp,
    ReduceSumOp,
)
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.dialects.ov.operators.scattering import ScatterElementsUpdateOp
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates
from loomir.passes.front.convert_onnx_to_ov.windows import Window


def _window(node: Node) -> tuple[list[int], Window, str]:
    """Return kernel, window and rounding of a pooling node.

    A window that would begin in the padding behind the data does not count.
    """
    kernel = node.ints("kernel_shape")
    rounding = "ceil_torch" if node.int("ceil_mode", 0) else "floor"
    window = Window.of(node, len(kernel))
    rests = rounding != "floor" and window.auto_pad == "valid" and _leaves_a_rest(node, kernel, window)
    if rests and node.reads_as_onnxruntime(
        "ceil_mode = 1 is ignored beside auto_pad = VALID, as the specification's formula has it; ONNX Runtime adds a window"
    ):
        window = replace(window, auto_pad="explicit")
    return kernel, window, rounding


def _leaves_a_rest(node: Node, kernel: Sequence[int], window: Window) -> bool:
    """Return True if the windows may leave elements over.

    These are at the end of an axis, without padding.
    """
    shape = node.shape(node.input(0))
    spatial = [-1] * len(kernel) if shape is None else shape[2:]
    return any(
        extent < 0 or (extent - dilation * (size - 1) - 1) % stride != 0
        for extent, size, dilation, stride in zip(spatial, kernel, window.dilations, window.strides)
    )


@translates("AveragePool", 1, 7, 10, 11, 19, 22)
def average_pool(node: Node) -> Results:
    """The padding counts only with `count_include_pad`."""
    kernel, window, rounding = _window(node)
    return node.op(
        AvgPoolOp,
        node.input(0),
        kernel=kernel,
        exclude_pad=not node.int("count_include_pad", 0),
        rounding_type=rounding,
        **window.attributes,
    )


@translates("MaxPool", 1, 8, 10, 11, 12, 22)
def max_pool(node: Node) -> Results:
    """Translate MaxPool, with the maxima's positions in the flattened tensor.

    The tensor is flattened row by row, or with `storage_order` the spatial axes of each channel column by column.
    """
    kernel, window, rounding = _window(node)
    pool = node.emit(
        MaxPoolOp,
        node.input(0),
        attributes={
            "kernel": kernel,
            "rounding_type": rounding,
            "index_element_type": i64,
            "axis": 0,
            **window.attributes,
        },
    )
    if node.wants(1) and node.int("storage_order", 0):
        return [pool.output, _by_columns(node, pool.indices, len(kernel))]
    return pool.results


def _by_columns(node: Node, positions: SSAValue, rank: int) -> SSAValue:
    """Row-major positions with the order of the spatial axes turned round."""
    extents = [node.op(GatherOp, node.shape_of(node.input(0)), *_place(node, 2 + k)) for k in range(rank)]
    result: SSAValue | None = None
    step: SSAValue | None = None
    rest = positions
    places: list[SSAValue] = []
    for extent in reversed(extents):
        places.append(node.op(ModOp, rest, extent))
        rest = node.op(DivideOp, rest, extent, m_pythondiv=False)
    # What is left counts channels; the last axis comes first in `places` and has the largest step.
    for place, extent in zip(reversed(places), extents):
        term = place if step is None else node.op(MultiplyOp, place, step)
        result = term if result is None else node.op(AddOp, result, term)
        step = extent if step is None else node.op(MultiplyOp, step, extent)
    assert result is not None
    assert step is not None
    return node.op(AddOp, result, node.op(MultiplyOp, rest, step))


def _place(node: Node, place: int) -> tuple[SSAValue, SSAValue]:
    """The operands that pick one element of a vector as a scalar."""
    return node.constant(np.array(place, np.int64)), node.constant(np.array(0, np.int64))


@translates("LpPool", 1, 2, 11, 18, 22)
def lp_pool(node: Node) -> Results:
    """Norms; padding counts as zeros."""
    kernel, window, rounding = _window(node)
    return node.op(
        LpPoolOp,
        node.input(0),
        kernel=kernel,
        p=_exponent(node),
        rounding_type=rounding,
        **window.attributes,
    )


@translates("GlobalLpPool", 1, 2, 22)
def global_lp_pool(node: Node) -> Results:
    """The norm over all but batch and channels."""
    p = _exponent(node)
    if p in (1.0, 2.0):
        return _global(node, ReduceL1Op if p == 1 else ReduceL2Op)
    data = node.input(0)
    powers = node.op(PowerOp, node.op(AbsOp, data), node.number(p, data))
    total = node.op(ReduceSumOp, powers, node.vector(range(2, node.rank(data))), keep_dims=True)
    return node.op(PowerOp, total, node.number(1 / p, data))


def _exponent(node: Node) -> float:
    """`p`, a float in version 1. Error: `invalid-onnx`."""
    p = node.float("p", 2.0) if node.version == 1 else float(node.int("p", 2))
    if not p > 0:
        raise Error("invalid-onnx", f"the norm's p is {p}, expected a positive number")
    return p


@translates("MaxUnpool", 9, 11, 22)
def max_unpool(node: Node) -> Results:
    """Zeros with X at the flat positions I.

    The positions count in a tensor of the extents that pads and strides give; where `output_shape` is given, that tensor
    is put into the front of a larger one.
    """
    data, positions, target = node.input(0), node.input(1), node.optional(2)
    kernel = node.ints("kernel_shape")
    window = Window.of(node, len(kernel))
    shape = node.shape_of(data)
    spread: list[tuple[int, int]] = [(1, 0), (1, 0)]
    for k, stride, begin, end in zip(kernel, window.strides, window.pads_begin, window.pads_end):
        spread.append((stride, k - begin - end - stride))
    if len(spread) != node.rank(data):
        raise Error("invalid-onnx", f"kernel_shape {kernel} does not fit data of rank {node.rank(data)}")
    factors, offsets = (node.vector(v) for v in zip(*spread))
    inferred = node.op(AddOp, node.op(MultiplyOp, shape, factors), offsets)
    static = node.static_shape(data)
    if static is not None:
        inferred = node.vector(e * f + o for e, (f, o) in zip(static, spread))
    count = node.op(ReduceProdOp, inferred, node.vector([0]), keep_dims=True)
    if static is not None:
        count = node.vector([math.prod(e * f + o for e, (f, o) in zip(static, spread))])
    zeros = node.op(BroadcastOp, node.number(0, data), count)
    flat = node.vector([-1])
    filled = node.op(
        ScatterElementsUpdateOp,
        zeros,
        node.op(ReshapeOp, positions, flat),
        node.op(ReshapeOp, data, flat),
        node.constant(np.array(0, np.int64)),
    )
    result = node.op(ReshapeOp, filled, inferred)
    if target is None:
        return result
    return node.op(PadOp, result, node.vector([0] * len(spread)), node.op(SubtractOp, target, inferred))


def _global(node: Node, op_class: type[OvOperation]) -> SSAValue:
    data = node.input(0)
    return node.op(op_class, data, node.vector(range(2, node.rank(data))), keep_dims=True)


@translates("GlobalAveragePool", 1, 22)
def global_average_pool(node: Node) -> Results:
    """The mean over all but batch and channels."""
    return _global(node, ReduceMeanOp)


@translates("GlobalMaxPool", 1, 22)
def global_max_pool(node: Node) -> Results:
    """The maximum over all but batch and channels."""
    return _global(node, ReduceMaxOp)
