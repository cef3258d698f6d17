"""Maxima of windows that have nothing but padding are -inf, which no integer stands for: with integers they give what they give without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import openvino.opset15 as opset
import pytest
from onnx import TensorProto, helper

import loomir
from loomir.compiler.model import Model
from loomir.dialects.diagnostics import Remark, listening
from loomir.dialects.ov.facts import Dim
from loomir.dialects.ov.operators.windows import Window
from loomir.passes.analysis.quantisation import may_be_empty
from tests.unit.passes.graph.ov_to_integer.networks import (
    AFTER,
    Network,
    float_operations,
    in_floats,
    in_integers,
)

FLOAT = TensorProto.FLOAT
ROW, WIDTH = 5, 7
WHY = "a window may contain only padding: no integer represents -inf"


def same(floats: Model, integers: Model, empty: bool, remarks: list[Remark]) -> None:
    """The same numbers, which are infinite where windows are empty and nothing quantises them again."""
    assert ("ov.max_pool" in float_operations(integers)) == empty
    assert [r.text for r in remarks if r.kind == "left" and r.operation == "ov.max_pool"] == [WHY] * empty
    x = np.random.default_rng(0).normal(0, 2, (1, 3, ROW, WIDTH)).astype(np.float32)
    wanted = floats.run({"x": x}, engine="graph")
    assert not empty or np.isneginf(wanted["m"]).any()
    for engine in ("graph", "loops", "native"):
        found = integers.run({"x": x}, engine=engine)
        for name in wanted:
            assert np.array_equal(found[name], wanted[name]), (name, engine)


@pytest.mark.parametrize(
    ("attributes", "empty"),
    [
        ({"kernel_shape": [2, 2], "pads": [1, 1, 1, 1]}, False),
        ({"kernel_shape": [2, 2], "pads": [2, 0, 0, 0]}, True),
        ({"kernel_shape": [2, 2], "pads": [0, 0, 0, 2]}, True),
        ({"kernel_shape": [2, 3], "pads": [3, 3, 3, 3], "strides": [2, 2]}, True),
        # Windows whose elements are on both sides of the input.
        ({"kernel_shape": [2, 2], "dilations": [7, 1], "pads": [5, 0, 5, 0]}, True),
        ({"kernel_shape": [1, 1], "strides": [3, 3], "ceil_mode": 1}, False),
        ({"kernel_shape": [2, 2], "strides": [2, 2], "pads": [1, 1, 1, 1], "ceil_mode": 1}, False),
        ({"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_UPPER"}, False),
        ({"kernel_shape": [3, 3], "strides": [3, 3], "auto_pad": "SAME_LOWER"}, False),
        ({"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "VALID"}, False),
    ],
)
def test_maxima_of_onnx(attributes: dict[str, Any], empty: bool) -> None:
    net = Network(1)
    pooled = net.node("MaxPool", [net.quantised("x", "q", 2.0**-4, 3)], "m", **attributes)
    model = net.model((1, 3, ROW, WIDTH), net.quantised(pooled, "y", 2.0**-3, -20), (1, 3, "h", "w"))
    if empty:
        # What is pooled as it is, beside what is quantised again with other steps.
        model.graph.output.add().CopyFrom(model.graph.output[0])
        model.graph.output[1].name = "m"
    remarks: list[Remark] = []
    with listening(remarks.append):
        integers = in_integers(model)
    same(in_floats(model), integers, empty, remarks)
    loomir.load(model, integers=True, check_each_pass=True)


@pytest.mark.parametrize(
    ("kernel", "strides", "pads", "rounding", "empty"),
    [
        ([1, 1], [3, 3], ([0, 0], [0, 0]), "ceil", True),
        ([1, 1], [3, 3], ([0, 0], [0, 0]), "ceil_torch", False),
        ([1, 1], [3, 3], ([0, 0], [0, 0]), "floor", False),
        ([2, 2], [3, 3], ([0, 0], [1, 1]), "ceil", True),
        ([2, 2], [2, 2], ([2, 0], [0, 0]), "ceil_torch", True),
        ([3, 3], [2, 2], ([1, 1], [1, 1]), "ceil", False),
    ],
)
def test_maxima_of_openvino(
    kernel: list[int],
    strides: list[int],
    pads: tuple[list[int], list[int]],
    rounding: str,
    empty: bool,
    tmp_path: Path,
) -> None:
    def limits(low: float, high: float) -> list[ov.Node]:
        return [opset.constant(np.float32(end)) for end in (low, high) * 2]

    x = opset.parameter([1, 3, ROW, WIDTH], np.float32, name="x")
    quantised = opset.fake_quantize(x, *limits(-8, 7.9375), 256)
    pool = opset.max_pool(quantised, strides, [1, 1], *pads, kernel, rounding, "explicit")
    again = opset.fake_quantize(pool.output(0), *limits(-4, 27.875), 256)
    results = []
    for name, value in (("m", pool.output(0)), ("y", again.output(0)))[not empty :]:
        value.get_tensor().set_names({name})
        results.append(opset.result(value))
    ov.save_model(ov.Model(results, [x], "pool"), tmp_path / "pool.xml", compress_to_fp16=False)
    remarks: list[Remark] = []
    with listening(remarks.append):
        floats, integers = (
            loomir.load(tmp_path / "pool.xml", optimize=False).optimize(f"ov-infer,{steps}{AFTER}")
            for steps in ("", "ov-to-integer,")
        )
    same(floats, integers, empty, remarks)


def test_windows_over_any_extent() -> None:
    """A statement about an interval of extents is true of each extent."""
    some = [
        Window(kernel, stride, dilation, begin, end, pad, rounding)
        for kernel in (1, 2, 3)
        for stride in (1, 2, 3)
        for dilation in (1, 2, 3)
        for begin in range(4)
        for end in range(4)
        for pad in ("explicit", "same_upper", "same_lower", "valid")
        for rounding in ("floor", "ceil", "ceil_torch")
    ]
    never = 0
    for window in some:
        for least in (1, 3):
            if not may_be_empty(window, Dim(least, None)):
                never += 1
                assert not any(may_be_empty(window, Dim(n, n)) for n in range(least, 12)), (window, least)
    assert never > len(some) // 2


def test_a_loop_does_not_carry_maxima_of_nothing_as_integers() -> None:
    """-inf is what it goes on with."""
    info = helper.make_tensor_value_info
    net = Network(1)
    net.quantised("h", "q", 2.0**-4, 3)
    net.node("MaxPool", ["q"], "next", kernel_shape=[2, 2], pads=[2, 2, 0, 0], strides=[2, 2])
    net.node("Identity", ["go"], "still")
    shape = (1, 1, 4, 4)
    control = [info("i", TensorProto.INT64, []), info("go", TensorProto.BOOL, [])]
    body = helper.make_graph(
        net.nodes,
        "body",
        [*control, info("h", FLOAT, [1, 1, "n", "n"])],
        [info("still", TensorProto.BOOL, []), info("next", FLOAT, [1, 1, "n", "n"])],
        net.constants,
    )
    outer = Network(2)
    start = outer.quantised("x", "start", 2.0**-4, 3)
    outer.constant("trips", np.array(2))
    outer.nodes.append(helper.make_node("Loop", ["trips", "", start], ["y"], body=body))
    model = outer.model(shape, "y", (1, 1, "a", "b"), check=False)
    x = np.random.default_rng(0).normal(0, 2, shape).astype(np.float32)
    (wanted,) = in_floats(model).run({"x": x}, engine="graph").values()
    assert np.isfinite(wanted).any()
    assert np.isneginf(wanted).any()
    (found,) = in_integers(model).run({"x": x}, engine="graph").values()
    assert np.array_equal(found, wanted)
