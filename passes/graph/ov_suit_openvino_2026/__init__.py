"""`ov-suit-openvino-2026`: works around operations that OpenVINO 2026 computes wrongly.

- Loops (`loops.py`): slices of several elements, of a range, backwards; concatenated values that are longer than 1; carried values that
  become one another; trip counts below -1; loops that may run no iteration.
- Final states of sequences of length 0: they equal the initial states; in OpenVINO 2026, they are zeros.
- Integer quotients that are rounded down: OpenVINO 2026 rounds them towards zero, whatever the value of `m_pythondiv`.
- Remainders of integers: OpenVINO assumes that the remainder of a shape value lies between the remainders of the value's lower and upper
  bound.
- Constants in Slices that do not fit 32 bits: OpenVINO 2026 counts in 32 bits, where the distance of two ends of 64 bits wraps round, or
  crashes it.
- Axes of reductions that are counted from the back: OpenVINO 2026 moves an Unsqueeze behind such a reduction, whose axes then are others.
- Selects of booleans: OpenVINO 2026 refuses a Select of a model input and a computed value, because it holds these booleans in two types.
- Conversions to booleans: OpenVINO 2026 refuses a Convert to booleans of a value that is not the first output of a layer.

docs/semantics.md lists the faults, tests/conformance/openvino_faults.py has a program for each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, ModuleOp, Signedness
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.diagnostics import Located, Remarks
from loomir.dialects.element_types import any_tensor_of, i1
from loomir.dialects.ov.attributes import to_bool, to_str
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.graph_builder import RewriteBuilder
from loomir.dialects.ov.operators.comparison import (
    LessEqualOp,
    LessOp,
    LogicalAndOp,
    LogicalNotOp,
    LogicalOrOp,
    LogicalXorOp,
    NotEqualOp,
    SelectOp,
)
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    FloorModOp,
    ModOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.recurrent import GRUSequenceOp, LSTMSequenceOp, RNNSequenceOp
from loomir.dialects.ov.operators.reduction import ReductionOp
from loomir.dialects.ov.operators.reshape import UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.upstream.rewriting import rewrite
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.graph.ov_suit_openvino_2026.loops import copy_arguments, cut_elsewhere, guard, limit_trips


class RoundDown(RewritePattern):
    """Subtract 1 from a quotient that truncation towards zero rounds up.

    Such a quotient has a non-zero remainder whose sign differs from the divisor's:

    `a / b → q = truncated(a / b), r = a - q * b; r != 0 & (r < 0 ^ b < 0) ? q - 1 : q`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DivideOp, rewriter: PatternRewriter) -> None:
        build = RewriteBuilder.before(op, rewriter)
        element = build.fact(op.a).element
        if (
            not isinstance(element, IntegerType)
            or element.signedness.data == Signedness.UNSIGNED
            or not to_bool(op.m_pythondiv)
        ):
            return
        zero, one = build.scalar(0, element), build.scalar(1, element)
        attributes = {**op.properties, "m_pythondiv": False}
        towards_zero = build.make(DivideOp, op.a, op.b, attributes=attributes)
        remainder = build.make(SubtractOp, op.a, build.make(MultiplyOp, towards_zero, op.b))
        signs = build.make(LogicalXorOp, build.make(LessOp, remainder, zero), build.make(LessOp, op.b, zero))
        up = build.make(LogicalAndOp, build.make(NotEqualOp, remainder, zero), signs)
        less = build.make(SubtractOp, towards_zero, one)
        rewriter.replace(op, [], [build.make(SelectOp, up, less, towards_zero)])


class SubtractMultiples(RewritePattern):
    """Rewrite an integer remainder by a constant as `a - (a / b) * b`.

    For a remainder that rounds down, add `b` where the remainder has the other sign.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ModOp | FloorModOp, rewriter: PatternRewriter) -> None:
        build = RewriteBuilder.before(op, rewriter)
        element = build.fact(op.a).element
        divisor = constant_of(op.b)
        if not isinstance(element, IntegerType) or divisor is None or not divisor.all():
            return
        attributes = {**op.properties, "m_pythondiv": False}
        quotient = build.make(DivideOp, op.a, op.b, attributes=attributes)
        remainder = build.make(SubtractOp, op.a, build.make(MultiplyOp, quotient, op.b))
        if isinstance(op, FloorModOp):
            zero = build.scalar(0, element)
            negative = build.make(LessOp, remainder, zero)
            signs = build.make(LogicalXorOp, negative, build.make(LessOp, op.b, zero))
            other = build.make(LogicalAndOp, build.make(NotEqualOp, remainder, zero), signs)
            remainder = build.make(SelectOp, other, build.make(AddOp, remainder, op.b), remainder)
        rewriter.replace(op, [], [remainder])


_LEAST, _MOST = -(1 << 30), (1 << 31) - 1
"""Positions before and behind every possible element of an axis.

The distance from the first of them to an extent still fits in 32 bits.
"""


class LimitPositions(RewritePattern):
    """Put starts, stops and steps between these: `x[-2^62:5] → x[-2^30:5]`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SliceOp, rewriter: PatternRewriter) -> None:
        build = RewriteBuilder.before(op, rewriter)
        for index in (1, 2, 3):
            array = constant_of(op.operands[index])
            if array is None or array.dtype != np.int64:
                continue
            limited = np.clip(array, _LEAST, _MOST)
            if not np.array_equal(limited, array):
                op.operands[index] = build.constant(limited)


