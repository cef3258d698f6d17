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

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import BoolAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.profile import drop
from loomir.dialects.region_flow import region_flow
from loomir.dialects.scalars import integer_predicate
from loomir.dialects.scalars.row import constant_integer, constant_trips, type_range
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.value_ranges import IntegerRanges
from loomir.passes.structured.lib.scf_loops import distance, emit, inline_iterations, loop_constant

_LESSER = (arith.MinSIOp, arith.MinUIOp)
_GREATER = (arith.MaxSIOp, arith.MaxUIOp)
_UNSIGNED = (arith.MinUIOp, arith.MaxUIOp)


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
            ranges = IntegerRanges()
            if self.peel_front:
                remarks.passed(loop, "peeled its first iteration", trips=constant_trips(loop))
                _peel_first(loop)
                continue
            trips, step = constant_trips(loop), constant_integer(loop.step)
            made, known = _peel_last(loop, ranges)
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
    lower, upper = constant_integer(loop.lb), constant_integer(loop.ub)
    if step == 1 or (
        trips is not None
        and lower is not None
        and upper is not None
        and step is not None
        and not (upper - lower) % step
    ):
        return MissedReason(f"its step of {step} divides its range", {"step": step})
    return None


def _peel_last(loop: scf.ForOp, ranges: IntegerRanges) -> tuple[list[Operation], int]:
    """Move the last, partial iteration of a loop behind the loop.

    Returns the operations that were created behind the loop, and the number of comparisons that are known as a result.
    """
    trips = constant_trips(loop)
    lower, step = constant_integer(loop.lb), constant_integer(loop.step)
    point = InsertPoint.before(loop)
    split: SSAValue
    if trips is not None and lower is not None and step is not None:
        split = loop_constant(lower + (trips - 1) * step, loop, point)
    else:
        least = loop.step
        if ranges.of(least)[0] < 1:
            least = emit(arith.MaxSIOp(least, loop_constant(1, loop, point)), loop, point)
        length = distance(loop, point)
        rest = emit(arith.RemUIOp(length, least), loop, point)
        split = emit(arith.AddiOp(loop.lb, emit(arith.SubiOp(length, rest), loop, point)), loop, point)
    drop(loop)
    uses = [list(result.uses) for result in loop.results]
    following, behind = loop.next_op, InsertPoint.after(loop)
    part: scf.ForOp | None = None
    known = 0
    if trips is not None:
        given = inline_iterations(loop, behind, trips - 1, 1, loop.results)
    else:
        part = loop.clone()
        part.operands = [split, loop.ub, loop.step, *loop.results]
        Rewriter.insert_op(part, behind)
        known += _Known(part, loop.lb, ranges, is_partial=True).rewrite()
        part.body.block.args[0].replace_all_uses_with(split)
        given = list(part.results)
    known += _Known(loop, loop.lb, ranges, is_partial=False).rewrite()
    for old, value in zip(uses, given, strict=True):
        for use in old:
            use.operation.operands[use.index] = value
    loop.operands[1] = split
    made: list[Operation] = []
    op = loop.next_op
    while op is not None and op is not following:
        made.append(op)
        op = op.next_op
    return made, known


def _peel_first(loop: scf.ForOp) -> None:
    """Put the first iteration in front of a loop."""
    drop(loop)
    trips = constant_trips(loop)
    lower, step = constant_integer(loop.lb), constant_integer(loop.step)
    point = InsertPoint.before(loop)
    initial = list(region_flow(loop).entry.operands)
    if trips is not None and lower is not None and step is not None:
        given: Sequence[SSAValue] = inline_iterations(loop, point, 0, 1, initial)
        split = loop_constant(lower + step, loop, point)
    else:
        # At most as far as the bound, so that nothing overflows.
        taken = emit(arith.MinUIOp(distance(loop, point), loop.step), loop, point)
        split = emit(arith.AddiOp(loop.lb, taken), loop, point)
        part = loop.clone()
        part.operands = [loop.lb, split, loop.step, *initial]
        Rewriter.insert_op(part, point)
        given = part.results
    loop.operands = [split, loop.ub, loop.step, *given]


