"""Equal trip counts, and parts that one loop joins and another cuts.

Two loops run equally often if their trip counts have one *key*: a number, a value that is the trip count of both, or the extent that both
slice. A loop that slices what another one joins, as it was joined, has that loop's key.

```mlir
%all = ov.loop trip(%n) { … ov.next concat(%w) }   // key: %n
%r = ov.loop sliced(%all) { … }                    // key: %n
```

Elementwise operations are followed where one operand decides the extent. Loops that a condition may end, or that nothing ends, have no key.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TypeGuard

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import OpResult, SSAValue

from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.errors import Error

_MAX_STEPS = 16
"""Operations that are followed from a sliced input."""


@dataclass(frozen=True)
class JoinedParts:
    """Parts of a tensor, one for each iteration.

    `axis` counts from the end of the shape (−1 is the last one), `size` is a part's extent on it.
    """

    axis: int
    size: int
    forwards: bool

    def cut(self, rank: int) -> Slicing:
        """Return the slicing of a tensor of this rank into the parts."""
        stride = self.size if self.forwards else -self.size
        return Slicing(rank + self.axis, stride=stride, part_size=self.size).whole_axis()

    def are_cut_by(self, cut: Slicing, rank: int) -> bool:
        """Return True if iterations see the parts, in the joined order."""
        try:
            axis = cut.normalised_axis(rank)
        except Error:
            return False
        return (axis, *_how(cut)) == (rank + self.axis, *_how(self.cut(rank)))


def _how(cut: Slicing) -> tuple[int, int, int, int]:
    return cut.start, cut.end, cut.stride, cut.part_size


def joined_parts(whole: SSAValue) -> JoinedParts | None:
    """Return the parts from which a loop joins a value, or None."""
    if not isinstance(whole, OpResult) or not isinstance(loop := whole.op, LoopOp):
        return None
    index = whole.index - len(loop.final) - len(loop.last)
    part = loop.next.concat[index].type if index >= 0 else None
    if not isinstance(part, TensorType):
        return None
    shape, join = part.get_shape(), loop.concatenations[index]
    try:
        axis = join.normalised_axis(len(shape))
    except Error:
        return None
    return JoinedParts(axis - len(shape), shape[axis], join.stride > 0) if shape[axis] > 0 else None


class TripKeys:
    """Keys of trip counts; loops with one key run equally often.

    If an error stops one of two such loops, the other one may run further.
    """

    def __init__(self) -> None:
        self._known: dict[LoopOp, Hashable | None] = {}

    def of(self, loop: LoopOp) -> Hashable | None:
        """Return the key of a loop, or None."""
        if loop not in self._known:
            self._known[loop] = self._key(loop)
        return self._known[loop]

    def note(self, loop: LoopOp, key: Hashable | None) -> None:
        """Note the key of a loop that stands for others."""
        self._known[loop] = key

    def _key(self, loop: LoopOp) -> Hashable | None:
        if loop.cond is not None or loop.next.cond is not None:
            return None
        slices: set[Hashable] = set()
        for value, cut in zip(loop.sliced, loop.slicings):
            key = self._slices(value, cut)
            if key is None:
                return None
            slices.add(key)
        numbers = {key for key in slices if isinstance(key, int)}
        if loop.trip is not None:
            trip = constant_of(loop.trip)
            if trip is None:
                # (Slices of what a loop with this trip count has joined are as many.)
                own = ("trip", loop.trip)
                return own if slices <= {own} else (*own, frozenset(slices))
            count = int(trip.reshape(()))
            if count >= 0:
                reached = numbers == slices and all(number >= count for number in numbers)
                return count if reached else ("trip", count, frozenset(slices))
        if numbers:
            slices = slices - numbers | {min(numbers)}
        if len(slices) == 1:
            return slices.pop()
        return frozenset(slices) or None

    def _slices(self, value: SSAValue, cut: Slicing) -> Hashable | None:
        """Return the key of the number of slices, or None."""
        if not isinstance(value.type, TensorType):
            return None
        rank = len(value.type.get_shape())
        try:
            axis = cut.normalised_axis(rank) - rank
            extent = value.type.get_shape()[axis]
            if extent != DYNAMIC_INDEX:
                return cut.trips(extent)
        except Error:
            return None
        for _ in range(_MAX_STEPS):
            if (parts := joined_parts(value)) is not None and parts.are_cut_by(cut, rank):
                assert isinstance(value, OpResult)
                assert isinstance(value.op, LoopOp)
                if (key := self.of(value.op)) is not None:
                    return key
            if (before := _same_extent(value, axis)) is None:
                break
            value = before
        return ("extent", value, axis, *_how(cut))


def extent_on(value: SSAValue, axis: int) -> int | None:
    """Return the extent on an axis counted from the end.

    By the type; it is 1 beyond the rank, and None for an unknown rank.
    """
    if not isinstance(value.type, TensorType):
        return None
    shape = value.type.get_shape()
    return shape[axis] if len(shape) >= -axis else 1


def is_elementwise(op: object) -> TypeGuard[OvOperation]:
    """Return True for an elementwise function of all operands, of known rank."""
    return (
        isinstance(op, OvOperation)
        and len(op.results) == 1
        and set(op.ELEMENTWISE) == set(range(len(op.operands)))
        and isinstance(op.results[0].type, TensorType)
    )


def _same_extent(value: SSAValue, axis: int) -> SSAValue | None:
    """Return the operand that decides an elementwise result's extent, or None.

    On this axis, counted from the end, the other operands have one element.
    """
    if not is_elementwise(op := value.owner):
        return None
    varying = [operand for operand in op.operands if extent_on(operand, axis) != 1]
    return varying[0] if len(varying) == 1 and extent_on(varying[0], axis) is not None else None
