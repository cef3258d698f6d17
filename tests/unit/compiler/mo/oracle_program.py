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
    """A graph of the front phase: `nodes` by name their attributes, `edges` as (from, output, to, input)."""
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
    """Lists under 'array' are arrays, with an element type."""
    if isinstance(value, dict) and "array" in value:
        return np.array(value["array"], dtype=value["dtype"])
    return value


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
    """As JSON has it; what has no form there by its type's name."""
    if isinstance(value, np.ndarray | np.generic):
        return [str(value.dtype), value.tolist()]
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
    """What a node of class `name` of `ops.<module>` has."""
    from openvino.tools.mo.graph.graph import Graph

    cls = getattr(importlib.import_module(f"openvino.tools.mo.ops.{module}"), name)
    node = cls(Graph(), dict(given)).create_node()
    kept = {k: plain(v) for k, v in node.attrs().items() if k not in NOT_COMPARED}
    # (No type and the type None are the same to all who ask.)
    return {**kept, "type": kept.get("type"), "op": kept.get("op"), "backend": backend(node.attrs())}


def main() -> None:
    """Runs the cases of standard input with the installed Model Optimizer, or makes a node of each of its `classes`."""
    asked = json.load(sys.stdin)
    answers: dict[str, Any] = {}
    for module, name, given in asked.pop("classes", []):
        answers[f"{module}.{name}"] = attributes_of(module, name, given)
    for name, case in asked.items():
        if "steps" in case:
            answers[name] = {**told(graph := edited(case)), "order": sorted_nodes(graph)}
            continue
        graph = build(case)
        module = case["file"][:-3].replace("/", ".")
        for cls in case["run"]:
            transformation = getattr(importlib.import_module(f"openvino.tools.mo.{module}"), cls)
            transformation().find_and_replace_pattern(graph)
        answers[name] = told(graph)
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
