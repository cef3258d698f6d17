"""Simplifications of operations on tensors: identities, booleans, reductions.

- operations that hand on an operand unchanged, and reshapes of reshapes;
- conjunctions, disjunctions and selections of booleans that say the same with less;
- reductions of tensors of which not even the rank is known.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.element_types import set_type, tensor_type_of
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.base import int64_array
from loomir.dialects.ov.canonicalization import canonicalizes
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, PadOp, RangeOp
from loomir.dialects.ov.operators.comparison import LogicalAndOp, LogicalNotOp, LogicalOrOp, SelectOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, DivideOp, MultiplyOp, PowerOp, SubtractOp
from loomir.dialects.ov.operators.joining import ConcatOp, TileOp
from loomir.dialects.ov.operators.reduction import ReductionOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.speculation import speculatable


def constant_of(value: SSAValue) -> np.ndarray | None:
    """The array of a value that an `ov.constant` defines."""
    return value.owner.array if isinstance(value.owner, ConstantOp) else None


def is_static(value: SSAValue) -> bool:
    """Return True if the value has a static shape."""
    return isinstance(value.type, TensorType) and value.type.has_static_shape()


def _unchanged(op: Operation) -> bool:
    """Return True if the result surely exists with the first operand's type.

    The type must be static, and the operation speculatable, so that it cannot fail.
    """
    return op.operands[0].type == op.results[0].type and is_static(op.operands[0]) and speculatable(op)


@canonicalizes(ReshapeOp, SqueezeOp, UnsqueezeOp, BroadcastOp, TileOp)
class SameShape(RewritePattern):
    """`reshape(x) → x` where the shape stays: so for squeeze, unsqueeze, broadcast and tile.

    The parameters are constants, which inference has checked: what the wanted shape is when it runs may be an error.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if _unchanged(op) and all(constant_of(p) is not None for p in op.operands[1:]):
            rewriter.replace(op, [], [op.operands[0]])


@canonicalizes(ConvertOp)
class SameElement(RewritePattern):
    """`convert(x) → x` where the element type stays."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConvertOp, rewriter: PatternRewriter) -> None:
        if op.data.type == op.output.type:
            rewriter.replace(op, [], [op.data])


@canonicalizes(TransposeOp)
class IdentityOrder(RewritePattern):
    """`transpose(x, [0, 1, 2]) → x`, where x is of that rank."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransposeOp, rewriter: PatternRewriter) -> None:
        order = constant_of(op.input_order)
        if order is None or not order.size or not isinstance(op.arg.type, TensorType):
            return
        if np.array_equal(order, np.arange(order.size)):
            rewriter.replace(op, [], [op.arg])


@canonicalizes(ConcatOp)
class SingleOperand(RewritePattern):
    """`concat(x) → x`, where x is of a rank that has the axis."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConcatOp, rewriter: PatternRewriter) -> None:
        if len(op.inputs) == 1 and isinstance(op.inputs[0].type, TensorType):
            rewriter.replace(op, [], op.inputs)


@canonicalizes(PadOp)
class NoPad(RewritePattern):
    """`pad(x, 0, 0) → x`, where x is of that rank."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: PadOp, rewriter: PatternRewriter) -> None:
        begin, end = constant_of(op.pads_begin), constant_of(op.pads_end)
        if not isinstance(op.data.type, TensorType) or begin is None or end is None:
            return
        if not begin.any() and not end.any():
            rewriter.replace(op, [], [op.data])


@canonicalizes(SliceOp)
class WholeSlice(RewritePattern):
    """`slice(x) → x` where every step is forward and no extent changes."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SliceOp, rewriter: PatternRewriter) -> None:
        steps = constant_of(op.step)
        if _unchanged(op) and steps is not None and (steps > 0).all():
            rewriter.replace(op, [], [op.data])


@canonicalizes(ReshapeOp, SqueezeOp, UnsqueezeOp)
class ReshapeOfReshape(RewritePattern):
    """`reshape(reshape(x)) → reshape(x)`, for squeeze and unsqueeze too.

    The last shape must be static, and neither operation may fail.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReshapeOp | SqueezeOp | UnsqueezeOp, rewriter: PatternRewriter) -> None:
        before = op.data.owner
        if not isinstance(before, ReshapeOp | SqueezeOp | UnsqueezeOp) or not is_static(op.output):
            return
        if not (speculatable(before) and speculatable(op)):
            return
        target = ConstantOp.of(np.array(tensor_type_of(op.output).get_shape(), np.int64))
        target.location = op.location
        reshape = ReshapeOp.make(before.data, target.output, attributes={"special_zero": False})
        reshape.location = op.location
        rewriter.replace(op, [target, reshape], reshape.results)


