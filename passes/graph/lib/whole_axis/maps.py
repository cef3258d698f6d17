"""Operations of a body that can be done for all iterations."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from xdsl.ir import Operation, SSAValue

from loomir.dialects.diagnostics import MissedReason
from loomir.dialects.ov.canonicalization.loop_trips import Trips, trips_of
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.region_flow import captured
from loomir.dialects.speculation import MayFail, speculatable
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.inference import Inference
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.analysis.inference.state import is_unbounded
from loomir.passes.graph.lib.whole_axis.rules import varies
from loomir.passes.graph.lib.whole_axis.table import emit, rule_of
from loomir.passes.graph.lib.whole_axis.values import WholeAxis, can_be_sliced

Stays = Callable[[Operation], bool]


def reads(op: Operation) -> list[SSAValue]:
    """Return what an operation reads, in its regions too."""
    return [*op.operands, *(captured(op, {}) if op.regions else ())]


def trips_for_all(loop: LoopOp) -> Trips | MissedReason:
    """Return the trip count of a loop that no condition ends.

    If there is none, return the reason.
    """
    trips = trips_of(loop)
    if trips is None:
        return MissedReason("a condition may end it, or its trip count is not known")
    if trips.static == 0:
        return MissedReason("it has no iteration")
    axes = {(value, cut.axis) for value, cut in zip(loop.sliced, loop.slicings)}
    if trips.static is None and len(axes) > 1 and any(cut.stride < 0 for cut in loop.slicings):
        return MissedReason("it slices inputs backwards whose extents may differ")
    return trips


def may_stop(op: Operation, inference: Inference) -> bool:
    """Return True if an operation may stop the program, or never end."""
    if isinstance(op, LoopOp):
        return trips_of(op) is None or any(may_stop(inner, inference) for inner in op.body.block.ops)
    return not speculatable(op, inference.fact)


def may_fail_at_once(loop: LoopOp, inference: Inference) -> bool:
    """Return True if operations may fail for all iterations at once.

    What is done for all iterations fails if that of one iteration does, so the loop must come that far: nothing in it may be endless.
    Slices bound its trip count, or it has a bound before the program runs: it is an extent of whole tensors.
    """
    bounded = loop.trip is None or not is_unbounded(trip_bounds(loop, inference))
    return bounded and not any(
        may_stop(op, inference) and op.get_trait(MayFail) is None
        for op in walk(loop.body)
        if not op.regions or isinstance(op, LoopOp)
    )


Node = TypeVar("Node", bound=Hashable)


def in_order(
    nodes: Iterable[Node],
    needs: Callable[[Node], set[SSAValue]],
    gives: Callable[[Node], Sequence[SSAValue]],
) -> tuple[dict[Node, int], dict[SSAValue, Node]]:
    """Return the nodes whose needs nodes before them give, with their places.

    The second result has the node that gives each value.
    """
    order: dict[Node, int] = {}
    maker: dict[SSAValue, Node] = {}
    missing: dict[Node, set[SSAValue]] = {}
    readers: dict[SSAValue, list[Node]] = {}
    ready: list[Node] = []
    for node in nodes:
        missing[node] = needs(node)
        for value in missing[node]:
            readers.setdefault(value, []).append(node)
        if not missing[node]:
            ready.append(node)
    for node in ready:  # grows
        order[node] = len(order)
        for value in gives(node):
            maker[value] = node
            for reader in readers.get(value, ()):
                missing[reader].discard(value)
                if not missing[reader]:
                    ready.append(reader)
    return order, maker


class Maps:
    """Values of a body that are computed for all iterations at once.

    `sources` are slices and iteration numbers; `order` has the operations that are computed of them and of values from outside, each
    behind those that it reads, with its place. `stays` says which operations cannot be among them.
    """

    def __init__(self, loop: LoopOp, trips: Trips, stays: Stays) -> None:
        self.loop, self.trips = loop, trips
        self.operations = [
            o for o in loop.body.block.ops if o is not loop.next and not isinstance(o, ConstantOp)
        ]
        self.fixed = {op for op in self.operations if not is_side_effect_free(op) or stays(op)}
        self.sources = {loop.iteration}
        for argument, value, cut in zip(loop.part_arguments, loop.sliced, loop.slicings):
            if can_be_sliced(value, cut, trips):
                self.sources.add(argument)
        self.order, self.maker = in_order(
            [op for op in self.operations if op not in self.fixed and rule_of(op, loop) is not None],
            lambda op: {v for v in self.reads(op) if v not in self.sources and varies(v, loop)},
            self.results,
        )

    def reads(self, op: Operation) -> Sequence[SSAValue]:
        """Return what an operation is computed of, for all iterations."""
        return reads(op)

    def results(self, op: Operation) -> Sequence[SSAValue]:
        """Return what an operation gives, for all iterations."""
        return op.results

    def is_known(self, value: SSAValue) -> bool:
        """Return True if a value can be there for all iterations."""
        return value in self.sources or value in self.maker

    def closure(self, values: Iterable[SSAValue]) -> set[Operation]:
        """Return the operations from which values are computed."""
        found: set[Operation] = set()
        waiting = list(values)
        while waiting:
            op = self.maker.get(waiting.pop())
            if op is not None and op not in found:
                found.add(op)
                waiting += self.reads(op)
        return found

    def emit(self, values: Iterable[SSAValue], axis: WholeAxis) -> None:
        """Emit known values for all iterations, with what they are computed of."""
        wanted = list(values)
        needed = sorted(self.closure(wanted), key=self.order.__getitem__)
        axis.add_sources({*wanted, *(v for op in needed for v in self.reads(op))} - axis.values.keys())
        for op in needed:
            if any(v not in axis.values for v in self.results(op)):
                self.emit_one(op, axis)

    def emit_one(self, op: Operation, axis: WholeAxis) -> None:
        """Emit an operation for all iterations."""
        emit(op, axis)
