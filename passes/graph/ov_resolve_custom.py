"""`ov-resolve-custom`: replaces formerly unknown operators that are known now.

They become operations.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.diagnostics import located
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.layers import is_known
from loomir.dialects.ov.layers.attributes import PlainLayer
from loomir.dialects.ov.layers.conversion import results_of_layer
from loomir.dialects.ov.operators.custom import CustomOp
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error


@dataclass(frozen=True)
class OvResolveCustomPass(ModulePass):
    """Replaces each `ov.custom` by the operation of its type, if any.

    The operation is one of an operation set or of an extension.

    ```mlir
    %y = ov.custom "Swish" in "opset4" (%x) : (tensor<4xf32>) -> tensor<*xf32>    // before

    %y = ov.swish %x : (tensor<4xf32>) -> tensor<4xf32>                           // after
    ```

    Other `ov.custom` operations stay. Attributes are read as those of a layer. Errors: those of the layer's row and of the
    operation, with the place.
    """

    name = "ov-resolve-custom"
    # (What nobody knows does not run: this is never compared.)
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in [each for each in walk(op) if isinstance(each, CustomOp) and is_known(*each.key)]:
            _resolve(inner)
        for inner in op.ops:
            if isinstance(inner, FuncOp) and not inner.is_declaration:
                inner.update_function_type()


def _resolve(op: CustomOp) -> None:
    build = GraphBuilder(InsertPoint.before(op), op.location)
    try:
        layer = PlainLayer(*op.key, op.data)
        values = results_of_layer(layer, list(op.inputs), len(op.outputs), build.emit)
        if len(values) < len(op.outputs):
            raise Error("result-count", f"{op.type.data} has {len(values)} results, not {len(op.outputs)}")
    except Error as error:
        raise located(error, op) from None
    for old, new in zip(op.outputs, values):
        new.name_hint = new.name_hint or old.name_hint
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()
