"""Transformations that the Model Optimizer's specification names, as extensions name them in `run_before` and `run_after`."""

from __future__ import annotations

import importlib

import pytest

from loomir.tools.model_optimizer.mo import install_legacy_names
from loomir.tools.model_optimizer.mo.phases import ordered
from loomir.tools.model_optimizer.mo.transformations import MiddleReplacementPattern
from tests.unit.tools.model_optimizer.mo.test_loading import names_go

__all__ = ["names_go"]

LAYOUT = {
    "ApplyPermutations": "ApplyPermutation",
    "InsertLayoutPropagationTransposes": "InsertLayoutPropagationTranspose",
    "MarkSubgraphsWithCorrectLayout": "MarkSubGraphsWithCorrectLayout",
    "ApplyNHWCtoNCHWpermutation": "ApplyNHWCtoNCHWpermutation",
    "LayoutChangeForConstantShapePaths": "LayoutChangeForConstantShapePaths",
}
"""By file the class."""


@pytest.mark.parametrize("file", LAYOUT)
def test_names_of_layout_changes(file: str) -> None:
    install_legacy_names()
    named = getattr(importlib.import_module(f"extensions.middle.{file}"), LAYOUT[file])
    first = type("First", (MiddleReplacementPattern,), {"run_before": lambda self: [named]})
    last = type("Last", (MiddleReplacementPattern,), {"run_after": lambda self: [named]})
    assert [cls for cls in ordered([last, first]) if cls in (first, last)] == [first, last]
