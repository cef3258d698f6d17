"""Layer types: ctc."""

from __future__ import annotations

from loomir.dialects.ov.layers.attributes import Row, read_bool
from loomir.dialects.ov.layers.builder import LayerBuilder, Results
from loomir.dialects.ov.operators.ctc import CTCGreedyDecoderOp


def _decoder(layer: LayerBuilder) -> Results:
    """The specification and OpenVINO's writer call the attribute differently."""
    given = layer.properties
    merge = given.get("merge_repeated", given.get("ctc_merge_repeated"))
    return layer.make(CTCGreedyDecoderOp, *layer.operands, merge_repeated=merge)


ROWS: dict[str, Row] = {
    "CTCGreedyDecoder": Row(CTCGreedyDecoderOp, {"merge_repeated": read_bool, "ctc_merge_repeated": read_bool}, upgrade=_decoder,
        renamed={"merge_repeated": "ctc_merge_repeated"}),
}  # fmt: skip
