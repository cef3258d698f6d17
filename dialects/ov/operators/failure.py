"""Operations that stop the program or check conditions at run time.

`ov.fail` stands for operations that are illegal wherever they would run; `ov.require` checks a condition that must hold;
`ov.check_bounds` checks the maximum size of a tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import StringAttr, TensorType
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

from loomir.dialects.attributes import Bounds, bounds_of_type, with_bounds
from loomir.dialects.diagnostics import run_error
from loomir.dialects.element_types import TENSOR, tensor_type_of
from loomir.dialects.ov.attributes import choice
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.shape_rules import check_element, check_rank, is_boolean
from loomir.dialects.ovseq.types import GraphType
from loomir.dialects.speculation import FailsOnContents


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
