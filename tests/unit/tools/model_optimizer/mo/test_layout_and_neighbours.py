"""Layouts, and neighbours of operations in the middle phase."""

from __future__ import annotations

import numpy as np

from loomir.tools.model_optimizer.mo import middle_passes, op_attributes
from loomir.tools.model_optimizer.mo.constants import dim_to_shape, get_canonical_axis_index, input_as_const
from loomir.tools.model_optimizer.mo.graph.graph import Node
from loomir.tools.model_optimizer.mo.op_attributes import layout_attrs
from tests.support import raises_error
from tests.unit.tools.model_optimizer.mo.graphs import CHAIN, front_graph, middle_graph


def test_layouts() -> None:
    assert [op_attributes.get_features_dim(name, 4) for name in ("NCHW", "NHWC")] == [1, 3]
    assert [op_attributes.get_depth_dim(name, 5) for name in ("NCHW", "NHWC")] == [2, 1]
    dims = (op_attributes.get_batch_dim, op_attributes.get_height_dim, op_attributes.get_width_dim)
    assert [dim("NHWC", 4) for dim in dims] == [0, 1, 2]
    assert op_attributes.shape_for_layout("NHWC", batch=1, features=2, height=3, width=4).tolist() == [
        1,
        3,
        4,
        2,
    ]
    deep = op_attributes.shape_for_layout("NCHW", batch=1, features=2, depth=5, height=3, width=4)
    assert deep.tolist() == [1, 2, 5, 3, 4]
    assert op_attributes.convert_shape(
        np.array([1, 2, 3, 4]), op_attributes.nhwc_to_nchw_permute
    ).tolist() == [1, 4, 2, 3]
    assert layout_attrs()["layout"] == "NCHW"
    with raises_error("mo-layout", "no dimension D"):
        op_attributes.get_depth_dim("NCHW", 4)
    with raises_error("mo-layout", "colour"):
        op_attributes.shape_for_layout("NCHW", colour=3)
    with raises_error("mo-layout", "batch"):
        op_attributes.shape_for_layout("NCHW", batch=3)


def test_helpers_of_extractors() -> None:
    assert get_canonical_axis_index([1, 2, 3], -1) == 2
    assert dim_to_shape([1, 2]).dtype == np.int64
    node = Node(front_graph(CHAIN), "A")
    input_as_const(node, {"name": "w"}, 1, "weights", np.ones(3))
    assert node.in_node(1).value.tolist() == [1, 1, 1]
    assert node.in_port(1).bin == "weights"
    assert "bin" in node.in_edge(1)["in_attrs"]
    assert "bin" not in node.in_edge(0)["in_attrs"]


def test_neighbours() -> None:
    graph = middle_graph([*CHAIN, ("W", 0, "A", 1)], **{n: {"type": n} for n in ("A", "B", "Parameter", "W")})
    a, b = Node(graph, "A"), Node(graph, "B")
    Node(graph, "W").out_port(0).data.set_value(np.ones(1))
    assert (middle_passes.get_value_id(a), middle_passes.get_tensor_id(a)) == (1, 0)
    assert middle_passes.get_value_in_port(a) == a.in_port(1)
    assert middle_passes.get_tensor_in_port(a) == a.in_port(0)
    assert middle_passes.get_value_in_port(b) is None
    assert middle_passes.get_next_operation(a) == [b]
    assert middle_passes.backward_bfs(b, ["A"], ["Parameter"]) == [Node(graph, "Parameter")]
    assert middle_passes.backward_bfs(b, [], ["Parameter"]) == []
    assert middle_passes.forward_bfs(Node(graph, "Parameter"), [], ["B"], allowed_all=True) == [b]
