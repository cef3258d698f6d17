"""Graphs that transformations of the Model Optimizer's front phase change, by name, with the file and the classes to run."""

from __future__ import annotations

from typing import Any


def ints(*values: Any) -> dict[str, Any]:
    return {"array": values[0] if len(values) == 1 else list(values), "dtype": "int64"}


def floats(values: Any) -> dict[str, Any]:
    return {"array": values, "dtype": "float32"}


def one(
    file: str, run: str, attributes: dict[str, Any], inputs: int = 1, outputs: int = 1, **more: Any
) -> dict[str, Any]:
    """A case of one node between inputs and outputs of the model."""
    nodes: dict[str, Any] = {f"p{i}": {"op": "Parameter", "type": "Parameter"} for i in range(inputs)}
    nodes["x"] = attributes
    edges: list[Any] = [[f"p{i}", 0, "x", i] for i in range(inputs)]
    for i in range(outputs):
        nodes[f"r{i}"] = {"op": "Result", "type": "Result"}
        edges.append(["x", i, f"r{i}", 0])
    return {"file": file, "run": run.split(), "nodes": nodes, "edges": edges, **more}


def chain(file: str, run: str, nodes: dict[str, Any], edges: list[Any]) -> dict[str, Any]:
    """A case of several nodes between input 'p' and output 'r'."""
    ends = {"p": {"op": "Parameter", "type": "Parameter"}, "r": {"op": "Result", "type": "Result"}}
    return {"file": file, "run": run.split(), "nodes": {**ends, **nodes}, "edges": edges}


