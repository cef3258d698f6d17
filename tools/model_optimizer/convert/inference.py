"""Types of a program's values, at any stage.

In FRONT, where a file need not declare them, they are the types that the values have in GRAPH.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, SSAValue

from loomir.compiler.stages.verify import is_front
from loomir.dialects.interface import Entry, main_function, set_results
from loomir.dialects.tensors import AnyTensor
from loomir.errors import Error
from loomir.passes.analysis.inference import infer
from loomir.passes.analysis.inference.solver import Inference
from loomir.passes.front.convert_onnx_to_ov.module import convert
from loomir.passes.front.convert_onnx_to_ov.options import TranslationOptions


def types_of(module: ModuleOp, values: Sequence[SSAValue]) -> list[Attribute]:
    """Return the types of values of `main`'s body.

    Operations that only other values need may be anything, such as an unknown operator. If an operation that these values
    need has no semantics yet, the types are those that the file declares, which may be `!onnx.unknown`.
    """
    if not values:
        return []
    if not is_front(module):
        inference = infer(module)
        return [_type_of(value, inference) for value in values]
    copies: dict[SSAValue, SSAValue] = {}
    trial = module.clone(copies)
    function = main_function(trial)
    return_only(function, [copies[value] for value in values], [Entry()] * len(values))
    try:
        convert(trial, TranslationOptions())
    except Error:
        return [value.type for value in values]
    inference = infer(trial)
    end = main_function(trial).body.block.last_op
    assert end is not None, "convert makes one"
    return [_type_of(value, inference) for value in end.operands]


def _type_of(value: SSAValue, inference: Inference) -> Attribute:
    """Return the type refined by the inferred shape.

    The type of a sequence or an optional is unchanged.
    """
    return (
        inference.fact(value).type_in_place_of(value.type)
        if isinstance(value.type, AnyTensor)
        else value.type
    )


def return_only(function: FuncOp, values: Sequence[SSAValue], entries: Sequence[Entry]) -> None:
    """Make `main` return these values and remove unneeded operations.

    (Arguments stay.)
    """
    block = function.body.block
    end = block.last_op
    assert isinstance(end, ReturnOp), "of main in FRONT and GRAPH"
    if list(end.operands) != list(values):
        new = ReturnOp(*values)
        new.location = end.location
        block.insert_op_before(new, end)
        end.detach()
        end.erase()
    set_results(function, entries)
    remove_unread(function)
    function.update_function_type()


def remove_unread(function: FuncOp) -> None:
    """Remove operations of a function's body whose results have no uses.

    Their effects do not matter. The traversal is backwards and visits each operation once.
    """
    op = function.body.block.last_op
    while op is not None:
        before = op.prev_op
        if not isinstance(op, ReturnOp) and not any(result.uses for result in op.results):
            op.detach()
            op.erase()
        op = before
