"""Shapes and values of the Model Optimizer, and their broadcasting.

They are numpy arrays in which a masked element is an unknown dimension. Broadcasting of shapes and values is as in numpy
or by named axes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from loomir.errors import Error

dynamic_dimension = np.ma.masked
"""A dimension that is not known, as an element of a shape."""

dynamic_dimension_value = -1000000007
"""The integer that stands for it where there is no mask."""


def shape_array(value: Any, dtype: Any = np.int64) -> Any:
    """Convert `value` to a masked array.

    `value` is a sequence of integers, masked elements, or the integer for an unknown one.
    """
    if isinstance(value, Iterable) and not (isinstance(value, np.ndarray) and value.ndim == 0):
        # numpy makes nan of the masked constant in a list, and not a masked element.
        value = [dynamic_dimension_value if item is dynamic_dimension else item for item in value]
    return np.ma.masked_equal(value, dynamic_dimension_value).astype(dtype)


def undefined_shape_of_rank(rank: int) -> np.ma.MaskedArray:
    """A shape of `rank` unknown dimensions."""
    return shape_array([dynamic_dimension_value] * rank)


def compatible_dims(dim1: Any, dim2: Any) -> bool:
    """Return True if the two dimensions may be equal."""
    return dim1 is dynamic_dimension or dim2 is dynamic_dimension or bool(dim1 == dim2)


def compatible_shapes(shape1: np.ndarray, shape2: np.ndarray) -> bool:
    """Return True if the two shapes may be equal."""
    if shape1.ndim != shape2.ndim or shape1.size != shape2.size:
        return False
    return all(compatible_dims(a, b) for a, b in zip(shape1, shape2))


def strict_compare_tensors(tensor1: Any, tensor2: Any) -> bool:
    """Return True if both tensors hold the same elements.

    Unknown elements must be at the same positions.
    """
    if tensor1 is None or tensor2 is None:
        return tensor1 is None and tensor2 is None
    first, second = (
        t
        if isinstance(t, np.ma.MaskedArray)
        else shape_array(t, t.dtype if isinstance(t, np.ndarray) else np.int64)
        for t in (tensor1, tensor2)
    )
    if first.shape != second.shape:
        return False
    known, other = ~np.ma.getmaskarray(first), ~np.ma.getmaskarray(second)
    return np.array_equal(known, other) and np.array_equal(first.data[known], second.data[known])


def shape_delete(shape: np.ndarray, obj: int | Sequence[int] | np.ndarray) -> np.ma.MaskedArray:
    """Return `shape` without the elements at the positions `obj`.

    Positions may count from the end. Errors: `mo-shape-edit`.
    """
    if not isinstance(obj, int | np.integer | list | np.ndarray):
        raise Error(
            "mo-shape-edit", f"positions to remove from a shape are integers, not {type(obj).__name__}"
        )
    positions = np.atleast_1d(np.asarray(obj, dtype=np.int64)).tolist()
    size = len(shape)
    if any(not -size <= position < size for position in positions):
        raise Error("mo-shape-edit", f"a shape of {size} dimensions has none at {positions}")
    removed = {position % size for position in positions}
    kept = [position for position in range(size) if position not in removed]
    return np.ma.array(shape)[kept]


def shape_insert(shape: Any, pos: int, obj: Any) -> np.ma.MaskedArray:
    """`shape` with `obj` (a dimension or several) before position `pos`. Errors: `mo-shape-edit`."""
    if obj is dynamic_dimension or isinstance(obj, int | np.integer):
        obj = [obj]
    if not isinstance(obj, list | np.ndarray):
        raise Error("mo-shape-edit", f"only integers can be inserted into a shape, not {type(obj).__name__}")
    return np.ma.concatenate((shape_array(shape[:pos]), shape_array(obj), shape_array(shape[pos:])))


def unmask_shape(value: Any) -> Any:
    """Return a shape as a list with -1 for unknown dimensions.

    A value without a mask is returned unchanged.
    """
    return value.tolist(-1) if isinstance(value, np.ma.MaskedArray) else value


def is_fully_defined(value: Any) -> bool:
    """Return True if the value exists and has no unknown part."""
    if value is None or value is dynamic_dimension:
        return False
    if isinstance(value, np.ma.MaskedArray):
        return not np.ma.is_masked(value)
    if isinstance(value, list | tuple):
        return all(item is not dynamic_dimension for item in value)
    return True


def int64_array(value: Any) -> np.ndarray:
    return np.array(value, dtype=np.int64)


def float32_array(value: Any) -> np.ndarray:
    return np.array(value, dtype=np.float32)


def int8_array(value: Any) -> np.ndarray:
    return np.array(value, dtype=np.int8)


def float_array(value: Any) -> np.ndarray:
    return float32_array(value)


def mo_array(value: Any, dtype: Any = None) -> np.ndarray:
    """`numpy.array`, but Python's floats become float32 where no type is asked for."""
    array = np.array(value, dtype=dtype)
    if array.dtype == np.float64 and dtype != np.float64 and not isinstance(value, np.ndarray):
        return array.astype(np.float32)
    return array


