"""Layer types: recurrent."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import Row, read_bool, read_floats, read_lower, read_words

_RNN = {
    "hidden_size": int, "activations": read_words, "activations_alpha": read_floats, "activations_beta": read_floats, "clip": float,
}  # fmt: skip
_SEQUENCE = {**_RNN, "direction": read_lower}

ROWS: dict[str, Row] = {
    "LSTMCell": Row("recurrent", "LSTMCellOp", {**_RNN, "input_forget": read_bool}),
    "GRUCell": Row("recurrent", "GRUCellOp", {**_RNN, "linear_before_reset": read_bool}),
    "RNNCell": Row("recurrent", "RNNCellOp", _RNN),
    "LSTMSequence": Row("recurrent", "LSTMSequenceOp", {**_SEQUENCE, "input_forget": read_bool}),
    "GRUSequence": Row("recurrent", "GRUSequenceOp", {**_SEQUENCE, "linear_before_reset": read_bool}),
    "RNNSequence": Row("recurrent", "RNNSequenceOp", _SEQUENCE),
}  # fmt: skip
