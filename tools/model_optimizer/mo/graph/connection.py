"""Connections: one output port and the input ports that read it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.errors import attribute_not_covered
from loomir.tools.model_optimizer.mo.graph.tensor_names import INFO, merged, put


class Connection:
    """Output port (`source`, or None) and the input ports connected to it.

    The input ports are those at the time when the connection was requested.

    `attributes_save_mode` selects the tensor names of the edge or data node after a change: 'source' those of the producer,
    'dest' those of the previous consumer, 'merge' both. The default is 'merge', but 'source' if the source was a Parameter.
    """

    def __init__(
        self, graph: Any, source: Any, destinations: list[Any] | None = None, control_flow: bool = False
    ) -> None:
        """Create a connection.

        Without `destinations`, they are those of `source` at the time of their first use.
        """
        self.graph = graph
        self.source: Any = source
        self._destinations = destinations
        self.control_flow = control_flow
        self.data = ConnectionData(self)

    def __getattr__(self, name: str) -> Any:
        raise attribute_not_covered("Connection", name)

    @property
    def destinations(self) -> list[Any]:
        if self._destinations is None:
            self._destinations = self.source.get_destinations() if self.source is not None else []
        return self._destinations

    def get_source(self) -> Any:
        return self.source

    def get_destinations(self) -> list[Any]:
        return self.destinations

    def get_destination(self) -> Any:
        """The one destination, or None. Errors: `mo-graph-port` if there are several."""
        if len(self.destinations) > 1:
            raise self._error(f"the connection has {len(self.destinations)} destinations, not one")
        return self.destinations[0] if self.destinations else None

    def set_source(self, port: Any, attributes_save_mode: str | None = None) -> None:
        """All destinations take what the output port `port` gives. Errors: `mo-graph-port`."""
        self._check(port, "out")
        mode = attributes_save_mode or self._default_mode()
        if self.graph.stage == "front":
            self._set_front_source(port, mode)
        else:
            self._set_data_source(port, mode)

    def _set_front_source(self, port: Any, mode: str) -> None:
        names = self.graph.names_of_output(port.node.id, port.idx)
        for destination in self.destinations:
            attributes, producer, consumer, key = destination.get_in_edge_attrs(data=True)
            if producer is None:
                edge = {INFO: list(names)} if names and mode != "dest" else {}
                self.graph.create_edge(
                    port.node, destination.node, port.idx, destination.idx, edge_attrs=edge
                )
            else:
                edge = {**attributes, "out": port.idx}
                put(edge, merged(mode, names, attributes.get(INFO)))
                self.graph.remove_edge(producer, consumer, key=key)
                self.graph.add_edge(port.node.id, consumer, **edge)

    def _set_data_source(self, port: Any, mode: str) -> None:
        data = port.create_data_if_necessary()
        old: dict[str, Any] = {}
        before = None if self.source is None else self.source.node.neighbour("out", self.source.idx, False)
        if before is not None:
            # What is known of the tensor stays known of what takes its place, until it is inferred anew.
            old = deepcopy(before.attrs())
            if mode != "source":
                before.attrs().pop(INFO, None)
            data.attrs().update({k: v for k, v in old.items() if k != INFO})
        put(data.attrs(), merged(mode, data.attrs().get(INFO), old.get(INFO)))
        for destination in self.destinations:
            attributes, producer, consumer, key = destination.get_in_edge_attrs(data=True)
            if producer is None:
                self.graph.add_edge(data.id, destination.node.id, **{"in": destination.idx})
            else:
                edge = dict(attributes)
                self.graph.remove_edge(producer, consumer, key=key)
                self.graph.add_edge(data.id, consumer, **edge)

    def set_destination(self, port: Any, attributes_save_mode: str | None = None) -> None:
        """Connect input port `port` to the source in place of the destination.

        There must be one destination or none. Errors: `mo-graph-port`.
        """
        self.get_destination()
        self._check(port, "in")
        mode = attributes_save_mode or self._default_mode()
        if self.source is not None:
            edge = self._released()
            if self.graph.stage == "front":
                taken = port.get_in_edge_attrs() or {}
                new: dict[str, Any] = {}
                put(new, merged(mode, edge.get(INFO), taken.get(INFO)))
                self.graph.create_edge(self.source.node, port.node, self.source.idx, port.idx, edge_attrs=new)
            else:
                data = self.source.create_data_if_necessary()
                before = port.node.neighbour("in", port.idx, False)
                taken = before.attrs() if before is not None else {}
                put(data.attrs(), merged(mode, data.attrs().get(INFO), taken.get(INFO)))
                self.graph.add_edge(data.id, port.node.id, **{**edge, "in": port.idx})
        self._destinations = [port]

    def _released(self) -> dict[str, Any]:
        """Remove and return the edge to the only destination.

        The result is empty if there is no destination.
        """
        if not self.destinations:
            return {}
        destination = self.destinations[0]
        attributes = destination.get_in_edge_attrs()
        if attributes is None:
            raise self._error("the destination is not connected to the source any more")
        edge = dict(attributes)
        destination.disconnect()
        return edge

    def add_destination(self, port: Any) -> None:
        """The input port `port` takes what the source gives too. Errors: `mo-graph-port`."""
        self._check(port, "in")
        if self.source is None:
            raise self._error("a connection without a source gets no destination")
        if self.graph.stage == "front":
            self.graph.create_edge(self.source.node, port.node, self.source.idx, port.idx)
        else:
            self.graph.add_edge(self.source.create_data_if_necessary().id, port.node.id, **{"in": port.idx})
        if self._destinations is not None:
            self._destinations.append(port)

    def remove(self) -> None:
        """Nothing is connected any more, and the connection is empty."""
        for destination in self.destinations:
            destination.disconnect()
        self.source, self._destinations = None, []

    def insert_node(self, new_node: Any, attributes_save_mode: str = "merge") -> None:
        """Insert `new_node` between the source and the destinations.

        The source is connected to its input 0, and its only output to the destinations. Errors: `mo-graph-port`.
        """
        if len(new_node.out_ports()) != 1:
            raise self._error(
                f"'{new_node.soft_get('name')}' has {len(new_node.out_ports())} output ports, not one"
            )
        source = self.source
        self.set_source(new_node.out_port(0), attributes_save_mode)
        source.connect(new_node.in_port(0))

    def _default_mode(self) -> str:
        parameter = self.source is not None and self.source.node.soft_get("type") == "Parameter"
        return "source" if parameter else "merge"

    def _check(self, port: Any, kind: str) -> None:
        if port.type != kind:
            raise self._error(
                f"an {kind}put port is needed, not {port.type}put {port.idx} of '{port.node.id}'"
            )
        if self.control_flow:
            raise self._error("control flow is not reconnected through a connection")

    def _error(self, what: str) -> Error:
        source = self.source
        layer = None if source is None else str(source.node.soft_get("name", source.node.id))
        return Error("mo-graph-port", what, layer=layer)


class ConnectionData:
    """`connection.data`: value and shape of the source's tensor.

    Both are None in the front phase.
    """

    __slots__ = ("_connection",)

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get_value(self) -> Any:
        return self._connection.source.data.get_value()

    def get_shape(self) -> Any:
        return self._connection.source.data.get_shape()
