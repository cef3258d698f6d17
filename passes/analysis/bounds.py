"""Bounds of values, and the run-time checks of assumed bounds.

A program must check the assumptions of inference (see `inference.capacity`).

The largest extents of a value are noted in its type (`tensor<?xf32, #ov.bounds<8>>`) or, if only a check bounds it, in the type
of the check: `%c = ov.check_bounds %b : (tensor<?xf32>) -> tensor<?xf32, #ov.bounds<8>>`. An operation that was created after
`ov-bound-shapes` has neither; its results' bounds are inferred from those of its operands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Operation, SSAValue

from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.bounds import Bounds, bounds_of_type, complete, count_of, least
from loomir.dialects.ov.facts import Dim, Fact, fact_of
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.failure import CheckBoundsOp, FailOp
from loomir.passes.analysis.inference import Inference
from loomir.passes.analysis.inference.capacity import is_unbounded
from loomir.passes.analysis.inference.loops import trip_bounds

CAPACITY = "loomir.capacity"
"""Attribute of a module with values bounded only by the capacity."""


class Guards:
    """Planner and inserter of bounds checks.

    Call `plan` for every operation first, then `insert`.
    """

    def __init__(self, inference: Inference) -> None:
        self.inference = inference
        self.used_capacity = False
        self._results: dict[SSAValue, Bounds[int | None]] = {}
        self._carried: dict[Operation, list[tuple[int, int, int, int]]] = {}

    def plan(self, op: Operation) -> None:
        """Plan the checks for the assumptions about this operation."""
        for result in op.results:
            if assumed := self.inference.limited.get(result):
                extents = [b if _is_dynamic(result, k) else None for k, b in enumerate(assumed)]
                self.used_capacity |= any(b is not None and b == self.inference.capacity for b in extents)
                if (checks := Bounds(extents, assumed.elements)).tells:
                    self._check(result, checks)
        if isinstance(op, LoopOp):
            self._plan_loop(op)

    def sure(self, result: SSAValue, bounds: Bounds[int | None]) -> Bounds[int | None]:
        """The bounds of a result without those that are only assumed."""
        assumed = self.inference.limited.get(result, Bounds((None,) * len(bounds)))
        elements = bounds.elements if assumed.elements is None else None
        return Bounds((b if a is None else None for a, b in zip(assumed, bounds)), elements)

    def outside(self, loop: LoopOp, index: int, bounds: Bounds[int | None]) -> Bounds[int | None]:
        """Return a carried argument's bounds before its check in the body."""
        most = {dimension: after for k, dimension, _, after in self._carried.get(loop, ()) if k == index}
        return Bounds((most.get(k, b) for k, b in enumerate(bounds))) if most else bounds

    def insert(self, op: Operation) -> None:
        """Insert the planned checks of an operation.

        Its results are checked behind it, its loop-carried values where its body begins and ends.
        """
        for result in op.results:
            if checks := self._results.get(result):
                _check_behind(result, checks)
        for k, dimension, inside, outside in self._carried.get(op, ()):
            assert isinstance(op, LoopOp)
            if inside < outside:
                _check_argument(
                    op, op.carried_arguments[k], _only(op.carried_arguments[k], dimension, inside)
                )
            _check_next(op, k, dimension, outside)

    def _check(self, result: SSAValue, most: Bounds[int | None]) -> None:
        self._results[result] = least(most, self._results.get(result, most))

    def _plan_loop(self, op: LoopOp) -> None:
        inference = self.inference
        if op.concat and inference.capacity is not None:
            trips = trip_bounds(op, inference)
            for value, join in zip(op.next.concat, op.concatenations):
                shape = inference.fact(value).shape
                if shape is not None and is_unbounded(shape[join.normalised_axis(len(shape))] * trips):
                    self.used_capacity = True
        for (k, dimension), inside in sorted(inference.carried_limits.get(op, {}).items()):
            after, value = inference.fact(op.final[k]).shape, op.next.carried[k]
            if after is None or not _is_dynamic(op.carried_arguments[k], dimension):
                continue
            outside = after[dimension].hi
            assert outside is not None, "an assumption that limits nothing"
            self.used_capacity |= inside >= outside
            reached = inference.fact(value).shape
            if (
                reached is not None
                and (hi := reached[dimension].hi) is not None
                and hi <= min(inside, outside)
            ):
                continue
            if inside >= outside and _may_check(op, value, dimension):
                # Checked where it is made, which then needs no more room than what carries it: it can be made there.
                self._check(value, _only(value, dimension, outside))
            else:
                self._carried.setdefault(op, []).append((k, dimension, inside, outside))


