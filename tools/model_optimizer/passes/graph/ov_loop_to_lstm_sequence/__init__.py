"""`ov-loop-to-lstm-sequence`: converts loops over one recurrent cell to sequences.

The loop runs over the time axis of a tensor.

| module | contents |
|---|---|
| `body.py` | values of a body, seen through operations that only change their shape |
| `body.py` | the dimensions of a tensor that are time, batch and features, and one arrangement from another |
| `body.py` | the data that a loop traverses, its direction, and that it traverses all of the data |
| `body.py` | `sequence_lengths`: states that are kept, and zeros that are shown, from a length on |
| `hoisted.py` | products of the data that stand before the loop, for all steps at once |
| `steps.py` | gates of an LSTM, GRU or RNN, by the function of each |
| `gates.py` | the inputs of a gate: products of x and h with matrices, and biases |
| `gates.py` | W, R and B in OpenVINO's order of gates, built from those matrices |

This module has the pass, the cell in the body, which is one operation such as `ov.lstm_cell` or a cell written out as separate
operations, and the sequence operation that replaces the loop, with the loop's results from its results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import i64
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.canonicalization.loop_trips import is_whole
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp
from loomir.dialects.ov.operators.elementwise_unary import TanhOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.layout import ReverseOp
from loomir.dialects.ov.operators.recurrent import (
    CellOperation,
    GRUCellOp,
    GRUSequenceOp,
    LSTMCellOp,
    LSTMSequenceOp,
    RNNCellOp,
    RNNSequenceOp,
    SequenceOperation,
)
from loomir.dialects.ov.operators.reshape import ShapeOfOp, UnsqueezeOp
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.graph.ov_infer import retype, write_types
from loomir.tools.model_optimizer.passes.graph.ov_loop_to_lstm_sequence.body import (
    LoopBody,
    Mask,
    TimeAxis,
    Unmatched,
    arranged,
    batch_of,
    layout_of,
    mask_of,
    time_axis,
)
from loomir.tools.model_optimizer.passes.graph.ov_loop_to_lstm_sequence.gates import (
    Gates,
    GateWeights,
)
from loomir.tools.model_optimizer.passes.graph.ov_loop_to_lstm_sequence.hoisted import (
    erase_unused,
    hoisted_axis,
)
from loomir.tools.model_optimizer.passes.graph.ov_loop_to_lstm_sequence.steps import (
    gru_gates,
    lstm_gates,
    rnn_gates,
)

SEQUENCES: dict[type[CellOperation], type[LSTMSequenceOp | GRUSequenceOp | RNNSequenceOp]] = {
    LSTMCellOp: LSTMSequenceOp,
    GRUCellOp: GRUSequenceOp,
    RNNCellOp: RNNSequenceOp,
}
"""The sequence of each cell."""


@dataclass(frozen=True)
class Cell:
    """Recurrent cell; `order` maps its states, h first, to carried values.

    Its weights are outer values, W [G·H, I], R [G·H, H], B and perhaps P (`operands`; each with a leading dimension for the
    direction if `with_direction`), or the inputs of each gate of an LSTM.
    """

    sequence: type[LSTMSequenceOp | GRUSequenceOp | RNNSequenceOp]
    order: tuple[int, ...]
    hidden: int
    operands: tuple[SSAValue, ...] = ()
    with_direction: bool = False
    gates: Gates | None = None
    attributes: dict[str, Attribute] = field(default_factory=dict)


def cell_of(body: LoopBody, time: TimeAxis, states: Sequence[SSAValue]) -> Cell:
    """Return the cell that computes `states` from old states and the slice.

    `states` has one value for each carried value. `Unmatched` if there is no such cell.
    """
    makers = [value.owner for value in states]
    if makers and isinstance(op := makers[0], CellOperation):
        made = [value.index for value in states if isinstance(value, OpResult) and value.op is op]
        return _operation(body, time, op, made, SEQUENCES[type(op)])
    if makers and isinstance(op := makers[0], LSTMSequenceOp | GRUSequenceOp | RNNSequenceOp):
        _check_single_step(body, op)
        # y of one step is h.
        made = [max(value.index, 1) - 1 for value in states if isinstance(value, OpResult) and value.op is op]
        return _operation(body, time, op, made, type(op))
    if len(states) == 1:
        return _of_one_state(body, time, states[0])
    if len(states) != 2:
        raise Unmatched(f"it carries {len(states)} values, an LSTM h and c")
    for h, c in ((0, 1), (1, 0)):
        if isinstance(makers[h], MultiplyOp) and isinstance(makers[c], AddOp):
            old = body.loop.carried_arguments
            gates = lstm_gates(body, time.part, (old[h], old[c]), (states[h], states[c]))
            matrix = body.matrix(old[h])
            assert matrix is not None
            return Cell(LSTMSequenceOp, (h, c), matrix[1], gates=gates)
    raise Unmatched("its carried values are not the h and c of an LSTM")


def _of_one_state(body: LoopBody, time: TimeAxis, new: SSAValue) -> Cell:
    """Return the GRU or RNN that computes its only state."""
    (old,) = body.loop.carried_arguments
    matrix, maker = body.matrix(old), body.owner(new)
    if matrix is not None and isinstance(maker, TanhOp):
        return Cell(RNNSequenceOp, (0,), matrix[1], gates=rnn_gates(body, time.part, old, new))
    if matrix is not None and isinstance(maker, AddOp):
        return Cell(GRUSequenceOp, (0,), matrix[1], gates=gru_gates(body, time.part, old, new))
    raise Unmatched("its carried value is not the h of a GRU or RNN")


def _operation(
    body: LoopBody,
    time: TimeAxis,
    op: CellOperation | SequenceOperation,
    made: Sequence[int],
    sequence: type[LSTMSequenceOp | GRUSequenceOp | RNNSequenceOp],
) -> Cell:
    """Return a cell that is one operation.

    `made` maps each carried value to one of the operation's states.
    """
    count = op.STATES
    if sorted(made) != list(range(count)) or len(body.loop.carried) != count:
        raise Unmatched(f"its carried values are not the results of {op.name}")
    order = tuple(made.index(number) for number in range(count))
    x, *rest = op.operands
    # Behind the states a sequence has its lengths.
    old, weights = rest[:count], rest[count + isinstance(op, SequenceOperation) :]
    if body.root(x) is not time.part:
        raise Unmatched(f"{op.name} reads something other than the part")
    if any(body.root(value) is not body.loop.carried_arguments[k] for value, k in zip(old, order)):
        raise Unmatched(f"{op.name} reads other states than those before")
    if not all(map(body.is_outside, weights)):
        raise Unmatched("weights are computed in the body")
    is_sequence = isinstance(op, SequenceOperation)
    return Cell(sequence, order, op.hidden, tuple(weights), is_sequence, attributes=dict(op.properties))


def _check_single_step(body: LoopBody, op: SequenceOperation) -> None:
    """Check that a sequence has a single step and a single direction.

    Such a sequence is a cell: exporters write the cells of frameworks in this way. `Unmatched` for any other.
    """
    shape = body.fact(op.operands[0]).shape
    if shape is None or shape[1].static != 1 or op.directions() != 1:
        raise Unmatched(f"{op.name} in the body is more than one step")
    lengths = op.operands[1 + op.STATES]
    while isinstance(lengths.owner, BroadcastOp):
        lengths = lengths.owner.data
    bounds = body.fact(lengths).bounds
    if bounds is None or not (bounds[0] >= 1).all():
        raise Unmatched(f"{op.name} in the body may have no step")


@dataclass(frozen=True)
class HiddenOutput:
    """Concatenated output: each step's h, in this layout.

    The steps are in the order of the sequence or `reversed`.
    """

    layout: str
    reversed: bool


@dataclass(frozen=True)
class RecurrentSequence:
    """Sequence that a loop computes: a cell per step of an axis.

    `sources` maps each used result to a concatenated output, or to the number of a carried value.
    """

    body: LoopBody
    time: TimeAxis
    mask: Mask
    cell: Cell
    sources: dict[SSAValue, HiddenOutput | int]


def sequence_of(loop: LoopOp, inference: Inference, open_batch: bool) -> RecurrentSequence:
    """Return the sequence that a loop computes.

    See the pass for `open_batch`. `Unmatched` if the loop is not a sequence.
    """
    if loop.body.block in inference.impossible:
        raise Unmatched("its body fails")
    body = LoopBody(loop, inference, open_batch)
    try:
        return _of_axis(body, time_axis(body))
    except Unmatched:
        # Its products with x may stand before it, for all steps at once.
        if (time := hoisted_axis(body)) is None:
            raise
    return _of_axis(body, time)


def _of_axis(body: LoopBody, time: TimeAxis) -> RecurrentSequence:
    mask = mask_of(body, time)
    cell = cell_of(body, time, mask.states)
    # The states in the order of the cell, h first: that is what is shown.
    ordered = Mask(tuple(mask.states[k] for k in cell.order), mask.valid, mask.lengths)
    _check_batch(body, time)
    return RecurrentSequence(body, time, ordered, cell, _sources(body, time, ordered, cell))


def _check_batch(body: LoopBody, time: TimeAxis) -> None:
    """Check that the batches agree if there may be no step.

    The sequence requires this, but the loop would not.
    """
    batches: list[int | None] = []
    for value, axis in ((time.x, time.axis), *((v, None) for v in body.loop.carried)):
        shape = body.fact(value).shape
        layout = layout_of(shape, axis)
        if shape is None or layout is None:
            raise Unmatched("the dimensions of its input or carried values are not steps, batch and features")
        batches.append(batch_of(shape, layout).static)
    open_ = None in batches and not body.open_batch
    if time.extent.lo == 0 and (open_ or len(set(batches)) > 1):
        raise Unmatched("the batch is dynamic, and the loop may have no step that determines it")


def _sources(body: LoopBody, time: TimeAxis, mask: Mask, cell: Cell) -> dict[SSAValue, HiddenOutput | int]:
    """Return the source of each used result.

    `Unmatched` if a sequence has no such result.
    """
    loop = body.loop
    found: dict[SSAValue, HiddenOutput | int] = {
        r: k for k, r in enumerate(loop.final) if r.first_use is not None
    }
    handed = [body.root(value) for value in loop.next.carried]
    for result, value in zip(loop.last, loop.next.last):
        if result.first_use is None:
            continue
        if (root := body.root(value)) not in handed:
            raise Unmatched("it has a last value other than h and c")
        if time.extent.lo == 0:
            raise Unmatched("it has a last value, which is zero without a step")
        found[result] = handed.index(root)
    for result, value, cut in zip(loop.concat, loop.next.concat, loop.concatenations):
        if result.first_use is not None:
            found[result] = _joined(body, time, mask, value, cut)
    return found


def _joined(body: LoopBody, time: TimeAxis, mask: Mask, value: SSAValue, cut: Slicing) -> HiddenOutput:
    if not mask.shows(value, body):
        raise Unmatched("it concatenates something other than h")
    shape = body.fact(value).shape
    axis = None if shape is None else cut.normalised_axis(len(shape))
    layout = layout_of(shape, axis)
    if shape is None or axis is None or layout is None or not is_whole(cut) or shape[axis].static != 1:
        raise Unmatched("it does not concatenate h step by step")
    return HiddenOutput(layout, (cut.stride < 0) != time.backwards)


def emit_sequence(found: RecurrentSequence) -> SSAValue:
    """Replace the loop by the sequence and return its y."""
    body, time, cell = found.body, found.time, found.cell
    loop = body.loop
    build = GraphBuilder(InsertPoint.before(loop), loop.location)
    x = arranged(build, body.before(time.x, build), _layout(body, time.x, time.axis), "NTK")
    initial = [loop.carried[k] for k in cell.order]
    states = [arranged(build, value, _layout(body, value), "N1K") for value in initial]
    lengths = found.mask.lengths
    lengths = _all_steps(build, x) if lengths is None else body.before(lengths, build)
    weights = _weights(build, found)
    direction = "reverse" if time.backwards else "forward"
    y, *final = build.make_all(
        cell.sequence,
        *(x, *states, lengths, *weights),
        attributes={"hidden_size": cell.hidden, **cell.attributes, "direction": direction},
    )
    given = dict(zip(cell.order, final))
    for result, source in found.sources.items():
        if isinstance(source, int):
            shape = body.fact(result).shape
            layout = layout_of(shape)
            assert layout is not None
            new = arranged(build, given[source], "N1K", layout)
        else:
            shown = build.make(ReverseOp, y, build.integers([2])) if source.reversed else y
            new = arranged(build, shown, "N1TK", source.layout)
        new.name_hint = result.name_hint
        result.replace_all_uses_with(new)
    products = [value for value, part in zip(loop.sliced, loop.part_arguments) if part in body.hoisted]
    loop.detach()
    loop.erase()
    erase_unused(products)
    return y


def _layout(body: LoopBody, value: SSAValue, time: int | None = None) -> str:
    layout = layout_of(body.fact(value).shape, time)
    assert layout is not None
    return layout


def _weights(build: GraphBuilder, found: RecurrentSequence) -> list[SSAValue]:
    """W, R, B and perhaps P, with the dimension of the direction."""
    body, cell = found.body, found.cell
    if cell.gates is None:
        values = [body.before(value, build) for value in cell.operands]
    else:
        h = body.loop.carried_arguments[cell.order[0]]
        make = GateWeights(build, body, body.fact(h).element, cell.hidden)
        matrices = [(factor, body.matrix(factor)) for factor in (found.time.part, h)]
        values = [make.matrix(cell.gates, factor, m[1]) for factor, m in matrices if m is not None]
        values.append(make.bias(cell.gates))
    if cell.with_direction:
        return values
    return [build.make(UnsqueezeOp, value, build.integers([0])) for value in values]


def _all_steps(build: GraphBuilder, x: SSAValue) -> SSAValue:
    """Lengths [N] of all steps of x [N, T, I]."""
    shape = build.fact(x).shape
    assert shape is not None
    n, t = shape[0].static, shape[1].static
    if n is not None and t is not None:
        return build.constant(np.full(n, t, np.int64))
    zero = build.scalar(0, i64)
    extents = build.make(ShapeOfOp, x)
    steps = build.make(GatherOp, extents, build.scalar(1, i64), zero)
    return build.make(BroadcastOp, steps, build.make(GatherOp, extents, build.integers([0]), zero))


@dataclass(frozen=True)
class OvLoopToLstmSequencePass(ModulePass):
    """Converts an `ov.loop` over a recurrent cell to its sequence.

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
    be one product of x and h together, that of x may stand before the loop, for all steps; there may be several biases or none. A GRU
    resets h before the product (`linear_before_reset` is false). Weights come from outside the loop and are
    rearranged to OpenVINO's order in front of it, where `ov-fold-constants` folds them to constants. The batch may stand
    before or behind the steps: `ov.transpose` moves it to the front, and back. The loop slices its input forwards or
    backwards, or the body gathers by the iteration number (or T - 1 less it). States that are kept and zeros that are shown
    from a length on become `sequence_lengths`.

    Types are updated, as by `ov-infer`. Other passes have to run first: `ov-loop-invariant-code-motion` and
    `ov-fold-constants` hoist weights that the body computes, `canonicalize` removes true conditions, counters and unused
    values, and `ov-loop-join-parts` converts a carried `ovseq`.

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
        inference = analyses_of(ctx).get(infer, op)
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
                y.op, f"a loop over {'?' if steps is None else steps} steps became one sequence", steps=steps
            )
            changed = True
        if changed:
            retype(ctx, op)
