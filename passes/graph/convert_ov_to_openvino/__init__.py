"""`convert-ov-to-openvino`: converts each operation to layers of OpenVINO's operation sets.

| file | what it does |
|---|---|
| `expressing` | the registry of operations expressed by others, and the worklist |
| `limits` | what layers may not be that operations may: ranks, functions |
| `operands` | OpenVINO's requirements of operands: scalars, index types |
| `operators` | expression of operations that no set has, one file per family |
| `checks` | errors: run-time checks of the program, as OpenVINO can check them |
| `loops` | trip counts and conditions, slices and concatenations of loops, as Loop-5 and TensorIterator-1 have them |
| `results` | each result of `main` is a tensor of its own, with a name of its own |
| `constants` | each body has the constants that it reads |
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.passes.analysis.inference import infer
from loomir.passes.graph.convert_ov_to_openvino.checks import CHECKS, Checks
from loomir.passes.graph.convert_ov_to_openvino.constants import localise_constants
from loomir.passes.graph.convert_ov_to_openvino.expressing import express_operations
from loomir.passes.graph.convert_ov_to_openvino.loops import express_loops
from loomir.passes.graph.convert_ov_to_openvino.results import separate_results
from loomir.passes.options import check_choice


@dataclass(frozen=True)
class ConvertOvToOpenvinoPass(ModulePass):
    """Expresses operations that OpenVINO's sets lack by operations they have.

    Operations that cannot be expressed are refused by name.

    Before:
    ```mlir
    %y = ov.arg_max %x {axis = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x1xi64>
    ```
    After:
    ```mlir
    %k = ov.constant dense<1> : tensor<i64>
    %v, %y = ov.top_k %x, %k {axis = 1 : i64, index_element_type = i64, stable = true}
        : (tensor<2x8xf32>, tensor<i64>) -> (tensor<2x1xf32>, tensor<2x1xi64>)
    ```

    Composite operations that no set has are decomposed. Operands are reshaped and converted to types that OpenVINO takes.
    Each operation specifies all properties that its layer specifies. Loops get a trip count and conditions, or none of
    them. A value that is both an argument and a result, or two results, is copied, for OpenVINO has one name for a tensor.
    Constants are placed where they are read. `checks` selects the treatment of run-time checks (an index out of range,
    `ov.require`), for which OpenVINO has no operation: `keep` checks by an operation that fails, `drop` leaves the check
    out. Error: `not-in-openvino`.
    """

    name = "convert-ov-to-openvino"
    EXACT = True

    checks: str = "keep"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_choice(self, "checks", CHECKS)
        express_operations(op, Checks(self.checks == "keep", infer(op)))
        express_loops(op)
        separate_results(op)
        localise_constants(op)


__all__ = ["ConvertOvToOpenvinoPass"]
