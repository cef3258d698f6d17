"""Carried values that become one another are copied: OpenVINO copies back edges one after another, and where a value is the memory of
another argument, that may hold its next value already. So is what comes from outside the loop: a back edge from a Parameter that is none
of a carried value stops one of OpenVINO's transformations."""

from __future__ import annotations

from itertools import islice

from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i64
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import BroadcastOp, PadOp
from loomir.dialects.ov.operators.comparison import LessOp, SelectOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import BinaryOp
from loomir.dialects.ov.operators.joining import ConcatOp, TileOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp, StridedSliceOp
from loomir.dialects.ov.operators.splitting import SplitOp, VariadicSplitOp
from loomir.dialects.region_flow import owning_block
from loomir.passes.analysis.remarks import Remarks

_VIEWS = (
    ReshapeOp, SqueezeOp, UnsqueezeOp, TransposeOp, ConvertOp, SliceOp, StridedSliceOp, SplitOp, VariadicSplitOp, BroadcastOp, PadOp,
    TileOp,
)  # fmt: skip
"""Operations whose result may be the memory of the first operand, or that OpenVINO may find to change nothing."""


def copy_arguments(op: LoopOp, remarks: Remarks) -> None:
    """Copy what the body hands to the next iteration and may be another argument, or comes from outside. Linear in the body and what it
    carries.

    The copy is a Select of a value and itself, by a condition that is not known before: that is not removed.
    """
    shared = _shared(op)
    end = op.next
    first = 0 if end.cond is None else 1
    build = GraphBuilder(InsertPoint.before(end), op.location)
    never: SSAValue | None = None
    copies: dict[SSAValue, SSAValue] = {}
    for index, (value, argument) in enumerate(zip(end.carried, op.carried_arguments)):
        if owning_block(value) is op.body.block and not shared.get(value, set()) - {argument}:
            continue
        if never is None:
            never = build.make(LessOp, op.iteration, build.scalar(0, i64))
        if value not in copies:
            copies[value] = build.make(SelectOp, never, value, value)
        end.operands[first + index] = copies[value]
    if copies:
        remarks.passed(op, "what becomes another carried value is copied", values=len(copies))


def _shared(op: LoopOp) -> dict[SSAValue, set[SSAValue]]:
    """Of values of the body, the memory of which carried arguments, or of the iteration number, they may be: two stand for any number."""
    found: dict[SSAValue, set[SSAValue]] = {a: {a} for a in (op.iteration, *op.carried_arguments)}
    for inner in op.body.block.ops:
        if isinstance(inner, ConcatOp) or (
            isinstance(inner, BinaryOp) and any(isinstance(v.owner, ConstantOp) for v in inner.operands)
        ):
            read = inner.operands
        elif isinstance(inner, _VIEWS):
            read = inner.operands[:1]
        else:
            continue
        sources: set[SSAValue] = set()
        for value in read:
            sources |= found.get(value, set())
        if sources:
            some = set(islice(sources, 2))
            found.update((result, some) for result in inner.results)
    return found
