"""Base class of operations, which creates nodes with attributes and ports.

A node also has runtime information, which IR keeps beside its attributes. The class of outputs of a model is here, since
operations create them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from loomir.errors import Error
from loomir.tools.model_optimizer.mo import member
from loomir.tools.model_optimizer.mo.context import conversion_state
from loomir.tools.model_optimizer.mo.graph.attributes import INFO
from loomir.tools.model_optimizer.mo.graph.graph import DATA_ATTRIBUTES, Graph, Node
from loomir.tools.model_optimizer.mo.op_attributes import PermuteAttrs, add_attrs_props
from loomir.tools.model_optimizer.mo.shapes import mo_array, strict_compare_tensors
from loomir.tools.model_optimizer.mo.transformations import ClassType


class RTInfo:
    """Runtime information of a node.

    `info` has, by name and version, objects of classes that derive from `RTInfoElement`.
    """

    def __init__(self) -> None:
        self.info: dict[tuple[str, int], Any] = defaultdict(dict)

    def contains(self, attribute_name: str) -> bool:
        return any(name == attribute_name for name, _ in self.info)

    def get_attribute_version(self, attribute_name: str) -> int:
        """Errors: `mo-runtime-info` if there is no such information."""
        for name, version in self.info:
            if name == attribute_name:
                return version
        raise Error("mo-runtime-info", f"there is no runtime information '{attribute_name}'")


class RTInfoElement:
    """One piece of it: classes define both methods."""

    def serialize(self, node: Any) -> dict[str, Any]:
        """Return the representation of the information in IR, by name."""
        return {}

    def get_version(self) -> Any:
        return None


__all__ = ["Op", "PermuteAttrs"]


class Op:
    """Operation with attributes, a factory for any number of nodes.

    Classes of extensions pass their own attributes first and those of the caller second:
    `super().__init__(graph, {…}, attrs)`. Extractors and patterns find the operation by the name `op`.
    """

    registered_ops: dict[str, type[Op]] = {}
    registered_cls: list[type[Op]] = []
    excluded_classes: list[type[Op]] = []
    """Classes that are not registered by their name."""

    def __init__(
        self, graph: Graph, attrs1: dict[str, Any] | None = None, attrs2: dict[str, Any] | None = None
    ) -> None:
        self.graph = graph
        self.ir_version = graph.graph.get("ir_version")
        self.attrs: dict[str, Any] = {"kind": "op", "rt_info": RTInfo(), **(attrs1 or {}), **(attrs2 or {})}
        self.default_backend_attrs: list[Any] = []

    # Nodes.

    def _complete(self, attrs: dict[str, Any] | None) -> dict[str, Any]:
        new = add_attrs_props({**self.attrs, **(attrs or {})})
        self.substitute_ie_attrs(new)
        return new

    def substitute_ie_attrs(self, new_attrs: dict[str, Any]) -> None:
        """Set the attribute 'IE', which describes the node in IR.

        It is a layer with the attributes of `backend_attrs`.
        """
        data = [*self.backend_attrs(), *self.default_backend_attrs]
        layer = [("id", lambda node: node.node), "name", "type", "version"]
        new_attrs["IE"] = [("layer", layer, [("data", data, []), "@runtime_info", "@ports", "@consts"])]

    def add_node(self, attrs: dict[str, Any] | None = None) -> Node:
        """Create a node without edges.

        Its name is that of the attributes, with a number if another node has it.
        """
        new = self._complete(attrs)
        identifier = self.graph.unique_id(new.get("name", ""))
        new["name"] = identifier
        self.graph.add_node(identifier, **new)
        return Node(self.graph, identifier)

    @staticmethod
    def extract_port(node_port: Any) -> tuple[Node, int]:
        """Return a node and one of its output ports.

        The argument is such a pair, or a node with one output. Errors: `mo-graph-port`.
        """
        if isinstance(node_port, tuple):
            return node_port[0], node_port[1]
        if len(node_port.soft_get("_out_ports", ())) <= 1:
            return node_port, 0
        outputs = {
            edge["out"] for _, _, edge in node_port.graph.out_edges(node_port.id, data=True) if "out" in edge
        }
        if len(outputs) > 1:
            raise Error("mo-graph-port", f"'{node_port.id}' has several outputs: say which as (node, number)")
        return node_port, 0

    def create_node_on_port(
        self,
        node: Node,
        out_port: int,
        attrs: dict[str, Any] | None = None,
        edge_attrs: dict[str, Any] | None = None,
    ) -> Node:
        """Create a node that reads output `out_port` of `node`.

        Its edge is like the existing edge.
        """
        edge = {**deepcopy(node.out_edge(out_port)), **({"in": 0} if edge_attrs is None else edge_attrs)}
        new = self.add_node(attrs)
        self.graph.add_edge(node.id, new.id, **edge)
        return new

    def create_node(
        self,
        inputs: Sequence[Any] | None = None,
        attrs: dict[str, Any] | None = None,
        edge_attrs: dict[str, Any] | None = None,
    ) -> Node:
        """Create a node that reads `inputs` at its ports from 0 on.

        An input is a node, or a pair of a node and its output.
        """
        sources = [self.extract_port(each) for each in inputs or ()]
        new = self.add_node(attrs)
        for port, (source, out) in enumerate(sources):
            edge: dict[str, Any] = {"in": port, "in_attrs": ["in", "permutation"]}
            if source.soft_get("kind", "op") == "op":
                edge.update({"out": out, "out_attrs": ["out", "permutation"], "data_attrs": []})
                info = source.out_port(out).get_tensor_debug_info() if source.has_port("out", out) else []
                if info:
                    edge[INFO] = info
                    edge["data_attrs"].append(INFO)
                source.add_output_port(out, skip_if_exist=True)
            new.add_input_port(port, skip_if_exist=True)
            self.graph.add_edge(source.id, new.id, **{**edge, **(edge_attrs or {})})
        return new

    def create_node_with_data(
        self,
        inputs: Sequence[Node | None] | None = None,
        attrs: dict[str, Any] | None = None,
        data_nodes: Any = None,
        edge_attrs: Sequence[dict[str, Any]] | None = None,
    ) -> Any:
        """Create and infer a node between data nodes.

        It reads `inputs`, and produces `data_nodes` or a new data node.

        Returns the data node, or a list if there are several. Errors: `mo-graph-data` if `data_nodes` had other shapes or
        values.
        """
        new = self.add_node(attrs)
        for port, source in enumerate(inputs or ()):
            if source is not None:
                new.add_input_port(port, skip_if_exist=True)
                own = edge_attrs[port] if edge_attrs is not None and port < len(edge_attrs) else {}
                self.graph.add_edge(source.id, new.id, **{"in": port, **own})
        if data_nodes is None:
            produced = [self._create_data_node(self.graph, "")]
        else:
            produced = list(data_nodes) if isinstance(data_nodes, list | np.ndarray) else [data_nodes]
        before = [{k: deepcopy(data.soft_get(k, None)) for k in ("value", "shape")} for data in produced]
        for port, data in enumerate(produced):
            new.add_output_port(port, skip_if_exist=True)
            self.graph.add_edge(new.id, data.id, out=port)
        if new.has_valid("infer"):
            new.infer(new)
            for data, old in zip(produced, before, strict=True):
                if new.has("nchw_layout"):
                    data["nchw_layout"] = new.nchw_layout
                for k, was in old.items():
                    if was is not None and not strict_compare_tensors(was, data[k]):
                        raise Error(
                            "mo-graph-data", f"the {k} of '{data.id}' was {was} and becomes {data[k]}"
                        )
        return produced[0] if len(produced) == 1 else produced

    @staticmethod
    def create_data_node(
        graph: Graph,
        op_node: Node,
        attrs: dict[str, Any] | None = None,
        edge_attrs: dict[str, Any] | None = None,
        out_port: Any = 0,
    ) -> Node:
        """Create a data node at an output of `op_node`.

        Errors: `mo-graph-data` if the output has one.
        """
        return graph.add_data_node(op_node, out_port, attrs, edge_attrs)

    @staticmethod
    def _create_data_node(graph: Graph, name: str, attrs: dict[str, Any] | None = None) -> Node:
        """A data node without edges."""
        identifier = graph.unique_id(name)
        graph.add_node(
            identifier, **add_attrs_props({**DATA_ATTRIBUTES, "name": identifier, **(attrs or {})})
        )
        return Node(graph, identifier)

    @staticmethod
    def create_input_data_node(
        graph: Graph, name: str, value: np.ndarray, attrs: dict[str, Any] | None = None
    ) -> Node:
        """A data node with a value that nothing produces."""
        held = {"value": mo_array(value), "shape": mo_array(value.shape), **(attrs or {})}
        return Op._create_data_node(graph, name, held)

    @staticmethod
    def create_and_connect_input_data_node(
        graph: Graph,
        op_node: Node,
        attrs: dict[str, Any] | None = None,
        edge_attrs: dict[str, Any] | None = None,
    ) -> Node:
        """A data node at the input `edge_attrs['in']` of `op_node`."""
        edge = edge_attrs or {}
        data = Op._create_data_node(graph, op_node.id, attrs)
        op_node.add_input_port(edge["in"], skip_if_exist=True)
        graph.add_edge(data.id, op_node.id, **edge)
        return data

    def update_node(self, node: Node, attrs: dict[str, Any] | None = None) -> None:
        """`node` becomes one of this operation: gets its attributes and ports."""
        for name, value in self._complete(attrs).items():
            node[name] = value
        node.update_node()

    @classmethod
    def update_node_stat(cls, node: Node, attrs: dict[str, Any] | None = None) -> None:
        """`node` becomes one of this operation with `attrs`: what extractors call."""
        cls(node.graph, {} if attrs is None else attrs).update_node(node)

    # What classes say.

    def get_opset(self) -> str:
        """The operation set, or 'extension'."""
        return self.attrs.get("version", "extension")

    def supported_attrs(self) -> list[Any]:
        """Return the operation's attributes in IR.

        An entry is a name, or a pair of IR's name and the node's attribute or a function of the node.
        """
        return []

    def backend_attrs(self) -> list[Any]:
        """Those that are written, `supported_attrs` unless a class says otherwise."""
        return self.supported_attrs()

    @staticmethod
    def get_op_class_by_name(name: str) -> type[Op]:
        """The class that is registered by `op`, or the table's. Errors: `mo-api-not-covered`."""
        registered = conversion_state().operations.get(name)
        return member("op_table", "class_of_op")(name) if registered is None else registered

    @classmethod
    def class_type(cls) -> ClassType:
        return ClassType.OP

    @staticmethod
    def expand_node_shape(node: Node | None, dims_to_add: int) -> None:
        """A data node's value gets dimensions of extent 1 at its end."""
        if node is not None and node.has_valid("value"):
            node["value"] = node.value.reshape((*node.value.shape, *[1] * dims_to_add))
            node["shape"] = mo_array(node.value.shape)

    @staticmethod
    def normalize_outputs(node: Node) -> None:
        """Outputs that `out_ports_count` counts and nothing takes get a Result."""
        if not node.has_valid("out_ports_count"):
            return
        for port in range(node.out_ports_count):
            node.add_sequence_of_ports("out", [port] if not node.has_port("out", port) else [])
            if node.out_port(port).disconnected():
                attributes = {"name": f"{node.name}/Fake_output_{port}/", "keep_output_port": True}
                result = member("ops.result", "Result")(node.graph, attributes).create_node()
                node.out_port(port).connect(result.in_port(0))


def nothing_to_infer(node: Node) -> None:
    """A Result produces nothing."""


class Result(Op):
    """Takes what is an output of the model."""

    op = "Result"

    def __init__(self, graph: Graph, attrs: dict[str, Any] | None = None) -> None:
        own: dict[str, Any] = {
            "op": self.op,
            "type": self.op,
            "version": "opset1",
            "infer": nothing_to_infer,
            "value": None,
            "data_type": None,
            "in_ports_count": 1,
        }
        super().__init__(graph, own, attrs)
