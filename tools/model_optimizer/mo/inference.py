"""Partial inference of graphs, and inference that operations share.

Partial inference finds shapes, and values where they are known, in topological order. Operations share the inference of
outputs that are like the input, of elementwise operations with numpy broadcasting, and of concatenation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.op_attributes import PermuteAttrs
from loomir.tools.model_optimizer.mo.shapes import (
    common_extent,
    compatible_shapes,
    dynamic_dimension,
    shape_array,
    undefined_shape_of_rank,
    unmask_shape,
)


def single_output_infer(
    node: Any, shape_infer: Callable[[Any], Any], value_infer: Callable[[Any], Any] | None = None
) -> None:
    """Set shape and value of output 0 by functions of the node.

    The value is set only if input 0 has a value.
    """
    node.out_node(0)["shape"] = shape_infer(node)
    if value_infer is not None and node.in_node().soft_get("value", None) is not None:
        node.out_node(0)["value"] = value_infer(node)


def copy_shape_infer(node: Any, value_infer: Callable[[Any], Any] | None = None) -> None:
    """Output 0 has the shape of input 0."""
    single_output_infer(node, lambda n: n.in_port(0).data.get_shape(), value_infer)


def copy_value(node: Any) -> Any:
    """The value at input 0, or None."""
    return node.in_port(0).data.get_value()


def _broadcast(node: Any, first: Any, second: Any) -> Any:
    """The extent that two become. Errors: `mo-infer-shape`."""
    extent = common_extent(first, second)
    if extent is None:
        raise _error(node, f"extents {first} and {second} do not become one")
    return extent


def _error(node: Any, what: str) -> Error:
    return Error(
        "mo-infer-shape", what, layer=str(node.soft_get("name", node.id)), op=str(node.soft_get("op"))
    )


def eltwise_infer(node: Any, op: Callable[..., Any] | None = None, **kwargs: Any) -> None:
    """Infer the shape of output 0, and its value if possible.

    `op` computes the value if all inputs have one. Attribute `axis` is the position where shorter shapes begin.

    Errors: `mo-infer-shape` if the shape of an input is not known, or they do not fit.
    """
    inputs = [node.sibling(source) for source, _ in node.get_sorted_inputs()]
    shapes = [data.shape for data in inputs]
    values = [data.soft_get("value", None) for data in inputs]
    if any(shape is None for shape in shapes):
        raise _error(node, "the shape of an input is not known")
    rank = max(len(shape) for shape in shapes)
    axis = node.soft_get("axis", None)
    if axis is not None:
        for i, shape in enumerate(shapes):
            if 0 < len(shape) < rank:
                shapes[i] = shape_array([*shape, *[1] * (rank - axis - len(shape))])
                values[i] = None if values[i] is None else values[i].reshape(shapes[i])
    wide = [[*[1] * (rank - len(shape)), *shape] for shape in shapes]
    output = [reduce(lambda a, b: _broadcast(node, a, b), extents) for extents in zip(*wide, strict=True)]
    node.out_port(0).data.set_shape(shape_array(output))
    if op is None or node.has_and_set("stop_value_propagation") or any(value is None for value in values):
        return
    if len(values) == 1:
        node.out_port(0).data.set_value(op(values[0], **kwargs))
    else:
        node.out_port(0).data.set_value(reduce(lambda a, b: op(a, b, **kwargs), values))


def find_common_partial_shape(shape1: Any, shape2: Any) -> Any:
    """Combine the known dimensions of two compatible shapes.

    Errors: `mo-shape-edit`.
    """
    if not compatible_shapes(shape1, shape2):
        raise Error(
            "mo-shape-edit", f"{unmask_shape(shape1)} and {unmask_shape(shape2)} are not one tensor's shape"
        )
    return shape_array([b if a is dynamic_dimension else a for a, b in zip(shape1, shape2)])


def eltwise_reverse_infer(node: Any) -> None:
    """Infer a missing input shape from the output and the other input.

    Errors: `mo-shape-edit`.
    """
    shapes = [node.in_port(i).data.get_shape() for i in (0, 1)]
    output = node.out_port(0).data.get_shape()
    missing = [i for i, shape in enumerate(shapes) if shape is None]
    if output is None or not missing:
        return
    known = next((shape for shape in shapes if shape is not None), None)
    if node.auto_broadcast == "none":
        whole = output if known is None else find_common_partial_shape(output, known)
        for i in missing:
            node.in_port(i).data.set_shape(whole)
    elif known is not None and len(output) > len(known):
        # Only the missing one can have given the extents in front; behind, it gives what the known one does not.
        deduced = undefined_shape_of_rank(len(output))
        front = len(output) - len(known)
        deduced[:front] = output[:front]
        for i in range(front, len(output)):
            if known[i - front] is not dynamic_dimension and known[i - front] == 1:
                deduced[i] = output[i]
        node.in_port(missing[0]).data.set_shape(deduced)


def bias_add_infer(node: Any, op: Callable[[Any, Any], Any] | None) -> None:
    """Infer output 0, which has the shape of input 0.

    `op` computes its value if both inputs have one.
    """
    values = [node.in_port(i).data.get_value() for i in (0, 1)]
    if op is not None and not any(value is None for value in values):
        node.out_port(0).data.set_value(np.asanyarray(op(*values)))
    else:
        node.out_port(0).data.set_shape(node.in_port(0).data.get_shape())


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


def partial_infer(graph: Graph, start_node: Any = None) -> Graph:
    """Call `infer` of each operation that has one.

    With `start_node` the call is for this node and those after it in the order, otherwise for all.

    Errors: `mo-graph-cycle`, and those of inference.
    """
    order = graph.topological_sort()
    if start_node is not None:
        order = order[[node.id for node in order].index(start_node) :]
    for node in order:
        if node.has_valid("infer") and node.kind == "op":
            node.infer(node)
        node["is_partial_inferred"] = True
    return graph


def copy_type_infer(node: Node) -> None:
    """All outputs have the element type of input 0."""
    for port in node.out_ports().values():
        port.set_data_type(node.in_port(0).get_data_type())


def type_infer(graph: Graph) -> None:
    """Call `type_infer` of each operation that has one.

    Any other operation with one input passes its type on.
    """
    for node in graph.topological_sort():
        if node.soft_get("kind") != "op":
            continue
        if node.has_valid("type_infer"):
            node.type_infer(node)
        elif node.in_ports() and node.is_in_port_connected(0) and node.in_port(0).is_data_type_defined():
            copy_type_infer(node)
