"""Known arrays, integer weights, and bounds of products by them.

Arrays known before constant folding are constants that are moved or converted, and values computed from shapes (`known_array`).

Integer weights are the integers, the scale, and the scaling of a product (`decoded`, `factor_of`). Known weights bound the integer
sums in products and convolutions (`bounds_of_product`):

    low = Σ max(w, 0) · least + Σ min(w, 0) · most        high the other way round, for each column of weights
"""

from __future__ import annotations

from math import prod
from typing import TypeAlias

import numpy as np
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.element_types import dtype_of, i64, is_float, is_integer, is_storage_integer
from loomir.dialects.ov.attributes import to_bool, to_int, to_str
from loomir.dialects.ov.base import OvOperation, evaluate, has_evaluator
from loomir.dialects.ov.facts import MAX_RANK, fact_of
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.conversion import ConvertOp, FakeQuantizeOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
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


STORED = "loomir.stored"
"""Marks a widening conversion of constant integers that is not folded.

`ov-fold-constants` leaves it to its users, so that the integers are stored narrow.
"""

LEVEL_OF_ZERO = 2.0**-12
"""Maximum distance of the level of 0 from an integer.

It covers the rounding of limits to single precision. A sum has that error for each of its numbers.
"""

PRODUCTS = (MatMulOp, ConvolutionOp, GroupConvolutionOp)
"""Operations that read weights as their second operand."""


def decoded(value: SSAValue) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the integers and the scale that weights consist of.

    The integers have the fewest bits, and the scale has their shape. The weights are stored as integers, or are floats that a
    FakeQuantize with known limits maps to integers, with one pair of limits for all or one for each channel.
    """
    moves: list[Operation] = []
    op = value.owner
    while isinstance(op, MOVES):
        moves.append(op)
        op = op.operands[0].owner
    found = _levels_of(op) if isinstance(op, FakeQuantizeOp) else _stored_as(op)
    if found is None:
        return None
    exact, scale = found
    integers = next((i for d in (np.int8, np.uint8, np.int16) if (i := _exactly(exact, d)) is not None), None)
    if integers is None or np.broadcast_shapes(integers.shape, scale.shape) != integers.shape:
        return None
    parts = [integers, np.broadcast_to(scale, integers.shape)]
    for move in reversed(moves):
        others = [known_array(operand) for operand in move.operands[1:]]
        arrays = [other for other in others if other is not None]
        if len(arrays) < len(others):
            return None
        parts = [evaluate(move, [part, *arrays])[0] for part in parts]
    return np.ascontiguousarray(parts[0]), parts[1]


def _stored_as(op: Operation | Block) -> tuple[np.ndarray, np.ndarray] | None:
    """Match scale · (integers − zero point) with constant integers.

    Returns the integers minus the zero point, and the scale.
    """
    scale: np.ndarray = np.ones((), np.float64)
    if isinstance(op, MultiplyOp):
        known = [known_array(operand) for operand in op.operands]
        place = next((k for k in (1, 0) if known[k] is not None), None)
        if place is None or not is_float(fact_of(op.results[0]).element):
            # (A product of integers is no scale.)
            return None
        scale = np.asarray(known[place], np.float64)
        op = op.operands[1 - place].owner
    offset = np.zeros((), np.float64)
    if isinstance(op, SubtractOp):
        zero = known_array(op.b)
        if zero is None:
            return None
        offset, op = np.asarray(zero, np.float64), op.a.owner
    stored = known_array(op.data) if isinstance(op, ConvertOp) else None
    if not isinstance(op, ConvertOp) or stored is None:
        return None
    element = fact_of(op.data).element
    if not (is_integer(element) or is_storage_integer(element)) or dtype_of(element).itemsize > 2:
        return None
    return stored.astype(np.float64) - offset, scale


def _levels_of(op: FakeQuantizeOp) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the levels of constant floats, and the step.

    The level of 0 is subtracted from the levels.
    """
    known = [known_array(operand) for operand in op.operands]
    arrays = [array for array in known if array is not None and array.size and np.isfinite(array).all()]
    levels = to_int(op.levels)
    if len(arrays) < len(known) or levels > 1 << 16 or to_str(op.auto_broadcast) != "numpy":
        return None
    data, low, high, out_low, out_high = arrays
    if not ((low < high).all() and (out_low < out_high).all()):
        return None
    # In the order of operations of FakeQuantize, in the type of the weights.
    place = (data - low) / (high - low) * np.asarray(levels - 1, data.dtype)
    step = (out_high.astype(np.float64) - out_low) / (levels - 1)
    zero = -out_low.astype(np.float64) / step
    if np.abs(zero - np.rint(zero)).max() > LEVEL_OF_ZERO:
        return None
    return np.rint(place).clip(0, levels - 1).astype(np.float64) - np.rint(zero), step