def mark_input_bins(node: Any, names: Sequence[str] = ("weights", "biases"), start_port: int = 1) -> None:
    """Mark input edges that carry a value as weights.

    The names apply to the ports from `start_port` on.
    """
    for port, name in enumerate(names, start=start_port):
        if port in node.in_nodes() and node.in_node(port).has_valid("value"):
            node.in_edge(port)["bin"] = name


def assign_dims_to_weights(
    node: Any, spatial: Any, input_channel: Any, output_channel: Any = None, dims_number: int | None = None
) -> None:
    """Record the spatial and channel dimensions of the weights in `node`."""
    if spatial is not None:
        node["spatial_dims"] = int64_array(spatial)
    node["input_channel_dim"] = None if input_channel is None else int64_array(input_channel)
    node["output_channel_dim"] = None if output_channel is None else int64_array(output_channel)
    if node.has("dim_attrs") and "input_channel_dim" not in node["dim_attrs"]:
        node["dim_attrs"].append("input_channel_dim")
    node["dims_number"] = dims_number


def copy_or_none(x: Any) -> Any:
    return None if x is None else x.copy()


def convert_tf_padding_to_str(padding: str) -> str:
    """TensorFlow's padding as `auto_pad` of a convolution."""
    return {"SAME": "same_upper", "VALID": "valid"}[padding]


def convert_deconv_tf_padding_to_str(padding: str) -> str:
    """Convert TensorFlow's padding to `auto_pad` of a transposed convolution.

    A transposed convolution pads the other end.
    """
    return {"SAME": "same_lower", "VALID": "valid"}[padding]


def tf_window_op_pad_infer(
    input: Any, window: Any, stride: Any, auto_pad: str | None, is_deconv: bool = False, dilation: Any = None
) -> tuple[Any, Any]:
    """Return padding and output extents of a sliding window.

    The padding has a pair for each dimension. Both results are None if an argument is unknown.

    Errors: `mo-shape-edit` for another `auto_pad` than same_lower, same_upper and valid.
    """
    if input is None or window is None or stride is None or auto_pad is None:
        return None, None
    steps = 1 / stride if is_deconv else stride
    if auto_pad == "valid":
        reach = (window - 1) * (np.ones(len(input), np.int64) if dilation is None else dilation) + 1
        output = np.asarray(np.ceil((input - reach + 1) / steps)).astype(np.int64)
        return np.zeros((len(output), 2), dtype=np.int64), output
    if auto_pad not in ("same_lower", "same_upper"):
        raise Error("mo-shape-edit", f"there is no padding '{auto_pad}'")
    rest = input % stride
    whole = np.ma.maximum(np.ma.where(rest == 0, window - stride, window - rest), 0)
    low = np.int64(whole / 2)
    pad = shape_array([low, whole - low]).transpose()
    return pad, np.ma.ceil(input / steps)


def is_dynamic_slice(s: Any) -> bool:
    """Return True if `s` is a slice with an unknown bound."""
    return isinstance(s, slice) and any(part is dynamic_dimension for part in (s.start, s.stop, s.step))


def get_shape_from_slice(input_shape: np.ndarray, slices: Sequence[Any]) -> np.ma.MaskedArray:
    """Return the shape of the result of indexing with `slices`.

    An unknown slice or dimension results in an unknown dimension.

    Errors: `mo-shape-edit` for anything but a slice, integer, new axis or ellipsis.
    """
    rest = len(input_shape) - len(slices) + sum(s is np.newaxis for s in slices) + 1
    shape: list[Any] = []
    at = 0
    for s in slices:
        if s is np.newaxis:
            shape.append(1)
        elif s is Ellipsis:
            shape.extend(input_shape[at : at + rest])
            at += rest
        elif s is dynamic_dimension or (not isinstance(s, slice) and s == dynamic_dimension_value):
            shape.append(dynamic_dimension_value)
            at += 1
        elif isinstance(s, slice):
            known = input_shape[at] is not dynamic_dimension and not is_dynamic_slice(s)
            shape.append(len(range(*s.indices(int(input_shape[at])))) if known else dynamic_dimension_value)
            at += 1
        elif isinstance(s, int | np.integer):
            at += 1
        else:
            raise Error("mo-shape-edit", f"a tensor is not indexed with {type(s).__name__}")
    shape.extend(input_shape[at:])
    return shape_array(shape)


def reverse_bypass_infer(node: Any, in_ports: Sequence[int]) -> None:
    """Copy the shape of output 0 to input ports without a shape."""
    if node.out_port(0).disconnected():
        return
    shape = node.out_port(0).data.get_shape()
    for port in in_ports if shape is not None else ():
        if node.in_port(port).data.get_shape() is None:
            node.in_port(port).data.set_shape(shape)


