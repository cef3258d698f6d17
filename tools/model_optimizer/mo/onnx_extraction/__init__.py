"""Built-in extraction of ONNX nodes that no extension reads.

A function in a file of this package that is marked by `extracts` reads the nodes of some operators. The files have groups
of operator families, and are discovered by their presence.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import onnx

from loomir.tools.model_optimizer.mo import member
from loomir.tools.model_optimizer.mo.extractors import common_onnx_fields
from loomir.tools.model_optimizer.mo.graph.graph import Node
from loomir.tools.model_optimizer.mo.op_attributes import add_attrs_props
from loomir.tools.model_optimizer.mo.op_table import rows_by_module
from loomir.tools.model_optimizer.mo.phases import of_class

Extracted = tuple[str, str, Mapping[str, Any]]
"""Operation class, by its module below `ops` and its name, and attributes.

The node receives the attributes in addition to those of the class.
"""

Extraction = Callable[[Node], Extracted | Mapping[str, Any] | None]
"""Function that reads a node.

If it returns no class, the node gets only the attributes. It returns None for an unknown node.
"""

EXTRACTS = "extracts"

FOLDER = "loomir.tools.model_optimizer.mo.onnx_extraction"


def extracts(*operators: str) -> Callable[[Extraction], Extraction]:
    """Marks a function that reads nodes of `operators`."""

    def mark(function: Extraction) -> Extraction:
        setattr(function, EXTRACTS, operators)
        return function

    return mark


def plain(module: str, **operators: str) -> dict[str, Extraction]:
    """Return extractions for operators without attributes.

    The arguments map an operator to its class in `ops.<module>`. A file's `PLAIN` is a list of such extractions.
    """
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
    """Return classes of the table, by their operation in lower case.

    They read nodes of their name for which there is no function.

    Classes that derive from another class of the table are excluded, as in the Model Optimizer: ONNX's Mod or DFT is not
    the operation set's.
    """
    rows = [row for rows in rows_by_module().values() for row in rows if row.op and row.base is None]
    return {str(row.op).lower(): (row.module, row.name) for row in reversed(rows)}


def extract_built_in(node: Node, own_class: type | None = None) -> bool:
    """Extract a node's attributes; return True if the operator is known.

    The attributes are those that the operator's function reads or that a class of the operator's name has.

    `own_class` is an extension's class for operations of that name, and takes precedence over the table's. An unknown node
    keeps the operator's name as `op`, and gets its attributes of the model under their own names. Nodes without `pb` are
    left unchanged.
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
    """Let an extension's operation class read a node of its name.

    A built-in function for the operator takes precedence. Errors: `mo-extension-failed`.
    """
    operator = str(node.soft_get("op", getattr(node.pb, "op_type", ""))).lower()
    return operator not in _functions() and of_class(node, own_class)


def decoded(pb: Any) -> dict[str, Any]:
    """Convert the attributes of a message to Python values.

    The values are numbers, text, lists of them, and arrays; graphs and types remain messages.
    """
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
