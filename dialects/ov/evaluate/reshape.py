"""Numpy semantics of Reshape, Squeeze, Unsqueeze, Transpose, ShapeOf."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects.builtin import TensorType

from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.evaluate import evaluates
from loomir.dialects.ov.reshape import (
    ReshapeOp,
    ShapeOfOp,
    SqueezeOp,
    TransposeOp,
    UnsqueezeOp,
    transpose_order,
)
from loomir.dialects.ov.shape_rules import normalise_axes
from loomir.errors import Error


@evaluates(ReshapeOp)
def reshape(op: ReshapeOp, data: np.ndarray, shape: np.ndarray) -> np.ndarray:
    return data.reshape(reshaped_extents(data.shape, [int(v) for v in shape], to_bool(op.special_zero)))


def reshaped_extents(data: tuple[int, ...], pattern: list[int], special_zero: bool) -> list[int]:
    """The shape that a pattern means for data of this shape. `Error("runtime-shape")` where it does not
    fit."""
    copied = [special_zero and v == 0 for v in pattern]
    if (
        any(c and i >= len(data) for i, c in enumerate(copied))
        or pattern.count(-1) > 1
        or min(pattern, default=0) < -1
    ):
        raise Error("runtime-shape", f"{pattern} is no shape for data of shape {list(data)}")
    extents = [data[i] if c else v for i, (c, v) in enumerate(zip(copied, pattern))]
    if -1 in pattern:
        # Copied extents take no part: they may be 0.
        rest = prod(d for i, d in enumerate(data) if not (i < len(copied) and copied[i]))
        others = prod(v for v, c in zip(pattern, copied) if not c and v != -1)
        if (others and rest % others) or (not others and rest):
            raise Error("runtime-shape", f"data of shape {list(data)} cannot have shape {pattern}")
        extents[pattern.index(-1)] = rest // others if others else 0
    if prod(extents) != prod(data):
        raise Error("runtime-shape", f"data of shape {list(data)} cannot have shape {pattern}")
    return extents


@evaluates(SqueezeOp)
def squeeze(op: SqueezeOp, data: np.ndarray, axes: np.ndarray | None = None) -> np.ndarray:
    named = [] if axes is None else normalise_axes(axes.reshape(-1), data.ndim)
    ones = {i for i, extent in enumerate(data.shape) if extent == 1}
    dropped = ones.intersection(named) if named else ones
    shape = [extent for i, extent in enumerate(data.shape) if i not in dropped]
    declared = op.output.type
    wrong_rank = isinstance(declared, TensorType) and len(declared.get_shape()) != len(shape)
    if wrong_rank or (to_bool(op.strict, False) and len(dropped) < len(named)):
        raise Error("runtime-shape", f"data of shape {list(data.shape)} cannot be squeezed on axes {named}")
    return data.reshape(shape)


@evaluates(UnsqueezeOp)
def unsqueeze(op: UnsqueezeOp, data: np.ndarray, axes: np.ndarray) -> np.ndarray:
    del op
    rank = data.ndim + axes.size
    new = set(normalise_axes(axes.reshape(-1), rank))
    rest = iter(data.shape)
    return data.reshape([1 if i in new else next(rest) for i in range(rank)])


@evaluates(TransposeOp)
def transpose(op: TransposeOp, arg: np.ndarray, input_order: np.ndarray) -> np.ndarray:
    del op
    return arg.transpose(transpose_order([int(v) for v in input_order], arg.ndim))


@evaluates(ShapeOfOp)
def shape_of(op: ShapeOfOp, data: np.ndarray) -> np.ndarray:
    return np.array(data.shape, dtype_of(op.output_type))
