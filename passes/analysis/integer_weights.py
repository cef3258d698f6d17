"""Integer weights: the integers, the scale, and the scaling of a product."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.element_types import dtype_of, is_float, is_integer, is_storage_integer
from loomir.dialects.ov.attributes import to_bool, to_int, to_str
from loomir.dialects.ov.evaluation import evaluate
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.elementwise_binary import MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.matmul import MatMulOp
from loomir.dialects.ov.operators.quantisation import FakeQuantizeOp
from loomir.passes.analysis.known_arrays import MOVES, known_array

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
