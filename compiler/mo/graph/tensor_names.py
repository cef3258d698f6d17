"""Names of tensors: pairs of a node's name and the framework's name of its tensor, at edges, later at data nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

INFO = "fw_tensor_debug_info"
"""The attribute of an edge (front phase) or a data node (later) that holds them, a list of pairs."""

TensorInfo = list[Any]


def merged(mode: str, source: TensorInfo | None, destination: TensorInfo | None) -> TensorInfo:
    """The names that remain when a source and a destination are connected: by `mode` 'source', 'dest' or 'merge' both."""
    from_source = [] if mode == "dest" else source or []
    from_destination = [] if mode == "source" else destination or []
    return [*from_source, *from_destination]


def put(attributes: dict[str, Any], info: TensorInfo) -> None:
    """An edge or data node has these names, or no attribute if there are none."""
    if info:
        attributes[INFO] = info
    else:
        attributes.pop(INFO, None)


def names_in(info: Sequence[Any]) -> list[str]:
    """The framework's names, sorted; a comma, which separates names in IR, is escaped."""
    names = [pair[1] for pair in info if pair is not None and len(pair) >= 2 and pair[1]]
    return sorted(name.replace(",", "\\,") for name in names)