def clarify_partial_shape(shapes: Sequence[np.ndarray]) -> np.ndarray:
    """Combine the known dimensions of all `shapes`, which describe one tensor.

    The shapes must be compatible. Errors: `mo-shape-edit`.
    """
    known = shapes[0]
    for shape in shapes:
        if not compatible_shapes(shape, known):
            raise Error(
                "mo-shape-edit", f"{unmask_shape(shape)} and {unmask_shape(known)} are not one tensor's shape"
            )
        for position, dimension in enumerate(shape):
            if dimension is not dynamic_dimension:
                known[position] = dimension
    return known


def set_input_shapes(node: Any, *shapes: np.ndarray) -> None:
    """The shapes of the inputs that are connected and have none yet."""
    for position, shape in enumerate(shapes):
        if node.is_in_port_connected(position) and node.in_port(position).data.get_shape() is None:
            node.in_port(position).data.set_shape(shape)


def common_extent(first: Any, second: Any) -> Any:
    """Return the common extent of two extents, which may be unknown.

    Returns None if the extents cannot be broadcast.
    """
    known = [d for d in (first, second) if d is not dynamic_dimension]
    above = [d for d in known if d != 1]
    if len(above) == 2 and above[0] != above[1]:
        return None
    if above:
        return above[0]
    return 1 if len(known) == 2 else dynamic_dimension


def make_equal_rank(shape_1: Any, shape_2: Any) -> tuple[Any, Any]:
    """Pad the shorter shape with leading extents of 1.

    Both returned shapes have the rank of the longer one.
    """
    rank = max(len(shape_1), len(shape_2))
    first, second = (shape_array([*[1] * (rank - len(shape)), *shape]) for shape in (shape_1, shape_2))
    return first, second


def bi_directional_shape_broadcasting(input_shape_1: Any, input_shape_2: Any) -> Any:
    """The shape that both become; None where they do not become one."""
    extents = [
        common_extent(a, b) for a, b in zip(*make_equal_rank(input_shape_1, input_shape_2), strict=True)
    ]
    return None if any(extent is None for extent in extents) else shape_array(extents)


def uni_directional_shape_broadcasting(input_shape: Any, target_shape: Any) -> Any:
    """Broadcast a shape to another one; return None if impossible.

    The shape may determine unknown extents of the other one.
    """
    if len(input_shape) > len(target_shape):
        return None
    extents = []
    for own, wanted in zip(*make_equal_rank(input_shape, target_shape), strict=True):
        if wanted is dynamic_dimension:
            extents.append(wanted if own is dynamic_dimension or own == 1 else own)
        elif own is dynamic_dimension or own in (1, wanted):
            extents.append(wanted)
        else:
            return None
    return shape_array(extents)


def explicit_shape_broadcasting(input_shape: Any, target_shape: Any, axes_mapping: Any) -> tuple[Any, Any]:
    """Return the target, and the axes of the input's dimensions in it.

    The axes are counted from the front. Errors: `mo-infer-shape`.
    """
    axes = int64_array([axis + len(target_shape) if axis < 0 else axis for axis in axes_mapping])
    fits = len(axes) == len(input_shape) and list(axes_mapping) == sorted(axes_mapping)
    if not fits or any(
        not 0 <= axis < len(target_shape) or target_shape[axis] != extent
        for axis, extent in zip(axes, input_shape)
    ):
        raise _refused(input_shape, target_shape, f"by axes {list(axes_mapping)}")
    return target_shape.copy(), axes


def _refused(shape: Any, target: Any, how: str) -> Error:
    return Error("mo-infer-shape", f"shape {list(shape)} is not broadcast to {list(target)} {how}")


def _broadcast(value: Any, shape: Any, target: Any, how: str) -> Any:
    if shape is None or not is_fully_defined(shape):
        raise _refused(value.shape, target, how)
    return np.broadcast_to(value, tuple(shape)).copy()


def uni_directional_broadcasting(input_value: Any, target_shape: Any) -> Any:
    """Broadcast the value to the target's shape.

    Errors: `mo-infer-shape` if this is impossible or the shape is unknown.
    """
    shape = uni_directional_shape_broadcasting(input_value.shape, target_shape)
    return _broadcast(input_value, shape, target_shape, "in one direction")


def bi_directional_broadcasting(input_value: Any, second_shape: Any) -> Any:
    """Broadcast the value to the common shape of both.

    Errors: `mo-infer-shape` if this is impossible or the shape is unknown.
    """
    shape = bi_directional_shape_broadcasting(input_value.shape, second_shape)
    return _broadcast(input_value, shape, second_shape, "in both directions")


def explicit_broadcasting(input_value: Any, target_shape: Any, axes_mapping: Any) -> Any:
    """Broadcast the value to the target's shape by named axes.

    The value's dimensions are at these axes. Errors: `mo-infer-shape`.
    """
    shape, axes = explicit_shape_broadcasting(input_value.shape, target_shape, axes_mapping)
    others = tuple(axis for axis in range(len(shape)) if axis not in set(axes.tolist()))
    return np.broadcast_to(np.expand_dims(input_value, others), tuple(shape))
