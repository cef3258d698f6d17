"""One loop in the place of two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i64, set_type, tensor_type_of
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.canonicalization.loops import set_control, static_trips
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.control_flow import LoopOp, NextOp
from loomir.passes.analysis.trip_counts.equal_trips import extent_on
from loomir.passes.graph.lib.loop_copies import body_of
from loomir.passes.graph.ov_loop_fuse.legality import FusionPlan


@dataclass(frozen=True)
class _Output:
    """Value that the fused loop joins: its part, and how."""

    whole: SSAValue
    part: SSAValue
    join: Slicing


def merge_loops(plan: FusionPlan) -> LoopOp:
    """Fuse two loops, and return the fused loop.

    It takes the place of the first one. Operations that the plan names move before it or into its body. The others between
    the loops stay behind it.
    """
    first = plan.first
    block = first.parent
    assert block is not None
    for op in plan.moving:
        op.detach()
        block.insert_op_before(op, first)
    fused = _Fusion(plan).build()
    trips = plan.trips
    if isinstance(trips, int) and static_trips(fused) != trips:
        # (One of them has more slices than its trip count needs.)
        build = GraphBuilder(InsertPoint.before(fused), fused.location)
        set_control(fused, trip=build.scalar(trips, i64))
    return fused


class _Fusion:
    """Builds the fused loop, and replaces the results of both."""

    def __init__(self, plan: FusionPlan) -> None:
        self._plan = plan
        self._first, self._second = plan.first, plan.second
        self._ends = plan.first.next, plan.second.next
        self._body = plan.first.body.block
        self._sliced = list(plan.first.sliced)
        self._cuts = list(plan.first.slicings)
        self._parts: dict[SSAValue, SSAValue] = dict(zip(plan.first.concat, self._ends[0].concat))
        self._joins: dict[SSAValue, Slicing] = dict(zip(plan.first.concat, plan.first.concatenations))

    def build(self) -> LoopOp:
        """Insert the loop before the first one, and return it."""
        first, second = self._first, self._second
        place = 1 + len(first.carried)
        carried = [
            self._body.insert_arg(argument.type, place + k)
            for k, argument in enumerate(second.carried_arguments)
        ]
        outside = self._plan.used_elsewhere()
        for end in self._ends:
            end.detach()
        for op in self._plan.middle:
            self._compute_part(op.results[0])
        cut = [
            self._parts[value] if value in self._parts else self._slice(value, how, argument.type)
            for value, how, argument in zip(second.sliced, second.slicings, second.part_arguments)
        ]
        for argument, value in zip(second.body.block.args, [self._body.args[0], *carried, *cut], strict=True):
            argument.replace_all_uses_with(value)
        for op in list(second.body.block.ops):
            op.detach()
            self._body.add_op(op)
        return self._loop([_Output(v, self._parts[v], self._joins[v]) for v in outside])

    def _compute_part(self, whole: SSAValue) -> None:
        """Append the elementwise operation that computes the parts of a value."""
        parts, op = self._plan.parts[whole], whole.owner
        assert isinstance(op, Operation)
        operands: dict[SSAValue, SSAValue] = {}
        for operand in op.operands:
            if operand in self._parts:
                operands[operand] = self._parts[operand]
            elif extent_on(operand, parts.axis) != 1:
                rank = len(tensor_type_of(operand).get_shape())
                cut = parts.cut(rank)
                operands[operand] = self._slice(operand, cut, _part_type(operand, cut))
        copy = op.clone(operands)
        self._joins[whole] = parts.cut(len(tensor_type_of(whole).get_shape()))
        self._parts[whole] = copy.results[0]
        set_type(copy.results[0], _part_type(whole, self._joins[whole]))
        self._body.add_op(copy)

    def _slice(self, value: SSAValue, cut: Slicing, part: Attribute) -> SSAValue:
        """Slice another input, and return the argument for the slices."""
        self._sliced.append(value)
        self._cuts.append(cut)
        return self._body.insert_arg(part, len(self._body.args))

    def _loop(self, outputs: Sequence[_Output]) -> LoopOp:
        """Return the loop; its results replace those of the two loops."""
        first, second = self._first, self._second
        a, b = self._ends
        joined = [*outputs, *map(_Output, second.concat, b.concat, second.concatenations)]
        concat = [output.part for output in joined]
        end = NextOp.build(operands=[[], [*a.carried, *b.carried], [*a.last, *b.last], concat])
        end.location = b.location
        self._body.add_op(end)
        fused = first.like(
            body_of(first),
            carried=[*first.carried, *second.carried],
            sliced=self._sliced,
            slices=self._cuts,
            concats=[output.join for output in joined],
            final_types=[r.type for r in (*first.final, *second.final)],
            last_types=[r.type for r in (*first.last, *second.last)],
            concat_types=[output.whole.type for output in joined],
        )
        fused.attributes |= first.attributes
        wholes = (output.whole for output in joined)
        old = [*first.final, *second.final, *first.last, *second.last, *wholes]
        for value, result in zip(old, fused.results, strict=True):
            result.name_hint = value.name_hint
            value.replace_all_uses_with(result)
        GraphBuilder(InsertPoint.before(first), first.location).emit(fused)
        for op in (second, *reversed(self._plan.middle), first):
            op.detach()
            op.erase(safe_erase=False)
        for op in self._ends:
            op.erase()
        return fused


def _part_type(whole: SSAValue, cut: Slicing) -> TensorType:
    type_ = tensor_type_of(whole)
    return TensorType(type_.element_type, cut.part_shape(type_.get_shape()))
