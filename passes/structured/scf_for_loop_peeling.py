"""Peeling of a loop's last, partial iteration: `scf-for-loop-peeling`.

If the last iteration is only a part of a step, it is moved behind the loop.

```mlir
scf.for %i = %c0 to %n step %c4 {
  %d = arith.subi %n, %i : index
  %m = arith.minsi %c4, %d : index        // how much is left to do: 4, or less at the end
  body(%i, %m)
}
```

becomes

```mlir
%s = the greatest multiple of 4 that is at most %n
scf.for %i = %c0 to %s step %c4 {
  body(%i, %c4)
}
scf.for %i = %s to %n step %c4 {          // once, or not at all
  %d = arith.subi %n, %s : index
  body(%s, %d)
}
```

Operations that compare the step, or a constant, with the remaining distance (`ub - iv`), or the next number
(`iv + step`) with the bound, are known in both loops: minima, maxima and comparisons, and hence `arith.select` after
`canonicalize`. With constant bounds the last iteration becomes straight-line code. `peel-front` peels the first
iteration instead, from any loop that may run more than one iteration. Loops within a last, partial iteration are not
peeled, unless `skip-partial=false`. All that is peeled from a program together is at most four times its operations, or
1024: a deeply nested loop would be copied with each of its enclosing loops.

A loop runs the iterations lb, lb + step … below ub in the mathematical sense: the number beyond ub, which might not fit
its type, is not an iteration. The computations before the loop treat distances as unsigned, since bounds may be farther
apart than half of all numbers. For the same reason a signed `ub - iv` is known only if `ub - lb` surely fits. If there
are no iterations, both loops are empty. With a step that turns out to be 0 or less, which no `scf.for` should have, the
first of the two loops behaves as the original loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, permutations

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import BoolAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from loomir.dialects.control_flow.conditions import Comparison, KnownConditions
from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.scalars import integer_predicate, integer_predicate_number
from loomir.dialects.scalars.row import constant_integer, constant_range, constant_trips, type_range
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.value_ranges import IntegerRanges
from loomir.passes.control_flow.counted_loops import peel
from loomir.passes.structured.lib.loop_pieces import ForPieces

_LESSER = arith.MinSIOp | arith.MinUIOp
_GREATER = arith.MaxSIOp | arith.MaxUIOp
_UNSIGNED = arith.MinUIOp | arith.MaxUIOp


@dataclass(frozen=True)
class ScfForLoopPeelingPass(ModulePass):
    """Peels the last or first iteration of loops (see the module's docstring).

    The loops are counted; the last iteration is peeled if it is partial.
    """

    name = "scf-for-loop-peeling"
    EXACT = True

    peel_front: bool = False
    skip_partial: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        remarks = Remarks(self.name)
        # Outer loops first: what is peeled of one has a copy of those in it.
        work = [inner for inner in walk(op) if isinstance(inner, scf.ForOp)][::-1]
        sizes = _sizes([op])
        left = max(LEAST_ROOM, TIMES * sizes[op])
        while work:
            loop = work.pop()
            why, size = _refusal(loop, self.peel_front), sizes[loop]
            if why is None and size > left:
                why = MissedReason(
                    f"its {size} operations are more than the {left} left", {"size": size, "limit": left}
                )
            if why is not None:
                remarks.missed(loop, why)
                continue
            left -= size
            if self.peel_front:
                remarks.passed(loop, "peeled its first iteration", trips=constant_trips(loop))
                peel(ForPieces(loop), at_end=False)
                continue
            trips, step = constant_trips(loop), constant_integer(loop.step)
            made, known = _peel_last(loop)
            remarks.passed(
                loop,
                f"peeled its last, partial iteration; decided {known} minima and comparisons",
                trips=trips,
                step=step,
                known=known,
            )
            if not self.skip_partial:
                sizes |= _sizes(made)
                # The part itself is no loop to peel.
                work += [o for top in made for o in walk(top) if isinstance(o, scf.ForOp) and o is not top]


TIMES = 4
"""How many times its operations may be peeled of a program."""

LEAST_ROOM = 1024
"""Operations that may be peeled of any program."""


def _sizes(tops: Sequence[Operation]) -> dict[Operation, int]:
    """Return the operation counts of these and of nested operations with regions.

    The count of an operation includes the operation itself. Each operation is visited once.
    """
    sizes: dict[Operation, int] = {}
    for top in tops:
        for op in reversed(list(walk(top))):
            size = sizes.get(op, 0) + 1
            if op.regions:
                sizes[op] = size
            if op is not top and (parent := op.parent_op()) is not None:
                sizes[parent] = sizes.get(parent, 0) + size
    return sizes


def _refusal(loop: scf.ForOp, front: bool) -> MissedReason | None:
    """Why a loop is left alone."""
    trips, step = constant_trips(loop), constant_integer(loop.step)
    if trips is not None and trips < 2:
        return MissedReason(f"its {trips} trips leave nothing to peel", {"trips": trips})
    if step is not None and step < 1:
        return MissedReason(f"its step of {step} is not positive", {"step": step})
    if front:
        return None
    lower, upper = constant_range(loop.lb)[0], constant_range(loop.ub)[0]
    if step == 1 or (trips is not None and not (upper - lower) % (step or 1)):
        return MissedReason(f"its step of {step} divides its range", {"step": step})
    return None


def _peel_last(loop: scf.ForOp) -> tuple[list[Operation], int]:
    """Move the last, partial iteration of a loop behind the loop.

    Returns the operations that were created behind the loop, and the number of comparisons that are known as a result.
    """
    pieces, following = ForPieces(loop), loop.next_op
    lower, upper, ranges = loop.lb, loop.ub, IntegerRanges()
    peel(pieces, at_end=True)
    count = 0
    if (part := pieces.part) is not None:
        count += _Known(part, lower, upper, ranges, is_partial=True).rewrite()
        part.body.block.args[0].replace_all_uses_with(part.lb)
    count += _Known(loop, lower, upper, ranges, is_partial=False).rewrite()
    made: list[Operation] = []
    op = loop.next_op
    while op is not None and op is not following:
        made.append(op)
        op = op.next_op
    return made, count


@dataclass
class _Known:
    """Known relations of numbers in one part of a peeled loop.

    The peeled loop ran from `lower` to `upper`. This one runs whole steps or, as the partial one, the step at the end, once or not at all.
    """

    loop: scf.ForOp
    lower: SSAValue
    upper: SSAValue
    ranges: IntegerRanges
    is_partial: bool

    def rewrite(self) -> int:
        """Replace minima, maxima and comparisons by what they are; how many."""
        count = 0
        for op in list(walk(self.loop.body)):
            if not isinstance(op, arith.CmpiOp | _LESSER | _GREATER):
                continue
            compared, unsigned = set(op.operands), isinstance(op, _UNSIGNED)
            if isinstance(op, arith.CmpiOp):
                unsigned = integer_predicate(op).unsigned
            known = KnownConditions({}, chain(*(self._facts(value, unsigned) for value in compared)))
            if isinstance(op, arith.CmpiOp):
                holds = known.comparison(op.predicate.value.data, op.lhs, op.rhs)
                if holds is None:
                    continue
                new = arith.ConstantOp(BoolAttr.from_bool(holds))
                new.location = op.location
                Rewriter.replace_op(op, new)
            else:
                at_most = integer_predicate_number("<=", unsigned=unsigned)
                pairs = [(op.lhs, op.rhs), (op.rhs, op.lhs)]
                order = next((pair for pair in pairs if known.comparison(at_most, *pair)), None)
                if order is None:
                    continue
                Rewriter.replace_op(op, [], [order[isinstance(op, _GREATER)]])
            for value in compared:
                made = value.owner
                if value.first_use is None and isinstance(made, arith.SubiOp | arith.AddiOp):
                    Rewriter.erase_op(made)
            count += 1
        return count

    def _facts(self, value: SSAValue, unsigned: bool) -> list[Comparison]:
        """Return known comparisons of a value of the loop.

        It is the distance that is left (`ub - iv`), or the next number (`iv + step`).
        """
        made, number, step = value.owner, self.loop.body.block.args[0], self.loop.step
        if not isinstance(made, arith.SubiOp | arith.AddiOp):
            return []
        (begin, _), (_, end) = self.ranges.of(self.lower), self.ranges.of(self.upper)
        least, greatest = self.ranges.of(step)
        fits = type_range(number.type)[1]
        if isinstance(made, arith.SubiOp):
            is_known = made.rhs is number and _same(made.lhs, self.upper)
            is_known = is_known and (least >= 1 if unsigned else end - begin <= fits)
            relation, bounds = ("<", (step, greatest)) if self.is_partial else (">=", (step, least))
        else:
            is_known = any(a is number and _same(b, step) for a, b in permutations(made.operands))
            is_known = is_known and least >= 1 and not (unsigned and begin < 0)
            is_known = is_known and (not self.is_partial or end + greatest - 1 <= fits)
            relation, bounds = (">" if self.is_partial else "<="), (self.upper,)
        predicate = integer_predicate_number(relation, unsigned=unsigned)
        return [Comparison(predicate, value, bound) for bound in bounds] if is_known else []


def _same(a: SSAValue, b: SSAValue) -> bool:
    number = constant_integer(a)
    return a is b or (number is not None and number == constant_integer(b))
