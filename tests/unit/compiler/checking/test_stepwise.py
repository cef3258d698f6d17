"""A pass that claims steps is checked tensor by tensor: a step does not grow on the way, and two are found where they are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.rewriter import InsertPoint

import loomir
from loomir.compiler.checking.checker import check_each_pass
from loomir.compiler.options import CheckOptions
from loomir.dialects.ov.facts import fact_of
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.elementwise_binary import AddOp
from loomir.dialects.ov.operators.elementwise_unary import ClampOp
from loomir.dialects.upstream.walking import walk
from loomir.passes.graph.ov_to_integer import OvToIntegerPass
from tests.support import raises_error
from tests.unit.passes.graph.ov_to_integer.networks import Network


@dataclass(frozen=True)
class StepsAway(OvToIntegerPass):
    """Variant of `ov-to-integer` whose first requantised tensor is off by some steps."""

    name = "steps-away"

    by: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        super().apply(ctx, op)
        limits = (o for o in walk(op) if isinstance(o, ClampOp) and fact_of(o.results[0]).element == i32)
        limit = next(limits, None)
        if limit is None:
            return
        build = GraphBuilder(InsertPoint.before(limit), limit.location)
        limit.operands[0] = build.make(AddOp, limit.operands[0], build.scalar(self.by, i32))


def growing() -> onnx.ModelProto:
    """Two products, of which the second makes 8 steps of one."""
    net = Network(2)
    x = net.quantised("x", "x0", 0.25, 0)
    eye = np.eye(4, dtype=np.int8)
    one = net.dequantised("one", eye * 3, np.full(4, 0.5, np.float32), 1)
    a = net.quantised(net.node("MatMul", [x, one], "m1"), "a", 0.125, 0)
    eight = net.dequantised("eight", eye * 8, np.full(4, 1.0, np.float32), 1)
    b = net.quantised(net.node("MatMul", [a, eight], "m2"), "b", 0.125, 0)
    return net.model((2, 4), b, (2, 4))


def in_a_loop() -> onnx.ModelProto:
    """Three times: the carried tensor, times 3, is quantised again."""
    net = Network(2)
    v = net.quantised("v", "v0", 0.25, 0)
    three = net.dequantised("three", np.eye(4, dtype=np.int8) * 3, np.full(4, 1.0, np.float32), 1)
    out = net.quantised(net.node("MatMul", [v, three], "m"), "w", 0.25, 0)
    net.node("Identity", ["c"], "go")
    info = helper.make_tensor_value_info
    floats = {name: info(name, TensorProto.FLOAT, [2, 4]) for name in ("v", out, "x", "y")}
    start = [info("i", TensorProto.INT64, []), info("c", TensorProto.BOOL, []), floats["v"]]
    body = helper.make_graph(
        net.nodes, "body", start, [info("go", TensorProto.BOOL, []), floats[out]], net.constants
    )
    loop = helper.make_node("Loop", ["trips", "", "x"], ["y"], body=body)
    trips = numpy_helper.from_array(np.asarray(3, np.int64), "trips")
    graph = helper.make_graph([loop], "loop", [floats["x"]], [floats["y"]], [trips])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def checked(model: onnx.ModelProto, by: int, folder: Path, reduce_seconds: float = 0.0) -> int:
    """How many runs were compared."""
    module = loomir.load(model, optimize=False).optimize("ov-infer").module.clone()
    x = np.arange(-4, 4, dtype=np.float32).reshape(2, 4) / 4
    options = CheckOptions(folder=folder, reduce_seconds=reduce_seconds)
    return check_each_pass(module, [StepsAway(by=by)], feeds=[{"x": x}], options=options).compared


@pytest.mark.parametrize("model", [growing, in_a_loop])
def test_a_step_does_not_grow(model: Callable[[], onnx.ModelProto], tmp_path: Path) -> None:
    assert checked(model(), 1, tmp_path) == 1


@pytest.mark.parametrize(("model", "layer"), [(growing, "a_q"), (in_a_loop, "w_q")])
def test_two_steps_are_found_where_they_are_made(
    model: Callable[[], onnx.ModelProto], layer: str, tmp_path: Path
) -> None:
    with raises_error("pass-changed-result", f"of '{layer}' is up to 2 steps away (allowed: 1) in 8 of 8"):
        checked(model(), 2, tmp_path)


def test_two_steps_are_found_in_a_reduced_program(tmp_path: Path) -> None:
    with raises_error("pass-changed-result", "is up to 2 steps away (allowed: 1) in 1 of 1", "candidates"):
        checked(in_a_loop(), 2, tmp_path, reduce_seconds=5.0)
