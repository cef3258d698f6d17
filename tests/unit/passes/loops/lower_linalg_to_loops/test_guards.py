"""Loads that stand in a branch, where what pads an input is no neutral number."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import loomir


@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("machine", ["generic", "x86-64-v3"])
def test_what_a_branch_computes_is_not_used_behind_it(groups: int, machine: str) -> None:
    """Points of a tile read neighbours, each in a branch of its own: the sums of their coordinates are computed in each."""
    random = np.random.default_rng(0)
    constants = {
        "pads": np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64),
        "value": np.array(-128, np.int8),
        "w": random.integers(-127, 128, (4, 4 // groups, 3, 3)).astype(np.int8),
    }
    nodes = [
        helper.make_node("Pad", ["x", "pads", "value"], ["p"]),
        helper.make_node("ConvInteger", ["p", "w"], ["y"], group=groups),
    ]
    graph = helper.make_graph(
        nodes,
        "padded",
        [helper.make_tensor_value_info("x", TensorProto.INT8, [1, 4, 9, 5])],
        [helper.make_tensor_value_info("y", TensorProto.INT32, [1, 4, 9, 5])],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    source = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(source)
    model = loomir.load(source, machine=machine)
    feed = {"x": random.integers(-128, 128, (1, 4, 9, 5)).astype(np.int8)}
    wanted = model.run(feed, engine="graph")["y"]
    for engine in ("loops", "native"):
        assert np.array_equal(model.run(feed, engine=engine)["y"], wanted)
