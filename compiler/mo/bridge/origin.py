"""Where a node comes from: the operation that it was made of, and what the node was then."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.compiler.mo.bridge.layers import layer_attributes
from loomir.compiler.mo.bridge.values import attribute_of, same
from loomir.compiler.mo.graph.graph import Graph, Node
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.errors import Error

ORIGIN = "loomir_origin"
"""Attribute of a node: its `Origin`."""
ARGUMENT = "loomir_argument"
"""Attribute of a Parameter: which argument of the block it is."""
CAPTURE = "loomir_capture"
"""Attribute of a Parameter of a body: which of the captured values, whose inputs stand behind the node's own."""
RESULT = "loomir_result"
"""Attribute of a Result: which operand of the block's terminator it is."""
ORDER = "loomir_order"
"""Attribute of a node: its place among the operations of the block; new ones have none."""


RESERVED = frozenset({"kind", "name", "op", "type", "version", "pb", "infer"})
"""What every node has: an attribute of an operation that is called so is not shown."""


def kind_of(node: Node) -> tuple[Any, Any]:
    """Type and version, as far as the node says them."""
    return node.soft_get("type", None), node.soft_get("version", None)


class Said:
    """What a node says of what it is."""

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
        """Whether another is of the same type, has the same attributes, and with `inputs` the same inputs."""
        if self.kind != other.kind or (inputs and self.ports != other.ports):
            return False
        if self.layer is not None and other.layer is not None:
            return self.layer == other.layer
        return self.own.keys() == other.own.keys() and all(same(v, other.own[k]) for k, v in self.own.items())


@dataclass(eq=False)
class Origin:
    """The operation of a node. It is one of a program: copies of the node share it."""

    op: Operation
    layer: tuple[str, str] | None = None
    """The layer that it is, type and version; None where it is none. (The node may have another type: `names.py`.)"""
    told: Mapping[int, str] = field(default_factory=dict)
    """Its last operands, constants, that the node has as attributes: what these are called."""
    name: str = ""
    """What the node was called: as the operation, or with a number behind it where several are called so."""
    captures: list[SSAValue] = field(default_factory=list)
    """Outer values that its regions read, each an input of the node behind its own."""
    bodies: dict[str, Graph] = field(default_factory=dict)
    """Its regions as graphs, by the attribute that holds each."""
    noted: Said | None = None
    """What the node said when the transformations began; None where an extension's extractor says what it is."""

    def __deepcopy__(self, memo: object) -> Origin:
        return self

    def note(self, node: Node, names: Collection[str]) -> None:
        """From now on `changed` tells whether something is different. `names` are the operation's own attributes."""
        self.noted = _said(node, names)

    def changed(self, node: Node) -> bool:
        """Whether the node is a layer, and another one than when it was noted: of another type, with other attributes or inputs.

        (What has graphs takes what inputs there are.)
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
        """The operation's own attributes that have another value, and those that are gone. Errors: `mo-attribute-value`."""
        changes = self.own_changes(node)
        given = {name: attribute_of(name, value) for name, value in changes.items() if value is not None}
        return given, changes.keys() - given.keys()

    def told_now(self, node: Node) -> list[np.ndarray]:
        """What the node says now of the operands that are its attributes. Error: `mo-attribute-value`."""
        return [_number(node, name, self.op.operands[index]) for index, name in self.told.items()]

    def own_changes(self, node: Node) -> dict[str, Any]:
        """The operation's own attributes that have another value, None for those that are gone."""
        if self.noted is None:
            return {}
        now = self.own(node)
        return {
            name: now.get(name)
            for name, before in self.noted.own.items()
            if name not in now or not same(now[name], before)
        }


def layer_of(node: Node) -> tuple[Any, Any]:
    """Type and version of the layer that a node is: its own, unless it still is of the type that its operation was shown by."""
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
