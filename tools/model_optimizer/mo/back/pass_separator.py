"""Anchors of the back phase."""

from __future__ import annotations

from loomir.tools.model_optimizer.mo.back.replacement import BackReplacementPattern
from loomir.tools.model_optimizer.mo.utils.anchors import Anchor


class BackStart(Anchor, BackReplacementPattern):
    """After it: the transformations of the phase."""


class BackFinish(Anchor, BackReplacementPattern):
    """After it: what prepares the emission of IR."""

    force_clean_up = True

    def run_after(self) -> list[type]:
        return [BackStart]
