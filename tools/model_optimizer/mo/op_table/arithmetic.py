"""Elementwise operations, activations, reductions, matrix products, quantisation.

Elementwise operations have one operand or several. Activation functions of one tensor have their names in
`ops.activation_ops`. The reductions over axes go with cumulative sums, matrix products, and the largest elements; Einsum's
class has functions that extractors call. Further families: operations that quantise, and that undo it; Fourier
transforms, and complex numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.dialects.ov.operators.contraction import explicit
from loomir.tools.model_optimizer.mo.op_table import OpRow, boolean, element_type, same

_ELEMENTWISE_ATTRIBUTES: dict[str, Any] = {
    "can_be_bias": True,
    "can_be_fused": True,
    "is_eltwise": True,
    "stop_value_propagation": False,
    "auto_broadcast": "numpy",
}


def _of_two(name: str, type: str | None = None, base: str = "Elementwise", **own: Any) -> OpRow:
    names = {"op": name, "type": type or name, "version": "opset1", **own}
    common = {"inputs": 2, "attributes": _ELEMENTWISE_ATTRIBUTES, "backend": ["auto_broadcast"]}
    return OpRow("elementwise", name, **names, **common, base=base)


def _of_one(name: str, version: str = "opset1", **own: Any) -> OpRow:
    attributes = {**_ELEMENTWISE_ATTRIBUTES, **own.pop("attributes", {})}
    return OpRow(
        "elementwise", name, name, name, version, 1, attributes=attributes, base="UnaryElementwise", **own
    )


_OPERATIONS = {
    "sum": "Add",
    "mul": "Mul",
    "max": "Max",
    "pow": "Pow",
    "less": "Less",
    "less_equal": "LessEqual",
    "greater": "Greater",
    "greater_equal": "GreaterEqual",
    "equal": "Equal",
    "not_equal": "NotEqual",
    "floor_mod": "FloorMod",
    "logical_or": "LogicalOr",
    "logical_and": "LogicalAnd",
    "logical_xor": "LogicalXor",
    "log": "Log",
}


def _n_ary(name: str, operation: str) -> OpRow:
    """Return the row of an n-ary elementwise operation.

    Such operations are not looked up by the name of their operation, and attributes from the caller have no meaning.
    """
    return OpRow(
        *("eltwise_n", name, "EltwiseN", None, None, None),
        base="EltwiseN",
        attributes={"operation": operation},
        fixed=True,
    )


def _called_as_its_operation(attributes: dict[str, Any]) -> None:
    attributes["op"] = _OPERATIONS[attributes["operation"]]


ELEMENTWISE = [
    OpRow(
        *("elementwise", "Elementwise", None, None, "opset1", 2),
        attributes=_ELEMENTWISE_ATTRIBUTES,
        backend=["auto_broadcast"],
    ),
    OpRow(
        *("elementwise", "UnaryElementwise", None, None, "opset1", 1),
        attributes=_ELEMENTWISE_ATTRIBUTES,
        base="Elementwise",
    ),
    _of_two("Add"),
    _of_two("BiasAdd", "BiasAdd", "Add", op="Add"),
    _of_two("Sub", "Subtract"),
    _of_two("Mul", "Multiply"),
    _of_two("Div", "Divide"),
    _of_two("SquaredDifference"),
    _of_two("Pow", "Power"),
    OpRow(
        *("elementwise", "LogicalElementwise", None, None, "opset1", 2),
        attributes=_ELEMENTWISE_ATTRIBUTES,
        backend=["auto_broadcast"],
        base="Elementwise",
    ),
    *(
        _of_two(name, base="LogicalElementwise")
        for name in (
            "Greater",
            "GreaterEqual",
            "Less",
            "LessEqual",
            "Equal",
            "NotEqual",
            "LogicalOr",
            "LogicalAnd",
        )
    ),
    *(_of_two(name) for name in ("LogicalXor", "Maximum", "Minimum", "FloorMod", "Mod")),
    *(_of_two(name, version="opset13") for name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")),
    _of_one("Negative"),
    _of_one("Sqrt"),
    _of_one("BitwiseNot", "opset13"),
    _of_one("Round", "opset5", attributes={"mode": "half_to_even"}, backend=["mode"]),
    OpRow(
        *("select", "Select", "Select", "Select", "opset1", 3),
        attributes={"auto_broadcast": "numpy"},
        backend=["auto_broadcast"],
    ),
    OpRow(
        *("Cast", "Cast", "Cast", "Convert", "opset1"),
        attributes={"dst_type": None},
        backend=element_type("dst_type", "destination_type"),
    ),
    OpRow("identity", "Identity", "Identity", attributes={"identity": True}),
    OpRow("identity", "IdentityN", "IdentityN", inputs=None, outputs=None),
    OpRow(
        *("power", "AttributedPower", "AttributedPower", "Power"),
        attributes={"power": 1, "scale": 1, "shift": 0},
        backend=["power", "scale", "shift"],
    ),
    OpRow("eltwise_n", "EltwiseN", "EltwiseN", inputs=None, requires=("operation",)),
    _n_ary("EltwiseNMul", "mul"),
    _n_ary("EltwiseNMin", "min"),
    _n_ary("EltwiseNMax", "max"),
    _n_ary("EltwiseNAdd", "sum"),
    OpRow(
        *("eltwise", "Eltwise", "Eltwise", "Eltwise", None, 2),
        backend=["operation"],
        requires=("operation",),
        completed=_called_as_its_operation,
    ),
    OpRow("eltwise_ninputs_in_1", "EltwiseNin1", "EltwiseNin1", inputs=None, requires=("operation",)),
    OpRow("ConvertLike", "ConvertLike", "ConvertLike", "ConvertLike", "opset1", 2),
    OpRow("ClipByValueTF", "ClibByValueTF", "ClipByValueTF", inputs=3),
]


MODULE = "activation_ops"

_PLAIN = {
    "opset1": (
        *(
            "Sigmoid",
            "Sin",
            "Sinh",
            "Asin",
            "Cos",
            "Cosh",
            "Acos",
            "Tan",
            "Tanh",
            "Atan",
            "Exp",
            "ReLU",
            "Erf",
        ),
        *("Floor", "Ceiling", "Abs", "Sign", "LogicalNot", "Log"),
    ),
    "opset4": ("Asinh", "Acosh", "Atanh", "SoftPlus", "Mish", "HSwish"),
    "opset5": ("HSigmoid",),
    "opset9": ("SoftSign",),
}


def _activation(name: str, version: str | None, type: str | None, **own: Any) -> OpRow:
    return OpRow(MODULE, name, name, type, version, base="Activation", **own)


def _clamp(module: str, name: str, **own: Any) -> OpRow:
    return OpRow(module, name, "AttributedClamp", "Clamp", "opset1", backend=["max", "min"], **own)


ACTIVATIONS = [
    OpRow(MODULE, "Activation", version="opset1"),
    *(_activation(name, version, name) for version, names in _PLAIN.items() for name in names),
    _activation("Elu", "opset1", "Elu", attributes={"alpha": 1.0}, backend=["alpha"]),
    _activation("ThresholdedRelu", "opset1", None, attributes={"alpha": 1.0}),
    _clamp(MODULE, "ReLU6", attributes={"min": 0, "max": 6}),
    OpRow(MODULE, "LeakyReLU", "LeakyReLU", "LeakyReLU", backend=["negative_slope"]),
    OpRow(MODULE, "Swish", "Swish", "Swish", "opset4", 2),
    _clamp("clamp", "AttributedClamp"),
    OpRow("clamp", "Clamp", "Clamp", inputs=3),
    OpRow(*("softmax", "Softmax", "SoftMax", "SoftMax", "opset8"), attributes={"axis": 1}, backend=["axis"]),
    OpRow("softmax", "SoftmaxONNX", "SoftMaxONNX", attributes={"axis": 1}),
    OpRow(
        *("log_softmax", "LogSoftmax", "LogSoftmax", "LogSoftmax", "opset5"),
        attributes={"axis": 1},
        backend=["axis"],
    ),
    OpRow("log_softmax", "LogSoftmaxONNX", "LogSoftmaxONNX", attributes={"axis": 1}),
    OpRow(*("gelu", "GeLUOP", "Gelu", "Gelu", "opset7"), backend={"opset7": ["approximation_mode"]}),
    OpRow("hard_sigmoid", "HardSigmoid", "HardSigmoid", "HardSigmoid", "opset1", 3),
    OpRow(
        "prelu", "PReLU", "PReLU", "PReLU", "opset1", 2, attributes={"force_precision_in_ports": {1: "float"}}
    ),
    OpRow(
        *("activation", "Activation", "Activation", "Activation"),
        backend=[("type", lambda node: node.operation), "alpha"],
    ),
]

ACTIVATION_NAMES = {
    MODULE: {
        "activation_ops": ["Sigmoid", "Tanh", "ReLU6", "Exp", "Elu", "LogicalNot", "Floor", "Ceiling"],
    }
}


_REDUCTION_ATTRIBUTES: dict[str, Any] = {"keep_dims": False, "force_precision_in_ports": {1: "int64"}}


def _truth(attributes: dict[str, Any]) -> None:
    attributes["keep_dims"] = bool(attributes["keep_dims"])


def _reduction(
    name: str, type: str | None = None, version: str = "opset1", base: str | None = "ReduceOp"
) -> OpRow:
    return OpRow(
        *("ReduceOps", name, name if base else None, (type or name) if base else None, version, 2),
        attributes=_REDUCTION_ATTRIBUTES,
        backend=boolean("keep_dims"),
        completed=_truth,
        base=base,
    )


def _l1(x: Any, axis: Any, keepdims: bool) -> Any:
    return np.sum(np.absolute(x), axis=axis, keepdims=keepdims)


def _l2(x: Any, axis: Any, keepdims: bool) -> Any:
    return np.sqrt(np.sum(np.square(x), axis=axis, keepdims=keepdims))


_MATRICES: dict[str, Any] = {
    "attributes": {"transpose_a": False, "transpose_b": False},
    "backend": boolean("transpose_a", "transpose_b"),
}
_TOP_K = ["axis", "mode", "sort"]

REDUCTIONS = [
    _reduction("ReduceOp", base=None),
    *(
        _reduction(f"Reduce{name}")
        for name in ("Sum", "Prod", "Min", "Max", "Mean", "LogicalAnd", "LogicalOr")
    ),
    _reduction("ReduceAnd", "ReduceLogicalAnd"),
    _reduction("ReduceL1", version="opset4"),
    _reduction("ReduceL2", version="opset4"),
    OpRow("cumsum", "CumSum", "CumSum", "CumSum", "opset3", 2, backend=boolean("exclusive", "reverse")),
    OpRow("MatMul", "MatMul", "MatMul", "MatMul", "opset1", 2, **_MATRICES),
    OpRow("MatMul", "Gemm", "GEMM", "GEMM", "opset1", 2, base="MatMul", **_MATRICES),
    OpRow(
        *("MatMul", "GemmONNX", "Gemm", None, None, 3),
        attributes={"transpose_a": False, "transpose_b": False, "alpha": 1, "beta": 1, "broadcast_c": True},
    ),
    OpRow("MatMul", "FullyConnected", "FullyConnected", "FullyConnected", None, 3, backend=["out-size"]),
    OpRow(
        *("topk", "TopK", "TopK", "TopK", "opset3", 3, 2),
        attributes={
            "index_element_type": np.int32,
            "axis": None,
            "mode": "max",
            "sort": "none",
            "force_precision_in_ports": {1: "int32"},
        },
        backend={
            "opset1": _TOP_K,
            "opset3": [*_TOP_K, *element_type("index_element_type")],
            "opset11": [*_TOP_K, "stable", *element_type("index_element_type")],
        },
    ),
]

REDUCTION_NAMES = {
    "ReduceOps": {
        "reduce_map": {
            "ReduceSum": np.sum,
            "ReduceProd": np.prod,
            "ReduceL1": _l1,
            "ReduceL2": _l2,
            "ReduceMax": np.max,
            "ReduceMin": np.min,
            "ReduceMean": np.mean,
            "ReduceAnd": np.all,
            "ReduceLogicalAnd": np.all,
            "ReduceLogicalOr": np.any,
        }
    }
}


def parse_equation(node_name: str, equation: str) -> tuple[list[str], str]:
    """Return the labels of the operands and of the result.

    The result's labels follow from those of the operands if the equation does not have them.
    """
    return explicit(equation)


def normalize_equation(node_name: str, equation: str) -> str:
    """The equation with the result's labels."""
    operands, result = explicit(equation)
    return f"{','.join(operands)}->{result}"


