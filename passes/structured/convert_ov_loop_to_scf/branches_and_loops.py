"""Lowering of `ov.if` to `scf.if`, and `ov.loop` to `scf.for` or `scf.while`.

Of a branch, only the chosen arm is evaluated; its values leave it in boundary form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.attributes import joined
from loomir.dialects.diagnostics import located
from loomir.dialects.element_types import i1, i64, tensor_type_of
from loomir.dialects.interface import BOUNDS
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import TRIP_TYPE, IfOp, LoopOp, YieldOp
from loomir.dialects.profile import hand_on
from loomir.errors import Error
from loomir.passes.structured.convert_ov_loop_to_scf.boundary import (
    Boundaries,
    Bounds,
    boundary_types,
    bounds_attr,
    ranked,
    with_dims,
)
from loomir.passes.structured.convert_ov_loop_to_scf.first_extents import FirstExtents
from loomir.passes.structured.convert_ov_loop_to_scf.slices import ConcatAccumulator, SlicedInput
from loomir.passes.structured.lib.builder import INDEX, Extent


def convert_if(op: IfOp, low: Boundaries, convert_block: Callable[[Block], None]) -> None:
    """Replace an `ov.if` (the cursor is before it).

    `convert_block` converts the contents of a branch.

    ```mlir
    %r = ov.if %c -> (tensor<?xf32>) {
      ov.yield %a : tensor<2xf32>
    } else {
      ov.yield %b : tensor<3xf32>
    }
    ```
    becomes
    ```mlir
    %r:2 = scf.if %s -> (tensor<3xf32>, index) {
      %e = tensor.empty() : tensor<3xf32>
      %f = tensor.insert_slice %a into %e[0] [2] [1] : tensor<2xf32> into tensor<3xf32>
      scf.yield %f, %c2 : tensor<3xf32>, index
    } else {
      scf.yield %b, %c3 : tensor<3xf32>, index
    }
    ```
    """
    known = constant_bool(op.cond)
    if known is not None:
        _inline(op, op.then_region.block if known else op.else_region.block, convert_block)
        return
    condition = low.scalar(op.cond)
    old_yields = (op.then_yield, op.else_yield)
    types = [ranked(r) for r in op.output]
    blocks = (Block(), Block())
    for block, region in zip(blocks, (op.then_region, op.else_region)):
        Rewriter.inline_block(region.block, InsertPoint.at_end(block))
        convert_block(block)
    # The branches' own bounds are known once what is inside them has been converted.
    bounds = [
        joined(low.bounds(r), *(low.bounds(y.values[k]) for y in old_yields)) for k, r in enumerate(op.output)
    ]
    for block, old in zip(blocks, old_yields):
        with low.at(block), low.located(old.location):
            values = [v for o, t, b in zip(old.values, types, bounds) for v in low.boundary(o, t, b)]
            Rewriter.erase_op(old)
            low.insert(scf.YieldOp(*values))
    flat = [t for type_, b in zip(types, bounds) for t in boundary_types(type_, b)]
    new = low.insert(scf.IfOp(condition, flat, Region(blocks[0]), Region(blocks[1])))
    hand_on(op, new)
    results = iter(new.results)
    for old_result, type_, b in zip(op.output, types, bounds):
        values = [next(results) for _ in boundary_types(type_, b)]
        values[0].name_hint = old_result.name_hint
        low.bind(old_result, type_, values, b)


def _inline(op: IfOp, branch: Block, convert_block: Callable[[Block], None]) -> None:
    """Inline the one branch that runs in place of the `ov.if`."""
    convert_block(branch)
    end = branch.last_op
    assert isinstance(end, YieldOp)
    for result, value in zip(op.output, end.values):
        result.replace_all_uses_with(value)
    Rewriter.erase_op(end)
    Rewriter.inline_block(branch, InsertPoint.before(op))


def constant_bool(value: SSAValue) -> bool | None:
    """The condition where an `ov.constant` gives it."""
    owner = value.owner
    return bool(owner.array.reshape(())) if isinstance(owner, ConstantOp) else None


NO_LIMIT = (1 << 63) - 1


@dataclass
class Slot:
    """Carried or last value of a loop: its storage type and bounds."""

    type: TensorType
    bounds: Bounds

    @property
    def width(self) -> int:
        return len(boundary_types(self.type, self.bounds))


def convert_loop(
    op: LoopOp, low: Boundaries, convert_block: Callable[[Block], None], max_iterations: int | None = None
) -> None:
    """Replace an `ov.loop` (the cursor is before it).

    `convert_block` converts the contents of the body.

    With `max_iterations`, a single run of the loop that exceeds this number fails an assert.
    """
    try:
        _Loop(op, low, convert_block, max_iterations).convert()
    except Error as error:
        raise located(error, op) from None


class _Loop:
    def __init__(
        self,
        op: LoopOp,
        low: Boundaries,
        convert_block: Callable[[Block], None],
        max_iterations: int | None,
    ) -> None:
        self.op, self.low, self.convert_block = op, low, convert_block
        self.max_iterations = max_iterations
        self.next = op.next
        # scf.for where only the trip count ends the loop: no condition in the body, or one that is always
        # true.
        self.counted = self.next.cond is None or constant_bool(self.next.cond) is True

    def convert(self) -> None:
        low, op = self.low, self.op
        self.slices = [SlicedInput.of(low, v, cut) for v, cut in zip(op.sliced, op.slicings)]
        limit, most = self._limit()
        start = self._initial_condition()
        if self.counted:
            limit = low.select(start, limit, 0)
        # A body that stops after its first iteration at the latest has a condition that is constant, too.
        self._check_slices_before(limit)
        if (isinstance(limit, int) and limit == 0) or start is False:
            self._bind_no_iterations()
            return

        sure = start is True and isinstance(limit, int) and limit > 0
        # What surely runs overwrites what it begins with.
        first = FirstExtents(low, op, self.slices, [] if sure else [*self.next.last, *self.next.concat])
        firsts = [first.of(value) for value in (*self.next.last, *self.next.concat)]
        body = Block(arg_types=[INDEX, *([] if self.counted else [i1])])
        iteration = body.args[0]
        self._check_iterations(body, limit)
        carried = self._carried_slots()
        self._bind_arguments(body, iteration, carried)
        Rewriter.inline_block(op.body.block, InsertPoint.at_end(body))
        self.convert_block(body)
        # Only now the bounds of all values in the body are known: the slots are as large as what they take.
        lasts = [
            Slot(ranked(r), joined(low.bounds(r), low.bounds(v))) for r, v in zip(op.last, self.next.last)
        ]
        trips = limit if self.counted and limit != NO_LIMIT else None
        outputs = [
            ConcatAccumulator.of(low, r, v, cut, trips, most)
            for r, v, cut in zip(op.concat, self.next.concat, op.concatenations)
        ]
        slots = [*carried, *lasts]
        types = [t for s in slots for t in boundary_types(s.type, s.bounds)] + [
            t for o in outputs for t in o.types
        ]
        base = len(body.args) - sum(s.width for s in carried)
        for t in types[sum(s.width for s in carried) :]:
            body.insert_arg(t, len(body.args))
        if self.counted:
            for output in outputs:
                output.check_before(low, limit)
        inits = [v for value, s in zip(op.carried, carried) for v in low.boundary(value, s.type, s.bounds)]
        inits += [
            v
            for s, extents in zip(lasts, firsts)
            for v in low.zeros(s.type, s.bounds, extents, undefined=sure)
        ]
        inits += [v for o, extents in zip(outputs, firsts[len(lasts) :]) for v in o.initial(low, extents)]

        with low.at(body), low.located(self.next.location):
            values = [
                v
                for value, s in zip([*self.next.carried, *self.next.last], slots)
                for v in low.boundary(value, s.type, s.bounds)
            ]
            position = base + len(values)
            for value, output in zip(self.next.concat, outputs):
                state = body.args[position : position + len(output.types)]
                values += output.insert(low, state, value, iteration, checked=self.counted)
                position += len(output.types)
            condition = None if self.counted or self.next.cond is None else low.scalar(self.next.cond)
            Rewriter.erase_op(self.next)
        if condition is None:
            results, iterations = self._emit_for(body, limit, inits, values)
        else:
            results, iterations = self._emit_while(body, limit, start, condition, inits, values)

        ends = [0, *accumulate([*(s.width for s in slots), *(len(o.types) for o in outputs)])]
        groups = [results[a:b] for a, b in pairwise(ends)]
        for old, slot, group in zip([*op.final, *op.last], slots, groups):
            group[0].name_hint = old.name_hint
            low.bind(old, slot.type, group, slot.bounds)
        for output, group in zip(outputs, groups[len(slots) :]):
            group[0].name_hint = output.result.name_hint
            output.finish(low, group, iterations)

    def _bind_no_iterations(self) -> None:
        """Bind the results of a loop whose body never runs.

        The body may not even be valid for the existing values: carried values stay, the rest is empty.
        """
        low, op = self.low, self.op
        for initial, result in zip(op.carried, op.final):
            type_, bounds = ranked(initial), low.bounds(initial)
            low.bind(result, type_, low.boundary(initial, type_, bounds), bounds)
        first = FirstExtents(low, op, self.slices, [*self.next.last, *self.next.concat])
        for result, value in zip(op.last, self.next.last):
            type_, bounds = ranked(result), low.bounds(result)
            low.bind(result, type_, low.zeros(type_, bounds, first.of(value)), bounds)
        for result, value, cut in zip(op.concat, self.next.concat, op.concatenations):
            dims = first.of(value)
            axis = cut.normalised_axis(len(dims))
            dims[axis] = 0
            type_ = with_dims(ranked(result), [d if isinstance(d, int) else DYNAMIC_INDEX for d in dims])
            bounds = [d if isinstance(d, int) else b for d, b in zip(dims, low.bounds(result))]
            low.bind(result, type_, low.zeros(type_, bounds, dims, undefined=True), bounds)

    # -- how often

    def _limit(self) -> tuple[Extent, int | None]:
        """Return the trips that trip count and slices allow, and their maximum."""
        low, op = self.low, self.op
        by_slices: Extent | None = None
        most: int | None = None
        for s in self.slices:
            by_slices = s.trips if by_slices is None else low.min(by_slices, s.trips)
            most = s.most if most is None else min(most, s.most)
        unlimited: Extent = NO_LIMIT if by_slices is None else by_slices
        if op.trip is None:
            return unlimited, most
        known = constant_int(op.trip)
        if known is not None:
            return (unlimited, most) if known < 0 else (known, known)
        trip = low.to_index(low.scalar(op.trip))
        negative = low.compare("slt", trip, 0)
        return low.select(negative, unlimited, trip), None

    def _initial_condition(self) -> bool | SSAValue:
        cond = self.op.cond
        if cond is None:
            return True
        known = constant_bool(cond)
        return self.low.scalar(cond) if known is None else known

    def _check_slices_before(self, limit: Extent) -> None:
        """Check the trip count against the slices before a counted loop.

        A trip count beyond the slices is an error when it is reached; in a counted loop, this is known at once.
        """
        if not self.counted or self.op.trip is None:
            return
        for s in self.slices:
            self.low.assert_(
                self.low.compare("sle", limit, s.trips),
                "shape: the trip count exceeds the slices of an input",
            )

    def _check_iterations(self, body: Block, limit: Extent) -> None:
        """Emit the check of the maximum number of iterations.

        Exceeding it is an error: before a counted loop, otherwise when the excess iteration is reached.
        """
        low, most = self.low, self.max_iterations
        if most is None or (isinstance(limit, int) and limit <= most):
            return
        message = f"limit: a loop runs for more than {most} iterations"
        if self.counted:
            low.assert_(low.compare("sle", limit, most), message)
            return
        with low.at(body):
            low.assert_(low.compare("slt", body.args[0], most), message)

    # -- the body

    def _carried_slots(self) -> list[Slot]:
        op, low = self.op, self.low
        slots: list[Slot] = []
        for initial, argument, final, after in zip(
            op.carried, op.carried_arguments, op.final, self.next.carried
        ):
            type_ = _slot_type(*(ranked(v) for v in (initial, argument, final, after)))
            if DYNAMIC_INDEX not in type_.get_shape():
                slots.append(Slot(type_, type_.get_shape()))
                continue
            # One place holds the initial value, each next one and the result, whose bounds cover those of
            # the next one unless the body never runs.
            held = [low.bounds(initial), low.bounds(final), low.known_bounds(after)]
            slots.append(Slot(type_, joined(*(b for b in held if b is not None))))
        return slots

    def _bind_arguments(self, body: Block, iteration: SSAValue, carried: Sequence[Slot]) -> None:
        """Bind the body's arguments, in model form, at the body's top.

        The arguments are the iteration number, the carried values and the parts.
        """
        low, op = self.low, self.op
        old = tuple(op.body.block.args)
        with low.at(body):
            if old[0].uses.get_length():
                low.bind(old[0], TRIP_TYPE, [low.from_index(iteration, i64)], ())
            for argument, slot in zip(op.carried_arguments, carried):
                values = [body.insert_arg(t, len(body.args)) for t in boundary_types(slot.type, slot.bounds)]
                values[0].name_hint = argument.name_hint
                low.bind(argument, slot.type, values, slot.bounds)
            for argument, s, source in zip(op.part_arguments, self.slices, op.sliced):
                if not self.counted and op.trip is not None:
                    low.assert_(
                        low.compare("slt", iteration, s.trips),
                        "shape: the trip count exceeds the slices of an input",
                    )
                self._bind_part(argument, s, source, iteration)

    def _bind_part(self, argument: SSAValue, s: SlicedInput, source: SSAValue, iteration: SSAValue) -> None:
        low = self.low
        view, dims = s.part(low, iteration)
        type_ = ranked(argument)
        view_type = tensor_type_of(view)
        shape = [w if w != DYNAMIC_INDEX else h for w, h in zip(type_.get_shape(), view_type.get_shape())]
        exact = [low.index(d) if w == DYNAMIC_INDEX else w for w, d in zip(shape, dims)]
        if view_type.get_shape() != tuple(shape):
            view = low.extract_slice(view, [0] * len(shape), exact, [1] * len(shape))
        of_source = low.bounds(source)
        bounds = [s.cut.part_size if k == s.axis else b for k, b in enumerate(of_source)]
        if DYNAMIC_INDEX in shape:
            assert isinstance(view.owner, Operation)
            view.owner.attributes[BOUNDS] = bounds_attr(bounds)
        view.name_hint = argument.name_hint
        low.model(argument, view, type_.element_type, exact, bounds)

    # -- the operation

    def _emit_for(
        self, body: Block, limit: Extent, inits: list[SSAValue], values: list[SSAValue]
    ) -> tuple[list[SSAValue], Extent]:
        low = self.low
        with low.at(body):
            low.insert(scf.YieldOp(*values))
        for_op = scf.ForOp(low.index(0), low.index(limit), low.index(1), inits, Region(body))
        hand_on(self.op, for_op)
        return list(low.insert(for_op).results), limit

    def _emit_while(
        self,
        body: Block,
        limit: Extent,
        start: bool | SSAValue,
        condition: SSAValue,
        inits: list[SSAValue],
        values: list[SSAValue],
    ) -> tuple[list[SSAValue], Extent]:
        """The normal form: counter and condition first, `scf.condition` forwards everything."""
        low = self.low
        state = [low.index(0), low.constant(int(start), i1) if isinstance(start, bool) else start, *inits]
        types = [v.type for v in state]
        with low.at(body):
            low.insert(scf.YieldOp(low.index(low.add(body.args[0], 1)), condition, *values))
        before = Block(arg_types=types)
        with low.at(before):
            go = before.args[1]
            if limit != NO_LIMIT:
                more = low.compare("slt", before.args[0], limit)
                assert not isinstance(more, bool)
                go = low.insert(arith.AndIOp(more, go)).result
            low.insert(scf.ConditionOp(go, *before.args))
        while_op = low.insert(scf.WhileOp(state, types, Region(before), Region(body)))
        hand_on(self.op, while_op)
        return list(while_op.results[2:]), while_op.results[0]


def _slot_type(initial: TensorType, argument: TensorType, final: TensorType, after: TensorType) -> TensorType:
    """Return the type that one place needs for all its successive values.

    Inference may know the argument and the result better than their join: a body that runs at most once only ever sees the
    initial value. An extent is static where the initial and the next value have it, or the argument and the result.
    """
    shape = [
        i if i == n else a if a == f and {i, n} <= {a, DYNAMIC_INDEX} else DYNAMIC_INDEX
        for i, a, f, n in zip(*(t.get_shape() for t in (initial, argument, final, after)), strict=True)
    ]
    return TensorType(argument.element_type, shape)


def constant_int(value: SSAValue) -> int | None:
    """The trip count where an `ov.constant` gives it."""
    owner = value.owner
    return int(owner.array.reshape(())) if isinstance(owner, ConstantOp) else None
