"""`ov-narrow-weights`: weights that are stored as integers stay integers."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import dtype_of, f32, f64, set_type
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import RewriteBuilder
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.convolution import ConvolutionOp, GroupConvolutionOp
from loomir.dialects.ov.operators.elementwise_binary import MultiplyOp
from loomir.dialects.upstream.rewriting import rewrite
from loomir.passes.analysis.integer_weights import decoded, factor_of
from loomir.passes.options import check_least

NARROW = "loomir.narrow"
"""Attribute of float conversions that `ov-fold-constants` leaves to the product.

The product is the one that reads the conversion.
"""


@dataclass(frozen=True)
class OvNarrowWeightsPass(ModulePass):
    """Applies the scale of weights to the product instead.

    ```mlir
    %f = ov.convert %w {destination_type = f32} : (tensor<64x8x3x3xi8>) -> tensor<64x8x3x3xf32>
    %s = ov.multiply %f, %scale : (tensor<64x8x3x3xf32>, tensor<64x1x1x1xf32>) -> tensor<64x8x3x3xf32>
    %r = ov.convolution %x, %s …
    ```
    becomes
    ```mlir
    %f = ov.convert %w {loomir.narrow, destination_type = f32} : (tensor<64x8x3x3xi8>) -> tensor<64x8x3x3xf32>
    %p = ov.convolution %x, %f …
    %r = ov.multiply %p, %scale2 : (tensor<1x64x9x9xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x9x9xf32>
    ```
    The weights then take a fourth of the memory, because `ov-fold-constants` leaves such a conversion to the product that
    reads them. This is for a small flash, not for speed: every weight is converted whenever it is read. Run this pass
    before `ov-fold-constants`. The scale must be the same for all weights of a sum: it runs along output channels or
    columns. An integral zero point is added to the weights. Weights of less than `least-bytes` as floats are left alone.
    """

    name = "ov-narrow-weights"
    EXACT = False

    least_bytes: int = 1024

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, least_bytes=0)
        rewrite(op, NarrowWeights(self.least_bytes), once=True)


@dataclass(frozen=True)
class NarrowWeights(RewritePattern):
    """Apply the scale of weights to the product instead (see the pass)."""

    least_bytes: int

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: MatMulOp | ConvolutionOp | GroupConvolutionOp, rewriter: PatternRewriter
    ) -> None:
        for place in (1, 0) if isinstance(op, MatMulOp) else (1,):
            operand = op.operands[place]
            element = fact_of(operand).element
            found = decoded(operand) if element in (f32, f64) else None
            if found is None:
                continue
            integers, scale = found
            factor = factor_of(op, place, scale)
            if factor is None or integers.size * dtype_of(element).itemsize < self.least_bytes:
                continue
            build = RewriteBuilder.before(op, rewriter)
            weights = build.make(
                ConvertOp, build.constant(integers), attributes={"destination_type": element}
            )
            build.emitted[-1].attributes[NARROW] = UnitAttr()
            op.operands[place] = weights
            if (factor != 1).any():
                after = RewriteBuilder(rewriter, InsertPoint.after(op), op.location)
                constant = after.constant(factor.astype(dtype_of(element)))
                scaled = after.make(MultiplyOp, op.output, constant)
                set_type(scaled, op.output.type)
                scaled.name_hint = op.output.name_hint
                after.put_behind(op.output, scaled)
            return
