"""Transformations of the middle and back phase, with data nodes.

Operations, shapes and results are checked afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.formats import load_unconverted
from loomir.compiler.model import Engine, Model
from loomir.compiler.pipeline import run_passes
from loomir.dialects.diagnostics import layer_name
from loomir.tools.model_optimizer.mo import member
from loomir.tools.model_optimizer.mo.constants import Const, create_op_with_const_inputs
from loomir.tools.model_optimizer.mo.graph.graph import Graph, Node, rename_node
from loomir.tools.model_optimizer.mo.inference import partial_infer
from loomir.tools.model_optimizer.mo.op import Op
from loomir.tools.model_optimizer.mo.shapes import int64_array
from tests.support import assert_all_agree, raises_error
from tests.unit.tools.model_optimizer.mo.bridge.programs import (
    CHAIN,
    IF,
    INFERENCE,
    LOOP,
    graph,
    named,
    transformed,
)

CONTROL_FLOW = Path(__file__).parents[6] / "examples" / "controlflow.xml"
PHASES = pytest.mark.parametrize("phase", ["middle", "back"])
ENGINES: tuple[Engine, ...] = ("graph", "native")


def after(text: str, action: Callable[[Graph], object], phase: str = "middle") -> str:
    """GRAPH after a transformation of the outer graph."""
    return transformed(graph(text), phase, action, run_not_recursively=True)


def of_file() -> ModuleOp:
    module = load_unconverted(CONTROL_FLOW)
    run_passes(module, INFERENCE)
    return module


def results(module: ModuleOp, engine: Engine) -> dict[str, np.ndarray]:
    """Of a model with given inputs."""
    model = Model(module.clone())
    rng = np.random.default_rng(3)
    feed = {}
    for info in model.inputs:
        shape = [1 if extent is None else extent for extent in info.shape or ()]
        if info.dtype.kind == "f":
            feed[info.name] = rng.standard_normal(shape).astype(info.dtype)
        else:
            feed[info.name] = np.full(shape, 1 if info.dtype.kind == "b" else 3, info.dtype)
    return dict(model.run(feed, engine=engine))


def turned(graph: Graph, node: Node) -> None:
    """Transpose a node's output twice, which changes nothing."""
    rank = len(node.out_port(0).data.get_shape())
    order = int64_array([*range(rank)][::-1])
    transpose = member("ops.transpose", "Transpose")
    forth, back = (
        create_op_with_const_inputs(graph, transpose, {1: order}, {"name": f"{node.name}/{name}"})
        for name in ("forth", "back")
    )
    node.out_port(0).get_connection().set_source(back.out_port(0))
    node.out_port(0).connect(forth.in_port(0))
    forth.out_port(0).connect(back.in_port(0))


def turn_all(graph: Graph) -> None:
    """Of elementwise operations in all graphs."""
    for node in graph.get_op_nodes():
        if (
            node.soft_get("type") in ("ReLU", "Add", "Multiply", "Tanh")
            and node.out_port(0).data.get_shape() is not None
        ):
            turned(graph, node)


@PHASES
@pytest.mark.parametrize(
    "make",
    [lambda: graph(CHAIN), lambda: graph(LOOP), lambda: graph(IF), of_file],
    ids=["chain", "Loop", "If", "IR"],
)
def test_what_means_the_same_computes_the_same(make: Callable[[], ModuleOp], phase: str) -> None:
    """Also within loops and branches, of ONNX and of OpenVINO IR."""
    before, module = make(), make()
    text = transformed(module, phase, turn_all, force_clean_up=True, force_shape_inference=True)
    assert text.count("ov.transpose") >= 2
    for engine in ENGINES:
        assert_all_agree(results(module, engine), results(before, engine), engine)


def test_bodies_are_left_alone() -> None:
    def change(graph: Graph) -> None:
        for node in graph.get_op_nodes(type="ReLU"):
            node["type"] = node["op"] = "Exp"

    module = graph(LOOP)
    assert "ov.relu" in transformed(module, "middle", change, run_not_recursively=True)
    assert "ov.relu" not in transformed(module, "middle", change)


@PHASES
def test_outer_value_of_a_branch(phase: str) -> None:
    def change(graph: Graph) -> None:
        choice = named(graph, "choice")
        (port,) = [
            p for p in choice.in_ports() if choice.in_port(p).get_source().node.soft_get("op") == "Tanh"
        ]
        made = Const(graph, {"name": "own", "value": np.array([5, 6], np.float32)}).create_node()
        choice.in_port(port).get_connection().set_source(made.out_port(0))

    module = graph(IF)
    transformed(module, phase, change, run_not_recursively=True)
    model = Model(module)
    feed = {"c": np.array(False), "x": np.array([1, 2], np.float32), "k": np.zeros(2, np.float32)}
    for engine in ENGINES:
        found = model.run({i.name: feed[i.name] for i in model.inputs}, engine=engine)
        np.testing.assert_array_equal(found["y"], [5, 12])