@canonicalizes(LogicalNotOp)
class DoubleNegation(RewritePattern):
    """`not(not(x)) → x`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LogicalNotOp, rewriter: PatternRewriter) -> None:
        if isinstance(inner := op.data.owner, LogicalNotOp):
            rewriter.replace(op, [], [inner.data])


def _splat(value: SSAValue) -> float | int | None:
    array = constant_of(value)
    if array is None or not array.size or array.dtype == np.bool_:
        return None
    first = array.reshape(-1)[0]
    return first.item() if bool(np.all(array == first)) else None


@canonicalizes(AddOp, SubtractOp, MultiplyOp, DivideOp, PowerOp)
class NeutralOperand(RewritePattern):
    """`x + 0`, `x − 0`, `x · 1`, `x / 1`, `x ^ 1 → x` where broadcasting doesn't enlarge x.

    `x + 0.0` stays for floats unless the zero is −0.0: it turns −0.0 into 0.0.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: AddOp | SubtractOp | MultiplyOp | DivideOp | PowerOp, rewriter: PatternRewriter
    ) -> None:
        a, b = op.operands
        commutes = isinstance(op, AddOp | MultiplyOp)
        for kept, other in ((a, b), (b, a)) if commutes else ((a, b),):
            if kept.type != op.output.type or not is_static(kept):
                continue
            value = _splat(other)
            if value is None:
                continue
            if isinstance(op, AddOp):
                neutral = value == 0 and (isinstance(value, int) or np.signbit(value))
            elif isinstance(op, SubtractOp):
                neutral = value == 0 and (isinstance(value, int) or not np.signbit(value))
            else:
                neutral = value == 1
            if neutral:
                rewriter.replace(op, [], [kept])
                return


@canonicalizes(LogicalAndOp, LogicalOrOp)
class DecidedOrNeutral(RewritePattern):
    """`c and true`, `c or false`, `c and c`, `c or c` → c; `c and false` → false, `c or true` → true.

    Where what stays has the type of the result, with no extent open: the operands broadcast.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LogicalAndOp | LogicalOrOp, rewriter: PatternRewriter) -> None:
        neutral = isinstance(op, LogicalAndOp)
        for kept, other in (op.operands, reversed(op.operands)):
            if kept.type != op.output.type or not is_static(kept):
                continue
            if kept is other or _is_all(other, neutral) or _is_all(kept, not neutral):
                rewriter.replace(op, [], [kept])
                return


@canonicalizes(SelectOp)
class SelectionOfBooleans(RewritePattern):
    """`select(c, d, false) → c and d`, `select(c, true, d) → c or d`, `select(c, true, false) → c`, `select(c, false, true) → not c`.

    Where condition, choices and result have one type, with no extent open.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SelectOp, rewriter: PatternRewriter) -> None:
        condition, then, otherwise = op.operands
        if not is_static(condition) or any(v.type != condition.type for v in (then, otherwise, op.output)):
            return
        if _is_all(then, False) and _is_all(otherwise, True):
            new = LogicalNotOp.build(operands=[condition], result_types=[condition.type])
        elif _is_all(otherwise, False):
            new = LogicalAndOp.make(condition, then)
        elif _is_all(then, True):
            new = LogicalOrOp.make(condition, otherwise)
        else:
            return
        new.location = op.location
        rewriter.replace(op, new)


@canonicalizes(SelectOp)
class KnownChoice(RewritePattern):
    """`select(true, x, y) → x`, `select(false, x, y) → y`, if it has the result's type and static shape."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SelectOp, rewriter: PatternRewriter) -> None:
        for chosen, condition in ((op.then, True), (op.else_value, False)):
            if not _is_all(op.cond, condition) or chosen.type != op.output.type or not is_static(chosen):
                continue
            if speculatable(op):
                rewriter.replace(op, [], [chosen])
                return


@canonicalizes(SelectOp)
class SameChoices(RewritePattern):
    """`select(c, x, x) → x`, if x has the result's type and static shape."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SelectOp, rewriter: PatternRewriter) -> None:
        if op.then is op.else_value and op.then.type == op.output.type and is_static(op.then):
            rewriter.replace(op, [], [op.then])


def _is_all(value: SSAValue, wanted: bool) -> bool:
    """Return True if every element of a boolean constant equals `wanted`."""
    array = constant_of(value)
    return (
        array is not None and array.dtype == np.bool_ and bool(array.size) and bool((array == wanted).all())
    )


@canonicalizes(ReductionOp)
class OfAllAxes(RewritePattern):
    """`reduce(x, range(0, rank of x))` → `reduce(reshape(x, [-1]), [0])`

    Applies if the rank is unknown and no axis is kept: the result is a scalar.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, ReductionOp)
        if not isinstance(op.data.type, UnrankedTensorType) or to_bool(op.keep_dims):
            return
        if not is_every_axis(op.axes, op.data):
            return
        all_, first = (ConstantOp.of(int64_array([k])) for k in (-1, 0))
        flat = ReshapeOp.make(op.data, all_)
        scalar = type(op).make(flat, first, attributes={"keep_dims": False})
        # Types are refined by inference alone.
        set_type(scalar.results[0], op.output.type)
        made = [all_, first, flat, scalar]
        for each in made:
            each.location = op.location
        rewriter.replace(op, made, scalar.results)


def is_every_axis(axes: SSAValue, of: SSAValue) -> bool:
    """Return True if the axes are computed as all of a tensor.

    That is, as a range from 0 to the tensor's rank.
    """
    made = axes.owner
    if not isinstance(made, RangeOp):
        return False
    start, step = (constant_of(v) for v in (made.start, made.step))
    if start is None or step is None or not (np.all(start == 0) and np.all(step == 1)):
        return False
    stop = made.stop.owner
    while isinstance(stop, ReshapeOp | SqueezeOp | ConvertOp):
        stop = stop.data.owner
    shape = stop.data.owner if isinstance(stop, ShapeOfOp) else None
    return isinstance(shape, ShapeOfOp) and shape.data is of
