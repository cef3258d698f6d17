"""Reductions and cumulative sums that loops compute one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.control_flow.values import DeadValues
from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.element_types import i1, i64, tensor_type_of
from loomir.dialects.ov.canonicalization.loop_trips import Trips
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.reduction import (
    CumProdOp,
    CumSumOp,
    CumulativeOp,
    ReduceLogicalAndOp,
    ReduceLogicalOrOp,
    ReduceMaxOp,
    ReduceMinOp,
    ReduceProdOp,
    ReduceSumOp,
    ReductionOp,
)
from loomir.dialects.region_flow import region_flow
from loomir.dialects.speculation import FailsOnShapes, MayFail
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.dependence import LoopDependence, dependence_of
from loomir.passes.analysis.dependence.updates import Kind, Update, may_be_exact, update_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.analysis.inference.state import bytes_at_most
from loomir.passes.graph.lib.branches import emit_branch
from loomir.passes.graph.lib.linear_recurrences import in_blocks, one_later, runs_in_blocks
from loomir.passes.graph.lib.loop_rewriting import fails_on_shapes_alone
from loomir.passes.graph.lib.whole_axis.guards import runs
from loomir.passes.graph.lib.whole_axis.maps import Maps, may_fail_at_once, may_stop, trips_for_all
from loomir.passes.graph.lib.whole_axis.rules import aligned, rebuilt, varies
from loomir.passes.graph.lib.whole_axis.shapes import run_of_gather
from loomir.passes.graph.lib.whole_axis.values import Whole, WholeAxis, can_be_joined
from loomir.passes.graph.ov_infer import retype


def reduce_loops(ctx: Context, module: ModuleOp, name: str, *, max_bytes: int, rounded: bool) -> None:
    """Compute the reductions of all loops at once, for a pass.

    If `rounded`, sums and products of floats, too. Tensors of `max_bytes` at most are computed for a loop.
    """
    analyses, remarks = analyses_of(ctx), Remarks(name)
    wanted: list[LoopOp] = []
    for loop in walk(module, region_first=True):
        if not isinstance(loop, LoopOp):
            continue
        if any(may_be_exact(c, loop, rounded=rounded) for c in region_flow(loop).carried):
            wanted.append(loop)
        else:
            remarks.missed(loop, "it carries no sum, product, maximum or the like")
    if not wanted:
        return analyses.keep_all()
    inference = analyses.get(infer, module)
    changed = [_reduce(loop, inference, remarks, max_bytes, rounded) for loop in wanted]
    if any(changed):
        rewrite(module, DeadValues(), clean_up=True)
    retype(ctx, module, changed=any(changed))


def _reduce(loop: LoopOp, inference: Inference, remarks: Remarks, max_bytes: int, rounded: bool) -> bool:
    """Compute a loop's reductions before it; return True if there are any."""
    trips = trips_for_all(loop)
    if isinstance(trips, MissedReason):
        remarks.missed(loop, trips)
        return False
    found = Reductions(loop, trips, inference, rounded)
    outputs = found.outputs()
    if not outputs:
        remarks.missed(loop, "no result is a reduction of its slices alone, or the body needs it")
        return False
    size = found.bytes(outputs)
    if size > max_bytes:
        why = f"{size} bytes to be reduced are more than max-bytes={max_bytes}"
        remarks.missed(loop, why, bytes=size, limit=max_bytes)
        return False
    found.replace_outputs(outputs)
    remarks.passed(loop, f"computed {len(outputs)} results at once", results=len(outputs))
    return True


_REDUCTIONS: dict[Kind, type[ReductionOp]] = {
    "add": ReduceSumOp,
    "multiply": ReduceProdOp,
    "maximum": ReduceMaxOp,
    "minimum": ReduceMinOp,
}
_OF_BOOLEANS: dict[Kind, type[ReductionOp]] = {"and": ReduceLogicalAndOp, "or": ReduceLogicalOrOp}
_CUMULATIVE: dict[Kind, type[CumulativeOp]] = {"add": CumSumOp, "multiply": CumProdOp}


