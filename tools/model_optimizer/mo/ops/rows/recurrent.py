"""Recurrent networks: a step, and whole sequences as frameworks have them."""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.tools.model_optimizer.mo.ops.attributes import joined
from loomir.tools.model_optimizer.mo.ops.row import Backend, OpRow, boolean


def _if_set(name: str) -> Backend:
    return [(name, lambda node: joined(node, name) if node.has_and_set(name) else None)]


_ACTIVATIONS: Backend = [*_if_set("activations"), *_if_set("activations_alpha"), *_if_set("activations_beta")]
_PLAIN_ACTIVATIONS: Backend = [
    "activation_alpha",
    "activation_beta",
    ("activations", lambda node: joined(node, "activations")),
]


def _cell(module: str, name: str, version: str, gates: int, weights: int, **own: Any) -> OpRow:
    attributes = {"wr_input_id": weights, "gates_count": gates, **own.pop("attributes", {})}
    return OpRow(module, name, name, name, version, weights + 2, attributes=attributes, **own)


def _sequence(name: str, gates: int, inputs: int, **own: Any) -> OpRow:
    attributes = {
        "blobs_wrb": False,
        "has_num_directions": False,
        "direction": "forward",
        "multiplier": gates,
        "normalized": False,
        "activation_alpha": None,
        "activation_beta": None,
        "activations": None,
        "clip": None,
        **own.pop("attributes"),
    }
    return OpRow(name, name, name, "RNNSequence", None, inputs, inputs - 4, attributes=attributes, **own)


_OF_SEQUENCE: Backend = ["hidden_size", "direction", "axis", *_ACTIVATIONS, "clip"]

ROWS = [
    _cell(
        *("GRUCell", "GRUCell", "opset3", 3, 2),
        attributes={"linear_before_reset": False},
        backend=["hidden_size", *_ACTIVATIONS, "clip", *boolean("linear_before_reset")],
    ),
    _cell("RNNCell", "RNNCell", "opset3", 1, 2, backend=["hidden_size", *_PLAIN_ACTIVATIONS, "clip"]),
    _cell(
        *("lstm_cell", "LSTMCell", "opset4", 4, 3),
        outputs=2,
        backend=["hidden_size", *_ACTIVATIONS, "clip"],
    ),
    _sequence(
        *("GRU", 3, 6),
        attributes={
            "multilayers": False,
            "gate_order": np.array([0, 1, 2], dtype=np.int64),
            "linear_before_reset": None,
        },
        backend=[*_OF_SEQUENCE, "linear_before_reset"],
    ),
    _sequence(
        *("LSTM", 4, 7),
        attributes={"multilayers": False, "gate_order": None, "format": None, "input_forget": None},
        backend=_OF_SEQUENCE,
    ),
    _sequence(
        *("RNN", 1, 6),
        attributes={"gate_order": np.array([0], dtype=np.int64)},
        backend=["hidden_size", "direction", "axis", *_PLAIN_ACTIVATIONS, "clip"],
    ),
    OpRow(
        *("lstm_sequence", "LSTMSequence", "LSTMSequence", None, None, None, None),
        attributes={
            "blobs_wrb": False,
            "has_num_directions": False,
            "direction": "forward",
            "num_layers": 1,
            "blob_bidirectional_split": lambda blob: tuple(np.split(blob, 2)),
        },
        backend=["hidden_size", *_ACTIVATIONS, "clip", "direction"],
    ),
    OpRow("BlockLSTM", "BlockLSTM", "BlockLSTM", inputs=None, outputs=None),
    OpRow("GRUBlockCell", "GRUBlockCell", "GRUBlockCell", inputs=6, outputs=4),
    OpRow("lstmnonlinearity", "LstmNonLinearity", "LstmNonLinearity", attributes={"use_dropout": False}),
]
