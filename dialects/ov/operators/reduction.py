"""Reductions of a tensor along axes, and cumulative sums and products.

CumSum and CumProd are the sums and products of all elements up to each one.
"""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import BoolAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def

from loomir.dialects.element_types import TENSOR
from loomir.dialects.numerics import (
    as_type,
    claim,
    greatest,
    is_integer_dtype,
    least,
    limits,
    truncated_to,
    truncating_quotient,
    wide,
)
from loomir.dialects.ov.attributes import FALSE, to_bool
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact, Shape
from loomir.dialects.ov.inference import axis_from, contents
from loomir.dialects.ov.interfaces import AnyOrder, Layout, Sources
from loomir.dialects.ov.shape_rules import (
    ONE,
    Interval,
    check_element,
    check_integer,
    fact_from,
    interval_of,
    is_boolean,
    is_number,
    join_all,
    normalise_axes,
    normalise_axis,
)
from loomir.dialects.speculation import FailsOnContents
from loomir.errors import Error


class ReductionOp(OvOperation, ABC):
    """Reduction of `data` along `axes`.

    `axes` is an integer scalar or 1-D tensor; negative axes count from the end.

    With `keep_dims` the axes stay with extent 1, else they are dropped. Without axes the result is `data` itself. Axes must
    be known for a lowering; inference allows them to be unknown. Errors: `element-type`, `reduction-axes`,
    `axis-range`, `axis-twice`.
    """

    LAYOUT: ClassVar[Layout | None] = AnyOrder(axes=1, in_sequence=True)

    ACCEPTS: ClassVar[tuple[Callable[[Attribute], bool], str]] = (is_number, "a number")

    data = operand_def(TENSOR)
    axes = operand_def(TENSOR)
    keep_dims = prop_def(BoolAttr, default_value=FALSE)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("axes"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, axes = facts
        check_element(data, "data", *self.ACCEPTS)
        check_integer(axes, "axes")
        if axes.rank is not None and axes.rank > 1:
            raise Error("reduction-axes", f"axes has rank {axes.rank}, expected a scalar or a 1-D tensor")
        if data.shape is None:
            return [Fact(data.element, None)]
        known = contents(axes)
        if known is None:
            return [Fact.of_shapes(data.element, self._shapes_of_unknown_axes(data.shape, axes))]
        reduced = normalise_axes(known.reshape(-1), len(data.shape))
        shape = reduced_shape(data.shape, reduced, keep_dims=to_bool(self.keep_dims))
        interval = interval_of(data)
        if interval is None:
            return [Fact(data.element, shape)]
        keep = to_bool(self.keep_dims)
        bounds = interval if not reduced else self.bounds(interval, reduced, keep)
        return [fact_from(data.element, shape, bounds)]

    def bounds(self, x: Interval, axes: tuple[int, ...], keep: bool) -> Interval | None:
        """Return the bounds of the result's elements from an integer operand's bounds.

        The bounds are those before wrap-around; None if they are unknown.
        """
        return None

    def reduced(self, x: np.ndarray, axes: tuple[int, ...], keep: bool) -> np.ndarray:
        """Reduce in numpy over at least one axis.

        The result has the dtype of the computation: sums of f16 and bf16 in f32, means and norms of integers in 64 bits.
        """
        raise NotImplementedError

    def evaluate(self, x: np.ndarray, axes: np.ndarray) -> np.ndarray:
        reduced = normalise_axes(axes.reshape(-1), x.ndim)
        if not reduced:
            return x
        return np.asarray(self.reduced(x, reduced, to_bool(self.keep_dims))).astype(x.dtype)

    def _shapes_of_unknown_axes(self, shape: Shape, axes: Fact) -> list[Shape]:
        """The shapes that there may be, one for each number of axes."""
        if to_bool(self.keep_dims):
            return [tuple(d.join(ONE) for d in shape)]
        counts = axes.elements
        most = len(shape) if counts.hi is None else min(counts.hi, len(shape))
        kept = range(len(shape) - most, len(shape) - counts.lo + 1)
        return [shape if rank == len(shape) else (join_all(shape),) * rank for rank in kept]


def reduced_shape(shape: Shape, axes: Sequence[int], *, keep_dims: bool) -> Shape:
    """Return the shape without these axes, or with 1 in their place.

    The axes are counted from the front.
    """
    gone = set(axes)
    if keep_dims:
        return tuple(ONE if i in gone else d for i, d in enumerate(shape))
    return tuple(d for i, d in enumerate(shape) if i not in gone)


@irdl_op_definition
class ReduceSumOp(ReductionOp):
    """The sum; of nothing 0. OpenVINO ReduceSum-1, ONNX ReduceSum-13."""

    name = "ov.reduce_sum"
    SOURCES: ClassVar = Sources(openvino=("ReduceSum", 1))

    def bounds(self, x: Interval, axes: tuple[int, ...], keep: bool) -> Interval:
        lo, hi = (np.asarray(np.sum(side, axis=axes, keepdims=keep, initial=0), object) for side in x)
        return lo, hi

    def reduced(self, x: np.ndarray, axes: tuple[int, ...], keep: bool) -> np.ndarray:
        return _sum(wide(x), axes, keep)


@irdl_op_definition
class ReduceMeanOp(ReductionOp):
    """Mean of the elements. OpenVINO ReduceMean-1, ONNX ReduceMean-18.

    It is the sum divided by the count; NaN for no floats. For integers it is the (wrapping) sum divided towards zero, 0 for no
    integers.
    """

    name = "ov.reduce_mean"
    SOURCES: ClassVar = Sources(openvino=("ReduceMean", 1))

    def reduced(self, x: np.ndarray, axes: tuple[int, ...], keep: bool) -> np.ndarray:
        count = math.prod(x.shape[a] for a in axes)
        total = _sum(_exact(x), axes, keep)
        divide = truncating_quotient if is_integer_dtype(x.dtype) else np.divide
        return divide(total, np.asarray(count, total.dtype))


@irdl_op_definition
class ReduceMaxOp(ReductionOp):
    """Maximum of the elements. OpenVINO ReduceMax-1, ONNX ReduceMax-20.

    It is NaN if there is one; without elements it is -inf or the least integer.
    """

    name = "ov.reduce_max"
    SOURCES: ClassVar = Sources(openvino=("ReduceMax", 1))
    LAYOUT: ClassVar[Layout | None] = AnyOrder(axes=1)

    def bounds(self, x: Interval, axes: tuple[int, ...], keep: bool) -> Interval | None:
        return _extreme(np.max, x, axes, keep)

    def reduced(self, x: np.ndarray, axes: tuple[int, ...], keep: bool) -> np.ndarray:
        return greatest(x, axes, keepdims=keep, initial=np.asarray(limits(x.dtype)[0], x.dtype))


@irdl_op_definition
class ReduceMinOp(ReductionOp):
    """Minimum of the elements. OpenVINO ReduceMin-1, ONNX ReduceMin-20.

    It is NaN if there is one; without elements it is inf or the greatest integer.
    """

    name = "ov.reduce_min"
    SOURCES: ClassVar = Sources(openvino=("ReduceMin", 1))
    LAYOUT: ClassVar[Layout | None] = AnyOrder(axes=1)

    def bounds(self, x: Interval, axes: tuple[int, ...], keep: bool) -> Interval | None:
        return _extreme(np.min, x, axes, keep)

    def reduced(self, x: np.ndarray, axes: tuple[int, ...], keep: bool) -> np.ndarray:
        return least(x, axes, keepdims=keep, initial=np.asarray(limits(x.dtype)[1], x.dtype))


@irdl_op_definition
class ReduceProdOp(ReductionOp):
    """The product; of nothing 1. OpenVINO ReduceProd-1, ONNX ReduceProd-18."""

    name = "ov.reduce_prod"
    SOURCES: ClassVar = Sources(openvino=("ReduceProd", 1))

    def bounds(self, x: Interval, axes: tuple[int, ...], keep: bool) -> Interval | None:
        if (x[0] < 0).any():
            return None
        lo, hi = (np.asarray(np.prod(side, axis=axes, keepdims=keep, initial=1), object) for side in x)
        return lo, hi

    def reduced(self, x: np.ndarray, axes: tuple[int, ...], keep: bool) -> np.ndarray:
        return _joined(np.multiply, wide(x), axes, keep)


class LogicalReductionOp(ReductionOp, ABC):
    """A reduction of booleans."""

    LAYOUT: ClassVar[Layout | None] = AnyOrder(axes=1)
    ACCEPTS: ClassVar[tuple[Callable[[Attribute], bool], str]] = (is_boolean, "boolean")


@irdl_op_definition
class ReduceLogicalAndOp(LogicalReductionOp):
    """Logical AND of the elements; true without elements. OpenVINO ReduceLogicalAnd-1."""

    name = "ov.reduce_logical_and"
    SOURCES: ClassVar = Sources(openvino=("ReduceLogicalAnd", 1))

    def bounds(self, x: Interval, axes: tuple[int, ...], keep: bool) -> Interval:
        lo, hi = (np.asarray(np.min(side, axis=axes, keepdims=keep, initial=1), object) for side in x)
        return lo, hi

    def reduced(self, x: np.ndarray, axes: tuple[int, ...], keep: bool) -> np.ndarray:
        return np.logical_and.reduce(x, axes, keepdims=keep)


@irdl_op_definition
class ReduceLogicalOrOp(LogicalReductionOp):
    """Logical OR of the elements; false without elements. OpenVINO ReduceLogicalOr-1."""

    name = "ov.reduce_logical_or"
    SOURCES: ClassVar = Sources(openvino=("ReduceLogicalOr", 1))

    def bounds(self, x: Interval, axes: tuple[int, ...], keep: bool) -> Interval:
        lo, hi = (np.asarray(np.max(side, axis=axes, keepdims=keep, initial=0), object) for side in x)
        return lo, hi

    def reduced(self, x: np.ndarray, axes: tuple[int, ...], keep: bool) -> np.ndarray:
        return np.logical_or.reduce(x, axes, keepdims=keep)


@irdl_op_definition
class ReduceL1Op(ReductionOp):
    """The sum of the magnitudes; of nothing 0. OpenVINO ReduceL1-4, ONNX ReduceL1-18.

    Without axes the result is `data` itself, as for all reductions, not its magnitudes.
    """

    name = "ov.reduce_l1"
    SOURCES: ClassVar = Sources(openvino=("ReduceL1", 4))

    def reduced(self, x: np.ndarray, axes: tuple[int, ...], keep: bool) -> np.ndarray:
        return _sum(np.abs(wide(x)), axes, keep)


@irdl_op_definition
class ReduceL2Op(ReductionOp):
    """Square root of the sum of the squares; 0 without elements.

    OpenVINO ReduceL2-4, ONNX ReduceL2-18.

    For integers, the root of the (wrapping) sum is computed in double precision and rounded towards zero; NaN becomes 0.
    Without axes the result is `data` itself.
    """

    name = "ov.reduce_l2"
    SOURCES: ClassVar = Sources(openvino=("ReduceL2", 4))

    def reduced(self, x: np.ndarray, axes: tuple[int, ...], keep: bool) -> np.ndarray:
        total = _sum(np.square(_exact(x)), axes, keep)
        if is_integer_dtype(x.dtype):
            return truncated_to(np.sqrt(total.astype(np.float64)), x.dtype)
        return np.sqrt(total)


def _extreme(
    function: Callable[..., np.ndarray], x: Interval, axes: tuple[int, ...], keep: bool
) -> Interval | None:
    if any(x[0].shape[a] == 0 for a in axes):
        # Of nothing: the limit of the type, which evaluation gives.
        return None
    lo, hi = (np.asarray(function(side, axis=axes, keepdims=keep), object) for side in x)
    return lo, hi


def _exact(x: np.ndarray) -> np.ndarray:
    """Integers in 64 bits, f16 and bf16 as f32."""
    if is_integer_dtype(x.dtype):
        return as_type(x, np.uint64 if x.dtype.kind == "u" else np.int64)
    return wide(x)


def _sum(x: np.ndarray, axes: tuple[int, ...], keep: bool) -> np.ndarray:
    return _joined(np.add, x, axes, keep)


def _joined(join: np.ufunc, x: np.ndarray, axes: tuple[int, ...], keep: bool) -> np.ndarray:
    """The elements along axes joined in their own type.

    How numpy groups floats depends on how they lie in memory: here they are rows, so that the result does not depend on where the axes
    are, as long as they stay in their order.
    """
    if is_integer_dtype(x.dtype):
        return np.asarray(join.reduce(x, axes, dtype=x.dtype, keepdims=keep))
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    extents = [x.shape[axis] for axis in kept]
    claim(x.shape, x.dtype)
    rows = np.ascontiguousarray(x.transpose([*kept, *sorted(axes)]))
    rows = rows.reshape([*extents, math.prod(x.shape[axis] for axis in axes)])
    shape = [1 if axis in axes else x.shape[axis] for axis in range(x.ndim)] if keep else extents
    return np.asarray(join.reduce(rows, -1, dtype=x.dtype)).reshape(shape)


class CumulativeOp(OvOperation, ABC):
    """Common base of cumulative operations.

    The result has the shape of data; the axis is one number.
    """

    LAYOUT: ClassVar[Layout | None] = AnyOrder(axes=1)

    FUNCTION: ClassVar[np.ufunc]
    """Function that combines two elements."""

    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def(TENSOR)
    axis = operand_def(TENSOR)
    exclusive = prop_def(BoolAttr, default_value=FALSE)
    reverse = prop_def(BoolAttr, default_value=FALSE)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("axis"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, axis = facts
        check_element(data, "data", is_number, "a number")
        _ = axis_from(axis, data.rank)
        return [Fact(data.element, data.shape)]

    def evaluate(self, data: np.ndarray, axis: np.ndarray) -> np.ndarray:
        at = normalise_axis(int(axis.reshape(-1)[0]), data.ndim)
        x = np.moveaxis(wide(data), at, 0)
        if to_bool(self.reverse):
            x = x[::-1]
        made = self.FUNCTION.accumulate(x, axis=0, dtype=x.dtype)
        if to_bool(self.exclusive) and len(made):
            first = np.full_like(made[:1], self.FUNCTION.identity)
            made = np.concatenate([first, made[:-1]])
        if to_bool(self.reverse):
            made = made[::-1]
        return np.moveaxis(made, 0, at).astype(data.dtype)


@irdl_op_definition
class CumSumOp(CumulativeOp):
    """Cumulative sum along an axis. OpenVINO CumSum-3; ONNX CumSum.

    Each result is the sum of the elements up to its position. With `exclusive` it does not include the element itself (the
    first is 0), with `reverse` it accumulates from the end to the front. Sums of f16 and bf16 are kept in f32, integers wrap
    around. Errors: `axis-range`, `operand-rank`, `element-type`.
    """

    name = "ov.cum_sum"
    FUNCTION: ClassVar = np.add


@irdl_op_definition
class CumProdOp(CumulativeOp):
    """Cumulative product along an axis. ONNX CumProd.

    Each result is the product of the elements up to its position. With `exclusive` it does not include the element itself (the
    first is 1), with `reverse` it accumulates from the end to the front. Products of f16 and bf16 are kept in f32, integers wrap
    around. Errors: `axis-range`, `operand-rank`, `element-type`.
    """

    name = "ov.cum_prod"
    FUNCTION: ClassVar = np.multiply
