"""FakeQuantize and FakeConvert as elementwise arithmetic, in the specification's order of operations."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import GreaterOp, LessEqualOp, SelectOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    DivideOp,
    MaximumOp,
    MinimumOp,
    MultiplyOp,
    SubtractOp,
)
from loomir.dialects.ov.operators.elementwise_unary import RoundOp
from loomir.dialects.ov.operators.quantisation import FakeConvertOp, FakeQuantizeOp
from loomir.passes.graph.decompositions import decomposes


@decomposes(FakeQuantizeOp)
def fake_quantize(op: FakeQuantizeOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Ranges are mostly constants: what is computed of them alone is folded."""
    x, input_low, input_high, output_low, output_high = op.operands
    steps = build.like(to_int(op.levels) - 1, x)
    place = build.make(
        DivideOp,
        build.make(SubtractOp, x, input_low),
        build.make(SubtractOp, input_high, input_low),
    )
    step = build.make(RoundOp, build.make(MultiplyOp, place, steps))
    extent = build.make(SubtractOp, output_high, output_low)
    inside = build.make(AddOp, build.make(MultiplyOp, build.make(DivideOp, step, steps), extent), output_low)
    above = build.make(GreaterOp, x, build.make(MaximumOp, input_low, input_high))
    below = build.make(LessEqualOp, x, build.make(MinimumOp, input_low, input_high))
    limited = build.make(SelectOp, above, output_high, inside)
    return [build.make(SelectOp, below, output_low, limited)]


@decomposes(FakeConvertOp)
def fake_convert(op: FakeConvertOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Every step in the type of the data."""
    moved = build.make(MultiplyOp, op.data, op.scale)
    if op.shift is not None:
        moved = build.make(SubtractOp, moved, op.shift)
    small = build.make(ConvertOp, moved, attributes={"destination_type": op.destination_type})
    back = build.make(ConvertOp, small, attributes={"destination_type": build.fact(op.data).element})
    if op.shift is not None:
        back = build.make(AddOp, back, op.shift)
    return [build.make(DivideOp, back, op.scale)]
