"""Copies of carried values that become one another.

OpenVINO copies back edges one after another. If a value is the memory of another argument, that memory may already hold
the argument's next value. Values from outside the loop are copied, too: a back edge from a Parameter that does not
belong to a carried value stops one of OpenVINO's transformations.
"""

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
"""Operations whose result may alias the first operand.

OpenVINO may also find that they change nothing.
"""


def copy_arguments(op: LoopOp, remarks: Remarks) -> None:
    """Copy values forwarded to the next iteration that may alias another argument.

    Values from outside are copied, too. Linear in the body and its carried values.

    The copy is a Select of a value and itself, by a condition that is not known before: such a Select is not removed.
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
    """Return the arguments whose memory each value of the body may alias.

    The arguments are carried arguments or the iteration number. Two of them stand for any number.
    """
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
