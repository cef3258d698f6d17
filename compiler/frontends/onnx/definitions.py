"""Operators that ONNX itself defines by simpler ones: `HardSwish`, `Gelu`, `LayerNormalization` and many more."""

from __future__ import annotations

from typing import Any

import onnx.defs
from onnx import AttributeProto, FunctionProto, TypeProto

from loomir.compiler.frontends.onnx.node import Node
from loomir.compiler.frontends.onnx.value_types import proto_of


def definition_of(node: Node) -> FunctionProto | None:
    """The operator's meaning in simpler operators where ONNX's schema gives one, else None."""
    # ONNX's type stubs leave these members out.
    schema: Any = node.schema
    if schema.has_function:
        return schema.function_body
    if not schema.has_context_dependent_function:
        return None
    types: list[bytes] = []
    for index in range(len(node)):
        value = node.optional(index)
        proto = TypeProto() if value is None else proto_of(value.type)
        types.append(proto.SerializeToString())
    text = schema.get_context_dependent_function(node.resolved().SerializeToString(), types)
    if not text:
        return None
    function = FunctionProto()
    function.ParseFromString(text)
    if all(o.domain for o in function.opset_import):
        # Of a preview operator: in whatever operator set the model is.
        function.opset_import.add(domain="", version=node.scope.versions.get("", 1))
    return function


def default_attributes(schema: onnx.defs.OpSchema) -> dict[str, AttributeProto]:
    """The attributes that an operator has where a node does not give them."""
    defaults = {name: attribute.default_value for name, attribute in schema.attributes.items()}
    return {name: d for name, d in defaults.items() if d is not None and d.type != AttributeProto.UNDEFINED}
