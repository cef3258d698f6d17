"""`onnx-remove-identity`: removes nodes that forward their input."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, NoneType
from xdsl.dialects.func import ReturnOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.diagnostics import PatternRemarks, Remarks
from loomir.dialects.element_types import set_type
from loomir.dialects.onnx.operations import FunctionKey, FunctionOp, NodeOp, YieldOp
from loomir.dialects.onnx.rewriting import (
    Texts,
    cast_type,
    contents_of,
    functions_of,
    integer_of,
    is_operator,
    sure_types,
)
from loomir.dialects.onnx.tensors import type_text
from loomir.dialects.onnx.types import is_declared
from loomir.dialects.upstream.rewriting import rewrite

ALWAYS_INFERENCE, ASKS_TRAINING = 7, 12
"""Versions at which Dropout changes how it selects inference.

Before version 7 an attribute selects it, from version 12 on an input.
"""


@dataclass(frozen=True)
class OnnxRemoveIdentityPass(ModulePass):
    """Replaces results of Identity, Dropout and Cast by their inputs.

    A Dropout is replaced at inference, a Cast if the input already has the target type.

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

    A Dropout stays if its mask is used or if it may be training. The type of a value follows from inputs, initialisers and
    the operators' own definitions. The file's declaration is not enough: a Cast stays if nothing else determines the type
    of its input. A node that takes an input of a function also stays, because the call may leave this input out. Declared
    types of the results of bodies and of the model do not change: a node stays if its replacement would have another type
    than the one declared for a result of the model.
    """

    name = "onnx-remove-identity"
    # (Nothing can run FRONT: this is never compared.)
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pattern = StandsForItsInput(functions_of(op), sure_types(op), Remarks(self.name))
        with PatternRemarks().recording(op, self.name):
            # Of a chain the first one goes first, so that each is looked at once.
            rewrite(op, pattern, once=True)


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
            reason = "the call of the function may omit its input"
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
    """Return why a Cast may differ from its input.

    The reason is empty if the Cast is meant to differ.
    """
    target = cast_type(op)
    if target is None:
        return ""
    known = types.get(op.inputs[0])
    if known is None and type_text(op.inputs[0].type) == target:
        return "the type of its input is only declared"
    return None if known == target else ""


_RULES = {"Identity": _identity, "Dropout": _dropout, "Cast": _cast}


def _may_be_left_out(value: SSAValue) -> bool:
    """Return True if a value is an input of a function.

    A call may leave such an input out, and the node that is to be removed would have refused that.
    """
    return isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), FunctionOp)


def _ends(value: SSAValue) -> list[YieldOp]:
    """The ends of bodies that give a value."""
    return [use.operation for use in value.uses if isinstance(use.operation, YieldOp)]


def _is_result_of_model(value: SSAValue) -> bool:
    return any(isinstance(use.operation, ReturnOp) for use in value.uses)


def _take_over_type(result: SSAValue, value: SSAValue) -> bool:
    """Return True if a value may replace a result.

    Results of the model keep their declared types. A node's result without a declared type takes over the declared one.
    """
    if result.type == value.type or not _is_result_of_model(result):
        return True
    if is_declared(value.type) or not isinstance(value.owner, NodeOp) or _is_result_of_model(value):
        return False
    _keep_declared(value)
    set_type(value, result.type)
    return True


def _keep_declared(value: SSAValue) -> None:
    """Record a value's declared type on the terminators that yield it.

    Until then, only the value's own type holds the declaration.
    """
    for end in _ends(value):
        end.properties["declared"] = ArrayAttr(end.types)


def _drop_needless(end: YieldOp) -> None:
    """Leave out what the types of the values say anyway."""
    if list(end.types) == [v.type for v in end.values]:
        end.properties.pop("declared", None)
