"""`ov-loop-to-lstm-sequence`: converts loops over one recurrent cell to sequences.

The loop runs over the time axis of a tensor.

| file | what it finds or creates |
|---|---|
| `layouts.py` | the dimensions of a tensor that are time, batch and features, and one arrangement from another |
| `body.py` | values of a body, seen through operations that only change their shape |
| `time_axis.py` | the data that a loop traverses, its direction, and that it traverses all of the data |
| `masks.py` | `sequence_lengths`: states that are kept, and zeros that are shown, from a length on |
| `cells.py` | the cell in the body: an operation such as `ov.lstm_cell`, or an LSTM's gates |
| `gates.py` | f, i, g and o of an LSTM, by the function of each |
| `products.py` | the inputs of a gate: products of x and h with matrices, and biases |
| `weights.py` | W, R and B in OpenVINO's order of gates, built from those matrices |
| `sequences.py` | the sequence operation, and the loop's results from its results |
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import OpResult
from xdsl.passes import ModulePass

from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.walking import walk
from loomir.passes.analysis.inference import infer
from loomir.passes.analysis.remarks import Remarks
from loomir.passes.graph.ov_infer import write_types
from loomir.passes.graph.ov_loop_to_lstm_sequence.body import Unmatched
from loomir.passes.graph.ov_loop_to_lstm_sequence.sequences import emit_sequence, sequence_of


@dataclass(frozen=True)
class OvLoopToLstmSequencePass(ModulePass):
    """Converts an `ov.loop` over one LSTM cell to `ov.lstm_sequence`.

    The loop's body is one cell for each step of an axis.

    ```mlir
    %h, %c, %y = ov.loop carried(%h0, %c0) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} {   // before
    ^bb0(%i: tensor<i64>, %old_h: tensor<2x4xf32>, %old_c: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
      %step = ov.squeeze %part, %one
      %xw = ov.mat_mul %step, %w {transpose_b = true}
      %hr = ov.mat_mul %old_h, %r {transpose_b = true}
      %sum = ov.add %xw, %hr
      %all = ov.add %sum, %b
      %f, %i, %g, %o = ov.split %all, %last
      … sigmoid, tanh …
      %new_c = ov.add %fc, %ig
      %new_h = ov.multiply %o, %tanh
      %shown = ov.unsqueeze %new_h, %one
      ov.next carried(%new_h, %new_c) concat(%shown)
    }

    %y, %h, %c = ov.lstm_sequence %x, %h0, %c0, %lengths, %w, %r, %b {direction = "forward", hidden_size = 4 : i64}   // after
    ```

    A loop over `ov.lstm_cell` (`ov.gru_cell`, `ov.rnn_cell` too), or over a sequence of one step, becomes the sequence of
    its attributes. A cell written out as separate operations has the default functions, no peepholes, and gates in any
    order, sliced in any way before or behind their functions: the pass tells them apart by their function. The product may
    be one product of x and h together; there may be several biases or none. Weights come from outside the loop and are
    rearranged to OpenVINO's order in front of it, where `ov-fold-constants` folds them to constants. The batch may stand
    before or behind the steps: `ov.transpose` moves it to the front, and back. The loop slices its input forwards or
    backwards, or the body gathers by the iteration number (or T - 1 less it). States that are kept and zeros that are shown
    from a length on become `sequence_lengths`.

    Types are updated, as by `ov-infer`. Other passes have to run first: `ov-loop-invariant-code-motion` and
    `ov-fold-constants` hoist weights that the body computes, `canonicalize` removes true conditions, counters and unused
    values, and `ovseq-append-to-concat` converts a carried `ovseq`.

    A cell written out as separate operations needs a static batch: dynamic extents do not rule out a broadcast. So does any
    cell if there may be no step: the loop would not check then that its operands agree. `open-batch` assumes that dynamic
    extents of the batch are equal.
    """

    name = "ov-loop-to-lstm-sequence"
    EXACT = False

    open_batch: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        remarks = Remarks(self.name)
        if not any(isinstance(o, LoopOp) for o in walk(op)):
            return
        inference = infer(op)
        write_types(op, inference)
        changed = False
        for loop in [o for o in walk(op, region_first=True) if isinstance(o, LoopOp)]:
            try:
                found = sequence_of(loop, inference, self.open_batch)
            except Unmatched as unmatched:
                remarks.missed(loop, unmatched.why)
                continue
            y = emit_sequence(found)
            assert isinstance(y, OpResult)
            steps = found.time.extent.static
            remarks.passed(
                y.op, f"a loop over {'?' if steps is None else steps} steps is one sequence", steps=steps
            )
            changed = True
        if changed:
            write_types(op, infer(op))
