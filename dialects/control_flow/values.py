"""Simplification of the values that loops and branches forward.

They are a single value from outside, the same value twice, or dead. A rewrite sees arguments and results through `region_flow`, and
so applies to loops and branches of `ov` and of `scf` alike.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from functools import cache

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.control_flow import canonicalizes
from loomir.dialects.control_flow.equal_values import EqualValueClasses
from loomir.dialects.control_flow.rewriting import Structured, tied_values, without_inputs
from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp, YieldOp
from loomir.dialects.region_flow import (
    RegionFlow,
    comes_from_outside,
    needed_values,
    owning_block,
    owning_operation,
    region_flow,
)
from loomir.dialects.upstream.effects import EffectsOfNests
from loomir.dialects.upstream.walking import walk

_for_all = canonicalizes(IfOp, LoopOp, scf.IfOp, scf.ForOp, scf.WhileOp)


def _forwards_nothing(op: Structured) -> bool:
    """Return True for a loop or branch without values to simplify.

    Most loops of LOOPS are such: they store what they compute.
    """
    return isinstance(op, scf.ForOp | scf.IfOp) and not op.results


def origins_of(flow: RegionFlow) -> dict[SSAValue, list[SSAValue]]:
    """Map each argument and result to the values forwarded to it.

    There is one value for each edge that leads to it, in the order of the edges. Last values of an `ov.loop` are left out: after
    no iteration they are zeros.
    """
    found: dict[SSAValue, list[SSAValue]] = {}
    for edge in flow.edges:
        for value, becomes in edge.pairs:
            found.setdefault(becomes, []).append(value)
    if isinstance(flow.op, LoopOp):
        for result in flow.op.last:
            del found[result]
    return found


@_for_all
class OneValueFromOutside(RewritePattern):
    """Replaces an argument or result that can only be one outside value.

    `%r:2 = for … iter_args(%a = %x, %b = %x) { f(%a); yield %b, %a } → for … { f(%x) }`, and both results are `%x`. The analysis is
    optimistic: permuting carried values adds no other value.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Structured, rewriter: PatternRewriter) -> None:
        if _forwards_nothing(op):
            return
        origins = origins_of(region_flow(op))
        becomes: dict[SSAValue, list[SSAValue]] = {}
        for value, sources in origins.items():
            for source in sources:
                if source in origins:
                    becomes.setdefault(source, []).append(value)
        # Nothing is known of a value until something reaches it; then it is that one value, or None for any.
        known: dict[SSAValue, SSAValue | None] = {}
        work = list(origins)
        while work:
            value = work.pop()
            reached = {
                known[s] if s in origins else s for s in origins[value] if s not in origins or s in known
            }
            if not reached:
                continue
            found = reached.pop() if len(reached) == 1 else None
            if value not in known or known[value] is not found:
                known[value] = found
                work += becomes.get(value, ())
        before = set(op.operands)
        for value, source in known.items():
            if source is None or value.first_use is None:
                continue
            if source in before or comes_from_outside(source, op):
                rewriter.replace_all_uses_with(value, source)


_MOST_ROUNDS = 16
"""Maximum number of rounds in which carried values are compared.

Values that have not reached a fixpoint by then are left alone.
"""


