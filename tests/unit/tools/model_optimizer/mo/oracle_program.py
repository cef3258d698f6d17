"""Graphs that one transformation each runs on, in the Model Optimizer itself and in loomir, and what is left as JSON.

The Model Optimizer's Python runs this file as a program (cases from standard input); it imports nothing of loomir then.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from typing import Any

import numpy as np
import onnx

NOT_COMPARED = {
    "IE",
    "rt_info",
    "dim_attrs",
    "shape_attrs",
    "infer",
    "reverse_infer",
    "type_infer",
    "operation",
    "pb",
}
"""Attributes that are functions, or whose order is by chance in the Model Optimizer."""


def build(case: dict[str, Any]) -> Any:
    """A graph of the front phase: `nodes` by name their attributes, `edges` as (from, output, to, input).

    The attribute 'message' is a message of ONNX's: its operator and attributes.
    """
    from openvino.tools.mo.graph.graph import Graph, Node
    from openvino.tools.mo.ops.const import Const

    graph = Graph(name="case")
    graph.graph.update(
        cmd_params=argparse.Namespace(static_shape=False, data_type="float"), layout="NCHW", fw="onnx"
    )
    graph.graph.update(fw_opset_version=case.get("opset", 13), ir_version=11)
    graph.stage = "front"
    for name, attributes in case["nodes"].items():
        decoded = {k: decode(v) for k, v in attributes.items()}
        if "message" in decoded:
            operator, own = decoded.pop("message")
            decoded["pb"] = onnx.helper.make_node(operator, [], [name], **own)
        if decoded["op"] == "Const":
            Const(graph, {"name": name, "value": decoded["value"]}).create_node()
            continue
        inputs = [e for e in case["edges"] if e[2] == name]
        outputs = [e for e in case["edges"] if e[0] == name]
        counts = {
            "in_ports_count": max((e[3] + 1 for e in inputs), default=0),
            "out_ports_count": max((e[1] + 1 for e in outputs), default=0),
        }
        graph.add_node(name, **{"kind": "op", "name": name, "type": None, **counts, **decoded})
    for source, out, target, port in case["edges"]:
        info = {"fw_tensor_debug_info": [(source, f"{source}_{out}")]}
        graph.create_edge(Node(graph, source), Node(graph, target), out, port, info)
    return graph


def decode(value: Any) -> Any:
    """Lists under 'array' are arrays, with an element type, a name under 'type' is one; what has nodes is a graph."""
    if isinstance(value, dict) and "type" in value and len(value) == 1:
        return np.dtype(value["type"]).type
    if isinstance(value, dict) and "array" in value:
        return np.array(value["array"], dtype=value["dtype"])
    return build(value) if isinstance(value, dict) and "nodes" in value else value


def perform(case: dict[str, Any], classes: dict[str, Any], directory: str) -> dict[str, Any]:
    """Return the remains of a case's graph.

    It is the graph after the classes of `run`, node 'x' after those of `extract`, or the graph after inference by
    `operation`.
    """
    from openvino.tools.mo.front.common.custom_replacement_registry import CustomReplacementRegistry
    from openvino.tools.mo.graph.graph import Node

    if "operation" in case:
        return inferred(case, classes[case["operation"]])
    registry = CustomReplacementRegistry()
    if "config" in case:
        registry.add_custom_replacement_description_from_config(f"{directory}/{case['config']}")
    graph = build(case)
    for name in case.get("run", ()):
        classes[name]().find_and_replace_pattern(graph)
    registry.registry.clear()
    for name in case.get("extract", ()):
        classes[name].extract(Node(graph, "x"))
    return told(graph)


def inferred(case: dict[str, Any], cls: Any) -> dict[str, Any]:
    """A node of a class of operations, after inference: `inputs` are arrays, or lists of extents."""
    from openvino.tools.mo.front.extractor import create_tensor_nodes
    from openvino.tools.mo.graph.graph import Graph
    from openvino.tools.mo.ops.const import Const
    from openvino.tools.mo.ops.parameter import Parameter
    from openvino.tools.mo.ops.result import Result

    graph = Graph(name="case")
    graph.graph.update(layout="NCHW", fw="onnx", cmd_params=argparse.Namespace(static_shape=False))
    graph.stage = "front"
    node = cls(graph, {"name": "x", **{k: decode(v) for k, v in case["attributes"].items()}}).create_node()
    sources = []
    for port, given in enumerate(case["inputs"]):
        own = (
            {"value": decode(given)}
            if isinstance(given, dict)
            else {"shape": np.array(given, dtype=np.int64)}
        )
        sources.append(
            (Const if "value" in own else Parameter)(graph, {"name": f"in{port}", **own}).create_node()
        )
        sources[-1].out_port(0).connect(node.in_port(port))
    for port in node.out_ports():
        node.out_port(port).connect(Result(graph, {"name": f"out{port}"}).create_node().in_port(0))
    graph.stage = "middle"
    create_tensor_nodes(graph)
    for each in [*sources, node]:
        each.infer(each)
    return told(graph)


def told(graph: Any) -> dict[str, Any]:
    """Nodes with what can be compared of their attributes, and edges."""
    nodes = {}
    for node, attributes in graph.nodes(data=True):
        kept = {k: plain(v) for k, v in attributes.items() if k not in NOT_COMPARED}
        if "fw_tensor_debug_info" in kept:
            kept["fw_tensor_debug_info"] = sorted({n for _, n in attributes["fw_tensor_debug_info"]})
        if kept.get("kind") == "data":
            # What has no ports may have empty lists of them.
            kept = {k: v for k, v in kept.items() if k not in ("_in_ports", "_out_ports")}
        kept["backend"] = backend(attributes)
        nodes[str(node)] = kept
    edges = [
        [
            str(u),
            str(d.get("out")),
            str(v),
            str(d.get("in")),
            sorted({n for _, n in d.get("fw_tensor_debug_info", ())}),
        ]
        for u, v, d in graph.edges(data=True)
    ]
    return {"nodes": nodes, "edges": sorted(edges)}


def edit(graph: Any, step: list[Any]) -> None:
    """One change of a graph by its nodes' ports and connections: what, and its operands."""
    from openvino.tools.mo.graph.graph import Node, rename_node
    from openvino.tools.mo.ops.identity import Identity

    what, name, port, *rest = step
    node = Node(graph, name)
    if what == "connect":
        node.out_port(port).connect(Node(graph, rest[0]).in_port(rest[1]))
    elif what == "disconnect-in":
        node.in_port(port).disconnect()
    elif what == "disconnect-out":
        node.out_port(port).disconnect()
    elif what == "set-source":
        node.in_port(port).get_connection().set_source(Node(graph, rest[0]).out_port(rest[1]), *rest[2:])
    elif what == "move":
        node.out_port(port).get_connection().set_source(Node(graph, rest[0]).out_port(rest[1]), *rest[2:])
    elif what == "set-destination":
        node.in_port(port).get_connection().set_destination(Node(graph, rest[0]).in_port(rest[1]), *rest[2:])
    elif what == "insert":
        new = Identity(graph, {"name": rest[0]}).create_node()
        node.in_port(port).get_connection().insert_node(new, *rest[1:])
    elif what == "rename":
        rename_node(node, rest[0])
    elif what == "remove":
        graph.remove_node(name)


