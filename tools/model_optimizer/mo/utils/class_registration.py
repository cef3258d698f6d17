"""Names that extensions import from `utils.class_registration`.

They are kinds of classes, and functions that run a list of transformations.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from loomir.tools.model_optimizer.mo.graph.graph import Graph
from loomir.tools.model_optimizer.mo.phases import run_transformation
from loomir.tools.model_optimizer.mo.utils.class_types import ClassType

__all__ = ["ClassType", "apply_replacements_list", "apply_transform"]


def apply_transform(graph: Graph, replacer_cls: type, **kwargs: Any) -> None:
    """Runs one transformation. Errors: `mo-extension-failed`."""
    run_transformation(graph, replacer_cls)


def apply_replacements_list(graph: Graph, replacers_order: Iterable[type]) -> None:
    """Runs transformations in the order of the list. Errors: `mo-extension-failed`."""
    for cls in replacers_order:
        run_transformation(graph, cls)
