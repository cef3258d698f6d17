"""Broadcasting of shapes and values, as in numpy or by named axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import (
    dynamic_dimension,
    int64_array,
    is_fully_defined,
    shape_array,
)


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
