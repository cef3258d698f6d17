"""Conditions under which two loops become one, and what then moves.

The fused loop takes the place of the first loop. Operations in between that the second loop needs move before it; elementwise
operations between a joined output of the first loop and the slices of the second one move into the body; the others stay behind it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Operation, SSAValue

from loomir.dialects.diagnostics import MissedReason
from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.region_flow import captured
from loomir.dialects.speculation import FailsOnShapes, speculatable
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.inference import Inference
from loomir.passes.analysis.trip_counts.equal_trips import (
    JoinedParts,
    TripKeys,
    extent_on,
    is_elementwise,
    joined_parts,
)

MAX_DISTANCE = 1000
"""Operations between two loops of a block that are looked at."""

_DEPENDS = MissedReason("it depends on the first loop in another way")


@dataclass
class FusionPlan:
    """Two loops that become one.

    `parts` are the parts of each value that the first loop joins, and of each elementwise function of them in `middle`. `moving`
    are the operations that move before the first loop, in order.
    """

    first: LoopOp
    second: LoopOp
    trips: Hashable | None
    parts: dict[SSAValue, JoinedParts] = field(default_factory=dict[SSAValue, JoinedParts])
    middle: list[Operation] = field(default_factory=list[Operation])
    moving: list[Operation] = field(default_factory=list[Operation])

    @property
    def slices_the_first(self) -> bool:
        """True if the second loop slices what the first one joins."""
        return any(value in self.parts for value in self.second.sliced)

    def used_elsewhere(self) -> list[SSAValue]:
        """Return the values that the fused loop has to join.

        Other operations use them as a whole.
        """
        inside = {self.second, *self.middle}
        joined = dict.fromkeys((*self.first.concat, *self.parts))
        return [v for v in joined if any(use.operation not in inside for use in v.uses)]


def plan_fusion(
    first: LoopOp, second: LoopOp, keys: TripKeys, inference: Inference, max_operations: int
) -> FusionPlan | MissedReason:
    """Return how two loops become one, or why they stay two.

    The second one is behind the first one.
    """
    if any(c is not None for c in (first.cond, second.cond, first.next.cond, second.next.cond)):
        return MissedReason("a condition may end one of them early")
    between = _between(first, second)
    if isinstance(between, MissedReason):
        return between
    plan = FusionPlan(first, second, keys.of(first))
    needed = _Needed(first, between)
    if (why := _divide(plan, between, needed)) is not None:
        return why
    if plan.trips is None or keys.of(second) != plan.trips:
        return MissedReason("its trip count may differ")
    size = sum(1 for loop in (first, second) for _ in walk(loop.body.block)) + len(plan.middle)
    if size > max_operations:
        return MissedReason(
            f"{size} operations are more than {max_operations}",
            {"operations": size, "limit": max_operations},
        )
    leaving = {*plan.moving, *plan.middle}
    staying = [op for op in between if op not in leaving]
    earlier, later = [first, *staying], [*plan.moving, *plan.middle, second]
    kinds = [_failures(ops, inference) for ops in (earlier, later)]
    if all(kinds) and set(kinds) != {"shapes"}:
        return MissedReason("both may fail, and fusion would change the order of errors")
    return plan


def producers(second: LoopOp) -> Iterator[LoopOp]:
    """Yield the loops whose joined outputs a loop slices.

    They are in one block. Only elementwise operations are in between.
    """
    waiting, seen = list(second.sliced), set(second.sliced)
    while waiting and len(seen) < MAX_DISTANCE:
        op = waiting.pop(0).owner
        if not isinstance(op, Operation) or op.parent is not second.parent:
            continue
        if isinstance(op, LoopOp):
            yield op
        elif is_elementwise(op):
            waiting += [v for v in op.operands if v not in seen]
            seen.update(op.operands)


def _between(first: LoopOp, second: LoopOp) -> list[Operation] | MissedReason:
    """Return the operations between two loops, or why none may move."""
    found: list[Operation] = []
    op = first.next_op
    while op is not None and op is not second:
        if len(found) == MAX_DISTANCE:
            return MissedReason(
                f"more than {MAX_DISTANCE} operations are between them", {"limit": MAX_DISTANCE}
            )
        found.append(op)
        op = op.next_op
    if op is None:
        return MissedReason("it does not stand behind the other loop in one block")
    if not all(map(is_side_effect_free, found)):
        return MissedReason("an operation with effects is between them")
    return found


class _Needed:
    """Dependence of the operations between two loops on the first one."""

    def __init__(self, first: LoopOp, between: Sequence[Operation]) -> None:
        self._dependent: set[Operation] = {first}
        self._reads: dict[Operation, list[SSAValue]] = {}
        known: dict[Operation, list[SSAValue]] = {}
        for op in between:
            self._reads[op] = [*op.operands, *captured(op, known)]
            if any(v.owner in self._dependent for v in self._reads[op]):
                self._dependent.add(op)

    def depends(self, value: SSAValue) -> bool:
        """Return True if a value is computed from the first loop's results."""
        return value.owner in self._dependent

    def of(self, values: Iterable[SSAValue]) -> set[Operation]:
        """Return the operations in between from which values are computed."""
        found: set[Operation] = set()
        waiting = [v.owner for v in values]
        while waiting:
            op = waiting.pop()
            if isinstance(op, Operation) and op in self._reads and op not in found:
                found.add(op)
                waiting += [v.owner for v in self._reads[op]]
        return found


