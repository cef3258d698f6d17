"""Convolution and pooling.

Convolution, transposed convolution, Col2Im (columns of a sliding window) and pooling share the attributes of sliding windows
(`WindowAttributes`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.ov.base import AttrValue, OvOperation
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, PadOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.convolution import (
    ConvolutionBackpropDataOp,
    ConvolutionOp,
    GroupConvolutionBackpropDataOp,
    GroupConvolutionOp,
)
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
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.pooling import AvgPoolOp, LpPoolOp, MaxPoolOp
from loomir.dialects.ov.operators.reduction import (
    ReduceL1Op,
    ReduceL2Op,
    ReduceMaxOp,
    ReduceMeanOp,
    ReduceProdOp,
    ReduceSumOp,
)
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp
from loomir.dialects.ov.operators.scattering import ScatterElementsUpdateOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.operators.windows import Col2ImOp
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import SET_SHAPES, Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates

AUTO_PAD = {"NOTSET": "explicit", "SAME_UPPER": "same_upper", "SAME_LOWER": "same_lower", "VALID": "valid"}


def weights_and_kernel(node: Node, weights: SSAValue) -> tuple[tuple[int, ...], list[int]]:
    """Return the shapes of a convolution's weights and of its kernel.

    The weights have two dimensions before those of the kernel. `kernel_shape` must match the weights' shape, where -1 is an
    unknown extent. Errors: `unknown-rank`, `invalid-onnx`.
    """
    rank = node.rank(weights, "the weights") - 2
    shape = node.shape(weights) or ()
    kernel = node.ints("kernel_shape", shape[2:])
    if len(kernel) != rank or any(e not in (-1, k) for e, k in zip(shape[2:], kernel)):
        raise Error("invalid-onnx", f"kernel_shape is {kernel}, the weights have shape {list(shape)}")
    return shape, kernel


@dataclass(frozen=True)
class WindowAttributes:
    """Strides, dilations and pads of each spatial dimension."""

    strides: list[int]
    dilations: list[int]
    pads_begin: list[int]
    pads_end: list[int]
    auto_pad: str

    @staticmethod
    def of(node: Node, rank: int) -> WindowAttributes:
        """Read a node's attributes for `rank` spatial dimensions. Error: `invalid-onnx`."""
        auto_pad = AUTO_PAD.get(node.string("auto_pad", "NOTSET"))
        strides, dilations = node.ints("strides", [1] * rank), node.ints("dilations", [1] * rank)
        pads = node.ints("pads", [0] * (2 * rank))
        if auto_pad is None:
            raise Error("invalid-onnx", f"auto_pad '{node.string('auto_pad')}' does not exist")
        if not len(strides) == len(dilations) == rank or len(pads) != 2 * rank:
            raise Error("invalid-onnx", f"strides, dilations or pads do not fit {rank} spatial dimensions")
        if auto_pad != "explicit":
            pads = [0] * (2 * rank)
        return WindowAttributes(strides, dilations, pads[:rank], pads[rank:], auto_pad)

    @property
    def attributes(self) -> dict[str, AttrValue]:
        """As `ov` names them."""
        return {
            "strides": self.strides,
            "dilations": self.dilations,
            "pads_begin": self.pads_begin,
            "pads_end": self.pads_end,
            "auto_pad": self.auto_pad,
        }


@translates("Conv", 1, 11, 22)
def conv(node: Node) -> Results:
    """Translate Conv: N-dimensional, with groups and bias.

    X [N, C, …], W [M, C / group, …], B [M].
    """
    return convolve(node, node.input(0), node.input(1), node.optional(2))


def convolve(
    node: Node,
    data: SSAValue,
    weights: SSAValue,
    bias: SSAValue | None = None,
    *,
    window: WindowAttributes | None = None,
) -> SSAValue:
    """Emit a convolution of these values with a node's attributes.

    The weights are converted to the element type of the data. `window` replaces strides, dilations and pads. Error: `invalid-onnx`.
    """
    _, kernel = weights_and_kernel(node, weights)
    rank = len(kernel)
    window = window or WindowAttributes.of(node, rank)
    group = node.int("group", 1)
    if group != 1:
        weights = _in_groups(node, weights, group)
    if node.element(weights) != node.element(data):
        weights = node.op(ConvertOp, weights, destination_type=node.element(data))
    operation = ConvolutionOp if group == 1 else GroupConvolutionOp
    result = node.op(operation, data, weights, **window.attributes)
    if bias is None:
        return result
    return node.op(AddOp, result, node.op(ReshapeOp, bias, node.vector([1, -1] + [1] * rank)))


