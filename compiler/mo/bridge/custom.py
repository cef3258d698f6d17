"""Inference of operators that an extension of the old kind brings: its class's own `infer`, on a graph of one node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Attribute

from loomir.compiler.mo.bridge.values import attribute_of, value_of
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

PREFIX = "mo."
"""Of attributes of an `ov.custom` that its layer has not: what its class may read when it infers."""

NOT_KEPT = frozenset(
    {
        "kind", "name", "op", "type", "version", "pb", "IE", "dim_attrs", "shape_attrs", "in_attrs", "out_attrs", "rt_info",
        "sub_graphs", "need_shape_inference", "in_ports_count", "out_ports_count",
    }
)  # fmt: skip
"""Attributes of a node that it gets again, or that say nothing of the operation."""

_PLAIN = (bool, int, float, str, np.ndarray, np.generic)


def kept_attributes(node: Node, version: str, written: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """The attributes of the operator that a node becomes: those of its layer, and behind a prefix the plain ones that it has beside.

    From now on the class's own `infer` says what is known of the operator's results. A layer of an operation set is one by what is
    written of it alone.
    """
    infer = node.soft_get("infer", None)
    if is_known(node.type):
        return dict(written)
    if callable(infer) and infer is not TableOp.infer:
        infer_custom((node.type, version), lambda op, facts: _infer(op, facts, infer))
    beside = {
        f"{PREFIX}{name}": attribute_of(name, value)
        for name, value in node.attrs().items()
        if name not in NOT_KEPT
        and name not in written
        and not name.startswith(("_", "loomir_"))
        and isinstance(value, _PLAIN)
    }
    return {**written, **beside}


def remembered(op: CustomOp) -> dict[str, Any]:
    """The attributes of a node for an operator: those of the node that became it, where one did."""
    return {name.removeprefix(PREFIX): value_of(value) for name, value in op.attributes.items()}


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
