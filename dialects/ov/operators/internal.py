"""Operations of no model: failures, checks, rows and slots.

Lowering makes them; neither OpenVINO nor ONNX has them.

`ov.fail` stands for operations that are illegal wherever they would run; `ov.require` checks a condition that must hold at run
time; `ov.check_bounds` checks the maximum size of a tensor.

Rows and slots are what sequences become below `ovseq` (see `convert-ovseq-to-ov`). The elements of a sequence are the rows of a
tensor. Where their shapes differ each has a *slot*, a row of one length for all, that holds the element's elements in row-major
order in front; its extents are a row of a second tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, StringAttr, TensorType
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_result_def,
)
from xdsl.traits import NoMemoryEffect

from loomir.dialects.attributes import Bounds, bounds_of_type, with_bounds
from loomir.dialects.diagnostics import run_error
from loomir.dialects.element_types import TENSOR, tensor_type_of
from loomir.dialects.numerics import full
from loomir.dialects.ov.attributes import choice, to_ints
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact, Shape
from loomir.dialects.ov.inference import check_one_number, from_front
from loomir.dialects.ov.shape_rules import check_element, check_integer, check_rank, is_boolean, same_element
from loomir.dialects.ovseq.types import GraphType
from loomir.dialects.speculation import FailsOnContents
from loomir.errors import Error


@irdl_op_definition
class FailOp(OvOperation):
    """Stops the program with `reason` when it runs.

    Its results never exist. Neither OpenVINO nor ONNX has it.

    A branch may hold operations that the shapes of the operands forbid: the branch is there for other shapes, and the
    condition that selects it is unknown before the program runs. `ov-infer` replaces the contents of such a branch by this
    operation. Its results only have types, those of the results of the `ov.if`, to which the branch adds nothing. Neither
    OpenVINO nor ONNX has it; both only check a branch that they run.

    ```mlir
    %y = ov.fail "'Squeeze:y' (ov.squeeze): dimension 0 is 3, not 1" : tensor<?xf32>
    ```
    With `{kind = "endless"}` and no results it is the first operation in the body of a loop that nothing ends.
    Error when run: `runtime-shape`, or `endless-loop`.
    """

    name = "ov.fail"

    reason = prop_def(StringAttr)
    kind = opt_prop_def(StringAttr)
    values = var_result_def(GraphType)

    assembly_format = "$reason attr-dict `:` type($values)"
    # No traits: what may stop the program is neither moved nor removed.

    @staticmethod
    def of(reason: str, types: Sequence[Attribute], kind: str | None = None) -> FailOp:
        """Build the operation."""
        properties = {"reason": StringAttr(reason), "kind": None if kind is None else StringAttr(kind)}
        return FailOp.build(properties=properties, result_types=[list(types)])

    @property
    def class_(self) -> str:
        """`shape` or `endless`."""
        return choice(self.kind, "kind", ("shape", "endless"), "shape")

    @property
    def message(self) -> str:
        """Error message when the operation runs."""
        reason = self.reason.data
        return (
            reason
            if self.class_ == "endless"
            else f"a branch or an iteration runs that these shapes do not allow: {reason}"
        )

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        # Not asked where a result is a sequence or an optional: inference takes their facts from the types.
        return [Fact.of_type(value.type) for value in self.values]

    def verify_(self) -> None:
        """Whatever the types are, nothing contradicts them."""

    def evaluate(self) -> tuple[np.ndarray, ...]:
        """It never gives a result."""
        raise run_error(self.class_, self.message)


@irdl_op_definition
class RequireOp(OvOperation):
    """`value` if `condition` (a scalar boolean) holds; else a run-time error.

    If `condition` does not hold, the program stops with `reason`. Neither OpenVINO nor ONNX has it: operations of `ovseq` and
    decompositions that may fail become it.

    `kind` selects the error: `"index"` (`runtime-index`), `"shape"` (`runtime-shape`) or `"absent"` (`runtime-absent`).

    ```mlir
    %v = ov.require %value, %has {kind = "absent", reason = "the value of an optional that has none"}
        : (tensor<2xf32>, tensor<i1>) -> tensor<2xf32>
    ```
    Errors: `element-type`, `operand-rank`, `attribute-value`.
    """

    name = "ov.require"
    ELEMENTWISE: ClassVar[tuple[int, ...]] = (0,)
    CARRIES: ClassVar[tuple[int, ...] | None] = (0,)

    value = operand_def(TENSOR)
    condition = operand_def(TENSOR)
    kind = prop_def(StringAttr)
    reason = prop_def(StringAttr)
    output = result_def(TENSOR)
    # Not speculatable, like everything that may stop the program; where nothing uses it, it goes.
    traits = traits_def(FailsOnContents("condition"))

    def accepts(self, facts: Sequence[Fact]) -> bool:
        condition = facts[1].value
        return condition is not None and bool(condition)

    @property
    def class_(self) -> str:
        """`index`, `shape` or `absent`."""
        return choice(self.kind, "kind", ("index", "shape", "absent"), "shape")

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        value, condition = facts
        check_rank(check_element(condition, "condition", is_boolean, "a boolean"), "condition", 0)
        _ = self.class_
        # What is known of the contents must not lead to the operation being folded away.
        return [value if condition.value is not None and bool(condition.value) else value.without_content()]

    def evaluate(self, value: np.ndarray, condition: np.ndarray) -> np.ndarray:
        """The value, if the condition holds."""
        if bool(condition):
            return value
        raise run_error(self.class_, self.reason.data)


@irdl_op_definition
class CheckBoundsOp(OvOperation):
    """`value`, checked against the bounds of the result's type.

    If `value` is larger than these bounds, the program stops. Neither OpenVINO nor ONNX has it: `ov-bound-shapes` uses it to
    check its assumptions about unbounded extents.

    The operation that computes the value may rely on the bounds, too: it checks them before it writes more than that.

    ```mlir
    %b = ov.concat %a, %r {axis = 0} : (tensor<?xf32, #ov.bounds<8>>, tensor<2xf32>) -> tensor<?xf32>
    %c = ov.check_bounds %b : (tensor<?xf32>) -> tensor<?xf32, #ov.bounds<8>>
    ```
    Error when run: `runtime-capacity`.
    """

    name = "ov.check_bounds"
    CARRIES: ClassVar[tuple[int, ...] | None] = (0,)

    value = operand_def(TENSOR)
    output = result_def(TENSOR)
    # Where nothing uses the value, nothing has to be checked.
    traits = traits_def(FailsOnContents())

    @staticmethod
    def of(value: SSAValue, bounds: Sequence[int | None]) -> CheckBoundsOp:
        """Build the operation."""
        return CheckBoundsOp.build(
            operands=[value], result_types=[with_bounds(tensor_type_of(value), bounds)]
        )

    @property
    def most(self) -> Bounds[int | None]:
        """How large the value may be."""
        return bounds_of_type(self.output.type) if isinstance(self.output.type, TensorType) else Bounds(())

    def accepts(self, facts: Sequence[Fact]) -> bool:
        shape = facts[0].shape
        most, count = facts[0].elements.hi, self.most.elements
        return (
            shape is not None
            and all(b is None or (d.hi is not None and d.hi <= b) for d, b in zip(shape, self.most))
            and (count is None or (most is not None and most <= count))
        )

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        value, most = facts[0], self.most
        if value.shape is None or len(most) != len(value.shape):
            return [value]
        # A larger extent is an error when it comes.
        limited = (d if b is None else d.meet(Dim(0, b)) or Dim(b, b) for d, b in zip(value.shape, most))
        return [replace(value, shape=tuple(limited)).of_at_most(most.elements)]

    def evaluate(self, value: np.ndarray) -> np.ndarray:
        """The value, if it is not larger."""
        for dimension, (extent, most) in enumerate(zip(value.shape, self.most)):
            if most is not None and extent > most:
                raise run_error("capacity", f"dimension {dimension} of a tensor is larger than {most}")
        if self.most.elements is not None and value.size > self.most.elements:
            raise run_error("capacity", f"a tensor has more than {self.most.elements} elements")
        return value


def failure_of(block: Block) -> FailOp | None:
    """Return the `ov.fail` that replaces the contents of a block, or None.

    The contents are not allowed for these shapes. An `ov.fail` without results stands beside contents that are, and stops
    the program before them.
    """
    return next((op for op in block.ops if isinstance(op, FailOp) and op.values), None)


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
