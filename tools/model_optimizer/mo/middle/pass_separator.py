"""Anchors of the middle phase."""

from __future__ import annotations

from loomir.tools.model_optimizer.mo.middle.replacement import MiddleReplacementPattern
from loomir.tools.model_optimizer.mo.utils.anchors import Anchor


class PreMiddleStart(Anchor, MiddleReplacementPattern):
    """Before it: partial inference and what prepares it."""


class MiddleStart(Anchor, MiddleReplacementPattern):
    """After it: most transformations of the phase."""

    def run_after(self) -> list[type]:
        return [PreMiddleStart]


class MiddleFinish(Anchor, MiddleReplacementPattern):
    """After it: changes of layout."""

    def run_after(self) -> list[type]:
        return [MiddleStart]


class PostMiddleStart(Anchor, MiddleReplacementPattern):
    """After it: what needs the final layout."""

    def run_after(self) -> list[type]:
        return [MiddleFinish]
