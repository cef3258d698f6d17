"""The Model Optimizer's names for operations of the operation sets.

A graph has `Mul` where IR has the type `Multiply`.

The back phase introduces the types of IR. In the middle phase a convolution is a `Conv`, and both poolings have the
type `Pooling`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from loomir.tools.model_optimizer.mo.ops.table import rows_by_module

LaterPhase = Literal["middle", "back"]


@dataclass(frozen=True)
class Names:
    """`op` and `type` of a node.

    `back_op` and `back_type` are those at the end of the back phase, if they differ.
    """

    op: str
    type: str | None
    back_op: str | None = None
    back_type: str | None = None

    def of(self, phase: LaterPhase) -> tuple[str, str | None]:
        """Those of a phase."""
        if phase == "middle":
            return self.op, self.type
        return self.back_op or self.op, self.back_type or self.type


OTHERS: Mapping[str, Names] = {
    "AvgPool": Names("AveragePool", "Pooling", back_type="AvgPool"),
    "Clamp": Names("Clamp", None, "AttributedClamp", "Clamp"),
    "Convolution": Names("Conv", "Convolution"),
    "ConvolutionBackpropData": Names("Deconv2D", "Deconvolution", back_type="ConvolutionBackpropData"),
    "GRUSequence": Names("GRU", "RNNSequence", back_type="GRUSequence"),
    "GroupConvolution": Names("Conv", "Convolution", back_type="GroupConvolution"),
    "GroupConvolutionBackpropData": Names(
        "Deconv2D", "Deconvolution", back_type="GroupConvolutionBackpropData"
    ),
    "LRN": Names("AttributedLRN", "Norm", "LRN", "LRN"),
    "LSTMSequence": Names("LSTM", "RNNSequence", back_type="LSTMSequence"),
    "MaxPool": Names("MaxPool", "Pooling", back_type="MaxPool"),
    "RNNSequence": Names("RNN", "RNNSequence"),
}
"""Names, by layer type, that no class of the operation table has.

Extractors and transformations assign them.
"""

LEAKY_RELU = Names("LeakyReLU", "LeakyReLU", "PReLU", "PReLU")
"""A PReLU whose slope is one number."""


@cache
def _operations() -> Mapping[str, str]:
    """By layer type the operation of the first class of the table."""
    found: dict[str, str] = {}
    for rows in rows_by_module().values():
        for row in rows:
            if row.type is not None and row.op is not None:
                found.setdefault(row.type, row.op)
    return found


def names_of(type_: str) -> Names:
    """Return the names of a layer's node; by default its type."""
    return OTHERS.get(type_) or Names(_operations().get(type_, type_), type_)
