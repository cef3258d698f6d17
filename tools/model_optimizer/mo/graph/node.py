"""Nodes of a graph: attributes as fields, ports and neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from loomir.errors import Error
from loomir.tools.model_optimizer.mo import NodeAttributeMissing
from loomir.tools.model_optimizer.mo.graph.attributes import NodeAttributes, dict_includes
from loomir.tools.model_optimizer.mo.graph.connection import NodeEdits
from loomir.tools.model_optimizer.mo.graph.port import Port

CONTROL_FLOW = "control_flow_"
"""Prefix of the keys of control flow ports; the number follows."""


def port_number(key: Any) -> int:
    """The number of a port, of control flow or not."""
    return int(str(key).removeprefix(CONTROL_FLOW))


def by_port(entries: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """Convert pairs of port key and value to a port-ordered dictionary.

    If several pairs have one key, the last one counts.
    """
    found = dict(entries)
    return {key: found[key] for key in sorted(found, key=port_number)}


class Node(NodeEdits):
    """Reference to node `id` of `graph`.

    Any number of references may stand for one node; they are equal.
    """

    __slots__ = ("graph", "id", "node")

    graph: Any
    id: Any
    node: Any

    def __init__(self, graph: Any, node: Any) -> None:
        """Errors: `mo-graph-node` if there is no such node."""
        if node not in graph:
            raise Error("mo-graph-node", f"there is no node '{node}' in the graph")
        object.__setattr__(self, "graph", graph)
        object.__setattr__(self, "node", node)
        object.__setattr__(self, "id", node)

    def sibling(self, node: Any) -> Node:
        """Another node of the same graph."""
        return type(self)(self.graph, node)

    def attrs(self) -> NodeAttributes:
        """The attributes themselves, not a copy."""
        return self.graph._node[self.id]

    get_attrs = attrs

    def __str__(self, max_length: int = 100) -> str:
        text = str(self.soft_get("value", None))
        short = text if len(text) <= max_length else f"{text[: max_length - 3]}..."
        return str({k: short if k == "value" else v for k, v in self.attrs().items()})

    def __repr__(self) -> str:
        return f"<node '{self.id}'>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.graph is other.graph and self.id == other.id

    def __hash__(self) -> int:
        return hash((id(self.graph), self.id))

    def __deepcopy__(self, memo: dict[int, Any]) -> Node:
        """Copy the reference without the graph.

        A node is a reference: a deep copy refers to the same graph, unless the graph is part of the copied object.
        """
        return Node(memo.get(id(self.graph), self.graph), self.id)

    # Attributes.

    def __getattr__(self, name: str) -> Any:
        """Errors: `mo-node-attribute`."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Any:
        """Errors: `mo-node-attribute`."""
        attributes = self.attrs()
        if name not in attributes:
            raise self._missing(
                name, "loomir has no such method of nodes either; test with has() or soft_get() first"
            )
        return attributes[name]

    def _missing(self, name: str, hint: str) -> NodeAttributeMissing:
        error = NodeAttributeMissing("mo-node-attribute", f"the node has no attribute '{name}'", hint=hint)
        error.at(layer=str(self.attrs().get("name", self.id)), op=str(self.attrs().get("op", "no operation")))
        return error

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an existing attribute like a field.

        Errors: `mo-node-attribute`, and those of `__setitem__`.
        """
        if name not in self.attrs():
            raise self._missing(name, f"node['{name}'] = … adds it")
        self[name] = value

    def __setitem__(self, name: str, value: Any) -> None:
        """Errors: `mo-node-version` for another version of an operation that has one."""
        attributes = self.attrs()
        if name == "version" and attributes.get(name, value) != value:
            raise Error(
                "mo-node-version",
                f"the version is {attributes[name]} and does not become {value}",
                layer=str(attributes.get("name", self.id)),
            )
        attributes[name] = value

    def __delitem__(self, name: str) -> None:
        del self.attrs()[name]

    def __contains__(self, name: str) -> bool:
        return self.has(name)

    def has(self, k: str) -> bool:
        return k in self.attrs()

    def has_valid(self, k: str) -> bool:
        """Return True if the attribute exists and is not None."""
        return self.attrs().get(k) is not None

    def has_and_set(self, k: str) -> Any:
        """Return a true value if the attribute exists and is true."""
        return self.has_valid(k) and self[k]

    def soft_get(self, k: str, default: Any = "<UNKNOWN>") -> Any:
        """The attribute, or `default` where there is none or it is None."""
        value = self.attrs().get(k)
        return default if value is None else value

    def get_opset(self) -> str:
        """The operation set, or 'extension'."""
        return self.soft_get("version", "extension")

    # Ports.

    def update_node(self) -> None:
        """Makes the ports that `in_ports_count` and `out_ports_count` count."""
        attributes = self.attrs()
        for kind, count in (("_in_ports", "in_ports_count"), ("_out_ports", "out_ports_count")):
            if attributes.get(kind) is None:
                attributes[kind] = {}
            elif not isinstance(attributes[kind], dict):
                attributes[kind] = {key: {} for key in attributes[kind]}
            for idx in range(attributes.get(count) or 0):
                attributes[kind].setdefault(idx, {})

    def _ports(self, kind: str) -> dict[Any, dict[str, Any]]:
        ports = self.attrs().get(f"_{kind}_ports")
        if ports is None:
            raise self._no_port(f"the node has no {kind}put ports: it may be a data node")
        return ports

    def _no_port(self, what: str) -> Error:
        return Error(
            "mo-graph-port", what, layer=str(self.soft_get("name", self.id)), op=str(self.soft_get("op"))
        )

    def _port(self, kind: str, idx: Any, control_flow: bool) -> Port:
        ports = self._ports(kind)
        if idx not in ports:
            raise self._no_port(
                f"there is no {kind}put port {idx}, there are {sorted(ports, key=port_number)}"
            )
        if ports[idx].get("control_flow") and not control_flow:
            raise self._no_port(f"{kind}put port {idx} is a control-flow port, which was not requested")
        return Port(node=self, idx=idx, type=kind, **ports[idx])

    def _all_ports(self, kind: str, control_flow: bool) -> dict[Any, Port]:
        ports = self._ports(kind).items()
        return by_port(
            (idx, Port(node=self, idx=idx, type=kind, **attributes))
            for idx, attributes in ports
            if control_flow or not attributes.get("control_flow")
        )

    def in_port(self, idx: Any = None, control_flow: bool = False) -> Port:
        """Return input port `idx`.

        Errors: `mo-graph-port` if there is none, or if it is an unrequested port of control flow.
        """
        return self._port("in", idx, control_flow)

    def out_port(self, idx: Any = None, control_flow: bool = False) -> Port:
        """Return output port `idx`.

        Errors: `mo-graph-port` if there is none, or if it is an unrequested port of control flow.
        """
        return self._port("out", idx, control_flow)

    def in_ports(self, control_flow: bool = False) -> dict[Any, Port]:
        return self._all_ports("in", control_flow)

    def out_ports(self, control_flow: bool = False) -> dict[Any, Port]:
        return self._all_ports("out", control_flow)

    def has_port(self, port_type: str, idx: Any, control_flow: bool = False) -> bool:
        attributes = (self.attrs().get(f"_{port_type}_ports") or {}).get(idx)
        return attributes is not None and (control_flow or not attributes.get("control_flow"))

    def is_in_port_connected(self, idx: Any, control_flow: bool = False) -> bool:
        return self.has_port("in", idx, control_flow) and not self.in_port(idx, control_flow).disconnected()

    def is_out_port_connected(self, idx: Any, control_flow: bool = False) -> bool:
        return self.has_port("out", idx, control_flow) and not self.out_port(idx, control_flow).disconnected()

    def _add_port(self, kind: str, idx: Any, skip_if_exist: bool, attributes: dict[str, Any]) -> None:
        if not skip_if_exist and self.has_port(kind, idx, bool(attributes.get("control_flow"))):
            raise self._no_port(f"there is {kind}put port {idx} already")
        if self.attrs().get(f"_{kind}_ports") is None:
            self.attrs()[f"_{kind}_ports"] = {}
        self._ports(kind)[idx] = attributes

    def add_input_port(self, idx: Any, skip_if_exist: bool = False, **kwargs: Any) -> None:
        """Errors: `mo-graph-port` if it is there and not to be skipped."""
        self._add_port("in", idx, skip_if_exist, kwargs)

    def add_output_port(self, idx: Any, skip_if_exist: bool = False, **kwargs: Any) -> None:
        """Errors: `mo-graph-port` if it is there and not to be skipped."""
        self._add_port("out", idx, skip_if_exist, kwargs)

    def add_sequence_of_ports(self, type: str, rng: Iterable[int]) -> None:
        """Add missing 'in' or 'out' ports with the numbers of `rng`."""
        for idx in rng:
            self._add_port(type, idx, True, {})

    def _delete_port(self, kind: str, idx: Any, skip_if_absent: bool) -> None:
        if not self.has_port(kind, idx):
            if skip_if_absent and idx not in self._ports(kind):
                return
            raise self._no_port(f"there is no {kind}put port {idx} to delete")
        self._port(kind, idx, False).disconnect()
        del self._ports(kind)[idx]
        self[f"{kind}_ports_count"] = len(self._ports(kind))

    def delete_input_port(self, idx: Any, skip_if_absent: bool = False) -> None:
        """Remove an input port and its connection.

        Errors: `mo-graph-port` if the port does not exist and `skip_if_absent` is not set.
        """
        self._delete_port("in", idx, skip_if_absent)

    def delete_input_ports(self, idx_set: Iterable[Any], skip_if_absent: bool = False) -> None:
        for idx in idx_set:
            self._delete_port("in", idx, skip_if_absent)

    def delete_output_port(self, idx: Any, skip_if_absent: bool = False) -> None:
        """Remove an output port and its connections.

        Errors: `mo-graph-port` if the port does not exist and `skip_if_absent` is not set.
        """
        self._delete_port("out", idx, skip_if_absent)

    # Neighbours.

    def _edges(self, kind: str, control_flow: bool) -> list[tuple[Any, dict[str, Any]]]:
        """The nodes at the other ends and the edges."""
        if kind == "in":
            found = [(u, d) for u, _, d in self.graph.in_edges(self.id, data=True)]
        else:
            found = [(v, d) for _, v, d in self.graph.out_edges(self.id, data=True)]
        return found if control_flow else [(n, d) for n, d in found if not d.get("control_flow_edge")]

    def get_inputs(self, edge_attr: dict[str, Any] | None = None, control_flow: bool = False) -> list[Any]:
        """Return incoming edges with these attributes, each with its source.

        Each pair is the identifier of a preceding node and the edge from it.
        """
        return [(n, d) for n, d in self._edges("in", control_flow) if _has(d, edge_attr)]

    def get_outputs(self, edge_attr: dict[str, Any] | None = None, control_flow: bool = False) -> list[Any]:
        """Return outgoing edges with these attributes, each with its target.

        Each pair is the identifier of a following node and the edge to it.
        """
        return [(n, d) for n, d in self._edges("out", control_flow) if _has(d, edge_attr)]

    def get_sorted_inputs(self, control_flow: bool = False) -> list[Any]:
        """Those of `get_inputs` that go into a port, by its number."""
        return sorted(
            (x for x in self.get_inputs(None, control_flow) if "in" in x[1]), key=lambda x: x[1]["in"]
        )

    def get_sorted_outputs(self, control_flow: bool = False) -> list[Any]:
        return sorted(
            (x for x in self.get_outputs(None, control_flow) if "out" in x[1]), key=lambda x: x[1]["out"]
        )

    def neighbour(self, kind: str, idx: Any, control_flow: bool) -> Node | None:
        """Return the node at port `idx` of type `kind`, or None.

        From the middle phase on, the neighbour of an operation is the data node.
        """
        found = [n for n, d in self._edges(kind, control_flow) if d.get(kind) == idx]
        return self.sibling(found[-1]) if found else None

    def _of_kind(self, kind: str, control_flow: bool, what: Callable[[Any, dict[str, Any]], Any]) -> Any:
        """By port for an operation, a list for a data node."""
        edges = self._edges(kind, control_flow)
        if self.kind == "data":
            return [what(n, d) for n, d in edges]
        return by_port((d[kind], what(n, d)) for n, d in edges)

    def in_nodes(self, control_flow: bool = False) -> Any:
        """Return the preceding nodes.

        The result is a dictionary by port for an operation, a list for a data node.
        """
        return self._of_kind("in", control_flow, lambda n, d: self.sibling(n))

    def out_nodes(self, control_flow: bool = False) -> Any:
        """Return the following nodes.

        The result is a dictionary by port for an operation (the last of several nodes at a port), a list for a data node.
        """
        return self._of_kind("out", control_flow, lambda n, d: self.sibling(n))

    def in_edges(self, control_flow: bool = False) -> Any:
        """The attributes of edges, like `in_nodes`."""
        return self._of_kind("in", control_flow, lambda n, d: d)

    def out_edges(self, control_flow: bool = False) -> Any:
        """The attributes of edges, like `out_nodes`."""
        return self._of_kind("out", control_flow, lambda n, d: d)

    def in_nodes_edges(self, control_flow: bool = False) -> dict[Any, tuple[Node, dict[str, Any]]]:
        return by_port((d["in"], (self.sibling(n), d)) for n, d in self._edges("in", control_flow))

    def out_nodes_edges(self, control_flow: bool = False) -> dict[Any, tuple[Node, dict[str, Any]]]:
        return by_port((d["out"], (self.sibling(n), d)) for n, d in self._edges("out", control_flow))

    def _at(self, kind: str, found: Any, key: Any) -> Any:
        try:
            return found[key]
        except LookupError:
            raise self._no_port(f"nothing is connected to {kind}put {key}") from None

    def in_node(self, key: Any = 0, control_flow: bool = False) -> Any:
        """Errors: `mo-graph-port` if nothing is connected there."""
        return self._at("in", self.in_nodes(control_flow), key)

    def out_node(self, key: Any = 0, control_flow: bool = False) -> Any:
        """Errors: `mo-graph-port` if nothing is connected there."""
        return self._at("out", self.out_nodes(control_flow), key)

    def in_edge(self, key: Any = 0, control_flow: bool = False) -> dict[str, Any]:
        """Errors: `mo-graph-port` if nothing is connected there."""
        return self._at("in", self.in_edges(control_flow), key)

    def out_edge(self, key: Any = 0, control_flow: bool = False) -> dict[str, Any]:
        """Errors: `mo-graph-port` if nothing is connected there."""
        return self._at("out", self.out_edges(control_flow), key)

    def last_out_edge(self, port: Any) -> dict[str, Any] | None:
        """Return the edge from an output to its latest consumer, or None.

        It is the edge that `out_edges` has.
        """
        for edges in reversed(self.graph._succ[self.id].values()):
            for edge in reversed(edges.values()):
                if edge.get("out") == port and not edge.get("control_flow_edge"):
                    return edge
        return None

    def edges(self, attrs: dict[str, Any] | None = None) -> list[tuple[Any, Any, dict[str, Any]]]:
        """Return the node's incoming and outgoing edges that have these attributes.

        An edge is its source, its target and its attributes.
        """
        found = [*self.graph.in_edges([self.id], data=True), *self.graph.out_edges([self.id], data=True)]
        return [edge for edge in found if dict_includes(edge[2], attrs or {})]

    def edge(self, attrs: dict[str, Any] | None = None) -> tuple[Any, Any, dict[str, Any]]:
        """Return the only one of `edges`.

        Errors: `mo-graph-edge` if there are none or several.
        """
        found = self.edges(attrs)
        if len(found) != 1:
            raise Error("mo-graph-edge", f"'{self.id}' has {len(found)} edges with {attrs}, not one")
        return found[0]

    def input_ports_with(self, node: Node) -> list[int]:
        """Numbers of the inputs that `node` is connected to."""
        return [port for port, other in self.in_nodes().items() if other == node]

    def copy_node(self, new_attrs: dict[str, Any] | None = None, dst_graph: Any = None) -> Node:
        """Return a copy of the node, without edges.

        The copy is in `dst_graph` or the same graph, with some attributes changed.
        """
        graph = self.graph if dst_graph is None else dst_graph
        attributes = deepcopy(self.attrs())
        identifier = graph.unique_id(attributes.get("name", ""))
        attributes["name"] = identifier
        attributes.update(new_attrs or {})
        graph.add_node(identifier, **attributes)
        return type(self)(graph, identifier)


def _has(edge: dict[str, Any], wanted: dict[str, Any] | None) -> bool:
    return all(k in edge and edge[k] == v for k, v in (wanted or {}).items())
