"""`Analyses` computes each analysis once, and keeps what a pass keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Barrier, Thread

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType, f32
from xdsl.passes import ModulePass

from loomir.compiler.formats.mlir.parser import make_context, parse_module
from loomir.compiler.pipeline import run_passes
from loomir.dialects.element_types import set_type
from loomir.dialects.interface import main_function
from loomir.dialects.ov.operators.control_flow import IfOp
from loomir.passes.analysis.analyses import Analyses, PassContext, analyses_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.graph.ov_infer import OvInferPass, retype
from tests.support import raises_error

OPEN = TensorType(f32, [DYNAMIC_INDEX])
PROGRAM = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = ov.exp %x : (tensor<2xf32>) -> tensor<2xf32>
  func.return %y : tensor<2xf32>
}
"""
WITH_FAILURE = """
func.func @main(%x: tensor<2xf32>, %c: tensor<i1>) -> tensor<*xf32> {
  %three = ov.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32> : tensor<3xf32>
  %y = ov.if %c -> (tensor<*xf32>) {
    %e = ov.exp %x : (tensor<2xf32>) -> tensor<*xf32>
    %sum = ov.add %e, %three : (tensor<*xf32>, tensor<3xf32>) -> tensor<*xf32>
    ov.yield %sum : tensor<*xf32>
  } else {
    ov.yield %x : tensor<2xf32>
  }
  func.return %y : tensor<*xf32>
}
"""


@dataclass(frozen=True)
class _Pass(ModulePass):
    """Notes the inference that it gets, and does something."""

    name = "test-pass"

    action: Callable[[Analyses, ModuleOp], object] = lambda analyses, module: None
    seen: list[Inference] = field(default_factory=list)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        analyses = analyses_of(ctx)
        self.seen.append(analyses.get(infer, op))
        self.action(analyses, op)


def change(analyses: Analyses, module: ModuleOp) -> None:
    """Change the type of an argument, and thereby the facts."""
    main = main_function(module)
    set_type(main.args[0], OPEN)
    main.update_function_type()


def keep_after_change(analyses: Analyses, module: ModuleOp) -> None:
    change(analyses, module)
    analyses.keep(infer)


def test_an_analysis_is_computed_once_for_equal_options() -> None:
    analyses, module = Analyses(), parse_module(PROGRAM)
    first = analyses.get(infer, module)
    assert analyses.get(infer, module, keep_shapeof=False) is first
    assert analyses.get(infer, module, keep_shapeof=True) is not first
    assert analyses.get(infer, parse_module(PROGRAM)) is not first
    analyses.invalidate()
    assert analyses.get(infer, module) is not first


@pytest.mark.parametrize(
    ("action", "kept"),
    [
        (lambda analyses, module: None, False),
        (lambda analyses, module: analyses.keep_all(), True),
        (lambda analyses, module: analyses.keep(infer), True),
        (lambda analyses, module: analyses.keep(Analyses), False),
    ],
)
def test_the_next_pass_gets_what_a_pass_keeps(
    action: Callable[[Analyses, ModuleOp], None], kept: bool
) -> None:
    first, second, third = _Pass(action), _Pass(), _Pass()
    run_passes(parse_module(PROGRAM), [first, second, third], verify_each=True)
    assert (second.seen[0] is first.seen[0]) == kept
    # It would have to be kept again.
    assert third.seen[0] is not second.seen[0]


def test_a_pass_that_keeps_what_no_longer_holds_is_named() -> None:
    with raises_error("pass-broke-ir", "test-pass", "an analysis that it keeps"):
        run_passes(parse_module(PROGRAM), [_Pass(keep_after_change)], verify_each=True)


def test_other_branches_are_a_difference() -> None:
    module = parse_module(WITH_FAILURE)
    inference, other = infer(module), infer(module)
    assert inference.difference(other, module) is None
    other.taken[next(op for op in module.walk() if isinstance(op, IfOp))] = True
    assert inference.difference(other, module) == "other branches are taken"


@pytest.mark.parametrize(("program", "kept"), [(PROGRAM, True), (WITH_FAILURE, False)])
def test_written_types_keep_the_inference_unless_a_branch_fails(program: str, kept: bool) -> None:
    module, context = parse_module(program), PassContext.of(make_context())
    OvInferPass().apply(context, module)
    context.analyses.end_pass()
    assert context.analyses.difference(module) is None
    assert bool(context.analyses._known) == kept


def test_retyping_infers_anew() -> None:
    module, context = parse_module(PROGRAM), PassContext.of(make_context())
    first = context.analyses.get(infer, module)
    retype(context, module, changed=False)
    assert context.analyses.get(infer, module) is first
    change(context.analyses, module)
    retype(context, module)
    assert main_function(module).function_type.outputs.data == (OPEN,)
    assert context.analyses.get(infer, module) is not first
    context.analyses.end_pass()
    assert context.analyses.difference(module) is None


def test_without_a_run_of_passes_nothing_is_cached() -> None:
    module, context, seen = (
        parse_module(PROGRAM),
        make_context(),
        _Pass(lambda analyses, module: analyses.keep_all()),
    )
    for _ in range(2):
        seen.apply(context, module)
    assert seen.seen[0] is not seen.seen[1]


def test_a_pass_loads_dialects_into_the_context_of_the_run() -> None:
    context = Context()
    PassContext.of(context).register_dialect("test", lambda: pytest.fail("not loaded"))
    assert "test" in context.registered_dialect_names


def test_threads_share_nothing() -> None:
    module, together = parse_module(PROGRAM), Barrier(2)
    passes = [
        [_Pass(lambda analyses, module: (analyses.keep_all(), together.wait())), _Pass()] for _ in range(2)
    ]
    context = make_context()
    threads = [Thread(target=run_passes, args=(module, each), kwargs={"context": context}) for each in passes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (one, again), (other, _) = ([each.seen[0] for each in both] for both in passes)
    assert one is again
    assert one is not other
