"""Ports: where nodes take tensors (`type` 'in') and give them ('out').

`port.data` is shape and value of the tensor at a port. From the middle phase on, data nodes hold them.
"""

from __future__ import annotations

from typing import Any

from loomir.errors import Error
from loomir.tools.model_optimizer.mo import attribute_not_covered
from loomir.tools.model_optimizer.mo.graph.attributes import INFO, names_in
from loomir.tools.model_optimizer.mo.graph.connection import Connection
from loomir.tools.model_optimizer.mo.shapes import int64_array, shape_array, strict_compare_tensors


class PortData:
    """Access to the data node at a port.

    In the front phase there is no data node: reading returns None, and nothing can be set.
    """

    __slots__ = ("_port",)

    def __init__(self, port: Any) -> None:
        self._port = port

    def __getattr__(self, name: str) -> Any:
        raise attribute_not_covered("Port.data", name)

    def _node(self) -> Any:
        """The data node, or None where there is none."""
        port = self._port
        if port.node.graph.stage == "front":
            return None
        return port.node.neighbour(port.type, port.idx, port.control_flow)

    def _existing(self, what: str) -> Any:
        node = self._node()
        if node is None:
            raise Error(
                "mo-graph-data",
                f"{self._port.type}put port {self._port.idx} has no data node: its {what} cannot be used",
                layer=str(self._port.node.soft_get("name", self._port.node.id)),
                hint="the front phase has no data nodes; later a port has one as soon as it is connected",
            )
        return node

    def get_shape(self) -> Any:
        """Return the shape with unknown dimensions masked; None if unranked.

        None means that not even the rank is known.

        Errors: `mo-graph-data` if nothing is connected.
        """
        return None if self._port.node.graph.stage == "front" else self._existing("shape").shape

    def set_shape(self, shape: Any) -> None:
        """Set the shape.

        Errors: `mo-graph-data` if there is no data node, or one with a value of another shape.
        """
        node = self._existing("shape")
        shape = shape_array(shape)
        held = node.has_valid("value")
        if held and not self._port.node.has_and_set("override_output_shape"):
            old = node.soft_get("force_shape", node.shape)
            if self._port.type == "in" or not strict_compare_tensors(old, shape):
                raise Error(
                    "mo-graph-data",
                    f"a value of shape {old} is there already, which is not {shape}",
                    layer=str(self._port.node.soft_get("name", self._port.node.id)),
                )
        node["shape"] = shape

    def get_value(self) -> Any:
        """The value, or None where it is not known."""
        return self.get_attr("value")

    def set_value(self, value: Any) -> None:
        """Set the value and with it the shape.

        A constant that produces the value gets both. Errors: `mo-graph-data`.
        """
        node = self._existing("value")
        producer = (
            node.in_node(control_flow=self._port.control_flow) if self._port.type == "in" else self._port.node
        )
        forced = node.soft_get("force_shape", producer.soft_get("force_shape", None))
        shape = int64_array(value.shape if forced is None else forced)
        for holder in (node, producer) if producer.soft_get("type") == "Const" else (node,):
            holder["value"], holder["shape"] = value, shape

    def get_attr(self, item: str) -> Any:
        """An attribute of the data node, or None."""
        node = self._node()
        return None if node is None else node.soft_get(item, None)

    def has_valid(self, item: str) -> bool:
        """Return True if the data node's attribute exists and is not None."""
        return self.get_attr(item) is not None


