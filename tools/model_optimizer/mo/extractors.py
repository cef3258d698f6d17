"""Extractors of node attributes, and creation of data nodes.

Extractors read attributes of the framework's nodes. Data nodes are created after all nodes have been read.

The protobuf message of an ONNX node is the attribute `pb`, until the fields of the node are extracted.
"""

from __future__ import annotations

import ast
import logging
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import onnx

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.graph.graph import DATA_ATTRIBUTES, Graph, Node, add_opoutput
from loomir.tools.model_optimizer.mo.graph.node import port_number
from loomir.tools.model_optimizer.mo.op_attributes import (
    add_attrs_props,
    attr_getter,
    bool_to_str,
    update_attrs,
)
from loomir.tools.model_optimizer.mo.transformations import ClassType

__all__ = [
    "CaffePythonFrontExtractorOp",
    "FrontExtractorOp",
    "add_attrs_props",
    "add_output_ops",
    "attr_getter",
    "bool_to_str",
    "create_tensor_nodes",
    "extract_node_attrs",
    "get_new_placeholder_name",
    "get_specific_edge_attrs",
    "restore_edges",
    "spatial_attr_getter",
    "spatial_getter",
    "update_attrs",
]

log = logging.getLogger(__name__)


class FrontExtractorOp:
    """Extractor for nodes of one operation of the framework.

    A class defines `op`, the framework's operation, and `extract(cls, node)`, which returns True if it could read the node.

    `extract` gives the node attributes, most often by `update_node_stat` of an operation's class, and changes no edges.
    """

    registered_ops: dict[str, type] = {}
    registered_cls: list[type] = []

    @classmethod
    def class_type(cls) -> ClassType:
        return ClassType.EXTRACTOR


class CaffePythonFrontExtractorOp:
    """Extractor for Caffe layers written in Python.

    `op` is the name of module and class. Otherwise as `FrontExtractorOp`.
    """

    registered_ops: dict[str, type] = {}
    registered_cls: list[type] = []

    @staticmethod
    def get_attrs(pb: Any) -> dict[str, Any]:
        return CaffePythonFrontExtractorOp.parse_param_str(pb.python_param.param_str)

    @staticmethod
    def parse_param_str(param_str: str) -> dict[str, Any]:
        """Python's literals by name, with or without the braces."""
        text = param_str.strip()
        return ast.literal_eval(text if text.startswith("{") else f"{{{text}}}")

    @staticmethod
    def check_param(op_cls: Any, attrs: Iterable[str]) -> None:
        """Warns of attributes that the operation does not have."""
        supported = op_cls.supported_attrs(op_cls)
        for name in attrs:
            if name not in supported:
                log.warning("'%s' is none of the attributes %s", name, supported)

    @classmethod
    def class_type(cls) -> ClassType:
        return ClassType.EXTRACTOR


def restore_edges(graph: Graph, get_edges: Callable[[Node], Iterable[Any]]) -> set[Any]:
    """Add the edges that `get_edges` returns for each node.

    Returns the sources of these edges. Errors: `mo-graph-node`.
    """
    sources: set[Any] = set()
    for node in list(graph.nodes()):
        edges = list(get_edges(Node(graph, node)))
        for edge in edges:
            for end in edge[:2]:
                if end not in graph:
                    raise Error("mo-graph-node", f"an edge of '{node}' names '{end}', which is not a node")
            sources.add(edge[0])
        graph.add_edges_from(edges)
    return sources


def spatial_attr_getter(node: Node, field: str, dim: int, post: Callable[[Any], Any]) -> Any:
    """Return `post` of the element of `field` for spatial dimension `dim`.

    Returns None if there is no such element.
    """
    if isinstance(node.soft_get(field, None), np.ndarray) and node.has("spatial_dims"):
        return post(node[field][node.spatial_dims[dim]])
    return None


def spatial_getter(
    name: str, field: str, dim: int, post: Callable[[Any], Any] = lambda x: x
) -> tuple[str, Any]:
    """That as an attribute of IR."""
    return name, lambda node: spatial_attr_getter(node, field, dim, post)


def get_new_placeholder_name(node_id: str, is_out_port: bool = False, port: int = 0) -> str:
    """Return the name of the input that replaces a cut port."""
    return f"{node_id}/placeholder_{'out_' if is_out_port else ''}port_{port}"


def extract_node_attrs(graph: Graph, extractor: Callable[[Node], tuple[bool, dict[str, Any]]]) -> Graph:
    """Give each node the attributes that `extractor` returns.

    `extractor` also returns whether it knows the node. Unknown nodes are only logged.
    """
    unknown: list[Any] = []
    for node in list(graph.nodes()):
        if graph.node[node].get("op") == "Result":
            known, attributes = True, {"in_attrs": [], "out_attrs": []}
        else:
            known, attributes = extractor(Node(graph, node))
        graph.node[node].update(add_attrs_props(dict(attributes)) if known else attributes)
        if not known:
            unknown.append(node)
    if unknown:
        log.warning("no extractor knows %s", unknown)
    return graph


