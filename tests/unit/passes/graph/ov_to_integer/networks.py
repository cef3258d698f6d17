"""Quantised networks as ONNX, piece by piece, and their integers by exact rational arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import loomir
from loomir.compiler.model import Model

AFTER = "ov-fold-constants,canonicalize,cse,ov-fold-constants,canonicalize,cse"


class Network:
    """Nodes in order; each method gives the name of what it makes."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, array: object) -> str:
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, operator: str, inputs: Sequence[str], name: str, **attributes: object) -> str:
        self.nodes.append(helper.make_node(operator, list(inputs), [name], name=name, **attributes))
        return name

    def quantised(self, source: str, name: str, scale: float, zero: int) -> str:
        """QuantizeLinear and back."""
        scales = [
            self.constant(f"{name}_scale", np.float32(scale)),
            self.constant(f"{name}_zero", np.int8(zero)),
        ]
        self.node("QuantizeLinear", [source, *scales], f"{name}_q")
        return self.node("DequantizeLinear", [f"{name}_q", *scales], name)

    def weights(self, name: str, shape: Sequence[int], axis: int = 0) -> tuple[str, np.ndarray, np.ndarray]:
        """Integers with a scale for each output channel; the name, the integers, the scales."""
        array = self.random.integers(-127, 128, shape).astype(np.int8)
        scale = self.random.uniform(0.001, 0.01, shape[axis]).astype(np.float32)
        return self.dequantised(name, array, scale, axis), array, scale

    def bias(self, name: str, scale: np.ndarray) -> tuple[str, np.ndarray]:
        """Integers in steps of a sum."""
        array = self.random.integers(-2000, 2000, scale.size).astype(np.int32)
        return self.dequantised(name, array, scale, 0), array

    def dequantised(self, name: str, array: np.ndarray, scale: np.ndarray, axis: int) -> str:
        inputs = [self.constant(f"{name}_q", array), self.constant(f"{name}_scale", scale)]
        return self.node("DequantizeLinear", inputs, name, axis=axis)

    def model(
        self,
        shape: Sequence[int],
        output: str,
        result: Sequence[int | str],
        element: int = TensorProto.FLOAT,
        opset: int = 18,
        check: bool = True,
    ) -> onnx.ModelProto:
        """The model from `x` to `output`, both of one element type."""
        inputs = [helper.make_tensor_value_info("x", element, list(shape))]
        outputs = [helper.make_tensor_value_info(output, element, list(result))]
        graph = helper.make_graph(self.nodes, "quantised", inputs, outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
        if check:
            onnx.checker.check_model(model, full_check=True)
        return model


def fake_quantize(
    net: Network, x: str, name: str, step: object, zero: float | np.ndarray, levels: int = 256
) -> str:
    """From −zero steps on, of one size or one for each channel."""
    steps = np.asarray(step, np.float32)
    bounds = [
        net.constant(f"{name}_{which}", steps * np.asarray(end - zero, np.float32))
        for which, end in (("low", 0), ("high", levels - 1))
    ]
    net.nodes.append(
        helper.make_node(
            "FakeQuantize", [x, *bounds, *bounds], [name], domain="openvino.opset1", levels=levels
        )
    )
    return name


def in_floats(model: onnx.ModelProto) -> Model:
    """The model as it is."""
    return loomir.load(model, optimize=False).optimize(f"ov-infer,{AFTER}")


def in_integers(model: onnx.ModelProto) -> Model:
    """The model with integers."""
    return loomir.load(model, optimize=False).optimize(f"ov-infer,ov-to-integer,{AFTER}")


def float_operations(model: Model) -> list[str]:
    """The operations with float results, constants apart."""
    return [
        op.name
        for op in model.module.walk()
        if op.name.startswith("ov.")
        and op.name != "ov.constant"
        and any("f32" in str(result.type) for result in op.results)
    ]


# -- exactly


def quantise(x: np.ndarray, scale: float, zero: int) -> np.ndarray:
    """The integers of floats (in single precision, as QuantizeLinear says)."""
    level = np.rint(x.astype(np.float32) / np.float32(scale)) + zero
    return np.clip(level, -128, 127).astype(np.int64)


def requantise(
    total: np.ndarray, ratios: Sequence[Fraction], zero: int, axis: int, least: int = -128, most: int = 127
) -> np.ndarray:
    """Sums times a ratio for each index of an axis, rounded exactly."""
    moved = np.moveaxis(total, axis, 0)
    found = np.stack(
        [
            np.array([min(max(round(ratio * int(a)) + zero, least), most) for a in part.reshape(-1)]).reshape(
                part.shape
            )
            for ratio, part in zip(ratios, moved, strict=True)
        ]
    )
    return np.moveaxis(found, 0, axis)


def convolve(x: np.ndarray, weights: np.ndarray, pad: int, groups: int = 1) -> np.ndarray:
    """A sum of products of integers; `x: [N, C, H, W]`, `weights: [O, C / groups, k, k]`."""
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    k = weights.shape[-1]
    view = np.lib.stride_tricks.sliding_window_view(padded, (k, k), (2, 3))
    parts = zip(np.split(view, groups, 1), np.split(weights.astype(np.int64), groups, 0), strict=True)
    return np.concatenate([np.einsum("nchwij,ocij->nohw", a, b) for a, b in parts], 1)
