"""A recogniser of text lines with the layers of PP-OCR's mobile one: MobileNetV1Enhance and a CTC head.

Layers as in PaddleOCR (ppocr/modeling/backbones/rec_mv1_enhance.py, Apache-2.0) at half width: depthwise convolutions of 3 × 3 and 5 × 5,
1 × 1 ones behind them, hard swish, squeeze and excitation in the last two. The head is one matrix to 97 characters and softmax.
"""

from __future__ import annotations

import onnx

from networks.builder import Builder

HEIGHT, CHARACTERS = 32, 97

BLOCKS = (
    (16, 32, 3, (1, 1), False),
    (32, 64, 3, (1, 1), False),
    (64, 64, 3, (1, 1), False),
    (64, 128, 3, (2, 1), False),
    (128, 128, 3, (1, 1), False),
    (128, 256, 3, (2, 1), False),
    *((256, 256, 5, (1, 1), False),) * 5,
    (256, 512, 5, (2, 1), True),
    (512, 512, 5, (1, 1), True),
)
"""Channels before and after, kernel, stride, and whether there is squeeze and excitation."""


def ppocr(batch: int = 1, width: int = 160, blocks: tuple[tuple, ...] = BLOCKS) -> onnx.ModelProto:
    """Pictures [batch, 3, 32, width] to [batch, width / 4, 97]; PP-OCR's own lines are 320 wide."""
    b = Builder(seed=10)
    x = b.node("HardSwish", b.convolution("x", 3, blocks[0][0], stride=(2, 2)))
    height = HEIGHT // 2
    for inputs, outputs, kernel, stride, excited in blocks:
        x = b.node("HardSwish", b.convolution(x, inputs, inputs, kernel, stride=stride, groups=inputs))
        if excited:
            x = _excited(b, x, inputs)
        x = b.node("HardSwish", b.convolution(x, inputs, outputs, 1))
        height //= stride[0]
    x = b.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    channels, columns = blocks[-1][1], width // 4
    # Rows left over are part of a column.
    features = channels * (height // 2)
    x = b.node("Reshape", x, b.constant([batch, features, columns], int))
    x = b.linear(b.node("Transpose", x, perm=[0, 2, 1]), features, CHARACTERS)
    x = b.node("Softmax", x, axis=-1)
    return b.model("ppocr", (batch, 3, HEIGHT, width), x, (batch, columns, CHARACTERS))


def _excited(b: Builder, x: str, channels: int) -> str:
    """Squeeze and excitation (Hu et al., 2018) with a quarter of the channels."""
    mean = b.node("GlobalAveragePool", x)
    less = b.node("Relu", b.convolution(mean, channels, channels // 4, 1))
    gate = b.node("HardSigmoid", b.convolution(less, channels // 4, channels, 1), alpha=1 / 6, beta=0.5)
    return b.node("Mul", x, gate)
