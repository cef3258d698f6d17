"""`convert-ov-to-openvino`: a program becomes one of which each operation is a layer of OpenVINO's operation sets.

| file | what it does |
|---|---|
| `expressing` | the registry of what is expressed by other operations, and the work list |
| `limits` | what layers may not be that operations may: ranks, functions |
| `operands` | what OpenVINO asks of operands: scalars, index types |
| `operators` | how operations are expressed that no set has, one file per family |
| `checks` | errors: what the program asks when it runs, as OpenVINO can ask it |
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
    """Express what OpenVINO's operation sets lack by what they have, or refuse it by name.

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

    Composite operations that no set has are decomposed, operands are reshaped and converted to what OpenVINO takes, and each operation says
    all properties that its layer says. Loops get a trip count and conditions, or none of them; what is an argument and a result, or two
    results, is copied, for OpenVINO has one name for a tensor; constants are where they are read. `checks` says what becomes of what stops
    a program when it runs (an index out of range, `ov.require`), which no operation of OpenVINO is made for: `keep` asks it by an operation
    that fails, `drop` leaves it out. Error: `not-in-openvino`.
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
