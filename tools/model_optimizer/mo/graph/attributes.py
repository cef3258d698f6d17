"""Attributes of nodes.

They are dictionaries that notify their graph when an indexed attribute changes.

Extensions write attributes in arbitrary ways (`node['name'] = …`, `graph.node[id].update(…)`). A search through all
nodes for a name at each renaming would be quadratic, so the graph keeps an index, and the dictionaries keep it up to
date.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Any

from loomir.tools.model_optimizer.mo.graph.watched import WatchedDict

INDEXED = frozenset({"kind", "op", "name"})
"""Attributes that nodes are found by."""


class NodeIndex:
    """Index of nodes by indexed attribute and value."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[str, Hashable], dict[Hashable, None]] = {}

    def add(self, name: str, value: Any, owner: Hashable) -> None:
        if isinstance(value, Hashable):
            self._nodes.setdefault((name, value), {})[owner] = None

    def discard(self, name: str, value: Any, owner: Hashable) -> None:
        if isinstance(value, Hashable) and (nodes := self._nodes.get((name, value))) is not None:
            nodes.pop(owner, None)
            if not nodes:
                del self._nodes[name, value]

    def having(self, name: str, value: Hashable) -> Collection[Hashable]:
        """Return identifiers of the nodes whose attribute `name` is `value`.

        The order has no meaning.
        """
        return self._nodes.get((name, value), {}).keys()


class NodeAttributes(WatchedDict):
    """Attributes of one node.

    Before `bind` it is an ordinary dictionary.
    """

    __slots__ = ("index", "owner", "serial")
    WATCHED = INDEXED

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.index: NodeIndex | None = None
        self.owner: Hashable = None
        self.serial = 0

    def bind(self, index: NodeIndex, owner: Hashable, serial: int) -> None:
        """Belongs to node `owner` from now on, the `serial`-th of its graph."""
        self.index, self.owner, self.serial = index, owner, serial
        for name in INDEXED & self.keys():
            self.comes(name)

    def release(self) -> None:
        """Belongs to no node any more."""
        for name in INDEXED & self.keys():
            self.leaves(name)
        self.index = None

    def leaves(self, name: str) -> None:
        if self.index is not None and name in self:
            self.index.discard(name, self[name], self.owner)

    def comes(self, name: str) -> None:
        if self.index is not None:
            self.index.add(name, self[name], self.owner)


class NodeTable(dict[Hashable, NodeAttributes]):
    """Nodes of a graph.

    The table binds the attributes of added nodes and releases those of removed nodes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.index = NodeIndex()
        self._count = 0

    def __setitem__(self, node: Hashable, attributes: NodeAttributes) -> None:
        if node in self:
            self[node].release()
        super().__setitem__(node, attributes)
        self._count += 1
        attributes.bind(self.index, node, self._count)

    def __delitem__(self, node: Hashable) -> None:
        self[node].release()
        super().__delitem__(node)

    def clear(self) -> None:
        for attributes in self.values():
            attributes.release()
        super().clear()
