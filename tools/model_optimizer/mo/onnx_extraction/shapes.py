"""Model inputs and outputs, shapes, movement of elements, indexing, bodies.

Inputs, outputs and constants of a model go with operators that make tensors; operators on shapes with such as move, cut
and join elements, select them by index or size, or write by index.

For loops and branches the model loader has already created their graphs and the connections of these.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.extractors import (
    get_onnx_datatype_as_numpy,
    get_onnx_opset_version,
    onnx_attr,
    onnx_get_num_outputs,
    onnx_node_has_attr,
)
from loomir.tools.model_optimizer.mo.graph.graph import Node
from loomir.tools.model_optimizer.mo.onnx_extraction import extracts, plain
from loomir.tools.model_optimizer.mo.shapes import (
    dynamic_dimension_value,
    float32_array,
    int64_array,
    mo_array,
    shape_array,
)

PLAIN_DATA = [plain("range", Range="Range"), plain("fake_output", FakeOutput="FakeOutput")]


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


PLAIN_SHAPES = [plain("scatternd", ScatterND="ScatterNDUpdate")]


def _text(node: Node, name: str, default: str) -> str:
    return onnx_attr(node, name, "s", default.encode()).decode()


def _axes(node: Node, name: str = "axes") -> Any:
    return int64_array(onnx_attr(node, name, "ints", []))


@extracts("Reshape")
def reshape(node: Node) -> Any:
    """Before version 5 the shape is an attribute."""
    shape = onnx_attr(node, "shape", "ints", None, int64_array)
    return "reshape", "Reshape", {} if shape is None else {"dim": shape}


@extracts("Shape")
def shape_of(node: Node) -> Any:
    return "shape", "Shape", {"output_type": np.int64}


@extracts("Size")
def size(node: Node) -> Any:
    return "size", "Size", {"output_type": np.int64}


@extracts("Flatten")
def flatten(node: Node) -> Any:
    return "flatten", "FlattenONNX", {"axis": onnx_attr(node, "axis", "i", 1)}


@extracts("Transpose")
def transpose(node: Node) -> Any:
    """Without an order it is the reverse one."""
    order = onnx_attr(node, "perm", "ints", None, int64_array)
    return "transpose", "Transpose", {"order": order, "reverse_order": order is None}


@extracts("Expand")
def expand(node: Node) -> Any:
    return "broadcast", "Broadcast", {"mode": "bidirectional"}


@extracts("Squeeze")
def squeeze(node: Node) -> Any:
    axes = _axes(node)
    return "squeeze", "Squeeze", {"squeeze_dims": axes if axes.size else None}


@extracts("Unsqueeze")
def unsqueeze(node: Node) -> Any:
    return "expand_dims", "ExpandDims", {"expand_axis": _axes(node)}


@extracts("Concat")
def concat(node: Node) -> Any:
    return "concat", "Concat", {"axis": onnx_attr(node, "axis", "i", 0)}


@extracts("Split")
def split(node: Node) -> Any:
    axis = onnx_attr(node, "axis", "i", 0, np.int64)
    sizes = onnx_attr(node, "split", "ints", None, int64_array)
    if sizes is None:
        return "split", "AttributedSplit", {"axis": axis, "num_splits": onnx_get_num_outputs(node)}
    return "split", "AttributedVariadicSplit", {"axis": axis, "size_splits": sizes}


@extracts("Slice")
def slicing(node: Node) -> Any:
    """Inputs from version 10 on. Errors: `mo-onnx-attribute`."""
    if get_onnx_opset_version(node) >= 10:
        return "slice", "Slice", {}
    starts, ends, axes = (_axes(node, name) for name in ("starts", "ends", "axes"))
    if not starts.size or not ends.size:
        raise Error("mo-onnx-attribute", "'starts' and 'ends' are missing", layer=str(node.id))
    axes = axes if axes.size else np.arange(len(starts))
    return "slice", "AttributedSlice", {"axes": axes, "starts": starts, "ends": ends}


@extracts("Crop")
def crop(node: Node) -> Any:
    """Read a Crop, whose `border` is left, top, right, bottom.

    A `border` with another number of elements is not recognised.
    """
    border = onnx_attr(node, "border", "ints", None, int64_array)
    if border is None or len(border) != 4:
        return None
    scale = onnx_attr(node, "scale", "ints", None, int64_array)
    begin = border[[1, 0]]
    cut = (
        {"crop_begin": begin, "crop_end": border[[3, 2]]}
        if scale is None
        else {"dim": scale, "offset": begin}
    )
    return "crop", "Crop", {"axis": int64_array([2, 3]), **cut}


@extracts("Pad")
def pad(node: Node) -> Any:
    """Inputs from version 11 on. Errors: `mo-onnx-attribute`."""
    mode = _text(node, "mode", "constant")
    pads = onnx_attr(node, "pads", "ints", None, int64_array)
    if pads is None and get_onnx_opset_version(node) >= 11:
        return "pad", "ONNXPad", {"mode": mode}
    if pads is None:
        raise Error("mo-onnx-attribute", "'pads' is missing", layer=str(node.id))
    value = onnx_attr(node, "value", "f", 0.0)
    return "pad", "AttributedPad", {"mode": mode, "pads": pads.reshape([2, -1]).T, "fill_value": value}


@extracts("DepthToSpace", "SpaceToDepth")
def blocks(node: Node) -> Any:
    """Errors: `mo-onnx-attribute` for a mode that ONNX does not have."""
    size = onnx_attr(node, "blocksize", "i")
    if node.op == "SpaceToDepth":
        return "space_to_depth", "SpaceToDepth", {"block_size": size}
    modes, mode = {"DCR": "blocks_first", "CRD": "depth_first"}, _text(node, "mode", "DCR")
    if mode not in modes or size is None:
        raise Error("mo-onnx-attribute", f"blocks of size {size} in mode '{mode}'", layer=str(node.id))
    return "depth_to_space", "DepthToSpaceOp", {"block_size": size, "mode": modes[mode]}


@extracts("Resize")
def resize(node: Node) -> Any:
    mode = _text(node, "mode", "nearest")
    if get_onnx_opset_version(node) < 11:
        return "ONNXResize10", "ONNXResize10", {"mode": mode}
    return (
        "ONNXResize11",
        "ONNXResize11Op",
        {
            "mode": mode,
            "coordinate_transformation_mode": _text(node, "coordinate_transformation_mode", "half_pixel"),
            "nearest_mode": _text(node, "nearest_mode", "round_prefer_floor"),
            "cube_coeff": onnx_attr(node, "cubic_coeff_a", "f", -0.75),
        },
    )


@extracts("Upsample")
def upsample(node: Node) -> Any:
    """Read an Upsample.

    Scales are an input from version 9 on; before, those of batch and channels have to be 1. Errors: `mo-onnx-attribute`.
    """
    mode = _text(node, "mode", "nearest")
    if get_onnx_opset_version(node) >= 9:
        return "ONNXResize10", "ONNXResize10", {"mode": mode}
    scales = onnx_attr(node, "scales", "floats", None, float32_array)
    height, width = onnx_attr(node, "height_scale", "f"), onnx_attr(node, "width_scale", "f")
    if scales is not None:
        if scales.shape != (4,) or np.abs(scales[:2] - 1).max() > 1e-5:
            raise Error("mo-onnx-attribute", f"'scales' is {scales.tolist()}", layer=str(node.id))
        height, width = scales[2], scales[3]
    if mode not in ("nearest", "linear") or (None in (height, width) and len(node.in_nodes()) != 2):
        what = f"mode '{mode}', height {height}, width {width}"
        raise Error("mo-onnx-attribute", what, layer=str(node.id))
    return "upsample", "UpsampleOp", {"mode": mode, "height_scale": height, "width_scale": width}


@extracts("Gather")
def gather(node: Node) -> Any:
    return "gather", "AttributedGather", {"axis": int64_array(onnx_attr(node, "axis", "i", 0))}


@extracts("GatherElements")
def gather_elements(node: Node) -> Any:
    return "gatherelements", "GatherElements", {"axis": onnx_attr(node, "axis", "i", 0)}


@extracts("GatherND")
def gather_nd(node: Node) -> Any:
    return "gathernd", "GatherND", {"batch_dims": onnx_attr(node, "batch_dims", "i", 0)}


@extracts("Scatter", "ScatterElements")
def scatter(node: Node) -> Any:
    return "scatter", "ScatterElementsUpdate", {"axis": onnx_attr(node, "axis", "i", 0)}


@extracts("OneHot")
def one_hot(node: Node) -> Any:
    return "one_hot", "OneHot", {"axis": onnx_attr(node, "axis", "i", -1), "split_values": True}


@extracts("ReverseSequence")
def reverse_sequence(node: Node) -> Any:
    axes = {
        "batch_axis": onnx_attr(node, "batch_axis", "i", 1),
        "seq_axis": onnx_attr(node, "time_axis", "i", 0),
    }
    return "reverse_sequence", "ReverseSequence", axes


@extracts("ArgMax", "ArgMin")
def arg(node: Node) -> Any:
    found = {
        "axis": onnx_attr(node, "axis", "i", 0),
        "top_k": 1,
        "keepdims": onnx_attr(node, "keepdims", "i", 1),
        "remove_values_output": True,
    }
    if node.op == "ArgMin":
        return "argmin", "ArgMinOp", found
    return "argmax", "ArgMaxOp", {**found, "out_max_val": 0}


@extracts("TopK")
def top_k(node: Node) -> Any:
    """Read a TopK.

    The number of elements is an attribute in version 1; the order is selectable from version 11 on.
    """
    found = {
        "axis": onnx_attr(node, "axis", "i", -1),
        "index_element_type": np.int64,
        "sort": "value" if onnx_attr(node, "sorted", "i", 1) else "none",
        "mode": "max" if onnx_attr(node, "largest", "i", 1) else "min",
    }
    if onnx_node_has_attr(node, "k"):
        found["k"] = onnx_attr(node, "k", "i")
    return "topk", "TopK", found


_KEPT = ("input_port_map", "output_port_map", "back_edges", "body", "then_graph", "else_graph")


def _kept(node: Node) -> dict[str, Any]:
    return {name: node[name] for name in _KEPT if node.has(name)}


@extracts("Loop")
def loop(node: Node) -> Any:
    return "loop", "Loop", _kept(node)


@extracts("If")
def branches(node: Node) -> Any:
    return "If", "If", _kept(node)


PLAIN = [*PLAIN_DATA, *PLAIN_SHAPES]
