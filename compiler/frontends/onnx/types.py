"""What element types a version of an operator takes: `Relu` knows integers only since version 14."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import onnx.defs

from loomir.compiler.frontends.onnx.value_types import type_text
from loomir.errors import Error

if TYPE_CHECKING:
    from loomir.compiler.frontends.onnx.node import Node


def check_types(node: Node) -> None:
    """Each input's element type against the schema, and those that one type variable names against each other.

    `Error("invalid-onnx")` for a type that this version does not take, or two where the schema has one.
    """
    parameters: Any = node.schema.inputs
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
        variadic = parameter.option == onnx.defs.OpSchema.FormalParameterOption.Variadic
        if variadic and not parameter.is_homogeneous:
            continue
        first = bound.setdefault(parameter.type_str, (given, parameter.name))
        if first[0] != given:
            raise Error(
                "invalid-onnx",
                f"inputs '{first[1]}' ({first[0]}) and '{parameter.name}' ({given}) must have one type",
            )
