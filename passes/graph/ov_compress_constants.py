"""`ov-compress-constants`: weights are stored in floats of 16 bits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import f32, f64, tensor_type_of
from loomir.dialects.ov.graph_builder import RewriteBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.upstream.rewriting import rewrite
from loomir.passes.options import check_least

MOST = np.finfo(np.float16).max


@dataclass(frozen=True)
class OvCompressConstantsPass(ModulePass):
    """Stores float constants in 16 bits and converts them at their uses.

    ```mlir
    %w = ov.constant dense<…> : tensor<64x64xf32> : tensor<64x64xf32>
    ```
    becomes
    ```mlir
    %h = ov.constant dense<…> : tensor<64x64xf16> : tensor<64x64xf16>
    %w = ov.convert %h {destination_type = f32} : (tensor<64x64xf16>) -> tensor<64x64xf32>
    ```
    which OpenVINO keeps as it is stored. A constant with a number outside of the range of 16 bits stays (a rounded number
    is close, an infinite one is not). Constants of fewer than `least-elements` also stay: they are not weights.
    """

    name = "ov-compress-constants"
    EXACT = False

    least_elements: int = 16

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, least_elements=0)
        rewrite(op, StoreIn16Bits(self.least_elements, Remarks(self.name)), once=True)


@dataclass(frozen=True)
class StoreIn16Bits(RewritePattern):
    """Store a float constant in 16 bits (see the pass)."""

    least_elements: int
    remarks: Remarks

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConstantOp, rewriter: PatternRewriter) -> None:
        element = tensor_type_of(op.output).element_type
        array = op.array
        if element not in (f32, f64) or array.size < self.least_elements:
            return
        finite = array[np.isfinite(array)]
        if finite.size and np.abs(finite).max() > MOST:
            self.remarks.missed(op, "it has numbers out of the range of 16 bits", bits=8 * array.itemsize)
            return
        build = RewriteBuilder.before(op, rewriter)
        narrow = build.constant(array.astype(np.float16))
        wide = build.make(ConvertOp, narrow, attributes={"destination_type": element})
        rewriter.replace(op, [], [wide])
