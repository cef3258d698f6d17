"""Operators that ONNX itself defines in terms of simpler ones.

Examples are `HardSwish`, `Gelu`, `LayerNormalization` and many more.
"""

from __future__ import annotations

from typing import Any

from onnx import FunctionProto, TypeProto

from loomir.dialects.onnx.attributes import Contents, attribute_of
from loomir.dialects.onnx.graphs import function_of, opset_versions
from loomir.dialects.onnx.operations import FunctionOp
from loomir.dialects.onnx.value_types import proto_of
from loomir.passes.front.convert_onnx_to_ov.node import Node


def definition_of(node: Node) -> FunctionOp | None:
    """Return the operator's definition in simpler operators, or None.

    The result is None if ONNX's schema has no definition.
    """
    # ONNX's type stubs leave these members out.
    schema: Any = node.schema.operator
    if schema.has_function:
        known = node.scope.session.definitions
        key = node.source.key[0], node.operator, node.version
        if key not in known:
            known[key] = _function(node, schema.function_body)
        return known[key]
    if not schema.has_context_dependent_function:
        return None
    types: list[bytes] = []
    for index in range(len(node)):
        value = node.optional(index)
        proto = TypeProto() if value is None else proto_of(value.type)
        types.append(proto.SerializeToString())
    text = schema.get_context_dependent_function(node.proto().SerializeToString(), types)
    if not text:
        return None
    function = FunctionProto()
    function.ParseFromString(text)
    if all(o.domain for o in function.opset_import):
        # Of a preview operator: in whatever operator set the model is.
        function.opset_import.add(domain="", version=node.scope.opset)
    return _function(node, function)


def _function(node: Node, proto: FunctionProto) -> FunctionOp:
    """Return the function with the operator's attribute defaults.

    The defaults apply where a node does not set an attribute.
    """
    function = function_of(proto, opset_versions(proto.opset_import), Contents(), node.source.key)
    for name, default in node.schema.defaults.items():
        if default is not None:
            function.attributes.setdefault(name, attribute_of(default, Contents()))
    return function
