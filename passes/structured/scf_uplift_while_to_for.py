"""`scf-uplift-while-to-for`: an `scf.while` that only counts to a bound becomes an `scf.for`.

```mlir
%r:2 = scf.while (%i = %l, %v = %x) : (index, f32) -> (index, f32) {
  %c = arith.cmpi slt, %i, %u : index
  scf.condition(%c) %i, %v : index, f32
} do {
^bb0(%i: index, %v: f32):
  %w = arith.mulf %v, %v : f32
  %n = arith.addi %i, %c1 : index
  scf.yield %n, %w : index, f32
}

%s = scf.for %i = %l to %u step %c1 iter_args(%v = %x) -> (f32) {
  %w = arith.mulf %v, %v : f32
  scf.yield %w : f32
}
%r0 = arith.maxsi %l, %u : index        // what the counter ends as
```

The first region holds nothing but the comparison; counter and bound may stand on either side, and the counter may be handed on at any
place. With a step of more than 1 the bound has to be so far from the greatest number of its type that the counter does not wrap around, and
what it ends as is computed from the number of iterations. A comparison of unsigned numbers is one of signed ones where neither can be
negative. (In GRAPH: `ov-uplift-while-to-for`, for all relations.)
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.region_flow import region_flow, terminator
from loomir.dialects.scalars.constants import constant_integer, type_range
from loomir.dialects.scalars.predicates import EXCHANGED, integer_predicate_of
from loomir.dialects.walking import walk
from loomir.passes.analysis.integer_ranges import IntegerRanges
from loomir.passes.analysis.remarks import Remarks


@dataclass(frozen=True)
class ScfUpliftWhileToForPass(ModulePass):
    """Make counted loops of while loops that only count to a bound (see the module's docstring)."""

    name = "scf-uplift-while-to-for"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        remarks, ranges = Remarks(self.name), IntegerRanges()
        # Inner loops first, while the outer ones are as they were.
        for loop in reversed([inner for inner in walk(op) if isinstance(inner, scf.WhileOp)]):
            found = _counter(loop, ranges)
            if isinstance(found, str):
                remarks.missed(loop, found)
            else:
                remarks.passed(loop, "it counts to a bound", step=found.step)
                _uplift(loop, found)


@dataclass(frozen=True)
class _Counter:
    """A value that is compared with a bound: its place among the arguments, and what is added to it."""

    place: int
    bound: SSAValue
    step: int


def _counter(loop: scf.WhileOp, ranges: IntegerRanges) -> _Counter | str:
    """The counter of a loop, or why there is none."""
    flow = region_flow(loop)
    (condition,) = flow.deciders
    first, second = (region.block for region in loop.regions)
    end = terminator(first)
    comparison = condition.owner
    if (
        not isinstance(comparison, arith.CmpiOp)
        or first.first_op is not comparison
        or comparison.next_op is not end
    ):
        return "its first region is more than a comparison"
    if list(end.operands[1:]) != list(first.args):
        return "it hands on other values than its arguments, or in another order"
    left, right, predicate = comparison.lhs, comparison.rhs, comparison.predicate.value.data
    if _is_argument(right, first):
        left, right, predicate = right, left, EXCHANGED[predicate]
    if not _is_argument(left, first) or _is_argument(right, first):
        return "it does not compare an argument with a value from outside"
    asked = integer_predicate_of(predicate)
    if asked.relation != "<":
        return f"it goes on while a counter is {asked.relation} a bound"
    assert isinstance(left, BlockArgument)
    counter = flow.carried[left.index]
    add = counter.following.owner
    argument = counter.arguments[-1]
    if not isinstance(add, arith.AddiOp) or add.parent is not second or argument not in add.operands:
        return "nothing is added to the counter"
    added = add.rhs if add.lhs is argument else add.lhs
    step = constant_integer(added)
    if step is None or step <= 0:
        return "what is added to the counter is not a positive constant"
    greatest = type_range(left.type)[1]
    if asked.unsigned and min(ranges.of(counter.initial)[0], ranges.of(right)[0]) < 0:
        return "it compares unsigned numbers that may be too large for signed ones"
    if step > 1 and ranges.of(right)[1] > greatest - step + 1:
        return f"the counter may wrap around before the bound, by a step of {step}"
    return _Counter(left.index, right, step)


def _is_argument(value: SSAValue, block: Block) -> bool:
    return isinstance(value, BlockArgument) and value.block is block


def _uplift(loop: scf.WhileOp, found: _Counter) -> None:
    """Put a counted loop in the place of a while loop."""
    carried = region_flow(loop).carried
    counter, others = carried[found.place], [c for k, c in enumerate(carried) if k != found.place]
    point = InsertPoint.before(loop)

    def emit(op: Operation) -> SSAValue:
        op.location = loop.location
        Rewriter.insert_op(op, point)
        return op.results[0]

    type_ = counter.initial.type
    assert isinstance(type_, IndexType | IntegerType)
    step = emit(arith.ConstantOp(IntegerAttr(found.step, type_)))
    body = Block(arg_types=[type_, *(c.initial.type for c in others)])
    iv, *values = body.args
    becomes = {c.arguments[-1]: v for c, v in zip(others, values, strict=True)} | {counter.arguments[-1]: iv}
    for argument, value in becomes.items():
        value.name_hint = argument.name_hint
    second = loop.regions[1].block
    end = terminator(second)
    handed_on = scf.YieldOp(*(becomes.get(c.following, c.following) for c in others))
    handed_on.location = end.location
    Rewriter.inline_block(second, InsertPoint.at_end(body), [becomes[argument] for argument in second.args])
    Rewriter.erase_op(end)
    body.add_op(handed_on)
    new = scf.ForOp(counter.initial, found.bound, step, [c.initial for c in others], body)
    new.attributes |= loop.attributes
    new.location = loop.location
    Rewriter.insert_op(new, point)
    if counter.following.first_use is None and isinstance(add := counter.following.owner, Operation):
        Rewriter.erase_op(add)
    for c, result in zip(others, new.results, strict=True):
        c.result.replace_all_uses_with(result)
    if counter.result.first_use is not None:
        last = emit(arith.MaxSIOp(counter.initial, found.bound))
        if found.step != 1:
            # Unsigned, as the trips are: bounds may be farther apart than half of all numbers.
            trips = emit(arith.CeilDivUIOp(emit(arith.SubiOp(last, counter.initial)), step))
            last = emit(arith.AddiOp(counter.initial, emit(arith.MuliOp(trips, step))))
        counter.result.replace_all_uses_with(last)
    Rewriter.erase_op(loop)