def test_attributes() -> None:
    """Of an operation of a set, in whatever way an extension writes a number; of one that nobody knows."""
    text = """g (float[2,3] x) => (float[A,B] y) {
      [soft] a = Softmax <axis = 1> (x)
      [total] b = ReduceSum <keepdims = 1> (a)
      [odd] y = acme.Odd <k = 1, ratio = 0.5> (b)
    }"""

    def change(graph: Graph) -> None:
        named(graph, "soft")["axis"] = np.int64(0)
        named(graph, "total")["keep_dims"] = 0
        odd = named(graph, "odd")
        odd["k"] = 3
        del odd["ratio"]

    text = after(text, change)
    assert "axis = 0 : i64" in text
    assert "-> tensor<f32>" in text
    assert "k = 3" in text
    assert "ratio" not in text


def test_another_type_of_an_operator_nobody_knows() -> None:
    """It keeps its attributes."""

    def change(graph: Graph) -> None:
        named(graph, "odd")["type"] = "Even"

    text = after("g (float[2] x) => (float[2] y) { [odd] y = acme.Odd <k = 1> (x) }", change)
    assert '"Even" in "acme" (%x) {k = 1 : i64}' in text


def test_element_type_as_an_attribute() -> None:
    def change(graph: Graph) -> None:
        named(graph, "cast")["destination_type"] = np.float64

    assert "tensor<2xf64>" in after(
        "g (float[2] x) => (double[A] y) { [cast] y = Cast <to = 6> (x) }", change
    )


def test_values() -> None:
    """Constants and what is known of them: set at a port, written in place, given by a data node alone."""

    def set_at_port(graph: Graph) -> None:
        port = named(graph, "second").in_port(1)
        port.data.set_value(port.data.get_value() * 2)

    def in_place(graph: Graph) -> None:
        node = named(graph, "second").in_port(1).get_source().node
        node["value"] = node.value.copy()
        node.value[0] = 9

    def data_alone(graph: Graph) -> None:
        node = named(graph, "second")
        graph.remove_edge(node.in_node(1).id, node.id)
        data = Op.create_input_data_node(graph, "given", np.array([7, 8, 9], np.float32))
        graph.add_edge(data.id, node.id, **{"in": 1})

    assert "2.000000e+00, 4.000000e+00, 6.000000e+00" in after(CHAIN, set_at_port)
    assert "9.000000e+00, 2.000000e+00, 3.000000e+00" in after(CHAIN, in_place)
    assert "7.000000e+00, 8.000000e+00, 9.000000e+00" in after(CHAIN, data_alone)


def test_scalar_constant_stays_a_scalar() -> None:
    def change(graph: Graph) -> None:
        node = named(graph, "sum").in_port(1).get_source().node
        node["value"] = np.array(5, np.float32)

    text = after("g (float[2] x) => (float[2] y) <float w = {1}> { [sum] y = Add (x, w) }", change)
    assert "dense<5.000000e+00> : tensor<f32>" in text


def test_inference_of_what_was_there() -> None:
    """By the operation with the attributes that the node has now; loops too."""
    seen: dict[str, list[int]] = {}

    def change(graph: Graph) -> None:
        total = named(graph, "total")
        total["keep_dims"] = False
        total["override_output_shape"] = True
        partial_infer(graph)
        seen["total"] = list(total.out_port(0).data.get_shape())

    def loop(graph: Graph) -> None:
        node = named(graph, "loop")
        node.out_port(0).data.set_shape([9])
        node.infer(node)
        seen["loop"] = list(node.out_port(0).data.get_shape())

    after(
        "g (float[2,3] x) => (float[A] y) { [total] y = ReduceSum <keepdims = 1, axes = [1]> (x) }".replace(
            ", axes = [1]", ""
        ),
        change,
    )
    after(LOOP, loop)
    assert seen == {"total": [], "loop": [2]}


def test_copies() -> None:
    def change(graph: Graph) -> None:
        for name in ("first", "second"):
            node = named(graph, name)
            copy = node.copy_node()
            for port in node.in_ports():
                node.in_port(port).get_source().connect(copy.in_port(port))
            node.out_port(0).get_connection().set_source(copy.out_port(0))
            node.out_port(0).connect(copy.in_port(0))

    assert after(CHAIN, change).count("ov.relu") == 2


def test_renamed() -> None:
    module = graph(CHAIN)
    text = transformed(module, "back", lambda graph: rename_node(named(graph, "third"), "renamed"))
    assert {"first", "renamed"} <= {layer_name(op) for op in module.walk()}
    assert 'loomir.name = "y"' in text


def test_input_that_is_gone() -> None:
    with raises_error("operand-count", "'second'"):
        after(CHAIN, lambda graph: named(graph, "second").in_port(1).disconnect())
    with raises_error("mo-graph-input", "'loop'", "input 2"):
        after(LOOP, lambda graph: named(graph, "loop").in_port(2).disconnect())
