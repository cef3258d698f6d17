"""Final states of sequences of length 0.

They equal the initial states; in OpenVINO 2026, they are zeros.
"""

from __future__ import annotations

from xdsl.rewriter import InsertPoint

from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import LessEqualOp, SelectOp
from loomir.dialects.ov.operators.recurrent import GRUSequenceOp, LSTMSequenceOp, RNNSequenceOp
from loomir.dialects.ov.operators.reshape import UnsqueezeOp


def keep_states(op: LSTMSequenceOp | GRUSequenceOp | RNNSequenceOp, lengths: Fact) -> None:
    """Select the initial states where a sequence has no steps.

    `lengths` is the known fact about the numbers of steps.
    """
    if lengths.bounds is not None and (lengths.bounds[0] > 0).all():
        return
    build = GraphBuilder(InsertPoint.after(op), op.location)
    initial = [op.initial_hidden_state, *([op.initial_cell_state] if isinstance(op, LSTMSequenceOp) else [])]
    read = [
        (begin, end, list(end.uses))
        for begin, end in zip(initial, op.results[1:])
        if end.first_use is not None
    ]
    if not read:
        return
    none = build.make(LessEqualOp, op.sequence_lengths, build.like(0, op.sequence_lengths))
    none = build.make(UnsqueezeOp, none, build.integers([1, 2]))
    for begin, end, uses in read:
        chosen = build.make(SelectOp, none, begin, end)
        for use in uses:
            use.operation.operands[use.index] = chosen
