"""The pass `ov-lstm-sequence-to-loop`: recurrent sequences become loops over cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.recurrent import (
    CellOperation,
    GRUCellOp,
    GRUSequenceOp,
    LSTMCellOp,
    LSTMSequenceOp,
    RecurrentOperation,
    RNNCellOp,
    RNNSequenceOp,
    float_list,
)
from loomir.dialects.upstream.rewriting import rewrite
from loomir.passes.graph.lib.decompositions.recurrent import RecurrentWeights, sequence_of_steps
from loomir.passes.graph.ov_decompose import decompose

CELLS: dict[type[RecurrentOperation], type[CellOperation]] = {
    LSTMSequenceOp: LSTMCellOp,
    GRUSequenceOp: GRUCellOp,
    RNNSequenceOp: RNNCellOp,
}
"""The cell of each sequence."""


@dataclass(frozen=True)
class OvLstmSequenceToLoopPass(ModulePass):
    """Converts recurrent sequences to an `ov.loop` over the time axis.

    The sequences are `ov.lstm_sequence`, `ov.gru_sequence` and `ov.rnn_sequence`; the loop's body is the cell.

    ```mlir
    %y, %h, %c = ov.lstm_sequence %x, %h0, %c0, %lengths, %w, %r, %b {direction = "forward", hidden_size = 4 : i64}   // before

    %h, %c, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} {   // after
    ^bb0(%i: tensor<i64>, %old_h: tensor<2x4xf32>, %old_c: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
      %step = ov.squeeze %part, %one
      %new_h, %new_c = ov.lstm_cell %step, %old_h, %old_c, %w, %r, %b {hidden_size = 4 : i64}
      %shown = ov.unsqueeze %new_h, %one
      ov.next carried(%new_h, %new_c) concat(%shown)
    }
    ```

    The reverse direction is a loop that reads and writes backwards; bidirectional sequences become two loops. It is the
    loop that `ov-decompose` emits (`passes/graph/lib/decompositions/recurrent.py`), with its handling of
    `sequence_lengths`; only the cell stays whole. The dimension for the directions is removed before the loop, and inserted
    again behind it. `ov-loop-to-lstm-sequence` is the inverse.
    """

    name = "ov-lstm-sequence-to-loop"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, SequenceToLoop(Remarks(self.name)), once=True)


@dataclass(frozen=True)
class SequenceToLoop(RewritePattern):
    """Convert a recurrent sequence to a loop (see the pass)."""

    remarks: Remarks

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: LSTMSequenceOp | GRUSequenceOp | RNNSequenceOp, rewriter: PatternRewriter
    ) -> None:
        for loop in decompose(op, _loops, rewriter):
            if isinstance(loop, LoopOp):
                direction = "backwards" if loop.slicings[0].stride < 0 else "forwards"
                self.remarks.passed(loop, f"a sequence became a loop of cells, {direction}")


def _loops(op: LSTMSequenceOp | GRUSequenceOp | RNNSequenceOp, build: GraphBuilder) -> Sequence[SSAValue]:
    return sequence_of_steps(op, build, _cell)


def _cell(
    build: GraphBuilder,
    op: RecurrentOperation,
    weights: RecurrentWeights,
    x: SSAValue,
    states: Sequence[SSAValue],
) -> list[SSAValue]:
    """Emit one step as a cell operation.

    Of the activation functions of several directions, the cell has those of its own direction.
    """
    kept = ("hidden_size", "clip", "input_forget", "linear_before_reset")
    attributes: dict[str, Attribute | Sequence[str]] = {
        k: op.properties[k] for k in kept if k in op.properties
    }
    if op.activations is not None:
        attributes["activations"] = [name for name, _, _ in weights.functions]
        for name, numbers in (
            ("activations_alpha", [a for _, a, _ in weights.functions if a is not None]),
            ("activations_beta", [b for _, _, b in weights.functions if b is not None]),
        ):
            if numbers:
                attributes[name] = float_list(numbers)
    operands = [x, *states, weights.w, weights.r, weights.b]
    if weights.p is not None:
        operands.append(weights.p)
    return list(build.make_all(CELLS[type(op)], *operands, attributes=attributes))
