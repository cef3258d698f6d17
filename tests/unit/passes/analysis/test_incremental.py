"""Types stay true while patterns change a program (`TypeUpdateListener`), at the cost of what changes."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.elementwise_unary import AbsOp, NegativeOp, ReLUOp, SigmoidOp
from loomir.dialects.ov.operators.reshape import TransposeOp
from loomir.passes.analysis.inference import TypeUpdateListener
from tests.support import count_calls, raises_error


class Turn(RewritePattern):
    """A ReLU becomes a Transpose: what follows has the other shape."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReLUOp, rewriter: PatternRewriter) -> None:
        order = ConstantOp.of(np.array([1, 0]))
        rewriter.replace(op, [order, TransposeOp.make(op.data, order.output)])


class Watch(RewritePattern):
    """Notes the type that each Sigmoid's operand has when the walk comes to it."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SigmoidOp, rewriter: PatternRewriter) -> None:
        self.seen.append(str(op.data.type))


class Both(RewritePattern):
    def __init__(self, *patterns: RewritePattern) -> None:
        self.patterns = patterns

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        for each in self.patterns:
            if op.parent is not None:
                each.match_and_rewrite(op, rewriter)


def rewritten(module: ModuleOp, *patterns: RewritePattern) -> ModuleOp:
    PatternRewriteWalker(Both(*patterns), listener=TypeUpdateListener()).rewrite_module(module)
    return module


def program(body: str, result: str, *, argument: str = "tensor<2x3xf32>") -> ModuleOp:
    return parse_module(
        f"func.func @main(%c: tensor<i1>, %x: {argument}) -> {result} {{\n{body}\n  func.return %y : {result}\n}}"
    )


def types(module: ModuleOp) -> dict[str, str]:
    """The result type of each operation of GRAPH, by its name."""
    return {op.name: str(op.results[0].type) for op in module.walk() if isinstance(op, OvOperation)}


def test_what_follows_a_replacement_has_its_type_at_once() -> None:
    module = program(
        """
        %r = ov.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
        %n = ov.negative %r : (tensor<2x3xf32>) -> tensor<2x3xf32>
        %s = ov.sigmoid %n : (tensor<2x3xf32>) -> tensor<2x3xf32>
        %y = ov.shape_of %s : (tensor<2x3xf32>) -> tensor<2xi64>
        """,
        "tensor<2xi64>",
    )
    watch = Watch()
    rewritten(module, Turn(), watch)
    assert watch.seen[0] == "tensor<3x2xf32>"
    assert types(module)["ov.sigmoid"] == "tensor<3x2xf32>"


def test_a_type_is_made_more_precise_through_open_extents() -> None:
    class Close(RewritePattern):
        @op_type_rewrite_pattern
        def match_and_rewrite(self, op: AbsOp, rewriter: PatternRewriter) -> None:
            rewriter.replace(op, NegativeOp.make(op.data))

    module = program(
        """
        %a = ov.abs %x : (tensor<2x3xf32>) -> tensor<*xf32>
        %b = ov.sigmoid %a : (tensor<*xf32>) -> tensor<*xf32>
        %y = ov.exp %b : (tensor<*xf32>) -> tensor<?x?xf32>
        """,
        "tensor<?x?xf32>",
    )
    watch = Watch()
    # (The function's own type is that of whoever ends the pass.)
    rewritten(module, Close(), watch)
    assert watch.seen[-1] == "tensor<2x3xf32>"
    assert types(module)["ov.exp"] == "tensor<2x3xf32>"


def test_a_more_precise_type_that_was_known_stays() -> None:
    """A more precise type that `ov-infer` found by looking further is kept."""

    class Same(RewritePattern):
        @op_type_rewrite_pattern
        def match_and_rewrite(self, op: AbsOp, rewriter: PatternRewriter) -> None:
            rewriter.replace(op, NegativeOp.make(op.data))

    module = program(
        """
        %a = ov.abs %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
        %y = ov.sigmoid %a : (tensor<?x3xf32>) -> tensor<7x3xf32>
        """,
        "tensor<7x3xf32>",
        argument="tensor<?x3xf32>",
    )
    assert types(rewritten(module, Same()))["ov.sigmoid"] == "tensor<7x3xf32>"


BRANCH = """
        %r = ov.relu %x : (tensor<2x2xf32>) -> tensor<2x2xf32>
        %y = ov.if %c -> (tensor<?x?xf32>) {
          %i = ov.relu %r : (tensor<2x2xf32>) -> tensor<2x2xf32>
          %s = ov.sigmoid %i : (tensor<2x2xf32>) -> tensor<2x2xf32>
          ov.yield %s : tensor<2x2xf32>
        } else {
          %t = ov.sigmoid %r : (tensor<2x2xf32>) -> tensor<2x2xf32>
          ov.yield %t : tensor<2x2xf32>
        }
"""


def test_in_branches_what_follows_is_true_and_what_they_give_stays() -> None:
    watch = Watch()
    module = rewritten(program(BRANCH, "tensor<?x?xf32>", argument="tensor<2x2xf32>"), Turn(), watch)
    assert set(watch.seen) == {"tensor<2x2xf32>"}
    results = [op.results[0].type for op in module.walk() if op.name == "ov.if"]
    assert [str(each) for each in results] == ["tensor<?x?xf32>"]
    assert isinstance(results[0], TensorType)


def test_what_its_operands_forbid_is_an_error_where_it_is_made() -> None:
    class Wrong(RewritePattern):
        @op_type_rewrite_pattern
        def match_and_rewrite(self, op: ReLUOp, rewriter: PatternRewriter) -> None:
            wrong = NegativeOp.build(operands=[op.parent.args[0]], result_types=[op.results[0].type])  # type: ignore[union-attr]
            rewriter.replace(op, wrong)

    module = program("%y = ov.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>", "tensor<2x3xf32>")
    with raises_error("element-type", "i1"):
        rewritten(module, Wrong())


class Identities(RewritePattern):
    """Each ReLU becomes an Abs."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReLUOp, rewriter: PatternRewriter) -> None:
        rewriter.replace(op, AbsOp.make(op.data))


def chain(count: int) -> ModuleOp:
    lines = [f"%v{i + 1} = ov.relu %v{i} : (tensor<4xf32>) -> tensor<4xf32>" for i in range(count)]
    text = "\n".join(lines)
    return parse_module(
        f"func.func @main(%v0: tensor<4xf32>) -> tensor<4xf32> {{\n{text}\nfunc.return %v{count} : tensor<4xf32>\n}}"
    )


def test_the_cost_is_that_of_what_changes() -> None:
    """Types that do not change are not followed: 4 times the edits are 4 times the work, and little more than without."""

    def calls(count: int, listener: PatternRewriterListener) -> int:
        module = chain(count)
        return count_calls(
            lambda: PatternRewriteWalker(
                Identities(), listener=listener, apply_recursively=False
            ).rewrite_module(module)
        )

    small, large = calls(100, TypeUpdateListener()), calls(400, TypeUpdateListener())
    assert large < 4.3 * small
    assert small < 100 * 3000