@dataclass
class _Known:
    """Known relations in the body of a peeled loop.

    The loop either runs whole steps up to a split before `ub`, or is the partial one, which runs once or not at all. The
    loop still has the old bound; `lower` is the initial value of the whole loop.
    """

    loop: scf.ForOp
    lower: SSAValue
    ranges: IntegerRanges
    is_partial: bool

    def rewrite(self) -> int:
        """Replace minima, maxima and comparisons by what they are; how many."""
        count = 0
        for op in list(walk(self.loop.body)):
            if not isinstance(
                op, arith.CmpiOp | arith.MinSIOp | arith.MinUIOp | arith.MaxSIOp | arith.MaxUIOp
            ):
                continue
            compared = set(op.operands)
            if isinstance(op, arith.CmpiOp):
                asked = integer_predicate(op)
                relation = self._relation(op.lhs, op.rhs, asked.unsigned)
                holds = None if relation is None else _FOLLOWS.get((relation, asked.relation))
                if holds is None:
                    continue
                new = arith.ConstantOp(BoolAttr.from_bool(holds))
                new.location = op.location
                Rewriter.replace_op(op, new)
            else:
                relation = self._relation(op.lhs, op.rhs, isinstance(op, _UNSIGNED))
                if relation is None:
                    continue
                is_lhs = (relation[0] == "<") is isinstance(op, _LESSER)
                Rewriter.replace_op(op, [], [op.lhs if is_lhs else op.rhs])
            for value in compared:
                made = value.owner
                if value.first_use is None and isinstance(made, arith.SubiOp | arith.AddiOp):
                    Rewriter.erase_op(made)
            count += 1
        return count

    def _relation(self, a: SSAValue, b: SSAValue, unsigned: bool) -> str | None:
        """Return the relation that surely holds between two values, or None.

        The relation is `<`, `<=`, `>` or `>=`.
        """
        if (found := self._one_way(a, b, unsigned)) is not None:
            return found
        found = self._one_way(b, a, unsigned)
        return None if found is None else found.translate(str.maketrans("<>", "><"))

    def _one_way(self, a: SSAValue, b: SSAValue, unsigned: bool) -> str | None:
        """Return the relation of an induction-variable expression to a value, or None.

        This is `_relation` for the case that the expression of the induction variable is on the left.
        """
        op, loop = a.owner, self.loop
        iv = loop.body.block.args[0]
        if isinstance(op, arith.SubiOp) and op.rhs is iv and _same(op.lhs, loop.ub):
            return self._left(b, unsigned)
        is_next = isinstance(op, arith.AddiOp) and (
            (op.lhs is iv and _same(op.rhs, loop.step)) or (op.rhs is iv and _same(op.lhs, loop.step))
        )
        if is_next and _same(b, loop.ub) and self.ranges.of(loop.step)[0] >= 1:
            greatest = type_range(iv.type)[1]
            if unsigned and self.ranges.of(self.lower)[0] < 0:
                return None
            if not self.is_partial:
                return "<="
            if self.ranges.of(loop.ub)[1] + self.ranges.of(loop.step)[1] - 1 <= greatest:
                return ">"
        return None

    def _left(self, other: SSAValue, unsigned: bool) -> str | None:
        """Return the relation of the remaining distance (`ub - iv`) to a value."""
        low, high = self.ranges.of(self.loop.step)
        if unsigned:
            if low < 1:
                return None
        elif self.ranges.of(self.loop.ub)[1] - self.ranges.of(self.lower)[0] > type_range(other.type)[1]:
            return None
        if _same(other, self.loop.step):
            return "<" if self.is_partial else ">="
        number = constant_integer(other)
        if number is None or (unsigned and number < 0):
            return None
        if self.is_partial:
            return "<" if number >= high else None
        return ">" if number < low else ">=" if number == low else None


_FOLLOWS = {
    ("<", "<"): True,
    ("<", "<="): True,
    ("<", "!="): True,
    ("<", ">"): False,
    ("<", ">="): False,
    ("<", "=="): False,
    ("<=", "<="): True,
    ("<=", ">"): False,
    (">", ">"): True,
    (">", ">="): True,
    (">", "!="): True,
    (">", "<"): False,
    (">", "<="): False,
    (">", "=="): False,
    (">=", ">="): True,
    (">=", "<"): False,
}
"""Where the first relation holds: whether the second does."""


def _same(a: SSAValue, b: SSAValue) -> bool:
    number = constant_integer(a)
    return a is b or (number is not None and number == constant_integer(b))
