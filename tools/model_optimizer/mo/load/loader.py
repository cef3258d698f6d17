"""Loaders: what makes a graph of a framework's model."""

from __future__ import annotations

from typing import Any

from loomir.tools.model_optimizer.mo.errors import attribute_not_covered
from loomir.tools.model_optimizer.mo.graph.graph import Graph
from loomir.tools.model_optimizer.mo.utils.class_types import ClassType


class Loader:
    """A class defines `load(graph)`, and runs before `LoadFinish` unless it says otherwise."""

    registered_cls: list[type] = []
    registered_ops: dict[str, type] = {}
    excluded_replacers: list[type] = []

    def find_and_replace_pattern(self, graph: Graph) -> None:
        self.load(graph)

    def load(self, graph: Graph) -> Any:
        """Errors: `mo-api-not-covered` where a class does not define it."""
        raise attribute_not_covered(type(self).__name__, "load")

    def run_before(self) -> list[type]:
        return [] if isinstance(self, LoadFinish) else [LoadFinish]

    def run_after(self) -> list[type]:
        return []

    @classmethod
    def class_type(cls) -> ClassType:
        return ClassType.LOADER


class LoadFinish(Loader):
    """After all loaders. Errors: `mo-graph-empty` if none has loaded anything."""

    enabled = True

    def load(self, graph: Graph) -> None:
        graph.check_empty_graph("loading")
