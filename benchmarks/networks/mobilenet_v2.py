"""MobileNetV2 (Sandler et al., 2018, table 2) at a width and a resolution; batch normalisation is part of the weights."""

from __future__ import annotations

import onnx

from networks.builder import Builder

TABLE = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
"""Expansion, channels, repetitions, stride of the first."""

CLASSES = 1000


def _rounded(channels: float) -> int:
    """The nearest multiple of 8, as in the authors' code: never below 8, nor more than a tenth less than asked."""
    nearest = max(8, int(channels + 4) // 8 * 8)
    return nearest + 8 if nearest < 0.9 * channels else nearest


def mobilenet_v2(batch: int = 1, size: int = 128, width: float = 0.5, table=TABLE) -> onnx.ModelProto:
    """Pictures [batch, 3, size, size] to [batch, 1000]."""
    b = Builder(seed=11)
    channels = _rounded(32 * width)
    x = b.relu6(b.convolution("x", 3, channels, stride=(2, 2)))
    for expansion, outputs, count, first in table:
        for k in range(count):
            x, channels = _block(b, x, channels, _rounded(outputs * width), expansion, first if k == 0 else 1)
    x = b.relu6(b.convolution(x, channels, 1280, 1))
    x = b.node("Flatten", b.node("GlobalAveragePool", x))
    return b.model("mobilenet_v2", (batch, 3, size, size), b.linear(x, 1280, CLASSES), (batch, CLASSES))


def _block(b: Builder, x: str, inputs: int, outputs: int, expansion: int, stride: int) -> tuple[str, int]:
    """An inverted residual: 1 × 1 to more channels, depthwise 3 × 3, 1 × 1 to fewer, and the input where its shape is the output's."""
    inner, y = inputs * expansion, x
    if expansion != 1:
        y = b.relu6(b.convolution(y, inputs, inner, 1))
    y = b.relu6(b.convolution(y, inner, inner, stride=(stride, stride), groups=inner))
    y = b.convolution(y, inner, outputs, 1)
    return (b.node("Add", x, y) if stride == 1 and inputs == outputs else y), outputs
