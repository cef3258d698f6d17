"""Dead values of `ov.loop`: loop-carried (through cycles), last, concatenated and sliced."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from xdsl.ir import Block, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.effects import EffectsOfNests
from loomir.dialects.ov.canonicalization import canonicalizes
from loomir.dialects.ov.canonicalization.loops import Kept, rebuild, static_trips
from loomir.dialects.ov.operators.control_flow import LoopOp, NextOp
from loomir.dialects.region_flow import RegionFlow, owning_block, owning_operation, region_flow


@canonicalizes(LoopOp)
class DeadLoopValues(RewritePattern):
    """Drops unused results, and carried values that only keep each other alive.

    `r, s = loop(v = x, k = 0) { next f(v), k + 1 } → r = loop(v = x) { next f(v) }`, if `s` is unused.

    Optimistic: a carried value is live only if it is needed by a used result, the condition, an operation that stays for its
    effects (`ov.fail` in a branch) or another live value. So a counter that only feeds itself is dropped, and so are two values
    that swap, through nested loops too. A sliced input that the body does not use is dropped if the trip count is known without
    it.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        last = [i for i, r in enumerate(op.last) if r.first_use is not None]
        concat = [i for i, r in enumerate(op.concat) if r.first_use is not None]
        live = _live_arguments(op, last, concat)
        carried = [i for i, a in enumerate(op.carried_arguments) if a in live]
        sliced = list(range(len(op.sliced)))
        if static_trips(op) is not None:
            read = [i for i, a in enumerate(op.part_arguments) if a.first_use is not None]
            # Without a trip count one of the slices, which are all as many, says how often the loop runs.
            sliced = read if read or op.trip is not None else sliced[:1]
        before = (len(op.last), len(op.concat), len(op.carried), len(op.sliced))
        if (len(last), len(concat), len(carried), len(sliced)) == before:
            return
        kept = set(carried)
        for index, argument in enumerate(op.carried_arguments):
            if index not in kept:
                # Only dead operations use it; they go once nothing hands their results on.
                rewriter.replace_all_uses_with(argument, op.carried[index])
        rebuild(
            op, rewriter, replace(Kept.all_of(op), carried=carried, last=last, concat=concat, sliced=sliced)
        )


def _live_arguments(op: LoopOp, last: list[int], concat: list[int]) -> set[SSAValue]:
    """Return the values inside the loop that must stay live.

    Its used results, its trip count and the operations that stay in any case depend on them.

    Values from outside depend on nothing inside, and are not followed: the surrounding program may be large.
    """
    if all(result.first_use is not None for result in op.final):
        # Every chain stays: there is nothing to follow, however deep the loops in it are.
        return set(op.carried_arguments)
    inside: dict[Block, bool] = {}
    end = op.next
    work: list[SSAValue] = [end.last[i] for i in last] + [end.concat[i] for i in concat]
    if end.cond is not None:
        work.append(end.cond)
    work += _needed_by_effects(op.body.block)
    arguments = op.carried_arguments
    for index, result in enumerate(op.final):
        if result.first_use is not None:
            # The final value is also the initial one after zero trips, so the whole chain stays.
            work += [arguments[index], end.carried[index]]
    seen: set[SSAValue] = set()
    flow_of = cache(region_flow)
    while work:
        value = work.pop()
        if value in seen or not _is_inside(op, value, inside):
            continue
        seen.add(value)
        work += _needs(value, flow_of(owning_operation(value)))
    return seen


def _needed_by_effects(block: Block) -> list[SSAValue]:
    """Return the operands of operations that stay even if unused.

    These are the operations in the block, at any depth, that may fail or whose effects are unknown.

    If an `ov.if` contains such an operation, one of its results stays too, so both branches need the values that they yield. If
    a loop contains one, the values that determine its trip count are needed.
    """
    effects = EffectsOfNests()
    needed: list[SSAValue] = []
    blocks = [block]
    while blocks:
        for op in blocks.pop().ops:
            if isinstance(op, NextOp) or effects.is_dead_if_unused(op):
                continue
            flow = region_flow(op)
            needed += op.operands if flow is None else flow.deciders
            blocks += (inner.block for inner in op.regions)
    return needed


def _is_inside(loop: LoopOp, value: SSAValue, known: dict[Block, bool]) -> bool:
    """Return True if the loop's body defines the value, at any depth.

    `known` caches the result for each block.
    """
    block = owning_block(value)
    way: list[Block] = []
    found = False
    while block is not None:
        if block in known:
            found = known[block]
            break
        way.append(block)
        parent = block.parent_op()
        if parent is loop:
            found = True
            break
        block = None if parent is None else parent.parent
    known.update(dict.fromkeys(way, found))
    return found


def _needs(value: SSAValue, flow: RegionFlow | None) -> list[SSAValue]:
    """Return the values from which a value is computed, in one step.

    A step looks into and out of loops and ifs, value by value.
    """
    made = isinstance(value, OpResult)
    if flow is None:
        return list(value.op.operands) if made else []
    handed = [*flow.origins(value), *flow.origins(value, flow.derived)]
    return [*(flow.deciders if made else ()), *(op.operands[number] for op, number in handed)]
