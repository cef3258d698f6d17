"""Induction variables, and branch conditions that depend on them.

**Integers affine in the iteration number: `base + offset + step · i`** (`Affine`). They are integers in a loop's body. A carried
value to which each iteration adds a constant is one (an *induction variable*), as are the values that are computed from it by sums
and constant factors. Sums wrap around as the operations do, so a form is exact to the last bit, but a comparison of two numbers
requires that neither has wrapped around.

**Branch conditions that differ in a loop's first or last iteration** (`decide_branches`). Such a condition is decided in the first
or last iteration otherwise than in the rest.

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
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from loomir.dialects.element_types import i1, i64, is_integer
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.operators.comparison import CompareOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MaximumOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.elementwise_unary import NegativeOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.inference import Inference
from loomir.passes.analysis.inference.assumptions import EQUAL, GREATER, LESS, MAX_STEPS, Assumptions
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.analysis.inference.state import InferenceState

MAX_AFFINE_DEPTH = 100
"""Operations that are looked back through."""

REARRANGES = (ReshapeOp, SqueezeOp, UnsqueezeOp)
"""Operations that return the single element of their operand."""


@dataclass(frozen=True)
class Affine:
    """Affine form `base + offset + step · i`.

    `base` is an integer from outside the loop, or 0, and i is 0 in the first iteration.
    """

    base: SSAValue | None
    offset: int
    step: int

    def shifted(self, iterations: int) -> Affine:
        """The form of what the value is so many iterations later."""
        return Affine(self.base, self.offset + self.step * iterations, self.step)


def integer_type(value: SSAValue, inference: InferenceState) -> IntegerType | None:
    """Return the element type of a single-integer tensor of any rank."""
    fact = inference.fact(value)
    extents = fact.static
    if extents is None or int(np.prod(extents)) != 1 or not is_integer(fact.element):
        return None
    return None if fact.element == i1 else fact.element


class AffineForms:
    """The forms of the values of one loop's body."""

    def __init__(self, loop: LoopOp, inference: InferenceState) -> None:
        self._loop = loop
        self._block = loop.body.block
        self._inference = inference
        self._found: dict[SSAValue, Affine | None] = {}
        self._around: dict[SSAValue, Affine | None] | None = None

    def of(self, value: SSAValue, depth: int = MAX_AFFINE_DEPTH) -> Affine | None:
        """Return a value's affine form, or None if it has none.

        The value is in the body or outside of it.
        """
        if value not in self._found:
            self._found[value] = None
            if depth and integer_type(value, self._inference) is not None:
                self._found[value] = self._form(value, depth - 1)
        return self._found[value]

    def _form(self, value: SSAValue, depth: int) -> Affine | None:
        known = self._inference.fact(value).value
        if known is not None:
            return Affine(None, int(known.reshape(())), 0)
        if not self._is_inside(value):
            return Affine(value, 0, 0)
        if value is self._loop.iteration:
            return Affine(None, 0, 1)
        if isinstance(value, BlockArgument):
            return self._induction_variable(value, depth)
        op = value.owner
        if isinstance(op, REARRANGES):
            return self.of(op.operands[0], depth)
        if isinstance(op, ConvertOp):
            return self._converted(op, depth)
        if isinstance(op, NegativeOp):
            return _scaled(self.of(op.operands[0], depth), -1)
        if isinstance(op, AddOp | SubtractOp | MultiplyOp):
            a, b = (self.of(operand, depth) for operand in op.operands)
            if a is None or b is None:
                return None
            if isinstance(op, AddOp):
                return _sum(a, b)
            return _difference(a, b) if isinstance(op, SubtractOp) else _product(a, b)
        return None

    def _is_inside(self, value: SSAValue) -> bool:
        block: Block | None = value.owner if isinstance(value.owner, Block) else value.owner.parent
        while block is not None and block is not self._block:
            around = block.parent_op()
            block = None if around is None else around.parent
        return block is self._block

    def _induction_variable(self, argument: BlockArgument, depth: int) -> Affine | None:
        """Return the form of a carried value that grows by a constant.

        Each iteration adds the same constant.
        """
        position = argument.index - 1
        if argument.owner is not self._block or position >= len(self._loop.carried):
            return None
        if self._around is not None:
            return (
                None  # what is asked for is one carried value's own step: the others are no numbers meanwhile
            )
        # As long as it is asked what the next value is, the value itself stands for what is carried.
        self._around, self._found = self._found, {argument: Affine(argument, 0, 0)}
        following = self.of(self._loop.next.carried[position], depth)
        self._around, self._found = None, self._around
        first = self.of(self._loop.carried[position], depth)
        if following is None or following.base is not argument or following.step or first is None:
            return None
        return Affine(first.base, first.offset, following.offset)

    def _converted(self, op: ConvertOp, depth: int) -> Affine | None:
        """Return the low bits of a form that has no base.

        A conversion to more bits would require that nothing has wrapped around.
        """
        before, after = (integer_type(v, self._inference) for v in (op.data, op.output))
        form = self.of(op.data, depth)
        if before is None or after is None or form is None or form.base is not None:
            return None
        narrower = after.width.data <= before.width.data
        return form if narrower or not form.step else None


def _scaled(form: Affine | None, factor: int) -> Affine | None:
    if form is None or (form.base is not None and factor != 1):
        return None
    return Affine(form.base, form.offset * factor, form.step * factor)


def _sum(a: Affine, b: Affine) -> Affine | None:
    if a.base is not None and b.base is not None:
        return None
    base = b.base if a.base is None else a.base
    return Affine(base, a.offset + b.offset, a.step + b.step)


def _difference(a: Affine, b: Affine) -> Affine | None:
    if b.base is not None and b.base is not a.base:
        return None
    base = a.base if b.base is None else None
    return Affine(base, a.offset - b.offset, a.step - b.step)


def _product(a: Affine, b: Affine) -> Affine | None:
    if b.base is None and not b.step:
        return _scaled(a, b.offset)
    return _scaled(b, a.offset) if a.base is None and not a.step else None


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
    forms = AffineForms(loop, inference)
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
    loop: LoopOp, branch: IfOp, inference: Inference, forms: AffineForms, last: bool
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
        if not isinstance(op := value.owner, CompareOp) or integer_type(op.a, inference) != i64:
            continue
        a, b = forms.of(op.a), forms.of(op.b)
        if a is None or b is None:
            continue
        number, bound = (a, b) if a.step else (b, a)
        if number.base is not None or number.step != 1 or bound.step or not _is_trip(bound.base, trip):
            continue
        if not -_SMALL < number.offset <= 1 or not -_SMALL < bound.offset <= 0:
            continue  # it might wrap around
        if endless and (number.offset < 0 or bound.offset):
            continue
        distance = number.offset - bound.offset - 1
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
