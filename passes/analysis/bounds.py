"""What bounds a value, and where a program must check that what inference assumed is so (see `inference.capacity`).

The largest extents of a value are noted in its type (`tensor<?xf32, #ov.bounds<8>>`) or, where nothing but a check bounds it, in
that of the check: `%c = ov.check_bounds %b : (tensor<?xf32>) -> tensor<?xf32, #ov.bounds<8>>`. An operation that was made after
`ov-bound-shapes` has neither; what its operands' bounds say of its results is inferred.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Operation, SSAValue

from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.bounds import bounds_of_type
from loomir.dialects.ov.facts import Dim, Fact, fact_of
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.failure import CheckBoundsOp, FailOp
from loomir.passes.analysis.inference import Inference
from loomir.passes.analysis.inference.capacity import is_unbounded
from loomir.passes.analysis.inference.loops import trip_bounds

CAPACITY = "loomir.capacity"
"""Attribute of a module in which something has no other bound than the capacity."""


class Guards:
    """Which values are checked: first `plan` for every operation, then `insert`."""

    def __init__(self, inference: Inference) -> None:
        self.inference = inference
        self.used_capacity = False
        self._results: dict[SSAValue, dict[int, int]] = {}
        self._carried: dict[Operation, list[tuple[int, int, int, int]]] = {}

    def plan(self, op: Operation) -> None:
        """Decide what is checked for the assumptions that were made at this operation."""
        for result in op.results:
            for dimension, most in self.inference.limited.get(result, {}).items():
                if _is_dynamic(result, dimension):
                    self.used_capacity = True
                    self._check(result, dimension, most)
        if isinstance(op, LoopOp):
            self._plan_loop(op)

    def sure(self, result: SSAValue, bounds: Sequence[int | None]) -> list[int | None]:
        """The bounds of a result without those that are only assumed."""
        assumed = self.inference.limited.get(result, {})
        return [None if k in assumed else b for k, b in enumerate(bounds)]

    def outside(self, loop: LoopOp, index: int, bounds: Sequence[int | None]) -> list[int | None]:
        """The bounds of the argument of a carried value before it is checked in the body."""
        most = {dimension: after for k, dimension, _, after in self._carried.get(loop, ()) if k == index}
        return [most.get(k, b) for k, b in enumerate(bounds)]

    def insert(self, op: Operation) -> None:
        """Check the results of an operation behind it, and what a loop carries where its body begins and ends."""
        for result in op.results:
            if checks := self._results.get(result):
                _check_behind(result, checks)
        for k, dimension, inside, outside in self._carried.get(op, ()):
            assert isinstance(op, LoopOp)
            if inside < outside:
                _check_argument(op, op.carried_arguments[k], {dimension: inside})
            _check_next(op, k, {dimension: outside})

    def _check(self, result: SSAValue, dimension: int, most: int) -> None:
        checks = self._results.setdefault(result, {})
        checks[dimension] = min(most, checks.get(dimension, most))

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
                self._check(value, dimension, outside)
            else:
                self._carried.setdefault(op, []).append((k, dimension, inside, outside))


def _limits(value: SSAValue, checks: Mapping[int, int]) -> list[int | None]:
    """The bounds of a value, at most what is checked."""
    own = bounds_of_type(value.type)
    return [min((m for m in (b, checks.get(k)) if m is not None), default=None) for k, b in enumerate(own)]


def _check_behind(result: SSAValue, checks: Mapping[int, int]) -> None:
    owner = result.owner
    assert isinstance(owner, Operation)
    check = CheckBoundsOp.of(result, _limits(result, checks))
    _replace(result, check)
    assert owner.parent is not None
    owner.parent.insert_op_after(check, owner)


def _check_argument(loop: LoopOp, argument: SSAValue, checks: Mapping[int, int]) -> None:
    check = CheckBoundsOp.of(argument, _limits(argument, checks))
    _replace(argument, check)
    first = loop.body.block.first_op
    assert first is not None
    check.location = loop.location
    loop.body.block.insert_op_before(check, first)


def _check_next(loop: LoopOp, index: int, checks: Mapping[int, int]) -> None:
    end = loop.next
    value = end.carried[index]
    own = bounds_of_type(value.type)
    if all(b is not None and b <= checks.get(k, b) for k, b in enumerate(own)):
        return  # it follows from what was checked before
    check = CheckBoundsOp.of(value, _limits(value, checks))
    check.location = end.location
    loop.body.block.insert_op_before(check, end)
    end.operands[index if end.cond is None else index + 1] = check.output


def _replace(value: SSAValue, check: CheckBoundsOp) -> None:
    """Let everything but the check read what was checked."""
    if isinstance(value.owner, Operation):
        check.location = value.owner.location
    value.replace_uses_with_if(check.output, lambda use: use.operation is not check)


# -- what bounds a value


def checks_of(value: SSAValue) -> dict[int, int]:
    """Dimensions that are checked before the value is written, and the most that they may be."""
    own, found = bounds_of_type(value.type), dict[int, int]()
    for use in value.uses:
        if not isinstance(use.operation, CheckBoundsOp):
            continue
        for k, (most, known) in enumerate(zip(use.operation.most, own)):
            if most is not None and (known is None or most < known):
                found[k] = min(most, found.get(k, most))
    return found


def noted_bounds(value: SSAValue) -> tuple[int, ...] | None:
    """The largest extents of a value as its type and its checks say; None where one is missing."""
    checks = checks_of(value)
    bounds = [checks.get(k, b) for k, b in enumerate(bounds_of_type(value.type))]
    return None if any(b is None for b in bounds) else tuple(b for b in bounds if b is not None)


def inferred_bounds(
    op: OvOperation, number: int, bounds_of: Callable[[SSAValue], Sequence[int]]
) -> tuple[int, ...] | None:
    """The largest extents of a result as they follow from those of the operands; None where one does not."""
    facts: list[Fact] = []
    for operand in op.operands:
        fact = fact_of(operand)
        if fact.shape is not None and fact.static is None:
            dims = zip(fact.shape, bounds_of(operand))
            fact = Fact(fact.element, tuple(d if d.static is not None else Dim(d.lo, b) for d, b in dims))
        facts.append(fact)
    shape = op.results_of(facts)[number].shape
    if shape is None or any(map(is_unbounded, shape)):
        return None
    return tuple(d.hi for d in shape if d.hi is not None)


def _may_check(loop: LoopOp, value: SSAValue, dimension: int) -> bool:
    """Whether a value is made in each iteration by an operation that can check its result."""
    owner = value.owner
    return (
        isinstance(owner, OvOperation)
        and not isinstance(owner, ConstantOp | FailOp)
        and owner.parent is loop.body.block
        and _is_dynamic(value, dimension)
    )


def _is_dynamic(value: SSAValue, dimension: int) -> bool:
    return isinstance(value.type, TensorType) and value.type.get_shape()[dimension] == DYNAMIC_INDEX
