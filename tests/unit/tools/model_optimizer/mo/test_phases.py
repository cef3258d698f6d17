"""The order of transformations and how a phase runs them."""

from __future__ import annotations

import random
from typing import Any

import onnx
import pytest

from loomir.tools.model_optimizer.mo import member
from loomir.tools.model_optimizer.mo.extractors import FrontExtractorOp
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.phases import (
    apply_replacements_list,
    extract,
    ordered,
    run_transformations,
)
from loomir.tools.model_optimizer.mo.transformations import (
    BackFinish,
    BackStart,
    FrontFinish,
    FrontReplacementOp,
    FrontReplacementPattern,
    FrontStart,
    Loader,
    LoadFinish,
    MiddleFinish,
    MiddleReplacementPattern,
    MiddleStart,
    PreMiddleStart,
)
from tests.support import raises_error
from tests.unit.tools.model_optimizer.mo.graphs import CHAIN, front_graph, middle_graph

ran: list[str] = []


def transformation(name: str, base: type = FrontReplacementPattern, **members: Any) -> Any:
    """A class that notes on which graph it ran."""

    def find_and_replace_pattern(self: Any, graph: Graph) -> None:
        ran.append(f"{name}:{graph.name}")

    return type(name, (base,), {"find_and_replace_pattern": find_and_replace_pattern, **members})


def names(classes: list[type]) -> list[str]:
    return [cls.__name__ for cls in classes]


def test_anchors_and_what_classes_say() -> None:
    first = transformation("Z", run_before=lambda self: [FrontStart], run_after=lambda self: [])
    second = transformation("Y")
    third = transformation("A", run_after=lambda self: [second])
    last = transformation("B", run_after=lambda self: [FrontFinish], run_before=lambda self: [])
    assert names(ordered([last, third, second, first])) == ["Z", "FrontStart", "Y", "A", "FrontFinish", "B"]
    middle = ordered([transformation("M", MiddleReplacementPattern), PreMiddleStart])
    assert names(middle) == ["PreMiddleStart", "MiddleStart", "M", "MiddleFinish"]
    assert names(ordered([BackFinish, BackStart])) == ["BackStart", "BackFinish"]
    assert names(ordered([MiddleFinish, MiddleStart])) == ["PreMiddleStart", "MiddleStart", "MiddleFinish"]


def test_order_does_not_depend_on_the_order_given() -> None:
    classes = [transformation(f"T{i}") for i in range(20)]
    classes[3].run_after = lambda self: [classes[7], FrontStart]
    classes[11].run_before = lambda self: [classes[2]]
    expected = names(ordered(classes))
    for seed in range(10):
        assert names(ordered(random.Random(seed).sample(classes, len(classes)))) == expected


def test_a_long_chain_is_ordered() -> None:
    """5,000 classes, each after the one before: no recursion, no quadratic walk."""
    classes: list[Any] = []
    for i in range(5000):
        before = classes[-1:]
        classes.append(
            transformation(f"T{i}", run_after=lambda self, before=before: before, run_before=lambda self: [])
        )
    assert ordered(classes[::-1]) == classes


def test_circles_and_duplicates_are_refused() -> None:
    a, b = transformation("A"), transformation("B")
    a.run_after = lambda self: [b]
    b.run_after = lambda self: [a]
    with raises_error("phase-cycle", "A", "→", "B"):
        ordered([a, b])
    with raises_error("phase-duplicate", "name 'A'"):
        ordered([transformation("A"), transformation("A")])
    with raises_error("phase-duplicate", "id 'x'"):
        ordered([transformation("C", id="x"), transformation("D", id="x")])


def test_a_class_that_cannot_say_is_named() -> None:
    with raises_error("mo-extension-failed", "Bad", "ZeroDivisionError"):
        ordered([transformation("Bad", run_before=lambda self: 1 / 0)])


def nested() -> Graph:
    graph = front_graph(CHAIN)
    graph.name = "outer"
    for name, owner in (("body", graph), ("inner", None)):
        sub_graph = front_graph(CHAIN)
        sub_graph.name = name
        holder = owner or graph.node["A"]["body"]
        Node(holder, "A")["sub_graphs"] = ["body"]
        Node(holder, "A")["body"] = sub_graph
    return graph


def run(*classes: type, phase: str = "front", **options: Any) -> list[str]:
    ran.clear()
    run_transformations(nested(), phase, classes, **options)
    return list(ran)


def test_graphs_in_nodes_are_transformed_too() -> None:
    assert run(transformation("A")) == ["A:outer", "A:body", "A:inner"]
    assert run(transformation("A", run_not_recursively=True)) == ["A:outer"]


