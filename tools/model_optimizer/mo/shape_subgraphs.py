"""Nodes that compute with shapes, and adapt inputs to layouts.

When the layout of a tensor changes, inputs with positions, orders or extents are adapted to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import networkx as nx

from loomir.errors import Error
from loomir.tools.model_optimizer.mo import member
from loomir.tools.model_optimizer.mo.constants import (
    Const,
    create_op_node_with_second_input,
    create_op_with_const_inputs,
)
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.graph.port import Port
from loomir.tools.model_optimizer.mo.op_attributes import PermuteAttrs
from loomir.tools.model_optimizer.mo.shapes import int64_array


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
            "mo-layout", f"the layout is {layout}, which does not define channels", layer=str(shape_node.id)
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


Permute = Callable[[Node, str, int], None]
"""Function that adapts an input to a layout change.

It takes the operation, the port whose layout changes ('input:0', 'output:0') and the input to change.
"""


def get_node_with_permutation(node: Node, port_info: str) -> Node:
    """The data node at that port."""
    kind, _, number = port_info.partition(":")
    return (node.in_node if kind == "input" else node.out_node)(int(number))


def _permutation(node: Node, port_info: str) -> Any:
    """Errors: `mo-permutation` if the data node has none."""
    data = get_node_with_permutation(node, port_info)
    if not data.has_valid("permutation"):
        raise Error(
            "mo-permutation",
            f"the tensor at {port_info} has no permutation",
            layer=str(node.soft_get("name")),
        )
    return data.permutation


def _gather(node: Node, name: str, data: Any, indices: Any) -> Node:
    """Create a Gather along axis 0 and return its data node.

    The operands are data nodes or values.
    """
    graph = node.graph

    def operand(value: Any, role: str) -> Node:
        if isinstance(value, Node):
            return value
        attributes = {"value": value, "name": f"{name}/{role}", "need_shape_inference": True}
        return Const(graph, attributes).create_node_with_data()

    attributes = {"name": name, "need_shape_inference": True}
    operands = [operand(data, "data"), operand(indices, "indices"), operand(int64_array(0), "axis")]
    return member("ops.gather", "Gather")(graph, attributes).create_node_with_data(operands)


def _replace_input(node: Node, input_port: int, data: Node) -> None:
    graph = node.graph
    edge = dict(node.in_edge(input_port))
    node.in_port(input_port).disconnect()
    graph.add_edge(data.id, node.id, **{**edge, "in": input_port})
    node["need_shape_inference"] = True


def _name(node: Node, what: str) -> str:
    return f"{node.soft_get('name', node.id)}/{what}"


def axis(op_node: Node, port_info: str, input_port: int) -> None:
    """Convert dimension numbers to the new layout.

    Each number is looked up in the inverse permutation.
    """
    permutation = _permutation(op_node, port_info)
    if len(permutation.perm):
        data = op_node.in_node(input_port)
        _replace_input(
            op_node, input_port, _gather(op_node, _name(op_node, "AxisGather"), permutation.inv, data)
        )


def order(op_node: Node, port_info: str, input_port: int) -> None:
    """Convert an order of dimensions to the new layout.

    The order is permuted like the dimensions, and its elements become the new numbers.
    """
    permutation = _permutation(op_node, port_info)
    if len(permutation.perm):
        data = op_node.in_node(input_port)
        moved = _gather(op_node, _name(op_node, "OrderGather_1"), data, permutation.perm)
        renamed = _gather(op_node, _name(op_node, "OrderGather_2"), permutation.inv, moved)
        _replace_input(op_node, input_port, renamed)


def reorder_inputs_for_shape_or_slice(
    op_node: Node, input_port: int, permute_indices_for_gather: Any
) -> None:
    """An element for each dimension: they move."""
    data = op_node.in_node(input_port)
    moved = _gather(op_node, _name(op_node, "ShapeGather"), data, permute_indices_for_gather)
    _replace_input(op_node, input_port, moved)


def shape(op_node: Node, port_info: str, input_port: int) -> None:
    permutation = _permutation(op_node, port_info)
    if len(permutation.perm):
        reorder_inputs_for_shape_or_slice(op_node, input_port, permutation.perm)


def strided_slice(op_node: Node, port_info: str, input_port: int) -> None:
    """Permute begins, ends and steps according to their own number.

    The ranks of the tensors do not matter.
    """
    if len(_permutation(op_node, port_info).perm):
        rank = int(op_node.in_port(input_port).data.get_shape()[0])
        permutation = PermuteAttrs.get_nhwc_to_nchw_permutation(rank)
        reorder_inputs_for_shape_or_slice(op_node, input_port, permutation.perm)


def _transposed(op_node: Node, input_port: int, perm: Any) -> None:
    attributes = {"name": _name(op_node, "Transpose"), "override_output_shape": True}
    node = create_op_with_const_inputs(
        op_node.graph, member("ops.transpose", "Transpose"), {1: perm}, attributes
    )
    op_node.in_port(input_port).get_connection().insert_node(node)
    node.infer(node)


def transpose(op_node: Node, port_info: str, input_port: int) -> None:
    """The tensor at the input is transposed by the permutation."""
    permutation = _permutation(op_node, port_info)
    if len(permutation.perm):
        _transposed(op_node, input_port, permutation.perm)


def transpose_nchw_to_nhwc(op_node: Node, port_info: str, input_port: int) -> None:
    """Move the channels of the tensor at the input to the front.

    Errors: `mo-permutation` below rank 4.
    """
    rank = len(get_node_with_permutation(op_node, port_info).shape)
    if rank < 4:
        raise Error(
            "mo-permutation", f"a tensor of rank {rank} has no channels to move", layer=str(op_node.id)
        )
    _transposed(op_node, input_port, int64_array([0, rank - 1, *range(1, rank - 1)]))


class PermuteInputs:
    """Permutations that operations declare for their inputs.

    The edge to such an input has `input_permutation`.
    """

    input_permutes: dict[str, Permute] = {
        "axis": axis,
        "slice": strided_slice,
        "order": order,
        "shape": shape,
        "transpose": transpose,
        "transpose_nchw_to_nhwc": transpose_nchw_to_nhwc,
    }
    shape_check_rules: dict[str, Callable[[Any], bool]] = {
        "rank": lambda port: len(port.data.get_shape()) >= 4,
        "dim_size": lambda port: bool(port.data.get_shape()[0] >= 4),
    }
    """Conditions for a permutation.

    They test the rank of the tensor at the port, or the number of elements at the input.
    """

    def set_input_permutation(
        self, node1: Node, node2: Node, port_info: str, permutation_rule: str, shape_check_rule: str = "rank"
    ) -> None:
        """Set the permutation of the edge from `node1` to `node2`.

        `node1` is a data node, `node2` an operation. Errors: `mo-permutation` for an unknown rule.
        """
        for rule, rules in (
            (permutation_rule, self.input_permutes),
            (shape_check_rule, self.shape_check_rules),
        ):
            if rule not in rules:
                raise Error(
                    "mo-permutation", f"there is no rule '{rule}' for inputs, only {', '.join(rules)}"
                )
        told = self.input_permutes[permutation_rule], port_info, self.shape_check_rules[shape_check_rule]
        nx.set_edge_attributes(node1.graph, {(node1.id, node2.id, 0): told}, "input_permutation")
