"""`ov-loop-carry-reductions`: carries what is reduced of joined parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from loomir.dialects.control_flow.rewriting import with_carried
from loomir.dialects.control_flow.values import DeadValues
from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.element_types import dtype_of, tensor_type_of
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.canonicalization.identities import constant_of, is_static
from loomir.dialects.ov.canonicalization.loops import may_be_constant
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import LogicalAndOp, LogicalOrOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MaximumOp, MinimumOp, MultiplyOp
from loomir.dialects.ov.operators.reduction import (
    ReduceLogicalAndOp,
    ReduceLogicalOrOp,
    ReduceMaxOp,
    ReduceMinOp,
    ReduceProdOp,
    ReduceSumOp,
    ReductionOp,
)
from loomir.dialects.ov.shape_rules import normalise_axes
from loomir.dialects.profile import hand_on
from loomir.dialects.scalars.row import is_integer
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.graph.lib.loop_rewriting import reshaped
from loomir.passes.graph.ov_infer import retype
from loomir.passes.options import check_least

_COMBINED: Mapping[type[Operation], type[OvOperation]] = {
    ReduceSumOp: AddOp,
    ReduceProdOp: MultiplyOp,
    ReduceMaxOp: MaximumOp,
    ReduceMinOp: MinimumOp,
    ReduceLogicalAndOp: LogicalAndOp,
    ReduceLogicalOrOp: LogicalOrOp,
}
"""Operations that combine what is reduced of two parts."""


@dataclass(frozen=True)
class OvLoopCarryReductionsPass(ModulePass):
    """Carries a maximum or sum of parts instead of joining them.

    Nothing else reads the joined parts.

    ```mlir
    %v, %all = ov.loop carried(%a) sliced(%x) {               // before
    ^bb0(%i: tensor<i64>, %u: tensor<1x4xf32>, %p: tensor<1x4xf32>):
      %w = ov.multiply %u, %p
      ov.next carried(%w) concat(%w)
    }
    %most = ov.reduce_max %all, %zero {keep_dims = true}      // of tensor<100x4xf32>, along axis 0

    %v, %most = ov.loop carried(%a, %lowest) sliced(%x) {     // after; %lowest: -inf, the maximum of nothing
    ^bb0(%i: tensor<i64>, %u: tensor<1x4xf32>, %m: tensor<1x4xf32>, %p: tensor<1x4xf32>):
      %w = ov.multiply %u, %p
      %n = ov.maximum %m, %w
      ov.next carried(%w, %n)
    }
    ```

    The reductions are those that any order computes to the same bit: of integers and booleans, and maxima and minima of floats. The
    part of a trip is reduced along the same axes; it has a static shape. What is computed for all iterations at once
    (`ov-loop-whole-axis`, `ov-loop-reductions`) is no longer joined by then. At most `max-values` are carried for one joined output.
    """

    name = "ov-loop-carry-reductions"
    EXACT = True

    max_values: int = 2

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_values=0)
        remarks = Remarks(self.name)
        changed = [
            self.carry(loop, remarks) for loop in walk(op, region_first=True) if isinstance(loop, LoopOp)
        ]
        if not any(changed):
            return analyses_of(ctx).keep_all()
        rewrite(op, DeadValues(), clean_up=True)
        retype(ctx, op)

    def carry(self, loop: LoopOp, remarks: Remarks) -> bool:
        """Carry all reductions of a loop's joined parts that can be.

        Return True if there were any.
        """
        found: list[tuple[int, ReductionOp]] = []
        reduced = False
        for number, result in enumerate(loop.concat):
            readers = _reductions_of(result)
            reduced = reduced or bool(readers)
            why = self._obstacle(loop, number, readers) if readers else None
            if why is not None:
                remarks.missed(loop, why)
            else:
                found += ((number, reader) for reader in readers)
        if not reduced:
            remarks.missed(loop, "it joins nothing that is reduced only, in an order that does not matter")
        if found:
            remarks.passed(loop, f"carries {len(found)} reductions of joined parts", reductions=len(found))
            _carry(loop, found)
        return bool(found)

    def _obstacle(self, loop: LoopOp, number: int, readers: list[ReductionOp]) -> str | MissedReason | None:
        """Return why the reductions of a joined output stay, or None."""
        part = loop.next.concat[number]
        if not is_static(part) or not may_be_constant(part):
            return "the shape of a joined part is not known"
        along = loop.concatenations[number].normalised_axis(len(tensor_type_of(part).get_shape()))
        axes = [_axes_of(reader) for reader in readers]
        if not all(each is not None and along in each for each in axes):
            return "joined parts are reduced along other axes than that on which they are joined"
        if len(readers) > self.max_values:
            numbers = {"values": len(readers), "limit": self.max_values}
            return MissedReason(
                f"{len(readers)} reductions of one output are more than {self.max_values}", numbers
            )
        return None


def _reductions_of(result: SSAValue) -> list[ReductionOp]:
    """Return the readers of a joined output if all are exact reductions.

    They stand in the block of the loop, where they are surely executed.
    """
    readers: list[ReductionOp] = []
    for use in result.uses:
        reader = use.operation
        if not isinstance(reader, ReductionOp) or type(reader) not in _COMBINED or reader.data is not result:
            return []
        if reader.parent is not result.owner.parent or not _is_exact(reader):
            return []
        readers.append(reader)
    return readers


def _is_exact(reader: ReductionOp) -> bool:
    """Return True if the order of a reduction does not matter."""
    is_rounded = isinstance(reader, ReduceSumOp | ReduceProdOp)
    data = reader.data.type
    return isinstance(data, TensorType) and (not is_rounded or is_integer(data.element_type))


def _axes_of(reader: ReductionOp) -> tuple[int, ...] | None:
    """Return the axes of a reduction, counted from the front."""
    axes = constant_of(reader.axes)
    rank = len(tensor_type_of(reader.data).get_shape())
    return None if axes is None else normalise_axes(axes.reshape(-1), rank)


def _carry(loop: LoopOp, found: list[tuple[int, ReductionOp]]) -> None:
    """Carry reductions of joined outputs, given by number."""
    before = GraphBuilder(InsertPoint.before(loop), loop.location)
    nothing = [before.constant(_of_nothing(loop, number, reader)) for number, reader in found]
    wide = with_carried(loop, [(value, value) for value in nothing], PatternRewriter(loop))
    assert isinstance(wide, LoopOp)
    hand_on(loop, wide)
    end = wide.next
    place = len(wide.carried) - len(found)
    first = 0 if end.cond is None else 1
    inside = GraphBuilder(InsertPoint.before(end), wide.location)
    for k, (number, reader) in enumerate(found):
        part, carried = end.concat[number], wide.carried_arguments[place + k]
        reduced = _of_part(part, reader, inside)
        end.operands[first + place + k] = inside.make(_COMBINED[type(reader)], carried, reduced)
        result = wide.final[place + k]
        result.name_hint = reader.output.name_hint
        reader.output.replace_all_uses_with(result)
        reader.detach()
        reader.erase()


def _of_nothing(loop: LoopOp, number: int, reader: ReductionOp) -> np.ndarray:
    """Return what a reduction gives if no part is joined."""
    part = tensor_type_of(loop.next.concat[number])
    shape = list(part.get_shape())
    shape[loop.concatenations[number].normalised_axis(len(shape))] = 0
    axes = _axes_of(reader)
    assert axes is not None
    return reader.evaluate(np.zeros(shape, dtype_of(part.element_type)), np.array(axes))


def _of_part(part: SSAValue, reader: ReductionOp, build: GraphBuilder) -> SSAValue:
    """Emit the reduction of one part."""
    axes, shape = _axes_of(reader), tensor_type_of(part).get_shape()
    assert axes is not None
    if all(shape[axis] == 1 for axis in axes):
        keep = to_bool(reader.keep_dims)
        return reshaped(part, [n for axis, n in enumerate(shape) if keep or axis not in axes], build)
    attributes = {"keep_dims": to_bool(reader.keep_dims)}
    return build.make(type(reader), part, build.integers(axes), attributes=attributes)
