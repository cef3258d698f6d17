"""Changes of inputs with positions, orders or extents under layout changes.

When the layout of a tensor changes, such inputs are adapted to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.front.common.partial_infer.utils import int64_array
from loomir.tools.model_optimizer.mo.front.tf.graph_utils import create_op_with_const_inputs
from loomir.tools.model_optimizer.mo.graph.graph import Node
from loomir.tools.model_optimizer.mo.late import member
from loomir.tools.model_optimizer.mo.ops.const import Const
from loomir.tools.model_optimizer.mo.ops.permute_attrs import PermuteAttrs

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
