"""`onnx-flatten-to-reshape`: what comes out has the shape that ONNX says, extents of 0 and every version included."""

from __future__ import annotations

from math import prod

import numpy as np
import onnx.parser
import pytest

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.onnx.importer import load_front
from loomir.compiler.pipeline import run_passes

SHAPES = [(2, 3, 4, 5), (2, 0, 3), (0, 3, 4), (3, 4, 0), (0, 0), (7,), (0,), ()]


def flattened(x: np.ndarray, axis: int, opset: int, declared: str, passes: str) -> np.ndarray:
    """The result of a Flatten behind a Relu, of whose result nothing is declared, or of the input itself."""
    model = onnx.parser.parse_model(f"""
        <ir_version: 10, opset_import: ["" : {opset}]>
        g (float[{declared}] x) => (float[rows, columns] y, float[rows, columns] z) {{
            y = Flatten <axis = {axis}> (x)
            r = Relu (x)
            z = Flatten <axis = {axis}> (r)
        }}
    """)
    module = load_front(model)
    run_passes(module, f"{passes},convert-onnx-to-ov", verify_each=True)
    outputs = GraphEngine(module).run({"x": x}).outputs
    np.testing.assert_array_equal(outputs["y"], outputs["z"], strict=True)
    return outputs["y"]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("opset", [9, 11, 13, 18, 21, 25])
def test_every_axis(shape: tuple[int, ...], opset: int) -> None:
    x = np.arange(prod(shape), dtype=np.float32).reshape(shape)
    open_ = ", ".join(f"d{k}" for k in range(len(shape)))
    for declared in {", ".join(map(str, shape)), open_}:
        for axis in range(0 if opset < 11 else -len(shape), len(shape) + 1):
            y = flattened(x, axis, opset, declared, "onnx-flatten-to-reshape")
            np.testing.assert_array_equal(y, x.reshape(prod(shape[:axis]), prod(shape[axis:])), strict=True)


@pytest.mark.parametrize("axis", range(-3, 4))
def test_assumed_not_to_be_empty(axis: int) -> None:
    """The short form, whatever is declared."""
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    y = flattened(x, axis, 13, "a, b, c", "onnx-flatten-to-reshape{assume-nonempty=true}")
    np.testing.assert_array_equal(y, x.reshape(prod(x.shape[:axis]), prod(x.shape[axis:])), strict=True)
