"""`ov-narrow-weights`: weights that are stored as integers stay integers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import dtype_of, f32, f64, is_integer, is_storage_integer
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.evaluation import evaluate
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.elementwise_binary import MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.matmul import MatMulOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.tensors import set_type
from loomir.dialects.walking import walk
from loomir.passes.options import check_least

MOVES = (ReshapeOp, UnsqueezeOp, SqueezeOp, TransposeOp)
"""What may stand between the weights and the operation that reads them."""

NARROW = "loomir.narrow"
"""Marks a conversion to floats that `ov-fold-constants` leaves to the product that reads it."""

PRODUCTS = (MatMulOp, ConvolutionOp, GroupConvolutionOp)


@dataclass(frozen=True)
class OvNarrowWeightsPass(ModulePass):
    """Multiply a product by the scale of its weights, rather than the weights by it.

    ```mlir
    %f = ov.convert %w {destination_type = f32} : (tensor<64x8x3x3xi8>) -> tensor<64x8x3x3xf32>
    %s = ov.multiply %f, %scale : (tensor<64x8x3x3xf32>, tensor<64x1x1x1xf32>) -> tensor<64x8x3x3xf32>
    %r = ov.convolution %x, %s …
    ```
    becomes
    ```mlir
    %f = ov.convert %w {loomir.narrow, destination_type = f32} : (tensor<64x8x3x3xi8>) -> tensor<64x8x3x3xf32>
    %p = ov.convolution %x, %f …
    %r = ov.multiply %p, %scale2 : (tensor<1x64x9x9xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x9x9xf32>
    ```
    and the weights take a fourth of the memory, for `ov-fold-constants` leaves such a conversion to the product that reads
    them: for a small flash, not for speed, for every weight is converted whenever it is read. Run it before that pass.
    It is done where the scale is one for all of a sum's weights: along output channels or columns. A zero point that
    is a whole number goes into the weights. Weights of less than `least-bytes` as floats are left alone.
    """

    name = "ov-narrow-weights"
    EXACT = False

    least_bytes: int = 1024

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, least_bytes=0)
        for product in list(walk(op)):
            if isinstance(product, PRODUCTS):
                self._narrow(product)

    def _narrow(self, product: MatMulOp | ConvolutionOp | GroupConvolutionOp) -> None:
        for place in (1, 0) if isinstance(product, MatMulOp) else (1,):
            operand = product.operands[place]
            element = fact_of(operand).element
            found = _decoded(operand) if element in (f32, f64) else None
            if found is None:
                continue
            integers, scale = found
            factor = _factor(product, place, scale)
            if factor is None or integers.size * dtype_of(element).itemsize < self.least_bytes:
                continue
            build = GraphBuilder(InsertPoint.before(product), product.location)
            weights = build.make(
                ConvertOp, build.constant(integers), attributes={"destination_type": element}
            )
            build.emitted[-1].attributes[NARROW] = UnitAttr()
            product.operands[place] = weights
            if (factor != 1).any():
                after = GraphBuilder(InsertPoint.after(product), product.location)
                constant = after.constant(factor.astype(dtype_of(element)))
                result = product.output
                uses = list(result.uses)
                scaled = after.make(MultiplyOp, result, constant)
                set_type(scaled, result.type)
                scaled.name_hint = result.name_hint
                for use in uses:
                    use.operation.operands[use.index] = scaled
            return


def _decoded(value: SSAValue) -> tuple[np.ndarray, np.ndarray] | None:
    """The integers in the fewest bits and the scale (of the same shape) that weights are made of."""
    moves: list[Operation] = []
    op = value.owner
    while isinstance(op, MOVES):
        moves.append(op)
        op = op.operands[0].owner
    scale: np.ndarray = np.ones((), np.float64)
    if isinstance(op, MultiplyOp):
        known = [_known(operand) for operand in op.operands]
        place = next((k for k in (1, 0) if known[k] is not None), None)
        if place is None:
            return None
        scale = np.asarray(known[place], np.float64)
        op = op.operands[1 - place].owner
    offset = np.zeros((), np.float64)
    if isinstance(op, SubtractOp):
        zero = _known(op.b)
        if zero is None:
            return None
        offset, op = np.asarray(zero, np.float64), op.a.owner
    if not isinstance(op, ConvertOp) or not isinstance(op.data.owner, ConstantOp):
        return None
    element = fact_of(op.data).element
    if not (is_integer(element) or is_storage_integer(element)) or dtype_of(element).itemsize > 2:
        return None
    exact = op.data.owner.array.astype(np.float64) - offset
    integers = next((i for d in (np.int8, np.uint8, np.int16) if (i := _exactly(exact, d)) is not None), None)
    if integers is None or np.broadcast_shapes(integers.shape, scale.shape) != integers.shape:
        return None
    parts = [integers, np.broadcast_to(scale, integers.shape)]
    for move in reversed(moves):
        others = [_known(operand) for operand in move.operands[1:]]
        arrays = [other for other in others if other is not None]
        if len(arrays) < len(others):
            return None
        parts = [evaluate(move, [part, *arrays])[0] for part in parts]
    return np.ascontiguousarray(parts[0]), parts[1]


def _exactly(numbers: np.ndarray, dtype: type) -> np.ndarray | None:
    """Numbers as integers of a type that holds them."""
    info = np.iinfo(dtype)
    if not numbers.size or not (info.min <= numbers.min() and numbers.max() <= info.max):
        return None
    integers = numbers.astype(dtype)
    return integers if np.array_equal(integers, numbers) else None


def _known(value: SSAValue, depth: int = 4) -> np.ndarray | None:
    """The contents of a constant, or of one that was converted or moved about."""
    op = value.owner
    if isinstance(op, ConstantOp):
        return op.array
    if not depth or not isinstance(op, (*MOVES, ConvertOp)):
        return None
    arrays = [_known(operand, depth - 1) for operand in op.operands]
    known = [a for a in arrays if a is not None]
    return evaluate(op, known)[0] if len(known) == len(arrays) else None


def _factor(product: Operation, place: int, scale: np.ndarray) -> np.ndarray | None:
    """What to multiply the product by, where the scale is the same for all that is summed."""
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
