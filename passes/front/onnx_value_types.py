"""Reliable types of the values of FRONT.

These types hold whatever the file declares. They are those of inputs and initialisers, and those that the operators'
schemas state for results.
"""

from __future__ import annotations

from onnx import TensorProto
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, UnrankedTensorType
from xdsl.ir import SSAValue

from loomir.dialects.onnx.operations import ConstantOp, FunctionKey, NodeOp
from loomir.dialects.onnx.schemas import schema_of
from loomir.dialects.onnx.tensors import ELEMENTS
from loomir.dialects.onnx.value_types import type_text
from loomir.dialects.walking import walk
from loomir.passes.front.onnx_nodes import functions_of, is_operator, sure_type

_BY_NAME = {TensorProto.DataType.Name(code): element for code, element in ELEMENTS.items()}

Texts = dict[SSAValue, str]
"""Value → what a schema calls its type: `tensor(float)`, `seq(tensor(int64))`."""


def sure_types(module: ModuleOp) -> Texts:
    """Return the types of all values whose type is known.

    Linear in the number of nodes. Unknown are the types of arguments of bodies and functions, and of the results of loops,
    branches and calls.
    """
    functions = functions_of(module)
    found: Texts = {}
    for op in walk(module):
        for region in op.regions:
            for block in region.blocks:
                found.update({a: text for a in block.args if (text := _text_of(a)) is not None})
        if isinstance(op, ConstantOp):
            text = _text_of(op.output)
            found.update({} if text is None else {op.output: text})
        elif isinstance(op, NodeOp) and op.key not in functions:
            _add_results(op, functions, found)
    return found


def cast_type(op: NodeOp) -> str | None:
    """Return the target type of a Cast, or None if unknown.

    Version 1 has a word in place of a number.
    """
    to = op.attributes.get("to")
    element = None
    if isinstance(to, IntegerAttr):
        element = ELEMENTS.get(to.value.data)
    elif isinstance(to, StringAttr):
        element = _BY_NAME.get(to.data.upper())
    return None if element is None else type_text(UnrankedTensorType(element))


def _text_of(value: SSAValue) -> str | None:
    type_ = sure_type(value)
    return None if type_ is None else type_text(type_)


def _add_results(op: NodeOp, functions: frozenset[FunctionKey], found: Texts) -> None:
    if is_operator(op, "Cast", functions):
        text = cast_type(op)
        found.update({} if text is None else dict.fromkeys(op.results, text))
        return
    schema = schema_of(op.operator.data, op.version.value.data, op.key[0])
    if schema is None or not schema.outputs:
        return
    bound: dict[str, str] = {}
    for index, value in enumerate(op.inputs):
        text = found.get(value)
        formal = schema.inputs[min(index, len(schema.inputs) - 1)] if schema.inputs else None
        if text is not None and formal is not None and formal.is_homogeneous:
            bound.setdefault(formal.type_variable, text)
    for index, result in enumerate(op.results):
        formal = schema.outputs[min(index, len(schema.outputs) - 1)]
        if len(formal.types) == 1:
            (found[result],) = formal.types
        elif formal.is_homogeneous and (text := bound.get(formal.type_variable)) is not None:
            found[result] = text
