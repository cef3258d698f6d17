"""The built-in extraction of nodes of ONNX: what nodes get that no extension reads.

A function of `extraction/` that is marked by `extracts` reads the nodes of some operators.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import onnx

from loomir.compiler.mo.front.onnx.extractor import common_onnx_fields
from loomir.compiler.mo.graph.graph import Node
from loomir.compiler.mo.late import member
from loomir.compiler.mo.ops.attributes import add_attrs_props
from loomir.compiler.mo.ops.table import rows_by_module
from loomir.compiler.mo.phases import of_class

Extracted = tuple[str, str, Mapping[str, Any]]
"""A class of operations, by its module below `ops` and its name, and what its node gets beside the class's attributes."""

Extraction = Callable[[Node], Extracted | Mapping[str, Any] | None]
"""Reads a node. Without a class the node gets the attributes only; None for one that it does not know."""

EXTRACTS = "extracts"

FOLDER = "loomir.compiler.mo.front.onnx.extraction"


def extracts(*operators: str) -> Callable[[Extraction], Extraction]:
    """Marks a function that reads nodes of `operators`."""

    def mark(function: Extraction) -> Extraction:
        setattr(function, EXTRACTS, operators)
        return function

    return mark


def plain(module: str, **operators: str) -> dict[str, Extraction]:
    """For operators without attributes, by their name the class in `ops.<module>`: a file's `PLAIN` is a list of such."""
    return {operator: lambda node, name=name: (module, name, {}) for operator, name in operators.items()}


@cache
def _functions() -> dict[str, Extraction]:
    """By operator, in small letters as extractors are found."""
    found: dict[str, Extraction] = {}
    package = importlib.import_module(FOLDER)
    for info in pkgutil.iter_modules(package.__path__):
        file = vars(importlib.import_module(f"{FOLDER}.{info.name}"))
        for row in file.get("PLAIN", ()):
            found |= {operator.lower(): function for operator, function in row.items()}
        for value in file.values():
            for operator in getattr(value, EXTRACTS, ()):
                found[operator.lower()] = value
    return found


@cache
def _classes() -> dict[str, tuple[str, str]]:
    """By operation, in small letters, classes of the table: they read nodes of their name that no function does.

    Those that derive from another class of the table do not, as in the Model Optimizer: ONNX's Mod or DFT is not the operation set's.
    """
    rows = [row for rows in rows_by_module().values() for row in rows if row.op and row.base is None]
    return {str(row.op).lower(): (row.module, row.name) for row in reversed(rows)}


def extract_built_in(node: Node, own_class: type | None = None) -> bool:
    """Gives the node what the operator's function reads, or a class of its name has, and returns whether there is one that knows it.

    `own_class` is an extension's for operations of that name, and goes before the table's. A node that none knows keeps the
    operator's name as `op`, and gets the attributes that it has in the model, by their own names. Nodes without `pb` are left alone.
    Errors: `mo-onnx-attribute`, `mo-data-type`, `mo-extension-failed`.
    """
    if not node.has_valid("pb"):
        return False
    for name, value in common_onnx_fields(node).items():
        node[name] = value
    operator = str(node.op).lower()
    function = _functions().get(operator)
    if function is not None:
        extracted = function(node)
        if isinstance(extracted, Mapping):
            for name, value in add_attrs_props(dict(extracted)).items():
                node[name] = value
        elif extracted is not None:
            module, name, attributes = extracted
            member(f"ops.{module}", name).update_node_stat(node, dict(attributes))
        if extracted is not None:
            return True
    elif own_class is not None:
        return of_class(node, own_class)
    elif operator in _classes():
        module, name = _classes()[operator]
        return of_class(node, member(f"ops.{module}", name))
    for name, value in decoded(node.pb).items():
        if not node.has(name):
            node[name] = value
    return False


def read_by_class(node: Node, own_class: type | None) -> bool:
    """Lets an extension's class of operations read a node of its name, unless a built-in function does. Errors: `mo-extension-failed`."""
    operator = str(node.soft_get("op", getattr(node.pb, "op_type", ""))).lower()
    return operator not in _functions() and of_class(node, own_class)


def decoded(pb: Any) -> dict[str, Any]:
    """Attributes of a message as Python has them: numbers, text, lists of them, and arrays; graphs and types stay messages."""
    return {attribute.name: _value(attribute) for attribute in getattr(pb, "attribute", ())}


def _value(attribute: onnx.AttributeProto) -> Any:
    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode(errors="surrogateescape")
    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value)
    if attribute.type == onnx.AttributeProto.STRINGS:
        return [item.decode(errors="surrogateescape") for item in value]
    if attribute.type == onnx.AttributeProto.TENSORS:
        return [onnx.numpy_helper.to_array(item) for item in value]
    return list(value) if attribute.type in (onnx.AttributeProto.INTS, onnx.AttributeProto.FLOATS) else value
