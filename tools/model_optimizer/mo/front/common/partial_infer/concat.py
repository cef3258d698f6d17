"""Inference of concatenation."""

from __future__ import annotations

from typing import Any

import numpy as np

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import dynamic_dimension, shape_array
from loomir.tools.model_optimizer.mo.ops.permute_attrs import PermuteAttrs


def concat_infer(node: Any) -> None:
    """Infer shape and value of output 0 of a concatenation.

    The inputs are joined along `axis`. Without that attribute the axis is the value at input `N`, the last one.

    Errors: `mo-infer-shape` if the axis or the shape of an input is not known, or they do not fit.
    """
    if not node.has("axis"):
        last = node.in_port(node.N)
        value = last.data.get_value()
        if value is None or value.size != 1:
            raise _error(node, "the axis is not known")
        node["axis"] = value.item()
        last.disconnect()
    inputs = list(node.in_nodes().values())
    shapes = [data.shape for data in inputs]
    if any(shape is None for shape in shapes):
        raise _error(node, "the shape of an input is not known")
    node["axis"] = axis = node.axis % len(shapes[0])
    if any(len(shape) != len(shapes[0]) for shape in shapes):
        raise _error(node, f"the ranks of the inputs are not equal: {shapes}")
    output: list[Any] = []
    for i, extents in enumerate(zip(*shapes, strict=True)):
        known = {int(extent) for extent in extents if extent is not dynamic_dimension}
        if i == axis:
            every = all(extent is not dynamic_dimension for extent in extents)
            output.append(sum(map(int, extents)) if every else dynamic_dimension)
        elif len(known) > 1:
            raise _error(node, f"the inputs differ in dimension {i} too: {sorted(known)}")
        else:
            output.append(known.pop() if known else dynamic_dimension)
    node.out_port(0).data.set_shape(shape_array(output))
    PermuteAttrs.create_permute_attrs(node, attrs=[("axis", "input:0")])
    values = [data.soft_get("value", None) for data in inputs]
    if not any(value is None for value in values):
        masked = any(np.ma.is_masked(value) for value in values)
        join = np.ma.concatenate if masked else np.concatenate
        typed = next((value for value in values if not np.ma.is_masked(value)), values[0])
        node.out_port(0).data.set_value(join(values, axis=axis).astype(typed.dtype))


def _error(node: Any, what: str) -> Error:
    return Error(
        "mo-infer-shape", what, layer=str(node.soft_get("name", node.id)), op=str(node.soft_get("op"))
    )