def _exactly(numbers: np.ndarray, dtype: type) -> np.ndarray | None:
    """Numbers as integers of a type that holds them."""
    info = np.iinfo(dtype)
    if not numbers.size or not (info.min <= numbers.min() and numbers.max() <= info.max):
        return None
    integers = numbers.astype(dtype)
    return integers if np.array_equal(integers, numbers) else None


def factor_of(product: Operation, place: int, scale: np.ndarray) -> np.ndarray | None:
    """Return the factor of a product by scaled weights.

    It exists if the scale is the same for all elements that are summed; otherwise the result is None.
    """
    if isinstance(product, MatMulOp):
        other = fact_of(product.operands[1 - place])
        if scale.ndim != 2 or other.rank is None or other.rank < 2:
            return None
        turned = to_bool(product.transpose_b if place else product.transpose_a)
        # Summed over rows of b, columns of a; where transposed the other way round.
        axis = (1 if turned else 0) if place else (0 if turned else 1)
        kept = scale.take([0], axis)
        if not np.array_equal(np.broadcast_to(kept, scale.shape), scale):
            return None
        return kept.reshape(-1) if place else kept.reshape(-1, 1)
    leading = 2 if isinstance(product, GroupConvolutionOp) else 1
    kept = scale[(slice(None),) * leading + (slice(0, 1),) * (scale.ndim - leading)]
    if not kept.size or not np.array_equal(np.broadcast_to(kept, scale.shape), scale):
        return None
    spatial = scale.ndim - leading - 1
    return kept.reshape(1, -1, *([1] * spatial))


Product: TypeAlias = ConvolutionOp | GroupConvolutionOp | MatMulOp
ProductBounds: TypeAlias = tuple[np.ndarray, np.ndarray]
"""The least and the greatest number, `int`s that broadcast to the tensor."""


def bounds_of_product(op: Product, weights: np.ndarray, least: int, most: int) -> ProductBounds:
    """Return the bounds of a product by these weights.

    The other tensor lies between `least` and `most`; padding counts as 0.
    """
    columns = _weights_by_column(op, weights).astype(np.int64)
    up, down = np.maximum(columns, 0).sum(1), np.minimum(columns, 0).sum(1)
    least, most = min(least, 0), max(most, 0)
    shape = _per_column(op, weights)
    # Python's integers do not wrap around.
    up, down = up.astype(object).reshape(shape), down.astype(object).reshape(shape)
    return up * least + down * most, up * most + down * least


def sums_of_weights(op: Product, weights: np.ndarray) -> np.ndarray:
    """Return the sum of each column of weights.

    The sums are `int`s that broadcast to the tensor. If a constant is added to each number of the other operand, the product grows
    by the constant times these sums.
    """
    return (
        _weights_by_column(op, weights)
        .astype(np.int64)
        .sum(1)
        .astype(object)
        .reshape(_per_column(op, weights))
    )


def _per_column(op: Product, weights: np.ndarray) -> tuple[int, ...]:
    return (-1,) if isinstance(op, MatMulOp) else (1, -1, *[1] * spatial_axes(op, weights))


def spatial_axes(op: Product, weights: np.ndarray) -> int:
    """How many axes a convolution's window has."""
    return weights.ndim - (3 if isinstance(op, GroupConvolutionOp) else 2)


def _weights_by_column(op: Product, weights: np.ndarray) -> np.ndarray:
    """The weights of each result in a row."""
    if isinstance(op, MatMulOp):
        return weights if to_bool(op.transpose_b) else weights.T
    leading = 2 if isinstance(op, GroupConvolutionOp) else 1
    return weights.reshape(prod(weights.shape[:leading]), -1)
