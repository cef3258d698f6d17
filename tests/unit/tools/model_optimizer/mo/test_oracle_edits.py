"""Random changes of graphs do what they do in an installed Model Optimizer: edges, data nodes, names of tensors, order.

Where it is, `LOOMIR_MO_ORACLE` says (`tests/mo_oracle.py`).
"""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

import pytest

from loomir.tools.model_optimizer.mo import install_legacy_names, remove_legacy_names
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from tests.mo_oracle import asked, needs_oracle
from tests.unit.tools.model_optimizer.mo import oracle_program

pytestmark = needs_oracle

SEEDS = range(200)
MODES: list[list[str]] = [[], [], ["merge"], ["source"], ["dest"]]


def start(rng: random.Random) -> dict[str, Any]:
    """Operations with two inputs and outputs in rows, each of which takes from those before."""
    nodes: dict[str, Any] = {
        f"p{i}": {"op": "Parameter", "type": "Parameter", "out_ports_count": 2} for i in range(2)
    }
    edges: list[Any] = []
    for i in range(rng.randint(3, 7)):
        before = list(nodes)
        nodes[f"x{i}"] = {"op": "X", "in_ports_count": 2, "out_ports_count": 2}
        edges += [
            [rng.choice(before), rng.randint(0, 1), f"x{i}", port] for port in (0, 1) if rng.random() < 0.8
        ]
    nodes["r"] = {"op": "Result", "type": "Result"}
    edges.append([f"x{rng.randint(0, 2)}", 0, "r", 0])
    return {"nodes": nodes, "edges": edges, "steps": []}


def propose(rng: random.Random, graph: Graph, number: int) -> list[Any] | None:
    """A step that makes sense in the graph, or None."""
    operations = graph.get_op_nodes()
    ins = [(n.id, i, port.disconnected()) for n in operations for i, port in n.in_ports().items()]
    outs = [(n.id, o) for n in operations for o in n.out_ports()]
    taken = [(n, i) for n, i, free in ins if not free]
    free = [(n, i) for n, i, is_free in ins if is_free]
    mode = rng.choice(MODES)
    what = rng.choice(
        [
            "connect",
            "disconnect-in",
            "disconnect-out",
            "set-source",
            "move",
            "set-destination",
            "insert",
            "rename",
            "remove",
        ]
    )
    if what == "connect" and free:
        return [what, *rng.choice(outs), *rng.choice(free)]
    if what in ("disconnect-in", "insert", "set-source", "set-destination") and taken:
        chosen = rng.choice(taken)
        if what == "disconnect-in":
            return [what, *chosen]
        if what == "insert":
            return [what, *chosen, f"new{number}", *mode]
        if what == "set-source":
            return [what, *chosen, *rng.choice(outs), *mode]
        return moved(graph, chosen, rng.choice(free), mode) if free else None
    if what == "disconnect-out":
        name, out = rng.choice(outs)
        # (There, of two edges between the same nodes the other one may go.)
        parallel = any(len(graph.get_edge_data(name, n)) > 1 for n in graph.succ[name])
        return None if parallel and graph.stage == "front" else [what, name, out]
    if what == "move":
        first, second = rng.sample(outs, 2)
        return [what, *first, *second, *mode]
    if what == "rename":
        return [what, rng.choice(operations).id, 0, rng.choice(["x0", f"name{number}"])]
    if what == "remove" and rng.random() < 0.3 and graph.stage == "front":
        chosen = rng.choice(operations)
        return [what, chosen.id, 0] if chosen.op == "X" else None
    return None


def moved(graph: Graph, port: Any, to: Any, mode: list[str]) -> list[Any] | None:
    """(There, in the middle phase, an edge that the data node has to the new node already would be lost.)"""
    producer = Node(graph, port[0]).in_node(port[1])
    lost = graph.stage == "middle" and graph.has_edge(producer.id, to[0])
    return None if lost else ["set-destination", *port, *to, *mode]


@cache
def cases() -> dict[str, Any]:
    """By seed a case, whose steps were chosen on loomir's graph, and what it is afterwards."""
    found: dict[str, Any] = {}
    install_legacy_names()
    try:
        for seed in SEEDS:
            rng = random.Random(seed)
            case = {**start(rng), "phase": rng.choice(["front", "middle"])}
            graph = oracle_program.edited(case)
            while len(case["steps"]) < 12:
                step = propose(rng, graph, len(case["steps"]))
                if step is not None:
                    case["steps"].append(step)
                    oracle_program.edit(graph, step)
            told = {**oracle_program.told(graph), "order": oracle_program.sorted_nodes(graph)}
            found[str(seed)] = (case, json.loads(json.dumps(told)))
    finally:
        remove_legacy_names()
    return found


@cache
def answers() -> dict[str, Any]:
    return asked(oracle_program.__file__, {seed: case for seed, (case, _) in cases().items()})


@pytest.mark.parametrize("seed", SEEDS)
def test_edits(seed: int) -> None:
    case, actual = cases()[str(seed)]
    expected = answers()[str(seed)]
    shown = f"{case['phase']}: {json.dumps(case['steps'])}"
    assert actual["edges"] == expected["edges"], shown
    assert list(actual["nodes"]) == list(expected["nodes"]), shown
    for node, attributes in expected["nodes"].items():
        assert actual["nodes"][node] == attributes, f"{node} {shown}"
    assert actual["order"] == expected["order"], shown


def test_the_nodes_are_loomirs() -> None:
    """(And not those of a Model Optimizer that is installed here.)"""
    case, _ = cases()["0"]
    install_legacy_names()
    try:
        assert isinstance(oracle_program.build(case), Graph)
        assert Node.__module__.startswith("loomir.")
    finally:
        remove_legacy_names()
