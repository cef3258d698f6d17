"""The root of transformations."""

from __future__ import annotations

from typing import Any

from loomir.tools.model_optimizer.mo.errors import attribute_not_covered
from loomir.tools.model_optimizer.mo.graph.graph import Graph
from loomir.tools.model_optimizer.mo.middle.pattern_match import apply_pattern


class ReplacementPattern:
    """A transformation: `pattern()` and `replace_pattern(graph, match)`, or `find_and_replace_pattern(graph)`.

    `enabled`, `graph_condition`, `force_clean_up`, `force_shape_inference`, `run_not_recursively` and `id` are what a class may say.
    """

    excluded_replacers: list[type] = []
    """Classes that are only there to derive from."""

    def pattern(self) -> dict[str, Any]:
        """Errors: `mo-api-not-covered` where a class that needs it does not define it."""
        raise attribute_not_covered(type(self).__name__, "pattern")

    def replace_pattern(self, graph: Graph, match: dict[str, Any]) -> Any:
        """Errors: `mo-api-not-covered` where a class that needs it does not define it."""
        raise attribute_not_covered(type(self).__name__, "replace_pattern")

    def find_and_replace_pattern(self, graph: Graph) -> None:
        """Transforms the graph."""
        apply_pattern(graph, **self.pattern(), action=self.replace_pattern)

    def run_before(self) -> list[type]:
        """Classes that this one comes before."""
        return []

    def run_after(self) -> list[type]:
        """Classes that this one comes after."""
        return []


def only_a_base(cls: type) -> type:
    """A decorator: the class is no transformation, others derive from it."""
    ReplacementPattern.excluded_replacers.append(cls)
    return cls
