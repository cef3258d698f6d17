"""`python -m tests.mo_extraction`: what an installed Model Optimizer's extractors read of a sample of nodes, as a fixture.

`LOOMIR_MO_ORACLE` says where it is. The sample has of ONNX's node tests one for each operator and set of attributes, and nodes made
here of operators that those do not have: of old versions, and of projects that extend ONNX.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Iterator
from typing import Any

import onnx
from onnx import TensorProto, helper

from tests.mo_oracle import asked, write_fixture
from tests.unit.tools.model_optimizer.mo import extraction_program

FIXTURE = "extraction.json"


def node_tests() -> dict[str, onnx.ModelProto]:
    """All of ONNX's node tests of the installed package, by name."""
    from onnx.backend.test.case.node import collect_testcases

    return {case.name: case.model for case in collect_testcases(None) if case.model is not None}


def sample() -> dict[str, onnx.ModelProto]:
    """Models of the fixture by name."""
    chosen: dict[Any, tuple[str, onnx.ModelProto]] = {}
    for name, model in sorted(node_tests().items()):
        node = model.graph.node[0]
        if len(model.graph.node) == 1 and not node.domain:
            chosen.setdefault((node.op_type, frozenset(a.name for a in node.attribute)), (name, model))
    return dict(chosen.values()) | dict(made())


