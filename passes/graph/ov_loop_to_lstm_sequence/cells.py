"""Recurrent cell of a loop's body.

It is one operation, or an LSTM written out as separate operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Attribute, OpResult, SSAValue

from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp
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
from loomir.passes.graph.ov_loop_to_lstm_sequence.body import Body, Unmatched
from loomir.passes.graph.ov_loop_to_lstm_sequence.gates import Gates, gates_of
from loomir.passes.graph.ov_loop_to_lstm_sequence.time_axis import TimeAxis

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


def cell_of(body: Body, time: TimeAxis, states: Sequence[SSAValue]) -> Cell:
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
    if len(states) != 2:
        raise Unmatched(f"it carries {len(states)} values, an LSTM h and c")
    for h, c in ((0, 1), (1, 0)):
        if isinstance(makers[h], MultiplyOp) and isinstance(makers[c], AddOp):
            old = body.loop.carried_arguments
            gates = gates_of(body, time.part, (old[h], old[c]), (states[h], states[c]))
            matrix = body.matrix(old[h])
            assert matrix is not None
            return Cell(LSTMSequenceOp, (h, c), matrix[1], gates=gates)
    raise Unmatched("what it carries is not the h and c of an LSTM")


def _operation(
    body: Body,
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
        raise Unmatched(f"what it carries is not what {op.name} gives")
    order = tuple(made.index(number) for number in range(count))
    x, *rest = op.operands
    # Behind the states a sequence has its lengths.
    old, weights = rest[:count], rest[count + isinstance(op, SequenceOperation) :]
    if body.root(x) is not time.part:
        raise Unmatched(f"{op.name} reads something other than the part")
    if any(body.root(value) is not body.loop.carried_arguments[k] for value, k in zip(old, order)):
        raise Unmatched(f"{op.name} reads other states than those before")
    if not all(map(body.is_outside, weights)):
        raise Unmatched("weights are made in the body")
    is_sequence = isinstance(op, SequenceOperation)
    return Cell(sequence, order, op.hidden, tuple(weights), is_sequence, attributes=dict(op.properties))


def _check_single_step(body: Body, op: SequenceOperation) -> None:
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
