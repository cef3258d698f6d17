"""A small encoder of Transformer blocks, layer normalisation first: attention of several heads and two matrices with GELU between."""

from __future__ import annotations

import onnx

from networks.builder import Builder


def transformer(
    batch: int = 1, layers: int = 4, tokens: int = 64, wide: int = 128, heads: int = 4
) -> onnx.ModelProto:
    """Tokens [batch, tokens, wide] to as many."""
    b = Builder(seed=12)
    x = "x"
    for _ in range(layers):
        x = b.node("Add", x, _attention(b, _normalised(b, x, wide), batch, tokens, wide, heads))
        inner = _gelu(b, b.linear(_normalised(b, x, wide), wide, 4 * wide))
        x = b.node("Add", x, b.linear(inner, 4 * wide, wide))
    shape = (batch, tokens, wide)
    return b.model("transformer", shape, _normalised(b, x, wide), shape)


def _normalised(b: Builder, x: str, wide: int) -> str:
    scale, bias = b.weight(wide), b.weight(wide, scale=0.1)
    return b.node("LayerNormalization", x, scale, bias, axis=-1)


def _gelu(b: Builder, x: str) -> str:
    """x · (1 + erf(x / √2)) / 2, as exporters write it."""
    erf = b.node("Erf", b.node("Mul", x, b.constant(0.5**0.5)))
    return b.node("Mul", b.node("Mul", x, b.node("Add", erf, b.constant(1.0))), b.constant(0.5))


def _attention(b: Builder, x: str, batch: int, tokens: int, wide: int, heads: int) -> str:
    """softmax(Q Kᵀ / √d) V per head, and a matrix."""
    each = wide // heads
    split = b.constant([batch, tokens, heads, each], int)

    def of_heads(order: list[int]) -> str:
        return b.node("Transpose", b.node("Reshape", b.linear(x, wide, wide), split), perm=order)

    q, k, v = of_heads([0, 2, 1, 3]), of_heads([0, 2, 3, 1]), of_heads([0, 2, 1, 3])
    scores = b.node("Mul", b.node("MatMul", q, k), b.constant(each**-0.5))
    mixed = b.node("MatMul", b.node("Softmax", scores, axis=-1), v)
    joined = b.node("Transpose", mixed, perm=[0, 2, 1, 3])
    return b.linear(b.node("Reshape", joined, b.constant([batch, tokens, wide], int)), wide, wide)