CASES = {
    "flatten-2": one(
        "front/onnx/flattenONNX_to_reshape.py", "FlattenONNXToReshape", {"op": "FlattenONNX", "axis": 2}
    ),
    "flatten-0": one(
        "front/onnx/flattenONNX_to_reshape.py", "FlattenONNXToReshape", {"op": "FlattenONNX", "axis": 0}
    ),
    "flatten-minus": one(
        "front/onnx/flattenONNX_to_reshape.py", "FlattenONNXToReshape", {"op": "FlattenONNX", "axis": -1}
    ),
    "flatten": one(
        "front/flatten_to_reshape.py", "FlattenToReshape", {"op": "Flatten", "axis": 1, "end_axis": -1}
    ),
    "top-k": one(
        "front/TopKNormalize.py",
        "TopKNormalize",
        {"op": "TopK", "axis": 1, "k": 3, "in_ports_count": 3},
        outputs=2,
    ),
    "top-k-one-output": one(
        "front/TopKNormalize.py",
        "TopKNormalize",
        {"op": "TopK", "axis": 1, "k": 3, "in_ports_count": 3, "out_ports_count": 2},
    ),
    "slice": one(
        "front/onnx/AttributedSliceToSlice.py",
        "AttributedSliceToSliceReplacer",
        {"op": "AttributedSlice", "starts": ints([0, 1]), "ends": ints([2, 3]), "axes": ints([0, 1])},
    ),
    "softmax": one(
        "front/onnx/softmaxONNX_to_softmax.py", "SoftmaxONNXFrontReplacer", {"op": "SoftMaxONNX", "axis": 1}
    ),
    "log-softmax": one(
        "front/onnx/logsoftmaxONNX_to_logsoftmax.py",
        "LogSoftmaxONNXFrontReplacer",
        {"op": "LogSoftmaxONNX", "axis": 2},
    ),
    "div": one("front/div.py", "Div", {"op": "Div"}, inputs=2),
    "sub": one("front/sub.py", "Sub", {"op": "Sub"}, inputs=2),
    "reciprocal": one("front/reciprocal.py", "ReciprocalReplacer", {"op": "Reciprocal"}),
    "power": one(
        "front/PowerToEltwises.py",
        "PowerToEltwises",
        {"op": "AttributedPower", "power": 2.0, "scale": 3.0, "shift": 1.0},
    ),
    "gemm": one(
        "front/MatMul_normalizer.py",
        "GemmDecomposer",
        {
            "op": "Gemm",
            "alpha": 2.0,
            "beta": 3.0,
            "transpose_a": True,
            "transpose_b": False,
            "broadcast_c": True,
        },
        inputs=3,
    ),
    "log1p": one("front/Log1p.py", "Log1p", {"op": "Log1p"}),
    "size": one("front/SizeReplacer.py", "SizeFrontReplacer", {"op": "Size", "output_type": "int64"}),
    "expand-dims": one(
        "front/ExpandDimsToUnsqueeze.py",
        "ExpandDimsToUnsqueeze",
        {"op": "ExpandDims", "expand_axis": ints([1])},
    ),
    "squeeze": one(
        "front/SqueezeNormalize.py",
        "SqueezeNormalize",
        {"op": "Squeeze", "squeeze_dims": ints([2]), "in_ports_count": 2},
    ),
    "gather": one(
        "front/AttributedGatherNormalizer.py",
        "AttributedGatherNormalizer",
        {"op": "AttributedGather", "axis": 1},
        inputs=2,
    ),
    "clamp": one(
        "front/AttributedClampNormalizer.py",
        "AttributedClampNormalizer",
        {"op": "AttributedClamp", "min": 0.0, "max": 6.0},
    ),
    "split": one(
        "front/split_normalizer.py",
        "AttributedSplitToSplit",
        {"op": "AttributedSplit", "axis": 1, "num_splits": 2, "squeeze_axis": False},
        outputs=2,
    ),
    "variadic-split": one(
        "front/split_normalizer.py",
        "AttributedVariadicSplitToVariadicSplit",
        {"op": "AttributedVariadicSplit", "axis": 1, "size_splits": ints([1, 2])},
        outputs=2,
    ),
    "squeeze-of-split": one(
        "front/split_normalizer.py",
        "SqueezeAxis",
        {"op": "Split", "axis": 1, "num_splits": 2, "squeeze_axis": True},
        outputs=2,
    ),
    "rank": one("front/rank_decomposer.py", "RankDecomposer", {"op": "Rank", "output_type": "int64"}),
    "global-pooling": one(
        "front/global_pooling_to_reduce.py",
        "GlobalPoolingToReduce",
        {"op": "Pooling", "global_pool": True, "pool_method": "avg"},
    ),
    "reduce-axis": one(
        "front/reduce_axis_normalizer.py", "ReduceAxisNormalizer", {"op": "ReduceSum", "axis": ints([1, 2])}
    ),
    "one-hot-depth": one(
        "front/OneHotDepthNormalizer.py", "OneHotDepthNormalizer", {"op": "OneHot"}, inputs=2
    ),
    "fill": one("front/FillToBroadcast.py", "FillToBroadcast", {"op": "Fill"}, inputs=2),
    "pad": one(
        "front/onnx/pad_converter.py", "ONNXPadToPad", {"op": "ONNXPad", "mode": "constant"}, inputs=3
    ),
    "pack": one("front/Pack.py", "Pack", {"op": "Pack", "axis": 1}, inputs=2),
    "thresholded-relu": one(
        "front/ThresholdedReluDecomposition.py",
        "ThresholdedReluDecomposition",
        {"op": "ThresholdedRelu", "alpha": 0.5},
    ),
    "eltwise-n": one(
        "front/eltwise_n.py", "EltwiseNReplacement", {"op": "EltwiseN", "operation": "sum"}, inputs=3
    ),
    "constant-of-shape": one(
        "front/onnx/constant_of_shape_to_broadcast.py",
        "ConstantOfShapeToBroadcast",
        {"op": "ConstantOfShape", "fill_value": floats([2.0])},
    ),
    "hswish": chain(
        "front/HSwish_fusion.py",
        "HSwishWithMinMax",
        {
            "three": {"op": "Const", "value": floats(3.0)},
            "zero": {"op": "Const", "value": floats(0.0)},
            "six": {"op": "Const", "value": floats(6.0)},
            "sixth": {"op": "Const", "value": floats(1.0 / 6.0)},
            "add": {"op": "Add"},
            "max": {"op": "Maximum"},
            "min": {"op": "Minimum"},
            "mul": {"op": "Mul"},
            "mul_2": {"op": "Mul"},
        },
        [
            *(["p", 0, "add", 0], ["three", 0, "add", 1], ["add", 0, "max", 0], ["zero", 0, "max", 1]),
            *(["max", 0, "min", 0], ["six", 0, "min", 1], ["p", 0, "mul", 0], ["min", 0, "mul", 1]),
            *(["mul", 0, "mul_2", 0], ["sixth", 0, "mul_2", 1], ["mul_2", 0, "r", 0]),
        ],
    ),
    "hsigmoid-not": chain(
        "front/HSigmoid_fusion.py",
        "HSigmoidWithClamp",
        {
            "three": {"op": "Const", "value": floats(2.0)},
            "zero": {"op": "Const", "value": floats(0.0)},
            "six": {"op": "Const", "value": floats(6.0)},
            "sixth": {"op": "Const", "value": floats(1.0 / 6.0)},
            "add": {"op": "Add"},
            "clamp": {"op": "Clamp"},
            "mul": {"op": "Mul"},
        },
        [
            *(["p", 0, "add", 0], ["three", 0, "add", 1], ["add", 0, "clamp", 0], ["zero", 0, "clamp", 1]),
            *(["six", 0, "clamp", 2], ["clamp", 0, "mul", 0], ["sixth", 0, "mul", 1], ["mul", 0, "r", 0]),
        ],
    ),
    "no-op": chain(
        "front/no_op_eraser.py",
        "NoOpEraser",
        {"nothing": {"op": "NoOp"}, "x": {"op": "ReLU"}},
        [["p", 0, "x", 0], ["x", 0, "r", 0]],
    ),
}
