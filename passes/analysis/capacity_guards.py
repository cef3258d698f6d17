"""Where a program must check that what inference assumed is so (see `inference.capacity`), as attributes of its operations.

`loomir.guarded = [array<i64: 0, 1>]` on an operation: dimension 1 of result 0 is checked against its bound before the result is
written. `loomir.carried_guards = [array<i64: 2, 0, 8, 9>]` on a loop: dimension 0 of carried value 2 is at most 8 in the body and 9
afterwards. `loomir.capacity` on the module: something has no other bound than the capacity.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, DenseArrayBase, TensorType, i64
from xdsl.ir import Operation, SSAValue

from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.constant import ConstantOp
from loomir.dialects.ov.control_flow import LoopOp
from loomir.dialects.ov.failure import FailOp
from loomir.passes.analysis.inference import Inference
from loomir.passes.analysis.inference.capacity import is_open
from loomir.passes.analysis.inference.loops import trip_bounds

GUARDED = "loomir.guarded"
CARRIED_GUARDS = "loomir.carried_guards"
CAPACITY = "loomir.capacity"


class Guards:
    """Which operations check what: first `plan` for every operation, then `annotate`."""

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

    def narrowed(self, result: SSAValue, bounds: Sequence[int]) -> list[int]:
        """The bounds of a result, at most what is checked."""
        checks = self._results.get(result, {})
        return [min(b, checks.get(k, b)) for k, b in enumerate(bounds)]

    def annotate(self, op: Operation) -> None:
        """Note on an operation what is checked at it."""
        table = [(r.index, k) for r in op.results for k in sorted(self._results.get(r, {}))]
        if table:
            op.attributes[GUARDED] = _table(table)
        if loops := self._carried.get(op):
            op.attributes[CARRIED_GUARDS] = _table(loops)

    def _check(self, result: SSAValue, dimension: int, most: int) -> None:
        checks = self._results.setdefault(result, {})
        checks[dimension] = min(most, checks.get(dimension, most))

    def _plan_loop(self, op: LoopOp) -> None:
        inference = self.inference
        if op.concat and inference.capacity is not None:
            trips = trip_bounds(op, inference)
            for value, join in zip(op.next.concat, op.concatenations):
                shape = inference.fact(value).shape
                if shape is not None and is_open(shape[join.normalised_axis(len(shape))] * trips):
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


def guarded(op: Operation) -> list[list[int]]:
    """What `loomir.guarded` says: (result, dimension) of everything that is checked before it is written."""
    return _rows(op, GUARDED)


def carried_guards(op: Operation) -> list[list[int]]:
    """What `loomir.carried_guards` says: (carried value, dimension, at most in the body, at most afterwards)."""
    return _rows(op, CARRIED_GUARDS)


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


def _table(rows: Sequence[Sequence[int]]) -> ArrayAttr[DenseArrayBase]:
    return ArrayAttr([DenseArrayBase.from_list(i64, list(row)) for row in rows])


def _rows(op: Operation, name: str) -> list[list[int]]:
    table = op.attributes.get(name)
    if not isinstance(table, ArrayAttr):
        return []
    return [[int(n) for n in row.get_values()] for row in table.data if isinstance(row, DenseArrayBase)]
