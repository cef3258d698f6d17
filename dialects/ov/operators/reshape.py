"""Operations that change or read a tensor's shape.

Reshape, Squeeze, Unsqueeze and Transpose change it, ShapeOf reads it.

The result shapes of Reshape and Squeeze are computed before the operation runs (by intervals) and when it runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import reduce
from itertools import combinations
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import BoolAttr, TensorType
from xdsl.ir import Attribute, TypeAttribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)

from loomir.dialects.element_types import TENSOR, dtype_of, i64
from loomir.dialects.ov.attributes import check_index_type, to_bool
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import CONTENT_LIMIT, MAX_RANK, Dim, Fact, Shape, dim
from loomir.dialects.ov.inference import Interval, dimensions, integers, intervals
from loomir.dialects.ov.interfaces import Sources
from loomir.dialects.ov.shape_rules import ONE, count, join_all, normalise_axes
from loomir.dialects.speculation import FailsOnContents, FailsOnShapes
from loomir.errors import Error


def reshaped_to_any(data: Fact, shape: Fact) -> Fact:
    """Return the result of a Reshape to a shape of unknown contents.

    Only the length of the shape, or an upper bound of it, is known.

    Error: `reshape-size`.
    """
    most = None if shape.shape is None or not shape.shape else shape.shape[0].hi
    if (n := dimensions(shape)) is not None:
        return Fact(data.element, _refined(data, (Dim(),) * n))
    if shape.shape is None or most is None or most > MAX_RANK:
        return Fact(data.element, None)
    shapes: list[Shape] = []
    for rank in range(shape.shape[0].lo, most + 1):
        with suppress(Error):  # the number of elements does not fit this rank
            shapes.append(_refined(data, (Dim(),) * rank))
    return Fact.of_shapes(data.element, shapes)


def reshaped(data: Fact, pattern: Sequence[Interval], *, special_zero: bool) -> Shape:
    """Return the extents of a Reshape to a shape with element bounds.

    Errors: `reshape-pattern`, `reshape-size`.
    """
    extents: list[Dim] = []
    inferred: int | None = None
    copied: set[int] = set()
    for index, (lo, hi) in enumerate(pattern):
        if hi < -1:
            raise Error("reshape-pattern", f"element {index} of the wanted shape is {hi}")
        if lo == hi == -1:
            if inferred is not None:
                raise Error("reshape-pattern", f"the wanted shape has -1 at both {inferred} and {index}")
            inferred = index
            extents.append(Dim())
            continue
        extent = Dim() if lo < 0 else Dim(lo, hi)
        if special_zero and lo <= 0 <= hi:
            if data.shape is not None and index >= len(data.shape):
                if lo == hi:
                    raise Error(
                        "reshape-pattern",
                        f"element {index} of the wanted shape is 0, but data has rank {len(data.shape)}",
                    )
                copy = Dim()
            else:
                copy = Dim() if data.shape is None else data.shape[index]
            if lo == hi:
                copied.add(index)
                extent = copy
            else:
                extent = extent.join(copy)
        extents.append(extent)
    if inferred is not None and data.shape is not None:
        rest = _without(data, copied)
        others = count(d for i, d in enumerate(extents) if i != inferred and i not in copied)
        extents[inferred] = _quotient(rest, others)
    unsure = any(lo <= -1 <= hi and lo != hi for lo, hi in pattern)
    if inferred is None and not unsure and data.shape is not None:
        # Copied extents are the same number on both sides, known or not.
        rest = _without(data, copied)
        least = prod(d.lo for i, d in enumerate(extents) if i not in copied)
        if rest.hi is not None and least > rest.hi:
            raise Error("reshape-size", f"data has {rest} elements, the wanted shape {least} or more")
        wanted = count(d for i, d in enumerate(extents) if i not in copied)
        if rest.meet(wanted) is None and not _may_be_zero(data.shape, copied):
            raise Error("reshape-size", f"data has {rest} elements, the wanted shape {wanted}")
    return _refined(data, tuple(extents))


def _refined(data: Fact, extents: Shape) -> Shape:
    """Narrow extents by the number of elements, which stays the same."""
    if data.shape is None:
        return extents
    total = data.elements
    if total.lo < 1 or total.hi is None:
        return extents
    # Every extent is at least 1, and at most the number of elements divided by the others.
    floors = [max(1, d.lo) for d in extents]
    product = 1
    for floor in floors:
        product *= floor
    narrowed: list[Dim] = []
    for extent, floor in zip(extents, floors):
        bound = total.hi // (product // floor)
        met = extent.meet(Dim(1, bound)) if bound >= 1 else None
        if met is None:
            raise Error(
                "reshape-size",
                f"data has {total} elements, which do not fit a shape with an extent {extent}",
            )
        narrowed.append(met)
    open_ = [i for i, d in enumerate(narrowed) if d.static is None]
    if len(open_) == 1 and total.static is not None:
        others = 1
        for i, d in enumerate(narrowed):
            if i != open_[0]:
                others *= d.lo
        if total.lo % others:
            raise Error("reshape-size", f"data has {total} elements, which {others} does not divide")
        narrowed[open_[0]] = dim(total.lo // others)
    return tuple(narrowed)


def _without(data: Fact, copied: set[int]) -> Dim:
    """Return the product of the extents that are not copied.

    If none is copied, it is the number of elements.
    """
    if data.shape is None or not copied:
        return data.elements
    return count(d for i, d in enumerate(data.shape) if i not in copied)


def _may_be_zero(shape: Shape, copied: set[int]) -> bool:
    return any(shape[i].lo == 0 for i in copied)


def _quotient(total: Dim, others: Dim) -> Dim:
    """Return the extents e with e · others = total.

    Raises `Error("reshape-size")` if there is none.
    """
    if total.static is not None and others.static is not None:
        if others.lo == 0:
            return Dim(0, 0)
        if total.lo % others.lo:
            raise Error("reshape-size", f"data has {total} elements, which {others} does not divide")
        return dim(total.lo // others.lo)
    hi = None if total.hi is None else total.hi // max(1, others.lo)
    # ceil(lo / others.hi); where the others may be 0 the result may be 0.
    lo = 0 if others.hi is None or others.lo == 0 else -(-total.lo // others.hi)
    if hi is not None and lo > hi:
        raise Error("reshape-size", f"data has {total} elements, which {others} does not divide")
    return Dim(lo, hi)


def reshaped_extents(data: tuple[int, ...], pattern: list[int], special_zero: bool) -> list[int]:
    """Return the shape that a reshape pattern yields for the data shape.

    Raises `Error("runtime-shape")` if the pattern does not fit.
    """
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


_MAX_UNSURE = 6
"""Maximum number of extents that may or may not be 1.

