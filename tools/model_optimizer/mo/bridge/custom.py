"""Inference of operators from old-style extensions.

It calls the `infer` of the operator's class on a graph of one node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from loomir.dialects.element_types import dtype_of, element_of
from loomir.dialects.locations import layer_name
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.layers.rows import is_known
from loomir.dialects.ov.operators.custom import CustomOp, Inference, inferring_custom
from loomir.dialects.ovseq.facts import AnyFact
from loomir.tools.model_optimizer.mo.bridge.values import value_of
from loomir.tools.model_optimizer.mo.foreign import blamed_on
from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import dynamic_dimension, shape_array
from loomir.tools.model_optimizer.mo.graph.graph import DATA_ATTRIBUTES, Graph, Node
from loomir.tools.model_optimizer.mo.scope import conversion, known


def remember(node: Node, version: str) -> None:
    """Register the node as an operator that its class's `infer` infers."""
    infer, type_ = node.soft_get("infer", None), node.type
    if not callable(infer) or is_known(type_, version):
        return
    kept = {k: v for k, v in node.attrs().items() if isinstance(k, str) and not k.startswith("_")}
    known().nodes[type_, version, str(node.name)] = infer, kept


@contextmanager
def known_by_classes() -> Iterator[None]:
    """Enter one conversion, with inference of operators by their nodes.

    Within the context, operators that were created from nodes are inferred by the `infer` of these nodes.
    """
    with conversion(), inferring_custom(_inference_of):
        yield


def _inference_of(op: CustomOp) -> Inference | None:
    found = known().nodes.get((*op.key, layer_name(op) or ""))
    if found is None:
        return None
    infer, held = found
    return lambda op, facts: _infer(op, facts, infer, held)


def _infer(
    op: CustomOp, facts: Sequence[AnyFact], infer: Callable[[Node], object], kept: Mapping[str, Any]
) -> Sequence[AnyFact]:
    """Facts of the results. Errors: `mo-extension-failed`."""
    graph = Graph()
    graph.graph.update({"layout": "NCHW", "fw": "onnx"})
    held = {
        **kept,
        **{name: value_of(value) for name, value in op.attributes.items()},
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
        return Fact.of_array(np.array(value, order="C"))
    element = declared.element if data_type is None else element_of(np.dtype(data_type))
    if shape is None:
        return Fact(element, declared.shape)
    masked = np.ma.getmaskarray(shape)
    return Fact(
        element,
        tuple(Dim() if unknown else Dim(int(e), int(e)) for e, unknown in zip(np.ma.getdata(shape), masked)),
    )
