"""Connections between a loop's ports and those of its body.

They are lists of records in the loop's node, with the functions that extensions use for them.

A record of `input_port_map` or `output_port_map` has `external_port_id`, the number of the loop's port (-1 if the loop
itself produces or consumes the value; `purpose` then names it), `internal_layer_id`, which a Parameter or Result of the
body has as an attribute, and the axis along which slices are taken or joined. A record of `back_edges` leads from a
Result to the Parameter that receives its value in the next iteration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loomir.errors import Error
from loomir.tools.model_optimizer.mo.graph.graph import Node

ITSELF = -1
"""Port number of a value that the loop itself produces or consumes."""

SLICED = ("axis", "stride", "part_size", "start", "end")


def _broken(loop: Node, what: str) -> Error:
    return Error("mo-port-map", what, layer=str(loop.soft_get("name", loop.id)), op=str(loop.soft_get("op")))


def _number(loop: Node, node: Node, op: str, body: Any = None) -> int:
    """Return the number of a body's node.

    The node must be of operation `op`. Errors: `mo-port-map`.
    """
    if node.soft_get("op") != op or node.id not in (loop.body if body is None else body):
        raise _broken(loop, f"'{node.id}' is not a {op} of the body")
    return node["internal_layer_id"]


def _record(port: int, number: int, given: tuple[Any, ...] = (None,) * 5) -> dict[str, Any]:
    return {**dict(zip(SLICED, given, strict=True)), "external_port_id": port, "internal_layer_id": number}


def connect_body_input(
    loop_node: Node,
    loop_input_port_idx: int,
    body_parameter: Node,
    axis: int | None = None,
    start: int | None = None,
    end: int | None = None,
    stride: int | None = None,
    part_size: int | None = None,
) -> None:
    """Connect an input of the loop to a Parameter of the body.

    The Parameter receives the input's value, or slices of it along `axis`. Errors: `mo-port-map`.
    """
    number = _number(loop_node, body_parameter, "Parameter")
    record = _record(loop_input_port_idx, number, (axis, stride, part_size, start, end))
    loop_node.input_port_map.append(record)


def connect_body_output(
    loop_node: Node,
    loop_output_port_idx: int,
    internal_result: Node,
    axis: int | None = None,
    start: int | None = None,
    end: int | None = None,
    stride: int | None = None,
    part_size: int | None = None,
) -> None:
    """Connect a Result of the body to an output of the loop.

    The output is the last value of the Result, or all its values joined along `axis`. Errors: `mo-port-map`.
    """
    number = _number(loop_node, internal_result, "Result")
    record = _record(loop_output_port_idx, number, (axis, stride, part_size, start, end))
    loop_node.output_port_map.append(record)


def add_back_edge(loop_node: Node, internal_parameter: Node, internal_result: Node) -> None:
    """Pass a Result's value to a Parameter in the next iteration.

    Errors: `mo-port-map`.
    """
    edge = {
        "from_layer": _number(loop_node, internal_result, "Result"),
        "to_layer": _number(loop_node, internal_parameter, "Parameter"),
    }
    loop_node.back_edges.append({**edge, "from_port": 0, "to_port": 0})


def mark_current_iteration_parameter_node(loop_node: Node, body_parameter_node: Node) -> None:
    """Declare a Parameter of the body as the iteration number.

    Errors: `mo-port-map`.
    """
    record = _record(ITSELF, _number(loop_node, body_parameter_node, "Parameter"))
    loop_node.input_port_map.append({**record, "purpose": "current_iteration"})


def mark_execution_condition_result_node(loop_node: Node, body_result_node: Node) -> None:
    """Declare a Result of the body as the condition of another iteration.

    Errors: `mo-port-map`.
    """
    record = _record(ITSELF, _number(loop_node, body_result_node, "Result"))
    loop_node.output_port_map.append({**record, "purpose": "execution_condition"})


def get_body_node_by_internal_id(loop_node: Node, internal_id: int) -> Node | None:
    """Return the node of the body with the number, or None.

    Errors: `mo-port-map` if several have it.
    """
    found = loop_node.body.get_op_nodes(internal_layer_id=internal_id)
    if len(found) > 1:
        raise _broken(loop_node, f"several nodes of the body have internal_layer_id {internal_id}")
    return found[0] if found else None


def external_port_id_to_body_node(
    loop_node: Node, external_port_id: int, port_map: list[dict[str, Any]]
) -> Node:
    """Return the body's node that belongs to a port of the loop.

    Errors: `mo-port-map`.
    """
    for record in port_map:
        if record["external_port_id"] == external_port_id:
            node = get_body_node_by_internal_id(loop_node, record["internal_layer_id"])
            if node is not None:
                return node
    raise _broken(loop_node, f"no node of the body belongs to port {external_port_id}")


def get_external_nodes_by_internal_id(loop_node: Node, internal_layer_id: int) -> list[Node]:
    """Return the nodes outside of the loop connected to a body's node.

    `internal_layer_id` is the number of the body's node.
    """
    for record in loop_node.input_port_map:
        port = record["external_port_id"]
        if record["internal_layer_id"] == internal_layer_id and loop_node.has_port("in", port):
            source = loop_node.in_port(port).get_source()
            if source is not None:
                return [source.node]
    for record in loop_node.output_port_map:
        port = record["external_port_id"]
        if record["internal_layer_id"] == internal_layer_id and loop_node.is_out_port_connected(port):
            return [destination.node for destination in loop_node.out_port(port).get_destinations()]
    return []


def back_edge_exists(back_edges_map: list[dict[str, Any]], from_layer: int, to_layer: int) -> bool:
    return any(edge["from_layer"] == from_layer and edge["to_layer"] == to_layer for edge in back_edges_map)


def inter_edge_exists(port_map: list[dict[str, Any]], external_port_id: int, internal_layer_id: int) -> bool:
    return any(
        record["external_port_id"] == external_port_id and record["internal_layer_id"] == internal_layer_id
        for record in port_map
    )


def update_port_map_value(
    port_map: list[dict[str, Any]], attr: str, original_value: int, new_value: int
) -> None:
    """Change a value of `attr` in the only record that has it.

    Errors: `mo-port-map`.
    """
    update_port_map_value_ext(port_map, attr, original_value, attr, new_value)


def update_port_map_value_ext(
    port_map: list[dict[str, Any]],
    layer_id_attr: str,
    layer_id_value: int,
    updated_attr: str,
    new_attr_value: int,
) -> None:
    """Set an attribute in the one record selected by another attribute.

    The record is the one in which `layer_id_attr` has the value `layer_id_value`. Errors: `mo-port-map`.
    """
    found = [record for record in port_map if record.get(layer_id_attr) == layer_id_value]
    if len(found) != 1:
        raise Error("mo-port-map", f"{len(found)} records have {layer_id_attr} {layer_id_value}, not one")
    found[0][updated_attr] = new_attr_value


def normalize_input_output_ports(loop_node: Node) -> None:
    """Remove dead records and their ports; renumber the others.

    A record is dead if its node of the body no longer exists, or if the loop does not have its output.

    Inputs 0 and 1 stay, and the record of the condition.
    """
    numbers = {node.soft_get("internal_layer_id", None) for node in loop_node.body.get_op_nodes()}
    outputs = set(loop_node.out_ports())

    def dead(record: dict[str, Any], outwards: bool) -> bool:
        if record["internal_layer_id"] not in numbers:
            return True
        told = record.get("purpose") == "execution_condition"
        return outwards and not told and record["external_port_id"] not in outputs

    for record in [r for r in loop_node.input_port_map if dead(r, False)]:
        if record["external_port_id"] not in (ITSELF, 0, 1):
            loop_node.delete_input_port(record["external_port_id"], skip_if_absent=True)
    for record in [r for r in loop_node.output_port_map if dead(r, True)]:
        loop_node.delete_output_port(record["external_port_id"], skip_if_absent=True)
    loop_node.input_port_map[:] = [r for r in loop_node.input_port_map if not dead(r, False)]
    loop_node.output_port_map[:] = [r for r in loop_node.output_port_map if not dead(r, True)]
    loop_node.back_edges[:] = [edge for edge in loop_node.back_edges if edge["to_layer"] in numbers]
    re_numerate_input_ports(loop_node)
    re_numerate_output_ports(loop_node)


def _renumber(
    ports: list[int],
    kept: Callable[[int], bool],
    move: Callable[[int, int], None],
    delete: Callable[[int], None],
) -> None:
    """Renumber the kept ports from 0 on and delete those behind them."""
    new = 0
    for port in sorted(ports):
        if kept(port):
            if port != new:
                move(port, new)
            new += 1
    for port in sorted(ports, reverse=True):
        if port >= new:
            delete(port)


def _moved(records: list[dict[str, Any]], old: int, new: int) -> None:
    update_port_map_value(records, "external_port_id", old, new)


def re_numerate_input_ports(loop_node: Node) -> None:
    """Renumber the connected inputs from 0 on, also in the records.

    Errors: `mo-port-map`.
    """

    def move(old: int, new: int) -> None:
        loop_node.add_input_port(new, skip_if_exist=True)
        loop_node.in_port(old).get_connection().set_destination(loop_node.in_port(new))
        _moved(loop_node.input_port_map, old, new)

    ports = list(loop_node.in_ports())
    _renumber(ports, loop_node.is_in_port_connected, move, loop_node.delete_input_port)


def re_numerate_output_ports(loop_node: Node) -> None:
    """Renumber the outputs from 0 on, also in the records.

    Errors: `mo-port-map`.
    """

    def move(old: int, new: int) -> None:
        loop_node.add_output_port(new, skip_if_exist=True)
        loop_node.out_port(old).get_connection().set_source(loop_node.out_port(new))
        _moved(loop_node.output_port_map, old, new)

    _renumber(list(loop_node.out_ports()), lambda port: True, move, loop_node.delete_output_port)


def connect_branch_input(
    if_node: Node, condition: bool, if_input_port_idx: int, body_parameter: Node
) -> None:
    """Connect an input of the If to a Parameter of a branch.

    The branch is that for `condition`. Errors: `mo-port-map`.
    """
    _branch(if_node, condition, body_parameter, "Parameter")
    body_parameter["input_id"] = if_input_port_idx


def connect_branch_output(
    if_node: Node, condition: bool, if_output_port_idx: int, internal_result: Node
) -> None:
    """Connect a Result of a branch to an output of the If.

    The branch is that for `condition`. Errors: `mo-port-map`.
    """
    _branch(if_node, condition, internal_result, "Result")
    internal_result["output_id"] = if_output_port_idx


def _branch(if_node: Node, condition: bool, node: Node, op: str) -> None:
    branch = if_node.then_graph if condition else if_node.else_graph
    if node.soft_get("op") != op or node.id not in branch:
        raise _broken(if_node, f"'{node.id}' is not a {op} of the branch")
