"""Transformations that change nothing: what others come before and after."""

from __future__ import annotations

from typing import Any


class Anchor:
    """First base class of an anchor.

    The second one is the base class of its phase.
    """

    enabled = True

    def run_after(self) -> list[type]:
        return []

    def run_before(self) -> list[type]:
        return []

    def find_and_replace_pattern(self, graph: Any) -> None:
        """Nothing."""
