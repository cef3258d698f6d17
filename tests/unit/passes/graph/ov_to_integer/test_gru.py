"""A quantised GRU cell in a Loop and a Scan: what its loop carries and computes are integers, and nothing changes.

    z, r = sigmoid(…);    n = tanh(x W + (r · h) R)  or  tanh(x W + r · (h R + b));    h' = (1 − z) · n + z · h

With scales that are powers of two floats compute exactly, so that integers have to be equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import loomir
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.upstream.walking import walk
from tests.unit.passes.graph.ov_to_integer.networks import Network, float_operations, in_floats, in_integers

FLOAT = TensorProto.FLOAT
info = helper.make_tensor_value_info
HIDDEN, INPUTS, STEPS = 8, 6, 5
QUANTISED, BACK = ["ov.divide", "ov.round"], ["ov.convert", "ov.multiply"]
"""Remaining float operations: input quantisation without a zero point, and float output."""


@dataclass(frozen=True)
class Cell:
    """How a cell is written.

    `before`: the state is multiplied by its weights before it is reset. `each`: each tensor is quantised, else only what goes into a
    function or a product of matrices, or out of the cell. `uneven`: by how much scales are no powers of two.
    """

    before: bool
    each: bool
    uneven: float = 1.0


def cell(net: Network, x: str, h: str, form: Cell) -> str:
    """The next state, in the notation of ONNX."""

    def real(operator: str, inputs: Sequence[str], name: str) -> str:
        return net.node(operator, inputs, f"{name}_real")

    def quantised(operator: str, inputs: Sequence[str], name: str, scale: float, zero: int = 0) -> str:
        return net.quantised(real(operator, inputs, name), name, scale * form.uneven, zero)

    made: Callable[..., str] = quantised if form.each else lambda *given: real(*given[:3])

    def weights(name: str, shape: Sequence[int]) -> str:
        array = net.random.integers(-127, 128, shape).astype(np.int8)
        return net.dequantised(name, array, np.full(shape[1], 2.0**-7 * form.uneven, np.float32), 1)

    def product(x: str, name: str, rows: int, columns: int, scale: float) -> str:
        return made("MatMul", [x, weights(f"{name}_weights", (rows, columns))], f"{name}_product", scale, 2)

    def bias(name: str, columns: int) -> str:
        """No multiple of the steps of what it is added to, and exact in single precision."""
        return net.constant(name, (net.random.integers(-2048, 2048, columns) / 4096).astype(np.float32))

    xs = product(x, "w", INPUTS, 2 * HIDDEN, 2.0**-4)
    hs = product(h, "r", HIDDEN, 2 * HIDDEN, 2.0**-5)
    sums = quantised("Add", [real("Add", [xs, bias("b", 2 * HIDDEN)], "biased"), hs], "gates", 2.0**-5, 1)
    net.nodes.append(helper.make_node("Split", [sums], ["z_gate", "r_gate"], axis=1, num_outputs=2))
    z, r = (quantised("Sigmoid", [f"{name}_gate"], name, 2.0**-8, -128) for name in "zr")
    xn = product(x, "wn", INPUTS, HIDDEN, 2.0**-4)
    if form.before:
        hn = real("Add", [product(h, "rn", HIDDEN, HIDDEN, 2.0**-5), bias("bn", HIDDEN)], "hn")
        kept = made("Mul", [r, net.quantised(hn, "hnq", 2.0**-5 * form.uneven, 0)], "kept", 2.0**-5)
    else:
        kept = product(quantised("Mul", [r, h], "reset", 2.0**-7), "rn", HIDDEN, HIDDEN, 2.0**-5)
    n = quantised("Tanh", [quantised("Add", [xn, kept], "n_gate", 2.0**-5)], "n", 2.0**-7)
    rest = made("Sub", [net.constant("one", np.float32(1)), z], "rest", 2.0**-8, -128)
    new, old = made("Mul", [rest, n], "new", 2.0**-7), made("Mul", [z, h], "old", 2.0**-7)
    return quantised("Add", [new, old], "h2", 2.0**-7)


def gru(form: Cell, *, scan: bool) -> onnx.ModelProto:
    """Return a GRU as a Loop or a Scan.

    The Loop slices its input itself; the Scan gets its input in slices.
    """
    net = Network(4)
    h2 = cell(net, net.quantised("part", "x0", 2.0**-4 * form.uneven, 0), "h", form)
    net.node("Identity", [h2], "out")
    results = [info(name, FLOAT, [1, HIDDEN]) for name in (h2, "out")]
    state, part = info("h", FLOAT, [1, HIDDEN]), info("part", FLOAT, [1, INPUTS])
    given = [numpy_helper.from_array(np.zeros((1, HIDDEN), np.float32), "start")]
    if scan:
        body = helper.make_graph(net.nodes, "body", [state, part], results, net.constants)
        node = helper.make_node("Scan", ["start", "x"], ["hf", "y"], body=body, num_scan_inputs=1)
    else:
        net.nodes.insert(0, helper.make_node("Gather", ["x", "number"], ["part"], axis=0))
        net.node("Identity", ["go"], "still")
        control = [info("number", TensorProto.INT64, []), info("go", TensorProto.BOOL, [])]
        outputs = [info("still", TensorProto.BOOL, []), *results]
        body = helper.make_graph(net.nodes, "body", [*control, state], outputs, net.constants)
        node = helper.make_node("Loop", ["trips", "", "start"], ["hf", "y"], body=body)
        given.append(numpy_helper.from_array(np.array(STEPS), "trips"))
    outputs = [info("hf", FLOAT, [1, HIDDEN]), info("y", FLOAT, [STEPS, 1, HIDDEN])]
    graph = helper.make_graph([node], "gru", [info("x", FLOAT, [STEPS, 1, INPUTS])], outputs, given)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


@pytest.mark.parametrize("scan", [False, True])
@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("each", [False, True])
def test_a_gru_cell_is_of_integers(before: bool, each: bool, scan: bool) -> None:
    model = gru(Cell(before, each), scan=scan)
    integers = in_integers(model)
    (loop,) = (op for op in walk(integers.module) if isinstance(op, LoopOp))
    assert [str(value.type) for value in loop.final] == [f"tensor<1x{HIDDEN}xi8>"]
    assert [str(value.type) for value in loop.concat] == [f"tensor<{STEPS}x1x{HIDDEN}xi8>"]
    cut = "ov.squeeze" if scan else "ov.gather"
    assert float_operations(integers) == [cut, *QUANTISED, *BACK, *BACK]
    floats, random = in_floats(model), np.random.default_rng(0)
    for _ in range(5):
        feed = {"x": random.normal(0, 2, (STEPS, 1, INPUTS)).astype(np.float32)}
        wanted = floats.run(feed, engine="graph")
        for engine in ("graph", "loops", "native"):
            found = integers.run(feed, engine=engine)
            assert all(np.array_equal(found[name], wanted[name]) for name in wanted), engine
    both = loomir.load(model, io="int8")
    assert [str(info.dtype) for info in (*both.inputs, *both.outputs)] == ["int8"] * 3
    assert not float_operations(both)


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("each", [False, True])
def test_scales_that_are_no_powers_of_two(before: bool, each: bool) -> None:
    """Each tensor is within a step of what floats give, given those before it."""
    model = gru(Cell(before, each, uneven=0.93), scan=True)
    loomir.load(model, integers=True, check_each_pass=True)
    assert float_operations(in_integers(model)) == ["ov.squeeze", *QUANTISED, *BACK, *BACK]
