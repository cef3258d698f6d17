"""The extension that tests of commands load."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.traits import Pure

import loomir
from loomir.compiler.convert.replacements import Match
from loomir.dialects.onnx.operations import NodeOp
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.elementwise_unary import AbsOp, ReLUOp
from loomir.dialects.ov.sources import Sources
from loomir.dialects.tensors import TENSOR

extension = loomir.Extension("acme")


@extension.operation
@irdl_op_definition
class TwiceOp(OvOperation):
    """Twice the operand; nothing lowers it."""

    name = "ov.acme.twice"
    SOURCES: ClassVar = Sources(openvino=("AcmeTwice",), onnx=("Twice", 1), domain="com.acme")
    data = operand_def(TENSOR)
    output = result_def(TENSOR)
    traits = traits_def(Pure())

    def infer(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        return [Fact(facts[0].element, facts[0].shape)]

    def evaluate(self, x: np.ndarray) -> np.ndarray:
        return x + x


class TwiceToRelu(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TwiceOp, rewriter: PatternRewriter) -> None:
        rewriter.replace(op, ReLUOp.make(op.data))


@extension.named_pass
class AcmeTwiceToReluPass(ModulePass):
    name = "acme-twice-to-relu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(TwiceToRelu()).rewrite_module(op)


def break_it(module: ModuleOp) -> None:
    for op in module.walk():
        if isinstance(op, AbsOp):
            op.results[0].replace_all_uses_with(op.data)
            op.operands = [op.results[0]]


@extension.replacement("AcmeScope")
def scope(match: Match) -> SSAValue:
    return match.build.node(
        "Twice", match.inputs[0], domain="com.acme", label=match.custom_attributes["label"]
    )


extension.transformation("AcmeRelu", "back", "acme-twice-to-relu", enabled=False)
extension.transformation("AcmeBreak", "middle", break_it, enabled=False)
extension.transformation("AcmeRefuse", "middle", lambda module: 1 / 0, enabled=False)


class DropNode(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: NodeOp, rewriter: PatternRewriter) -> None:
        if op.operator.data == "Drop":
            rewriter.replace(op, [], [op.inputs[0]])


extension.transformation("AcmeDrop", "front", [DropNode()], run_before=("FrontStart",))
