"""Operations that put tensors together: Concat, Tile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import IntegerAttr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def, var_operand_def

from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import UNBOUNDED_HIGH, Dim, Fact
from loomir.dialects.ov.layouts import AnyOrder, Layout
from loomir.dialects.ov.parameters import dimensions, intervals
from loomir.dialects.ov.shape_rules import normalise_axis, same_element
from loomir.dialects.ov.sources import Sources
from loomir.dialects.speculation import FailsOnContents, FailsOnShapes
from loomir.dialects.tensors import TENSOR
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