def get_specific_edge_attrs(
    attrs: dict[str, Any], attrs_type: str, additional_attrs: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Select the edge attributes that its list `attrs_type` names, and add others.

    `attrs_type` is 'in_attrs', 'out_attrs' or 'data_attrs'.
    """
    own = {name: attrs[name] for name in attrs.get(attrs_type) or () if name in attrs}
    return {**own, **(additional_attrs or {})}


def create_tensor_nodes(graph: Graph) -> Graph:
    """Convert a graph from the front to the middle phase.

    Each output gets a data node. The attributes of edges move to the places that their lists specify.
    """
    graph.stage = "middle"
    for node in list(graph.nodes()):
        attributes = graph.node[node]
        attributes["kind"] = "op"
        if attributes.get("op") == "Result":
            continue
        name = str(attributes.get("name", node))
        edges = list(graph.out_edges(node, keys=True, data=True))
        first: dict[Any, dict[str, Any]] = {}
        for *_, edge in edges:
            first.setdefault(edge["out"], edge)
        data = {
            port: graph.unique_id(f"{name}/Output_{port}/Data_") for port in sorted(first, key=port_number)
        }
        for _, target, key, _ in edges:
            graph.remove_edge(node, target, key=key)
            # It may be an operation that the walk has not come to.
            graph.node[target]["kind"] = "op"
        for port, identifier in data.items():
            own = {
                **DATA_ATTRIBUTES,
                "name": identifier,
                **get_specific_edge_attrs(first[port], "data_attrs"),
            }
            graph.add_node(identifier, **add_attrs_props(own))
        for port, edge in first.items():
            graph.add_edge(node, data[port], **{"out": port, **get_specific_edge_attrs(edge, "out_attrs")})
        for _, target, _, edge in edges:
            entry = {"in": edge["in"], **get_specific_edge_attrs(edge, "in_attrs")}
            graph.add_edge(data[edge["out"]], target, **entry)
    return graph


def add_output_ops(
    graph: Graph,
    user_defined_outputs: dict[Any, list[dict[str, int]]] | None,
    inputs: Iterable[Any] | None = None,
) -> list[Any]:
    """Replace the existing Results of a graph.

    New Results are for `user_defined_outputs`: by node a list of {'out': port}, {'in': port} or {}.

    Without these, they are for all unused values that are computed from the inputs. Returns identifiers.
    Errors: `mo-graph-node` and `mo-graph-port` for missing nodes and ports.
    """
    graph.remove_nodes_from(graph.get_nodes_with_attributes(op="Result"))
    if user_defined_outputs is None:
        reached: set[Any] = set()
        for start in graph.get_nodes_with_attributes(op="Parameter") if inputs is None else inputs:
            if start not in reached:
                graph.dfs(start, reached)
        last = [node for node in graph.nodes() if node in reached and not graph.succ[node]]
        return [
            add_opoutput(graph, node, port, cut=False)
            for node in last
            for port in range(Node(graph, node).soft_get("out_ports_count", 1))
        ]
    added: list[Any] = []
    for node, ports in user_defined_outputs.items():
        for port in ports:
            source, out = node, port.get("out", 0)
            if "in" in port:
                origin = Node(graph, node).in_port(port["in"]).get_source()
                if origin is None:
                    raise Error("mo-graph-port", f"nothing is connected to input {port['in']} of '{node}'")
                source, out = origin.node.id, origin.idx
            added.append(add_opoutput(graph, source, out, user_defined_name=str(node)))
    return added


onnx_op_extractors: dict[str, Callable[[Node], Any]] = {}
"""Extractors that are functions, by operation: old extensions add theirs."""


def node_pb_arg(pb_extractor: Callable[[Any], Any]) -> Callable[[Node], Any]:
    """An extractor of a function of the message."""
    return lambda node: pb_extractor(node.pb)


def common_onnx_fields(node: Node) -> dict[str, Any]:
    """A node's name is its identifier: those in models may be empty."""
    # (Messages of inputs and outputs have no operator.)
    return {"kind": "op", "name": node.id, "op": node.op if node.has_valid("op") else node.pb.op_type}


def onnx_node_has_attr(node: Node, name: str) -> bool:
    return any(attribute.name == name for attribute in node.pb.attribute)


def onnx_attr(
    node: Node, name: str, field: str, default: Any = None, dst_type: Callable[[Any], Any] | None = None
) -> Any:
    """Return attribute `name`, converted by `dst_type`, or `default`.

    The value is field `field` of the attribute's message ('i', 'ints', 'f', 's', 't' …).

    Errors: `mo-onnx-attribute` if the node has it more than once.
    """
    found = [attribute for attribute in node.pb.attribute if attribute.name == name]
    if not found:
        return default
    if len(found) > 1:
        raise Error(
            "mo-onnx-attribute", f"attribute '{name}' is there {len(found)} times", layer=node.pb.name
        )
    value = getattr(found[0], field)
    return value if dst_type is None else dst_type(value)


def onnx_get_num_outputs(node: Node) -> int:
    return len(node.pb.output)


def get_backend_pad(pads: Any, spatial_dims: Any, axis: int) -> list[Any]:
    """Padding before (`axis` 0) or after (1) each spatial dimension."""
    return [pair[axis] for pair in pads[spatial_dims]]


def get_onnx_autopad(auto_pad: bytes) -> str | None:
    """`auto_pad` in small letters, None for NOTSET."""
    text = auto_pad.decode().lower()
    return None if text == "notset" else text


def get_onnx_opset_version(node: Node) -> int:
    """The model's version of ONNX's operators; 0 where it is not known."""
    return node.graph.graph.get("fw_opset_version", 0)


def get_onnx_datatype_as_numpy(value: int) -> Any:
    """numpy's type for a number of `TensorProto.DataType`. Errors: `mo-data-type`."""
    try:
        dtype = onnx.helper.tensor_dtype_to_np_dtype(value)
    except KeyError:
        raise Error("mo-data-type", f"{value} is not an element type of ONNX") from None
    return bool if dtype == np.bool_ else dtype.type
