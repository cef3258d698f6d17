"""Loops that stop the program as soon as they start.

These are loops that nothing ends (neither a trip count nor a condition nor slices; `ov-decompose`), and loops whose
first iteration is illegal for the given shapes (`ov-infer`).
"""

from __future__ import annotations

import numpy as np

from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.loop_slices import Slicing
from loomir.dialects.ov.no_iterations import without_extents
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp, NextOp
from loomir.dialects.ov.operators.failure import FailOp


def is_endless(loop: LoopOp) -> bool:
    """Return True if a loop, once started, never ends.

    Only the failure of an operation in the loop can stop it.
    """
    trip = None if loop.trip is None else constant_of(loop.trip)
    if loop.sliced or (loop.trip is not None and (trip is None or int(trip.reshape(())) >= 0)):
        return False
    again = loop.next.cond
    known = None if again is None else constant_of(again)
    return again is None or (known is not None and bool(known))


def stop_when_it_starts(loop: LoopOp) -> None:
    """Insert an `ov.fail` at the beginning of an endless loop's body.

    Running the loop could only exhaust a limit, and compiled code has none. The rest of the body decides the extents of the
    loop's results if it does not start.
    """
    failure = FailOp.of("the loop never ends: it has neither a trip count nor a condition", (), "endless")
    over = ConstantOp.of(np.array(False))
    end = loop.next
    stop = NextOp.build(operands=[[over.output], loop.carried_arguments, end.last, end.concat])
    block = loop.body.block
    for op in (failure, over, stop):
        op.location = loop.location
    block.insert_op_before(failure, block.ops.first or end)
    block.add_ops([over, stop])
    end.detach()
    end.erase()


def fail_when_it_starts(loop: LoopOp, reason: str, kind: str | None = None) -> None:
    """Replace the body of a loop by `ov.fail`.

    The values that it hands on never come to be, so an extent that is open may be 0: nothing needs room, and the loop needs no bound.
    """
    end = loop.next
    block = loop.body.block
    made = [
        *(without_extents(v.type, Slicing()) for v in end.last),
        *(without_extents(v.type, cut) for v, cut in zip(end.concat, loop.concatenations)),
    ]
    for op in reversed(list(block.ops)):
        op.detach()
        op.erase(safe_erase=False)
    failure = FailOp.of(reason, made, kind)
    over = ConstantOp.of(np.array(False))
    last, concat = failure.values[: len(end.last)], failure.values[len(end.last) :]
    stop = NextOp.build(operands=[[over.output], loop.carried_arguments, last, concat])
    for op in (failure, over, stop):
        op.location = loop.location
        block.add_op(op)
