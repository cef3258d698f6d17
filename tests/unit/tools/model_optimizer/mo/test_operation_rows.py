"""The rows of the table of operations are what the Model Optimizer's classes are: attributes, ports, and what IR has of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from loomir.tools.model_optimizer.mo import install_legacy_names, member, op_table, remove_legacy_names
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from tests.mo_oracle import asked, fixture, needs_oracle, write_fixture
from tests.support import raises_error
from tests.unit.tools.model_optimizer.mo import oracle_program
from tests.unit.tools.model_optimizer.mo.oracle_cases import floats, ints

FIXTURE = "operations.json"
"""`python -m tests/unit/tools/model_optimizer/mo.test_operation_rows` writes it."""

REQUIRED = {
    "num_splits": 2,
    "axis": 1,
    "size_splits": [1, 2],
    "out_ports_count": 2,
    "output_type": "int64",
    "pool_method": "max",
    "operation": "sum",
    "across_spatial": 1,
    "channel_shared": "0",
}
"""Values for attributes that rows require; lists for masks."""

_SPATIAL: dict[str, Any] = {
    "spatial_dims": ints([2, 3]),
    "stride": ints([1, 1, 2, 3]),
    "dilation": ints([1, 1, 1, 2]),
    "pad": ints([[0, 0], [0, 0], [1, 2], [3, 4]]),
}
_POOLED: dict[str, Any] = {
    **_SPATIAL,
    "window": ints([1, 1, 5, 6]),
    "exclude_pad": True,
    "rounding_type": "floor",
}
_ACTIVATED: dict[str, Any] = {
    "hidden_size": 4,
    "activations": ["sigmoid", "tanh"],
    "activations_alpha": floats([0.5]),
    "clip": 2.0,
}
_TYPE = {"type": "float16"}

SERIALISED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "convolution": ("convolution", "Convolution", _SPATIAL),
    "convolution, padded alike": ("convolution", "Convolution", {**_SPATIAL, "auto_pad": "same_upper"}),
    "convolution backwards": (
        "convolution",
        "Convolution",
        {**_SPATIAL, "type": "ConvolutionBackpropData", "output_padding": ints([0, 0, 1, 0])},
    ),
    "deconvolution": ("deconvolution", "Deconvolution", _SPATIAL),
    "deformable": ("deformable_convolution", "DeformableConvolution", {**_SPATIAL, "deformable_group": 2}),
    "average": ("pooling", "Pooling", {**_POOLED, "pool_method": "avg", "auto_pad": "valid"}),
    "maximum": (
        "pooling",
        "Pooling",
        {**_POOLED, "pool_method": "max", "axis": 0, "index_element_type": _TYPE},
    ),
    "patches": (
        "ExtractImagePatches",
        "ExtractImagePatches",
        {
            "spatial_dims": ints([1, 2]),
            **{name: ints([1, 2, 3, 1]) for name in ("sizes", "strides", "rates")},
            "auto_pad": "valid",
        },
    ),
    "lstm": ("LSTM", "LSTM", {**_ACTIVATED, "direction": "reverse"}),
    "gru": ("GRU", "GRU", {**_ACTIVATED, "linear_before_reset": 1}),
    "rnn": ("RNN", "RNN", {"hidden_size": 4, "activations": ["tanh"]}),
    "lstm cell": ("lstm_cell", "LSTMCell", _ACTIVATED),
    "gru cell": ("GRUCell", "GRUCell", {**_ACTIVATED, "linear_before_reset": 1}),
    "cast": ("Cast", "Cast", {"dst_type": _TYPE}),
    "top k": ("topk", "TopK", {"axis": 1, "sort": "value"}),
    "mvn": ("mvn", "MVN", {"eps": 0.5, "eps_mode": "inside_sqrt", "normalize_variance": 1}),
    "mvn 2": ("mvn", "MVN", {"eps": 0.5, "across_channels": 0, "normalize_variance": 1, "version": "opset2"}),
    "normalize": ("normalize", "NormalizeOp", {"across_spatial": "1", "channel_shared": 0, "eps": 0.5}),
    "lrn": ("lrn", "AttributedLRN", {"alpha": 0.5, "beta": 0.75, "local_size": 3}),
    "detection output": (
        "DetectionOutput",
        "DetectionOutput",
        {"top_k": 3, "code_type": "x", "nms_threshold": 0.5},
    ),
    "experimental": (
        "detection_output_onnx",
        "ExperimentalDetectronDetectionOutput",
        {"class_agnostic_box_regression": 1, "deltas_weights": floats([1.0, 0.5])},
    ),
    "features": (
        "roifeatureextractor_onnx",
        "ExperimentalDetectronROIFeatureExtractor",
        {"pyramid_scales": ints([4, 8]), "output_size": 7},
    ),
    "suppression": ("non_max_suppression", "NonMaxSuppression", {}),
    "suppression 1": ("non_max_suppression", "NonMaxSuppression", {"version": "opset1"}),
    "prior box": ("priorbox", "PriorBoxOp", {"min_size": floats([1.5]), "variance": [0.5], "step": 1}),
    "prior box, clustered": ("priorbox_clustered", "PriorBoxClusteredOp", {"width": floats([1.5, 2.5])}),
    "proposal": ("proposal", "ProposalOp", {"ratio": floats([0.5, 2.0]), "scale": [1, 2]}),
    "ps roi": ("psroipooling", "PSROIPoolingOp", {"group_size": 2.0, "output_dim": 3}),
    "roi align": (
        "roialign",
        "ROIAlign",
        {"mode": "avg", "pooled_h": 2, "pooled_w": 3.0, "sampling_ratio": 0, "spatial_scale": 1},
    ),
    "roi align 3": (
        "roialign",
        "ROIAlign",
        {
            "mode": "avg",
            "pooled_h": 2,
            "pooled_w": 3.0,
            "sampling_ratio": 0,
            "spatial_scale": 1,
            "version": "opset3",
        },
    ),
    "region": (
        "regionyolo",
        "RegionYoloOp",
        {"anchors": floats([1.5]), "mask": ints([0, 1]), "do_softmax": 1},
    ),
    "random": ("random_uniform", "RandomUniform", {"output_type": _TYPE}),
    "eye": ("eye", "Eye", {}),
    "decoder": ("ctc_greedy_decoder_seq_len", "CTCGreedyDecoderSeqLenOp", {}),
    "crop": ("crop", "Crop", {"axis": ints([2, 3]), "dim": ints([4, 5]), "offset": ints([0, 1])}),
    "interpolate": ("interpolate", "Interpolate", {"axes": ints([2, 3]), "mode": "nearest"}),
    "interpolate 4": (
        "interpolate",
        "Interpolate",
        {"mode": "cubic", "pads_begin": ints([0]), "pads_end": ints([1]), "version": "opset4"},
    ),
    "strided slice": (
        "strided_slice",
        "StridedSlice",
        {
            name: ints([0, 1])
            for name in ("begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "ellipsis_mask")
        },
    ),
    "state": (
        "read_value",
        "ReadValue",
        {"variable_id": "x", "variable_shape": ints([1, 2]), "variable_type": _TYPE},
    ),
    "fake quantize": ("fakequantize", "FakeQuantize", {"levels": 255}),
    "bucketize": ("bucketize", "Bucketize", {"with_right_bound": 0, "output_type": _TYPE}),
}


def questions() -> dict[str, Any]:
    """Nodes of all classes, and what IR has of some."""
    rows = [row for rows in op_table.rows_by_module().values() for row in rows]
    given = [[row.module, row.name, {name: REQUIRED.get(name, [1]) for name in row.requires}] for row in rows]
    return {"classes": given, "serialised": SERIALISED}


@pytest.fixture(autouse=True)
def _legacy_names() -> Iterator[None]:
    install_legacy_names()
    yield
    remove_legacy_names()


def test_rows_are_what_the_classes_are_there() -> None:
    expected = fixture(FIXTURE)
    rows = questions()["classes"]
    actual = {f"{m}.{n}": oracle_program.attributes_of(m, n, given) for m, n, given in rows}
    wrong = {k: (v, expected[k]) for k, v in json.loads(json.dumps(actual)).items() if v != expected[k]}
    assert not wrong, "\n".join(f"{k}: {a}\n   there: {b}" for k, (a, b) in wrong.items())


@pytest.mark.parametrize("case", SERIALISED)
def test_attributes_in_ir_are_those_that_are_there(case: str) -> None:
    assert oracle_program.serialised(*SERIALISED[case]) == fixture(FIXTURE)[case]


@needs_oracle
def test_fixture_is_what_is_there() -> None:
    assert asked(oracle_program.__file__, questions()) == fixture(FIXTURE)


@pytest.mark.parametrize(
    ("module", "name", "given"),
    [
        ("fakequantize", "FakeQuantize", {}),
        ("gather", "Gather", {"axis": 1}),
        ("lrn", "AttributedLRN", {"alpha": 1, "beta": 1, "local_size": 3, "region": "all"}),
    ],
)
def test_attributes_that_cannot_be(module: str, name: str, given: dict[str, Any]) -> None:
    with raises_error("mo-op-attribute"):
        member(f"ops.{module}", name)(Graph(), given)


def loop() -> tuple[Any, Node, Node, Node]:
    """Class and node of a loop, and in its body a Parameter and a Result."""
    cls, outer, body = member("ops.loop", "Loop"), Graph(), Graph()
    nodes = []
    for number, name in enumerate(("Parameter", "Result")):
        nodes.append(member(f"ops.{name.lower()}", name)(body, {"internal_layer_id": number}).create_node())
    node = cls(outer, {"name": "loop", "body": body, "in_ports_count": 3, "out_ports_count": 2}).create_node()
    return cls, node, *nodes


def test_what_connects_a_loop_with_its_body() -> None:
    cls, node, parameter, result = loop()
    cls.connect_body_input(node, 2, parameter, axis=1)
    cls.connect_body_output(node, 1, result)
    cls.add_back_edge(node, parameter, result)
    assert cls.back_edge_exists(node.back_edges, 1, 0)
    assert cls.inter_edge_exists(node.input_port_map, 2, 0)
    assert cls.get_body_node_by_internal_id(node, 1) == result
    assert cls.external_port_id_to_body_node(node, 2, node.input_port_map) == parameter
    assert node.input_port_map[0]["axis"] == 1
    node.body.remove_node(parameter.id)
    cls.normalize_input_output_ports(node)
    assert (node.input_port_map, node.back_edges) == ([], [])
    assert [record["external_port_id"] for record in node.output_port_map] == [1]


def test_what_is_not_of_the_body() -> None:
    cls, node, parameter, result = loop()
    with raises_error("mo-port-map"):
        cls.connect_body_input(node, 2, result)
    with raises_error("mo-port-map"):
        cls.update_port_map_value(node.input_port_map, "external_port_id", 5, 6)
    with raises_error("mo-port-map"):
        cls.external_port_id_to_body_node(node, 0, node.input_port_map)
    result["internal_layer_id"] = parameter["internal_layer_id"]
    with raises_error("mo-port-map"):
        cls.get_body_node_by_internal_id(node, 0)


def test_branches_know_which_of_their_nodes_belong_to_ports() -> None:
    cls, graph, branch = member("ops.If", "If"), Graph(), Graph()
    result = member("ops.result", "Result")(branch, {}).create_node()
    node = cls(graph, {"then_graph": branch, "else_graph": Graph()}).create_node()
    cls.connect_body_output(node, True, 1, result)
    assert result.output_id == 1
    with raises_error("mo-port-map"):
        cls.connect_body_output(node, False, 1, result)


if __name__ == "__main__":
    write_fixture(FIXTURE, asked(oracle_program.__file__, questions()))
