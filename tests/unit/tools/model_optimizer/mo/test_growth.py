"""Changes of graphs take constant time each, however many nodes and consumers there are.

What is counted are lines that Python runs, which are the same on every machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest

from loomir.tools.model_optimizer.mo import member
from loomir.tools.model_optimizer.mo.graph.attributes import INFO
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node, rename_node


def lines_of(function: Callable[[], Any]) -> int:
    """How many lines are run by a call."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count


def shared(stage: str, consumers: int) -> tuple[Graph, Node]:
    """One output that so many operations take."""
    graph = Graph(name="shared")
    graph.stage = stage
    identity = member("ops.identity", "Identity")
    source = identity(graph, {"name": "source"}).create_node()
    for i in range(consumers):
        node = identity(graph, {"name": f"x{i}"}).create_node()
        source.out_port(0).connect(node.in_port(0))
        if stage == "front":
            node.in_edge()[INFO] = [("source", f"name{i % 3}")]
    return graph, source


def changes(graph: Graph, source: Node) -> None:
    """Some of everything."""
    identity = member("ops.identity", "Identity")
    new = identity(graph, {"name": "x"}).create_node()
    new.in_port(0).connect(source.out_port(0))
    rename_node(new, "renamed")
    between = identity(graph, {"name": "x"}).create_node()
    new.in_port(0).get_connection().insert_node(between)
    new.in_port(0).disconnect()
    source.out_port(0).connect(new.in_port(0))
    source.out_port(0).disconnected()
    graph.get_node_id_by_name("renamed")
    if graph.stage == "front":
        identity(graph, {"name": "x"}).create_node([source])
    graph.remove_node(between.id)
    graph.remove_node(new.id)


@pytest.mark.parametrize("stage", ["front", "middle"])
def test_changes_do_not_depend_on_the_number_of_consumers(stage: str) -> None:
    changes(*shared(stage, 3))  # what is imported at first
    few, many = (lines_of(partial(changes, *shared(stage, consumers))) for consumers in (20, 400))
    assert many < 1.1 * few, f"{few} lines with 20 consumers, {many} with 400"
