"""`ov.fail`: stands for operations that are illegal wherever they would run."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block
from xdsl.irdl import irdl_op_definition, prop_def, var_result_def

from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact


@irdl_op_definition
class FailOp(OvOperation):
    """Stops the program with `reason` when it runs; its results never come to be.

    A branch may hold operations that the shapes of the operands forbid: the branch is there for other shapes, and the
    condition that chooses it is not known before the program runs. `ov-infer` replaces what is in such a branch by this
    operation. Its results only have types, those of the results of the `ov.if`, to which the branch adds nothing.
    Neither OpenVINO nor ONNX has it; both only look at a branch that they run.

    ```mlir
    %y = ov.fail "'Squeeze:y' (ov.squeeze): dimension 0 is 3, not 1" : tensor<?xf32>
    ```
    Error when run: `runtime-shape`.
    """

    name = "ov.fail"

    reason = prop_def(StringAttr)
    values = var_result_def()

    assembly_format = "$reason attr-dict `:` type($values)"
    # No traits: what may stop the program is neither moved nor removed.

    @staticmethod
    def of(reason: str, types: Sequence[Attribute]) -> FailOp:
        """Build the operation."""
        return FailOp.build(properties={"reason": StringAttr(reason)}, result_types=[list(types)])

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        return [Fact.of_type(value.type) for value in self.values]


def failure_of(block: Block) -> FailOp | None:
    """The operation by which a block surely stops the program when it runs, if there is one."""
    return next((op for op in block.ops if isinstance(op, FailOp)), None)
