"""More files of the Model Optimizer to run: extractors of ONNX's nodes, classes of operations with inference, and larger graphs."""

from __future__ import annotations

from typing import Any

from tests.unit.tools.model_optimizer.mo.oracle_cases import chain, floats, ints, one


def extractor(
    file: str, cls: str, operator: str, inputs: int = 1, opset: int = 13, **own: Any
) -> dict[str, Any]:
    """A case of a node with a message, which a class of `front/onnx/` reads."""
    case = one(f"front/onnx/{file}.py", "", {"op": operator, "message": [operator, own]}, inputs, opset=opset)
    return {**case, "run": [], "extract": [cls]}


def operation(file: str, cls: str, inputs: list[Any], **own: Any) -> dict[str, Any]:
    """A case of a class of `ops/`: inputs are arrays, or lists of extents."""
    return {"file": f"ops/{file}.py", "operation": cls, "inputs": inputs, "attributes": own}


def _parameter(**own: Any) -> dict[str, Any]:
    return {"op": "Parameter", "type": "Parameter", **own}


def _result(**own: Any) -> dict[str, Any]:
    return {"op": "Result", "type": "Result", **own}


def _record(port: int, number: int, axis: int | None = None, **own: Any) -> dict[str, Any]:
    sliced = dict.fromkeys(("stride", "part_size", "start", "end"))
    return {"axis": axis, **sliced, "external_port_id": port, "internal_layer_id": number, **own}


def _mask_rcnn() -> dict[str, Any]:
    """The nodes that the configuration file names, each between what comes before it and a Result."""
    named = ["486", "454", "422", "390", "2490", "2751", "6530", "6532", "6534", "2773", "2774", "6795"]
    nodes = {"p": _parameter()} | {name: {"op": "Relu", "type": None} for name in named}
    nodes |= {f"r{name}": _result() for name in named}
    edges = [edge for name in named for edge in (["p", 0, name, 0], [name, 0, f"r{name}", 0])]
    return {
        "file": "front/onnx/mask_rcnn_conversion.py",
        "config": "front/onnx/mask_rcnn.json",
        "run": ["ONNXMaskRCNNTransformation"],
        "nodes": nodes,
        "edges": edges,
    }


def _loop() -> dict[str, Any]:
    """A loop without a trip count, whose number of the turn is not used, and that joins one output."""
    body = {
        "nodes": {
            "condition": _parameter(internal_layer_id=1),
            "state": _parameter(internal_layer_id=2),
            "next": {"op": "Relu", "type": None, "internal_layer_id": 3},
            "condition out": _result(internal_layer_id=4),
            "state out": _result(internal_layer_id=5),
            "joined": _result(internal_layer_id=6),
        },
        "edges": [
            *(["condition", 0, "condition out", 0], ["state", 0, "next", 0]),
            *(["next", 0, "state out", 0], ["next", 0, "joined", 0]),
        ],
    }
    loop = {
        "op": "Loop",
        "type": "Loop",
        "body": body,
        "sub_graphs": ["body"],
        "in_ports_count": 3,
        "out_ports_count": 3,
        "input_port_map": [
            _record(-1, 0, purpose="current_iteration"),
            *(_record(1, 1), _record(2, 2)),
        ],
        "output_port_map": [
            _record(-1, 4, purpose="execution_condition"),
            *(_record(0, 5), _record(2, 6, axis=0)),
        ],
        "back_edges": [
            {"from_layer": 4, "to_layer": 1, "from_port": 0, "to_port": 0},
            {"from_layer": 5, "to_layer": 2, "from_port": 0, "to_port": 0},
        ],
    }
    case = one("front/onnx/LoopNormalize.py", "ONNXLoopNormalize", loop, 3, 3)
    return {**case, "edges": [edge for edge in case["edges"] if edge[:3] != ["p0", 0, "x"]]}


def _gelu() -> dict[str, Any]:
    return chain(
        "front/GeLUMerger_Erf.py",
        "GeLUMergerErf",
        {
            "half": {"op": "Const", "value": floats(0.5)},
            "root": {"op": "Const", "value": floats(2.0**0.5)},
            "one": {"op": "Const", "value": floats(1.0)},
            **{
                name: {"op": op}
                for name, op in (("mul", "Mul"), ("div", "Div"), ("erf", "Erf"), ("add", "Add"))
            },
            "x": {"op": "Mul"},
        },
        [
            *(["p", 0, "mul", 0], ["half", 0, "mul", 1], ["p", 0, "div", 0], ["root", 0, "div", 1]),
            *(["div", 0, "erf", 0], ["erf", 0, "add", 0], ["one", 0, "add", 1]),
            *(["mul", 0, "x", 0], ["add", 0, "x", 1], ["x", 0, "r", 0]),
        ],
    )


def _layer_norm() -> dict[str, Any]:
    return chain(
        "front/LayerNorm.py",
        "LayerNorm",
        {
            "relu": {"op": "Relu"},
            "axis": {"op": "Const", "value": ints([-1])},
            "axis 2": {"op": "Const", "value": ints([-1])},
            "two": {"op": "Const", "value": floats(2.0)},
            "half": {"op": "Const", "value": floats(0.5)},
            "little": {"op": "Const", "value": floats(1e-6)},
            **{name: {"op": "ReduceMean"} for name in ("mean", "variance")},
            "sub": {"op": "Sub"},
            "pow": {"op": "Pow"},
            "add": {"op": "Add"},
            "sqrt": {"op": "Pow"},
            "x": {"op": "Div"},
        },
        [
            *(["p", 0, "relu", 0], ["relu", 0, "mean", 0], ["axis", 0, "mean", 1], ["relu", 0, "sub", 0]),
            *(["mean", 0, "sub", 1], ["sub", 0, "pow", 0], ["two", 0, "pow", 1], ["pow", 0, "variance", 0]),
            *(["axis 2", 0, "variance", 1], ["variance", 0, "add", 0], ["little", 0, "add", 1]),
            *(["add", 0, "sqrt", 0], ["half", 0, "sqrt", 1], ["sub", 0, "x", 0], ["sqrt", 0, "x", 1]),
            ["x", 0, "r", 0],
        ],
    )


