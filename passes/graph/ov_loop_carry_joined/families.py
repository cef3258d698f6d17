"""Families: values computed alike for each part of a joined tensor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, OpResult, SSAValue

from loomir.dialects.common_operations import are_alike
from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.canonicalization.identities import constant_of, is_static
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.joining import ConcatOp, SplitOp, VariadicSplitOp
from loomir.dialects.ov.operators.slicing import SliceOp, slice_positions
from loomir.dialects.speculation import FactOf, speculatable

MOST_VALUES = 256
"""Families looked at in one loop."""


@dataclass(frozen=True, eq=False)
class Family:
    """Values of one static type, one for each part.

    The first stands for all.
    """

    values: tuple[SSAValue, ...]


@dataclass(frozen=True, eq=False)
class Common(Family):
    """The same value for all parts."""


@dataclass(frozen=True, eq=False)
class Carried(Family):
    """Carried values of the loop, by number."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Cut(Family):
    """All parts of a tensor, in the order of its memory."""

    whole: SSAValue


@dataclass(frozen=True, eq=False)
class Computed(Family):
    """Results of operations that differ in their operands only."""

    ops: tuple[Operation, ...]
    operands: tuple[Family, ...]


def is_joined(family: Family | None) -> bool:
    """Return True if the values of a family may be one tensor."""
    return family is not None and not isinstance(family, Common)


class Families:
    """Families of a loop's body.

    `groups` are those of carried values. They are disjoint, and not among `without`. Operations of `unfit` compute no family.
    """

    def __init__(
        self, loop: LoopOp, fact_of: FactOf, without: set[tuple[int, ...]], unfit: set[Operation]
    ) -> None:
        self.loop, self.fact_of, self.without, self.unfit = loop, fact_of, without, unfit
        self.numbers = {argument: k for k, argument in enumerate(loop.carried_arguments)}
        self.groups: dict[tuple[int, ...], Carried] = {}
        self._known: dict[tuple[SSAValue, ...], Family | None] = {}

    def of(self, values: Sequence[SSAValue]) -> Family | None:
        """Return the family that values are, or None."""
        key = tuple(values)
        if key not in self._known:
            self._known[key] = None  # for what would need itself
            self._known[key] = self._new(key) if len(self._known) <= MOST_VALUES else None
        return self._known[key]

    def following(self, group: Sequence[int]) -> Family | None:
        """Return the family of a group's next values, or None."""
        end = self.loop.next
        return self.of([end.carried[k] for k in group])

    def _new(self, values: tuple[SSAValue, ...]) -> Family | None:
        first = values[0]
        if all(value is first for value in values):
            return Common(values)
        if len(set(values)) < len(values) or not all(is_static(v) and v.type == first.type for v in values):
            return None
        if 0 in tensor_type_of(first).get_shape():
            return None
        if all(value in self.numbers for value in values):
            return self._group(values)
        whole = _whole_of(values)
        return Cut(values, whole) if whole is not None else self._computed(values)

    def _group(self, values: tuple[SSAValue, ...]) -> Carried | None:
        numbers = tuple(self.numbers[value] for value in values)
        taken = {k for group in self.groups for k in group}
        if numbers in self.without or not taken.isdisjoint(numbers):
            return None
        if not all(
            places[k].type == values[0].type
            for places in (self.loop.carried, self.loop.next.carried, self.loop.final)
            for k in numbers
        ):
            return None
        self.groups[numbers] = Carried(values, numbers)
        return self.groups[numbers]

    def _computed(self, values: tuple[SSAValue, ...]) -> Computed | None:
        ops = tuple(value.op for value in values if isinstance(value, OpResult))
        if len(ops) < len(values) or any(op.parent is not self.loop.body.block for op in ops):
            return None
        if ops[0] in self.unfit or not all(
            are_alike(ops[0], op) and speculatable(op, self.fact_of) for op in ops
        ):
            return None
        operands: list[Family] = []
        for same in zip(*(op.operands for op in ops)):
            family = self.of(same)
            if family is None:
                return None
            operands.append(family)
        return Computed(values, ops, tuple(operands)) if any(map(is_joined, operands)) else None


def join_of(op: ConcatOp) -> tuple[SSAValue, ...] | None:
    """Return the parts that an operation joins in memory's order.

    They are several of one static type; otherwise there are none.
    """
    first, inputs = op.inputs[0], tuple(op.inputs)
    if len(inputs) < 2 or not all(is_static(v) and v.type == first.type for v in inputs):
        return None
    return inputs if is_in_front(first, to_int(op.axis)) else None


def is_in_front(part: SSAValue, axis: int) -> bool:
    """Return True if a join along an axis keeps each part contiguous."""
    shape = tensor_type_of(part).get_shape()
    return all(extent == 1 for extent in shape[: axis % len(shape)]) if shape else False


def _whole_of(values: tuple[SSAValue, ...]) -> SSAValue | None:
    """Return the tensor whose parts are values, in order, or None."""
    op = values[0].owner
    if isinstance(op, SplitOp | VariadicSplitOp):
        axis = constant_of(op.axis)
        if tuple(op.outputs) == values and axis is not None and is_in_front(values[0], int(axis.reshape(()))):
            return op.data if is_static(op.data) else None
        return None
    if not isinstance(op, SliceOp):
        return None
    places = [_slice(value) for value in values]
    if places[0] is None or any(place is None or place[:2] != places[0][:2] for place in places):
        return None
    data, axis, _ = places[0]
    begins = [place[2] for place in places if place is not None]
    size, extent = tensor_type_of(values[0]).get_shape()[axis], tensor_type_of(data).get_shape()[axis]
    in_order = begins == [k * size for k in range(len(values))] and size * len(values) == extent
    return data if in_order and is_in_front(values[0], axis) else None


def _slice(value: SSAValue) -> tuple[SSAValue, int, int] | None:
    """Return tensor, axis and begin of a slice along one axis."""
    op = value.owner
    if not isinstance(op, SliceOp) or not isinstance(op.data.type, TensorType) or not is_static(op.data):
        return None
    known = [None if v is None else constant_of(v) for v in (op.start, op.stop, op.step, op.axes)]
    if any(array is None or array.size != 1 for array in known):
        return None
    start, stop, step, axis = (int(array.reshape(-1)[0]) for array in known if array is not None)
    shape = op.data.type.get_shape()
    return (
        (op.data, axis % len(shape), slice_positions(start, stop, step, shape[axis])[0])
        if step == 1
        else None
    )
