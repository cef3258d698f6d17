"""The pass `ov-infer`: write what inference found into the types."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from loomir.dialects.element_types import set_type
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp, YieldOp
from loomir.dialects.ov.operators.internal import FailOp, failure_of
from loomir.dialects.region_flow import terminator
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import Analyses, analyses_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.graph.lib.loop_rewriting import fail_when_it_starts


@dataclass(frozen=True)
class OvInferPass(ModulePass):
    """Sets the type of every value to its inferred type.

    `passes/analysis/inference` infers types through loops and branches.

    ```mlir
    %0 = ov.add %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<*xf32>     // before
    %0 = ov.add %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>   // after
    ```

    A branch of an `ov.if` with an operation that the given shapes forbid becomes `ov.fail`: the operation may be there for
    other shapes, and stops the program only if the branch is taken. (If the condition is known, such a branch is an error
    or is not visited.) The body of an `ov.loop` in which the initial values are illegal also becomes `ov.fail`, unless an
    iteration surely runs, which is an error.
    """

    name = "ov-infer"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        _write_and_keep(analyses_of(ctx), op)


def retype(ctx: Context, module: ModuleOp, *, changed: bool = True) -> None:
    """Write the types of a module that a pass has changed.

    They are inferred anew, and the inference is kept. If nothing has changed, all analyses are kept.
    """
    analyses = analyses_of(ctx)
    if changed:
        analyses.invalidate()
        _write_and_keep(analyses, module)
    else:
        analyses.keep_all()


def _write_and_keep(analyses: Analyses, module: ModuleOp) -> None:
    """Write inferred types, and keep the inference if it still holds."""
    inference = analyses.get(infer, module)
    if write_types(module, inference):
        analyses.keep(infer)
    else:
        analyses.invalidate()


def write_types(module: ModuleOp, inference: Inference) -> bool:
    """Write inferred types to all analysed values, and update function result types.

    The contents of an illegal branch become `ov.fail`, and so do those of a branch that never runs: it has no facts, and
    its outer operands may get a type that contradicts it. So do those of a branch with an `ov.fail` that yields other
    values beside it: the types of the results do not cover these values.

    Return True if there was no such branch. Then the inference still holds: it follows from operands and the types of
    `main`'s arguments, which keep their types, and the bounds that types note.
    """
    for block, error in inference.impossible.items():
        replace_by_failure(block, f"{error.where.layer_and_op}: {error.what}", inference)
    remove_unreached(inference)
    failing = _failing_branches(module)
    for block in failing:
        replace_by_failure(block, "", inference)
    write_types_in(module, inference)
    write_result_types(module)
    return not (inference.impossible or inference.taken or failing)


def remove_unreached(inference: Inference) -> None:
    """Replace the contents of branches that are never taken by `ov.fail`.

    Inference knows the conditions of these branches.
    """
    for branch, holds in inference.taken.items():
        never = branch.else_region.block if holds else branch.then_region.block
        replace_by_failure(never, "a branch that never runs", inference)


def _failing_branches(module: ModuleOp) -> list[Block]:
    """Return the branches with an `ov.fail` that yield other values."""
    return [
        region.block
        for op in walk(module)
        if isinstance(op, IfOp)
        for region in op.regions
        if any(not isinstance(v.owner, FailOp) for v in terminator(region.block).operands)
        and failure_of(region.block) is not None
    ]


def write_types_in(whole: Operation, inference: Inference) -> None:
    """Write the inferred types to an operation and everything in it.

    Result types of functions are not updated.
    """
    for op in walk(whole):
        for result in op.results:
            _write_type(result, inference)
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    _write_type(argument, inference)


def replace_by_failure(block: Block, reason: str, inference: Inference) -> None:
    """Replace the contents of a branch or loop body by `ov.fail`.

    The branch is one of an `ov.if`, the body one of an `ov.loop`. If one of the operations already is an `ov.fail`, its
    reason is kept.
    """
    branch = block.parent_op()
    if not _is_in_module(branch):
        return  # it was in such a block itself
    kind: str | None = None
    if (failure := failure_of(block)) is not None:
        reason, kind = failure.reason.data, None if failure.kind is None else failure.kind.data
    if isinstance(branch, LoopOp):
        fail_when_it_starts(branch, reason, kind)
        return
    end = block.last_op
    assert isinstance(branch, IfOp)
    assert isinstance(end, YieldOp)
    results = [inference.any_fact(r).without_content() for r in branch.output]
    failure = FailOp.of(reason, [fact.type for fact in results], kind)
    for value, fact in zip(failure.results, results, strict=True):
        inference.set(value, fact)
    failure.location = end.location
    block.insert_op_before(failure, end)
    end.operands = failure.results
    for op in reversed([op for op in block.ops if op is not end and op is not failure]):
        op.detach()
        op.erase()


def _is_in_module(op: Operation | None) -> bool:
    while op is not None and not isinstance(op, ModuleOp):
        op = op.parent_op()
    return op is not None


def write_result_types(module: ModuleOp) -> None:
    """Give functions the types of what they return."""
    for op in module.ops:
        if isinstance(op, FuncOp) and op.body.blocks:
            end = op.body.block.last_op
            assert end is not None
            op.function_type = FunctionType.from_lists(
                [a.type for a in op.args], [v.type for v in end.operands]
            )


def _write_type(value: SSAValue, inference: Inference) -> None:
    fact = inference.known(value)
    if fact is None:
        return
    wanted = fact.type_in_place_of(value.type) if isinstance(fact, Fact) else fact.type
    if wanted != value.type:
        set_type(value, wanted)
