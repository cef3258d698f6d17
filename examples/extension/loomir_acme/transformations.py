"""A transformation of each phase: of the nodes of the file, of the program with its shapes, and of what comes out in the end."""

import numpy as np
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.element_types import any_tensor_of, is_float
from loomir.dialects.onnx.operations import NodeOp
from loomir.dialects.ov.attributes import to_float
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.graph_builder import RewriteBuilder
from loomir.dialects.ov.operators.elementwise_binary import DivideOp, MultiplyOp
from loomir_acme.operators import SoftShrinkOp
from loomir_acme.package import extension


class ScaledAdd(RewritePattern):
    """Front: `com.acme.ScaledAdd(a, b)` is ONNX's `Sum(a, b, b)`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: NodeOp, rewriter: PatternRewriter) -> None:
        if op.key == ("com.acme", "ScaledAdd", "") and len(op.inputs) == 2:
            a, b = op.inputs
            new = NodeOp.of("Sum", 13, [a, b, b], op.result_types, label=op.title)
            new.location = op.location
            rewriter.replace(op, new)


class ShrinkTwice(RewritePattern):
    """Middle: to shrink by t and then by u is to shrink by t + u."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SoftShrinkOp, rewriter: PatternRewriter) -> None:
        inner = op.data.owner
        if isinstance(inner, SoftShrinkOp) and op.data.has_one_use():
            threshold = to_float(inner.threshold) + to_float(op.threshold)
            build = RewriteBuilder.before(op, rewriter)
            result = build.make(SoftShrinkOp, inner.data, attributes={"threshold": threshold})
            rewriter.replace(op, [], [result])
            rewriter.erase(inner)


class DivideByConstant(RewritePattern):
    """Back: Acme's device has no division: a constant divisor becomes a factor."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DivideOp, rewriter: PatternRewriter) -> None:
        divisor = constant_of(op.b)
        if divisor is None or not is_float(any_tensor_of(op.b).element_type) or not np.all(divisor):
            return
        build = RewriteBuilder.before(op, rewriter)
        factor = build.constant(np.asarray(divisor.dtype.type(1) / divisor))
        rewriter.replace(op, [], [build.make(MultiplyOp, op.a, factor)])


extension.transformation("AcmeScaledAdd", "front", [ScaledAdd()], about="ScaledAdd becomes Sum")
extension.transformation(
    "AcmeShrinkTwice",
    "middle",
    [ShrinkTwice()],
    run_after=("CleanUp",),
    about="two SoftShrinks become one",
)
extension.transformation(
    "AcmeDivideByConstant",
    "back",
    [DivideByConstant()],
    clean_up=True,  # the divisors are no longer needed
    about="divisions by constants become products",
)
