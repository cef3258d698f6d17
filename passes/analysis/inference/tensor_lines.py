"""Linear bounds of extents through tensor operations.

The rules derive the line (`growth.Line`) that bounds an extent of a result from those that bound the operands' extents.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import prod

from xdsl.ir import Operation, SSAValue

from loomir.dialects.ov.attributes import to_bool, to_int
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.inference import Interval, integers, intervals
from loomir.dialects.ov.operators.broadcasting import PadOp
from loomir.dialects.ov.operators.comparison import SelectOp, TwoToBooleanOp
from loomir.dialects.ov.operators.elementwise_binary import BinaryOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.internal import RowEraseOp, RowInsertOp
from loomir.dialects.ov.operators.joining import ConcatOp, TileOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp, StridedSliceOp
from loomir.dialects.ov.shape_rules import normalise_axes, normalise_axis
from loomir.dialects.ovseq.types import AnyFact, OptionalFact, SequenceFact
from loomir.passes.analysis.inference.state import InferenceState

LENGTH = -1
"""Key of a sequence's length among its extents.

Other keys are the extents of its elements.
"""

ELEMENTS = -2
"""Key of the number of elements, in place of an extent.

For a sequence it is the number of elements of each tensor in it.
"""

ExtentKey = tuple[SSAValue, int]
_BROADCASTS = (BinaryOp, TwoToBooleanOp, SelectOp)
_MOVES = (TransposeOp, UnsqueezeOp, SqueezeOp, GatherOp)
"""Extents of the results are the operands' in other places."""


def largest(fact: AnyFact | None, key: int) -> int | None:
    """The upper bound of an extent."""
    if isinstance(fact, OptionalFact):
        fact = fact.value
    if isinstance(fact, SequenceFact) and key == LENGTH:
        return fact.length.hi
    tensor = tensor_in(fact)
    if tensor is None or tensor.shape is None or key >= len(tensor.shape):
        return None
    return tensor.elements.hi if key == ELEMENTS else tensor.shape[key].hi


def tensor_in(fact: AnyFact | None) -> Fact | None:
    """Return a tensor's fact, also from within a sequence or optional.

    For a sequence it is the fact that holds for each element.
    """
    if isinstance(fact, OptionalFact):
        fact = fact.value
    return fact.element if isinstance(fact, SequenceFact) else fact


