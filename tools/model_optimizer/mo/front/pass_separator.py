"""Anchors of the front phase."""

from __future__ import annotations

from loomir.tools.model_optimizer.mo.front.common.replacement import FrontReplacementPattern
from loomir.tools.model_optimizer.mo.utils.anchors import Anchor


class FrontStart(Anchor, FrontReplacementPattern):
    """Anchor at the beginning of the front phase.

    The transformations of the phase follow it. Cutting of inputs and outputs, and ports, come before it.
    """


class FrontFinish(Anchor, FrontReplacementPattern):
    """After it: what closes the phase."""

    def run_after(self) -> list[type]:
        return [FrontStart]
