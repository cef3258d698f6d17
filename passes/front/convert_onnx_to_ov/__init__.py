"""`convert-onnx-to-ov`: the nodes of an ONNX model become operations of GRAPH.

FRONT → GRAPH. Each operator by its translator, which knows what each of its versions means (`operators/`, by groups of families; an
operator that is one operation needs none: the operation's `SOURCES` name it), by the model's function of its name, or by ONNX's own
definition in simpler operators. Types follow from the operations: what the file declares of values in between is not trusted.
Loops and branches become `ov.loop` and `ov.if`. What has no meaning here is refused by name.

```mlir
%n = onnx.constant dense<3> : tensor<i64> : tensor<i64>
%none = onnx.none : none
%y = onnx.node "Loop" 25 named "twice" (%n, %none, %x) : (tensor<i64>, none, tensor<2xf32>) -> tensor<2xf32> graph "body" {
^bb0(%i: tensor<i64>, %go: tensor<i1>, %c: tensor<2xf32>):
  %d = onnx.node "Add" 14 (%c, %c) : (tensor<2xf32>, tensor<2xf32>) -> !onnx.unknown
  onnx.yield %go, %d : tensor<i1>, !onnx.unknown
}
```

becomes

```mlir
%n = ov.constant dense<3> : tensor<i64> : tensor<i64>
%y = ov.loop trip(%n) carried(%x) {slices = [], concats = []} : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32> {
^bb0(%i: tensor<i64>, %c: tensor<2xf32>):
  %d = ov.add %c, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  ov.next carried(%d : tensor<2xf32>)
}
```
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.passes.options import Semantics, TranslationOptions, check_least

DEFAULTS = TranslationOptions()


@dataclass(frozen=True)
class ConvertOnnxToOvPass(ModulePass):
    """Give the operators of an ONNX model their meaning."""

    name = "convert-onnx-to-ov"
    # (Nothing can run FRONT: this is never compared.)
    EXACT = True

    semantics: Semantics = DEFAULTS.semantics
    """`specification` or `onnxruntime`: whose reading holds where they differ."""
    max_nodes: int = DEFAULTS.max_nodes
    max_nesting: int = DEFAULTS.max_nesting
    layers: bool = DEFAULTS.layers
    """True to keep operators that are single layers of OpenVINO's sets.

    `loomir convert` needs this.
    """

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_nodes=0, max_nesting=0)
        # ONNX's own package is loaded where a model is translated, not where passes are listed.
        from loomir.passes.front.convert_onnx_to_ov.translate import convert

        convert(op, TranslationOptions(self.max_nodes, self.max_nesting, self.semantics, self.layers))
