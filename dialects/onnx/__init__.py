"""The `onnx` dialect, stage FRONT: an ONNX model as in its file.

Nothing is known yet of the semantics of its operators.

```mlir
func.func @main(%x: tensor<2x?xf32> {loomir.name = "x"}) -> (tensor<*xf32> {loomir.name = "y"}) {
  %w = onnx.constant dense<1.000000e+00> : tensor<1xf32>
  %y = onnx.node "Add" 14 named "sum" (%x, %w) : (tensor<2x?xf32>, tensor<1xf32>) -> tensor<*xf32>
  func.return %y : tensor<*xf32>
}
```

One operation represents every operator (`onnx.node`): its type, domain, version, raw attributes, and a region for each
subgraph. Values have the types that the file declares; an undeclared type is `!onnx.unknown`. The model's functions are
`onnx.function`. `convert-onnx-to-ov` converts the module to GRAPH.

One file per subject: `operations`, `types`, and, for ONNX's protobuf messages, `tensors` (with their types), `nodes` (with
their attributes and schemas) and `graphs`.
"""

from __future__ import annotations

from functools import cache

from xdsl.ir import Dialect


@cache
def get_dialect() -> Dialect:
    """The dialect object, for a Context."""
    from loomir.dialects.onnx.operations import ConstantOp, FunctionOp, NodeOp, NoneOp, YieldOp
    from loomir.dialects.onnx.types import ReferenceAttr, UnknownType

    return Dialect("onnx", [ConstantOp, FunctionOp, NodeOp, NoneOp, YieldOp], [ReferenceAttr, UnknownType])
