"""The pass `ov-loop-unroll`: loops with a static trip count become copies of their bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType, UnrankedTensorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from loomir.dialects.ov.canonicalization.loops import static_trips
from loomir.dialects.ov.constant import ConstantOp
from loomir.dialects.ov.control_flow import TRIP_TYPE, LoopOp, NextOp
from loomir.dialects.ov.elementwise_binary import AddOp, MultiplyOp
from loomir.dialects.ov.joining import ConcatOp
from loomir.dialects.ov.loop_slices import Slicing
from loomir.dialects.ov.slicing import SliceOp
from loomir.errors import Error
from loomir.passes.analysis.inference import infer
from loomir.passes.analysis.remarks import Remarks
from loomir.passes.graph.ov_infer import write_types


@dataclass(frozen=True)
class OvLoopUnrollPass(ModulePass):
    """Unroll every `ov.loop` that surely runs a static number of times, completely or by a factor.

    ```mlir
    %r = ov.loop trip(%two) carried(%a) {                      // before
    ^bb0(%i: tensor<i64>, %x: tensor<4xf32>):
      %y = ov.add %x, %b
      ov.next carried(%y)
    }
    %y0 = ov.add %a, %b                                        // after
    %r = ov.add %y0, %b
    ```

    Loops of at most `max-trips` iterations are unrolled completely. With `factor=k > 1` longer ones become a loop whose
    body is k copies, with the remaining trips behind it. Loops whose body has a condition of its own may end early and are left
    alone, and so is what would make more than `max-operations` operations. Inner loops first.
    """

    name = "ov-loop-unroll"

    max_trips: int = 8
    factor: int = 1
    max_operations: int = 10_000
    remarks: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.max_trips < 0 or self.factor < 1:
            raise Error(
                "bad-option", f"max-trips={self.max_trips} factor={self.factor}: max-trips ≥ 0 and factor ≥ 1"
            )
        remarks = Remarks(self.name, self.remarks)
        # Inner loops first: a body is unrolled before the loop around it copies it.
        loops = [o for o in op.walk() if isinstance(o, LoopOp)]
        for loop in sorted(loops, key=lambda o: -_depth(o)):
            self._unroll(loop, remarks)
        write_types(op, infer(op))

    def _unroll(self, loop: LoopOp, remarks: Remarks) -> None:
        if loop.cond is not None or loop.next.cond is not None:
            return remarks.missed(loop, "a condition may end it early")
        trips = static_trips(loop)
        if trips is None:
            return remarks.missed(loop, "its trip count is not known")
        if trips == 0:
            return remarks.missed(loop, "it never runs: canonicalize removes it")
        if not all(_is_static(v) for v in loop.sliced):
            return remarks.missed(loop, "a sliced input has an open extent")
        size = sum(1 for _ in loop.body.walk())
        if trips <= self.max_trips:
            if size * trips > self.max_operations:
                return remarks.missed(
                    loop, f"{trips} copies of {size} operations are more than {self.max_operations}"
                )
            _unroll_completely(loop, trips)
            return remarks.passed(loop, f"unrolled its {trips} trips")
        if self.factor == 1:
            return remarks.missed(loop, f"its {trips} trips are more than max-trips={self.max_trips}")
        if size * self.factor * 2 > self.max_operations:
            return remarks.missed(
                loop, f"{self.factor} copies of {size} operations are more than {self.max_operations}"
            )
        _unroll_by_factor(loop, trips, self.factor)
        return remarks.passed(
            loop, f"unrolled {trips} trips by {self.factor}, {trips % self.factor} left over"
        )


def _depth(op: Operation) -> int:
    depth = 0
    while (op := op.parent_op()) is not None:  # pyright: ignore[reportAssignmentType]
        depth += 1
    return depth


def _is_static(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType) and value.type.has_static_shape()


class _Copies:
    """Appends copies of a loop's body before an operation (or at a block's end), handing values from one to the next."""

    def __init__(self, loop: LoopOp, block: Block, before: Operation | None) -> None:
        self.loop = loop
        self._block = block
        self._before = before
        self.carried: list[SSAValue] = list(loop.carried)
        self.last: list[SSAValue] = []
        self.concat: list[list[SSAValue]] = [[] for _ in loop.concat]

    def add(self, op: Operation) -> Operation:
        """Append an operation with the loop's location."""
        op.location = self.loop.location
        self._insert(op)
        return op

    def constant(self, array: np.ndarray) -> SSAValue:
        """Append a constant."""
        return self.add(ConstantOp.of(array)).results[0]

    def iterate(self, number: SSAValue, parts: Sequence[SSAValue]) -> None:
        """Append one copy of the body, for the iteration with this number and these parts."""
        loop = self.loop
        mapping: dict[SSAValue, SSAValue] = dict(zip(loop.body.block.args, [number, *self.carried, *parts]))
        blocks: dict[Block, Block] = {}
        for op in loop.body.block.ops:
            if isinstance(op, NextOp):
                break
            clone = op.clone(mapping, blocks)
            self._insert(clone)
        end = loop.next
        self.carried = [mapping.get(v, v) for v in end.carried]
        self.last = [mapping.get(v, v) for v in end.last]
        for parts_of_output, value in zip(self.concat, end.concat):
            parts_of_output.append(mapping.get(value, value))

    def part(self, value: SSAValue, axis: int, begin: int, size: int) -> SSAValue:
        """Append a slice of `size` elements from `begin`."""
        assert isinstance(value.type, TensorType)
        if value.type.get_shape()[axis] == size:
            return value
        bounds = [self.constant(np.array([n], np.int64)) for n in (begin, begin + size, 1, axis)]
        return self.add(SliceOp.make(value, *bounds)).results[0]

    def joined(self, index: int) -> SSAValue:
        """Append the concatenation of an output's parts so far, in the output's order."""
        cut = self.loop.concatenations[index]
        values = self.concat[index] if cut.stride > 0 else self.concat[index][::-1]
        return self.join(values, cut)

    def join(self, values: Sequence[SSAValue], cut: Slicing) -> SSAValue:
        """Append a concatenation along the output's axis."""
        if len(values) == 1:
            return values[0]
        return self.add(ConcatOp.make(list(values), attributes={"axis": cut.axis})).results[0]

    def _insert(self, op: Operation) -> None:
        if self._before is None:
            self._block.add_op(op)
        else:
            self._block.insert_op_before(op, self._before)


