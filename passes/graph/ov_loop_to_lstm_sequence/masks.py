"""Masks by which a sequence's loop respects `sequence_lengths`.

From a row's length on the loop keeps the states and shows zero.

valid = unsqueeze(place < lengths)      h' = select(valid, h of the cell, h)      shown = select(valid, h of the cell, 0)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from loomir.dialects.ov.operators.comparison import LessOp, SelectOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, UnsqueezeOp
from loomir.passes.graph.ov_loop_to_lstm_sequence.body import Body, Unmatched
from loomir.passes.graph.ov_loop_to_lstm_sequence.time_axis import TimeAxis


@dataclass(frozen=True)
class Mask:
    """Results of the cell, and the condition under which they count.

    `lengths` [N] has the rows' lengths (None: the whole axis).
    """

    states: tuple[SSAValue, ...]
    valid: SSAValue | None = None
    lengths: SSAValue | None = None

    def shows(self, value: SSAValue, body: Body) -> bool:
        """Return True if the sequence shows this value.

        The value is the cell's h, and zero where h does not count.
        """
        if self.valid is None:
            return body.root(value) is self.states[0]
        op = body.owner(value)
        if not isinstance(op, SelectOp) or op.cond is not self.valid:
            return False
        zero = body.known(op.else_value)
        return zero is not None and not zero.any() and body.root(op.then) is self.states[0]


def mask_of(body: Body, time: TimeAxis) -> Mask:
    """Return the mask by which the loop keeps its states.

    `Unmatched` if they are kept in another way than by a sequence.
    """
    handed = [body.root(value) for value in body.loop.next.carried]
    selects = [op for value in handed if isinstance(op := body.owner(value), SelectOp)]
    if not selects:
        return Mask(tuple(handed))
    valid = selects[0].cond
    if len(selects) != len(handed) or any(op.cond is not valid for op in selects):
        raise Unmatched("not all states are kept alike")
    for op, argument in zip(selects, body.loop.carried_arguments):
        if body.root(op.else_value) is not argument or not body.alike(
            body.matrix(op.output), body.matrix(argument)
        ):
            raise Unmatched("a state that is kept is not the one before")
    return Mask(tuple(body.root(op.then) for op in selects), valid, _lengths(body, time, valid, selects))


def _lengths(body: Body, time: TimeAxis, valid: SSAValue, selects: Sequence[SelectOp]) -> SSAValue:
    """Return the lengths in a condition that keeps states.

    The condition holds for a row while the row has elements.
    """
    # A condition [N, 1] of booleans from [N]: as matrices these are another, so it is not a reshape that `root` goes through.
    source = valid.owner
    less = source.data.owner if isinstance(source, UnsqueezeOp | ReshapeOp) else source
    if not isinstance(less, LessOp) or not body.is_outside(less.b) or not time.is_place(less.a, body):
        raise Unmatched("its condition for keeping states is not that of sequence lengths")
    shape, rows = body.fact(less.b).shape, body.matrix(selects[0].output)
    if shape is None or len(shape) != 1 or rows is None or not body.same_batch(shape[0], rows[0]):
        raise Unmatched("its condition for keeping states has another shape than they")
    if not body.alike(body.matrix(valid), (rows[0], 1)):
        raise Unmatched("its condition for keeping states is not one of rows")
    return less.b
