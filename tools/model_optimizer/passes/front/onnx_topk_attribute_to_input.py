"""`onnx-topk-attribute-to-input`: turns TopK's number of elements into an input.

Since version 10, this number is an input.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.diagnostics import PatternRemarks, Remarks
from loomir.dialects.onnx.operations import FunctionKey, NodeOp
from loomir.dialects.onnx.rewriting import (
    add_integers,
    functions_of,
    integer_of,
    is_operator,
    opset_around,
    version_in,
)
from loomir.dialects.upstream.rewriting import rewrite

SINCE = 10
"""First version of TopK with an input in place of the attribute."""


@dataclass(frozen=True)
class OnnxTopkAttributeToInputPass(ModulePass):
    """Replace the attribute `k` of TopK-1 by a constant input.

    ```mlir
    %v, %i = onnx.node "TopK" 1 named "top" (%x) {k = 3 : i64} : (tensor<2x9xf32>) -> (!onnx.unknown, !onnx.unknown)
    ```
    becomes
    ```mlir
    %k = onnx.constant dense<3> : tensor<1xi64> named "top/Dims" : tensor<1xi64>
    %v, %i = onnx.node "TopK" 10 named "top" (%x, %k) : (tensor<2x9xf32>, tensor<1xi64>) -> (!onnx.unknown, !onnx.unknown)
    ```

    The new node is of the version that the operator set of the model, or of the function around it, has, but at least of version 10: a
    node says its own. The greatest elements are taken and sorted in all of them. A `k` that the call of a function gives stays.
    """

    name = "onnx-topk-attribute-to-input"
    # (Nothing can run FRONT: this is never compared.)
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pattern = AttributeToInput(functions_of(op), Remarks(self.name))
        with PatternRemarks().recording(op, self.name):
            # What is made has an input: each is looked at once.
            rewrite(op, pattern, once=True)


@dataclass
class AttributeToInput(RewritePattern):
    """`topk(x) {k} → topk(x, k)`."""

    functions: frozenset[FunctionKey]
    remarks: Remarks

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: NodeOp, rewriter: PatternRewriter) -> None:
        # (Since version 10 it is no attribute, and a node that has one all the same is refused by name later.)
        old = op.version.value.data < SINCE and is_operator(op, "TopK", self.functions)
        if not old or len(op.inputs) != 1:
            return
        k = integer_of(op, "k")
        if k is None:
            self.remarks.missed(op, "its k is not known")
            return
        count = add_integers([k], f"{op.title}/Dims", op, rewriter)
        new = NodeOp.of(
            "TopK",
            version_in(opset_around(op), "TopK", SINCE),
            [op.inputs[0], count],
            op.result_types,
            label="" if op.label is None else op.label.data,
            names=None if op.names is None else [name.data for name in op.names],
            attributes={name: attr for name, attr in op.attributes.items() if name != "k"},
        )
        new.location = op.location
        rewriter.replace(op, new)
