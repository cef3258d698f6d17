"""Queries about nodes of FRONT, types of their values, and new nodes.

The transformations of FRONT share them. They determine which nodes are ONNX's own operators, which versions new nodes have, and what
is certain about a value.

Reliable types hold whatever the file declares. They are those of inputs and initialisers, and those that the operators' schemas
state for results.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import TensorProto
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp, StringAttr, UnrankedTensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from loomir.dialects.attributes import ConstantAttr, constant_array, constant_attr
from loomir.dialects.element_types import i64
from loomir.dialects.onnx.graphs import version_of
from loomir.dialects.onnx.nodes import schema_of
from loomir.dialects.onnx.operations import OPSET, ConstantOp, FunctionKey, FunctionOp, NodeOp
from loomir.dialects.onnx.tensors import ELEMENTS, type_text
from loomir.dialects.ov.base import int64_array
from loomir.dialects.upstream.walking import walk


def functions_of(module: ModuleOp) -> frozenset[FunctionKey]:
    """Return the functions of a model.

    A node with the name of a function calls it, whatever ONNX defines under this name.
    """
    return frozenset(op.key for op in module.ops if isinstance(op, FunctionOp))


def is_operator(op: NodeOp, operator: str, functions: frozenset[FunctionKey]) -> bool:
    """Return True if a node is this ONNX operator, in any version."""
    return op.key == ("", operator, "") and op.key not in functions


def opset_around(op: NodeOp) -> int:
    """Return the ONNX operator set version that applies to a node.

    The model or function around the node imports it; it is at least the node's own version.
    """
    own = op.version.value.data
    return max(own, opset_of(op, own))


def opset_of(op: Operation, default: int = 1) -> int:
    """Return the ONNX operator set version that applies to an operation.

    The model or function around the operation imports it; `default` if the model or function specifies none.
    """
    said: Attribute | None = None
    around: Operation | None = op.parent_op()
    while around is not None and not isinstance(around, FunctionOp | ModuleOp):
        around = around.parent_op()
    if isinstance(around, FunctionOp):
        said = around.opset
    elif around is not None:
        said = around.attributes.get(OPSET)
    return said.value.data if isinstance(said, IntegerAttr) else default


def version_in(opset: int, operator: str, least: int = 1) -> int:
    """Return an operator's version in an operator set, at least `least`."""
    return max(least, version_of(operator, "", opset))


def integer_of(op: NodeOp, name: str, default: int | None = None) -> int | None:
    """Return an integer attribute, or `default` if it is left out.

    None if the attribute is of another kind or is given by a call of the function.
    """
    given = op.attributes.get(name)
    if given is None:
        return default
    return given.value.data if isinstance(given, IntegerAttr) and given.type == i64 else None


def integers_attr(value: int | Sequence[int]) -> Attribute:
    """Return a node's attribute for an integer or a list of integers."""
    return IntegerAttr(value, i64) if isinstance(value, int) else DenseArrayBase.from_list(i64, value)


def contents_of(value: SSAValue) -> np.ndarray | None:
    """Return the contents of an initialiser, or None for any other value."""
    owner = value.owner
    if isinstance(owner, ConstantOp) and isinstance(owner.value, ConstantAttr):
        return constant_array(owner.value)
    return None


def sure_type(value: SSAValue) -> Attribute | None:
    """Return the type of an initialiser or a model input.

    None for other values, whose types are not reliable.
    """
    owner = value.owner
    if isinstance(owner, ConstantOp):
        return value.type
    given = isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), FuncOp)
    return value.type if given else None


def add_node(node: NodeOp, like: NodeOp, rewriter: PatternRewriter) -> SSAValue:
    """Insert a new node of one result and return that result.

    The node goes in front of `like`, the node that it is created for, and takes that node's location in the model.
    """
    node.location = like.location
    rewriter.insert(node)
    return node.results[0]


def add_integers(values: Sequence[int], label: str, like: NodeOp, rewriter: PatternRewriter) -> SSAValue:
    """Insert an initialiser `tensor<Nxi64>` in front of the node that needs it."""
    constant = ConstantOp.of(constant_attr(int64_array(values)), label)
    constant.location = like.location
    rewriter.insert(constant)
    return constant.output


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
