"""Transformations run: what each form of steps is, where patterns are applied, what is true afterwards, who broke what."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.compiler.extensions.extension import Phase, Transformation
from loomir.compiler.formats.mlir.parser import make_context, parse_module
from loomir.dialects.onnx.operations import NodeOp
from loomir.dialects.ov.operators.elementwise_unary import AbsOp, NegativeOp, ReLUOp, SigmoidOp
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.tools.model_optimizer.convert.phases import run_phase
from loomir.tools.model_optimizer.passes.graph.ov_fuse_swish import OvFuseSwishPass
from tests.support import raises_error

BRANCH = """
func.func @main(%c: tensor<i1>, %x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = ov.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %y = ov.if %c -> (tensor<2x3xf32>) {
    %b = ov.relu %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ov.yield %b : tensor<2x3xf32>
  } else {
    ov.yield %a : tensor<2x3xf32>
  }
  func.return %y : tensor<2x3xf32>
}
"""
NODES = """
builtin.module attributes {onnx.opset = 20 : i64} {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %unused = onnx.node "Exp" 13 (%x) : (tensor<2xf32>) -> !onnx.unknown
    %y = onnx.node "Relu" 14 (%x) : (tensor<2xf32>) -> tensor<2xf32>
    func.return %y : tensor<2xf32>
  }
}
"""


class ReluToAbs(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReLUOp, rewriter: PatternRewriter) -> None:
        rewriter.replace(op, AbsOp.make(op.data))


def run(text: str, *steps: Transformation) -> ModuleOp:
    module = parse_module(text)
    run_phase(module, steps, make_context())
    return module


def step(steps: object, phase: Phase = "middle", **options: object) -> Transformation:
    return Transformation("mine", phase, steps, **options)  # type: ignore[arg-type]


def count(module: ModuleOp, kind: type[Operation]) -> int:
    return sum(isinstance(op, kind) for op in walk(module))


@pytest.mark.parametrize(
    ("recursive", "left"), [(True, 0), (False, 1)], ids=["in bodies too", "not in bodies"]
)
def test_patterns(recursive: bool, left: int) -> None:
    module = run(BRANCH, step([ReluToAbs()], recursive=recursive))
    assert (count(module, ReLUOp), count(module, AbsOp)) == (left, 2 - left)


def test_a_pass_a_pipeline_and_a_function() -> None:
    swish = BRANCH.replace(
        "%a = ov.relu %x : (tensor<2x3xf32>)",
        "%s = ov.sigmoid %x : (tensor<2x3xf32>) -> tensor<2x3xf32>\n  %a = ov.multiply %x, %s : (tensor<2x3xf32>, tensor<2x3xf32>)",
    )
    for steps in (OvFuseSwishPass(), "ov-fuse-swish,canonicalize"):
        assert "ov.swish" in str(run(swish, step(steps)))
    seen: list[ModuleOp] = []
    assert seen == [run(BRANCH, step(seen.append))]


def test_a_condition_decides_on_the_module() -> None:
    asked: list[ModuleOp] = []

    def never(module: ModuleOp) -> bool:
        asked.append(module)
        return False

    assert count(run(BRANCH, step([ReluToAbs()], condition=never)), AbsOp) == 0
    assert len(asked) == 1


def test_clean_up_removes_what_no_output_needs() -> None:
    def leave_rest(module: ModuleOp) -> None:
        for op in walk(module):
            if isinstance(op, ReLUOp):
                op.results[0].replace_all_uses_with(op.data)

    assert count(run(BRANCH, step(leave_rest)), ReLUOp) == 2
    assert count(run(BRANCH, step(leave_rest, clean_up=True)), ReLUOp) == 0

    def nothing(module: ModuleOp) -> None:
        pass

    assert count(run(NODES, step(nothing, "front")), NodeOp) == 2
    assert count(run(NODES, step(nothing, "front", clean_up=True)), NodeOp) == 1


class Breaks(RewritePattern):
    """Leaves a node of FRONT in GRAPH, and an operation of GRAPH in FRONT."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if isinstance(op, ReLUOp):
            rewriter.replace(op, NodeOp.of("Exp", 13, [op.data], op.result_types))
        elif isinstance(op, NodeOp) and op.operator.data == "Relu":
            rewriter.replace(op, SigmoidOp.make(op.inputs[0]))


@pytest.mark.parametrize(("text", "phase"), [(BRANCH, "middle"), (BRANCH, "back"), (NODES, "front")])
def test_who_breaks_the_program_is_named(text: str, phase: Phase) -> None:
    with raises_error("transformation-broke-ir", "after the transformation mine", "not an operation of the"):
        run(text, step([Breaks()], phase))


def test_a_value_that_is_used_before_it_is_there() -> None:
    def swap(module: ModuleOp) -> None:
        relu = next(op for op in walk(module) if isinstance(op, ReLUOp))
        block = relu.parent_block()
        assert block is not None
        assert isinstance(block.last_op, ReturnOp)
        relu.detach()
        block.insert_op_before(relu, block.last_op)

    with raises_error("transformation-broke-ir", "after the transformation mine"):
        run(BRANCH, step(swap))


def test_an_error_says_in_which_transformation_it_was() -> None:
    def refuse(module: ModuleOp) -> None:
        raise Error("bad-option", "no such thing", hint="another one")

    with raises_error("bad-option", "in the transformation mine: no such thing", "another one"):
        run(BRANCH, step(refuse))


def test_what_an_extension_raises_is_its_own_defect() -> None:
    def fail(module: ModuleOp) -> None:
        raise KeyError("axes")

    with raises_error("transformation-failed", "mine failed: KeyError: 'axes'", "the extension acme"):
        run(BRANCH, step(fail, owner="acme"))
    with pytest.raises(KeyError):
        run(BRANCH, step(fail))


def test_an_operation_that_its_operands_forbid_is_the_transformations() -> None:
    text = BRANCH.replace("f32", "i1").replace("ov.relu", "ov.logical_not")

    class Negate(RewritePattern):
        def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
            if op.name == "ov.logical_not":
                rewriter.replace(
                    op, NegativeOp.build(operands=[op.operands[0]], result_types=[op.results[0].type])
                )

    with raises_error("element-type", "in the transformation mine", "expected a number"):
        run(text, step([Negate()]))


def test_anchors_do_nothing() -> None:
    assert step(()).is_anchor
    assert count(run(BRANCH, step(()), step([ReluToAbs()])), AbsOp) == 2


def test_types_are_true_after_each_step() -> None:
    """A pass that says nothing of its edits, too."""

    def widen(module: ModuleOp) -> None:
        for op in walk(module):
            if isinstance(op, ReLUOp):
                sigmoid = SigmoidOp.create(operands=[op.data], result_types=parse_types("tensor<?x?xf32>"))
                block = op.parent_block()
                assert block is not None
                block.insert_op_before(sigmoid, op)
                op.operands = [sigmoid.results[0]]

    module = run(BRANCH, step(widen))
    assert "tensor<?x?xf32>" not in str(module)


def parse_types(text: str) -> list:
    from xdsl.parser import Parser

    return [Parser(make_context(), text).parse_type()]
