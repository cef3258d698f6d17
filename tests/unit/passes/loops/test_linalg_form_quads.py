"""Sums of products by quads, of a whole program: all machines and engines give the integers of numpy."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import TypeAlias

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import loomir
from loomir.compiler.formats.c.emit import emit_c
from loomir.compiler.model import Model
from loomir.passes.analysis.machines import machines, runs_here
from tests.support_c import run_sanitized

Maker: TypeAlias = Callable[[str, int], tuple[onnx.ModelProto, np.ndarray]]

ZEROS = {"u": (0, 131, 255), "i": (-128, -3, 0, 127)}
"""Of which the first of each is what `vpdpbusd` multiplies as it is, or with a bit the other way."""
CHANNELS, RESULTS, HEIGHT, WIDTH, WINDOW = 8, 12, 5, 6, 3


def convolution(sign: str, zero: int) -> tuple[onnx.ModelProto, np.ndarray]:
    """Channels last, padded by the zero, a window of nine; its weights."""
    weights = (
        np.random.default_rng(1).integers(-128, 128, (RESULTS, CHANNELS, WINDOW, WINDOW)).astype(np.int8)
    )
    element = TensorProto.UINT8 if sign == "u" else TensorProto.INT8
    nodes = [
        helper.make_node("Transpose", ["x"], ["channels"], perm=[0, 3, 1, 2]),
        helper.make_node("ConvInteger", ["channels", "w", "z"], ["y"], pads=[1, 1, 1, 1]),
    ]
    return _model(nodes, element, [1, HEIGHT, WIDTH, CHANNELS], weights, zero), weights


def matrix(sign: str, zero: int, depth: int = 16) -> tuple[onnx.ModelProto, np.ndarray]:
    """A product of two matrices, the second one a constant."""
    weights = np.random.default_rng(2).integers(-128, 128, (depth, RESULTS)).astype(np.int8)
    element = TensorProto.UINT8 if sign == "u" else TensorProto.INT8
    nodes = [helper.make_node("MatMulInteger", ["x", "w", "z"], ["y"])]
    return _model(nodes, element, [7, depth], weights, zero), weights


def _model(
    nodes: list[onnx.NodeProto], element: int, shape: list[int], weights: np.ndarray, zero: int
) -> onnx.ModelProto:
    constants = [
        numpy_helper.from_array(weights, "w"),
        numpy_helper.from_array(np.array(zero, helper.tensor_dtype_to_np_dtype(element)), "z"),
    ]
    graph = helper.make_graph(
        nodes,
        "quads",
        [helper.make_tensor_value_info("x", element, shape)],
        [helper.make_tensor_value_info("y", TensorProto.INT32, None)],
        constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def fed(sign: str, shape: tuple[int, ...]) -> np.ndarray:
    info = np.iinfo(np.uint8 if sign == "u" else np.int8)
    return np.random.default_rng(3).integers(info.min, info.max + 1, shape).astype(info.dtype)


def expected(weights: np.ndarray, x: np.ndarray, zero: int) -> np.ndarray:
    """By numpy, in 64 bits."""
    centred = x.astype(np.int64) - zero
    if weights.ndim == 2:
        return centred @ weights.astype(np.int64)
    padded = np.pad(centred, ((0, 0), (1, 1), (1, 1), (0, 0)))
    found = np.zeros((1, RESULTS, HEIGHT, WIDTH), np.int64)
    for i, j in product(range(WINDOW), repeat=2):
        part = padded[:, i : i + HEIGHT, j : j + WIDTH]
        found += np.einsum("bhwc,nc->bnhw", part, weights[:, :, i, j].astype(np.int64))
    return found


def has_quads(model: Model) -> bool:
    return "quads.dot" in str(model.lowered("loops"))


@pytest.mark.parametrize(("sign", "zero"), [(sign, zero) for sign in ZEROS for zero in ZEROS[sign]])
@pytest.mark.parametrize("make", [convolution, matrix])
def test_all_machines_give_the_integers_of_numpy(make: Maker, sign: str, zero: int) -> None:
    made, weights = make(sign, zero)
    names = [name for name, machine in machines().items() if machine.quads]
    for name in ("generic", "native", *names):
        model = loomir.load(made, machine=name)
        (info,) = model.inputs
        x = fed(sign, tuple(e or 0 for e in info.shape or ()))
        wanted = expected(weights, x, zero)
        assert has_quads(model) == (name in names or (name == "native" and runs_here(machines()["x86-64"])))
        for engine in (
            ("loops", "native")
            if name in ("generic", "native") or runs_here(machines()[name])
            else ("loops",)
        ):
            (found,) = model.run({"x": x}, engine=engine).values()
            np.testing.assert_array_equal(found, wanted, f"{name}, {engine}")


@pytest.mark.parametrize("seed", range(12))
def test_random_convolutions(seed: int) -> None:
    """Any strides, dilations, pads and numbers of channels that are quads."""
    rng = np.random.default_rng(seed)
    sign = str(rng.choice(list(ZEROS)))
    zero = int(rng.choice(ZEROS[sign]))
    channels, results = int(rng.choice([4, 8, 12, 20])), int(rng.integers(1, 40))
    size, window, strides, dilations = (
        rng.integers(low, high, 2) for low, high in ((6, 15), (1, 4), (1, 4), (1, 3))
    )
    pads = rng.integers(0, 3, 4)
    weights = rng.integers(-128, 128, (results, channels, *window)).astype(np.int8)
    settings = {"strides": strides, "dilations": dilations, "pads": pads}
    nodes = [
        helper.make_node("Transpose", ["x"], ["channels"], perm=[0, 3, 1, 2]),
        helper.make_node(
            "ConvInteger", ["channels", "w", "z"], ["y"], **{k: v.tolist() for k, v in settings.items()}
        ),
    ]
    element = TensorProto.UINT8 if sign == "u" else TensorProto.INT8
    made = _model(nodes, element, [2, *size.tolist(), channels], weights, zero)
    x = fed(sign, (2, *size, channels))
    padded = np.pad(x.astype(np.int64) - zero, ((0, 0), (pads[0], pads[2]), (pads[1], pads[3]), (0, 0)))
    counts = (np.array(padded.shape[1:3]) - dilations * (window - 1) - 1) // strides + 1
    wanted = np.zeros((2, results, *counts), np.int64)
    for place in np.ndindex(*window):
        first = dilations * place
        end = first + strides * (counts - 1) + 1
        part = padded[:, first[0] : end[0] : strides[0], first[1] : end[1] : strides[1]]
        wanted += np.einsum("bhwc,nc->bnhw", part, weights[(..., *place)].astype(np.int64))
    for machine in ("native", "x86-64-v3", "x86-64", "cortex-m4"):
        model = loomir.load(made, machine=machine)
        engine = "native" if machine == "native" or runs_here(machines()[machine]) else "loops"
        (found,) = model.run({"x": x}, engine=engine).values()
        np.testing.assert_array_equal(found, wanted, machine)
    assert has_quads(loomir.load(made, machine="cortex-m4"))


@pytest.mark.parametrize(("sign", "zero"), [("u", 131), ("i", -3)])
@pytest.mark.parametrize("make", [convolution, matrix])
def test_plain_c_reads_no_byte_too_many(make: Maker, sign: str, zero: int) -> None:
    """Plain C beside the instructions of a Cortex-M, under sanitizers.

    Buffers have exactly their size.
    """
    made, weights = make(sign, zero)
    model = loomir.load(made, machine="cortex-m4")
    (info,) = model.inputs
    x = fed(sign, tuple(e or 0 for e in info.shape or ()))
    (found,) = run_sanitized(model.lowered("loops"), {"x": x}).values()
    np.testing.assert_array_equal(found, expected(weights, x, zero))


def test_extents_that_are_open() -> None:
    made, weights = matrix("i", -3)
    made.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "n"
    for machine in ("native", "x86-64-v3", "cortex-m4"):
        model = loomir.load(made, machine=machine, max_shapes={"x": [6, 16]})
        assert has_quads(model) or machine == "native"
        engine = "native" if machine == "native" or runs_here(machines()[machine]) else "loops"
        for count in (0, 1, 5):
            x = fed("i", (count, 16))
            (found,) = model.run({"x": x}, engine=engine).values()
            np.testing.assert_array_equal(found, expected(weights, x, -3))
        emit_c(model.lowered("loops"), "model")


@pytest.mark.parametrize(("element", "pad", "zero"), [(np.int8, -56, 200), (np.uint8, 253, -3)])
def test_padding_with_the_bits_of_the_zero_is_not_neutral(element: type, pad: int, zero: int) -> None:
    """-56 - 200 is not 0, though both have the same byte."""
    weights = np.random.default_rng(5).integers(-128, 128, (12, 8, 3, 3)).astype(np.int8)
    nodes = [
        helper.make_node("Transpose", ["x"], ["t"], perm=[0, 3, 1, 2]),
        helper.make_node("Pad", ["t", "pads", "pad"], ["p"]),
        helper.make_node("Cast", ["p"], ["f"], to=TensorProto.FLOAT),
        helper.make_node("Sub", ["f", "zero"], ["g"]),
        helper.make_node("Cast", ["w"], ["wf"], to=TensorProto.FLOAT),
        helper.make_node("Conv", ["g", "wf"], ["y"]),
    ]
    constants = {
        "w": weights,
        "pads": np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64),
        "pad": np.array(pad, element),
        "zero": np.array(zero, np.float32),
    }
    graph = helper.make_graph(
        nodes,
        "padded",
        [
            helper.make_tensor_value_info(
                "x", helper.np_dtype_to_tensor_dtype(np.dtype(element)), [1, 6, 6, 8]
            )
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    feed = {"x": np.random.default_rng(6).integers(0, 100, (1, 6, 6, 8)).astype(element)}
    (wanted,) = loomir.load(made, integers=True).run(feed, engine="graph").values()
    for machine in ("x86-64-v3", "cortex-m4"):
        (found,) = loomir.load(made, machine=machine, integers=True).run(feed, engine="loops").values()
        np.testing.assert_array_equal(found, wanted)


def test_rows_that_are_no_quads_stay() -> None:
    for depth in (3, 18):
        assert not has_quads(loomir.load(matrix("i", 0, depth)[0], machine="x86-64-v3"))


def test_what_runs_anywhere_needs_no_vectors_of_the_compiler() -> None:
    """C for a Cortex-M is standard C where the compiler has no such instructions."""
    code = emit_c(loomir.load(matrix("i", -3)[0], machine="cortex-m4").lowered("loops"), "model")
    assert "__ARM_FEATURE_DSP" in code.source
    assert "vector_size" not in code.source
    assert "#else" in code.source
