"""Connections of ports, and changes of the graph around a node.

A connection is one output port and the input ports that read it. A node is inserted, replaced or bracketed by its
`NodeEdits`.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from loomir.errors import Error
from loomir.tools.model_optimizer.mo import attribute_not_covered, member
from loomir.tools.model_optimizer.mo.graph.attributes import INFO, merged, put


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


if TYPE_CHECKING:
    _Node = Any
else:
    _Node = object


class NodeEdits(_Node):
    """Methods of a node that change more than the node."""

    __slots__ = ()

    def insert_node_after(self, new_node: Any, node_out_port: int = 0) -> None:
        """Insert `new_node` between output `node_out_port` and its consumers.

        This is for the front phase. The output is connected to input 0 of `new_node`, and output 0 of `new_node` to all
        consumers.

        Errors: `mo-graph-edge` if there are data nodes.
        """
        graph = self.graph
        graph.refuse_data_nodes("insert_node_after")
        for _, consumer, key, edge in list(graph.out_edges(self.id, data=True, keys=True)):
            if edge["out"] == node_out_port:
                graph.remove_edge(self.id, consumer, key)
                graph.create_edge(new_node, self.sibling(consumer), 0, edge["in"])
        graph.create_edge(self, new_node, node_out_port, 0)

    def insert_op_on_input_port(
        self, in_port_idx: int, new_op_class: Any, new_op_attrs: dict[str, Any], value: Any = None
    ) -> Any:
        """Insert a new operation between input `in_port_idx` and its source.

        `value`, if given, becomes a constant at input 1 of the new operation.
        """
        port = self.in_port(in_port_idx)
        new = new_op_class(self.graph, new_op_attrs).create_node()
        source = port.get_source()
        port.get_connection().set_source(new.out_port(0))
        new.in_port(0).connect(source)
        if value is not None:
            attributes = {"value": value, "name": f"{new.name}/value"}
            constant = member("ops.const", "Const")(self.graph, attributes).create_node()
            new.in_port(1).connect(constant.out_port(0))
        return new

    def replace_node(self, new_node: Any, new_node_out_port: int | None = None) -> None:
        """Replace the node by `new_node`, which takes over its consumers.

        The edges keep their attributes, and the node is removed.

        With `new_node_out_port`, that output replaces output 0 of the node. Errors: `mo-graph-edge` for the same node, and with
        `new_node_out_port` if there are other outputs than 0.
        """
        graph = self.graph
        if self.id == new_node.id:
            raise Error("mo-graph-edge", f"'{self.id}' cannot be replaced by itself")
        last = self.out_nodes().values()
        result = next(iter(last)) if len(last) == 1 else None
        for _, consumer, edge in list(graph.out_edges(self.id, data=True)):
            edge = deepcopy(edge)
            if new_node_out_port is not None:
                if edge.get("out", 0) != 0:
                    raise Error(
                        "mo-graph-edge", f"output {edge['out']} of '{self.id}' is used: it has more than one"
                    )
                edge["out"] = new_node_out_port
            graph.add_edge(new_node.id, consumer, **edge)
        if result is not None and result.soft_get("op") == "Result":
            # The new node is an output of the model with a Result of its own.
            graph.remove_node(result.id)
            name = f"{new_node.id}/sink_port_0"
            attributes = {"name": name, "keep_output_port": False}
            member("ops.result", "Result")(graph).create_node([(new_node, 0)], attributes)
        graph.remove_node(self.id)

    def insert_node_with_data_before(
        self,
        inp: Any,
        new_op_class: Any,
        op_before_params: dict[str, Any] | None = None,
        infer_current: bool = False,
        additional_inputs: list[Any] | None = None,
    ) -> None:
        """Insert a new operation between the data node `inp` and this operation.

        This is for graphs with data nodes: the new operation gets its own.
        """
        graph = self.graph
        new = new_op_class(graph, op_before_params or {})
        edge = deepcopy(graph.get_edge_data(inp.id, self.id)[0])
        graph.remove_edge(inp.id, self.id)
        name = {"name": f"{self.name}{new_op_class.op}/Before"}
        data = new.create_node_with_data([inp, *(additional_inputs or [])], name)
        graph.add_edge(data.id, self.id, **edge)
        if infer_current:
            self.infer(self)

    def insert_node_with_data_after(
        self,
        out: Any,
        new_op_class: Any,
        op_after_params: dict[str, Any] | None = None,
        additional_inputs: list[Any] | None = None,
    ) -> None:
        """Insert a new operation between this operation and the data node `out`.

        This is for graphs with data nodes: the new operation computes `out` from this operation's result, which gets a new data
        node.
        """
        graph = self.graph
        new = new_op_class(graph, op_after_params or {})
        graph.remove_edge(self.id, out.id)
        data = graph.add_data_node(self, 0)
        self.infer(self)
        name = {"name": f"{self.name}{new_op_class.op}/After"}
        new.create_node_with_data([data, *(additional_inputs or [])], name, data_nodes=out)

    def bracket_with_different_nodes_with_data(
        self,
        inp: Any,
        out: Any,
        new_op_class_before: Any,
        new_op_class_after: Any,
        op_before_params: dict[str, Any] | None = None,
        op_after_params: dict[str, Any] | None = None,
    ) -> None:
        """Insert one new operation before and another after this operation.

        Both get their data nodes.
        """
        self.insert_node_with_data_before(inp, new_op_class_before, op_before_params)
        self.insert_node_with_data_after(out, new_op_class_after, op_after_params)

    def bracket_op_with_another_op(
        self,
        inp: Any,
        out: Any,
        new_op_class: Any,
        op_before_params: dict[str, Any] | None = None,
        op_after_params: dict[str, Any] | None = None,
    ) -> None:
        """Operations of one class before and after this one."""
        self.bracket_with_different_nodes_with_data(
            inp, out, new_op_class, new_op_class, op_before_params, op_after_params
        )
