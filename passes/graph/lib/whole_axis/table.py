"""The rules by operator class, and branches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation

from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators.comparison import SelectOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.speculation import speculatable
from loomir.passes.graph.lib.whole_axis.rules import AlongAxes, Elementwise, Rule, aligned, varies
from loomir.passes.graph.lib.whole_axis.shapes import Gathered, Product, Reshaped, Transposed
from loomir.passes.graph.lib.whole_axis.values import Whole, WholeAxis


class Selected(Rule):
    """Branches of which no arm can fail, as selects."""

    def applies(self, op: Operation, loop: LoopOp) -> bool:
        assert isinstance(op, IfOp)
        if not varies(op.cond, loop):
            return False
        for block in (op.then_region.block, op.else_region.block):
            for inner in block.ops:
                if inner is block.last_op or isinstance(inner, ConstantOp):
                    continue
                # (What is known of it in the arm does not hold outside.)
                if isinstance(inner, MatMulOp) or not speculatable(inner) or rule_of(inner, loop) is None:
                    return False
        pairs = zip(op.output, op.then_yield.values, op.else_yield.values)
        return all(
            isinstance(r.type, TensorType) and r.type.has_static_shape() and r.type == a.type == b.type
            for r, a, b in pairs
        )

    def emit(self, op: Operation, axis: WholeAxis) -> Sequence[Whole]:
        assert isinstance(op, IfOp)
        for block in (op.then_region.block, op.else_region.block):
            for inner in block.ops:
                if inner is not block.last_op and not isinstance(inner, ConstantOp):
                    emit(inner, axis)
        results: list[Whole] = []
        for a, b in zip(op.then_yield.values, op.else_yield.values):
            values, place = aligned([op.cond, a, b], axis)
            results.append(Whole(axis.build.make(SelectOp, *values), place))
        return results


_BY_CLASS: Mapping[type[Operation], Rule] = {
    GatherOp: Gathered(),
    IfOp: Selected(),
    MatMulOp: Product(),
    ReshapeOp: Reshaped(),
    SqueezeOp: Reshaped(),
    TransposeOp: Transposed(),
    UnsqueezeOp: Reshaped(),
}
_BY_DECLARATION: Sequence[Rule] = (Elementwise(), AlongAxes())
"""Rules for operations whose classes say how their axes matter."""


def rule_of(op: Operation, loop: LoopOp) -> Rule | None:
    """Return the rule for an operation of a body, or None."""
    if not isinstance(op, OvOperation | IfOp) or not any(varies(o, loop) for o in op.operands):
        return None
    if not all(isinstance(v.type, TensorType) for v in (*op.operands, *op.results)):
        return None
    rules = [own] if (own := _BY_CLASS.get(type(op))) is not None else _BY_DECLARATION
    return next((rule for rule in rules if rule.applies(op, loop)), None)


def emit(op: Operation, axis: WholeAxis) -> None:
    """Emit an operation that has a rule for all iterations.

    What it reads of the body is in `axis`, and its results are afterwards.
    """
    rule = rule_of(op, axis.loop)
    assert rule is not None
    for result, whole in zip(op.results, rule.emit(op, axis), strict=True):
        whole.value.name_hint = whole.value.name_hint or result.name_hint
        axis.values[result] = whole
