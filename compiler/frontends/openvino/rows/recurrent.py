"""Layer types: recurrent."""

from __future__ import annotations

from loomir.compiler.frontends.openvino.attributes import (
    Row,
    read_bool,
    read_floats,
    read_int,
    read_lower,
    read_words,
)

_RNN = {
    "hidden_size": read_int, "activations": read_words, "activations_alpha": read_floats, "activations_beta": read_floats, "clip": float,
}  # fmt: skip
_SEQUENCE = {**_RNN, "direction": read_lower}

ROWS: dict[str, Row] = {
    # Version 0 has a `weights_format` too, which neither the specification nor OpenVINO's plugins know: the gates are f, i, c, o.
    "LSTMCell": Row("recurrent", "LSTMCellOp", {**_RNN, "input_forget": read_bool}, versions=(0, 4)),
    "GRUCell": Row("recurrent", "GRUCellOp", {**_RNN, "linear_before_reset": read_bool}),
    "RNNCell": Row("recurrent", "RNNCellOp", _RNN),
    "LSTMSequence": Row("recurrent", "LSTMSequenceOp", {**_SEQUENCE, "input_forget": read_bool}),
    "GRUSequence": Row("recurrent", "GRUSequenceOp", {**_SEQUENCE, "linear_before_reset": read_bool}),
    "RNNSequence": Row("recurrent", "RNNSequenceOp", _SEQUENCE),
}  # fmt: skip
