"""Networks of QuantizeLinear and DequantizeLinear: in integers throughout, and each the one of exact arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import loomir
from loomir.compiler.levels import Level
from loomir.dialects.diagnostics import Remark, listening
from tests.support import raises_error
from tests.unit.passes.graph.ov_to_integer.networks import (
    AFTER,
    Network,
    convolve,
    float_operations,
    in_floats,
    in_integers,
    quantise,
    requantise,
)

FIXTURES = Path(__file__).resolve().parents[5] / "tests" / "fixtures"
SOFTMAX = 8
"""Operations on floats of a softmax: what is looked up, its sum, the quotient, five that quantise it."""


def exact(number: float | np.floating) -> Fraction:
    return Fraction(float(np.float32(number)))


def test_each_integer_is_that_of_exact_arithmetic() -> None:
    net = Network(3)
    x = net.quantised("x", "x0", 0.05, -3)
    k1, w1, s1 = net.weights("w1", (8, 3, 3, 3))
    b1, i1 = net.bias("b1", s1 * np.float32(0.05))
    net.node("Relu", [net.node("Conv", [x, k1, b1], "c1", pads=[1, 1, 1, 1])], "r1")
    a = net.quantised("r1", "a1", 0.04, -128)
    k2, w2, s2 = net.weights("w2", (8, 1, 3, 3))
    net.node("Conv", [a, k2], "c2", group=8)
    b = net.quantised("c2", "a2", 0.07, 5)
    net.node("Flatten", [b], "f")
    k3, w3, s3 = net.weights("w3", (8 * 36, 10), axis=1)
    net.node("MatMul", ["f", k3], "m")
    model = net.model((1, 3, 8, 8), net.quantised("m", "y", 0.31, 3), (1, 10))

    remarks: list[Remark] = []
    with listening(remarks.append):
        integers = in_integers(model)
    assert float_operations(integers) == [
        *("ov.divide", "ov.round", "ov.add"),
        *("ov.convert", "ov.multiply"),
    ]
    assert [r.numbers["wrong"] for r in remarks if "wrong" in r.numbers] == [0, 0, 0]
    for _ in range(20):
        feed = (net.random.normal(size=(1, 3, 8, 8)) * 3).astype(np.float32)
        total = convolve(quantise(feed, 0.05, -3) + 3, w1, 1) + i1.reshape(1, -1, 1, 1)
        found = requantise(total, [exact(0.05) * exact(s) / exact(0.04) for s in s1], -128, 1)
        total = convolve(found + 128, w2, 0, 8)
        found = requantise(total, [exact(0.04) * exact(s) / exact(0.07) for s in s2], 5, 1)
        total = (found - 5).reshape(1, -1) @ w3.astype(np.int64)
        found = requantise(total, [exact(0.07) * exact(s) / exact(0.31) for s in s3], 3, 1)
        wanted = (found - 3).astype(np.float32) * np.float32(0.31)
        for engine in ("graph", "native"):
            assert np.array_equal(integers.run({"x": feed}, engine=engine)["y"], wanted)


def test_zero_points_at_the_bound_are_none() -> None:
    """Behind a ReLU all is above the zero point: unsigned integers without one are the same; the integers of an output stay as they are."""
    net = Network(4)
    x = net.quantised("x", "x0", 0.05, -3)
    k1, _, s1 = net.weights("w1", (4, 3, 3, 3))
    b1, _ = net.bias("b1", s1 * np.float32(0.05))
    net.node("Relu", [net.node("Conv", [x, k1, b1], "c1", pads=[1, 1, 1, 1])], "r1")
    a = net.quantised("r1", "a1", 0.04, -128)
    k2, _, _ = net.weights("w2", (4, 4, 3, 3))
    y = net.quantised(net.node("Conv", [a, k2], "c2", pads=[1, 1, 1, 1]), "y", 0.2, 5)
    feed = {"x": (net.random.normal(size=(1, 3, 8, 8)) * 3).astype(np.float32)}
    model = net.model((1, 3, 8, 8), y, (1, 4, 8, 8))
    text = str(in_integers(model).module)
    assert text.count("xui8>") > 0
    assert text.count("ov.subtract") == 2  # of the first input, and of what is given back
    # The same integers, and those of the layer between them as an output.
    del model.graph.output[:]
    model.graph.output.append(helper.make_tensor_value_info("y_q", TensorProto.INT8, [1, 4, 8, 8]))
    model.graph.output.append(helper.make_tensor_value_info("a1_q", TensorProto.INT8, [1, 4, 8, 8]))
    found, wanted = (made.run(feed, engine="graph") for made in (in_integers(model), in_floats(model)))
    for name in ("y_q", "a1_q"):
        assert found[name].dtype == np.int8
        assert np.array_equal(found[name], wanted[name])


def test_qlinear_operators_are_exact() -> None:
    """Their sums are of 32 bits; the factor is the exact quotient of the scales, of which no half is rounded to the wrong side."""
    net = Network(8)
    scales = net.random.uniform(0.001, 0.01, 6).astype(np.float32)
    weights = net.random.integers(-127, 128, (6, 3, 3, 3)).astype(np.int8)
    bias = net.random.integers(-2000, 2000, 6).astype(np.int32)
    # The fraction 3 / 8: one in four sums is a half.
    last = net.random.integers(-3, 4, (6, 5)).astype(np.int8)
    given = {
        "xs": np.float32(0.05),
        "xz": np.uint8(120),
        "w": weights,
        "ws": scales,
        "wz": np.zeros(6, np.int8),
    }
    given |= {"ys": np.float32(0.06), "yz": np.uint8(7), "b": bias, "m": last, "ms": np.float32(0.375)}
    given |= {"mz": np.int8(0), "zs": np.float32(0.06), "zz": np.uint8(128)}
    for name, array in given.items():
        net.constant(name, array)
    convolution = ["xs", "xz", "w", "ws", "wz", "ys", "yz", "b"]
    net.node("QLinearConv", ["x", *convolution], "c", pads=[1, 1, 1, 1])
    net.node("Transpose", ["c"], "t", perm=[0, 2, 3, 1])
    net.node("QLinearMatMul", ["t", "ys", "yz", "m", "ms", "mz", "zs", "zz"], "y")
    model = net.model((2, 3, 8, 8), "y", (2, 8, 8, 5), TensorProto.UINT8)
    remarks: list[Remark] = []
    with listening(remarks.append):
        integers = in_integers(model)
    assert not float_operations(integers)
    assert [r.numbers["wrong"] for r in remarks if "wrong" in r.numbers] == [0, 0]
    floats = in_floats(model)
    for _ in range(10):
        x = net.random.integers(0, 256, (2, 3, 8, 8)).astype(np.uint8)
        total = convolve(x.astype(np.int64) - 120, weights, 1) + bias.reshape(1, -1, 1, 1)
        ratios = [exact(0.05) * exact(scale) / exact(0.06) for scale in scales]
        found = requantise(total, ratios, 7, 1, 0, 255)
        total = (np.moveaxis(found, 1, 3) - 7) @ last.astype(np.int64)
        wanted = requantise(total, [Fraction(3, 8)] * 5, 128, 3, 0, 255)
        for engine in ("graph", "native"):
            assert np.array_equal(integers.run({"x": x}, engine=engine)["y"], wanted)
            assert np.array_equal(floats.run({"x": x}, engine=engine)["y"], wanted)


def test_sums_pools_and_averages_change_by_at_most_one_step() -> None:
    net = Network(5)
    a = net.quantised("x", "a", 0.04, -7)
    k, _, s = net.weights("w", (4, 4, 3, 3))
    bias, _ = net.bias("b", s * np.float32(0.04))
    b = net.quantised(net.node("Conv", [a, k, bias], "c", pads=[1, 1, 1, 1]), "q", 0.06, 5)
    c = net.quantised(net.node("Add", [a, b], "s"), "sq", 0.08, -10)
    both = net.node("Concat", [c, c], "both", axis=1)
    d = net.node("MaxPool", [both], "p", kernel_shape=[2, 2], strides=[2, 2])
    e = net.node("GlobalAveragePool", [net.quantised(d, "pq", 0.08, -10)], "g")
    model = net.model((1, 4, 8, 8), net.quantised(e, "y", 0.03, -20), (1, 8, 1, 1))
    remarks: list[Remark] = []
    with listening(remarks.append):
        integers = in_integers(model)
    floats = in_floats(model)
    assert len(float_operations(integers)) == 5
    # (All pairs of the sum.)
    proofs = [remark.numbers for remark in remarks if "wrong" in remark.numbers]
    assert 256 * 256 in [proof["values"] for proof in proofs]
    assert not any(proof["wrong"] for proof in proofs)
    for _ in range(10):
        feed = {"x": (net.random.normal(size=(1, 4, 8, 8)) * 2).astype(np.float32)}
        found = integers.run(feed, engine="graph")["y"]
        assert np.abs(found - floats.run(feed, engine="graph")["y"]).max() <= 0.0301
        for engine in ("loops", "native"):
            assert np.array_equal(found, integers.run(feed, engine=engine)["y"])


@pytest.mark.parametrize("name", ["kws_ref_model", "ad01_int8", "pretrainedResnet_quant"])
def test_networks_of_openvino(name: str) -> None:
    remarks: list[Remark] = []
    with listening(remarks.append):
        wanted, found = (
            loomir.load(FIXTURES / f"{name}.xml", optimize=False).optimize(f"ov-infer,{steps}{AFTER}")
            for steps in ("", "ov-to-integer,")
        )
    proofs = [remark.numbers["wrong"] for remark in remarks if "wrong" in remark.numbers]
    assert len(proofs) >= 9
    assert not any(proofs)
    info = found.inputs[0]
    feed = {info.name: np.random.default_rng(0).integers(-128, 128, [1, *info.shape[1:]]).astype(np.int8)}
    (result,) = found.run(feed, engine="graph").values()
    (other,) = wanted.run(feed, engine="graph").values()
    assert np.abs(result.astype(int) - other.astype(int)).max() <= 1
    # All is integers, but for the softmax of the scores, whose exponentials come from a table, and its quantisation.
    assert "ov.softmax" not in float_operations(found)
    assert ("ov.gather" in float_operations(found)) == (name != "ad01_int8")
    assert len(float_operations(found)) == (0 if name == "ad01_int8" else SOFTMAX)


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "Os"])
def test_the_option_runs_the_pass_at_every_level(level: Level, tmp_path: Path) -> None:
    """With any shape, for any processor: the machine of the native engine lowers the program again."""
    path = FIXTURES / "kws_ref_model.xml"
    by_hand = loomir.load(path, optimize=False).optimize(f"ov-infer,ov-to-integer,{AFTER}")
    model = loomir.load(path, level=level, integers=True)
    (info,) = model.inputs
    feed = {info.name: np.random.default_rng(1).integers(-128, 128, [2, *info.shape[1:]]).astype(np.int8)}
    (wanted,) = by_hand.run(feed, engine="graph").values()
    for engine in ("graph", "native"):
        (found,) = model.run(feed, engine=engine).values()
        # (The softmax is of floats.)
        assert np.abs(found.astype(int) - wanted.astype(int)).max() <= (0 if engine == "graph" else 1)
    # (Nothing is folded at O0.)
    assert len(float_operations(model)) <= SOFTMAX + (level == "O0")
    model.with_shapes({info.name: [1, *info.shape[1:]]}).emit_c(tmp_path, name="kws")
    text = (tmp_path / "kws.c").read_text()
    assert "static const int8_t" in text
    # (The table of the softmax's exponentials.)
    assert text.count("static const float") == 1
    assert "expf(" not in text
    with raises_error("bad-option", "integers"):
        loomir.load(path, level=level, integers=1)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_the_exponentials_of_a_softmax_come_from_a_table(axis: int) -> None:
    """Table values are as near to exact exponentials as floats are.

    This holds also where all but one vanish, and where all are equal.
    """
    net = Network(2)
    y = net.node("Softmax", [net.quantised("x", "a", 0.7, 3)], "s", axis=axis)
    model = in_integers(net.model((3, 40), y, (3, 40)))
    assert not {"ov.exp", "ov.softmax"} & set(float_operations(model))
    x = np.random.default_rng(1 + axis).uniform(-90, 90, (3, 40)).astype(np.float32)
    x[1], x[2] = 5, -90
    x[2, 7] = 89
    logits = (quantise(x, 0.7, 3) - 3) * float(np.float32(0.7))
    exponentials = np.exp(logits - logits.max(axis=axis, keepdims=True))
    wanted = exponentials / exponentials.sum(axis=axis, keepdims=True)
    for engine in ("graph", "loops", "native"):
        found = model.run({"x": x}, engine=engine)[y]
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-37)


def test_what_stays_in_floats_is_named() -> None:
    net = Network(1)
    root = net.node("Sqrt", [net.node("Relu", [net.quantised("x", "a", 0.05, 0)], "r")], "s")
    remarks: list[Remark] = []
    with listening(remarks.append):
        in_integers(net.model((2, 5), root, (2, 5)))
    assert [(r.kind, r.layer) for r in remarks if r.pass_name == "ov-to-integer"] == [("left", "s")]


def test_integers_that_are_made_floats_are_no_quantised_network() -> None:
    nodes = [
        helper.make_node("Cast", ["x"], ["f"], to=TensorProto.FLOAT),
        helper.make_node("Add", ["f", "c"], ["g"]),
        helper.make_node("Mul", ["g", "c"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.INT8, [4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])],
        [helper.make_tensor("c", TensorProto.FLOAT, [], [1.003])],
    )
    model: onnx.ModelProto = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9
    )
    assert in_integers(model).mlir() == in_floats(model).mlir()


def same_as_before(
    nodes: list[onnx.NodeProto], constants: list[onnx.TensorProto], result: int, feed: np.ndarray
) -> bool:
    """Return True if the pass leaves a program's results bit-identical.

    The program works on `x`, float [4].
    """
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
        [helper.make_tensor_value_info("y", result, None)],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    found, wanted = (
        made.run({"x": feed}, engine="graph")["y"] for made in (in_integers(model), in_floats(model))
    )
    return np.array_equal(found, wanted)


QUANTISED = [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"])]
SCALE = [
    helper.make_tensor("s", TensorProto.FLOAT, [], [0.5]),
    helper.make_tensor("z", TensorProto.INT8, [], [0]),
]
FEED = np.array([-3.3, 70, -70, 0.2], np.float32)


@pytest.mark.parametrize(
    ("nodes", "constants", "result"),
    [
        # Integers that are added wrap around, and a cast between integers takes the low bits.
        (
            [helper.make_node("Add", ["q", "c"], ["y"])],
            [helper.make_tensor("c", TensorProto.INT8, [], [100])],
            TensorProto.INT8,
        ),
        ([helper.make_node("Cast", ["q"], ["y"], to=TensorProto.UINT8)], [], TensorProto.UINT8),
        # A cast cuts off what is not rounded.
        (
            [
                helper.make_node("Cast", ["q"], ["d"], to=TensorProto.FLOAT),
                helper.make_node("Add", ["d", "c"], ["m"]),
                helper.make_node("Cast", ["m"], ["y"], to=TensorProto.INT8),
            ],
            [helper.make_tensor("c", TensorProto.FLOAT, [], [0.998])],
            TensorProto.INT8,
        ),
        # A scale that is no positive number.
        *(
            (
                [
                    helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"]),
                    helper.make_node("Mul", ["d", "c"], ["m"]),
                    helper.make_node("QuantizeLinear", ["m", "s", "z"], ["y"]),
                ],
                [helper.make_tensor("c", TensorProto.FLOAT, [], [factor])],
                TensorProto.INT8,
            )
            for factor in (0.0, -1.5, float("inf"), float("nan"))
        ),
        # Results of 32 bits, of which a proof would never end.
        (
            [
                helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"]),
                helper.make_node("Mul", ["d", "c"], ["m"]),
                helper.make_node("Round", ["m"], ["r"]),
                helper.make_node("Cast", ["r"], ["y"], to=TensorProto.INT32),
            ],
            [helper.make_tensor("c", TensorProto.FLOAT, [], [12345.678])],
            TensorProto.INT32,
        ),
    ],
)
def test_what_is_no_step_of_a_quantised_network(
    nodes: list[onnx.NodeProto], constants: list[onnx.TensorProto], result: int
) -> None:
    assert same_as_before([*QUANTISED, *nodes], [*SCALE, *constants], result, FEED)


def test_weights_with_a_negative_scale_stay() -> None:
    net = Network(2)
    a = net.quantised("x", "a", 0.05, 0)
    w = net.dequantised("w", np.full((4, 3), 5, np.int8), np.array([0.1, -0.1, 0.0], np.float32), 1)
    y = net.quantised(net.node("MatMul", [a, w], "m"), "y", 0.5, 0)
    model = net.model((2, 4), y, (2, 3))
    feed = {"x": net.random.normal(size=(2, 4)).astype(np.float32)}
    found, wanted = (made.run(feed, engine="graph")["y"] for made in (in_integers(model), in_floats(model)))
    assert np.array_equal(found, wanted)


def test_an_offset_that_is_no_whole_number_of_steps() -> None:
    net = Network(7)
    a = net.quantised("x", "a", 0.05, 3)
    net.node("Add", [a, net.constant("c", np.array([0.013, -1.731, 2.0213], np.float32))], "s")
    model = net.model((2, 3), net.quantised("s", "y", 0.04, -5), (2, 3))
    integers, floats = in_integers(model), in_floats(model)
    assert len(float_operations(integers)) == 5
    for _ in range(50):
        feed = {"x": (net.random.normal(size=(2, 3)) * 3).astype(np.float32)}
        found, wanted = (made.run(feed, engine="graph")["y"] for made in (integers, floats))
        assert np.array_equal(found, wanted)


def test_a_chain_of_squares_is_gone_through_once() -> None:
    # Each square reads the one before twice: who asked what both operands are made of would ask 2^60 times.
    nodes = [helper.make_node("Mul", [f"t{i}", f"t{i}"], [f"t{i + 1}"]) for i in range(60)]
    nodes[0].input[:] = ["x", "x"]
    nodes[-1].output[0] = "y"
    assert same_as_before(nodes, [], TensorProto.FLOAT, np.array([0, 1, -1, 0.5], np.float32))


def test_weights_that_were_folded_are_named() -> None:
    net = Network(4)
    a = net.quantised("x", "a", 0.05, 0)
    w, *_ = net.weights("w", (4, 3), axis=1)
    model = net.model((2, 4), net.quantised(net.node("MatMul", [a, w], "m"), "y", 0.5, 0), (2, 3))
    remarks: list[Remark] = []
    with listening(remarks.append):
        loomir.load(model).optimize("ov-to-integer")
    (text,) = [r.text for r in remarks if r.pass_name == "ov-to-integer" and r.layer == "m"]
    assert "before ov-fold-constants" in text


@pytest.mark.parametrize("batch", [1, 3])
def test_any_batch(batch: int) -> None:
    found, wanted = (
        loomir.load(FIXTURES / "kws_ref_model.xml", optimize=False).optimize(f"ov-infer,{steps}{AFTER}")
        for steps in ("ov-to-integer,", "")
    )
    shape = [batch, *(found.inputs[0].shape or ())[1:]]
    feed = {found.inputs[0].name: np.random.default_rng(batch).integers(-128, 128, shape).astype(np.int8)}
    for engine in ("graph", "native"):
        (a,), (b,) = (each.run(feed, engine=engine).values() for each in (found, wanted))
        assert a.shape == b.shape == (batch, 12)
        assert np.abs(a.astype(int) - b.astype(int)).max() <= 1


def coarse_sum(net: Network) -> str:
    """Of a tensor with huge steps and one with small ones, quantised to small ones."""
    a, b = net.quantised("x", "a", 4e5, 3), net.quantised("x", "b", 0.01, 0)
    return net.quantised(net.node("Add", [a, b], "s"), "y", 0.09, 1)


def coarse_offset(net: Network) -> str:
    """A bias far below the steps of the sum that it is added to."""
    a = net.quantised("x", "a", 1e5, 3)
    w, _, _ = net.weights("w", (5, 4), axis=1)
    bias = net.constant("c", np.array([0.1, -0.5, 0.9, 0.3], np.float32))
    return net.quantised(net.node("Add", [net.node("MatMul", [a, w], "m"), bias], "s"), "y", 0.013, 0)


@pytest.mark.parametrize("made", [coarse_sum, coarse_offset])
def test_steps_that_are_too_coarse_for_the_result_stay_floats(made: Callable[[Network], str]) -> None:
    net = Network(2)
    y = made(net)
    model = net.model((2, 5), y, (2, 5) if made is coarse_sum else (2, 4))
    x = np.random.default_rng(0).uniform(-1, 1, (2, 5)).astype(np.float32)
    found, wanted = (run.run({"x": x}, engine="graph")[y] for run in (in_integers(model), in_floats(model)))
    assert np.array_equal(found, wanted)


def test_integers_are_moved_as_they_are() -> None:
    """Operations between quantised tensors, in the form that has no floats."""
    net = Network(6)
    x = net.quantised("x", "x0", 0.05, -3)
    k1, _, _ = net.weights("w1", (4, 3, 3, 3))
    net.quantised(
        net.node("Relu", [net.node("Conv", [x, k1], "c1", pads=[1, 1, 1, 1])], "r1"), "a1", 0.04, -128
    )
    net.node("MaxPool", ["a1_q"], "p", kernel_shape=[2, 2], strides=[2, 2])
    net.node("Transpose", ["p"], "t", perm=[0, 1, 3, 2])
    a = net.node("DequantizeLinear", ["t", "a1_scale", "a1_zero"], "a")
    k2, _, _ = net.weights("w2", (4, 4, 3, 3))
    y = net.quantised(net.node("Conv", [a, k2], "c2", pads=[1, 1, 1, 1]), "y", 0.2, 5)
    model = net.model((1, 3, 8, 8), y, (1, 4, 4, 4))
    integers = in_integers(model)
    assert "-> tensor<1x4x4x4xui8>" in str(integers.module)
    feed = {"x": (net.random.normal(size=(1, 3, 8, 8)) * 3).astype(np.float32)}
    wanted = in_floats(model).run(feed, engine="graph")[y]
    for engine in ("graph", "native"):
        assert np.array_equal(integers.run(feed, engine=engine)[y], wanted)
