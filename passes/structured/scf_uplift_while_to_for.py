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
place. It may count up, to a bound with `<` or `<=`, or down, with `>` or `>=`:

```mlir
%r = scf.while (%i = %u) : (index) -> index {
  %c = arith.cmpi sgt, %i, %l : index
  scf.condition(%c) %i : index
} do {
^bb0(%i: index):
  body(%i)
  %n = arith.subi %i, %c1 : index
  scf.yield %n : index
}

%b = arith.addi %u, %l : index
scf.for %j = %l to %u step %c1 {
  %i = arith.subi %b, %j : index        // falls from %u
  body(%i)
}
%r = arith.minsi %u, %l : index
```

With `!=` the counter has to hit the bound without going round the end of its type: what it begins with is known to be on the right side,
and the step is 1, or divides the distance of two constants. With a step of more than 1 the bound has to be so far from the last number of
its type that the counter does not wrap around, with `<=` and `>=` one more; what it ends as is computed from the number of iterations. A
comparison of unsigned numbers is one of signed ones where neither can be negative. (In GRAPH: `ov-uplift-while-to-for`.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.affine_forms import AffineForm
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import i1
from loomir.dialects.index_builder import IntegerBuilder
from loomir.dialects.region_flow import region_flow, terminator
from loomir.dialects.scalars import EXCHANGED, IntegerPredicate, integer_predicate_of
from loomir.dialects.scalars.integer_forms import form_of
from loomir.dialects.scalars.intervals import Interval
from loomir.dialects.scalars.row import type_range, wrapped
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.value_ranges import IntegerRanges


@dataclass(frozen=True)
class ScfUpliftWhileToForPass(ModulePass):
    """Converts counting while loops to counted loops (see the module's docstring).

    A counting while loop only counts to a bound.
    """

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
    """Counter that is compared with a bound.

    It has a position among the arguments (`place`) and a step that is added to it, which is negative if the counter
    decreases. `inclusive`: the loop continues if counter and bound are equal.
    """

    place: int
    bound: SSAValue
    step: int
    inclusive: bool = False


def _counter(loop: scf.WhileOp, ranges: IntegerRanges) -> _Counter | str:
    """The counter of a loop, or why there is none."""
    flow = region_flow(loop)
    (condition,) = flow.deciders
    first = loop.regions[0].block
    end = terminator(first)
    comparison = condition.owner
    if (
        not isinstance(comparison, arith.CmpiOp)
        or first.first_op is not comparison
        or comparison.next_op is not end
    ):
        return "its before region has more than a comparison"
    if list(end.operands[1:]) != list(first.args):
        return "it forwards other values than its arguments, or in another order"
    left, right, predicate = comparison.lhs, comparison.rhs, comparison.predicate.value.data
    if _is_argument(right, first):
        left, right, predicate = right, left, EXCHANGED[predicate]
    if not _is_argument(left, first) or _is_argument(right, first):
        return "it does not compare an argument with a value from outside"
    asked = integer_predicate_of(predicate)
    assert isinstance(left, BlockArgument)
    if left.type == i1:
        return "its counter is a boolean"
    counter = flow.carried[left.index]
    added = form_of(counter.following, exact=False) - AffineForm[SSAValue].of(counter.arguments[-1])
    if added.coefficient(counter.arguments[-1]):
        return "nothing is added to the counter"
    if added.number is None:
        return "the step of its counter is not a constant"
    step = wrapped(added.number, left.type)
    found = _Counter(left.index, right, step, asked.reflexive)
    initial, bound = ranges.of(counter.initial), ranges.of(right)
    return _refusal(asked, initial, bound, found, type_range(left.type)) or found


def _refusal(
    asked: IntegerPredicate, initial: Interval, bound: Interval, counter: _Counter, limits: Interval
) -> str | None:
    """Return why a counter cannot be that of an `scf.for`, or None.

    The initial value of the counter is in one interval; the bound that it is compared with is in another.
    """
    step, relation = counter.step, asked.relation
    least, greatest = limits
    if step == 0 or relation == "==" or (relation != "!=" and (step > 0) is not (relation[0] == "<")):
        return f"its condition is counter {relation} bound, with a step of {step}"
    if asked.unsigned and min(initial[0], bound[0]) < 0:
        return "it compares unsigned numbers that may not fit a signed type"
    if relation == "!=":
        ahead = initial[1] <= bound[0] if step > 0 else initial[0] >= bound[1]
        if not ahead or (abs(step) != 1 and not (_is_one(initial) and _is_one(bound))):
            return f"the counter may miss the bound with a step of {step}"
        hits = abs(step) == 1 or not (bound[0] - initial[0]) % step
        return None if hits else f"the counter misses the bound with a step of {step}"
    if step > 0 and bound[1] + counter.inclusive > greatest - step + 1:
        return f"the counter may wrap around before the bound with a step of {step}"
    # Unsigned, zero is the end; and the loop that counts up in its place ends at what the counter begins with.
    end = 0 if asked.unsigned else least
    if step < 0 and (bound[0] - counter.inclusive + step + 1 < end or initial[1] > greatest + step + 1):
        return f"the counter may wrap around before the bound with a step of {step}"
    return None


def _is_one(interval: Interval) -> bool:
    return interval[0] == interval[1]


def _is_argument(value: SSAValue, block: Block) -> bool:
    return isinstance(value, BlockArgument) and value.block is block


def _uplift(loop: scf.WhileOp, found: _Counter) -> None:
    """Put a counted loop in the place of a while loop."""
    carried = region_flow(loop).carried
    counter, others = carried[found.place], [c for k, c in enumerate(carried) if k != found.place]
    point = InsertPoint.before(loop)

    type_ = counter.initial.type
    assert isinstance(type_, IndexType | IntegerType)
    numbers = IntegerBuilder(type_, loop.location, lambda new: Rewriter.insert_op(new, point))
    size, falls = abs(found.step), found.step < 0
    step, limit = numbers.value(size), found.bound
    if found.inclusive:
        # The last number that it goes on with is one within the limit.
        one = step if size == 1 else numbers.value(1)
        limit = numbers.emit("sub" if falls else "add", limit, one)
    body = Block(arg_types=[type_, *(c.initial.type for c in others)])
    iv, *values = body.args
    number: SSAValue = iv
    if falls:
        number = replace(numbers, insert=body.add_op).emit(
            "sub", numbers.emit("add", counter.initial, limit), iv
        )
    becomes: dict[SSAValue, SSAValue] = {c.arguments[-1]: v for c, v in zip(others, values, strict=True)}
    becomes[counter.arguments[-1]] = number
    for argument, value in becomes.items():
        value.name_hint = argument.name_hint
    second = loop.regions[1].block
    end = terminator(second)
    handed_on = scf.YieldOp(*(becomes.get(c.following, c.following) for c in others))
    handed_on.location = end.location
    Rewriter.inline_block(second, InsertPoint.at_end(body), [becomes[argument] for argument in second.args])
    Rewriter.erase_op(end)
    body.add_op(handed_on)
    bounds = (limit, counter.initial) if falls else (counter.initial, limit)
    new = scf.ForOp(*bounds, step, [c.initial for c in others], body)
    new.attributes |= loop.attributes
    new.location = loop.location
    Rewriter.insert_op(new, point)
    if counter.following.first_use is None and isinstance(add := counter.following.owner, Operation):
        Rewriter.erase_op(add)
    if falls and number.first_use is None and isinstance(unread := number.owner, Operation):
        Rewriter.erase_op(unread)
    for c, result in zip(others, new.results, strict=True):
        c.result.replace_all_uses_with(result)
    if counter.result.first_use is not None:
        if size == 1:
            last = numbers.emit("min" if falls else "max", counter.initial, limit)
        else:
            # Unsigned, as the trips are: bounds may be farther apart than half of all numbers.
            length = numbers.sub(numbers.max(counter.initial, limit), bounds[0])
            far = numbers.mul(numbers.emit("ceildivui", length, step), step)
            last = numbers.emit("sub" if falls else "add", counter.initial, far)
        counter.result.replace_all_uses_with(last)
    Rewriter.erase_op(loop)