CASES: dict[str, dict[str, Any]] = {
    "mask-rcnn": _mask_rcnn(),
    "loop": _loop(),
    "gelu": _gelu(),
    "layer-norm": _layer_norm(),
    "one-hot": one(
        "front/onnx/one_hot_normalize.py",
        "OneHotNormalize",
        {"op": "OneHot", "axis": -1, "split_values": True, "in_ports_count": 4},
        inputs=3,
    ),
    "mvn": one(
        "front/onnx/MvnOnnxToMvn.py",
        "MvnOnnxToMvn",
        {
            "op": "MVNOnnx",
            "axes": ints([0, 2, 3]),
            "eps": 1e-9,
            "eps_mode": "outside_sqrt",
            "normalize_variance": 1,
        },
    ),
    "normalize-l2": one(
        "front/onnx/normalize_l2_normalize.py",
        "NormalizeL2Normalize",
        {"op": "NormalizeL2", "axis": -1, "p": 2, "eps": 1e-6, "eps_mode": "add", "in_ports_count": 2},
    ),
    "hard-sigmoid": one(
        "front/onnx/hard_sigmoid_ext.py",
        "HardSigmoidFrontExtractor",
        {"op": "HardSigmoid", "message": ["HardSigmoid", {"alpha": 0.25}]},
    ),
    "extract-top-k": extractor("top_k_ext", "TopKExtractor", "TopK", 2, axis=1, largest=0),
    "extract-top-k-1": extractor("top_k_ext", "TopKExtractor", "TopK", opset=1, k=3),
    "extract-flatten": extractor("flatten_ext", "FlattenFrontExtractor", "Flatten", axis=2),
    "extract-slice": extractor("slice_ext", "SliceFrontExtractor", "Slice", 4),
    "extract-slice-9": extractor(
        "slice_ext", "SliceFrontExtractor", "Slice", opset=9, starts=[0, 1], ends=[2, 3]
    ),
    "extract-softmax": extractor("softmax_ext", "SoftmaxExtractor", "Softmax", axis=-1),
    "extract-log-softmax": extractor("softmax_ext", "LogSoftmaxExtractor", "LogSoftmax"),
    "extract-cumsum": extractor("cumsum_ext", "CumSumFrontExtractor", "CumSum", 2, exclusive=1),
    "extract-gather": extractor("gather_ext", "GatherFrontExtractor", "Gather", 2, axis=1),
    "extract-einsum": extractor("einsum_ext", "EinsumExtractor", "Einsum", 2, equation="bij,bjk"),
    "extract-lrn": extractor("lrn_ext", "LRNFrontExtractor", "LRN", size=3, alpha=0.5),
    "extract-expand": extractor("expand_ext", "ExpandExtractor", "Expand", 2),
    "broadcast-value": operation("broadcast", "Broadcast", [floats([1.0, 2.0]), ints([3, 2])]),
    "broadcast-shape": operation("broadcast", "Broadcast", [[1, 2], ints([4, 3, 2])]),
    "broadcast-both": operation("broadcast", "Broadcast", [[5, 1], ints([4, 1, 2])], mode="bidirectional"),
    "broadcast-both-value": operation(
        "broadcast", "Broadcast", [floats([[1.0], [2.0]]), ints([2])], mode="bidirectional"
    ),
    "broadcast-explicit": operation(
        "broadcast", "Broadcast", [[2, 3], ints([2, 4, 3]), ints([0, 2])], mode="explicit"
    ),
    "broadcast-explicit-value": operation(
        "broadcast", "Broadcast", [floats([1.0, 2.0]), ints([2, 3]), ints([0])], mode="explicit"
    ),
    "select": operation("select", "Select", [[2, 1], [1, 3], [4, 1, 1]]),
    "hard-sigmoid-value": operation(
        "hard_sigmoid", "HardSigmoid", [floats([[-9.0, 0.5]]), floats(0.25), floats(0.5)]
    ),
    "hard-sigmoid-shape": operation("hard_sigmoid", "HardSigmoid", [[2, 3], floats(0.25), floats(0.5)]),
    "cumsum-value": operation(
        "cumsum", "CumSum", [floats([1.0, 2.0, 4.0]), ints(0)], exclusive=True, reverse=True
    ),
    "cumsum-shape": operation("cumsum", "CumSum", [[2, 3], ints(1)]),
    "top-k-shape": operation("topk", "TopK", [[2, 5], ints(3)], axis=-1),
    "gather-value": operation("gather", "Gather", [floats([[1.0, 2.0], [3.0, 4.0]]), ints([1]), ints(1)]),
    "gather-shape": operation("gather", "Gather", [[2, 3, 4], [5, 6], ints(1)]),
    "attributed-gather": operation("gather", "AttributedGather", [[2, 3, 4], [5, 6]], axis=-1),
}
