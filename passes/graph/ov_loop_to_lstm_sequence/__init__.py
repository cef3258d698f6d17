"""The pass `ov-loop-to-lstm-sequence`: loops over the time axis of a tensor whose body is one recurrent cell become sequences.

| file | what it finds or makes |
|---|---|
| `layouts.py` | which dimensions of a tensor are time, batch and features, and one arrangement from another |
| `body.py` | values of a body, seen through operations that only give them another shape |
| `time_axis.py` | what a loop goes over, in which direction, and that it goes over all of it |
| `masks.py` | `sequence_lengths`: states that are kept, and zeros that are shown, from a length on |
| `cells.py` | the cell in the body: an operation such as `ov.lstm_cell`, or an LSTM's gates |
| `gates.py` | f, i, g and o of an LSTM, by what each does |
| `products.py` | what goes into a gate: products of x and h with matrices, and biases |
| `weights.py` | W, R and B in OpenVINO's order of gates, of those matrices |
| `sequences.py` | the sequence operation and the loop's results, of what it gives |
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
    """Turn an `ov.loop` whose body is one LSTM cell for each step of an axis into `ov.lstm_sequence`.

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

    A loop over `ov.lstm_cell` (`ov.gru_cell`, `ov.rnn_cell` too), or over a sequence of one step, becomes the sequence of its attributes. A
    cell that is written out has the default functions, no peepholes, and gates in any order, cut in any way before or behind their
    functions: they are told apart by what they do. What is multiplied may be one product of x and h together; there may be several
    biases or none. Weights come from outside the loop and are put into OpenVINO's order in front of it, where `ov-fold-constants` makes
    constants of them. The batch may stand before or behind the steps: `ov.transpose` puts it first, and back. The loop cuts its
    input forwards or backwards, or the body gathers by the iteration's number (or T - 1 less it); states kept and zeros shown from a
    length on are `sequence_lengths`.

    Types are brought up to date, as `ov-infer` does. Weights that the body computes are left for `ov-loop-invariant-code-motion` and
    `ov-fold-constants` to move out first, conditions that are true, counters and values that nothing uses for `canonicalize`, a carried
    `ovseq` for `ovseq-append-to-concat`.

    A cell that is written out needs a static batch: of open extents nothing says that they are not broadcast. So does any cell where there
    may be no step: the loop would not ask then whether its operands agree. `open-batch` takes it that extents of the batch that are
    open are equal.
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