@dataclass(frozen=True)
class Output:
    """Result of the loop that a reduction gives.

    `value` is a carried value, of which the final one is wanted, or the part that each iteration joins.
    """

    result: SSAValue
    value: SSAValue
    number: int
    joined: bool


class Reductions(Maps):
    """Reductions of one loop.

    Values of the body that are sums of all iterations before are known for all iterations, too.
    """

    def __init__(self, loop: LoopOp, trips: Trips, inference: Inference, rounded: bool) -> None:
        self.inference, self.rounded = inference, rounded
        self._axes: dict[tuple[GraphBuilder, bool], WholeAxis] = {}
        super().__init__(loop, trips, self._stays)
        self.surely = trip_bounds(loop, inference).lo >= 1

    @cached_property
    def dependence(self) -> LoopDependence:
        """Dependence of the iterations."""
        return dependence_of(self.loop)

    @cached_property
    def updates(self) -> dict[int, Update]:
        """Updates of carried values that may be grouped in another way."""
        found: dict[int, Update] = {}
        for number, following in enumerate(self.loop.next.carried):
            update = update_of(self.dependence, number)
            if update is not None and self.rounded and runs_in_blocks(update, self.trips):
                found[number] = update
            if update is None or (kind := update.reduction) is None:
                continue
            element = (
                tensor_type_of(following).element_type if isinstance(following.type, TensorType) else None
            )
            if element is not None and _operation(kind, element) and (update.is_exact or self.rounded):
                found[number] = update
        return found

    # -- which outputs

    def outputs(self) -> list[Output]:
        """Return the results that are computed at once.

        The rest of the body reads none of the carried values that they need.
        """
        loop, end = self.loop, self.loop.next
        finals = {n for n in self.updates if self._is_reduced(n)}
        joined = [
            Output(result, value, k, True)
            for k, (result, value) in enumerate(zip(loop.concat, end.concat))
            if result.first_use is not None and self._is_scan(k)
        ]
        left, kept = self._unneeded(finals, joined)
        outputs = [
            Output(loop.final[n], loop.carried_arguments[n], n, False)
            for n in sorted(left)
            if loop.final[n].first_use is not None
        ]
        return [*outputs, *kept] if self._may_move([*outputs, *kept]) else []

    def _unneeded(self, finals: set[int], joined: list[Output]) -> tuple[set[int], list[Output]]:
        """Return the candidates that the rest of the body does not read."""
        loop, end = self.loop, self.loop.next
        reads = {n: self.dependence.reads(end.carried[n]) - {n} for n in range(len(end.carried))}
        wanted = {output.number: self.dependence.reads(output.value) for output in joined}
        left = set(finals)
        roots = [
            *end.last,
            *self.dependence.effects,
            *(v for n, v in enumerate(end.carried) if n not in left),
        ]
        roots += (v for k, v in enumerate(end.concat) if k not in wanted and loop.concat[k].first_use)
        needed: set[int] = set().union(*map(self.dependence.reads, roots))
        while True:
            lost = {n for n in left if n in needed or not reads[n] <= left}
            gone = [k for k, read in wanted.items() if not read <= left - lost]
            if not lost and not gone:
                return left, [output for output in joined if output.number in wanted]
            left -= lost
            for n in lost:
                needed |= reads[n]
            for k in gone:
                needed |= wanted.pop(k)

    def _is_reduced(self, number: int) -> bool:
        """Return True if a final value is a reduction."""
        update = self.updates[number]
        is_ranked = isinstance(self.loop.final[number].type, TensorType)
        if update.reduction is None:
            return all(self.is_known(v) for v in self._read_by(number))
        return is_ranked and all(self.is_known(link.operand) for link in update.links)

    def _is_scan(self, number: int) -> bool:
        """Return True if a concatenated output joins sums of the iterations before."""
        loop, value = self.loop, self.loop.next.concat[number]
        reads = self.dependence.reads(value)
        if not reads or not reads <= self.updates.keys() or not self.is_known(value):
            return False
        return can_be_joined(value, loop.concatenations[number], self.trips)

    @cached_property
    def _scans(self) -> dict[Operation, int]:
        """Operations that combine carried values whose sums are known for all iterations.

        They are the last links of the carried values with these numbers.
        """
        return {
            update.links[-1].op: number
            for number, update in self.updates.items()
            if update.reduction is None
            or (update.reduction in _CUMULATIVE and len(update.links) == 1 and update.keeps_shape)
            if self._read_by(number)
        }

    def _read_by(self, number: int) -> list[SSAValue]:
        """Operands of an update that vary."""
        return [li.operand for li in self.updates[number].links if varies(li.operand, self.loop)]

    def reads(self, op: Operation) -> Sequence[SSAValue]:
        number = self._scans.get(op)
        return super().reads(op) if number is None else self._read_by(number)

    def results(self, op: Operation) -> Sequence[SSAValue]:
        number = self._scans.get(op)
        return op.results if number is None else [*op.results, self.loop.carried_arguments[number]]

    # -- whether they may be computed

    def _values(self, outputs: Sequence[Output]) -> list[SSAValue]:
        """Values whose joined form is computed."""
        return [
            value
            for output in outputs
            for value in (
                [output.value] if output.joined else [li.operand for li in self.updates[output.number].links]
            )
        ]

    def _operations(self, outputs: Sequence[Output]) -> Iterator[Operation]:
        """Operations of the body that are computed otherwise."""
        yield from (li.op for o in outputs if not o.joined for li in self.updates[o.number].links)
        yield from self.closure(self._values(outputs))

    def _stays(self, op: Operation) -> bool:
        """Return True if an operation may fail otherwise than in the loop."""
        if not may_stop(op, self.inference) or op.get_trait(FailsOnShapes) is not None:
            return False
        return op.get_trait(MayFail) is None or not self._fails_at_once

    @cached_property
    def _fails_at_once(self) -> bool:
        return may_fail_at_once(self.loop, self.inference)

    def _may_move(self, outputs: Sequence[Output]) -> bool:
        """Return True if outputs before the loop give the same errors."""
        if not outputs or not any(may_stop(op, self.inference) for op in self._operations(outputs)):
            return True
        if not self.surely and any(output.joined for output in outputs):
            return False
        return self._fails_at_once or fails_on_shapes_alone(self.loop, self.inference)

    def bytes(self, outputs: Sequence[Output]) -> int:
        """Return the size of what is computed of the slices, if known."""
        trips = trip_bounds(self.loop, self.inference).hi
        computed = self.closure(self._values(outputs))
        results = (v for op in computed for inner in walk(op) for v in inner.results)
        sizes = [bytes_at_most(v, self.inference) for v in results]
        # (A recurrence in blocks has products of its factors, and sums, beside the result.)
        in_blocks = (u.links[-1].op.results[0] for u in self.updates.values() if u.reduction is None)
        sizes += [bytes_at_most(v, self.inference) for v in in_blocks for _ in range(2)]
        return sum((size or 0) * (trips or 0) for size in sizes)

    # -- emission

    def emit_outputs(self, outputs: Sequence[Output], build: GraphBuilder) -> list[SSAValue]:
        """Emit the values of outputs."""
        return [(self._joined if o.joined else self._reduced)(o.number, build) for o in outputs]

    def replace_outputs(self, outputs: Sequence[Output]) -> None:
        """Compute outputs before the loop.

        They are in a branch where it may run no iteration and shapes may not fit.
        """
        build = GraphBuilder(InsertPoint.before(self.loop), self.loop.location)
        open_ = [o for o in outputs if not (o.joined or self.surely or self.updates[o.number].keeps_shape)]
        if any(may_stop(op, self.inference) for op in self._operations(outputs)):
            open_ = [] if self.surely else list(outputs)
        plain = [o for o in outputs if o not in open_]
        values = list(zip(plain, self.emit_outputs(plain, build)))
        if open_:
            values += zip(open_, self._in_branch(open_, build))
        for output, value in values:
            value.name_hint = value.name_hint or output.result.name_hint
            output.result.replace_all_uses_with(value)

    def _in_branch(self, outputs: Sequence[Output], build: GraphBuilder) -> Sequence[SSAValue]:
        """Emit final values in a branch for loops with an iteration."""
        condition = runs(self.trips, build)
        first = [self.loop.carried[o.number] for o in outputs]
        types = [output.result.type for output in outputs]
        emit = partial(self.emit_outputs, outputs)
        return emit_branch(build, condition, emit, lambda _: first, types).output

    def _reduced(self, number: int, build: GraphBuilder) -> SSAValue:
        """Emit the final value of a carried value."""
        value, update = self.loop.carried[number], self.updates[number]
        kind = update.reduction
        if kind is None:
            operands = self._read_by(number)
            axis = self._axis(build, backwards=bool(operands) and all(map(self._is_backwards, operands)))
            self.emit(operands, axis)
            return in_blocks(update, axis)[1]
        for link in update.links:
            axis = self._axis(build, backwards=self._is_backwards(link.operand))
            self.emit([link.operand], axis)
            whole = axis.values[link.operand]
            operation = _operation(kind, tensor_type_of(whole.value).element_type)
            assert operation is not None
            axes, keep = build.integers([whole.place or 0]), whole.place is not None
            reduced = build.make(operation, whole.value, axes, attributes={"keep_dims": keep})
            (value,) = rebuilt(link.op, link.ordered(value, reduced), build)
        return value

    def _joined(self, number: int, build: GraphBuilder) -> SSAValue:
        """Emit a concatenated output."""
        cut, part = self.loop.concatenations[number], self.loop.next.concat[number]
        axis = self._axis(build, backwards=cut.stride < 0)
        self.emit([part], axis)
        return axis.joined(part, cut)

    def _axis(self, build: GraphBuilder, *, backwards: bool) -> WholeAxis:
        """Return the values that a builder has emitted in one order."""
        key = build, backwards
        if key not in self._axes:
            facts = self.inference.fact
            self._axes[key] = WholeAxis(self.loop, self.trips, build, facts, backwards=backwards)
        return self._axes[key]

    def _is_backwards(self, value: SSAValue) -> bool:
        """Return True if a value is there from the last iteration on."""
        made_of = {value, *(v for op in self.closure([value]) for v in self.reads(op))}
        strides = [c.stride for a, c in zip(self.loop.part_arguments, self.loop.slicings) if a in made_of]
        runs = (run_of_gather(v.owner, self.loop, self.inference.fact) for v in made_of)
        strides += [run.stride for run in runs if run is not None]
        return bool(strides) and all(stride < 0 for stride in strides)

    def emit_one(self, op: Operation, axis: WholeAxis) -> None:
        if (number := self._scans.get(op)) is None:
            super().emit_one(op, axis)
            return
        update, first, build = self.updates[number], self.loop.carried[number], axis.build
        if update.reduction is None:
            after, before = self.results(op)
            whole, _ = in_blocks(update, axis)
            axis.values[after] = Whole(whole)
            axis.values[before] = Whole(one_later(first, whole, axis))
            return
        (link,) = update.links
        whole = axis.values[link.operand]
        for value in self.results(op):
            along = build.scalar(whole.place or 0, i64)
            attributes = {"exclusive": value is not op.results[0], "reverse": axis.backwards}
            sums = build.make(_CUMULATIVE[link.kind], whole.value, along, attributes=attributes)
            beside = WholeAxis(self.loop, self.trips, build, axis.fact_of, backwards=axis.backwards)
            beside.values[link.operand] = Whole(sums, whole.place)
            operands, place = aligned(link.ordered(first, link.operand), beside)
            axis.values[value] = Whole(rebuilt(op, operands, build)[0], place)


def _operation(kind: Kind, element: Attribute) -> type[ReductionOp] | None:
    """Return the reduction of a kind, or None."""
    return (_OF_BOOLEANS if element == i1 else _REDUCTIONS).get(kind)
