"""Joining of tensors, and splitting along an axis.

Concat and Tile put tensors together; Split and VariadicSplit cut a tensor into parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import IntegerAttr
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)

from loomir.dialects.element_types import TENSOR
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import UNBOUNDED_HIGH, Dim, Fact
from loomir.dialects.ov.inference import Interval, axis_from, dimensions, intervals, length
from loomir.dialects.ov.interfaces import AnyOrder, Layout, Sources
from loomir.dialects.ov.shape_rules import normalise_axis, same_element
from loomir.dialects.speculation import FailsOnContents, FailsOnShapes
from loomir.errors import Error


@irdl_op_definition
class ConcatOp(OvOperation):
    """Tensors one behind the other along `axis`: OpenVINO Concat-1; ONNX Concat.

    At least one operand, all of one element type and rank (1 or more), equal in all dimensions but `axis`,
    which may be negative. Errors: `concat-shape` (none given, other ranks or extents), `axis-range`,
    `element-types-differ`; when run, `runtime-shape`.
    """

    LAYOUT: ClassVar[Layout | None] = AnyOrder((-1,), axis="axis")

    name = "ov.concat"
    SOURCES: ClassVar = Sources(openvino=("Concat", 0))
    MOVES: ClassVar[tuple[int, ...]] = (-1,)

    inputs = var_operand_def(TENSOR)
    axis = prop_def(IntegerAttr)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnShapes())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        if not facts:
            raise Error("concat-shape", "concat has no operands")
        same_element(facts, [f"input {i}" for i in range(len(facts))])
        ranks = {fact.rank for fact in facts if fact.rank is not None}
        if len(ranks) > 1:
            raise Error("concat-shape", f"the inputs have different ranks {sorted(ranks)}")
        if not ranks:
            return [Fact(facts[0].element, None)]
        rank = ranks.pop()
        axis = normalise_axis(to_int(self.axis), rank)
        extents = [Dim()] * rank
        total = Dim(0, 0)
        for index, fact in enumerate(facts):
            shape = (Dim(),) * rank if fact.shape is None else fact.shape
            total = total + shape[axis]
            for i, extent in enumerate(shape):
                if i == axis:
                    continue
                met = extents[i].meet(extent)
                if met is None:
                    raise Error(
                        "concat-shape",
                        f"input {index} has extent {extent} in dimension {i}, others {extents[i]}",
                    )
                extents[i] = met
        extents[axis] = total
        return [Fact(facts[0].element, tuple(extents))]

    def evaluate(self, *inputs: np.ndarray) -> np.ndarray:
        rank = inputs[0].ndim
        axis = normalise_axis(to_int(self.axis), rank)
        rests = {a.shape[:axis] + a.shape[axis + 1 :] for a in inputs}
        if len(rests) > 1 or any(a.ndim != rank for a in inputs):
            raise Error(
                "runtime-shape",
                f"tensors of shapes {[list(a.shape) for a in inputs]} cannot be joined on {axis}",
            )
        return np.concatenate(inputs, axis)


@irdl_op_definition
class TileOp(OvOperation):
    """A tensor repeated along its axes: OpenVINO Tile-0; ONNX Tile-6 and later.

    `repeats` (1-D integers, none negative) says how often each axis is repeated; the shorter of `repeats` and
    the shape of `data` is padded with ones at the front. Errors: `tile-repeats` (a negative number); when
    run, `runtime-shape`.
    """

    LAYOUT: ClassVar[Layout | None] = AnyOrder(per_axis=(1,))

    name = "ov.tile"
    SOURCES: ClassVar = Sources(openvino=("Tile", 0))
    MOVES: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def(TENSOR)
    repeats = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(FailsOnContents("repeats"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        repeats = intervals(facts[1], "repeats")
        n = dimensions(facts[1])
        if data.shape is None or n is None:
            return [Fact(data.element, None)]
        rank = max(len(data.shape), n)
        shape = (Dim(1, 1),) * (rank - len(data.shape)) + data.shape
        times = [Dim()] * n
        if repeats is not None:
            for index, (_, hi) in enumerate(repeats):
                if hi < 0:
                    raise Error("tile-repeats", f"repeats[{index}] is {hi}")
            times = [Dim(max(lo, 0), None if hi == UNBOUNDED_HIGH else hi) for lo, hi in repeats]
        times = [Dim(1, 1)] * (rank - n) + times
        return [Fact(data.element, tuple(d * t for d, t in zip(shape, times)))]

    def evaluate(self, data: np.ndarray, repeats: np.ndarray) -> np.ndarray:
        times = [int(n) for n in repeats.reshape(-1)]
        if min(times, default=0) < 0:
            raise Error("runtime-shape", f"a tensor cannot be repeated {times} times")
        return np.tile(data, times)


@irdl_op_definition
class SplitOp(OvOperation):
    """Division of an axis into `num_splits` equal parts.

    OpenVINO Split-1; ONNX Split without sizes.

    `axis` is a scalar. Errors: `split-size` (it does not divide the extent, or is below 1), `axis-range`;
    when run, `runtime-shape`.
    """

    LAYOUT: ClassVar[Layout | None] = AnyOrder(axes=1)

    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)
    name = "ov.split"
    SOURCES: ClassVar = Sources(openvino=("Split", 1))
    MOVES: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def(TENSOR)
    axis = operand_def(TENSOR)
    num_splits = prop_def(IntegerAttr)
    outputs = var_result_def(TENSOR)
    traits = traits_def(FailsOnContents("axis"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        parts = to_int(self.num_splits)
        if parts < 1:
            raise Error("split-size", f"num_splits is {parts}")
        if parts != len(self.outputs):
            raise Error("split-size", f"num_splits is {parts}, but there are {len(self.outputs)} results")
        axis = axis_from(facts[1], data.rank)
        if data.shape is None:
            return [Fact(data.element, None)] * parts
        if axis is None:
            shape = tuple(Dim(0, d.hi) for d in data.shape)
        else:
            extent = data.shape[axis]
            if extent.static is not None and extent.static % parts:
                raise Error("split-size", f"{parts} parts do not divide the extent {extent} of axis {axis}")
            part = (
                Dim(-(-extent.lo // parts), None if extent.hi is None else extent.hi // parts)
                if (extent.hi is None or extent.hi // parts >= -(-extent.lo // parts))
                else Dim()
            )
            shape = (*data.shape[:axis], part, *data.shape[axis + 1 :])
        return [Fact(data.element, shape)] * parts

    def evaluate(self, data: np.ndarray, axis: np.ndarray) -> tuple[np.ndarray, ...]:
        at = normalise_axis(int(axis.reshape(-1)[0]), data.ndim)
        parts = to_int(self.num_splits)
        if data.shape[at] % parts:
            raise Error("runtime-shape", f"{parts} parts do not divide the extent {data.shape[at]}")
        return _cut_into(data, at, [data.shape[at] // parts] * parts)


@irdl_op_definition
class VariadicSplitOp(OvOperation):
    """Division of an axis into parts of given sizes.

    OpenVINO VariadicSplit-1; ONNX Split with sizes.

    `split_lengths` (1-D integers) holds one size per result; one of them may be -1: the rest that the others leave.
    Errors: `split-size` (the sizes do not add up to the extent, several -1), `axis-range`; when run,
    `runtime-shape`.
    """

    LAYOUT: ClassVar[Layout | None] = AnyOrder(axes=1)

    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)
    name = "ov.variadic_split"
    SOURCES: ClassVar = Sources(openvino=("VariadicSplit", 1))
    MOVES: ClassVar[tuple[int, ...]] = (0,)

    data = operand_def(TENSOR)
    axis = operand_def(TENSOR)
    split_lengths = operand_def(TENSOR)
    outputs = var_result_def(TENSOR)
    traits = traits_def(FailsOnContents("axis", "split_lengths"))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data = facts[0]
        parts = len(self.outputs)
        axis = axis_from(facts[1], data.rank)
        sizes = intervals(facts[2], "split_lengths", 1)
        n = length(facts[2])
        if n is not None and n != parts:
            raise Error("split-size", f"split_lengths has {n} elements, but there are {parts} results")
        if data.shape is None:
            return [Fact(data.element, None)] * parts
        if axis is None:
            return [Fact(data.element, tuple(Dim(0, d.hi) for d in data.shape))] * parts
        extents = [Dim(0, data.shape[axis].hi)] * parts if sizes is None else _parts(sizes, data.shape[axis])
        return [Fact(data.element, (*data.shape[:axis], e, *data.shape[axis + 1 :])) for e in extents]

    def evaluate(
        self, data: np.ndarray, axis: np.ndarray, split_lengths: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        at = normalise_axis(int(axis.reshape(-1)[0]), data.ndim)
        sizes = [int(n) for n in split_lengths]
        extent = data.shape[at]
        if sizes.count(-1) == 1:
            sizes[sizes.index(-1)] = extent - sum(n for n in sizes if n != -1)
        if min(sizes, default=0) < 0 or sum(sizes) != extent:
            raise Error(
                "runtime-shape",
                f"parts of {[int(n) for n in split_lengths]} do not make up {extent} elements",
            )
        return _cut_into(data, at, sizes)


def _parts(sizes: Sequence[Interval], whole: Dim) -> list[Dim]:
    extents: list[Dim] = []
    rest: list[int] = []
    for index, (lo, hi) in enumerate(sizes):
        if hi < -1:
            raise Error("split-size", f"split length {index} is {hi}")
        if lo == hi == -1:
            rest.append(index)
        extents.append(Dim(0, whole.hi) if lo < 0 else Dim(lo, hi))
    if len(rest) > 1:
        raise Error("split-size", f"split_lengths has -1 at {rest[0]} and {rest[1]}")
    if any(lo < 0 and lo != hi for lo, hi in sizes):
        return extents
    others = Dim(0, 0)
    for index, extent in enumerate(extents):
        if index not in rest:
            others = others + extent
    if (whole.hi is not None and others.lo > whole.hi) or (not rest and whole.meet(others) is None):
        raise Error("split-size", f"parts of {others} elements do not make up an axis of extent {whole}")
    if rest:
        low = 0 if others.hi is None else max(0, whole.lo - others.hi)
        extents[rest[0]] = Dim(low, None if whole.hi is None else whole.hi - others.lo)
    return extents


def _cut_into(data: np.ndarray, axis: int, sizes: list[int]) -> tuple[np.ndarray, ...]:
    parts: list[np.ndarray] = []
    first = 0
    for size in sizes:
        parts.append(data[(slice(None),) * axis + (slice(first, first + size),)])
        first += size
    return tuple(parts)