def edited(case: dict[str, Any]) -> Any:
    """The graph of a case after its `steps`, in its `phase`."""
    from openvino.tools.mo.front.extractor import create_tensor_nodes

    graph = build(case)
    if case["phase"] == "middle":
        graph.strict_mode = False
        graph.stage = "middle"
        create_tensor_nodes(graph)
        graph.strict_mode = True
    for step in case["steps"]:
        edit(graph, step)
    return graph


def backend(attributes: dict[str, Any]) -> list[str]:
    """Names of the attributes that IR would have; of what no class has made there are none to compare."""
    if "rt_info" not in attributes:
        return []
    first = attributes["IE"][0][2][0]
    data = () if isinstance(first, str) else first[1]
    return sorted(item if isinstance(item, str) else item[0] for item in data)


def plain(value: Any) -> Any:
    """Convert a value for JSON.

    A value without a form there becomes its type's name.
    """
    if isinstance(value, np.ndarray | np.generic):
        return [str(value.dtype), value.tolist()]
    if hasattr(value, "nodes") and hasattr(value, "edges"):
        return told(value)
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in sorted(value.items(), key=str)}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    return getattr(value, "__name__", type(value).__name__)


def sorted_nodes(graph: Any) -> list[str]:
    """Identifiers in the order of a walk."""
    return [str(node.id) for node in graph.pseudo_topological_sort()]


def attributes_of(module: str, name: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of a node of class `name` of `ops.<module>`."""
    from openvino.tools.mo.graph.graph import Graph

    cls = getattr(importlib.import_module(f"openvino.tools.mo.ops.{module}"), name)
    node = cls(Graph(), dict(given)).create_node()
    kept = {k: plain(v) for k, v in node.attrs().items() if k not in NOT_COMPARED}
    # (No type and the type None are the same to all who ask.)
    return {**kept, "type": kept.get("type"), "op": kept.get("op"), "backend": backend(node.attrs())}


def serialised(module: str, name: str, given: dict[str, Any]) -> dict[str, str]:
    """Return IR's attributes of a node of class `name`, as text.

    The node has the attributes `given`; attributes that IR would not have are left out.
    """
    from openvino.tools.mo.graph.graph import Graph

    cls = getattr(importlib.import_module(f"openvino.tools.mo.ops.{module}"), name)
    node = cls(Graph(), {k: decode(v) for k, v in given.items()}).create_node()
    found = {}
    for item in node["IE"][0][2][0][1]:
        attribute, value = (
            (item, node.soft_get(item, None)) if isinstance(item, str) else (item[0], item[1](node))
        )
        if value is not None:
            # (A list is written with commas.)
            found[attribute] = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return found


def main() -> None:
    """Runs the cases of standard input with the installed Model Optimizer, or makes nodes of its `classes` and `serialised`."""
    import openvino.tools.mo

    asked = json.load(sys.stdin)
    answers: dict[str, Any] = {}
    for module, name, given in asked.pop("classes", []):
        answers[f"{module}.{name}"] = attributes_of(module, name, given)
    for case, (module, name, given) in asked.pop("serialised", {}).items():
        answers[case] = serialised(module, name, given)
    for name, case in asked.items():
        if "steps" in case:
            answers[name] = {**told(graph := edited(case)), "order": sorted_nodes(graph)}
            continue
        module = importlib.import_module(f"openvino.tools.mo.{case['file'][:-3].replace('/', '.')}")
        answers[name] = perform(case, vars(module), openvino.tools.mo.__path__[0])
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