@_for_all
class EqualValues(RewritePattern):
    """Merges arguments or results that always hold the same value.

    If every edge forwards the same to several of them, the first one replaces the others.

    `%r:2 = for … iter_args(%a = %x, %b = %x) { yield f(%a), f(%b) } → %r = for … iter_args(%a = %x) { yield f(%a) }`: equal operations
    of equal values are equal. The analysis is optimistic (`equal_values.py`).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Structured, rewriter: PatternRewriter) -> None:
        if _forwards_nothing(op):
            return
        flow = region_flow(op)
        if not _may_have_equal_values(flow):
            return
        classes = EqualValueClasses()
        if classes.settle(op, _MOST_ROUNDS):
            classes.merge(op, rewriter)


def _may_have_equal_values(flow: RegionFlow) -> bool:
    """Return True if two values of one place may be equal.

    Carried values begin as the same value, others always are: values that differ there are not equal whatever is computed of them.
    """
    begins = {value for edge in flow.edges if edge.source is None for value in edge.inputs}
    seen: set[Hashable] = set()
    for value, sources in origins_of(flow).items():
        place = value.owner if isinstance(value.owner, Block) else None
        key = (place, value.type, *(sources[:1] if value in begins else sources))
        if key in seen:
            return True
        seen.add(key)
    return False


@_for_all
class DeadValues(RewritePattern):
    """Drops unused results, and carried values that only keep each other alive.

    `r, s = loop(v = x, k = 0) { next f(v), k + 1 } → r = loop(v = x) { next f(v) }`, if `s` is unused.

    Optimistic: a carried value is live only if it is needed by a used result, the condition, an operation that stays for its
    effects (`ov.fail` in a branch) or another live value. So a counter that only feeds itself is dropped, and so are two values
    that swap, through nested loops too. A sliced input that the body does not use is dropped if the trip count is known without
    it. A value that an `scf.while` forwards unchanged is removed from both of its regions or from neither, so that its normal
    form is preserved. An `ov.if` keeps one result.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Structured, rewriter: PatternRewriter) -> None:
        if _forwards_nothing(op):
            return
        flow = region_flow(op)
        together = tied_values(flow)
        if isinstance(op, IfOp) and all(result.first_use is None for result in op.results):
            return
        live = _live_values(flow, together)
        if isinstance(op, LoopOp):
            live.update(_needed_slices(op))
        dead = together.keys() - live
        if not dead:
            return
        for carried in flow.carried:
            for argument in carried.arguments:
                if argument in dead and argument.first_use is not None:
                    # Only dead operations use it; they go once nothing hands their results on.
                    rewriter.replace_all_uses_with(argument, carried.initial)
        without_inputs(op, dead, rewriter)


def _needed_slices(op: LoopOp) -> list[SSAValue]:
    """Return the parts that a loop needs, or that determine its trips."""
    if static_trips(op) is None:
        return list(op.part_arguments)
    read = [a for a in op.part_arguments if a.first_use is not None]
    # Without a trip count one of the slices, which are all as many, says how often the loop runs.
    return read if read or op.trip is not None else list(op.part_arguments[:1])


def _live_values(flow: RegionFlow, together: Mapping[SSAValue, Collection[SSAValue]]) -> set[SSAValue]:
    """Return the values that must stay live.

    They are those of an operation, and in its regions. Its used results, what decides its way and the operations that stay in
    any case depend on them.

    Values from outside depend on nothing inside, and are not followed: the surrounding program may be large.
    """
    op = flow.op
    used = [result for result in op.results if result.first_use is not None]
    live = {value for result in used for value in together[result]}
    if all(value in live for edge in flow.edges for value in edge.inputs):
        # Every chain stays: there is nothing to follow, however deep the loops in it are.
        return live
    inside: dict[Block, bool] = {}
    work: list[SSAValue] = [*used, *flow.deciders]
    for region in op.regions:
        if region.blocks:
            work += _needed_by_effects(region.block)
    seen: set[SSAValue] = set()
    flow_of = cache(region_flow)
    while work:
        value = work.pop()
        if value in seen:
            continue
        if value in together:
            seen.add(value)
            work += together[value]
            work += (by.operands[number] for by, number in flow.predecessor_operands(value))
            work += (by.operands[number] for by, number in flow.predecessor_operands(value, flow.derived))
        elif _is_inside(op, value, inside):
            seen.add(value)
            work += needed_values(value, flow_of(owning_operation(value)))
    return seen


def _needed_by_effects(block: Block) -> list[SSAValue]:
    """Return the operands of operations that stay even if unused.

    These are the operations in the block, at any depth, that may fail or whose effects are unknown.

    If an `ov.if` contains such an operation, one of its results stays too, so both arms need the values that they yield. If
    a loop contains one, the values that determine its trip count are needed.
    """
    effects = EffectsOfNests()
    needed: list[SSAValue] = []
    blocks = [block]
    while blocks:
        block = blocks.pop()
        for op in block.ops:
            if op is block.last_op:
                needed += op.operands if isinstance(op, YieldOp) else ()
                continue
            if effects.is_dead_if_unused(op):
                continue
            flow = region_flow(op)
            if flow is None:
                needed += (value for inner in walk(op) for value in inner.operands)
                continue
            needed += flow.deciders
            blocks += (inner.block for inner in op.regions if inner.blocks)
    return needed


def _is_inside(op: Operation, value: SSAValue, known: dict[Block, bool]) -> bool:
    """Return True if a region of an operation defines the value.

    Regions inside of them count, too. `known` caches the result for each block.
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
        if parent is op:
            found = True
            break
        block = None if parent is None else parent.parent
    known.update(dict.fromkeys(way, found))
    return found
