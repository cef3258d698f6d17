"""Rows and slots: what sequences become below `ovseq` (see `convert-ovseq-to-ov`).

The elements of a sequence are the rows of a tensor. Where their shapes differ each has a *slot*, a row of one length for all, that
holds the element's elements in row-major order in front; its extents are a row of a second tensor. Neither OpenVINO nor ONNX has
these operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import NoMemoryEffect

from loomir.dialects.element_types import TENSOR
from loomir.dialects.numerics.workspace import full
from loomir.dialects.ov.attributes import to_ints
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, Shape
from loomir.dialects.ov.inference import check_one_number, from_front
from loomir.dialects.ov.shape_rules import check_integer, check_rank, same_element
from loomir.errors import Error


@irdl_op_definition
class RowInsertOp(OvOperation):
    """`data[n, …]` with `row[1, …]` inserted in front of row `position`.

    `row[1, …]` is the operand `row`. `ovseq.insert` becomes this operation. Neither OpenVINO nor ONNX has it.

    `position` is in [-n, n] and counts from the end where it is negative. Errors: `operand-rank`, `element-types-differ`,
    `element-type`, `slot-shape` (extents that surely differ); when run, `runtime-index`, `runtime-shape`.
    """

    name = "ov.row_insert"

    data = operand_def(TENSOR)
    row = operand_def(TENSOR)
    position = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, row, position = facts
        _check_position(position)
        same_element((data, row), ("data", "row"))
        shape = _rows(data)
        if shape is None or row.shape is None:
            return [Fact(data.element, None)]
        if len(shape) != len(row.shape):
            raise Error("operand-rank", f"a row of rank {len(row.shape)} for data of rank {len(shape)}")
        rest: list[Dim] = []
        for k, (a, b) in enumerate(zip((Dim(1, 1), *shape[1:]), row.shape)):
            if (met := a.meet(b)) is None:
                raise Error("slot-shape", f"the row has extent {b} in dimension {k}, not {a}")
            rest.append(met)
        return [Fact(data.element, (shape[0] + 1, *rest[1:]))]

    def evaluate(self, data: np.ndarray, row: np.ndarray, position: np.ndarray) -> np.ndarray:
        """A row more."""
        if row.shape != (1, *data.shape[1:]):
            raise Error(
                "runtime-shape", f"a row of shape {list(row.shape)} in data of shape {list(data.shape)}"
            )
        at = _position(position, len(data), len(data) + 1)
        return np.concatenate([data[:at], row, data[at:]])


@irdl_op_definition
class RowEraseOp(OvOperation):
    """`data[n, …]` without row `position`.

    `ovseq.erase` becomes this operation. Neither OpenVINO nor ONNX has it.

    `position` is in [-n, n - 1] and counts from the end where it is negative. Errors: `operand-rank`, `element-type`; when run,
    `runtime-index`.
    """

    name = "ov.row_erase"

    data = operand_def(TENSOR)
    position = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        data, position = facts
        _check_position(position)
        shape = _rows(data)
        return [Fact(data.element, None if shape is None else (shape[0] + -1, *shape[1:]))]

    def evaluate(self, data: np.ndarray, position: np.ndarray) -> np.ndarray:
        """A row less."""
        at = _position(position, len(data), len(data))
        return np.concatenate([data[:at], data[at + 1 :]])


@irdl_op_definition
class ToSlotOp(OvOperation):
    """A tensor as a slot, one row of `prod(most)` elements.

    The row holds the tensor's elements in row-major order, followed by zeros. Neither OpenVINO nor ONNX has it.

    `most` has the largest extents. A larger tensor is a run-time error: `runtime-capacity`. Error: `operand-rank`.
    """

    name = "ov.to_slot"

    data = operand_def(TENSOR)
    most = prop_def(DenseArrayBase)
    output = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())

    @property
    def extents(self) -> tuple[int, ...]:
        """The largest extents."""
        return to_ints(self.most)

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        (data,) = facts
        most = self.extents
        if data.rank not in (None, len(most)):
            raise Error("operand-rank", f"a slot for rank {len(most)} takes no tensor of rank {data.rank}")
        size = prod(most)
        return [Fact(data.element, (Dim(1, 1), Dim(size, size)))]

    def evaluate(self, data: np.ndarray) -> np.ndarray:
        """The elements, then zeros."""
        if any(n > most for n, most in zip(data.shape, self.extents)):
            raise Error(
                "runtime-capacity", f"a slot for {list(self.extents)} has no room for {list(data.shape)}"
            )
        slot = full((1, prod(self.extents)), 0, data.dtype)
        slot[0, : data.size] = data.reshape(-1)
        return slot


@irdl_op_definition
class FromSlotOp(OvOperation):
    """The tensor that a slot `slot[m]` holds.

    Its extents are `shape[r]`. Neither OpenVINO nor ONNX has it.

    They lie between `least` and `most`, like those of every tensor that was stored in the slot. Other extents, and more
    elements than the slot has, are a run-time error: `runtime-shape`. Errors: `operand-rank`, `element-type`,
    `attribute-value`.
    """

    SIZED_AS: ClassVar[tuple[int, ...]] = (0,)
    name = "ov.from_slot"

    slot = operand_def(TENSOR)
    shape = operand_def(TENSOR)
    least = prop_def(DenseArrayBase)
    most = prop_def(DenseArrayBase)
    output = result_def(TENSOR)
    traits = traits_def(NoMemoryEffect())

    @property
    def limits(self) -> list[tuple[int, int]]:
        """The smallest and largest extent of each dimension."""
        return list(zip(to_ints(self.least), to_ints(self.most)))

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        slot, shape = facts
        limits = self.limits
        check_integer(shape, "shape")
        check_rank(slot, "a slot", 1)
        rank = Dim(len(limits), len(limits))
        if shape.shape is not None and (len(shape.shape) != 1 or shape.shape[0].meet(rank) is None):
            raise Error("operand-rank", f"the shape of a tensor of rank {len(limits)} is {shape.type}")
        if len(to_ints(self.least)) != len(to_ints(self.most)) or any(not 0 <= a <= b for a, b in limits):
            raise Error("attribute-value", f"extents from {to_ints(self.least)} to {to_ints(self.most)}")
        result: Shape = tuple(Dim(a, b) for a, b in limits)
        return [Fact(slot.element, result)]

    def evaluate(self, slot: np.ndarray, shape: np.ndarray) -> np.ndarray:
        """The elements in front, in their shape."""
        extents = [int(n) for n in shape]
        if any(not a <= n <= b for n, (a, b) in zip(extents, self.limits)) or prod(extents) > slot.size:
            raise Error("runtime-shape", f"a slot of {slot.size} elements holds nothing of shape {extents}")
        return slot[: prod(extents)].reshape(extents)


def _check_position(fact: Fact) -> None:
    check_integer(fact, "the position")
    check_one_number(fact, "the position")


def _rows(fact: Fact) -> Shape | None:
    if fact.shape == ():
        raise Error("operand-rank", "a scalar has no rows")
    return fact.shape


def _position(position: np.ndarray, count: int, end: int) -> int:
    given = int(position.reshape(()))
    place = from_front(given, count, end)
    if place is None:
        raise Error("runtime-index", f"position {given} is out of range for {count} rows")
    return place