def _in_groups(node: Node, weights: SSAValue, group: int) -> SSAValue:
    """Reshape weights to separate the groups.

    [M, C / group, …] becomes [group, M / group, C / group, …]. Error: `invalid-onnx`.
    """
    shape = node.static_shape(weights)
    if group < 1 or (shape is not None and shape[0] % group):
        raise Error("invalid-onnx", f"{group} groups do not divide the weights of shape {shape}")
    if shape is not None:
        return node.op(ReshapeOp, weights, node.vector([group, shape[0] // group, *shape[1:]]))
    tail = node.op(SliceOp, node.op(ShapeOfOp, weights), *(node.vector([v]) for v in (1, 1 << 31, 1, 0)))
    return node.op(ReshapeOp, weights, node.op(ConcatOp, [node.vector([group, -1]), tail], axis=0))


@translates("ConvTranspose", 1, 11, 22)
def conv_transpose(node: Node) -> Results:
    """X [N, C, …], W [C, M / group, …], B [M].

    With `output_shape`, or auto_pad SAME (the extents are `extent * stride` then), the padding follows from the
    extents of the result. Its larger half is at the end for SAME_UPPER and else at the beginning: the other way
    round than OpenVINO's names say. More than the kernel reaches is zeros at the end (ONNX Runtime).
    """
    data, weights, bias = node.input(0), node.input(1), node.optional(2)
    shape, kernel = weights_and_kernel(node, weights)
    rank = len(kernel)
    window = WindowAttributes.of(node, rank)
    padding = node.ints("output_padding", [0] * rank)
    given = node.ints("output_shape", [])
    if len(padding) != rank or len(given) not in (0, rank, rank + 2):
        raise Error("invalid-onnx", f"output_padding or output_shape do not fit {rank} spatial dimensions")
    attributes: dict[str, AttrValue] = {**window.attributes, "output_padding": padding}
    # OpenVINO's same_upper has the larger half at the beginning, its same_lower at the end.
    auto_pad = "same_lower" if window.auto_pad == "same_upper" else "same_upper"
    target = None
    if given:
        # Some exporters write all extents, those of batch and channels too.
        target = node.vector(given[-rank:])
        attributes["auto_pad"] = auto_pad
    elif window.auto_pad in ("same_upper", "same_lower"):
        if min(kernel) < 1:
            raise Error("unknown-shape", f"the kernel is {kernel}", hint=SET_SHAPES)
        attributes.update(_same(window, kernel, padding))
    group = node.int("group", 1)
    if group == 1:
        result = node.op(ConvolutionBackpropDataOp, data, weights, target, **attributes)
    else:
        # Only the first dimension is split: one that is not known is what is left.
        if shape[0] < 0 or sum(e < 0 for e in shape[1:]) > 1:
            raise Error(
                "unknown-shape",
                f"the weights of a grouped convolution have the shape {list(shape)}",
                hint=SET_SHAPES,
            )
        if group < 1 or shape[0] % group:
            raise Error("invalid-onnx", f"{group} groups do not divide the weights of shape {list(shape)}")
        split = node.vector([group, shape[0] // group, *shape[1:]])
        parts = node.op(ReshapeOp, weights, split)
        result = node.op(GroupConvolutionBackpropDataOp, data, parts, target, **attributes)
    if bias is None:
        return result
    return node.op(AddOp, result, node.op(ReshapeOp, bias, node.vector([1, -1] + [1] * rank)))


def _same(window: WindowAttributes, kernel: list[int], padding: list[int]) -> dict[str, AttrValue]:
    """Return explicit pads that make every extent `extent * stride`.

    A negative pad at the end adds zeros.
    """
    begins: list[int] = []
    ends: list[int] = []
    for extent, stride, dilation, extra in zip(kernel, window.strides, window.dilations, padding):
        total = (extent - 1) * dilation + 1 + extra - stride
        half = max(0, total) // 2
        begin = half if window.auto_pad == "same_upper" else max(0, total) - half
        begins.append(begin)
        ends.append(total - begin)
    return {"pads_begin": begins, "pads_end": ends, "auto_pad": "explicit"}


@translates("Col2Im", 18)
def col2im(node: Node) -> Results:
    """`pads` has the beginnings of all dimensions, then the ends."""
    attributes: dict[str, AttrValue] = {
        name: node.ints(name) for name in ("strides", "dilations") if node.has(name)
    }
    if node.has("pads"):
        pads = node.ints("pads")
        attributes["pads_begin"], attributes["pads_end"] = pads[: len(pads) // 2], pads[len(pads) // 2 :]
    return node.op(Col2ImOp, node.input(0), node.input(1), node.input(2), **attributes)


def _window(node: Node) -> tuple[list[int], WindowAttributes, str]:
    """Return kernel, window and rounding of a pooling node.

    A window that would begin in the padding behind the data does not count.
    """
    kernel = node.ints("kernel_shape")
    rounding = "ceil_torch" if node.int("ceil_mode", 0) else "floor"
    window = WindowAttributes.of(node, len(kernel))
    rests = rounding != "floor" and window.auto_pad == "valid" and _leaves_a_rest(node, kernel, window)
    if rests and node.reads_as_onnxruntime(
        "ceil_mode = 1 is ignored with auto_pad = VALID, as the specification's formula says; ONNX Runtime adds a window"
    ):
        window = replace(window, auto_pad="explicit")
    return kernel, window, rounding


def _leaves_a_rest(node: Node, kernel: Sequence[int], window: WindowAttributes) -> bool:
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
    if node.is_requested(1) and node.int("storage_order", 0):
        return [pool.output, _column_major(node, pool.indices, len(kernel))]
    return pool.results


def _column_major(node: Node, positions: SSAValue, rank: int) -> SSAValue:
    """Row-major positions with the order of the spatial axes turned round."""
    extents = [
        node.op(GatherOp, node.shape_of(node.input(0)), *_scalar_index(node, 2 + k)) for k in range(rank)
    ]
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


def _scalar_index(node: Node, place: int) -> tuple[SSAValue, SSAValue]:
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
    window = WindowAttributes.of(node, len(kernel))
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
