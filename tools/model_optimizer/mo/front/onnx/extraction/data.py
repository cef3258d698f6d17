"""Inputs, outputs and constants of a model, and operators that make tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import (
    dynamic_dimension_value,
    int64_array,
    mo_array,
    shape_array,
)
from loomir.tools.model_optimizer.mo.front.onnx.extracting import extracts, plain
from loomir.tools.model_optimizer.mo.front.onnx.extractors.utils import get_onnx_datatype_as_numpy, onnx_attr
from loomir.tools.model_optimizer.mo.graph.graph import Node

PLAIN = [plain("range", Range="Range"), plain("fake_output", FakeOutput="FakeOutput")]


def _constant(value: Any) -> Any:
    return "const", "Const", {"data_type": value.dtype, "value": value}


@extracts("Const")
def initializer(node: Node) -> Any:
    return _constant(onnx.numpy_helper.to_array(node.pb_init))


@extracts("Constant")
def constant(node: Node) -> Any:
    """Read a constant: a tensor or one of version 12's short forms.

    Text and sparse tensors are not recognised.
    """
    forms = {"value_float": ("f", np.float32), "value_floats": ("floats", np.float32)}
    forms |= {"value_int": ("i", np.int64), "value_ints": ("ints", np.int64)}
    tensor = onnx_attr(node, "value", "t")
    if tensor is not None:
        return _constant(onnx.numpy_helper.to_array(tensor))
    for name, (field, dtype) in forms.items():
        held = onnx_attr(node, name, field)
        if held is not None:
            return _constant(np.array(held, dtype=dtype))
    return None


@extracts("Parameter")
def parameter(node: Node) -> Any:
    """Read an input of the model.

    Dimensions with a name, without an extent, or with the extent zero are unknown. An input that is no tensor is not
    recognised.
    """
    if not node.pb.type.HasField("tensor_type"):
        return None
    tensor = node.pb.type.tensor_type
    extents = [
        d.dim_value if not d.dim_param and d.dim_value else dynamic_dimension_value for d in tensor.shape.dim
    ]
    data_type = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    return "parameter", "Parameter", {"shape": shape_array(extents), "data_type": data_type}


@extracts("Result")
def result(node: Node) -> Any:
    return "result", "Result", {}


@extracts("ConstantOfShape")
def constant_of_shape(node: Node) -> Any:
    value = onnx_attr(node, "value", "t", mo_array([0.0]), onnx.numpy_helper.to_array)
    return "constant_of_shape", "ConstantOfShape", {"fill_value": value}


@extracts("ConstantFill")
def constant_fill(node: Node) -> Any:
    """Known is only what takes its shape from the input, as float32."""
    as_shape = onnx_attr(node, "input_as_shape", "i")
    other = onnx_attr(node, "extra_shape", "ints") or onnx_attr(node, "shape", "ints")
    if not as_shape or other or onnx_attr(node, "dtype", "i", 1) != 1:
        return None
    filled = {"fill_value": onnx_attr(node, "value", "f", 0.0), "input_as_shape": as_shape}
    return "constant_fill", "ConstantFill", filled


@extracts("RandomUniform")
def random_uniform(node: Node) -> Any:
    dtype = get_onnx_datatype_as_numpy(onnx_attr(node, "dtype", "i", 1))
    return (
        "random_uniform",
        "AttributedRandomUniform",
        {
            "shape": onnx_attr(node, "shape", "ints", None, int64_array),
            "output_type": dtype,
            "seed": onnx_attr(node, "seed", "f", 0.0),
            "min_val": dtype(onnx_attr(node, "low", "f", 0.0)),
            "max_val": dtype(onnx_attr(node, "high", "f", 1.0)),
        },
    )


@extracts("NonZero")
def non_zero(node: Node) -> Any:
    return "non_zero", "NonZero", {"output_type": np.int64}