class Port:
    """Port `idx` of a node.

    Fields without a meaning here are attributes of the edge at the port, for reading and writing.
    """

    node: Any
    idx: Any
    type: str
    data: PortData
    control_flow: bool

    def __init__(self, node: Any, idx: Any, type: str, **attributes: Any) -> None:
        if type not in ("in", "out"):
            raise Error("mo-graph-port", f"a port is 'in' or 'out', not '{type}'")
        self.__dict__.update(node=node, idx=idx, type=type, data=PortData(self), control_flow=False)
        self.__dict__.update(attributes)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Port)
            and self.node == other.node
            and self.type == other.type
            and self.idx == other.idx
        )

    def __hash__(self) -> int:
        return hash((self.node.id, self.type, self.idx))

    def __deepcopy__(self, memo: dict[int, Any]) -> Port:
        """Return a port of the same node.

        A deep copy of a port does not copy the graph.
        """
        kept = {k: v for k, v in self.__dict__.items() if k not in ("node", "idx", "type", "data")}
        return Port(self.node, self.idx, self.type, **kept)

    def __repr__(self) -> str:
        return f"<{self.type}put {self.idx} of '{self.node.id}'>"

    def _edge(self) -> dict[str, Any]:
        edges = self.node.in_edges if self.type == "in" else self.node.out_edges
        return edges(control_flow=self.control_flow).get(self.idx, {})

    def __setattr__(self, name: str, value: Any) -> None:
        edge = self._edge()
        if not edge:
            raise self._error(f"nothing is connected: '{name}' cannot be set at the edge")
        edge[name] = value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = self._edge().get(name)
        if value is None:
            raise self._error(f"neither the port nor the edge at it has '{name}'")
        return value

    def create_data_if_necessary(self) -> Any:
        """Return the data node at an output port; create it if necessary.

        A new data node marks the operation for inference. Errors: `mo-graph-port`.
        """
        if self.node.graph.stage == "front" or self.type == "in":
            raise self._error("only outputs, and not in the front phase, get data nodes")
        data = self.node.neighbour("out", self.idx, self.control_flow)
        if data is None:
            data = self.node.graph.add_data_node(self.node, self.idx)
            self.node["need_shape_inference"] = True
        return data

    _create_data_if_necessary = create_data_if_necessary

    def get_in_edge_attrs(self, data: bool = False) -> Any:
        """Return the edge at an input port, or None.

        With `data` the result is the edge, its ends and the key, or four times None.
        """
        for producer, consumer, key, edge in self.node.graph.in_edges(self.node.id, keys=True, data=True):
            if edge.get("in") == self.idx and bool(edge.get("control_flow_edge")) == self.control_flow:
                return (edge, producer, consumer, key) if data else edge
        return (None, None, None, None) if data else None

    def disconnected(self) -> bool:
        """Return True if nothing is connected.

        Errors: `mo-graph-port` at an input with several producers.
        """
        if self.type == "in":
            return self.get_source() is None
        return next(self._consuming_edges(), None) is None

    def get_source(self) -> Any:
        """Return the output port connected to an input port, or None.

        Errors: `mo-graph-port` at an output, and, in strict mode, if there is a data node with no producer or several.
        """
        if self.type != "in":
            raise self._error("an output port has no source")
        node, graph = self.node, self.node.graph
        if graph.stage == "front":
            edges = [
                (n, d) for n, d in node.get_inputs(control_flow=self.control_flow) if d["in"] == self.idx
            ]
            if not edges:
                return None
        else:
            data = node.neighbour("in", self.idx, self.control_flow)
            if data is None:
                return None
            edges = data.get_inputs(control_flow=self.control_flow)
        if len(edges) != 1:
            if graph.strict_mode:
                raise self._error(f"{len(edges)} nodes produce the tensor at input {self.idx}, not one")
            return None
        producer, edge = edges[0]
        return node.sibling(producer).out_port(edge["out"], control_flow=self.control_flow)

    def _consuming_edges(self) -> Any:
        """Consumers of an output port and the edges to them."""
        node, graph = self.node, self.node.graph
        front = graph.stage == "front"
        producer = node if front else node.neighbour("out", self.idx, self.control_flow)
        for _, consumer, edge in graph.out_edges(producer.id, data=True) if producer is not None else ():
            if edge.get("control_flow_edge") and not self.control_flow:
                continue
            if not front or edge.get("out") == self.idx:
                yield consumer, edge

    def get_destinations(self) -> list[Port]:
        """Return the input ports connected to an output port.

        Errors: `mo-graph-port` at an input.
        """
        if self.type != "out":
            raise self._error("an input port has no destinations")
        return [
            self.node.sibling(consumer).in_port(edge["in"], control_flow=self.control_flow)
            for consumer, edge in self._consuming_edges()
        ]

    def get_destination(self) -> Any:
        """The one destination, or None. Errors: `mo-graph-port` if there are several."""
        ports = self.get_destinations()
        if len(ports) > 1:
            raise self._error(f"output {self.idx} has {len(ports)} destinations, not one")
        return ports[0] if ports else None

    def disconnect(self) -> None:
        """Remove all edges at the port.

        They are the edge into an input port, or the edges to all consumers of an output port.
        """
        graph = self.node.graph
        ports = [self] if self.type == "in" else self.get_destinations()
        for port in ports:
            _, producer, consumer, key = port.get_in_edge_attrs(data=True)
            if producer is not None:
                graph.remove_edge(producer, consumer, key=key)

    def get_connection(self) -> Connection:
        """Return the connection of the port."""
        if self.type == "in":
            return Connection(self.node.graph, self.get_source(), [self], control_flow=self.control_flow)
        return Connection(self.node.graph, self, control_flow=self.control_flow)

    def connect(self, port: Port) -> None:
        """Connect the port with `port`.

        For an input `port` becomes its source, for an output one more destination.
        """
        if self.type == "in":
            self.get_connection().set_source(port)
        else:
            self.get_connection().add_destination(port)

    def _tensor_holder(self, port_renumber: bool) -> dict[str, Any] | None:
        """Return the object that holds the tensor's names, or None.

        It is the edge (front phase) or the data node. Errors: `mo-graph-port`.
        """
        if self.type == "in":
            raise self._error("only output ports have tensor names")
        if self.node.graph.stage == "front":
            return self.node.last_out_edge(self.idx)
        # Once ports are numbered for IR, outputs are counted behind the inputs, but not those of constants.
        shifted = port_renumber and self.node.soft_get("type") != "Const"
        data = self.node.neighbour(
            "out", self.idx + len(self.node.in_nodes()) if shifted else self.idx, False
        )
        return None if data is None else data.attrs()

    def get_tensor_debug_info(self, port_renumber: bool = False) -> list[Any]:
        """Pairs of names of nodes and of tensors."""
        return list((self._tensor_holder(port_renumber) or {}).get(INFO) or [])

    def set_tensor_debug_info(self, tensor_info: list[Any], port_renumber: bool = False) -> None:
        holder = self._tensor_holder(port_renumber)
        if holder is not None:
            holder[INFO] = tensor_info

    def remove_debug_info(self, port_renumber: bool = False) -> None:
        holder = self._tensor_holder(port_renumber)
        if holder is not None:
            holder.pop(INFO, None)

    def get_tensor_names(self, port_renumber: bool = False) -> list[str]:
        """The framework's names of the tensor, sorted."""
        return names_in(self.get_tensor_debug_info(port_renumber))

    def add_tensor_names(self, tensor_names: list[str], port_renumber: bool = False) -> None:
        if tensor_names:
            owner = self.node.soft_get("name", self.node.id)
            info = [*self.get_tensor_debug_info(port_renumber), *((owner, name) for name in tensor_names)]
            self.set_tensor_debug_info(info, port_renumber)

    def remove_tensor_names(self, port_renumber: bool = False) -> None:
        self.remove_debug_info(port_renumber)

    def get_default_tensor_name(self) -> str | None:
        """Return the default name of an output's tensor; None for an input.

        The name applies if the tensor has no other.
        """
        return None if self.type == "in" else f"{self.node.soft_get('name', self.node.id)}:{self.idx}"

    def _known_data_type(self) -> Any:
        if self.type == "out":
            types = self.node.soft_get("_out_port_data_type", {})
            if self.idx in types:
                return types[self.idx]
        else:
            source = self._only_source()
            given = None if source is None else source._known_data_type()
            if given is not None:
                return given
        value = self.data.get_value()
        return None if value is None else value.dtype

    def _only_source(self) -> Port | None:
        """`get_source`, but None where a data node has no producer."""
        graph = self.node.graph
        strict, graph.strict_mode = graph.strict_mode, False
        try:
            return self.get_source()
        finally:
            graph.strict_mode = strict

    def get_data_type(self) -> Any:
        """The numpy type of elements. Errors: `mo-graph-port` if it is not known."""
        known = self._known_data_type()
        if known is None:
            raise self._error(f"the element type of {self.type}put {self.idx} is not known")
        return known

    def is_data_type_defined(self) -> bool:
        return self._known_data_type() is not None

    def set_data_type(self, data_type: Any, override: bool = False) -> None:
        """Set the element type of an output.

        Errors: `mo-graph-port` for an input, and for another type without `override`.
        """
        if self.type != "out":
            raise self._error("types are set at output ports")
        types = self.node.attrs().setdefault("_out_port_data_type", {})
        if not override and types.get(self.idx, data_type) != data_type:
            raise self._error(f"output {self.idx} has type {types[self.idx]}, not {data_type}")
        types[self.idx] = data_type

    def _error(self, what: str) -> Error:
        return Error("mo-graph-port", what, layer=str(self.node.soft_get("name", self.node.id)))