If there are more, it is only known that some are dropped.
"""


def without_ones(element: Attribute, shape: Shape) -> Fact:
    """Return a fact for the shape with its extents of 1 removed.

    If some extents may or may not be 1, the fact joins the shapes of all possible ranks.
    """
    unsure = [k for k, d in enumerate(shape) if d.static is None and d.meet(ONE) is not None]
    if len(unsure) > _MAX_UNSURE:
        return Fact(element, None)
    facts = [
        Fact(element, tuple(d for k, d in enumerate(shape) if d.static != 1 and k not in gone))
        for count in range(len(unsure) + 1)
        for gone in combinations(unsure, count)
    ]
    return reduce(Fact.join, facts)


@irdl_op_definition
class ReshapeOp(OvOperation):
    """The same elements in another shape.

    OpenVINO Reshape-1; ONNX Reshape (`special_zero` = not `allowzero`).

    `shape` (1-D integers) is the target shape. An element -1, at most one, is the extent that keeps the number of elements.
    With `special_zero`, an element 0 copies the extent of `data` at the same place; copied extents take no part in computing
    the -1, so that `[0, 3]` to `[0, -1]` is `[0, 3]`. A -1 beside other extents whose product is 0 is 0.

    Errors: `reshape-pattern` (an element below -1, two -1, a 0 beyond the rank of data), `reshape-size` (the
    number of elements changes); when run, `runtime-shape`.
    """

    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)
    name = "ov.reshape"
    SOURCES: ClassVar = Sources(openvino=("Reshape", 1))
    MOVES: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def(TENSOR)
    shape = operand_def(TENSOR)
    special_zero = prop_def(BoolAttr, default_value=BoolAttr.from_bool(False))
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("shape"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, shape = facts
        pattern = intervals(shape, "shape", 1)
        if pattern is None:
            return [reshaped_to_any(data, shape)]
        return [Fact(data.element, reshaped(data, pattern, special_zero=to_bool(self.special_zero)))]

    def evaluate(self, data: np.ndarray, shape: np.ndarray) -> np.ndarray:
        return data.reshape(reshaped_extents(data.shape, [int(v) for v in shape], to_bool(self.special_zero)))


@irdl_op_definition
class SqueezeOp(OvOperation):
    """Removal of dimensions of extent 1.

    OpenVINO Squeeze-15 (and 0); ONNX Squeeze (all versions).

    `axes` (scalar or 1-D integers, may be negative) names the dimensions; absent or empty: all that are 1. A named dimension
    that is not 1 is kept (OpenVINO), or, with `strict`, is an error (ONNX). A named dimension of unknown extent that may be 1
    is assumed to be 1, with a run-time error if it is not, unless `allow_axis_skip` is set: then the rank is unknown.

    Errors: `axis-range`, `axis-twice`, `squeeze-extent` (`strict` and not 1); when run, `runtime-shape`.
    """

    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)
    name = "ov.squeeze"
    SOURCES: ClassVar = Sources(openvino=("Squeeze", 0, 15), own=("strict",))
    MOVES: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def(TENSOR)
    axes = opt_operand_def(TENSOR)
    allow_axis_skip = opt_prop_def(BoolAttr)
    strict = opt_prop_def(BoolAttr)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("axes"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        axes = integers(facts[1], "axes") if len(facts) > 1 else []
        if data.shape is None:
            return [Fact(data.element, None)]
        if axes is None:
            n = dimensions(facts[1])
            if to_bool(self.strict, False) and n:
                return [Fact(data.element, (join_all(data.shape),) * max(0, len(data.shape) - n))]
            return [Fact(data.element, None)]
        if not axes:
            return [without_ones(data.element, data.shape)]
        named = set(normalise_axes(axes, len(data.shape)))
        kept: list[Dim] = []
        for index, extent in enumerate(data.shape):
            possible = extent.meet(Dim(1, 1)) is not None
            if index not in named or not possible:
                if index in named and to_bool(self.strict, False):
                    raise Error("squeeze-extent", f"dimension {index} has extent {extent}, not 1")
                kept.append(extent)
            elif (
                extent.static is None
                and to_bool(self.allow_axis_skip, False)
                and not to_bool(self.strict, False)
            ):
                return [Fact(data.element, None)]
        return [Fact(data.element, tuple(kept))]

    def evaluate(self, data: np.ndarray, axes: np.ndarray | None = None) -> np.ndarray:
        named = [] if axes is None else normalise_axes(axes.reshape(-1), data.ndim)
        ones = {i for i, extent in enumerate(data.shape) if extent == 1}
        dropped = ones.intersection(named) if named else ones
        shape = [extent for i, extent in enumerate(data.shape) if i not in dropped]
        declared = self.output.type
        wrong_rank = isinstance(declared, TensorType) and len(declared.get_shape()) != len(shape)
        if wrong_rank or (to_bool(self.strict, False) and len(dropped) < len(named)):
            raise Error(
                "runtime-shape", f"data of shape {list(data.shape)} cannot be squeezed on axes {named}"
            )
        return data.reshape(shape)


@irdl_op_definition
class UnsqueezeOp(OvOperation):
    """Insert dimensions of extent 1: OpenVINO Unsqueeze-0; ONNX Unsqueeze (all versions).

    `axes` (scalar or 1-D integers, may be negative) are their places in the result. Errors: `axis-range`,
    `axis-twice`.
    """

    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)
    name = "ov.unsqueeze"
    SOURCES: ClassVar = Sources(openvino=("Unsqueeze", 0))
    MOVES: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def(TENSOR)
    axes = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("axes"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        axes = integers(facts[1], "axes")
        if data.shape is None:
            return [Fact(data.element, None)]
        if axes is None:
            n = dimensions(facts[1])
            if n is None:
                return [Fact(data.element, None)]
            any_of = join_all((*data.shape, Dim(1, 1)))
            return [Fact(data.element, (any_of,) * (len(data.shape) + n))]
        rank = len(data.shape) + len(axes)
        new = set(normalise_axes(axes, rank))
        rest = iter(data.shape)
        return [Fact(data.element, tuple(Dim(1, 1) if i in new else next(rest) for i in range(rank)))]

    def evaluate(self, data: np.ndarray, axes: np.ndarray) -> np.ndarray:
        rank = data.ndim + axes.size
        new = set(normalise_axes(axes.reshape(-1), rank))
        rest = iter(data.shape)
        return data.reshape([1 if i in new else next(rest) for i in range(rank)])


@irdl_op_definition
class TransposeOp(OvOperation):
    """Permute dimensions: OpenVINO Transpose-1; ONNX Transpose.

    Dimension `i` of the result is dimension `input_order[i]` of `arg`; an empty order reverses them. Errors:
    `transpose-order` (not a permutation).
    """

    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)
    name = "ov.transpose"
    SOURCES: ClassVar = Sources(openvino=("Transpose", 1))
    MOVES: ClassVar[tuple[int, ...]] = (0,)

    arg = operand_def(TENSOR)
    input_order = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("input_order"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        order = integers(facts[1], "input_order", 1)
        shape = data.shape
        if order is None:
            n = dimensions(facts[1])
            if shape is None and not n:
                return [Fact(data.element, None)]
            if shape is None:
                return [Fact(data.element, (Dim(),) * (n or 0))]
            if n == 0:
                return [Fact(data.element, shape[::-1])]
            return [Fact(data.element, (join_all(shape),) * len(shape))]
        if shape is None:
            if order and sorted(order) != list(range(len(order))):
                raise Error("transpose-order", f"{order} is not a permutation")
            return [Fact(data.element, (Dim(),) * len(order) if order else None)]
        return [Fact(data.element, tuple(shape[i] for i in transpose_order(order, len(shape))))]

    def evaluate(self, arg: np.ndarray, input_order: np.ndarray) -> np.ndarray:
        return arg.transpose(transpose_order([int(v) for v in input_order], arg.ndim))


def transpose_order(order: Sequence[int], rank: int) -> list[int]:
    """Return the permutation that an order specifies for a rank.

    Raises `Error("transpose-order")` if the order is no permutation.
    """
    if not order:
        return list(range(rank))[::-1]
    if sorted(order) != list(range(rank)):
        raise Error("transpose-order", f"{list(order)} is not a permutation of {rank} dimensions")
    return list(order)


@irdl_op_definition
class ShapeOfOp(OvOperation):
    """Shape of a tensor as a 1-D tensor. OpenVINO ShapeOf-3; ONNX Shape.

    (The `start` and `end` of ONNX Shape become a Slice behind it.)

    `output_type`: i64 (default) or i32. An extent beyond 32 bits (beside a 0) is their limit. Error: `element-type`
    (another output type).
    """

    name = "ov.shape_of"
    SOURCES: ClassVar = Sources(openvino=("ShapeOf", 0, 3))
    CARRIES: ClassVar[tuple[int, ...] | None] = (0,)

    data = operand_def(TENSOR)
    output_type = prop_def(TypeAttribute, default_value=i64)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        element = check_index_type(self.output_type, "output_type")
        shape = facts[0].shape
        if shape is None:
            return [Fact(element, (Dim(),))]
        if len(shape) > CONTENT_LIMIT:
            return [Fact(element, (dim(len(shape)),))]
        highest = int(np.iinfo(dtype_of(element)).max)
        lo = [min(d.lo, highest) for d in shape]
        hi = [highest if d.hi is None else min(d.hi, highest) for d in shape]
        return [Fact.of_ints(element, np.array(lo, np.int64), np.array(hi, np.int64))]

    def evaluate(self, data: np.ndarray) -> np.ndarray:
        dtype = dtype_of(self.output_type)
        return np.minimum(data.shape, np.iinfo(dtype).max).astype(dtype)
