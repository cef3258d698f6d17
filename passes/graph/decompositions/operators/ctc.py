"""CTCGreedyDecoder by CTCGreedyDecoderSeqLen: the mask gives lengths."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import EqualOp, SelectOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.ctc import CTCGreedyDecoderOp, CTCGreedyDecoderSeqLenOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.reduction import ReduceLogicalOrOp
from loomir.dialects.ov.operators.reshape import ShapeOfOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.sorting import ArgMaxOp
from loomir.passes.graph.decompositions import decomposes


@decomposes(CTCGreedyDecoderOp)
def ctc_greedy_decoder(op: CTCGreedyDecoderOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Decompose by computing sequence lengths from the mask.

    The length of a sequence is the position of its first 0, or T.
    """
    element = build.fact(op.data).element
    ends = build.make(EqualOp, op.sequence_mask, build.scalar(0, element))
    numbers = build.make(ConvertOp, ends, attributes={"destination_type": i64})
    first = build.make(ArgMaxOp, numbers, attributes={"axis": 0, "keep_dims": False})
    some = build.make(ReduceLogicalOrOp, ends, build.integers([0]))
    steps = build.make(GatherOp, build.make(ShapeOfOp, op.data), build.scalar(0, i64), build.scalar(0, i64))
    lengths = build.make(SelectOp, some, first, steps)
    sequences = build.make(TransposeOp, op.data, build.integers([1, 0, 2]))
    merge = {"merge_repeated": to_bool(op.merge_repeated), "classes_index_type": i64}
    classes = build.make(CTCGreedyDecoderSeqLenOp, sequences, lengths, attributes=merge)
    real = build.make(ConvertOp, classes, attributes={"destination_type": element})
    return [build.make(UnsqueezeOp, real, build.integers([2, 3]))]
