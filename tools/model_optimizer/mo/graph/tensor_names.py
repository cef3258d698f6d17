"""Names of tensors.

They are pairs of a node's name and the framework's name of its tensor, held by edges, later by data nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

INFO = "fw_tensor_debug_info"
"""Attribute that holds the names of a tensor, a list of pairs.

It belongs to an edge (front phase) or a data node (later).
"""

TensorInfo = list[Any]


def merged(mode: str, source: TensorInfo | None, destination: TensorInfo | None) -> TensorInfo:
    """Return the names that remain when source and destination are connected.

    `mode` selects those of 'source' or 'dest', or with 'merge' both.
    """
    from_source = [] if mode == "dest" else source or []
    from_destination = [] if mode == "source" else destination or []
    return [*from_source, *from_destination]


def put(attributes: dict[str, Any], info: TensorInfo) -> None:
    """Set the names of an edge or data node.

    Without names the attribute is removed.
    """
    if info:
        attributes[INFO] = info
    else:
        attributes.pop(INFO, None)


def names_in(info: Sequence[Any]) -> list[str]:
    """Return the framework's names, sorted.

    A comma, which separates names in IR, is escaped.
    """
    names = [pair[1] for pair in info if pair is not None and len(pair) >= 2 and pair[1]]
    return sorted(name.replace(",", "\\,") for name in names)