def _divide(plan: FusionPlan, between: Sequence[Operation], needed: _Needed) -> MissedReason | None:
    """Divide the operations in between: some move, others stay.

    Return a reason if that is not possible.
    """
    second = plan.second
    sliced = [value for value in second.sliced if needed.depends(value)]
    others = [*second.carried, *(v for v in second.sliced if not needed.depends(v)), *captured(second, {})]
    if any(map(needed.depends, others)):
        return _DEPENDS
    for result in plan.first.concat:
        if (parts := joined_parts(result)) is not None:
            plan.parts[result] = parts
    into = {op for op in needed.of(sliced) if any(map(needed.depends, op.operands))}
    for op in between:
        if op in into:
            if (parts := _parts_of(op, plan.parts, needed)) is None:
                return _DEPENDS
            plan.parts[op.results[0]] = parts
            plan.middle.append(op)
    for value, cut in zip(second.sliced, second.slicings):
        if needed.depends(value):
            parts, type_ = plan.parts.get(value), value.type
            ranked = isinstance(type_, TensorType)
            if parts is None or not ranked or not parts.are_cut_by(cut, len(type_.get_shape())):
                return MissedReason("its slices differ from the concatenated parts")
    before = [*others, *(v for op in plan.middle for v in op.operands if not needed.depends(v))]
    moving = needed.of(before)
    plan.moving = [op for op in between if op in moving]
    if any(isinstance(op, LoopOp) for op in plan.moving):
        return MissedReason("another loop that it needs is between them")
    made = {op.results[0] for op in plan.middle}
    if not all(tensor_type_of(v).has_static_shape() for v in plan.used_elsewhere() if v in made):
        # (After no iteration the loop would join parts of other extents.)
        return MissedReason("the extents of an operation between them are not known")
    return None


def _parts_of(op: Operation, known: Mapping[SSAValue, JoinedParts], needed: _Needed) -> JoinedParts | None:
    """Return the parts of an elementwise function of joined values, or None.

    Operands that do not depend on the first loop are the same for all parts, or are cut as the result is.
    """
    if not is_elementwise(op):
        return None
    found = {known.get(v) for v in op.operands if needed.depends(v)}
    if len(found) != 1 or (parts := found.pop()) is None:
        return None
    extents = {extent_on(v, parts.axis) for v in op.operands if v in known}
    extents.add(extent_on(op.results[0], parts.axis))
    for operand in op.operands:
        if operand not in known and extent_on(operand, parts.axis) != 1:
            extents.add(extent_on(operand, parts.axis))
            if DYNAMIC_INDEX in extents:
                return None
    return parts if len(extents) == 1 else None


def _failures(ops: Sequence[Operation], inference: Inference) -> str:
    """Return the ways in which operations, or a loop's body, may fail.

    The result is `any` for any failure, `shapes` if they fail only because of shapes, and empty if they cannot fail.
    """
    found = ""
    for op in ops:
        if isinstance(op, LoopOp) and op.trip is not None and op.sliced and static_trips(op) is None:
            return "any"  # it may run beyond its slices
        for inner in walk(op):
            if inner is not op and isinstance(inner, LoopOp):
                return "any"
            if not inner.regions and not speculatable(inner, inference.fact):
                if inner.get_trait(FailsOnShapes) is None:
                    return "any"
                found = "shapes"
    return found
