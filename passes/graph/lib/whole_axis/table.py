"""The rules by operator class, and branches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, Region, SSAValue

from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.canonicalization.identities import is_static
from loomir.dialects.ov.canonicalization.loop_trips import trips_of
from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.operators.comparison import SelectOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp, NextOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.passes.graph.lib.whole_axis.rules import AlongAxes, Elementwise, Rule, aligned, varies
from loomir.passes.graph.lib.whole_axis.shapes import Gathered, Product, Reshaped, Transposed
from loomir.passes.graph.lib.whole_axis.values import Whole, WholeAxis, shape_of


class Selected(Rule):
    """Branches of which no arm can fail, as selects."""

    def applies(self, op: Operation, loop: LoopOp) -> bool:
        assert isinstance(op, IfOp)
        if not varies(op.cond, loop):
            return False
        for block in (op.then_region.block, op.else_region.block):
            for inner in _work(block):
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
            for inner in _work(block):
                emit(inner, axis)
        results: list[Whole] = []
        for a, b in zip(op.then_yield.values, op.else_yield.values):
            values, place = aligned([op.cond, a, b], axis)
            results.append(Whole(axis.build.make(SelectOp, *values), place))
        return results


class Stepped(Rule):
    """Loops of equally many steps, as one that steps through all iterations.

    ```mlir
    %all = ov.loop sliced(%x) {                          // before; %x: tensor<100x50x1xf32>
    ^bb0(%i: tensor<i64>, %row: tensor<1x50x1xf32>):
      %end = ov.loop carried(%b) sliced(%row) { … }      // 50 steps; %b: tensor<1x1x1xf32>
      ov.next concat(%end)
    }

    %all = ov.loop carried(%bs) sliced(%x) { … }         // after: 50 steps; %bs: tensor<100x1x1xf32>
    ```
    """

    def applies(self, op: Operation, loop: LoopOp) -> bool:
        assert isinstance(op, LoopOp)
        end = op.next
        same = (op.trip is None or not varies(op.trip, loop)) and trips_of(op) is not None
        parts = (*end.last, *end.concat)
        if not same or op.iteration.first_use is not None or (parts and not static_trips(op)):
            return False
        if not all(varies(v, loop) for v in (*op.sliced, *end.carried, *parts)):
            return False
        carried = zip(op.carried, op.carried_arguments, end.carried, op.final)
        if any(len({v.type for v in values}) > 1 for values in carried):
            return False
        shaped = (*op.carried, *op.sliced, *op.part_arguments, *op.results, *parts)
        return all(map(is_static, shaped)) and all(
            # (The rule of a loop asks this of what is in it.)
            (isinstance(inner, LoopOp) or is_side_effect_free(inner)) and rule_of(inner, loop) is not None
            for inner in _work(op.body.block)
        )

    def emit(self, op: Operation, axis: WholeAxis) -> Sequence[Whole]:
        assert isinstance(op, LoopOp)
        end, places = op.next, [_first_one(value) for value in op.carried]
        first = [axis.spread(value, place) for value, place in zip(op.carried, places)]
        cut = [_beside(value, each, axis) for value, each in zip(op.sliced, op.slicings)]
        at = [*places, *(whole.place for whole, _ in cut)]
        arguments = [*op.carried_arguments, *op.part_arguments]
        block = Block(arg_types=[op.iteration.type, *(axis.type_of(a, k) for a, k in zip(arguments, at))])
        inside = axis.behind(axis.loop, axis.build.inside(block))
        inside.values |= {old: Whole(new, k) for old, new, k in zip(arguments, block.args[1:], at)}
        for inner in _work(op.body.block):
            emit(inner, inside)
        carried = [inside.spread(value, place) for value, place in zip(end.carried, places)]
        last = [inside.values[value] for value in end.last]
        joined = [_beside(value, each, inside) for value, each in zip(end.concat, op.concatenations)]
        parts = [[whole.value for whole in wholes] for wholes in (last, [whole for whole, _ in joined])]
        inside.build.emit(NextOp.build(operands=[[], carried, *parts]))
        at = [*places, *(whole.place for whole in last), *(whole.place for whole, _ in joined)]
        types = [axis.type_of(result, place) for result, place in zip(op.results, at)]
        bounds = len(op.final), len(op.final) + len(op.last)
        steps = LoopOp.of(
            trip=None if op.trip is None else axis.fixed(op.trip),
            cond=None,
            carried=first,
            sliced=[whole.value for whole, _ in cut],
            slices=[each for _, each in cut],
            concats=[each for _, each in joined],
            final_types=types[: bounds[0]],
            last_types=types[bounds[0] : bounds[1]],
            concat_types=types[bounds[1] :],
            body=Region(block),
        )
        steps.attributes |= op.attributes
        steps.location = op.location
        return [Whole(result, place) for result, place in zip(axis.build.emit(steps).results, at)]


def _work(block: Block) -> list[Operation]:
    """Return the operations of a body without constants and its end."""
    return [op for op in block.ops if op is not block.last_op and not isinstance(op, ConstantOp)]


def _first_one(value: SSAValue) -> int | None:
    """Return the place of the iteration axis of a carried value."""
    shape = shape_of(value)
    return shape.index(1) if 1 in shape else None


def _beside(value: SSAValue, cut: Slicing, axis: WholeAxis) -> tuple[Whole, Slicing]:
    """Return a whole value and a slicing along another axis than iterations."""
    whole, along = axis.values[value], cut.normalised_axis(len(shape_of(value)))
    if whole.place is None or whole.place == along:
        return Whole(axis.leading(value)), replace(cut, axis=along + 1)
    return whole, replace(cut, axis=along)


_BY_CLASS: Mapping[type[Operation], Rule] = {
    GatherOp: Gathered(),
    IfOp: Selected(),
    LoopOp: Stepped(),
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
    if not isinstance(op, OvOperation | IfOp | LoopOp) or not any(varies(o, loop) for o in op.operands):
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
