"""Attributes of nodes as IR attributes, and the operations of nodes.

IR attributes are converted to the Python values that extensions expect, and back. The attributes of a node's layer are IR
attributes as its class serialises them. The origin of a node is its operation, with the node's original state.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, BytesAttr, DenseArrayBase, FloatAttr, IntegerAttr, StringAttr, i1
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.dialects.attributes import ConstantAttr, constant_array, constant_attr
from loomir.dialects.element_types import numbers_of
from loomir.dialects.ov.base import attr
from loomir.dialects.ov.layers.attributes import ELEMENTS
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.errors import Error
from loomir.tools.model_optimizer.mo.context import blamed_on
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node

_NAMES = {element: name for name, element in ELEMENTS.items()}


def value_of(attribute: Attribute) -> Any:
    """Convert an attribute to a Python value.

    The value is a number, a text, a list of them, an array or the name of an element type. Any other attribute is returned
    unchanged.
    """
    match attribute:
        case StringAttr():
            return attribute.data
        case BytesAttr():
            return attribute.data
        case IntegerAttr():
            return bool(attribute.value.data) if attribute.type == i1 else attribute.value.data
        case FloatAttr():
            return attribute.value.data
        case DenseArrayBase():
            return numbers_of(attribute).copy()
        case ArrayAttr():
            return [value_of(item) for item in attribute]
        case _ if isinstance(attribute, ConstantAttr):
            return constant_array(attribute)
        case _:
            return _NAMES.get(attribute, attribute)


def attribute_of(name: str, value: Any) -> Attribute:
    """Convert an extension's attribute value to IR.

    Raises `Error("mo-attribute-value")` for a value that has no IR form.
    """
    match value:
        case Attribute():
            return value
        case np.generic():
            return attribute_of(name, value.item())
        case bool() | int() | float() | str():
            made = attr(value)
        case bytes():
            return BytesAttr(value)
        case np.ma.MaskedArray() if value.dtype.kind in "iu":
            # A shape: what is not known of it is -1, as IR has it.
            made = attr(value.filled(-1).reshape(-1).tolist())
        case type() | np.dtype() if np.dtype(value).kind in "iufb":
            made = attr(np.dtype(value).name)
        case np.ndarray() if value.ndim == 1 and value.dtype.kind in "iub":
            made = attr(value.astype(np.int64).tolist())
        case np.ndarray() if value.dtype.kind in "iufb":
            return constant_attr(np.array(value, order="C"))
        case list() | tuple():
            made = _list_of(name, list(value))
        case _:
            raise Error(
                "mo-attribute-value",
                f"the attribute {name} is a {type(value).__name__}, which no layer has",
                hint="numbers, texts, lists of them, numpy arrays and types",
            )
    assert made is not None
    return made


def _list_of(name: str, items: list[Any]) -> Attribute | None:
    if all(isinstance(item, int | np.integer) and not isinstance(item, bool) for item in items):
        return attr([int(item) for item in items])
    if all(isinstance(item, float | np.floating | int) for item in items):
        return constant_attr(np.array(items, np.float64))
    return ArrayAttr([attribute_of(name, item) for item in items])


def same(a: Any, b: Any) -> bool:
    """Return True if two attribute values have equal kinds and contents."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        both = np.asarray(a), np.asarray(b)
        return both[0].dtype == both[1].dtype and np.array_equal(*both)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


NOT_WRITTEN = ("id", "name", "type", "version", "offset", "size")


def layer_attributes(node: Node) -> dict[str, Attribute]:
    """Return the attributes of the layer according to `IE` of the node.

    `IE` lists names, or pairs of a name and an attribute or a function of the node.

    Attributes that are None are left out. Errors: `mo-attribute-value`, `mo-extension-failed` for a function that fails.
    """
    found: dict[str, Attribute] = {}
    for entry in _entries(node.soft_get("IE", None)):
        name, source = (entry, entry) if isinstance(entry, str) else entry
        if name in NOT_WRITTEN:
            continue
        with blamed_on("mo-extension-failed", f"the attribute {name} of '{node.id}' cannot be written", None):
            value = source(node) if callable(source) else node.soft_get(source, None)
        if value is not None:
            found[name] = attribute_of(name, value)
    return found


def _entries(written: Any) -> Iterable[Any]:
    """Yield the entries of the layer's `data`."""
    for element in written or ():
        if isinstance(element, tuple) and len(element) == 3:
            tag, attributes, inner = element
            yield from attributes if tag == "data" else ()
            yield from _entries(inner)


SOURCE_OPERATION = "loomir_origin"
"""Attribute of a node: its `SourceOperation`."""
ARGUMENT = "loomir_argument"
"""Attribute of a Parameter: which argument of the block it is."""
CAPTURE = "loomir_capture"
"""Attribute of a body's Parameter: the number of its captured value.

The inputs for captured values follow the node's own inputs.
"""
RESULT = "loomir_result"
"""Attribute of a Result: which operand of the block's terminator it is."""
ORDER = "loomir_order"
"""Attribute of a node: its position among the operations of the block.

New nodes have none.
"""


RESERVED = frozenset({"kind", "name", "op", "type", "version", "pb", "infer"})
"""Attributes that every node has.

An operation's attribute of the same name is not shown.
"""


