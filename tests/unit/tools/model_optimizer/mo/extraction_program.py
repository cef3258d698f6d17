"""Nodes of ONNX models as extractors leave them, in the Model Optimizer itself and in loomir, as JSON.

The Model Optimizer's Python runs this file as a program (models in base64, by name, from standard input); it imports nothing of
loomir then.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx

NOT_COMPARED = {
    *("IE", "rt_info", "dim_attrs", "shape_attrs", "pb", "pb_init", "body"),
    *("infer", "reverse_infer", "type_infer", "name", "kind"),
}
"""Attributes that are functions or messages, or the same for all."""

MANY = 64
"""Of arrays with more elements there are only shape and element type."""


def build(model: Any) -> Any:
    """A graph of the model's inputs, constants, nodes and outputs, with their messages."""
    from openvino.tools.mo.graph.graph import Graph

    graph = Graph(name="model")
    graph.graph.update(
        layout="NCHW", fw="onnx", fw_opset_version=model.opset_import[0].version, ir_version=11
    )
    sources: dict[str, tuple[str, int]] = {}
    initializers = {tensor.name: tensor for tensor in model.graph.initializer}
    for value in model.graph.input:
        if value.name not in initializers:
            graph.add_node(value.name, kind="op", op="Parameter", pb=value)
            sources[value.name] = (value.name, 0)
    for name, tensor in initializers.items():
        graph.add_node(name, kind="op", op="Const", pb=tensor, pb_init=tensor)
        sources[name] = (name, 0)
    for position, node in enumerate(model.graph.node):
        identifier = f"{position}: {node.op_type}"
        graph.add_node(identifier, kind="op", pb=node)
        for port, name in enumerate(node.input):
            if name in sources:
                source, out = sources[name]
                graph.add_edge(source, identifier, **{"in": port, "out": out})
        sources.update({name: (identifier, port) for port, name in enumerate(node.output)})
    for value in model.graph.output:
        graph.add_node(f"output {value.name}", kind="op", op="FakeOutput", pb=value)
        source, out = sources[value.name]
        graph.add_edge(source, f"output {value.name}", **{"in": 0, "out": out})
    return graph


def plain(value: Any) -> Any:
    """Convert a value for JSON.

    A value without a form there becomes its type's name.
    """
    if isinstance(value, np.ndarray | np.generic):
        array = np.ma.filled(value, -1) if isinstance(value, np.ma.MaskedArray) else np.asarray(value)
        many = array.size > MANY
        elements = list(array.shape) if many else [repr(x) for x in array.astype(object).reshape(-1).tolist()]
        return [str(array.dtype), list(array.shape), [] if many else elements]
    if isinstance(value, np.dtype):
        return f"dtype {value}"
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in sorted(value.items(), key=str)}
    if isinstance(value, list | tuple) or hasattr(value, "add"):
        return [plain(v) for v in value]
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str | int | bool) or value is None:
        return value
    if isinstance(value, bytes):
        return f"bytes {value!r}"
    return getattr(value, "__name__", type(value).__name__)


def extracted(model: str, extract: Callable[[Any], Any]) -> dict[str, Any]:
    """By node its attributes after `extract`, or the error. `model` is in base64."""
    graph = build(onnx.load_model_from_string(base64.b64decode(model)))
    try:
        extract(graph)
    except Exception as error:
        return {"error": type(error).__name__}
    return {node: told(attributes) for node, attributes in graph.nodes(data=True)}


def told(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return the comparable attributes.

    No type and the type None are the same to every reader; an 'operation' that computes is a function, which is
    dropped.
    """
    kept = {k: plain(v) for k, v in attributes.items() if k not in NOT_COMPARED}
    if kept.get("type") is None:
        kept.pop("type", None)
    if not isinstance(attributes.get("operation"), str):
        kept.pop("operation", None)
    return kept


def main() -> None:
    """Extracts the models of standard input with the installed Model Optimizer."""
    import openvino.tools.mo as package
    from openvino.tools.mo.front.common.register_custom_ops import (
        check_for_duplicates,
        update_extractors_with_extensions,
    )
    from openvino.tools.mo.front.extractor import extract_node_attrs
    from openvino.tools.mo.front.onnx.extractor import onnx_op_extractor, onnx_op_extractors
    from openvino.tools.mo.front.onnx.register_custom_ops import get_front_classes
    from openvino.tools.mo.utils import import_extensions

    import_extensions.load_dirs("onnx", [package.__path__[0]], get_front_classes)
    update_extractors_with_extensions(onnx_op_extractors)
    known = check_for_duplicates(onnx_op_extractors)

    def extract(graph: Any) -> None:
        extract_node_attrs(graph, lambda node: onnx_op_extractor(node, known))

    models = json.load(sys.stdin)
    json.dump({name: extracted(model, extract) for name, model in models.items()}, sys.stdout)


if __name__ == "__main__":
    main()
