"""Operations that belong to no operation set.

The Model Optimizer replaces them in its later phases; here the reader replaces them. A front transformation may leave
them: `Slice` with its parameters in ONNX's order, `Size`, `Rank` …
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np
from xdsl.ir import SSAValue

from loomir.tools.model_optimizer.mo.graph.graph import Node


class Layers(Protocol):
    """Builder of layers at the position of the operation."""

    def layer(
        self, type_: str, opset: int, operands: Sequence[SSAValue], **attributes: bool | int | float | str
    ) -> SSAValue:
        """A layer with one result."""
        ...

    def constant(self, array: np.ndarray) -> SSAValue:
        """A constant."""
        ...


Operands = Mapping[int, SSAValue]
"""By port; those that are not connected are not there."""

Meaning = Callable[[Node, Operands, Layers], SSAValue]


def _slice(node: Node, operands: Operands, make: Layers) -> SSAValue:
    """Create a `Slice` from operands in ONNX order.

    ONNX has data, starts, ends, axes, steps. The operation set has steps before axes, and requires steps.
    """
    starts = operands[1]
    steps = operands.get(4)
    if steps is None:
        length = make.layer("ShapeOf", 3, [starts], output_type="i64")
        steps = make.layer("Broadcast", 3, [make.constant(np.array(1, np.int64)), length], mode="numpy")
        steps = make.layer("ConvertLike", 1, [steps, starts])
    axes = [operands[3]] if 3 in operands else []
    return make.layer("Slice", 8, [operands[0], starts, operands[2], steps, *axes])


def _size(node: Node, operands: Operands, make: Layers) -> SSAValue:
    shape = make.layer("ShapeOf", 3, [operands[0]], output_type="i64")
    return make.layer("ReduceProd", 1, [shape, make.constant(np.array([0], np.int64))], keep_dims=False)


def _rank(node: Node, operands: Operands, make: Layers) -> SSAValue:
    shape = make.layer("ShapeOf", 3, [operands[0]], output_type="i64")
    length = make.layer("ShapeOf", 3, [shape], output_type="i64")
    return make.layer("Squeeze", 1, [length, make.constant(np.array([0], np.int64))])


def _identity(node: Node, operands: Operands, make: Layers) -> SSAValue:
    return operands[0]


def _expand_dims(node: Node, operands: Operands, make: Layers) -> SSAValue:
    axes = make.constant(np.array(node.soft_get("expand_axis", []), np.int64).reshape(-1))
    return make.layer("Unsqueeze", 1, [operands[0], axes])


def _flatten(node: Node, operands: Operands, make: Layers) -> SSAValue:
    """[d_0 · … · d_(axis-1), the rest]."""
    (data,), axis = [operands[0]], int(node.soft_get("axis", 1))
    shape = make.layer("ShapeOf", 3, [data], output_type="i64")
    zero = make.constant(np.array([0], np.int64))

    def product(begin: int, end: int) -> SSAValue:
        ends = [make.constant(np.array([each], np.int64)) for each in (begin, end, 1)]
        return make.layer(
            "ReduceProd", 1, [make.layer("Slice", 8, [shape, *ends, zero]), zero], keep_dims=True
        )

    both = [product(0, axis), product(axis, np.iinfo(np.int64).max)]
    target = make.layer("Concat", 1, both, axis=0)
    return make.layer("Reshape", 1, [data, target], special_zero=False)


def _coerced(type_: str, opset: int) -> Meaning:
    """Return the meaning of Softmax or LogSoftmax of ONNX before version 13.

    These operate on all dimensions from the axis on together.
    """

    def meaning(node: Node, operands: Operands, make: Layers) -> SSAValue:
        shape = make.layer("ShapeOf", 3, [operands[0]], output_type="i64")
        flat = make.layer(type_, opset, [_flatten(node, operands, make)], axis=1)
        return make.layer("Reshape", 1, [flat, shape], special_zero=False)

    return meaning


def _gather(node: Node, operands: Operands, make: Layers) -> SSAValue:
    axis = make.constant(np.array(node.soft_get("axis", 0), np.int64))
    return make.layer("Gather", 8, [operands[0], operands[1], axis])


def _lrn(node: Node, operands: Operands, make: Layers) -> SSAValue:
    """Over channels, or in each channel over what lies around."""
    named = {
        "alpha": node.alpha,
        "beta": node.beta,
        "bias": node.soft_get("bias", 1.0),
        "size": node.soft_get("local_size", None) or node.size,
    }
    across = node.soft_get("region", "across") == "across"
    axes = operands.get(1) or make.constant(np.array([1] if across else [2, 3], np.int64))
    return make.layer("LRN", 1, [operands[0], axes], **named)


def _attributed_slice(node: Node, operands: Operands, make: Layers) -> SSAValue:
    parameters = {
        k: make.constant(np.array(node[name], np.int64)) for k, name in ((1, "starts"), (2, "ends"))
    }
    if node.has_valid("axes"):
        parameters[3] = make.constant(np.array(node.axes, np.int64))
    return _slice(node, {0: operands[0], **parameters}, make)


def _clamp(node: Node, operands: Operands, make: Layers) -> SSAValue:
    """min(max(x, low), high); what is no input is an attribute."""
    x = operands[0]
    for port, limit, type_ in ((1, "min", "Maximum"), (2, "max", "Minimum")):
        bound = operands.get(port)
        if bound is None and node.has_valid(limit):
            number = make.constant(np.array(node[limit], np.float32))
            bound = make.layer("ConvertLike", 1, [number, x])
        if bound is not None:
            x = make.layer(type_, 1, [x, bound])
    return x


def _leaky_relu(node: Node, operands: Operands, make: Layers) -> SSAValue:
    slope = make.constant(np.array([node.soft_get("negative_slope", 0.01)], np.float32))
    return make.layer("PReLU", 1, [operands[0], make.layer("ConvertLike", 1, [slope, operands[0]])])


INTERNAL: Mapping[str, Meaning] = {
    "AttributedGather": _gather,
    "AttributedLRN": _lrn,
    "AttributedSlice": _attributed_slice,
    "Clamp": _clamp,
    "ExpandDims": _expand_dims,
    "FlattenONNX": _flatten,
    "Identity": _identity,
    "LeakyReLU": _leaky_relu,
    "LogSoftmaxONNX": _coerced("LogSoftmax", 5),
    "Rank": _rank,
    "Size": _size,
    "Slice": _slice,
    "SoftmaxONNX": _coerced("Softmax", 8),
}
"""By the name of the operation."""
