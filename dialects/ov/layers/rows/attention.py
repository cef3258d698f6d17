"""Layer types: attention."""

from __future__ import annotations

from loomir.dialects.ov.layers.attributes import Row, read_bool
from loomir.dialects.ov.layers.builder import LayerBuilder, Results
from loomir.dialects.ov.operators.attention import ScaledDotProductAttentionOp


def _attention(layer: LayerBuilder) -> Results:
    """The mask and the scale are optional."""
    return layer.make(
        ScaledDotProductAttentionOp,
        *layer.operands[:3],
        layer.operands[3:],
        **layer.properties,
    )


ROWS: dict[str, Row] = {
    "ScaledDotProductAttention": Row(ScaledDotProductAttentionOp, {"causal": read_bool}, upgrade=_attention),
}  # fmt: skip
