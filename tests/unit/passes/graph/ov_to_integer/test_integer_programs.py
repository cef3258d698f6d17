"""Programs that compute with integers, and are no quantised networks: with the pass they give the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.unit.passes.graph.ov_to_integer.networks import in_floats, in_integers

FLOAT, I32, I8, U8 = TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT8, TensorProto.UINT8
Node = tuple[str, list[str], dict[str, int]]
X = np.arange(256).astype(np.uint8).reshape(64, 4)
MOST = np.array([2**31 - 1] * 4, np.int32)
WEIGHTS = np.arange(-4, 4).astype(np.int8).reshape(4, 2)


def cast(name: str, element: int) -> Node:
    return ("Cast", [name], {"to": element})


@pytest.mark.parametrize(
    ("nodes", "constants", "element"),
    [
        ([cast("x", I32), cast("y", I32), ("Add", ["0", "1"], {})], {}, I32),
        ([cast("x", I32), cast("y", I32), ("Sub", ["0", "1"], {})], {}, I32),
        ([cast("x", I32), ("Add", ["0", "0"], {}), cast("1", FLOAT)], {}, FLOAT),
        ([cast("x", I32), ("Add", ["0", "k"], {}), ("Mul", ["1", "k"], {})], {"k": np.int32(3)}, I32),
        # They wrap around.
        ([cast("x", I32), ("Add", ["0", "k"], {})], {"k": MOST}, I32),
        ([cast("x", I32), ("Add", ["0", "k"], {}), cast("1", U8)], {"k": np.int32(200)}, U8),
        ([("Add", ["x", "k"], {}), cast("0", FLOAT)], {"k": np.uint8(200)}, FLOAT),
        # They are cut off, not rounded.
        ([cast("x", FLOAT), ("Add", ["0", "k"], {}), cast("1", I32)], {"k": np.float32(0.5)}, I32),
        ([cast("x", FLOAT), ("Mul", ["0", "k"], {}), cast("1", I32)], {"k": np.float32(0.37)}, I32),
        ([cast("x", FLOAT), ("Sqrt", ["0"], {}), cast("1", U8)], {}, U8),
        # Products, and what is no sum of a bias.
        ([("MatMulInteger", ["x", "w"], {}), ("Mul", ["0", "0"], {})], {"w": WEIGHTS}, I32),
        ([("MatMulInteger", ["x", "w"], {}), ("Add", ["0", "0"], {})], {"w": WEIGHTS}, I32),
        ([("MatMulInteger", ["x", "w"], {}), cast("0", FLOAT), ("Sqrt", ["1"], {})], {"w": WEIGHTS}, FLOAT),
    ],
)
def test_integers_stay_as_they_are(
    nodes: Sequence[Node], constants: dict[str, np.ndarray], element: int
) -> None:
    made = [
        helper.make_node(kind, inputs, [str(k)], **given) for k, (kind, inputs, given) in enumerate(nodes)
    ]
    graph = helper.make_graph(
        made,
        "integers",
        [helper.make_tensor_value_info(name, U8, [64, 4]) for name in ("x", "y")],
        [helper.make_tensor_value_info(str(len(nodes) - 1), element, [64, "n"])],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    feed = {"x": X, "y": X[::-1].copy()}
    (wanted,) = in_floats(model).run(feed, engine="graph").values()
    for engine in ("graph", "native"):
        (found,) = in_integers(model).run(feed, engine=engine).values()
        np.testing.assert_array_equal(found, wanted, err_msg=engine)
