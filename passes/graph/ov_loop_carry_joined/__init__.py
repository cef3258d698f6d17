"""`ov-loop-carry-joined`: carries what the body joins as one tensor."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.control_flow.values import DeadValues
from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.element_types import bytes_of, tensor_type_of
from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.control_flow import LoopOp, NextOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.profile import hand_on
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import infer
from loomir.passes.graph.lib.loop_copies import body_of, replace_loop
from loomir.passes.graph.lib.loop_rewriting import reshaped
from loomir.passes.graph.ov_infer import retype
from loomir.passes.graph.ov_loop_carry_joined.families import Family, join_of
from loomir.passes.graph.ov_loop_carry_joined.plan import Plan, plan_of
from loomir.passes.graph.ov_loop_carry_joined.stacking import joined_type
from loomir.passes.options import check_least


@dataclass(frozen=True)
class OvLoopCarryJoinedPass(ModulePass):
    """Carries values that each iteration joins as one tensor.

    ```mlir
    %r, %s = ov.loop trip(%n) carried(%x, %y) {                   // before
    ^bb0(%i: tensor<i64>, %v: tensor<4x8xf32>, %u: tensor<4x8xf32>):
      %p = ov.concat %v, %u {axis = 0}
      %q = ov.mat_mul %p, %w
      %a, %b = ov.split %q, %zero {num_splits = 2}
      %v1 = ov.add %a, %c
      %u1 = ov.add %b, %c
      ov.next carried(%v1, %u1)
    }

    %first = ov.concat %x, %y {axis = 0}                          // after
    %all = ov.loop trip(%n) carried(%first) {
    ^bb0(%i: tensor<i64>, %p: tensor<8x8xf32>):
      %q = ov.mat_mul %p, %w
      %q2 = ov.reshape %q, …                                      // tensor<2x4x8xf32>
      %p1 = ov.add %q2, %c
      %p2 = ov.reshape %p1, …
      ov.next carried(%p2)
    }
    %r, %s = … slices of %all
    ```

    The parts have one static type, and the joined tensor holds them one behind the other. What gives their next values is computed alike
    for each part, in the same order: of parts of one tensor, of other carried values (which then are carried joined, too), and of
    values that all parts share. The rules are those of `passes/graph/lib/whole_axis`, as if the parts were iterations. No operation that
    may fail takes part, and nothing else reads the carried values.

    What the iterations do not join any more is joined once, before the loop, and taken apart behind it. So a loop runs more than two
    iterations, as far as is known, and the joined tensors take at most `max-bytes`.
    """

    name = "ov-loop-carry-joined"
    EXACT = True

    max_bytes: int = 1 << 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_bytes=0)
        analyses, remarks = analyses_of(ctx), Remarks(self.name)
        wanted: dict[LoopOp, list[int]] = {}
        for loop in walk(op, region_first=True):
            if not isinstance(loop, LoopOp):
                continue
            if counts := _parts(loop):
                wanted[loop] = counts
            else:
                remarks.missed(
                    loop, "it joins no values that an iteration computes, or runs two iterations at most"
                )
        if not wanted:
            return analyses.keep_all()
        inference = analyses.get(infer, op)
        changed = False
        for loop, counts in wanted.items():
            done, left = 0, self.max_bytes
            why: str | MissedReason = "what it joins is not carried, or its parts are not computed alike"
            for count in counts:
                if (plan := plan_of(loop, count, inference.fact)) is None:
                    continue
                size = sum(bytes_of(joined_type(group)) for group in plan.groups)
                if size > left:
                    text = (
                        f"the joined tensors would take {size} bytes, more than {left} of max-bytes are left"
                    )
                    why = MissedReason(text, {"bytes": size, "left": left})
                    plan.stack.discard()
                    continue
                left -= size
                done += len(plan.joins)
                loop = _carry(plan)
            if done:
                remarks.passed(loop, "carries what it joins as one tensor", joins=done)
                changed = True
            else:
                remarks.missed(loop, why)
        if not changed:
            return analyses.keep_all()
        rewrite(op, DeadValues(), clean_up=True)
        retype(ctx, op)


def _parts(loop: LoopOp) -> list[int]:
    """Return the numbers of parts of joins that may be carried."""
    if len(loop.carried) < 2 or ((trips := static_trips(loop)) is not None and trips <= 2):
        return []
    joins = (join_of(op) for op in loop.body.block.ops if isinstance(op, ConcatOp))
    return sorted({len(parts) for parts in joins if parts is not None and len(parts) <= len(loop.carried)})


def _carry(plan: Plan) -> LoopOp:
    """Carry groups joined; return the new loop."""
    loop, block, end = plan.loop, plan.loop.body.block, plan.loop.next
    before = GraphBuilder(InsertPoint.before(loop), loop.location)
    first = [_joined([loop.carried[k] for k in group.numbers], before) for group in plan.groups]
    count = len(loop.carried)
    arguments = [block.insert_arg(v.type, 1 + count + k) for k, v in enumerate(first)]
    joined: dict[Family, SSAValue] = dict(zip(plan.groups, arguments))
    axis = plan.stack.emit(joined)
    for op, family in plan.joins.items():
        build = GraphBuilder(InsertPoint.before(op), op.location)
        shape = tensor_type_of(op.results[0]).get_shape()
        whole = reshaped(plan.stack.joined(family, axis, build), shape, build)
        whole.name_hint = whole.name_hint or op.results[0].name_hint
        op.results[0].replace_all_uses_with(whole)
    last = GraphBuilder(InsertPoint.before(end), end.location)
    following = [plan.stack.joined(family, axis, last) for family in plan.groups.values()]
    plan.stack.discard()
    members = {k for group in plan.groups for k in group.numbers}
    kept = [k for k in range(count) if k not in members]
    again = [] if end.cond is None else [end.cond]
    handed_on = [*(end.carried[k] for k in kept), *following]
    new_end = NextOp.build(operands=[again, handed_on, end.last, end.concat])
    new_end.location = end.location
    end.detach()
    end.erase()
    for op in [o for o in reversed(list(block.ops)) if o in plan.gone]:
        op.detach()
        op.erase()
    block.add_op(new_end)
    for number in sorted(members, reverse=True):
        block.erase_arg(block.args[1 + number])
    new = loop.like(
        body_of(loop),
        carried=[*(loop.carried[k] for k in kept), *first],
        final_types=[*(loop.final[k].type for k in kept), *(v.type for v in first)],
    )
    hand_on(loop, new)
    before.emit(new)
    final: dict[int, SSAValue] = dict(zip(kept, new.final))
    for group, whole in zip(plan.groups, new.final[len(kept) :]):
        for place, number in enumerate(group.numbers):
            if loop.final[number].first_use is None:
                final[number] = loop.carried[number]
                continue
            final[number] = _part(whole, tensor_type_of(loop.final[number]).get_shape(), place, before)
            final[number].name_hint = loop.final[number].name_hint
    replace_loop(loop, [*(final[k] for k in range(count)), *new.last, *new.concat])
    return new


def _joined(values: list[SSAValue], build: GraphBuilder) -> SSAValue:
    """Emit values one behind the other along the first axis."""
    parts = [reshaped(v, tensor_type_of(v).get_shape() or (1,), build) for v in values]
    return build.make(ConcatOp, parts, attributes={"axis": 0})


def _part(whole: SSAValue, shape: tuple[int, ...], place: int, build: GraphBuilder) -> SSAValue:
    """Emit a part of a joined tensor."""
    size = shape[0] if shape else 1
    bounds = (place * size, (place + 1) * size, 1, 0)
    return reshaped(build.make(SliceOp, whole, *(build.integers([n]) for n in bounds)), shape, build)