def test_what_is_switched_off() -> None:
    assert run(transformation("A", enabled=False)) == []
    assert run(transformation("A", graph_condition=[lambda graph: graph.name == "other"])) == []
    assert run(transformation("A", graph_condition=[lambda graph: graph.name == "outer"])) != []
    assert run(transformation("A", id="my-id"), disabled=["my-id"]) == []
    assert run(transformation("A"), disabled=["A"]) == []
    assert run(transformation("A", __mo_place__="front.onnx.a"), disabled=["front.onnx"]) == []
    assert run(transformation("A", __mo_place__="front.onnx.a"), disabled=["front.onnx.a.A"]) == []
    assert run(transformation("A", __mo_place__="front.onnx.a"), disabled=["front.on"]) != []
    with raises_error("mo-phase-unknown", "'side'"):
        run(phase="side")


def test_watching_and_stages() -> None:
    seen: list[tuple[str, str | None]] = []
    graph = middle_graph(CHAIN)
    cls = transformation("A", MiddleReplacementPattern)
    ran_classes = run_transformations(
        graph, "middle", [cls], watch=lambda c, g: seen.append((c.__name__, g.stage))
    )
    assert ("A", "middle") in seen
    assert cls in ran_classes


def test_clean_up_and_inference_after_a_transformation() -> None:
    graph = middle_graph([*CHAIN, ("Parameter", 0, "Dead", 0)])
    run_transformations(graph, "middle", [transformation("A", MiddleReplacementPattern, force_clean_up=True)])
    assert "Dead" not in graph
    inferred: list[str] = []
    Node(graph, "A")["infer"] = lambda node: inferred.append(node.id)
    Node(graph, "A")["need_shape_inference"] = True
    cls = transformation("A", MiddleReplacementPattern, force_shape_inference=True)
    apply_replacements_list(graph, [cls])
    assert inferred == ["A"]


def test_culprits_are_named() -> None:
    def fails(self: Any, graph: Graph) -> None:
        raise ValueError("nothing fits")

    def empties(self: Any, graph: Graph) -> None:
        graph.remove_nodes_from(list(graph))

    with raises_error("mo-extension-failed", "Bad", "ValueError: nothing fits", "test_phases.py"):
        run(
            type(
                "Bad", (FrontReplacementPattern,), {"find_and_replace_pattern": fails, "__module__": __name__}
            )
        )
    with raises_error("mo-graph-empty", "Empty"):
        run(type("Empty", (FrontReplacementPattern,), {"find_and_replace_pattern": empties}))
    with raises_error("mo-api-not-covered", "'replace_op'"):
        run(type("Nothing", (FrontReplacementOp,), {"op": "A", "run_not_recursively": True}))


def test_loaders() -> None:
    class Mine(Loader):
        enabled = True

        def load(self, graph: Graph) -> None:
            for name in ("a", "b"):
                graph.add_node(name, kind="op", op="A", name=name)

    graph = Graph(name="loaded")
    assert names(run_transformations(graph, "load", [LoadFinish, Mine])) == ["Mine", "LoadFinish"]
    with raises_error("mo-graph-empty", "loading"):
        run_transformations(Graph(name="nothing"), "load", [LoadFinish])


def test_extractors_read_nodes_by_operation() -> None:
    class First(FrontExtractorOp):
        op = "a"
        enabled = True

        @classmethod
        def extract(cls, node: Node) -> bool:
            node["by"] = cls.__name__
            return cls.enabled

    second = type("Second", (First,), {})
    graph = front_graph(CHAIN)
    for name in ("A", "B"):
        Node(graph, name)["pb"] = onnx.helper.make_node(name, ["x"], ["y"])
    operation = type(
        "OpB", (member("op_table", "TableOp"),), {"op": "B", "row": member("op_table", "OpRow")("", "B")}
    )
    assert extract(graph, [operation, First, second]) == ["A", "B"]
    assert Node(graph, "A").by == "Second"
    assert Node(graph, "B").op == "B"
    second.extract = classmethod(lambda cls, node: [][0])
    with raises_error("mo-extension-failed", "'A'", "IndexError"):
        extract(graph, [second])


@pytest.mark.parametrize("missing", ["pattern", "replace_pattern"])
def test_what_a_class_has_to_define_is_named(missing: str) -> None:
    pattern = {"nodes": [("x", {"op": "A"})], "edges": []}
    members = {"pattern": lambda self: pattern} if missing == "replace_pattern" else {}
    with raises_error("mo-api-not-covered", f"'{missing}'"):
        run(type("Half", (FrontReplacementPattern,), members))