def _cut_places(loop: LoopOp) -> list[tuple[SSAValue, int, Slicing, int]]:
    places: list[tuple[SSAValue, int, Slicing, int]] = []
    for value, cut in zip(loop.sliced, loop.slicings):
        assert isinstance(value.type, TensorType)
        shape = value.type.get_shape()
        axis = cut.normalised_axis(len(shape))
        places.append((value, axis, cut, shape[axis]))
    return places


def _unroll_completely(loop: LoopOp, trips: int) -> None:
    block = loop.parent
    assert block is not None
    copies = _Copies(loop, block, loop)
    for iteration in range(trips):
        parts = [
            copies.part(v, axis, cut.offset(n, iteration), cut.part_size)
            for v, axis, cut, n in _cut_places(loop)
        ]
        copies.iterate(copies.constant(np.array(iteration, np.int64)), parts)
    results = [*copies.carried, *copies.last, *(copies.joined(k) for k in range(len(loop.concat)))]
    _replace(loop, results)


def _unroll_by_factor(loop: LoopOp, trips: int, factor: int) -> None:
    """A loop over trips // factor groups, each `factor` copies of the body; what is left over comes behind it."""
    block = loop.parent
    assert block is not None
    groups = trips // factor
    outer = _Copies(loop, block, loop)
    places = _cut_places(loop)
    slices: list[Slicing] = []
    for _, axis, cut, extent in places:
        # The groups take the first `groups * factor` parts, in the direction of the original slices.
        first, beyond = cut.offset(extent, 0), cut.offset(extent, groups * factor - 1)
        size = cut.part_size * factor
        if cut.stride > 0:
            slices.append(Slicing(axis, first, beyond + cut.part_size, size, size))
        else:
            slices.append(Slicing(axis, first + cut.part_size, beyond, -size, size))
    concats = [
        Slicing(c.axis, 0, -1, c.part_size * factor, c.part_size * factor)
        if c.stride > 0
        else Slicing(c.axis, -1, 0, -c.part_size * factor, c.part_size * factor)
        for c in loop.concatenations
    ]
    body = Block(
        arg_types=[
            TRIP_TYPE,
            *(a.type for a in loop.carried_arguments),
            *(UnrankedTensorType(v.type.element_type) for v, *_ in places),  # pyright: ignore[reportAttributeAccessIssue]
        ]
    )
    for argument, (value, axis, cut, _) in zip(body.args[1 + len(loop.carried) :], places):
        assert isinstance(value.type, TensorType)
        shape = [*value.type.get_shape()]
        shape[axis] = cut.part_size * factor
        argument._type = TensorType(value.type.element_type, shape)  # pyright: ignore[reportPrivateUsage]
    inner = _Copies(loop, body, None)
    inner.carried = list(body.args[1 : 1 + len(loop.carried)])
    first = inner.add(MultiplyOp.make(body.args[0], inner.constant(np.array(factor, np.int64)))).results[0]
    for step in range(factor):
        number = first
        if step:
            number = inner.add(AddOp.make(first, inner.constant(np.array(step, np.int64)))).results[0]
        parts: list[SSAValue] = []
        for argument, (_, axis, cut, _) in zip(body.args[1 + len(loop.carried) :], places):
            position = step if cut.stride > 0 else factor - 1 - step
            parts.append(inner.part(argument, axis, position * cut.part_size, cut.part_size))
        inner.iterate(number, parts)
    inner.add(
        NextOp.build(
            operands=[[], inner.carried, inner.last, [inner.joined(k) for k in range(len(loop.concat))]]
        )
    )
    grouped = LoopOp.of(
        trip=outer.constant(np.array(groups, np.int64)),
        cond=None,
        carried=list(loop.carried),
        sliced=list(loop.sliced),
        slices=slices,
        concats=concats,
        final_types=[r.type for r in loop.final],
        last_types=[r.type for r in loop.last],
        concat_types=[UnrankedTensorType(r.type.element_type) for r in loop.concat],  # pyright: ignore[reportAttributeAccessIssue]
        body=Region(body),
    )
    outer.add(grouped)
    outer.carried, outer.last = list(grouped.final), list(grouped.last)
    for iteration in range(groups * factor, trips):
        parts = [outer.part(v, axis, cut.offset(n, iteration), cut.part_size) for v, axis, cut, n in places]
        outer.iterate(outer.constant(np.array(iteration, np.int64)), parts)
    joined: list[SSAValue] = []
    for index, cut in enumerate(loop.concatenations):
        rest = outer.concat[index]
        values = [grouped.concat[index], *rest] if cut.stride > 0 else [*rest[::-1], grouped.concat[index]]
        joined.append(outer.join(values, cut))
    _replace(loop, [*outer.carried, *outer.last, *joined])


def _replace(loop: LoopOp, values: Sequence[SSAValue]) -> None:
    for result, value in zip(loop.results, values, strict=True):
        result.replace_all_uses_with(value)
    loop.detach()
    loop.erase()
