"""Operations with graphs inside: loops and branches."""

from __future__ import annotations

from typing import Any

from loomir.tools.model_optimizer.mo.ops import port_maps
from loomir.tools.model_optimizer.mo.ops.row import OpRow

_LOOP: dict[str, Any] = {
    "input_port_map": [],
    "output_port_map": [],
    "back_edges": [],
    "body": None,
    "sub_graphs": ["body"],
}
_PORT = [
    "external_port_id",
    "internal_layer_id",
    "internal_port_id",
    "axis",
    "start",
    "stride",
    "end",
    "part_size",
]

_CALLED = (
    *("connect_body_input", "connect_body_output", "add_back_edge", "back_edge_exists"),
    *("inter_edge_exists", "mark_current_iteration_parameter_node", "mark_execution_condition_result_node"),
    *("get_body_node_by_internal_id", "get_external_nodes_by_internal_id"),
    *("external_port_id_to_body_node", "update_port_map_value", "update_port_map_value_ext"),
    *("normalize_input_output_ports", "re_numerate_input_ports", "re_numerate_output_ports"),
)

ROWS = [
    OpRow(
        *("tensor_iterator", "TensorIterator", "TensorIterator", "TensorIterator", "opset1", None, None),
        attributes=_LOOP,
        members={"port_map_attrs": lambda self: list(_PORT)},
    ),
    OpRow(
        *("loop", "Loop", "Loop", "Loop", "opset5", None, None),
        attributes=_LOOP,
        members={
            **{name: staticmethod(getattr(port_maps, name)) for name in _CALLED},
            "port_map_attrs": lambda self: [*_PORT, "purpose"],
        },
    ),
    OpRow(
        *("If", "If", "If", "If", "opset8", None, None),
        attributes={"then_graph": None, "else_graph": None, "sub_graphs": ["then_graph", "else_graph"]},
        members={
            "connect_body_input": staticmethod(port_maps.connect_branch_input),
            "connect_body_output": staticmethod(port_maps.connect_branch_output),
            "port_map_attrs": lambda self: ["external_port_id", "internal_layer_id"],
        },
    ),
]
