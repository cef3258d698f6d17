"""Layer attributes of a node: IR attributes as its class serialises them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xdsl.ir import Attribute

from loomir.tools.model_optimizer.mo.bridge.values import attribute_of
from loomir.tools.model_optimizer.mo.foreign import blamed_on
from loomir.tools.model_optimizer.mo.graph.graph import Node

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
