"""`ov-resolve-custom`: replaces formerly unknown operators that are known now.

They become operations.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.diagnostics import Located
from loomir.dialects.ov.graph_builder import RewriteBuilder
from loomir.dialects.ov.layers import is_known
from loomir.dialects.ov.layers.attributes import PlainLayer
from loomir.dialects.ov.layers.conversion import results_of_layer
from loomir.dialects.ov.operators.custom import CustomOp
from loomir.dialects.upstream.rewriting import rewrite
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
        rewrite(op, Located(ResolveCustom()), once=True)
        for inner in op.ops:
            if isinstance(inner, FuncOp) and not inner.is_declaration:
                inner.update_function_type()


class ResolveCustom(RewritePattern):
    """Replace an `ov.custom` by the operation of its type (see the pass)."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CustomOp, rewriter: PatternRewriter) -> None:
        if not is_known(*op.key):
            return
        build = RewriteBuilder.before(op, rewriter)
        layer = PlainLayer(*op.key, op.data)
        values = results_of_layer(layer, list(op.inputs), len(op.outputs), build.emit)
        if len(values) < len(op.outputs):
            raise Error("result-count", f"{op.type.data} has {len(values)} results, not {len(op.outputs)}")
        rewriter.replace(op, [], values[: len(op.outputs)])
