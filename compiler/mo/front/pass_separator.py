"""Anchors of the front phase."""

from __future__ import annotations

from loomir.compiler.mo.front.common.replacement import FrontReplacementPattern
from loomir.compiler.mo.utils.anchors import Anchor


class FrontStart(Anchor, FrontReplacementPattern):
    """After it: the transformations of the phase. Before it: cutting inputs and outputs, ports."""


class FrontFinish(Anchor, FrontReplacementPattern):
    """After it: what closes the phase."""

    def run_after(self) -> list[type]:
        return [FrontStart]
