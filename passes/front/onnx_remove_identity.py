"""`onnx-remove-identity`: nodes that hand on their input are no part of the model."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, NoneType
from xdsl.dialects.func import ReturnOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from loomir.dialects.onnx.operations import FunctionKey, FunctionOp, NodeOp, YieldOp
from loomir.dialects.onnx.types import is_declared
from loomir.dialects.onnx.value_types import type_text
from loomir.dialects.tensors import set_type
from loomir.passes.analysis.pattern_remarks import Applied
from loomir.passes.analysis.remarks import Remarks
from loomir.passes.front.onnx_nodes import contents_of, functions_of, integer_of, is_operator
from loomir.passes.front.onnx_value_types import Texts, cast_type, sure_types

ALWAYS_INFERENCE, ASKS_TRAINING = 7, 12
"""Versions of Dropout: before 7 an attribute says whether it is inference, from 12 on an input."""


@dataclass(frozen=True)
class OnnxRemoveIdentityPass(ModulePass):
    """Let the input of Identity, of Dropout at inference, and of Cast to the type that the input has stand for the result.

    ```mlir
    %a = onnx.node "Identity" 13 (%x) : (tensor<2xf32>) -> tensor<2xf32>
    %b = onnx.node "Dropout" 13 (%a) : (tensor<2xf32>) -> tensor<2xf32>
    %c = onnx.node "Cast" 13 (%b) {to = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
    %y = onnx.node "Relu" 13 (%c) : (tensor<2xf32>) -> tensor<2xf32>
    ```
    becomes
    ```mlir
    %y = onnx.node "Relu" 13 (%x) : (tensor<2xf32>) -> tensor<2xf32>
    ```

    A Dropout stays whose mask is used, or that may be training. What type a value has follows from inputs, initialisers and the
    operators' own definitions: what the file declares of it is not enough, and a Cast of which nothing else is known stays. So does
    what takes an input of a function, which its call may leave out. Declared types of the results of bodies stay as they are, and so
    do those of the model: where one is other than that of the value that would be given instead, the node stays.
    """

    name = "onnx-remove-identity"
    # (Nothing can run FRONT: this is never compared.)
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        applied = Applied()
        pattern = StandsForItsInput(functions_of(op), sure_types(op), Remarks(self.name))
        with applied.told(op, self.name):
            # Of a chain the first one goes first, so that each is looked at once.
            PatternRewriteWalker(applied.watched(pattern), apply_recursively=False).rewrite_module(op)


@dataclass
class StandsForItsInput(RewritePattern):
    """`identity(x) → x`, `dropout(x) → x`, `cast(x) → x`."""

    functions: frozenset[FunctionKey]
    types: Texts
    remarks: Remarks

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: NodeOp, rewriter: PatternRewriter) -> None:
        operator = op.operator.data
        if operator not in _RULES or not is_operator(op, operator, self.functions):
            return
        if not op.inputs or not op.results or isinstance(op.inputs[0].type, NoneType):
            return
        reason = _RULES[operator](op, self.types)
        if reason is None and _may_be_left_out(op.inputs[0]):
            reason = "the call of the function may leave its input out"
        if reason is None and not _take_over_type(op.results[0], op.inputs[0]):
            reason = "the model declares another type of its result"
        if reason:
            self.remarks.missed(op, reason)
        if reason is not None:
            return
        _keep_declared(op.results[0])
        ends = _ends(op.results[0])
        rewriter.replace_all_uses_with(op.results[0], op.inputs[0])
        for end in ends:
            _drop_needless(end)
        rewriter.erase(op)


def _identity(op: NodeOp, types: Texts) -> str | None:
    return None


def _dropout(op: NodeOp, types: Texts) -> str | None:
    """Why a Dropout may be more than its input."""
    if any(result.uses for result in op.results[1:]):
        return "its mask is used"
    version = op.version.value.data
    if version < ALWAYS_INFERENCE:
        inference = bool(integer_of(op, "is_test", 0))
    elif version < ASKS_TRAINING or len(op.inputs) < 3 or isinstance(op.inputs[2].type, NoneType):
        inference = True
    else:
        training = contents_of(op.inputs[2])
        inference = training is not None and not training.any()
    return None if inference else "it may be training"


def _cast(op: NodeOp, types: Texts) -> str | None:
    """Why a Cast may be more than its input; nothing to tell where it is meant to be."""
    target = cast_type(op)
    if target is None:
        return ""
    known = types.get(op.inputs[0])
    if known is None and type_text(op.inputs[0].type) == target:
        return "the type of its input is only declared"
    return None if known == target else ""


_RULES = {"Identity": _identity, "Dropout": _dropout, "Cast": _cast}


def _may_be_left_out(value: SSAValue) -> bool:
    """Whether a value is an input of a function: the node would have refused to do without it."""
    return isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), FunctionOp)


def _ends(value: SSAValue) -> list[YieldOp]:
    """The ends of bodies that give a value."""
    return [use.operation for use in value.uses if isinstance(use.operation, YieldOp)]


def _is_result_of_model(value: SSAValue) -> bool:
    return any(isinstance(use.operation, ReturnOp) for use in value.uses)


def _take_over_type(result: SSAValue, value: SSAValue) -> bool:
    """Whether a value may be given in place of a result: of the model's results the declared types stay.

    A node's result of which nothing is declared gets the type.
    """
    if result.type == value.type or not _is_result_of_model(result):
        return True
    if is_declared(value.type) or not isinstance(value.owner, NodeOp) or _is_result_of_model(value):
        return False
    _keep_declared(value)
    set_type(value, result.type)
    return True


def _keep_declared(value: SSAValue) -> None:
    """Let the ends of bodies that give a value say what is declared of it, which its type says so far."""
    for end in _ends(value):
        end.properties["declared"] = ArrayAttr(end.types)


def _drop_needless(end: YieldOp) -> None:
    """Leave out what the types of the values say anyway."""
    if list(end.types) == [v.type for v in end.values]:
        end.properties.pop("declared", None)