class CountAxes(RewritePattern):
    """Make reduction axes non-negative if the axes and rank are known.

    `reduce(x, [-1]) → reduce(x, [2])`.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReductionOp, rewriter: PatternRewriter) -> None:
        build = RewriteBuilder.before(op, rewriter)
        axes, rank = constant_of(op.axes), build.fact(op.data).rank
        if axes is not None and rank is not None and (axes < 0).any():
            op.operands[1] = build.constant(np.where(axes < 0, axes + rank, axes).astype(axes.dtype))


@dataclass(frozen=True)
class KeepStates(RewritePattern):
    """Select the initial states where a sequence has no steps.

    `y, h = sequence(x, h0, n) → y, h1 = sequence(x, h0, n), h = n <= 0 ? h0 : h1`.
    """

    inference: Inference

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: LSTMSequenceOp | GRUSequenceOp | RNNSequenceOp, rewriter: PatternRewriter
    ) -> None:
        lengths = self.inference.fact(op.sequence_lengths)
        if lengths.bounds is not None and (lengths.bounds[0] > 0).all():
            return
        initial = [op.initial_hidden_state]
        if isinstance(op, LSTMSequenceOp):
            initial.append(op.initial_cell_state)
        read = [(begin, end) for begin, end in zip(initial, op.results[1:]) if end.first_use is not None]
        if not read:
            return
        build = RewriteBuilder(rewriter, InsertPoint.after(op), op.location)
        none = build.make(LessEqualOp, op.sequence_lengths, build.like(0, op.sequence_lengths))
        none = build.make(UnsqueezeOp, none, build.integers([1, 2]))
        for begin, end in read:
            build.put_behind(end, build.make(SelectOp, none, begin, end))


class CompareWithZero(RewritePattern):
    """Say a Convert to booleans of one of several results as `x != 0`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConvertOp, rewriter: PatternRewriter) -> None:
        source = op.data.owner
        if any_tensor_of(op.output).element_type != i1:
            return
        if isinstance(source, Operation) and len(source.results) > 1:
            build = RewriteBuilder.before(op, rewriter)
            rewriter.replace(op, [], [build.make(NotEqualOp, op.data, build.like(0, op.data))])


class SelectBooleans(RewritePattern):
    """Say `c ? a : b` as `c & a | !c & b`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SelectOp, rewriter: PatternRewriter) -> None:
        build = RewriteBuilder.before(op, rewriter)
        if build.fact(op.output).element != i1 or to_str(op.auto_broadcast) != "numpy":
            return
        first = build.make(LogicalAndOp, op.cond, op.then)
        second = build.make(LogicalAndOp, build.make(LogicalNotOp, op.cond), op.else_value)
        rewriter.replace(op, [], [build.make(LogicalOrOp, first, second)])


@dataclass(frozen=True)
class SuitLoop(RewritePattern):
    """Rewrite a loop that OpenVINO 2026 computes wrongly (see `loops.py`)."""

    inference: Inference
    remarks: Remarks

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        known = self.inference.known(op.iteration) is not None
        surely_runs = known and trip_bounds(op, self.inference).lo > 0
        if op.trip is not None:
            limit_trips(op, self.inference.fact(op.trip))
        copy_arguments(op, self.remarks)
        cut_elsewhere(op, self.remarks)
        guard(op, surely_runs, self.remarks)


@dataclass(frozen=True)
class OvSuitOpenvino2026Pass(ModulePass):
    """Works around known faults of OpenVINO 2026's CPU plugin.

    The faults concern loops and integers.

    Before:
    ```mlir
    %r:2 = ov.loop trip(%n) carried(%a, %b) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    ^bb0(%i: tensor<i64>, %p: tensor<2xf32>, %q: tensor<2xf32>):
      ov.next carried(%q, %p : tensor<2xf32>, tensor<2xf32>)
    }
    ```
    After:
    ```mlir
    %run = ov.not_equal %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %r:2 = ov.if %run -> (tensor<2xf32>, tensor<2xf32>) {
      %s:2 = ov.loop trip(%n) carried(%a, %b) : (tensor<i64>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      ^bb0(%i: tensor<i64>, %p: tensor<2xf32>, %q: tensor<2xf32>):
        %never = ov.less %i, %nought : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %x = ov.select %never, %q, %q : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        %y = ov.select %never, %p, %p : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        ov.next carried(%x, %y : tensor<2xf32>, tensor<2xf32>)
      }
      ov.yield %s#0, %s#1 : tensor<2xf32>, tensor<2xf32>
    } else {
      ov.yield %a, %b : tensor<2xf32>, tensor<2xf32>
    }
    ```

    A loop that may run no iteration is put under its own condition, because OpenVINO returns values of the previous call in
    that case; extents of an empty concatenation that only the body decides are 0. A carried value that becomes another one
    is copied, because OpenVINO copies back edges one after another.
    OpenVINO ignores the start of slices, refuses to concatenate values that are longer than 1, and takes a trip count of -5
    for a number of slices: so inputs are sliced before the loop, values are concatenated along an axis of their own, and
    trip counts are at least -1. OpenVINO rounds quotients of integers towards zero whatever the operation specifies,
    crashes on steps of Slices that do not fit 32 bits, and ends sequences of no step in zeros instead of their initial
    states; it refuses some Selects of booleans. Types are expected to be those that `ov-infer` finds.
    """

    name = "ov-suit-openvino-2026"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        remarks, inference = Remarks(self.name), analyses_of(ctx).get(infer, op)
        patterns = (RoundDown(), SubtractMultiples(), CompareWithZero(), LimitPositions(), CountAxes())
        others = (SelectBooleans(), KeepStates(inference), SuitLoop(inference, remarks))
        # What is inside comes before what it is in, which may go.
        rewrite(op, *map(Located, (*patterns, *others)), once=True, backwards=True, regions_first=True)


__all__ = ["OvSuitOpenvino2026Pass"]
