"""Runtime information of a node, which IR keeps beside its attributes."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from loomir.errors import Error


class RTInfo:
    """Runtime information of a node.

    `info` has, by name and version, objects of classes that derive from `RTInfoElement`.
    """

    def __init__(self) -> None:
        self.info: dict[tuple[str, int], Any] = defaultdict(dict)

    def contains(self, attribute_name: str) -> bool:
        return any(name == attribute_name for name, _ in self.info)

    def get_attribute_version(self, attribute_name: str) -> int:
        """Errors: `mo-runtime-info` if there is no such information."""
        for name, version in self.info:
            if name == attribute_name:
                return version
        raise Error("mo-runtime-info", f"there is no runtime information '{attribute_name}'")


class RTInfoElement:
    """One piece of it: classes define both methods."""

    def serialize(self, node: Any) -> dict[str, Any]:
        """Return the representation of the information in IR, by name."""
        return {}

    def get_version(self) -> Any:
        return None