def kind_of(node: Node) -> tuple[Any, Any]:
    """Type and version, as far as the node says them."""
    return node.soft_get("type", None), node.soft_get("version", None)


class NodeState:
    """State of a node that determines its meaning: type, attributes and inputs."""

    def __init__(self, node: Node, own: dict[str, Any]) -> None:
        self.own = own
        self.kind = kind_of(node)
        self.ports = frozenset(
            edge["in"] for _, _, edge in node.graph.in_edges(node.id, data=True) if "in" in edge
        )
        try:
            self.layer: Mapping[str, Attribute] | None = layer_attributes(node)
        except Error:
            # What only inference can say is not there yet; then the attributes themselves count.
            self.layer = None

    def same_as(self, other: NodeState, *, inputs: bool) -> bool:
        """Return True if type and attributes are equal.

        With `inputs` the inputs must be equal too.
        """
        if self.kind != other.kind or (inputs and self.ports != other.ports):
            return False
        if self.layer is not None and other.layer is not None:
            return self.layer == other.layer
        return self.own.keys() == other.own.keys() and all(same(v, other.own[k]) for k, v in self.own.items())


@dataclass(eq=False)
class SourceOperation:
    """Operation of a node.

    It is an operation of a program: copies of the node share it.
    """

    op: Operation
    layer: tuple[str, str] | None = None
    """Type and version of the operation's layer, or None.

    (The node may have another type: `operations.names_of`.)
    """
    told: Mapping[int, str] = field(default_factory=dict)
    """Names of the operands that the node has as attributes, by index.

    They are the last operands of the operation, and constants.
    """
    name: str = ""
    """Original name of the node.

    It is the operation's name, followed by a number if several operations have that name.
    """
    captures: list[SSAValue] = field(default_factory=list)
    """Outer values that the regions read.

    Each is an input of the node, after the node's own inputs.
    """
    bodies: dict[str, Graph] = field(default_factory=dict)
    """Its regions as graphs, by the attribute that holds each."""
    noted: NodeState | None = None
    """State of the node when the transformations began.

    None if an extension's extractor defines the node.
    """

    def __deepcopy__(self, memo: object) -> SourceOperation:
        return self

    def note(self, node: Node, names: Collection[str]) -> None:
        """Record the node's state, with which `changed` compares from now on.

        `names` are the operation's own attributes.
        """
        self.noted = _said(node, names)

    def changed(self, node: Node) -> bool:
        """Return True if the node is a layer and has changed.

        The comparison is with the recorded state. A change is another type, other attributes or other inputs.

        (A node with graphs takes any inputs.)
        """
        if node.soft_get("type", None) is None:
            return False
        if self.noted is None:
            return True
        return not self.noted.same_as(_said(node, self.noted.own), inputs=not self.op.regions)

    def own(self, node: Node) -> dict[str, Any]:
        """The operation's own attributes as the node has them now."""
        return {} if self.noted is None else _own(node, self.noted.own)

    def changed_attributes(self, node: Node) -> tuple[dict[str, Attribute], set[str]]:
        """Return the operation's own attributes with changed values, and the removed ones.

        Errors: `mo-attribute-value`.
        """
        changes = self.own_changes(node)
        given = {name: attribute_of(name, value) for name, value in changes.items() if value is not None}
        return given, changes.keys() - given.keys()

    def told_now(self, node: Node) -> list[np.ndarray]:
        """Return current values of the operands that are attributes of the node.

        Error: `mo-attribute-value`.
        """
        return [_number(node, name, self.op.operands[index]) for index, name in self.told.items()]

    def own_changes(self, node: Node) -> dict[str, Any]:
        """Return the operation's changed own attributes; None for removed ones."""
        if self.noted is None:
            return {}
        now = self.own(node)
        return {
            name: now.get(name)
            for name, before in self.noted.own.items()
            if name not in now or not same(now[name], before)
        }


def layer_of(node: Node) -> tuple[Any, Any]:
    """Return type and version of the node's layer.

    They are the node's own, unless the node still has the type by which its operation was shown. In that case they are
    those of the operation's layer.
    """
    origin = source_operation(node)
    noted = None if origin is None else origin.noted
    if origin is not None and origin.layer is not None and noted is not None and noted.kind == kind_of(node):
        return origin.layer
    return kind_of(node)


def _number(node: Node, name: str, before: SSAValue) -> np.ndarray:
    assert isinstance(before.owner, ConstantOp)
    array, value = before.owner.array, node.soft_get(name, None)
    try:
        return array if value is None else np.asarray(value, array.dtype).reshape(())
    except (TypeError, ValueError):
        what = f"the attribute {name} is {value!r}, not a number"
        raise Error("mo-attribute-value", what, layer=str(node.name), op=str(node.op)) from None


def _said(node: Node, names: Collection[str]) -> NodeState:
    return NodeState(node, _own(node, names))


def _own(node: Node, names: Collection[str]) -> dict[str, Any]:
    attributes = node.attrs()
    found = {name: attributes[name] for name in names if name in attributes and name not in RESERVED}
    return {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in found.items()}


def source_operation(node: Node) -> SourceOperation | None:
    """Where a node comes from; None for one that a transformation made."""
    found = node.attrs().get(SOURCE_OPERATION)
    return found if isinstance(found, SourceOperation) else None
