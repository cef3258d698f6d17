"""Attributes of edges.

They are dictionaries that notify their graph when names of tensors change.

The tensor of an output has the names that all edges from the output carry. A search through the edges whenever another
one is connected would be quadratic in the number of consumers, so the graph counts the names of each output, and the
dictionaries keep the count up to date.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from loomir.tools.model_optimizer.mo.graph.tensor_names import INFO
from loomir.tools.model_optimizer.mo.graph.watched import WatchedDict

Output = tuple[Hashable, Any]
"""A node and the number of its output."""


class NameCounts:
    """Names carried by the edges from each output, with their counts.

    A count is the number of edges that carry the name.
    """

    def __init__(self) -> None:
        self._counts: dict[Output, dict[Any, int]] = {}
        self._handed_out: dict[Hashable, dict[int, EdgeAttributes]] = {}

    def add(self, output: Output, names: Iterable[Any]) -> None:
        counts = self._counts.setdefault(output, {})
        for name in names:
            counts[name] = counts.get(name, 0) + 1

    def discard(self, output: Output, names: Iterable[Any]) -> None:
        counts = self._counts[output]
        for name in names:
            counts[name] -= 1
            if not counts[name]:
                del counts[name]
        if not counts:
            del self._counts[output]

    def handed_out(self, edge: EdgeAttributes) -> None:
        """Record that a caller holds the edge's own list of names.

        The caller may change the list.
        """
        self._handed_out.setdefault(edge.source, {})[id(edge)] = edge

    def of(self, output: Output) -> list[Any]:
        """The names, each once; lists among them as lists."""
        for edge in self._handed_out.pop(output[0], {}).values():
            edge.count_again()
        return [list(name) if kind is list else name for kind, name in self._counts.get(output, {})]


class EdgeAttributes(WatchedDict):
    """Attributes of one edge.

    Before `bind` it is an ordinary dictionary.
    """

    __slots__ = ("counted", "counts", "source")
    WATCHED = frozenset({INFO, "out"})

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.counts: NameCounts | None = None
        self.source: Hashable = None
        self.counted: tuple[Output, list[Any]] | None = None

    def bind(self, counts: NameCounts, source: Hashable) -> None:
        """Belongs to an edge from node `source` from now on."""
        self.counts, self.source = counts, source
        self.count_again()

    def release(self) -> None:
        """Belongs to no edge any more."""
        self._uncount()
        self.counts = None

    def _uncount(self) -> None:
        if self.counts is not None and self.counted is not None:
            self.counts.discard(*self.counted)
        self.counted = None

    def count_again(self) -> None:
        """Update the counts to the current names of the edge."""
        self._uncount()
        info = super().get(INFO)
        if self.counts is not None and info:
            names = [(list, tuple(pair)) if isinstance(pair, list) else (type(pair), pair) for pair in info]
            self.counted = (self.source, super().get("out")), names
            self.counts.add(*self.counted)

    def leaves(self, name: str) -> None:
        self._uncount()

    def comes(self, name: str) -> None:
        self.count_again()

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        if name in self.WATCHED:
            self.count_again()

    def pop(self, name: str, *default: Any) -> Any:
        value = super().pop(name, *default)
        if name in self.WATCHED:
            self.count_again()
        return value

    def __getitem__(self, name: str) -> Any:
        if name == INFO and self.counts is not None:
            self.counts.handed_out(self)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        if name == INFO and self.counts is not None:
            self.counts.handed_out(self)
        return super().get(name, default)
