"""GatherTree: a loop from the last step to the first."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Region, SSAValue

from loomir.dialects.element_types import i32, i64
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.loop_slices import Slicing
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.comparison import EqualOp, GreaterOp, LessOp, SelectOp
from loomir.dialects.ov.operators.control_flow import TRIP_TYPE, LoopOp, NextOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.cumulative import CumSumOp
from loomir.dialects.ov.operators.elementwise_binary import SubtractOp
from loomir.dialects.ov.operators.gathering import GatherElementsOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.ov.operators.searching import GatherTreeOp
from loomir.passes.graph.decompositions import decomposes
from loomir.passes.graph.decompositions.extents import Sizes, rank_of

BACKWARDS = Slicing(axis=0, start=-1, end=0, stride=-1)


@decomposes(GatherTreeOp)
def gather_tree(op: GatherTreeOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Decompose GatherTree to a loop that carries each beam's parent beam.

    Beyond the lengths, the parent of a beam is the beam itself.
    """
    (inferred,) = op.infer([build.fact(o) for o in op.operands])
    rank_of(build, op.step_ids, "step_ids")
    assert inferred.shape is not None
    t, n, w = inferred.shape
    sizes = Sizes(build)

    def whole(value: SSAValue) -> SSAValue:
        return build.make(ConvertOp, value, attributes={"destination_type": i64})

    steps, batch, beams = sizes.of(op.step_ids)
    end = build.make(ReshapeOp, op.end_token, build.integers([]))
    lengths = build.make(UnsqueezeOp, whole(op.max_seq_len), build.integers([1]))
    own = build.make(BroadcastOp, sizes.positions(beams), sizes.vector([batch, beams]))
    last = sizes.scalar(sizes.sub(steps, 1))

    carried, part = Fact(i64, (n, w)).type, (Dim(1, 1), n, w)
    block = Block(arg_types=[TRIP_TYPE, carried, Fact(inferred.element, part).type, Fact(i64, part).type])
    for argument in block.args:
        argument.location = build.location
    inside = build.inside(block)
    iteration, parent, step_part, parent_part = block.args
    first = inside.integers([0])
    valid = inside.make(LessOp, inside.make(SubtractOp, last, iteration), lengths)
    ids, parents = (inside.make(SqueezeOp, v, first) for v in (step_part, parent_part))
    at_parent = {"axis": 1}
    shown = inside.make(
        SelectOp, valid, inside.make(GatherElementsOp, ids, parent, attributes=at_parent), end
    )
    found = inside.make(GatherElementsOp, parents, parent, attributes=at_parent)
    next_parent = inside.make(SelectOp, valid, found, parent)
    shown = inside.make(UnsqueezeOp, shown, first)
    inside.emit(NextOp.build(operands=[[], [next_parent], [], [shown]]))
    loop = build.emit(
        LoopOp.of(
            trip=None,
            cond=None,
            carried=[own],
            sliced=[op.step_ids, whole(op.parent_ids)],
            slices=[BACKWARDS, BACKWARDS],
            concats=[BACKWARDS],
            final_types=[carried],
            last_types=[],
            concat_types=[Fact(inferred.element, (t, n, w)).type],
            body=Region(block),
        )
    )
    made = loop.concat[0]
    ended = build.make(ConvertOp, build.make(EqualOp, made, end), attributes={"destination_type": i32})
    before = build.make(CumSumOp, ended, build.scalar(0, i64), attributes={"exclusive": True})
    return [build.make(SelectOp, build.make(GreaterOp, before, build.scalar(0, i32)), end, made)]
