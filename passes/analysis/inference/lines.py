"""Upper bounds of extents that are linear in a number L.

An extent is at most slope · L + offset, for every L from `start` on.

Inference alone, which knows one bound of an extent, cannot express a bound for each L. Extents are followed back through
operations. The caller chooses the slope and passes it on, so that turning each row into three elements and then each three
elements into a row restores the original bound: the search is for the offset. Numbers of elements are followed like extents,
because a Reshape preserves nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from xdsl.ir import Block, OpResult, SSAValue

from loomir.dialects.ov.facts import Dim
from loomir.dialects.ov.loop_slices import Slicing
from loomir.dialects.ov.operators.comparison import LogicalNotOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_unary import UnaryOp
from loomir.dialects.ov.operators.failure import CheckBoundsOp, FailOp, RequireOp
from loomir.dialects.ov.operators.scattering import ScatterOperation
from loomir.dialects.ov.operators.splitting import SplitOp, VariadicSplitOp
from loomir.dialects.ovseq.operators.optionals import GetOp, SomeOp
from loomir.dialects.ovseq.operators.sequences import AtOp, ConstructOp, EraseOp, InsertOp
from loomir.errors import Error
from loomir.passes.analysis.inference.state import State
from loomir.passes.analysis.inference.tensor_lines import (
    ELEMENTS,
    LENGTH,
    Extent,
    TensorLines,
    largest,
    least,
    tensor_in,
)

MAX_DEPTH = 100
"""Operations that are looked back through."""

MAX_QUESTIONS = 5000
"""Maximum number of extents followed for one query.

A chain of operations may request one extent with ever different slopes.
"""

_KEEPS = (
    UnaryOp,
    ConvertOp,
    LogicalNotOp,
    RequireOp,
    CheckBoundsOp,
    ScatterOperation,
    SplitOp,
    VariadicSplitOp,
    SomeOp,
    GetOp,
    AtOp,
)
"""No extent of a result is larger than the first operand's."""


@dataclass(frozen=True, slots=True)
class Line:
    """At most slope · L + offset."""

    slope: Fraction
    offset: Fraction