def _only(value: SSAValue, dimension: int, most: int) -> Bounds[int | None]:
    """A bound of one dimension."""
    return Bounds(most if k == dimension else None for k in range(len(bounds_of_type(value.type))))


def _check_behind(result: SSAValue, checks: Bounds[int | None]) -> None:
    owner = result.owner
    assert isinstance(owner, Operation)
    check = CheckBoundsOp.of(result, least(bounds_of_type(result.type), checks))
    _replace(result, check)
    assert owner.parent is not None
    owner.parent.insert_op_after(check, owner)


def _check_argument(loop: LoopOp, argument: SSAValue, checks: Bounds[int | None]) -> None:
    check = CheckBoundsOp.of(argument, least(bounds_of_type(argument.type), checks))
    _replace(argument, check)
    first = loop.body.block.first_op
    assert first is not None
    check.location = loop.location
    loop.body.block.insert_op_before(check, first)


def _check_next(loop: LoopOp, index: int, dimension: int, most: int) -> None:
    end = loop.next
    value = end.carried[index]
    own = bounds_of_type(value.type)
    if all(b is not None and (k != dimension or b <= most) for k, b in enumerate(own)):
        return  # it follows from what was checked before
    check = CheckBoundsOp.of(value, least(own, _only(value, dimension, most)))
    check.location = end.location
    loop.body.block.insert_op_before(check, end)
    end.operands[index if end.cond is None else index + 1] = check.output


def _replace(value: SSAValue, check: CheckBoundsOp) -> None:
    """Let everything but the check read what was checked."""
    if isinstance(value.owner, Operation):
        check.location = value.owner.location
    value.replace_uses_with_if(check.output, lambda use: use.operation is not check)


# -- what bounds a value


def checked_bounds(value: SSAValue) -> Bounds[int | None]:
    """Return a value's bounds according to its type and its checks.

    The checks run before the value is written.
    """
    own = bounds_of_type(value.type)
    checked = [use.operation.most for use in value.uses if isinstance(use.operation, CheckBoundsOp)]
    return reduce(least, (most for most in checked if len(most) == len(own)), own)


def checks_of(value: SSAValue) -> Bounds[int | None]:
    """Return the bounds of a value that only its checks state.

    They are those of `checked_bounds` that its type does not state.
    """
    return checked_bounds(value).beyond(bounds_of_type(value.type))


def noted_bounds(value: SSAValue) -> Bounds[int] | None:
    """Return `checked_bounds` if it bounds every dimension, else None."""
    return complete(checked_bounds(value))


def inferred_bounds(
    op: OvOperation, number: int, bounds_of: Callable[[SSAValue], Sequence[int]]
) -> Bounds[int] | None:
    """Return a result's bounds inferred from those of the operands.

    The result is None if any bound cannot be inferred.
    """
    facts: list[Fact] = []
    for operand in op.operands:
        fact = fact_of(operand)
        if fact.shape is not None and fact.static is None:
            bounds = bounds_of(operand)
            dims = tuple(d if d.static is not None else Dim(d.lo, b) for d, b in zip(fact.shape, bounds))
            fact = Fact(fact.element, dims, count=count_of(bounds))
        facts.append(fact)
    result = op.results_of(facts)[number]
    return None if result.shape is None or any(map(is_unbounded, result.shape)) else complete(result.size)


def _may_check(loop: LoopOp, value: SSAValue, dimension: int) -> bool:
    """Return True if a value can be checked in each iteration.

    It is computed in each iteration by an operation that can check its result.
    """
    owner = value.owner
    return (
        isinstance(owner, OvOperation)
        and not isinstance(owner, ConstantOp | FailOp)
        and owner.parent is loop.body.block
        and _is_dynamic(value, dimension)
    )


def _is_dynamic(value: SSAValue, dimension: int) -> bool:
    return isinstance(value.type, TensorType) and value.type.get_shape()[dimension] == DYNAMIC_INDEX
