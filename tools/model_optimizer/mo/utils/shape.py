"""Nodes that compute with shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import int64_array
from loomir.tools.model_optimizer.mo.front.tf.graph_utils import create_op_node_with_second_input
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.graph.port import Port
from loomir.tools.model_optimizer.mo.late import member
from loomir.tools.model_optimizer.mo.ops.const import Const


def _made(module: str, name: str, graph: Graph, attributes: dict[str, Any]) -> Node:
    return member(f"ops.{module}", name)(graph, attributes).create_node()


def _constant(graph: Graph, name: str, value: Any) -> Node:
    return Const(graph, {"name": name, "value": int64_array(value)}).create_node()


def _connect(node: Node, *inputs: Node) -> Node:
    for port, source in enumerate(inputs):
        node.in_port(port).connect(source.out_port(0))
    return node


def _plus(graph: Graph, name: str, node: Node, number: Node) -> Node:
    return _connect(_made("elementwise", "Add", graph, {"name": name}), node, number)


def get_canonical_axis_index_node(rank: Node, axis: int) -> Node:
    """Create a node that produces `axis`, counted from the front.

    `rank` produces the rank, with shape [].
    """
    graph, name = rank.graph, rank.soft_get("name", rank.id)
    if axis >= 0:
        return _constant(graph, f"{name}/positive_axis", axis)
    return _plus(graph, f"{name}/positive_axis", rank, _constant(graph, f"{name}/negative_axis", axis))


def get_range_node_of_idxs(
    rank: Node, begin: int, end: int, include_begin: bool = True, include_end: bool = False
) -> Node:
    """Create a node that produces the numbers from `begin` to `end`.

    Both may count from the end. `rank` produces the rank, with shape [].
    """
    graph, name = rank.graph, rank.soft_get("name", rank.id)
    first, last = get_canonical_axis_index_node(rank, begin), get_canonical_axis_index_node(rank, end)
    if not include_begin:
        one = _constant(graph, f"{name}/exclude_begin/value", 1)
        first = _plus(graph, f"{name}/exclude_begin", first, one)
    if include_end:
        one = _constant(graph, f"{name}/including_end/value", 1)
        last = _plus(graph, f"{name}/including_end", last, one)
    step = _constant(graph, f"{name}/delta", 1)
    return _connect(_made("range", "Range", graph, {"name": f"{name}/range_idxs"}), first, last, step)


def get_shape_values_by_indices_node(shape_node: Node, indices_node: Node) -> Node:
    """Create a node that selects elements of `shape_node` by position.

    `indices_node` produces the positions.
    """
    graph, name = shape_node.graph, shape_node.soft_get("name", shape_node.id)
    axis = _constant(graph, f"{name}/Axis", 0)
    return _connect(
        _made("gather", "Gather", graph, {"name": f"{name}/Gather"}), shape_node, indices_node, axis
    )


def node_to_get_shape_value_of_indices(shape_node: Node, indices: Sequence[int]) -> Node:
    """A node that gives the elements of `shape_node` at those positions."""
    name = shape_node.soft_get("name", shape_node.id)
    positions = _constant(shape_node.graph, f"{name}/Indices", indices)
    return get_shape_values_by_indices_node(shape_node, positions)


def get_shape_values_by_range_idxs(
    shape: Node, rank: Node, begin: int, end: int, include_begin: bool = True, include_end: bool = False
) -> Node:
    """Create a node that selects elements of `shape` by a range.

    The positions are those of `get_range_node_of_idxs`.
    """
    positions = get_range_node_of_idxs(rank, begin, end, include_begin, include_end)
    return get_shape_values_by_indices_node(shape, positions)


def _layout(shape_node: Node) -> str:
    """Errors: `mo-layout` for another than NCHW and NHWC."""
    layout = shape_node.graph.graph.get("layout")
    if layout not in ("NCHW", "NHWC"):
        raise Error(
            "mo-layout", f"the layout is {layout}, which says nothing of channels", layer=str(shape_node.id)
        )
    return layout


def node_to_get_batch_value(shape_node: Node) -> Node:
    """A node that gives the first extent, as one element."""
    return node_to_get_shape_value_of_indices(shape_node, [0])


def node_to_get_features_dimension_value(shape_node: Node) -> Node:
    """Create a node that produces the number of channels, as one element.

    Errors: `mo-layout`.
    """
    return node_to_get_shape_value_of_indices(shape_node, [1] if _layout(shape_node) == "NCHW" else [-1])


def node_to_get_spatial_dimensions_value(shape_node: Node) -> Node:
    """Create a node that produces the spatial extents.

    The rank of the input of `shape_node` has to be known. Errors: `mo-layout`, `mo-infer-shape`.
    """
    first = _layout(shape_node) == "NCHW"
    shape = shape_node.in_port(0).get_source().data.get_shape()
    if shape is None:
        raise Error("mo-infer-shape", "the rank has to be known here", layer=str(shape_node.soft_get("name")))
    positions = range(2, len(shape)) if first else range(1, len(shape) - 1)
    return node_to_get_shape_value_of_indices(shape_node, list(positions))


def new_shape_node_from_shape_nodes(input_shape_nodes: Sequence[Node]) -> Node:
    """A node that gives what the others give, one behind the other."""
    first = input_shape_nodes[0]
    attributes = {"axis": 0, "name": f"{first.soft_get('name', first.id)}/shapes_concat"}
    node = _made("concat", "Concat", first.graph, attributes)
    node.add_sequence_of_ports("in", range(len(input_shape_nodes)))
    return _connect(node, *input_shape_nodes)


def get_shape_and_rank_nodes_by_port(port: Port, return_as_a_scalar: bool = True) -> tuple[Node, Node]:
    """Create nodes for shape and rank of the tensor at a port.

    `port` is an output. The rank has shape [], or else [1].
    """
    graph, name = port.node.graph, port.node.soft_get("name", port.node.id)
    shape = _made("shape", "Shape", graph, {"name": f"{name}/ShapeOf"})
    rank = _made("shape", "Shape", graph, {"name": f"{name}/1dRankOf"})
    rank.in_port(0).connect(shape.out_port(0))
    shape.in_port(0).connect(port)
    if return_as_a_scalar:
        squeeze, attributes = member("ops.squeeze", "Squeeze"), {"name": f"{name}/0dRankOf"}
        rank = create_op_node_with_second_input(graph, squeeze, int64_array([0]), attributes, rank)
    return shape, rank
