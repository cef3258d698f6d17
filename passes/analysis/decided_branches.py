"""Branch conditions that differ in a loop's first or last iteration.

Such a condition is decided in the first or last iteration otherwise than in the rest (`decide_branches`).

```mlir
%r = ov.loop trip(%n) carried(%x) {
^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
  %first = ov.equal %i, %zero            // holds in the first iteration, and in no other
  %w = ov.if %first -> (tensor<4xf32>) { … } else { … }
```

The analysis derives the condition's value (`inference/assumptions.py`) under the assumption that the iteration number is 0, or
is not; is the last one, or is not. For a dynamic trip count, the last iteration is recognised by comparisons of `i + a` with
`n + b`: their difference is one number there, and less before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from loomir.dialects.affine_forms import AffineForm
from loomir.dialects.element_types import i64
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.integer_forms import IntegerForms, integer_type
from loomir.dialects.ov.operators.comparison import CompareOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import MaximumOp
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.inference import Inference
from loomir.passes.analysis.inference.assumptions import EQUAL, GREATER, LESS, MAX_STEPS, Assumptions
from loomir.passes.analysis.inference.loops import trip_bounds

MAX_SLICE = 32
"""Operations that a condition may depend on."""

_SMALL = 1 << 32
_NEVER = 1 << 62
"""No iteration has this number: nobody waits for it."""


@dataclass(frozen=True)
class Decision:
    """Value of a branch's condition in one iteration and in all others.

    In the one iteration it may be unknown (None).
    """

    branch: IfOp
    there: bool | None
    elsewhere: bool


@dataclass
class Decisions:
    """Those of one loop."""

    first: list[Decision] = field(default_factory=list)
    last: list[Decision] = field(default_factory=list)


def branches_on_iteration(module: ModuleOp) -> dict[LoopOp, list[IfOp]]:
    """Return loops with the branches in them that test the iteration number.

    The branches are at any depth, and their conditions read the iteration number. This needs no inference.
    """
    found: dict[LoopOp, list[IfOp]] = {}
    for op in walk(module):
        if isinstance(op, IfOp):
            for loop in {loop: None for value in _slice(op.cond) if (loop := _iterated(value)) is not None}:
                found.setdefault(loop, []).append(op)
    return found


def decide_branches(loop: LoopOp, branches: Sequence[IfOp], inference: Inference) -> Decisions:
    """The branches whose conditions are decided."""
    decisions = Decisions()
    trips = trip_bounds(loop, inference)
    counted = loop.trip is not None and loop.cond is None and loop.next.cond is None and not loop.sliced
    forms = IntegerForms(loop, inference.fact)
    for branch in branches:
        _note(
            decisions.first, branch, [_within(loop, branch, inference, ends) for ends in ((0, 0), (1, None))]
        )
        if not counted:
            continue
        if trips.static is not None:
            ends = (trips.static - 1, trips.static - 1), (0, trips.static - 2)
            _note(decisions.last, branch, [_within(loop, branch, inference, e) for e in ends])
        else:
            _note(
                decisions.last,
                branch,
                [_symbolic(loop, branch, inference, forms, last) for last in (True, False)],
            )
    return decisions


def _note(found: list[Decision], branch: IfOp, known: list[bool | None]) -> None:
    there, elsewhere = known
    if elsewhere is not None and there != elsewhere:
        found.append(Decision(branch, there, elsewhere))


def _slice(condition: SSAValue) -> Iterator[SSAValue]:
    """Yield the values from which a condition is computed.

    They extend as far as assumptions are followed.
    """
    seen = {condition}
    level = [condition]
    for _ in range(MAX_STEPS):
        yield from level
        above: list[SSAValue] = []
        for value in level:
            if isinstance(op := value.owner, Block) or op.regions:
                continue
            for operand in op.operands:
                if operand not in seen and len(seen) < MAX_SLICE:
                    seen.add(operand)
                    above.append(operand)
        level = above
    yield from level


def _iterated(value: SSAValue) -> LoopOp | None:
    """The loop of which a value is the iteration number."""
    if not isinstance(value, BlockArgument) or value.index:
        return None
    around = value.owner.parent_op()
    return around if isinstance(around, LoopOp) else None


def _assumptions(branch: IfOp, inference: Inference) -> Assumptions:
    """Nothing assumed yet, at the place of a branch."""
    around: list[Block] = []
    op: Operation | None = branch
    while op is not None and op.parent is not None:
        around.append(op.parent)
        op = op.parent_op()
    return Assumptions(inference, {block: depth for depth, block in enumerate(reversed(around))}, None)


def _known(condition: SSAValue, assumptions: Assumptions) -> bool | None:
    value: np.ndarray | None = assumptions.fact(condition).value
    return None if value is None else bool(value)


def _within(loop: LoopOp, branch: IfOp, inference: Inference, ends: tuple[int, int | None]) -> bool | None:
    """Return a branch's condition for iteration numbers between two ends.

    The result is None if it is unknown or there is no such iteration.
    """
    assumptions = _assumptions(branch, inference)
    lo, hi = ends
    if not assumptions.narrow(loop.iteration, lo, _NEVER if hi is None else hi):
        return None
    return _known(branch.cond, assumptions)


def _symbolic(
    loop: LoopOp, branch: IfOp, inference: Inference, forms: IntegerForms, last: bool
) -> bool | None:
    """Return a branch's condition in the last iteration or in earlier ones.

    The loop has `trip` iterations. The condition follows from the orders of the values that it compares.
    """
    trip = loop.trip
    assert trip is not None
    values = list(_slice(branch.cond))
    if any(isinstance(value.owner, ConvertOp) for value in values):
        return None
    assumptions = _assumptions(branch, inference)
    bounds = inference.fact(trip).bounds
    # A negative trip count is no limit: such a loop does not end, and what it compares with has to be right all the same.
    endless = bounds is None or int(bounds[0].reshape(())) < 0
    for value in values:
        if not isinstance(op := value.owner, CompareOp) or integer_type(op.a, inference.fact) != i64:
            continue
        a, b = forms.of(op.a), forms.of(op.b)
        if a is None or b is None:
            continue
        iteration = AffineForm.of(loop.iteration)
        number, bound = (a, b) if a.coefficient(loop.iteration) else (b, a)
        (base, factor), *others = bound.terms or ((None, 0),)
        ahead = (number - iteration).number
        if ahead is None or others or factor != 1 or not _is_trip(base, trip):
            continue
        behind = bound.constant
        if not -_SMALL < ahead <= 1 or not -_SMALL < behind <= 0:
            continue  # it might wrap around
        if endless and (ahead < 0 or behind):
            continue
        distance = ahead - behind - 1
        if last:
            orders = EQUAL if distance == 0 else LESS if distance < 0 else GREATER
        elif distance <= 0:
            orders = LESS | (GREATER if endless else 0)
        elif distance == 1:
            orders = LESS | EQUAL | (GREATER if endless else 0)
        else:
            continue
        left, right = (op.a, op.b) if number is a else (op.b, op.a)
        if not assumptions.order(left, right, orders):
            return None
    return _known(branch.cond, assumptions)


def _is_trip(value: SSAValue | None, trip: SSAValue) -> bool:
    """Return True if a value equals a running loop's trip count.

    The count may be 0 if the value is negative.
    """
    if value is None or value is trip:
        return value is trip
    op = trip.owner
    if not isinstance(op, MaximumOp) or value not in op.operands:
        return False
    (other,) = [o for o in op.operands if o is not value] or [value]
    least = constant_of(other)
    return least is not None and least.size == 1 and int(least.reshape(())) <= 0