class Lines(TensorLines):
    """Extents bounded by lines, and the bounds of others derived from them.

    The facts of `inference` hold for each L. `trips_of` returns the bounds of a loop's trip count.
    """

    def __init__(
        self,
        inference: State,
        start: int,
        extents: Mapping[Extent, Line],
        trips_of: Callable[[LoopOp, State], Dim],
        outer: Lines | None = None,
    ) -> None:
        super().__init__(inference, start)
        self._extents = extents
        self._trips_of = trips_of
        self._found: dict[tuple[SSAValue, int, Fraction], Fraction | None] = {}
        self._questions = iter(range(MAX_QUESTIONS)) if outer is None else outer._questions
        self._depth = 0 if outer is None else outer._depth
        self._rounds = outer is None

    def offset(self, value: SSAValue, key: int, slope: Fraction) -> Fraction | None:
        asked = value, key, slope
        if asked not in self._found:
            fact, line = self.inference.known(value), self._extents.get((value, key))
            most = largest(fact, key)
            known = [
                None
                if line is None or line.slope > slope
                else line.offset - (slope - line.slope) * self.start,
                None if most is None else most - slope * self.start,
            ]
            if self._depth < MAX_DEPTH and next(self._questions, None) is not None:
                self._depth += 1
                with suppress(Error):  # illegal, in a branch that is not meant for these shapes
                    known.append(self._through(value, key, slope))
                tensor = tensor_in(fact)
                if key == ELEMENTS and tensor is not None and tensor.shape is not None:
                    known.append(self.product(value, range(len(tensor.shape)), slope))
                self._depth -= 1
            found = least(known)
            if found is not None and self._rounds and slope.denominator == 1:
                # Extents and L are whole numbers.
                found = Fraction(floor(found))
            self._found[asked] = found
        return self._found[asked]

    def _through(self, value: SSAValue, key: int, slope: Fraction) -> Fraction | None:
        if not isinstance(value, OpResult):
            return self._of_part(value, key, slope)
        op = value.op
        if isinstance(op, IfOp):
            return self._of_branches(op, value.index, key, slope)
        if isinstance(op, LoopOp):
            made = value.index - len(op.final)
            return (
                self._repeated(op, value.index, key, slope) if made < 0 else self._made(op, made, key, slope)
            )
        if isinstance(op, _KEEPS):
            return self.offset(op.operands[0], key, slope)
        if isinstance(op, ConstructOp | InsertOp | EraseOp):
            return self._of_sequence(op, key, slope)
        return self.of_elements(op, slope) if key == ELEMENTS else self.of_extent(op, key, slope)

    def _of_branches(self, op: IfOp, index: int, key: int, slope: Fraction) -> Fraction | None:
        """A branch that surely fails gives nothing."""
        condition = self.inference.fact(op.cond).value
        ends = [op.then_yield, op.else_yield]
        taken = ends if condition is None else [ends[0 if condition.reshape(()) else 1]]
        values = [end.values[index] for end in taken if not isinstance(end.values[index].owner, FailOp)]
        return self.most(((value, key) for value in values), slope)

    def _of_part(self, value: SSAValue, key: int, slope: Fraction) -> Fraction | None:
        """Return the offset of a slice of a sliced loop input.

        A slice has the full extent of the input on all axes but the sliced one.
        """
        loop = value.owner.parent_op() if isinstance(value.owner, Block) else None
        if key == ELEMENTS or not isinstance(loop, LoopOp) or value not in loop.part_arguments:
            return None
        index = loop.part_arguments.index(value)
        axis = self._axis(loop.sliced[index], loop.slicings[index])
        return None if axis in (None, key) else self.offset(loop.sliced[index], key, slope)

    def _made(self, op: LoopOp, index: int, key: int, slope: Fraction) -> Fraction | None:
        """Return the offset of a loop's last value or concatenated output.

        On the axis of concatenation there are as many parts as can be cut from each of the sliced inputs.
        """
        values, lasts = [*op.next.last, *op.next.concat], len(op.next.last)
        if index < lasts:
            return self.offset(values[index], key, slope)
        axis = self._axis(values[index], op.concatenations[index - lasts])
        if key == ELEMENTS or axis is None:
            return None
        if key != axis:
            return self.offset(values[index], key, slope)
        part = largest(self.inference.known(values[index]), key)
        found: list[Fraction | None] = []
        for value, cut in zip(op.sliced, op.slicings):
            if part and (place := self._axis(value, cut)) is not None:
                times = Fraction(part, max(1, abs(cut.stride)))
                offset = self.offset(value, place, slope / times)
                found.append(None if offset is None else offset * times)
        return least(found)

    def _axis(self, value: SSAValue, cut: Slicing) -> int | None:
        rank = self.inference.fact(value).rank
        return None if rank is None else cut.normalised_axis(rank)

    def _repeated(self, op: LoopOp, index: int, key: int, slope: Fraction) -> Fraction | None:
        """Return the offset of a carried value after all iterations.

        A later iteration adds at most what the first one adds: an offset passes through sums and is divided in some places. Where it
        would be multiplied, a smaller slope is requested, for which no bound of the carried values is known. Nothing is rounded:
        rounding would increase the offset, which is multiplied afterwards.
        """
        start, trips = self.offset(op.carried[index], key, slope), self._trips_of(op, self.inference).hi
        if start is None or trips is None:
            return None
        extents = {**self._extents, (op.carried_arguments[index], key): Line(slope, start)}
        inner = Lines(self.inference, self.start, extents, self._trips_of, self)
        after = inner.offset(op.next.carried[index], key, slope)
        return None if after is None else start + trips * max(Fraction(0), after - start)

    def _of_sequence(
        self, op: ConstructOp | InsertOp | EraseOp, key: int, slope: Fraction
    ) -> Fraction | None:
        """Where an element comes or goes."""
        if isinstance(op, ConstructOp):
            return None if key == LENGTH else self.most(((o, key) for o in op.inputs), slope)
        if isinstance(op, EraseOp):
            return self.longer(op.sequence, key, slope, -1 if key == LENGTH else 0)
        if key == LENGTH:
            return self.longer(op.sequence, key, slope, 1)
        return self.most([(op.sequence, key), (op.tensor, key)], slope)
