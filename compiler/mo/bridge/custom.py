"""Inference of operators that an extension of the old kind brings: its class's own `infer`, on a graph of one node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from loomir.compiler.mo.bridge.values import value_of
from loomir.compiler.mo.foreign import blamed_on
from loomir.compiler.mo.front.common.partial_infer.utils import dynamic_dimension, shape_array
from loomir.compiler.mo.graph.graph import DATA_ATTRIBUTES, Graph, Node
from loomir.compiler.mo.ops.table import TableOp
from loomir.dialects.element_types import dtype_of, element_of
from loomir.dialects.locations import layer_name
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.layers.rows import is_known
from loomir.dialects.ov.operators.custom import CustomOp, infer_custom
from loomir.dialects.ovseq.facts import AnyFact

_attributes: dict[tuple[str, str, str], Mapping[str, Any]] = {}
"""Of the nodes that became operators, by type, version and name: a class may read attributes that no layer has."""


def remember(node: Node, version: str) -> None:
    """The node becomes an operator: from now on its class's `infer` says what is known of its results."""
    infer, type_ = node.soft_get("infer", None), node.type
    if not callable(infer) or infer is TableOp.infer or is_known(type_):
        return
    kept = {k: v for k, v in node.attrs().items() if isinstance(k, str) and not k.startswith("_")}
    _attributes[type_, version, str(node.name)] = kept
    infer_custom((type_, version), lambda op, facts: _infer(op, facts, infer))


def remembered(op: CustomOp) -> Mapping[str, Any]:
    """The attributes of the node that became this operator; those of the operator where it is another one."""
    own = {name: value_of(value) for name, value in op.attributes.items()}
    return {**_attributes.get((*op.key, layer_name(op) or ""), {}), **own}


def _infer(op: CustomOp, facts: Sequence[AnyFact], infer: Callable[[Node], object]) -> Sequence[AnyFact]:
    """Facts of the results. Errors: `mo-extension-failed`."""
    graph = Graph()
    graph.graph.update({"layout": "NCHW", "fw": "onnx"})
    held = {
        **remembered(op),
        "op": op.type.data,
        "type": op.type.data,
        "version": op.version.data,
        "name": layer_name(op) or "node",
    }
    graph.add_node("node", kind="op", **{k: v for k, v in held.items() if k not in ("kind", "infer")})
    node = Node(graph, "node")
    for port, fact in enumerate(facts):
        node.add_input_port(port, skip_if_exist=True)
        graph.add_node(f"in{port}", **{**DATA_ATTRIBUTES, "name": f"in{port}", **_known(fact)})
        graph.add_edge(f"in{port}", "node", **{"in": port})
    for port in range(len(op.outputs)):
        node.add_output_port(port, skip_if_exist=True)
        graph.add_node(f"out{port}", **{**DATA_ATTRIBUTES, "name": f"out{port}"})
        graph.add_edge("node", f"out{port}", out=port)
    graph.stage = "middle"
    with blamed_on("mo-extension-failed", f"the inference of '{op.type.data}' failed", None):
        infer(node)
    first = next((f.element for f in facts if isinstance(f, Fact)), None)
    return [
        _fact(Node(graph, f"out{port}"), Fact.of_type(result.type), first)
        for port, result in enumerate(op.outputs)
    ]


def _known(fact: AnyFact) -> dict[str, Any]:
    if not isinstance(fact, Fact) or fact.shape is None:
        return {}
    extents = [dynamic_dimension if d.static is None else d.static for d in fact.shape]
    return {"shape": shape_array(extents), "value": fact.value, "data_type": dtype_of(fact.element).type}


def _fact(data: Node, declared: Fact, first: Any) -> Fact:
    value, shape, data_type = (
        data.soft_get("value", None),
        data.soft_get("shape", None),
        data.soft_get("data_type", None),
    )
    if isinstance(value, np.ndarray) and not np.ma.is_masked(value):
        return Fact.of_array(np.ascontiguousarray(value))
    element = declared.element if data_type is None else element_of(np.dtype(data_type))
    if shape is None:
        return Fact(element, declared.shape)
    masked = np.ma.getmaskarray(shape)
    return Fact(
        element,
        tuple(Dim() if unknown else Dim(int(e), int(e)) for e, unknown in zip(np.ma.getdata(shape), masked)),
    )