def _of(operator: str, opset: int, inputs: int, attributes: dict[str, Any]) -> onnx.ModelProto:
    """A model of one node; which shapes would be right does not matter to extractors."""
    names = [f"x{i}" for i in range(inputs)], ["y"]
    node = helper.make_node(operator, *names)
    node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
    values = [
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, "n", 0, 4]) for n in part] for part in names
    ]
    graph = helper.make_graph([node], "made", *values)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def made() -> Iterator[tuple[str, onnx.ModelProto]]:
    """Old versions, and operators beside ONNX's own, without attributes where that can be, and with some."""
    for number, (operator, opset, inputs, attributes) in enumerate(
        [
            *(
                ("Add", 6, 2, {"axis": 1}),
                ("Reshape", 1, 1, {"shape": [2, -1]}),
                ("Clip", 6, 1, {"min": -1.0}),
            ),
            *(("Slice", 9, 1, {"starts": [0, 1], "ends": [2, 3]}), ("Clip", 6, 1, {})),
            ("Slice", 9, 1, {"starts": [0], "ends": [2], "axes": [1]}),
            *(
                ("Pad", 2, 1, {"pads": [0, 1, 2, 3], "value": 1.5}),
                ("Pad", 2, 1, {"pads": [0, 1], "mode": "edge"}),
            ),
            *(("Upsample", 7, 1, {"scales": [1.0, 1.0, 2.0, 3.0]}), ("Upsample", 9, 2, {"mode": "linear"})),
            *(("Resize", 10, 2, {}), ("TopK", 1, 1, {"k": 3}), ("TopK", 10, 2, {"axis": 1})),
            *(
                ("Squeeze", 11, 1, {"axes": [0]}),
                ("Squeeze", 11, 1, {}),
                ("Unsqueeze", 11, 1, {"axes": [0, 2]}),
            ),
            *(("Split", 11, 1, {"axis": 1, "split": [1, 2]}), ("Split", 11, 1, {})),
            *(
                ("ReduceSum", 11, 1, {"axes": [1], "keepdims": 0}),
                ("Gemm", 6, 3, {"broadcast": 1, "transA": 1}),
            ),
            *(("Dropout", 6, 1, {"is_test": 1, "ratio": 0.5}), ("Scatter", 9, 3, {"axis": 1})),
            *(
                ("RandomUniform", 13, 0, {"shape": [2, 3], "dtype": 1, "high": 2.0}),
                ("Scale", 1, 1, {"scale": 2.0}),
            ),
            *(
                ("Crop", 1, 1, {"border": [1, 2, 3, 4]}),
                ("Crop", 1, 1, {"border": [1, 2, 3, 4], "scale": [5, 6]}),
            ),
            *(
                ("ImageScaler", 1, 1, {"scale": 2.0, "bias": [1.0, 2.0]}),
                ("Affine", 1, 1, {"alpha": 2.0, "beta": 1.0}),
            ),
            *(
                ("ConstantFill", 1, 1, {"input_as_shape": 1, "value": 2.0}),
                ("ATen", 1, 2, {"operator": "embedding_bag"}),
            ),
            *(
                ("DequantizeLinear", 10, 3, {}),
                ("QuantizeLinear", 13, 3, {"axis": 1}),
                ("PriorBox", 13, 2, {}),
            ),
            *(("Normalize", 13, 2, {}), ("Normalize", 13, 2, {"across_spatial": 1, "eps": 0.5})),
            (
                "PriorBox",
                13,
                2,
                {"min_size": [1.0], "max_size": [2.0], "aspect_ratio": [2.0], "variance": [0.1, 0.2]},
            ),
            *(
                ("PriorBoxClustered", 13, 2, {}),
                ("PriorBoxClustered", 13, 2, {"width": [1.0], "height": [2.0]}),
            ),
            *(("CTCGreedyDecoder", 13, 2, {}), ("CTCGreedyDecoder", 13, 2, {"merge_repeated": 0})),
            *(("FakeQuantize", 13, 5, {"levels": 255}), ("GroupNorm", 13, 3, {"num_groups": 2, "eps": 0.5})),
            ("DetectionOutput", 13, 3, {"code_type": "CENTER_SIZE", "resize_mode": "WARP", "pad_value": "1"}),
            ("DetectionOutput", 13, 3, {"code_type": "CORNER", "interp_mode": "AREA", "num_classes": 3}),
            ("DeformableConv2D", 13, 3, {"pads": [1, 1, 2, 2], "group": 2, "deformable_groups": 2}),
            *(
                (
                    "DeformableConv2D",
                    13,
                    3,
                    {"auto_pad": "SAME_LOWER", "strides": [2, 2], "dilations": [1, 1]},
                ),
            ),
            *((f"ExperimentalDetectron{name}", 13, 2, {}) for name in _EXPERIMENTAL),
            ("ExperimentalDetectronROIFeatureExtractor", 13, 2, {"pyramid_scales": [4, 8], "aligned": 1}),
            ("ExperimentalDetectronDetectionOutput", 13, 4, {"deltas_weights": [1.0, 2.0], "num_classes": 5}),
            *(("ExperimentalDetectronGroupNorm", 13, 3, {}), ("PRelu", 13, 2, {}), ("Swish", 13, 2, {})),
            *(
                ("RoiAlign", 13, 3, {}),
                ("RoiAlign", 16, 3, {"coordinate_transformation_mode": "output_half_pixel"}),
            ),
            *(
                ("MaxPool", 13, 1, {"kernel_shape": [2], "pads": [1]}),
                ("NoSuchOperator", 13, 1, {"some": [1, 2]}),
            ),
            ("RNN", 13, 3, {"direction": "bidirectional", "activations": ["Relu"], "hidden_size": 2}),
            ("LSTM", 13, 3, {"activations": ["Sigmoid", "Tanh", "Tanh"], "clip": 1.0, "hidden_size": 2}),
            ("GRU", 13, 3, {"activation_alpha": [1.0], "activation_beta": [2.0], "hidden_size": 2}),
        ]
    ):
        yield f"made {number}: {operator}-{opset}", _of(operator, opset, inputs, attributes)


_EXPERIMENTAL = (
    *("DetectionOutput", "PriorGridGenerator", "GenerateProposalsSingleImage", "ROIFeatureExtractor"),
    "TopKROIs",
)


def encoded(models: dict[str, onnx.ModelProto]) -> dict[str, str]:
    """In base64."""
    return {name: base64.b64encode(model.SerializeToString()).decode() for name, model in models.items()}


def oracle(models: dict[str, str]) -> dict[str, Any]:
    """Return the data that the Model Optimizer reads from models in base64."""
    return asked(extraction_program.__file__, models)


def main() -> int:
    models = encoded(sample())
    answers = oracle(models)
    rows = {name: {"model": model, "nodes": answers[name]} for name, model in models.items()}
    write_fixture(FIXTURE, rows, onnx=onnx.__version__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
