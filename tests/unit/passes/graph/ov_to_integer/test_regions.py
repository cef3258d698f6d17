"""Quantised tensors that go into loops and out of loops and branches do so as integers, and nothing changes.

All scales are powers of two: floats compute exactly, so that integers have to be equal.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import loomir
from loomir.compiler.model import Model
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.upstream.walking import walk
from tests.unit.passes.graph.ov_to_integer.networks import Network, float_operations, in_floats, in_integers

FLOAT = TensorProto.FLOAT
info = helper.make_tensor_value_info
HIDDEN, INPUTS, STEPS = 8, 6, 5
QUANTISED, BACK = ["ov.divide", "ov.round"], ["ov.convert", "ov.multiply"]
"""Remaining float operations: input quantisation without a zero point, and float output."""


def weights(net: Network, name: str, shape: Sequence[int]) -> str:
    array = net.random.integers(-127, 128, shape).astype(np.int8)
    return net.dequantised(name, array, np.full(shape[1], 2.0**-7, np.float32), 1)


def cell(net: Network, x: str, h: str, c: str) -> tuple[str, str]:
    """An LSTM cell, in the notation of ONNX, each tensor of it quantised: the hidden and the cell state."""

    def quantised(operator: str, inputs: Sequence[str], name: str, scale: float, zero: int = 0) -> str:
        return net.quantised(net.node(operator, inputs, f"{name}_real"), name, scale, zero)

    gates = quantised(
        "Add",
        [
            quantised("MatMul", [x, weights(net, "w", (INPUTS, 4 * HIDDEN))], "xw", 2.0**-4),
            quantised("MatMul", [h, weights(net, "r", (HIDDEN, 4 * HIDDEN))], "hr", 2.0**-5, -2),
        ],
        "gates",
        2.0**-4,
        1,
    )
    names = [f"{letter}_gate" for letter in "iofc"]
    net.nodes.append(helper.make_node("Split", [gates], names, axis=1, num_outputs=4))
    i, o, f = (quantised("Sigmoid", [name], name[0], 2.0**-8, -128) for name in names[:3])
    forgotten = quantised("Mul", [f, c], "forgotten", 2.0**-5)
    added = quantised("Mul", [i, quantised("Tanh", [names[3]], "g", 2.0**-7)], "added", 2.0**-7)
    c2 = quantised("Add", [forgotten, added], "c2", 2.0**-5)
    return quantised("Mul", [o, quantised("Tanh", [c2], "t", 2.0**-7)], "h2", 2.0**-7), c2


def lstm(*, scan: bool, start: float = 0.0) -> onnx.ModelProto:
    """Return an LSTM as a Loop or a Scan.

    The Loop slices its input itself; the Scan gets its inputs in slices.
    """
    net = Network(4)
    h2, c2 = cell(net, net.quantised("part", "x0", 2.0**-4, 0), "h", "c")
    net.node("Identity", [h2], "out")
    state = [info(name, FLOAT, [1, HIDDEN]) for name in ("h", "c")]
    results = [info(name, FLOAT, [1, HIDDEN]) for name in (h2, c2, "out")]
    part = info("part", FLOAT, [1, INPUTS])
    given = [numpy_helper.from_array(np.full((1, HIDDEN), start, np.float32), "start")]
    if scan:
        body = helper.make_graph(net.nodes, "body", [*state, part], results, net.constants)
        node = helper.make_node(
            "Scan", ["start", "start", "x"], ["hf", "cf", "y"], body=body, num_scan_inputs=1
        )
    else:
        net.nodes.insert(0, helper.make_node("Gather", ["x", "number"], ["part"], axis=0))
        net.node("Identity", ["go"], "still")
        control = [info("number", TensorProto.INT64, []), info("go", TensorProto.BOOL, [])]
        outputs = [info("still", TensorProto.BOOL, []), *results]
        body = helper.make_graph(net.nodes, "body", [*control, *state], outputs, net.constants)
        node = helper.make_node("Loop", ["trips", "", "start", "start"], ["hf", "cf", "y"], body=body)
        given.append(numpy_helper.from_array(np.array(STEPS), "trips"))
    graph = helper.make_graph(
        [node],
        "lstm",
        [info("x", FLOAT, [STEPS, 1, INPUTS])],
        [info("hf", FLOAT, [1, HIDDEN]), info("y", FLOAT, [STEPS, 1, HIDDEN])],
        given,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def same(model: onnx.ModelProto, integers: Model, feed: dict[str, np.ndarray]) -> None:
    wanted = in_floats(model).run(feed, engine="graph")
    for engine in ("graph", "loops", "native"):
        found = integers.run(feed, engine=engine)
        assert all(np.array_equal(found[name], wanted[name]) for name in wanted), engine


@pytest.mark.parametrize("scan", [False, True])
def test_an_lstm_cell_is_of_integers(scan: bool) -> None:
    model = lstm(scan=scan)
    integers = in_integers(model)
    (loop,) = (op for op in walk(integers.module) if isinstance(op, LoopOp))
    assert {str(value.type) for value in loop.final} == {f"tensor<1x{HIDDEN}xi8>"}
    assert [str(value.type) for value in loop.concat] == [f"tensor<{STEPS}x1x{HIDDEN}xi8>"]
    cut = "ov.squeeze" if scan else "ov.gather"
    assert float_operations(integers) == [cut, *QUANTISED, *BACK, *BACK]
    random = np.random.default_rng(0)
    for _ in range(5):
        same(model, integers, {"x": random.normal(0, 2, (STEPS, 1, INPUTS)).astype(np.float32)})
    loomir.load(model, integers=True, check_each_pass=True)
    both = loomir.load(model, io="int8")
    assert [str(info.dtype) for info in (*both.inputs, *both.outputs)] == ["int8"] * 3
    assert not float_operations(both)


def test_a_start_that_no_integer_stands_for_stays_floats() -> None:
    model = lstm(scan=True, start=0.3)
    integers = in_integers(model)
    (loop,) = (op for op in walk(integers.module) if isinstance(op, LoopOp))
    assert {str(value.type) for value in loop.final} == {f"tensor<1x{HIDDEN}xf32>"}
    same(model, integers, {"x": np.linspace(-3, 3, STEPS * INPUTS, dtype=np.float32).reshape(STEPS, 1, -1)})


def branches(other: float) -> onnx.ModelProto:
    """An If whose branches quantise to one scale, or to two."""
    arms: list[onnx.GraphProto] = []
    for name, scale, operator in (("then", 0.25, "Tanh"), ("else", other, "Sigmoid")):
        net = Network(1)
        real = net.node(operator, ["q"], f"{name}_real")
        y = net.quantised(
            net.node("Mul", [real, net.constant("k", np.float32(16))], f"{name}_k"), name, scale, 3
        )
        arms.append(helper.make_graph(net.nodes, name, [], [info(y, FLOAT, [2, 4])], net.constants))
    outer = Network(2)
    outer.quantised("x", "q", 0.5, 0)
    outer.nodes.append(helper.make_node("If", ["c"], ["r"], then_branch=arms[0], else_branch=arms[1]))
    y = outer.quantised(outer.node("MatMul", ["r", weights(outer, "w", (4, 3))], "m"), "y", 0.125, 0)
    graph = helper.make_graph(
        outer.nodes,
        "branches",
        [info("x", FLOAT, [2, 4]), info("c", TensorProto.BOOL, [])],
        [info(y, FLOAT, [2, 3])],
        outer.constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


@pytest.mark.parametrize(
    ("other", "types"), [(0.25, ["tensor<2x4xi8>"]), (0.5, ["tensor<f32>", "tensor<2x4xi8>"])]
)
def test_branches_give_integers(other: float, types: list[str]) -> None:
    """With two scales, they give the scale, too."""
    model = branches(other)
    integers = in_integers(model)
    (branch,) = (op for op in walk(integers.module) if isinstance(op, IfOp))
    assert [str(result.type) for result in branch.results] == types
    x = np.linspace(-4, 4, 8, dtype=np.float32).reshape(2, 4)
    for condition in (True, False):
        same(model, integers, {"x": x, "c": np.array(condition)})
