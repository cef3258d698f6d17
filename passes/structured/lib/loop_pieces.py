"""Pieces of an `scf.for`, for unrolling and peeling."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.control_flow.rewriting import copy_body, remade
from loomir.dialects.profile import drop
from loomir.dialects.region_flow import region_flow, terminator
from loomir.dialects.scalars.row import constant_integer, constant_trips
from loomir.passes.analysis.value_ranges import IntegerRanges
from loomir.passes.control_flow.counted_loops import LoopPieces


class ForPieces(LoopPieces):
    """Pieces of an `scf.for`.

    The loop itself becomes the piece that is neither a copy nor a group. Distances are unsigned: bounds may be farther
    apart than half of all numbers.

    `lower` is the number of the next iteration, `carried` are its values. `part` is the loop over a first or last iteration that
    may not come, if there is one.
    """

    def __init__(self, loop: scf.ForOp) -> None:
        self.loop = loop
        self.upper = loop.ub
        self.lower: SSAValue = loop.lb
        self.carried: Sequence[SSAValue] = list(region_flow(loop).entry.operands)
        self.trips, self.step = constant_trips(loop), constant_integer(loop.step)
        self.part: scf.ForOp | None = None
        self._begin = constant_integer(loop.lb)
        self._done = 0
        self._point = InsertPoint.before(loop)
        self._uses = [list(result.uses) for result in loop.results]
        self._keeps_loop = False

    def copy(self, count: int) -> None:
        body = self.loop.body.block
        for number in range(self._done, self._done + count):
            index = self._number(number) if body.args[0].first_use is not None else self.loop.lb
            self.carried = self._copied(self._point, index, self.carried)
        self._done += count

    def group(self, factor: int, trips: int | None = None) -> None:
        loop, step = self.loop, self.step
        assert step is not None
        upper = self._whole_groups(factor, step) if trips is None else self._number(trips)
        old = loop.body.block
        block = Block(arg_types=[argument.type for argument in old.args])
        for argument, source in zip(block.args, old.args, strict=True):
            argument.name_hint, argument.location = source.name_hint, source.location
        inside = InsertPoint.at_end(block)
        number, *values = block.args
        given: Sequence[SSAValue] = values
        for k in range(factor):
            index: SSAValue = number
            if k and old.args[0].first_use is not None:
                index = self._emit(arith.AddiOp(number, self._constant(k * step)), inside)
            given = self._copied(inside, index, given)
        end = scf.YieldOp(*given)
        end.location = terminator(old).location
        block.add_op(end)
        operands = [self.lower, upper, self._constant(factor * step), *self.carried]
        grouped = remade(loop, operands, [result.type for result in loop.results], [Region(block)])
        drop(grouped)
        Rewriter.insert_op(grouped, self._point)
        self.lower, self.carried, self._done = upper, grouped.results, trips or 0

    def rest(self) -> None:
        self._run(self.upper)

    def all_but_last(self) -> None:
        if self.trips is not None:
            return self._run(self._number(self.trips - 1), self.trips - 1)
        # Whole steps, and behind them a part of one or nothing.
        least, ranges = self.loop.step, IntegerRanges()
        if ranges.of(least)[0] < 1:
            least = self._emit(arith.MaxSIOp(least, self._constant(1)))
        length = self._distance()
        rest = self._emit(arith.RemUIOp(length, least))
        self._run(self._emit(arith.AddiOp(self.lower, self._emit(arith.SubiOp(length, rest)))))

    def one(self) -> None:
        if self.trips is not None:
            return self.copy(1)
        upper = self.upper
        if not self._keeps_loop:
            # At most as far as the bound, so that nothing overflows.
            taken = self._emit(arith.MinUIOp(self._distance(), self.loop.step))
            upper = self._emit(arith.AddiOp(self.lower, taken))
        self.part = part = self.loop.clone()
        drop(part)
        part.operands = [self.lower, upper, self.loop.step, *self.carried]
        Rewriter.insert_op(part, self._point)
        self.lower, self.carried = upper, part.results

    def replace(self) -> None:
        if not self._keeps_loop:
            return Rewriter.replace_op(self.loop, [], self.carried)
        for uses, value in zip(self._uses, self.carried, strict=True):
            for use in uses:
                use.operation.operands[use.index] = value

    def _run(self, upper: SSAValue, done: int = 0) -> None:
        """Let the loop itself run the iterations up to a bound."""
        loop = self.loop
        lower = self._number(self._done) if self.trips is not None and self._done else self.lower
        loop.operands = [lower, upper, loop.step, *self.carried]
        drop(loop)
        self.lower, self.carried, self._done = upper, loop.results, done
        self._point, self._keeps_loop = InsertPoint.after(loop), True

    def _copied(self, point: InsertPoint, number: SSAValue, values: Sequence[SSAValue]) -> list[SSAValue]:
        body = self.loop.body.block
        mapping = copy_body(body, point, (number, *values))
        return [mapping.get(value, value) for value in terminator(body).operands]

    def _number(self, iteration: int) -> SSAValue:
        """The induction variable of an iteration of a loop with constant bounds."""
        assert self._begin is not None
        assert self.step is not None
        return self._constant(self._begin + iteration * self.step)

    def _whole_groups(self, factor: int, step: int) -> SSAValue:
        """Emit the end of whole groups: `lb + ⌊trips / factor⌋ · factor · step`."""
        trips = self._distance()
        if step != 1:
            trips = self._emit(arith.CeilDivUIOp(trips, self._constant(step)))
        left = self._emit(arith.RemUIOp(trips, self._constant(factor)))
        whole = self._emit(arith.SubiOp(trips, left))
        length = whole if step == 1 else self._emit(arith.MuliOp(whole, self._constant(step)))
        return self._emit(arith.AddiOp(self.lower, length))

    def _distance(self) -> SSAValue:
        """Emit the distance from the next iteration to the bound, or 0."""
        return self._emit(arith.SubiOp(self._emit(arith.MaxSIOp(self.upper, self.lower)), self.lower))

    def _constant(self, value: int) -> SSAValue:
        type_ = self.lower.type
        assert isinstance(type_, IndexType | IntegerType)
        return self._emit(arith.ConstantOp(IntegerAttr(value, type_)))

    def _emit(self, op: Operation, point: InsertPoint | None = None) -> SSAValue:
        op.location = self.loop.location
        Rewriter.insert_op(op, point or self._point)
        return op.results[0]
