"""Plans of what leaves a loop for whole axes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from loomir.dialects.diagnostics import MissedReason
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.canonicalization.identities import is_static
from loomir.dialects.ov.canonicalization.loop_trips import Trips
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, SqueezeOp, UnsqueezeOp
from loomir.dialects.region_flow import ancestor_in
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.costs import SIMPLE
from loomir.passes.graph.lib.whole_axis.maps import Maps, Stays, reads, trips_for_all
from loomir.passes.graph.lib.whole_axis.rules import elementwise_operands, varies
from loomir.passes.graph.lib.whole_axis.table import rule_of
from loomir.passes.graph.lib.whole_axis.values import can_be_joined, shape_of

_RESHAPES = (ReshapeOp, SqueezeOp, UnsqueezeOp)
_NOTHING_PAYS = MissedReason("nothing that pays can be computed for all iterations at once")


@dataclass
class Plan:
    """Parts that leave a loop.

    - `outputs`: concatenated outputs that are computed without the loop, by their numbers;
    - `before`: operations that are done before the loop for all iterations;
    - `slices`: what the loop slices of them;
    - `behind`: operations that are done behind the loop;
    - `joins`: what the loop joins for them;
    - `stays`: True if something else keeps the loop;
    - `guard`: True if what is done before the loop needs an iteration, or an operation whose extents must fit where there is none.

    All operations are in the order of the body.
    """

    maps: Maps
    backwards: bool
    outputs: list[int] = field(default_factory=list)
    before: list[Operation] = field(default_factory=list)
    slices: list[SSAValue] = field(default_factory=list)
    behind: list[Operation] = field(default_factory=list)
    joins: list[SSAValue] = field(default_factory=list)
    stays: bool = True
    guard: OvOperation | bool = False

    @property
    def loop(self) -> LoopOp:
        """The loop."""
        return self.maps.loop

    @property
    def trips(self) -> Trips:
        """Its trip count."""
        return self.maps.trips

    @property
    def wanted(self) -> set[SSAValue]:
        """The values that operations and outputs outside of the loop read."""
        ends = [self.loop.next.concat[k] for k in self.outputs]
        return {*(v for op in (*self.before, *self.behind) for v in reads(op)), *ends}

    def buffers(self) -> list[SSAValue]:
        """Return the values that become whole tensors.

        Those that are joined anyway are not among them.

        What only an elementwise operation reads is computed with it, and a reshape takes no memory. If it broadcasts a value, the value
        is a buffer, unless it is computed from the iteration number and scalars alone.
        """
        moved = {*self.before, *self.behind}
        kept = [*self.slices, *self.joins]
        moved |= {inner for op in moved if isinstance(op, LoopOp) for inner in walk(op)}
        kept += (value for op in moved if isinstance(op, LoopOp) for value in op.next.carried)
        known, counted = set(kept), self._counted()
        for op in moved:
            for result in op.results:
                users = {use.operation for use in result.uses} & moved
                fused = len(users) == 1 and _is_fused(result, next(iter(users)), counted)
                if users and result not in known and not (fused or self._is_there(result)):
                    kept.append(result)
        return kept

    def replaced(self) -> list[SSAValue]:
        """Return the slices and joined parts that whole tensors replace.

        They are those that operations outside of the loop read and give.
        """
        wanted, behind = self.wanted, set(self.behind)
        joined = [v for k, v in enumerate(self.loop.next.concat) if k in self.outputs or v.owner in behind]
        return [*(part for part in self.loop.part_arguments if part in wanted), *joined]

    def _counted(self) -> set[SSAValue]:
        """Return what is computed from the iteration number and scalars alone."""
        found: set[SSAValue] = {self.loop.iteration}
        for op in (*self.before, *self.behind):
            of = [v for v in reads(op) if not isinstance(v.owner, ConstantOp)]
            simple = _is_elementwise(op) or isinstance(op, _RESHAPES)
            if simple and all(v in found or (not varies(v, self.loop) and _is_scalar(v)) for v in of):
                found.update(op.results)
        return found

    def _is_there(self, value: SSAValue) -> bool:
        """Return True for rows of an input in another shape."""
        while isinstance(value.owner, _RESHAPES):
            value = value.owner.operands[0]
        parts = zip(self.loop.part_arguments, self.loop.slicings)
        return any(value is part and cut.axis == 0 and cut.stride > 0 for part, cut in parts)


def _is_elementwise(op: Operation) -> bool:
    return bool(elementwise_operands(op))


def _is_scalar(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType) and not value.type.get_shape()


def _is_fused(value: SSAValue, op: Operation, counted: Collection[SSAValue]) -> bool:
    """Return True if a value that `op` alone reads needs no buffer."""
    if isinstance(op, _RESHAPES):
        return True
    return _is_elementwise(op) and (value in counted or not _broadcasts(op, value))


def _broadcasts(op: Operation, value: SSAValue) -> bool:
    """Return True if an elementwise operation reads elements more than once."""
    if not all(isinstance(v.type, TensorType) for v in (value, *op.results)):
        return False
    wide, narrow = shape_of(op.results[0]), shape_of(value)
    extents = [1] * (len(wide) - len(narrow)) + list(narrow)
    return any(extent == 1 and other != 1 for extent, other in zip(extents, wide))


def plan_of(loop: LoopOp, stays: Stays) -> Plan | MissedReason:
    """Return the parts that pay to be computed outside.

    If there are none, return the reason.

    `stays` says which operations of the body cannot leave it.
    """
    trips = trips_for_all(loop)
    if isinstance(trips, MissedReason):
        return trips
    if not loop.concat and not any(map(_is_product, loop.body.block.ops)):
        return _NOTHING_PAYS  # Rules are asked for all that is nested in a loop: not for each loop of a deep nest.
    return _Planner(loop, trips, stays).plan()


class _Planner:
    def __init__(self, loop: LoopOp, trips: Trips, stays: Stays) -> None:
        self.loop, self.trips, self.end = loop, trips, loop.next
        self.block = loop.body.block
        self.maps = Maps(loop, trips, stays)
        self.operations = self.maps.operations
        self.behind = self._behind()

    def _behind(self) -> set[Operation]:
        """Return other operations that are only computed for joined outputs."""
        first, joins = len(self.end.operands) - len(self.end.concat), self.loop.concatenations
        found: set[Operation] = set()
        for op in reversed(self.operations):
            if op in self.maps.order or op in self.maps.fixed:
                continue
            uses = [use for result in op.results for use in result.uses]
            only = all(
                use.index >= first
                and can_be_joined(use.operation.operands[use.index], joins[use.index - first], self.trips)
                if use.operation is self.end
                else ancestor_in(use.operation, self.block) in found
                for use in uses
            )
            static = all(is_static(v) for v in (*reads(op), *op.results))
            if uses and only and static and rule_of(op, self.loop) is not None:
                found.add(op)
        return found

    def _some(self, test: Callable[[Operation], bool]) -> set[Operation]:
        """Return the maps that are such operations, or depend on one."""
        found: set[Operation] = set()
        for op in self.maps.order:
            if test(op) or any(v.owner in found for v in reads(op)):
                found.add(op)
        return found

    def plan(self) -> Plan | MissedReason:
        loop = self.loop
        joined = list(zip(loop.concat, self.end.concat, loop.concatenations))
        outputs = [
            k
            for k, (result, value, join) in enumerate(joined)
            if result.first_use is not None
            and self.maps.is_known(value)
            and can_be_joined(value, join, self.trips)
        ]
        behind = [op for op in self.operations if op in self.behind]
        if not any(map(_is_product, behind)):
            behind = []
        moved = self.maps.closure(self.end.concat[k] for k in outputs)
        stays = [*loop.final, *loop.last, *(r for k, r in enumerate(loop.concat) if k not in outputs)]
        goes = all(result.first_use is None for result in stays)
        if not moved and not goes:
            outputs = []  # What is joined as it is sliced needs the loop no more than now.
        slices: list[SSAValue] = []
        moved |= self.maps.closure(v for op in behind for v in reads(op))
        if not goes:
            read = self._read_by_the_loop(outputs, behind)
            with_product = self._some(_is_product)
            moved |= self.maps.closure(v for v in read if v.owner in with_product)
            slices = self._slices(read, moved)
        if not (outputs or behind or moved):
            return _NOTHING_PAYS
        made = {r for op in behind for r in op.results}
        of_loop = [v for op in behind for v in reads(op) if varies(v, loop) and not self.maps.is_known(v)]
        cuts = [*loop.slicings, *(join for result, _, join in joined if result.first_use is not None)]
        return Plan(
            self.maps,
            bool(cuts) and all(cut.stride < 0 for cut in cuts),
            outputs,
            [op for op in self.operations if op in moved],
            slices,
            behind,
            list(dict.fromkeys(v for v in of_loop if v not in made)),
            not goes,
        )

    def _read_by_the_loop(self, outputs: Sequence[int], behind: Sequence[Operation]) -> list[SSAValue]:
        """Return the values that operations that stay read.

        The end of the body is one of them.
        """
        gone = {*self.maps.order, *behind}
        later = set(behind)
        joined = [v for k, v in enumerate(self.end.concat) if k not in outputs and v.owner not in later]
        control = [] if self.end.cond is None else [self.end.cond]
        own = [v for op in self.operations if op not in gone for v in reads(op)]
        return list(dict.fromkeys([*own, *control, *self.end.carried, *self.end.last, *joined]))

    def _slices(self, read: Iterable[SSAValue], moved: set[Operation]) -> list[SSAValue]:
        """Return the values of moved operations that the loop slices.

        What a few moves or sums give of slices is computed in the loop, too.
        """
        costly = self._some(lambda op: not isinstance(op, SIMPLE))
        found: dict[SSAValue, None] = {}
        waiting, seen = list(reversed(list(read))), set(read)
        while waiting:
            value = waiting.pop()
            op = value.owner
            if not isinstance(op, Operation) or op not in self.maps.order:
                continue
            if op in moved and op in costly:
                found[value] = None
                continue
            for v in reads(op):
                if v not in seen:
                    seen.add(v)
                    waiting.append(v)
        return list(found)


def _is_product(op: Operation) -> bool:
    return isinstance(op, MatMulOp)
