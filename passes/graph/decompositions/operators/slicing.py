"""StridedSlice from Slice, Squeeze and Unsqueeze."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.ov.facts import UNBOUNDED_HIGH, UNBOUNDED_LOW
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import EqualOp, GreaterOp, SelectOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import SqueezeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp, SlicingStep, StridedSliceOp
from loomir.dialects.ov.parameters import length
from loomir.errors import Error
from loomir.passes.graph.decompositions import decomposes


@decomposes(StridedSliceOp)
def strided_slice(op: StridedSliceOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Decompose to a Slice, a Squeeze and an Unsqueeze.

    The Slice cuts axes, the Squeeze removes the shrunk ones, and the Unsqueeze inserts the new ones.

    Error: `unknown-rank` if the rank of data or the number of parameters is not known.
    """
    parameters = [v for v in (op.begin, op.end, op.strides) if v is not None]
    places = next((n for v in parameters if (n := length(build.fact(v))) is not None), None)
    rank = build.fact(op.data).rank
    if places is None or rank is None:
        raise Error(
            "unknown-rank",
            "the rank of data, or the number of axes that are sliced, is not known",
            hint="fix the shapes of the inputs",
        )
    plan = op.plan(rank, places)
    value = _sliced(op, build, [s for s in plan if s.kind in ("slice", "shrink")])
    shrunk = [s.axis for s in plan if s.kind == "shrink"]
    if shrunk:
        value = build.make(SqueezeOp, value, build.integers(shrunk), attributes={"strict": True})
    new = [i for i, s in enumerate(s for s in plan if s.kind != "shrink") if s.kind == "new"]
    return [build.make(UnsqueezeOp, value, build.integers(new)) if new else value]


def _sliced(op: StridedSliceOp, build: GraphBuilder, steps: list[SlicingStep]) -> SSAValue:
    if not steps:
        return op.data
    known = _known_positions(op, build, steps)
    if known is not None:
        return build.make(
            SliceOp, op.data, *(build.integers(v) for v in known), build.integers([s.axis for s in steps])
        )
    wanted = build.integers([s.index for s in steps])

    def parameter(value: SSAValue | None) -> SSAValue:
        if value is None:
            return build.integers([1] * len(steps))
        picked = build.make(GatherOp, value, wanted, build.scalar(0, i64))
        return build.make(ConvertOp, picked, attributes={"destination_type": i64})

    begin, end, strides = parameter(op.begin), parameter(op.end), parameter(op.strides)
    shrunk = np.array([s.kind == "shrink" for s in steps])
    if shrunk.any():
        # The element at begin alone: up to begin + 1, which for the last one, -1, is no position but the end.
        ones = build.integers([1] * len(steps))
        behind = build.make(AddOp, begin, ones)
        last = build.make(EqualOp, begin, build.integers([-1]))
        behind = build.make(SelectOp, last, build.integers([UNBOUNDED_HIGH]), behind)
        mask = build.constant(shrunk)
        end, strides = build.make(SelectOp, mask, behind, end), build.make(SelectOp, mask, ones, strides)
    begin = _bordered(op, build, steps, begin, strides, first=True)
    end = _bordered(op, build, steps, end, strides, first=False)
    return build.make(SliceOp, op.data, begin, end, strides, build.integers([s.axis for s in steps]))


def _known_positions(
    op: StridedSliceOp, build: GraphBuilder, steps: list[SlicingStep]
) -> tuple[list[int], list[int], list[int]] | None:
    """Begin, end and stride of each step where the parameters are constants."""
    values = [None if v is None else build.fact(v).value for v in (op.begin, op.end, op.strides)]
    if values[0] is None or values[1] is None or (values[2] is None and op.strides is not None):
        return None
    begins: list[int] = []
    ends: list[int] = []
    strides: list[int] = []
    for step in steps:
        begin, end = int(values[0][step.index]), int(values[1][step.index])
        stride = 1 if values[2] is None else int(values[2][step.index])
        if step.kind == "shrink":
            # The element at begin alone; behind the last one, -1, there is no position but the end.
            end, stride = begin + 1 if begin != -1 else UNBOUNDED_HIGH, 1
        else:
            first = op.border(step.index, (stride, stride), first=True)
            last = op.border(step.index, (stride, stride), first=False)
            begin, end = begin if first is None else first[0], end if last is None else last[0]
        begins.append(begin)
        ends.append(end)
        strides.append(stride)
    return begins, ends, strides


def _bordered(
    op: StridedSliceOp,
    build: GraphBuilder,
    steps: list[SlicingStep],
    positions: SSAValue,
    strides: SSAValue,
    *,
    first: bool,
) -> SSAValue:
    """Replace positions that a mask sets by the border.

    The border is the one from which (or to which) the stride walks.
    """
    attribute = op.begin_mask if first else op.end_mask
    mask = np.array([s.kind == "slice" and op.masked(attribute, s.index) for s in steps])
    if not mask.any():
        return positions
    forward = build.make(GreaterOp, strides, build.integers([0]))
    low, high = build.integers([UNBOUNDED_LOW]), build.integers([UNBOUNDED_HIGH])
    border = build.make(SelectOp, forward, low if first else high, high if first else low)
    return build.make(SelectOp, build.constant(mask), border, positions)
