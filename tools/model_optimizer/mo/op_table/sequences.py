"""Recurrent networks, labels of sequences, loops, branches and state.

Recurrent networks are a step, and whole sequences as frameworks have them. Labels of sequences go with choices at random or
by limits. Operations with graphs inside are loops and branches; beside them are conditions, state, and the control flow of
TensorFlow's graphs, and operations of a single framework that belong to no operation set.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.tools.model_optimizer.mo import port_maps
from loomir.tools.model_optimizer.mo.op_attributes import joined
from loomir.tools.model_optimizer.mo.op_table import Backend, OpRow, boolean, element_type, same
from loomir.tools.model_optimizer.mo.shapes import unmask_shape


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

RECURRENT = [
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


LABELS = [
    OpRow(
        *("ctc_greedy_decoder", "CTCGreedyDecoderOp", "CTCGreedyDecoder", "CTCGreedyDecoder", "opset1", 2),
        attributes={"reinterp_shape": True, "ctc_merge_repeated": True},
        backend=boolean("ctc_merge_repeated"),
    ),
    OpRow(
        *("ctc_greedy_decoder_seq_len", "CTCGreedyDecoderSeqLenOp", "CTCGreedyDecoderSeqLen"),
        *("CTCGreedyDecoderSeqLen", "opset6", 3, 2),
        attributes={
            "merge_repeated": True,
            "classes_index_type": np.int32,
            "sequence_length_type": np.int32,
        },
        backend={
            "opset6": [
                *element_type("classes_index_type"),
                *element_type("sequence_length_type"),
                *boolean("merge_repeated"),
            ]
        },
    ),
    same(
        *("ctc_loss", "CTCLoss", "opset4", 5),
        attributes={"preprocess_collapse_repeated": False, "ctc_merge_repeated": True, "unique": False},
        backend=boolean("preprocess_collapse_repeated", "ctc_merge_repeated", "unique"),
    ),
    same(
        *("multinomial", "Multinomial", "opset13", 2),
        attributes={
            "with_replacement": False,
            "log_probs": False,
            "convert_type": "int64",
            "global_seed": 0,
            "op_seed": 0,
        },
        backend=["convert_type", *boolean("with_replacement", "log_probs"), "global_seed", "op_seed"],
    ),
    same(
        *("bucketize", "Bucketize", "opset3", 2),
        backend={
            "extension": boolean("with_right_bound"),
            "opset3": [*boolean("with_right_bound"), *element_type("output_type")],
        },
    ),
]


_LOOP: dict[str, Any] = {
    "input_port_map": [],
    "output_port_map": [],
    "back_edges": [],
    "body": None,
    "sub_graphs": ["body"],
}
_BODY_PORT = [
    "external_port_id",
    "internal_layer_id",
    "internal_port_id",
    "axis",
    "start",
    "stride",
    "end",
    "part_size",
]

_CALLED = (
    *("connect_body_input", "connect_body_output", "add_back_edge", "back_edge_exists"),
    *("inter_edge_exists", "mark_current_iteration_parameter_node", "mark_execution_condition_result_node"),
    *("get_body_node_by_internal_id", "get_external_nodes_by_internal_id"),
    *("external_port_id_to_body_node", "update_port_map_value", "update_port_map_value_ext"),
    *("normalize_input_output_ports", "re_numerate_input_ports", "re_numerate_output_ports"),
)

BODIES = [
    OpRow(
        *("tensor_iterator", "TensorIterator", "TensorIterator", "TensorIterator", "opset1", None, None),
        attributes=_LOOP,
        members={"port_map_attrs": lambda self: list(_BODY_PORT)},
    ),
    OpRow(
        *("loop", "Loop", "Loop", "Loop", "opset5", None, None),
        attributes=_LOOP,
        members={
            **{name: staticmethod(getattr(port_maps, name)) for name in _CALLED},
            "port_map_attrs": lambda self: [*_BODY_PORT, "purpose"],
        },
    ),
    OpRow(
        *("If", "If", "If", "If", "opset8", None, None),
        attributes={"then_graph": None, "else_graph": None, "sub_graphs": ["then_graph", "else_graph"]},
        members={
            "connect_body_input": staticmethod(port_maps.connect_branch_input),
            "connect_body_output": staticmethod(port_maps.connect_branch_output),
            "port_map_attrs": lambda self: ["external_port_id", "internal_layer_id"],
        },
    ),
]


def _internal(module: str, name: str, op: str | None = None, **own: Any) -> OpRow:
    ports: dict[str, Any] = {"inputs": None, "outputs": None, **own}
    return OpRow(module, name, op or name, **ports)


_SLICED: dict[str, Any] = dict.fromkeys(("axis", "start", "end", "stride", "part_size"))
_ITERATOR_PORT = [
    "external_port_id",
    "internal_layer_id",
    "internal_port_id",
    "axis",
    "start",
    "stride",
    "part_size",
]

CONTROL_FLOW = [
    _internal("Enter", "Enter", inputs=1),
    _internal("Exit", "Exit", inputs=1),
    _internal("NextIteration", "NextIteration", inputs=1),
    _internal("TensorArray", "TensorArray", "TensorArrayV3"),
    _internal("TensorArrayGather", "TensorArrayGather", "TensorArrayGatherV3"),
    _internal("TensorArrayRead", "TensorArrayReader", "TensorArrayReadV3"),
    _internal("TensorArrayScatter", "TensorArrayScatter", "TensorArrayScatterV3"),
    _internal("TensorArraySize", "TensorArraySize", "TensorArraySizeV3"),
    _internal("TensorArrayWrite", "TensorArrayWriter", "TensorArrayWriteV3"),
    *(
        OpRow("TensorIterator_ops", name, name, inputs=3, attributes=_SLICED, backend=_ITERATOR_PORT)
        for name in ("TensorIteratorInput", "TensorIteratorOutput")
    ),
    OpRow("TensorIterator_ops", "TensorIteratorCondition", "TensorIteratorCondition", inputs=2, outputs=2),
    OpRow("TensorIterator_ops", "TensorIteratorBackEdge", "TensorIteratorBackEdge", inputs=3),
    OpRow("assign", "Assign", "Assign", "Assign", "opset6", backend=["variable_id"]),
    OpRow(
        *("read_value", "ReadValue", "ReadValue", "ReadValue", "opset6"),
        backend=[
            "variable_id",
            ("variable_shape", lambda node: ",".join(map(str, unmask_shape(node.variable_shape)))),
            *element_type("variable_type"),
        ],
    ),
    OpRow(
        *("memory", "Memory", "Memory", "Memory"),
        attributes={"id": None, "size": None, "index": None},
        backend=["id", "index", "size"],
    ),
    OpRow(
        *("memoryoffset", "MemoryOffset", "MemoryOffset"),
        attributes={"pair_name": None, "splitted": False, "has_default": False},
    ),
]


FRAMEWORK = [
    OpRow("aten", "ATen", "ATen", inputs=None, outputs=None, backend=["mode", "operator"]),
    OpRow("LookupTableInsert", "LookupTableInsert", "LookupTableInsert", inputs=3),
    OpRow("stop_gradient", "StopGradientOp", "StopGradient", attributes={"identity": True}),
    OpRow("copyop", "CopyOp", "copy", inputs=None, outputs=None),
    OpRow("fake_output", "FakeOutput", "FakeOutput", attributes={"version": None}),
    OpRow(
        *("dropoutmask", "DropoutMask", "dropoutmaskcomponent", None, None, 0),
        attributes={"dropout_proportion": None},
    ),
    OpRow(
        *("restrictedattentioncomponent", "RestrictedAttentionComponent", "restrictedattentioncomponent"),
        attributes={"has_default": False},
    ),
    OpRow("tdnncomponent", "TdnnComponent", "tdnncomponent"),
    OpRow("timeheightconvolution", "TimeHeightConvolutionComponent", "timeheightconvolutioncomponent"),
]

ROWS = [*RECURRENT, *LABELS, *BODIES, *CONTROL_FLOW, *FRAMEWORK]
