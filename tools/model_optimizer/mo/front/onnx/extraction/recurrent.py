"""Recurrent sequences."""

from __future__ import annotations

from typing import Any

from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import float32_array, int64_array
from loomir.tools.model_optimizer.mo.front.onnx.extracting import extracts
from loomir.tools.model_optimizer.mo.front.onnx.extractors.utils import onnx_attr
from loomir.tools.model_optimizer.mo.graph.graph import Node

GATES: dict[str, list[int]] = {"LSTM": [2, 0, 3, 1], "GRU": [0, 1, 2], "RNN": [0]}
"""Where the operation set's gates are among ONNX's."""

_OWN = {"LSTM": "input_forget", "GRU": "linear_before_reset"}


def _lower(names: Any) -> list[str]:
    return [name.decode().lower() for name in names]


@extracts("LSTM", "GRU", "RNN")
def sequence(node: Node) -> Any:
    """Read a recurrent operator.

    RNN has a default activation. A single activation of a bidirectional RNN applies to each direction.
    """
    direction = onnx_attr(node, "direction", "s", b"forward").decode().lower()
    activations = onnx_attr(node, "activations", "strings", None, _lower)
    if node.op == "RNN":
        activations = activations or ["tanh"]
        if direction == "bidirectional" and len(activations) == 1:
            activations = activations * 2
    read = {
        "batch_dim": 1,
        "sequence_dim": 0,
        "blobs_wrb": True,
        "has_num_directions": True,
        "num_layers": 1,
        "format": "onnx",
        "multilayers": False,
        "gate_order": GATES[node.op],
        "activation_alpha": onnx_attr(node, "activation_alpha", "floats", None, float32_array),
        "activation_beta": onnx_attr(node, "activation_beta", "floats", None, float32_array),
        "activations": activations,
        "clip": onnx_attr(node, "clip", "f"),
        "direction": direction,
        "hidden_size": int64_array(onnx_attr(node, "hidden_size", "i")),
    }
    if node.op in _OWN:
        read[_OWN[node.op]] = onnx_attr(node, _OWN[node.op], "i", 0)
    return node.op, node.op, read