class TensorLines(ABC):
    """Rules that derive results' lines from the operands' offsets.

    `offset` returns the operands' offsets; L is at least `start`.
    """

    def __init__(self, inference: InferenceState, start: int) -> None:
        self.inference = inference
        self.start = start

    @abstractmethod
    def offset(self, value: SSAValue, key: int, slope: Fraction) -> Fraction | None:
        """Return the least known offset of an extent for this slope.

        It is the least d that is found such that the extent is at most slope · L + d, or None if no d is known. The slope is positive.
        """

    def of_elements(self, op: Operation, slope: Fraction) -> Fraction | None:
        """The number of elements of a result."""
        if isinstance(op, OvOperation) and len(op.SIZED_AS) == 1:
            return self.offset(op.operands[op.SIZED_AS[0]], ELEMENTS, slope)
        if isinstance(op, ConcatOp):
            return self.sum(op.operands, ELEMENTS, slope)
        return None

    def of_extent(self, op: Operation, key: int, slope: Fraction) -> Fraction | None:
        """Return the offset of a result's extent for a tensor operation.

        The result must have a known rank.
        """
        if isinstance(op, ConcatOp):
            rank = self.inference.fact(op.output).rank
            if rank is not None and normalise_axis(to_int(op.axis), rank) == key:
                return self.sum(op.operands, key, slope)
            # All are equal.
            return None if rank is None else least(self.offset(v, key, slope) for v in op.operands)
        if isinstance(op, _BROADCASTS):
            return self._broadcast(op, key, slope)
        if isinstance(op, _MOVES):
            place = self._place(op, key)
            return None if place is None else self.offset(*place, slope)
        if isinstance(op, ReshapeOp):
            return self._reshaped(op, key, slope)
        if isinstance(op, SliceOp | StridedSliceOp):
            return self._sliced(op, key, slope)
        if isinstance(op, TileOp):
            return self._tiled(op, key, slope)
        if isinstance(op, PadOp):
            pads = [intervals(self.inference.fact(v), "pads", 1) for v in (op.pads_begin, op.pads_end)]
            known = [each[key][1] for each in pads if each is not None]
            return self.longer(op.data, key, slope, sum(known)) if len(known) == len(pads) else None
        if isinstance(op, RowInsertOp | RowEraseOp):
            change = 1 if isinstance(op, RowInsertOp) else -1
            return self.longer(op.data, key, slope, change if key == 0 else 0)
        return None

    def _place(self, op: TransposeOp | UnsqueezeOp | SqueezeOp | GatherOp, key: int) -> ExtentKey | None:
        """The operand's dimension that becomes this one, where it is known."""
        rank = self.inference.fact(op.operands[0]).rank
        parameter = 2 if isinstance(op, GatherOp) else 1
        if rank is None or len(op.operands) <= parameter:
            return None
        numbers = integers(self.inference.fact(op.operands[parameter]), "axes")
        if not numbers:
            return None
        places: list[ExtentKey | None] = [(op.operands[0], k) for k in range(rank)]
        if isinstance(op, TransposeOp):
            places = [places[k] for k in numbers]
        elif isinstance(op, UnsqueezeOp):
            for axis in sorted(normalise_axes(numbers, rank + len(numbers))):
                places.insert(axis, None)
        elif isinstance(op, SqueezeOp):
            removed = normalise_axes(numbers, rank)
            places = [place for k, place in enumerate(places) if k not in removed]
        else:
            picked, axis = self.inference.fact(op.operands[1]).rank, normalise_axis(numbers[0], rank)
            if picked is None or to_int(op.batch_dims, 0) != 0:
                return None
            places[axis : axis + 1] = [(op.operands[1], k) for k in range(picked)]
        # A squeeze may leave an axis that it names.
        return places[key] if len(places) == self.inference.fact(op.results[0]).rank else None

    def _reshaped(self, op: ReshapeOp, key: int, slope: Fraction) -> Fraction | None:
        """Return the offset of an extent of a Reshape.

        The number of elements is divided by the lower bounds of the other extents, which hold for every L.
        """
        data, shape = self.inference.fact(op.data), self.inference.fact(op.output).shape
        pattern = intervals(self.inference.fact(op.shape), "shape", 1)
        if shape is None:
            return None
        others = prod(d.lo for k, d in enumerate(shape) if k != key)
        known = [self._share(self.offset(op.data, ELEMENTS, slope * others), others)] if others else []
        if pattern is None or data.shape is None:
            return least(known)
        # What is copied takes no part in the extent that is computed from the others.
        copied = [k for k, p in enumerate(pattern) if p == (0, 0) and to_bool(op.special_zero)]
        if key in copied:
            known.append(self.offset(op.data, key, slope))
        elif pattern[key] == (-1, -1):
            # Where one of the others is 0 it is 0, too.
            others = max(1, prod(d.lo for k, d in enumerate(shape) if k != key and k not in copied))
            rest = [k for k in range(len(data.shape)) if k not in copied]
            known.append(self._share(self.product(op.data, rest, slope * others), others))
            if not copied:
                known.append(self._share(self.offset(op.data, ELEMENTS, slope * others), others))
        return least(known)

    @staticmethod
    def _share(offset: Fraction | None, parts: int) -> Fraction | None:
        return None if offset is None else offset / parts

    def _sliced(self, op: SliceOp | StridedSliceOp, key: int, slope: Fraction) -> Fraction | None:
        """Return the offset of an extent of a slice.

        Positions that are certain to be cut off at the ends are subtracted; the rest is divided by the step.
        """
        cuts = op.cuts([self.inference.fact(v) for v in op.operands])
        if cuts is None:
            # A slice has the axes of its data.
            return self.offset(op.data, key, slope) if isinstance(op, SliceOp) else None
        cut = cuts[key]
        if cut.axis is None or cut.positions is None:
            return None if cut.axis is None else self.offset(op.data, cut.axis, slope)
        removed, step, least = _removed(*cut.positions)
        offset = self.offset(op.data, cut.axis, slope * step)
        if offset is None:
            return None
        return max((offset - removed + step - 1) / step, least - slope * self.start)

    def _tiled(self, op: TileOp, key: int, slope: Fraction) -> Fraction | None:
        rank, repeats = (
            self.inference.fact(op.data).rank,
            intervals(self.inference.fact(op.repeats), "repeats"),
        )
        if rank is None or repeats is None:
            return None
        # The shorter of the two is filled up at the front.
        key -= max(rank, len(repeats))
        if key < -rank:
            return None
        times = repeats[key][1] if key >= -len(repeats) else 1
        if times < 1:
            return None
        offset = self.offset(op.data, key + rank, slope / times)
        return None if offset is None else offset * times

    def _broadcast(
        self, op: BinaryOp | TwoToBooleanOp | SelectOp, key: int, slope: Fraction
    ) -> Fraction | None:
        if op.auto_broadcast.data != "numpy":
            return None
        ranks = [self.inference.fact(v).rank for v in (op.results[0], *op.operands)]
        known = [r for r in ranks if r is not None]
        if len(known) < len(ranks):
            return None
        places = [(v, key - known[0] + r) for v, r in zip(op.operands, known[1:])]
        return self.most(((v, place) for v, place in places if place >= 0), slope)

    def sum(self, values: Sequence[SSAValue], key: int, slope: Fraction) -> Fraction | None:
        """Return the offset of a sum of extents of several values.

        One of the extents is followed; for the others their upper bounds for every L are used.
        """
        most = [largest(self.inference.known(v), key) for v in values]
        sums: list[Fraction] = []
        for k, value in enumerate(values):
            others = [m for j, m in enumerate(most) if m is not None and j != k]
            if len(others) == len(values) - 1 and (offset := self.offset(value, key, slope)) is not None:
                sums.append(offset + sum(others))
        return least(sums)

    def product(self, value: SSAValue, keys: Sequence[int], slope: Fraction) -> Fraction | None:
        """Return the offset of a product of several extents of a value.

        One of the extents is followed; for the others their upper bounds for every L are used.
        """
        most = [largest(self.inference.known(value), k) for k in keys]
        products: list[Fraction] = []
        for k, key in enumerate(keys):
            others = [m for j, m in enumerate(most) if m and j != k]
            if len(others) == len(keys) - 1:
                times = prod(others)
                if (offset := self.offset(value, key, slope / times)) is not None:
                    products.append(offset * times)
        return least(products)

    def longer(self, value: SSAValue, key: int, slope: Fraction, more: int) -> Fraction | None:
        """Return the offset of an extent that grows by `more`.

        The sum may be negative; the extent is then 0.
        """
        offset = self.offset(value, key, slope)
        return None if offset is None else max(offset + more, -slope * self.start)

    def most(self, extents: Iterable[ExtentKey], slope: Fraction) -> Fraction | None:
        known: list[Fraction] = []
        for value, key in extents:
            offset = self.offset(value, key, slope)
            if offset is None:
                return None
            known.append(offset)
        return max(known, default=None)


def least(offsets: Iterable[Fraction | None]) -> Fraction | None:
    """The smallest of those that are known."""
    return min((d for d in offsets if d is not None), default=None)


def _removed(start: Interval, stop: Interval, step: Interval) -> tuple[int, int, int]:
    """Return the effect of a slice on an axis.

    The result has three parts: the least number of positions that the slice leaves out at both ends together, the step over the
    rest, and the number of positions that it takes in any case if there are any.
    """
    if step[0] != step[1]:
        return 0, 1, 0
    if step[0] > 0:
        return max(0, start[0]) + max(0, -stop[1]), step[0], 0
    # From behind the end backwards there is the first position, whatever the extent.
    return max(0, -1 - start[1]) + max(0, stop[0] + 1), -step[0], 1
