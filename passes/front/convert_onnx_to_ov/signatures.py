"""Signatures of operator versions: input counts, attributes and element types.

For example, `Relu` takes integers since version 14.
"""

from __future__ import annotations

from loomir.dialects.onnx.value_types import type_text
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.node import Node


def check_signature(node: Node) -> None:
    """Check a node against its schema.

    `Error("invalid-onnx")`: FRONT may come from a text, which ONNX's checker has not seen.
    """
    schema = node.schema
    for what, count, (least, most) in (
        ("inputs", len(node), schema.input_counts),
        ("outputs", node.outputs, schema.output_counts),
    ):
        if not least <= count <= most:
            allowed = str(least) if least == most else f"{least} to {most}"
            raise Error(
                "invalid-onnx", f"{count} {what} of {node.operator}-{node.version}, which has {allowed}"
            )
    for name in node.attributes:
        if name not in schema.defaults:
            raise Error("invalid-onnx", f"{node.operator}-{node.version} has no attribute '{name}'")
    _check_types(node)


def _check_types(node: Node) -> None:
    """Check each input's element type against the schema.

    Inputs that share a type variable are also checked against each other.

    `Error("invalid-onnx")` for a type that this version does not take, or for two types where the schema has one.
    """
    parameters = node.schema.inputs
    bound: dict[str, tuple[str, str]] = {}
    for index in range(len(node)):
        value = node.optional(index)
        given = None if value is None else type_text(value.type)
        if given is None:
            continue  # left out
        parameter = parameters[min(index, len(parameters) - 1)]
        if given not in parameter.types:
            # Of the types that it may be those of the same kind, if there are any.
            kind = given.partition("(")[0]
            alike = [t for t in parameter.types if t.startswith(f"{kind}(")]
            allowed = ", ".join(sorted(alike or parameter.types))
            raise Error(
                "invalid-onnx",
                f"input '{parameter.name}' of {node.operator}-{node.version} is {given}, which may be {allowed}",
                hint="import a newer operator set, if it is one that allows this type",
            )
        if parameter.is_variadic and not parameter.is_homogeneous:
            continue
        first = bound.setdefault(parameter.type_variable, (given, parameter.name))
        if first[0] != given:
            raise Error(
                "invalid-onnx",
                f"inputs '{first[1]}' ({first[0]}) and '{parameter.name}' ({given}) must have one type",
            )
