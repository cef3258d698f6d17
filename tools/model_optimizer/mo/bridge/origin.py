"""Origin of a node: its operation and the node's original state."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.errors import Error
from loomir.tools.model_optimizer.mo.bridge.layers import layer_attributes
from loomir.tools.model_optimizer.mo.bridge.values import attribute_of, same
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node

ORIGIN = "loomir_origin"
"""Attribute of a node: its `Origin`."""
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


class Said:
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

    def same_as(self, other: Said, *, inputs: bool) -> bool:
        """Return True if type and attributes are equal.

        With `inputs` the inputs must be equal too.
        """
        if self.kind != other.kind or (inputs and self.ports != other.ports):
            return False
        if self.layer is not None and other.layer is not None:
            return self.layer == other.layer
        return self.own.keys() == other.own.keys() and all(same(v, other.own[k]) for k, v in self.own.items())


@dataclass(eq=False)
class Origin:
    """Operation of a node.

    It is an operation of a program: copies of the node share it.
    """

    op: Operation
    layer: tuple[str, str] | None = None
    """Type and version of the operation's layer, or None.

    (The node may have another type: `names.py`.)
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
    noted: Said | None = None
    """State of the node when the transformations began.

    None if an extension's extractor defines the node.
    """

    def __deepcopy__(self, memo: object) -> Origin:
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
    origin = origin_of(node)
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


def _said(node: Node, names: Collection[str]) -> Said:
    return Said(node, _own(node, names))


def _own(node: Node, names: Collection[str]) -> dict[str, Any]:
    attributes = node.attrs()
    found = {name: attributes[name] for name in names if name in attributes and name not in RESERVED}
    return {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in found.items()}


def origin_of(node: Node) -> Origin | None:
    """Where a node comes from; None for one that a transformation made."""
    found = node.attrs().get(ORIGIN)
    return found if isinstance(found, Origin) else None
