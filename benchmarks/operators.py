"""The 22 models of one operator that `kernels.py` measures, with their floating-point operations, bytes and feeds.

Convolutions have the planes that networks have at their channels: 16 to 256 channels at 56 × 56 down to 7 × 7. Weights are constants.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np
import onnx
from networks.builder import Builder


@dataclass(frozen=True)
class Kernel:
    """A model of one operator. `flops` counts a multiplication and an addition as two; 0 where moving bytes is the work.

    `moved` are the bytes that have to be read and written at least once: input, weights and output.
    """

    name: str
    model: onnx.ModelProto
    feed: dict[str, np.ndarray]
    flops: int
    moved: int


def _kernel(name: str, b: Builder, x: tuple[int, ...], result: str, y: tuple[int, ...], flops: int) -> Kernel:
    model = b.model("kernel", x, result, y)
    weights = sum(onnx.numpy_helper.to_array(w).nbytes for w in model.graph.initializer)
    feed = {"x": np.random.default_rng(1).normal(size=x).astype(np.float32)}
    return Kernel(name, model, feed, flops, 4 * (prod(x) + prod(y)) + weights)


def convolution(
    name: str,
    channels: int,
    side: int,
    kernel: int = 3,
    *,
    stride: int = 1,
    groups: int = 1,
    dilation: int = 1,
) -> Kernel:
    """Build a convolution with as many output channels as input channels.

    A stride of 1 keeps the plane.
    """
    b = Builder(seed=20)
    result = b.convolution(
        "x", channels, channels, kernel, stride=(stride, stride), groups=groups, dilation=dilation
    )
    out = (1, channels, -(-side // stride), -(-side // stride))
    flops = 2 * prod(out) * channels // groups * kernel * kernel
    title = f"{name}, {channels} channels, {side} × {side}"
    return _kernel(title, b, (1, channels, side, side), result, out, flops)


def product(rows: int, inner: int = 256, columns: int = 256) -> Kernel:
    """A matrix times one that is constant."""
    b = Builder(seed=21)
    result = b.node("MatMul", "x", b.weight(inner, columns, scale=inner**-0.5))
    name = f"matmul, {rows} × {inner} × {columns}"
    return _kernel(name, b, (rows, inner), result, (rows, columns), 2 * rows * inner * columns)


def softmax(rows: int = 256, columns: int = 256) -> Kernel:
    """Of each row."""
    b, shape = Builder(), (rows, columns)
    result = b.node("Softmax", "x", axis=-1)
    return _kernel(f"softmax, {rows} × {columns}", b, shape, result, shape, 0)


def layer_norm(rows: int = 256, columns: int = 256) -> Kernel:
    """Of each row, with scale and bias."""
    b, shape = Builder(seed=22), (rows, columns)
    scale, bias = b.weight(columns), b.weight(columns)
    result = b.node("LayerNormalization", "x", scale, bias, axis=-1)
    return _kernel(f"layer norm, {rows} × {columns}", b, shape, result, shape, 0)


def transpose(side: int = 512) -> Kernel:
    """Of a square."""
    b, shape = Builder(), (side, side)
    result = b.node("Transpose", "x", perm=[1, 0])
    return _kernel(f"transpose, {side} × {side}", b, shape, result, shape, 0)


def reduce(rows: int = 512, columns: int = 512) -> Kernel:
    """The sum of each row."""
    b = Builder()
    result = b.node("ReduceSum", "x", b.constant([1], int), keepdims=0)
    return _kernel(f"reduce, {rows} × {columns}", b, (rows, columns), result, (rows,), 0)


KERNELS: dict[str, Callable[[], Kernel]] = {
    "conv3x3-16": lambda: convolution("3 × 3", 16, 56),
    "conv3x3-32": lambda: convolution("3 × 3", 32, 56),
    "conv3x3-64": lambda: convolution("3 × 3", 64, 28),
    "conv3x3-128": lambda: convolution("3 × 3", 128, 14),
    "conv3x3-256": lambda: convolution("3 × 3", 256, 7),
    "conv3x3-stride2": lambda: convolution("3 × 3, stride 2", 64, 28, stride=2),
    "conv1x1-64": lambda: convolution("1 × 1", 64, 28, 1),
    "conv1x1-128": lambda: convolution("1 × 1", 128, 28, 1),
    "conv1x1-256": lambda: convolution("1 × 1", 256, 14, 1),
    "depthwise3x3": lambda: convolution("depthwise 3 × 3", 64, 56, groups=64),
    "depthwise5x5": lambda: convolution("depthwise 5 × 5", 64, 28, 5, groups=64),
    "grouped": lambda: convolution("3 × 3, 8 groups", 64, 28, groups=8),
    "dilated": lambda: convolution("3 × 3, dilation 2", 64, 28, dilation=2),
    "matmul-1": lambda: product(1),
    "matmul-16": lambda: product(16),
    "matmul-64": lambda: product(64),
    "matmul-128": lambda: product(128),
    "matmul-512": lambda: product(512),
    "softmax": softmax,
    "layernorm": layer_norm,
    "transpose": transpose,
    "reduce": reduce,
}