EINSUM = [
    OpRow(
        *("einsum", "Einsum", "Einsum", "Einsum", "opset7", None),
        backend=["equation"],
        members={
            "parse_equation": staticmethod(parse_equation),
            "normalize_equation": staticmethod(normalize_equation),
        },
    ),
]


def _linear(module: str, name: str) -> OpRow:
    """Quantisation as ONNX has it."""
    return OpRow(module, name, name, inputs=3, attributes={"axis": None, "version": None}, backend=["axis"])


QUANTIZATION = [
    same(
        *("fakequantize", "FakeQuantize", "opset1", 5),
        attributes={"is_eltwise": True, "auto_broadcast": "numpy"},
        backend=["levels", "auto_broadcast"],
        requires=("levels",),
    ),
    _linear("quantize_linear", "QuantizeLinear"),
    _linear("dequantize_linear", "DequantizeLinear"),
    OpRow("binarization", "Binarization", "Binarization", attributes={"dst_type": None}),
]


FOURIER = [
    OpRow("dft", "FFTBase", None, None, "opset7", 3),
    *(same("dft", name, "opset7", 3, base="FFTBase") for name in ("DFT", "IDFT")),
    same("dft", "RDFT", "opset9", 3),
    same("dft", "IRDFT", "opset9", 3, base="FFTBase"),
    OpRow("TFFFT", "TFFFT", "TFFFT", requires=("fft_kind", "num_of_dimensions")),
    OpRow("mxfft", "MXFFT", "MXFFT", requires=("is_inverse",)),
    OpRow("Complex", "Complex", "Complex", inputs=2),
]

ROWS = [*ELEMENTWISE, *ACTIVATIONS, *REDUCTIONS, *EINSUM, *QUANTIZATION, *FOURIER]
NAMES = {**ACTIVATION_NAMES, **REDUCTION_NAMES}
