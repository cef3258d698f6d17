"""Attributes of nodes and edges, which notify their graph of changes.

They are dictionaries that notice every way in which extensions write some of their entries, and notify their graph: those
of nodes when an indexed attribute changes, those of edges when names of tensors change.

Extensions write attributes in arbitrary ways (`node['name'] = …`, `graph.node[id].update(…)`). A search through all
nodes for a name at each renaming would be quadratic, so the graph keeps an index, and the dictionaries keep it up to
date.

Names of tensors are pairs of a node's name and the framework's name of its tensor, held by edges, later by data nodes.
The tensor of an output has the names that all edges from the output carry. A search through the edges whenever another
one is connected would be quadratic in the number of consumers, so the graph counts the names of each output, and the
dictionaries keep the count up to date.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np


class WatchedDict(dict[str, Any]):
    """Dictionary with callbacks for changes of the entries in `WATCHED`.

    It calls `leaves` before such an entry changes or is removed, and `comes` after it is set.
    """

    __slots__ = ()
    WATCHED: ClassVar[frozenset[str]] = frozenset()

    def leaves(self, name: str) -> None:
        """Handle the coming change or removal of an entry.

        The entry may not exist.
        """

    def comes(self, name: str) -> None:
        """The entry was set."""

    def __setitem__(self, name: str, value: Any) -> None:
        if name in self.WATCHED:
            self.leaves(name)
            super().__setitem__(name, value)
            self.comes(name)
        else:
            super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        if name in self.WATCHED:
            self.leaves(name)
        super().__delitem__(name)

    def update(self, *args: Any, **attributes: Any) -> None:
        for name, value in dict(*args, **attributes).items():
            self[name] = value

    def __ior__(self, other: Any) -> WatchedDict:
        self.update(other)
        return self

    def setdefault(self, name: str, default: Any = None) -> Any:
        if name not in self:
            self[name] = default
        return self[name]

    def pop(self, name: str, *default: Any) -> Any:
        if name in self.WATCHED:
            self.leaves(name)
        return super().pop(name, *default)

    def popitem(self) -> tuple[str, Any]:
        name = next(reversed(self))
        return name, self.pop(name)

    def clear(self) -> None:
        for name in list(self):
            del self[name]

    def copy(self) -> dict[str, Any]:
        """A dictionary like any other."""
        return dict(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies, deep or sent elsewhere, are dictionaries like any other."""
        return dict, (), None, None, iter(self.items())


def dict_includes_compare_attrs(attr: Any, attr_probe: Any) -> bool:
    """Return True if an attribute satisfies a requirement.

    The attribute must equal the requirement or, if that is a function, the function must return True for the attribute.
    """
    if callable(attr_probe) and not isinstance(attr_probe, type):
        return bool(attr_probe(attr))
    return bool(np.all(attr == attr_probe))


def dict_includes(
    big: Mapping[str, Any], sub_dict: Mapping[str, Any], skip_attr_names: Collection[str] = ()
) -> bool:
    """Return True if `big` satisfies the requirements of `sub_dict`.

    An attribute that `big` lacks counts as None. The names to skip are not compared.
    """
    return all(
        dict_includes_compare_attrs(big.get(name), probe)
        for name, probe in sub_dict.items()
        if name not in skip_attr_names
    )


INFO = "fw_tensor_debug_info"
"""Attribute that holds the names of a tensor, a list of pairs.

It belongs to an edge (front phase) or a data node (later).
"""

TensorInfo = list[Any]


def merged(mode: str, source: TensorInfo | None, destination: TensorInfo | None) -> TensorInfo:
    """Return the names that remain when source and destination are connected.

    `mode` selects those of 'source' or 'dest', or with 'merge' both.
    """
    from_source = [] if mode == "dest" else source or []
    from_destination = [] if mode == "source" else destination or []
    return [*from_source, *from_destination]


def put(attributes: dict[str, Any], info: TensorInfo) -> None:
    """Set the names of an edge or data node.

    Without names the attribute is removed.
    """
    if info:
        attributes[INFO] = info
    else:
        attributes.pop(INFO, None)


def names_in(info: Sequence[Any]) -> list[str]:
    """Return the framework's names, sorted.

    A comma, which separates names in IR, is escaped.
    """
    names = [pair[1] for pair in info if pair is not None and len(pair) >= 2 and pair[1]]
    return sorted(name.replace(",", "\\,") for name in names)


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
