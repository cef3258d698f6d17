"""Products by constant weights, and their weights when the result is scaled.

The products are convolutions and matrix products.
"""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np
from xdsl.ir import Operation, SSAValue

from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.matmul import MatMulOp
from loomir.passes.analysis.inference import Inference

Product = ConvolutionOp | GroupConvolutionOp | MatMulOp


@dataclass(frozen=True)
class Weights:
    """The constant operand of a product."""

    product: Product
    place: int
    """Index of the operand that holds the weights."""
    array: np.ndarray
    axis: int | None
    """Result axis along which each position has weights of its own.

    None if there is no such axis, or if nothing is known.
    """

    @property
    def operand(self) -> SSAValue:
        return self.product.operands[self.place]

    def scaled(self, scale: np.ndarray) -> np.ndarray | None:
        """Return the weights for a scaled result, or None.

        The scale is one number, or one number for each position along the axis.

        Return None if a position's weights would be infinite, or too small to have all digits.
        """
        shape = self._shape_of_positions()
        with np.errstate(over="ignore"):
            exact = self.array.astype(np.float64) * scale.reshape(shape if scale.size > 1 else ())
        summed = tuple(k for k, own in enumerate(shape) if own == 1)
        peaks = np.abs(exact).max(axis=summed, initial=0)
        info = ml_dtypes.finfo(self.array.dtype)
        sound = (peaks == 0) | ((peaks >= float(info.smallest_normal)) & (peaks <= float(info.max)))
        return exact.astype(self.array.dtype) if np.all(sound) else None

    def _shape_of_positions(self) -> tuple[int, ...]:
        """Return the extents of the weight axes that form the result axis.

        The extents of all axes that are summed are 1.
        """
        shape = [1] * self.array.ndim
        for k in () if self.axis is None else self._own_axes():
            shape[k] = self.array.shape[k]
        return tuple(shape)

    def _own_axes(self) -> tuple[int, ...]:
        """The axes of the weights that make the result's axis."""
        match self.product:
            case ConvolutionOp():
                return (0,)
            case GroupConvolutionOp():
                return (0, 1)
            case MatMulOp() as op if self.place == 1:
                return (-2 if to_bool(op.transpose_b) else -1,)
            case MatMulOp() as op:
                return (-1 if to_bool(op.transpose_a) else -2,)


def weights_of(op: Operation | None, inference: Inference) -> Weights | None:
    """Return the constant weights of a product, or None.

    Return None for other operations, and for products without constant weights.
    """
    if isinstance(op, ConvolutionOp | GroupConvolutionOp):
        array = constant_of(op.filters)
        return None if array is None else Weights(op, 1, array, 1)
    if not isinstance(op, MatMulOp):
        return None
    facts = [inference.fact(v) for v in op.operands]
    for place in (1, 0):
        array = constant_of(op.operands[place])
        if array is not None:
            return Weights(
                op, place, array, _matrix_axis(place, array, facts[1 - place], inference.fact(op.output))
            )
    return None


def _matrix_axis(place: int, array: np.ndarray, other: Fact, result: Fact) -> int | None:
    """Return the result axis of the weights' columns.

    If the weights are the first factor, return the result axis of their rows.
    """
    if array.ndim < 2 or result.rank is None:
        return None
    # A vector as second factor leaves the result without columns.
    return result.rank - (1 if place == 1 or other.rank == 1 else 2)
