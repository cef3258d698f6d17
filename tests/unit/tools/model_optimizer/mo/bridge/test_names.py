"""Nodes that go by the Model Optimizer's names in the later phases: found, edited, and read back (D22)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.formats import convert_front
from loomir.compiler.model import Engine, Model
from loomir.compiler.pipeline import run_passes
from loomir.tools.model_optimizer.mo import member
from loomir.tools.model_optimizer.mo.constants import Const
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node
from loomir.tools.model_optimizer.mo.shapes import int64_array
from tests.support import assert_all_agree, raises_error
from tests.unit.tools.model_optimizer.mo.bridge.programs import INFERENCE, front, ignore, named, transformed

PHASES = pytest.mark.parametrize("phase", ["middle", "back"])
ENGINES: tuple[Engine, ...] = ("graph", "native")

LEAKY = """g (float[2,3] x) => (float[2,3] y, float[2,3] z) {
  [first] a = LeakyRelu <alpha = 0.25> (x)
  [second] y = LeakyRelu <alpha = 0.25> (a)
  [third] b = PRelu (a, s)
  [fourth] z = Tanh (b)
}"""
LEAKY = LEAKY.replace("z) {", "z) <float[1] s = {0.5}> {")
IN_LOOP = """g (float[2] x, int64 n, bool c) => (float[2] y) <float[1] one = {1}> {
  [loop] y = Loop (n, c, x) <body = b (int64 i, bool ci, float[2] v) => (bool co, float[2] w) {
    [go] co = Identity (ci)
    [inner] r = LeakyRelu <alpha = 0.25> (v)
    [sum] w = Sub (r, one)
  }>
}"""
CONV = """g (float[1,2,4,4] x) => (float[1,2,1,1] y) <float[2,2,2,2] w = {1,2,3,4,5,6,7,8,8,7,6,5,4,3,2,1}> {
  [first] a = Conv (x, w)
  [second] y = MaxPool <kernel_shape = [3, 3]> (a)
}"""
CLAMP = """g (float[2,3] x) => (float[2,3] y) <float low = {-0.25}, float high = {0.5}> {
  [first] y = Clip (x, low, high)
}"""

X = np.array([[-2, -1, -0.5], [0, 0.25, 3]], np.float32)


def program(text: str) -> ModuleOp:
    """GRAPH as `loomir convert` has it before the middle phase."""
    module = front(text)
    convert_front(module, layers=True)
    run_passes(module, INFERENCE)
    return module


def edited(text: str, action: Callable[[Graph], object], phase: str = "middle") -> ModuleOp:
    module = program(text)
    transformed(module, phase, action, run_not_recursively=True)
    return module


def outputs(module: ModuleOp, **feed: Any) -> dict[str, np.ndarray]:
    """Of both engines, which agree."""
    graph, native = (dict(Model(module.clone()).run(feed, engine=engine)) for engine in ENGINES)
    assert_all_agree(native, graph)
    return graph


def leaky(x: np.ndarray, slope: float) -> np.ndarray:
    return np.where(x < 0, np.float32(slope) * x, x)


@PHASES
def test_what_nobody_edits_stays_what_it_is(phase: str) -> None:
    for text in (LEAKY, IN_LOOP, CONV, CLAMP):
        module = program(text)
        before = sorted(op.name for op in module.walk())
        transformed(module, phase, ignore)
        # (Each node has a slope of its own.)
        after = sorted(op.name for op in module.walk())
        assert [name for name in after if name != "ov.constant"] == [n for n in before if n != "ov.constant"]
        assert "ov.custom" not in after


def test_names_of_the_middle_phase() -> None:
    def look(graph: Graph) -> None:
        assert {n.name: (n.op, n.type) for n in graph.get_op_nodes() if n.op in ("LeakyReLU", "PReLU")} == {
            "first": ("LeakyReLU", "LeakyReLU"),
            "second": ("LeakyReLU", "LeakyReLU"),
            "third": ("PReLU", "PReLU"),
        }
        assert len(named(graph, "first").in_ports()) == 1
        assert named(graph, "first").negative_slope == 0.25

    edited(LEAKY, look)


def test_names_of_the_back_phase() -> None:
    def look(graph: Graph) -> None:
        assert [n.name for n in graph.get_op_nodes(op="PReLU")] == ["first", "second", "third"]
        assert len(named(graph, "first").in_ports()) == 2

    edited(LEAKY, look, "back")


def test_types_come_with_the_back_phase() -> None:
    seen: list[tuple[str, str]] = []
    for phase in ("middle", "back"):
        edited(
            CONV, lambda graph: seen.extend((n.op, n.type) for n in graph.get_op_nodes(op="MaxPool")), phase
        )
    assert seen == [("MaxPool", "Pooling"), ("MaxPool", "MaxPool")]


def test_a_slope_is_an_attribute() -> None:
    def steeper(graph: Graph) -> None:
        named(graph, "second")["negative_slope"] = 2.0

    made = outputs(edited(LEAKY, steeper), x=X)
    np.testing.assert_array_equal(made["y"], leaky(leaky(X, 0.25), 2.0))
    np.testing.assert_allclose(made["z"], np.tanh(leaky(leaky(X, 0.25), 0.5)), rtol=1e-6)


def test_a_slope_in_a_body() -> None:
    def steeper(graph: Graph) -> None:
        for node in graph.get_op_nodes(op="LeakyReLU"):
            node["negative_slope"] = np.float64(0.5)

    module = program(IN_LOOP)
    transformed(module, "middle", steeper)
    x = np.array([-1, 3], np.float32)
    made = outputs(module, x=x, n=np.int64(2), c=np.bool_(True))
    np.testing.assert_array_equal(made["y"], leaky(leaky(x, 0.5) - 1, 0.5) - 1)
    assert outputs(module, x=x, n=np.int64(0), c=np.bool_(True))["y"].tolist() == x.tolist()


def test_a_slope_that_is_no_number() -> None:
    def worse(graph: Graph) -> None:
        named(graph, "first")["negative_slope"] = "steep"

    with raises_error("mo-attribute-value", "negative_slope", "first"):
        edited(LEAKY, worse)


def test_another_activation_in_its_place() -> None:
    def replace(graph: Graph) -> None:
        old = named(graph, "first")
        new = member("ops.activation_ops", "LeakyReLU")(
            graph, {"name": "new", "negative_slope": 3.0}
        ).create_node()
        old.in_port(0).get_connection().set_destination(new.in_port(0))
        old.out_port(0).get_connection().set_source(new.out_port(0))

    made = outputs(edited(LEAKY, replace), x=X)
    np.testing.assert_array_equal(made["y"], leaky(leaky(X, 3.0), 0.25))


@PHASES
def test_attributes_of_a_convolution(phase: str) -> None:
    def shrink(graph: Graph) -> None:
        (node,) = graph.get_op_nodes(op="Conv")
        node["dilations"] = int64_array([3, 3])
        (pool,) = graph.get_op_nodes(op="MaxPool")
        pool["kernel"] = int64_array([1, 1])

    x = np.arange(32, dtype=np.float32).reshape(1, 2, 4, 4)
    w = np.array([1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5, 4, 3, 2, 1], np.float32).reshape(2, 2, 2, 2)
    made = outputs(edited(CONV, shrink, phase), x=x)
    np.testing.assert_array_equal(made["y"][0, :, 0, 0], np.tensordot(w, x[0, :, ::3, ::3], 3))


def test_another_layer() -> None:
    """A node set to a custom type has it, with its inputs."""

    def own(graph: Graph) -> None:
        for name in ("first", "second"):
            node = named(graph, name)
            node["type"], node["op"] = f"My{name}", f"My{name}"

    module = edited(CONV, own)
    assert 'ov.custom "Myfirst"' in str(module)
    assert 'ov.custom "Mysecond"' in str(module)


@pytest.mark.parametrize("inputs", [1, 2])
def test_limits_become_inputs(inputs: int) -> None:
    """In the Model Optimizer's middle phase they are."""

    def limit(graph: Graph) -> None:
        (node,) = graph.get_op_nodes(op="Clamp")
        for port, value in ((1, -1.0), (2, 1.0))[:inputs]:
            bound = Const(graph, {"name": f"limit{port}", "value": np.float32(value)}).create_node()
            node.add_input_port(port, skip_if_exist=True)
            node.in_port(port).connect(bound.out_port(0))

    made = outputs(edited(CLAMP, limit), x=X)
    np.testing.assert_array_equal(made["y"], np.clip(X, -1, 1 if inputs == 2 else 0.5))


def test_limits_are_attributes() -> None:
    def limit(graph: Graph) -> None:
        Node(graph, graph.get_op_nodes(op="Clamp")[0].id)["max"] = 2.0

    np.testing.assert_array_equal(outputs(edited(CLAMP, limit), x=X)["y"], np.clip(X, -0.25, 2))
