"""Arrays known before constant folding.

They are constants that are moved or converted, and values computed from shapes.
"""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.evaluation import evaluate, has_evaluator
from loomir.dialects.ov.facts import MAX_RANK, fact_of
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.gathering import GatherElementsOp, GatherNDOp, GatherOp
from loomir.dialects.ov.operators.joining import TileOp
from loomir.dialects.ov.operators.layout import (
    DepthToSpaceOp,
    ReverseOp,
    RollOp,
    ShuffleChannelsOp,
    SpaceToDepthOp,
)
from loomir.dialects.ov.operators.reduction import ReduceMaxOp, ReduceMinOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp, StridedSliceOp
from loomir.errors import Error

MOVES = (ReshapeOp, UnsqueezeOp, SqueezeOp, TransposeOp)
"""Operations that return exactly the elements of their first operand.

All elements are returned, and no others.
"""

PICKS = (
    SliceOp,
    StridedSliceOp,
    GatherOp,
    GatherElementsOp,
    GatherNDOp,
    TileOp,
    BroadcastOp,
    ReverseOp,
    RollOp,
    ShuffleChannelsOp,
    DepthToSpaceOp,
    SpaceToDepthOp,
    ReduceMaxOp,
    ReduceMinOp,
)
"""Operations that return only elements of their first operand.

They may read other operands.
"""


def known_array(value: SSAValue, *, scaled: bool = False, depth: int = 4) -> np.ndarray | None:
    """Return the contents of a constant, also if converted or moved.

    With `scaled`, also those of a constant that is dequantised to floats by a scale and a zero point, as biases are. `depth` is the
    maximum number of operations to look through. Values computed from shapes are known, too.
    """
    op = value.owner
    if isinstance(op, ConstantOp):
        return op.array
    if fact_of(value).element == i64 and not isinstance(op, (*MOVES, ConvertOp)):
        return _known_numbers_of_shapes(value, {})
    if not depth or not isinstance(op, (*MOVES, ConvertOp, *((MultiplyOp, SubtractOp) if scaled else ()))):
        return None
    known: list[np.ndarray] = []
    for operand in op.operands:
        array = known_array(operand, scaled=scaled, depth=depth - 1)
        if array is None:
            return None
        known.append(array)
    return evaluate(op, known)[0]


def _known_numbers_of_shapes(
    value: SSAValue, found: dict[SSAValue, np.ndarray | None], depth: int = 12
) -> np.ndarray | None:
    """Return axes and extents that are known before constant folding.

    They are computed from constants and static shapes, and have few numbers each. `found` caches the values visited so far.
    """
    if value not in found:
        found[value] = None
        found[value] = _numbers_of_shapes(value, found, depth)
    return found[value]


def _numbers_of_shapes(
    value: SSAValue, found: dict[SSAValue, np.ndarray | None], depth: int
) -> np.ndarray | None:
    op, shape = value.owner, fact_of(value).shape
    if shape is None or prod(MAX_RANK + 1 if d.static is None else d.static for d in shape) > MAX_RANK:
        return None
    if isinstance(op, ConstantOp):
        return op.array
    if not depth or not isinstance(op, OvOperation) or not has_evaluator(type(op)):
        return None
    if isinstance(op, ShapeOfOp):
        shape = fact_of(op.operands[0]).shape
        extents = [None] if shape is None else [extent.static for extent in shape]
        return None if None in extents else np.array(extents, np.int64)
    known: list[np.ndarray] = []
    for operand in op.operands:
        numbers = _known_numbers_of_shapes(operand, found, depth - 1)
        if numbers is None:
            return None
        known.append(numbers)
    place = next(index for index, result in enumerate(op.results) if result is value)
    try:
        return evaluate(op, known)[place]
    except Error:
        return None
