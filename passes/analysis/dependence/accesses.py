"""Parts of tensors and buffers that iterations read and write.

```mlir
%r = ov.loop trip(%n) carried(%table) sliced(%x) {slices = [#ov.slice<axis = 0, start = 2, stride = 2, part_size = 2>]} {
^bb0(%i: tensor<i64>, %t: tensor<9x4xf32>, %part: tensor<2x4xf32>):      // %part reads %x[2 · i + 2 … 2 · i + 3, :]
  %at = ov.add %i, %one
  %row = ov.gather %t, %i, %zero                                           // reads %t[i, :]
  %new = ov.scatter_update %t, %at, %row, %zero                            // writes %t[i + 1, :]
  ov.next carried(%new)
}
```

An access has a range of positions for each axis (`IndexRange`), or a reason why it has none: its index is not affine, may be negative (it
then counts from the end) or may wrap around. `distance` says in which iterations two accesses of one tensor meet. Accesses of a carried
tensor, and of what the operations of an iteration make of it, are accesses of the carried value (`root`): between iterations its elements
keep their places if its next value is only updated in place.

Read are parts of sliced inputs, `ov.slice` with a step of 1, and at one index along one axis `ov.gather`, `ov.gather_nd`,
`ov.scatter_update` and `ov.scatter_nd_update`; and in `scf.for`, `memref.load`, `memref.store`, `tensor.extract` and `tensor.insert`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import memref, scf, tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from loomir.dialects.affine_forms import AffineForm
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.integer_forms import IntegerForms
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.gathering import GatherNDOp, GatherOp
from loomir.dialects.ov.operators.scattering import ScatterNDUpdateOp, ScatterUpdateOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.dialects.region_flow import comes_from_outside, enclosing, region_flow
from loomir.dialects.scalars.integer_forms import form_of
from loomir.dialects.scalars.intervals import Interval
from loomir.dialects.scalars.row import constant_integer, constant_trips, type_range
from loomir.dialects.speculation import FactOf
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.dependence.distances import (
    Distances,
    Independent,
    IndexRange,
    LoopCounter,
    Unknown,
    distances,
)
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.analysis.inference.state import InferenceState

Scatter = ScatterUpdateOp | ScatterNDUpdateOp
"""Operations that return a tensor with rows of it updated."""

IndexedOp = GatherOp | GatherNDOp | ScatterUpdateOp | ScatterNDUpdateOp


@dataclass(frozen=True)
class Access:
    """A read or write of a part of a tensor or buffer.

    `op` is the loop itself for a part of a sliced input. `root` is the tensor or buffer: one from outside of the loop, or a carried value.
    `ranges` are the positions on each axis, or None: `reason` then says why they are unknown. `loops` are the loops around the access, the
    outermost first.
    """

    op: Operation
    value: SSAValue
    root: SSAValue
    writes: bool
    loops: tuple[LoopCounter, ...]
    ranges: tuple[IndexRange, ...] | None
    reason: str = ""


def distance(first: Access, second: Access) -> Distances | Independent | Unknown:
    """Return in which iterations two accesses meet, as differences second − first.

    Both are accesses of one loop, as `accesses_of` and `accesses_of_for` return them.
    """
    if first.root is not second.root:
        both = all(isinstance(access.root.type, TensorType) for access in (first, second))
        return Independent("they are of different tensors") if both else Unknown("two buffers may overlap")
    for access in (first, second):
        if access.ranges is None:
            return Unknown(f"{access.op.name}: {access.reason}")
    if first.loops != second.loops:
        return Unknown("they are in different loops")
    assert first.ranges is not None
    assert second.ranges is not None
    return distances(first.ranges, second.ranges, first.loops)


def accesses_of(loop: LoopOp, inference: InferenceState) -> list[Access]:
    """Return the accesses of an `ov.loop`, in the order of the program."""
    return list(_GraphAccesses(loop, inference).all())


class _GraphAccesses:
    def __init__(self, loop: LoopOp, inference: InferenceState) -> None:
        self._loop = loop
        self._inference = inference
        self._forms = IntegerForms(loop, inference.fact)
        self._counter = LoopCounter(loop.iteration, trip_bounds(loop, inference).hi)
        self._replaced = replaced_tensors(loop, self._root)

    def all(self) -> Iterator[Access]:
        for value, part, cut in zip(self._loop.sliced, self._loop.part_arguments, self._loop.slicings):
            shape = self._inference.fact(value).static
            if shape is None:
                yield self._of(self._loop, value, part, "an extent of the sliced input is unknown")
                continue
            axis = cut.normalised_axis(len(shape))
            begin = AffineForm[SSAValue].of(self._loop.iteration, cut.stride) + cut.offset(shape[axis], 0)
            yield self._of(self._loop, value, part, _along(shape, axis, begin, cut.part_size))
        for op in walk(self._loop.body):
            if isinstance(op, IndexedOp):
                value = op.output if isinstance(op, Scatter) else op.data
                yield self._of(op, op.data, value, self._at_one_index(op))
            elif isinstance(op, SliceOp):
                yield self._of(op, op.data, op.data, self._slice(op))

    def _of(
        self, op: Operation, data: SSAValue, value: SSAValue, found: tuple[IndexRange, ...] | str
    ) -> Access:
        inner = [o for o, _ in enclosing(op) if isinstance(o, LoopOp) and comes_from_inside(o, self._loop)]
        counters = [LoopCounter(o.iteration, trip_bounds(o, self._inference).hi) for o in reversed(inner)]
        root = self._root(data)
        if root in self._replaced:
            found = REPLACED
        ranges, reason = (None, found) if isinstance(found, str) else (found, "")
        writes = isinstance(op, Scatter)
        return Access(op, value, root, writes, (self._counter, *counters), ranges, reason)

    def _root(self, value: SSAValue) -> SSAValue:
        """Follow updates back to the tensor that they change."""
        *_, root = (value, *(op.data for op in updates_of(value, self._loop)))
        return root

    def _at_one_index(self, op: IndexedOp) -> tuple[IndexRange, ...] | str:
        shape, place = self._inference.fact(op.data).static, indexed_row(op, self._inference.fact)
        if isinstance(place, str):
            return place
        if shape is None:
            return "an extent is unknown"
        axis, index = place
        begin = self._position(index, shape[axis], 1)
        return begin if isinstance(begin, str) else _along(shape, axis, begin, 1)

    def _slice(self, op: SliceOp) -> tuple[IndexRange, ...] | str:
        facts = [self._inference.fact(value) for value in op.operands]
        shape, result = facts[0].static, self._inference.fact(op.output).static
        cuts = op.cuts(facts)
        if shape is None or result is None or cuts is None:
            return "an extent or an axis is unknown"
        moved = [
            axis for axis, cut in enumerate(cuts) if cut.positions is not None and result[axis] != shape[axis]
        ]
        if len(moved) != 1 or facts[1].static != (1,):
            return "it does not cut exactly one axis"
        (axis,) = moved
        cut = cuts[axis]
        if cut.positions is None or cut.positions[2] != (1, 1):
            return "its step is not 1"
        begin = self._position(op.start, shape[axis], result[axis])
        return begin if isinstance(begin, str) else _along(shape, axis, begin, result[axis])

    def _position(self, index: SSAValue, extent: int, size: int) -> AffineForm[SSAValue] | str:
        """Return the form of a position in range, or why not."""
        form = self._forms.of(index)
        if form is None:
            return "its index is not affine in the iteration number"
        known = form.interval(self._forms.interval)
        if known is None or not self._forms.is_exact(index):
            return f"its index {_shown(form)} may wrap around"
        if known[0] < 0 or known[1] > extent - size:
            return f"its index {_shown(form)} may be out of range"
        return form


def updates_of(value: SSAValue, loop: LoopOp) -> Iterator[Scatter]:
    """Yield the updates of a body that make a tensor, backwards.

    Each changes the result of the one behind it, and the last of them some other tensor.
    """
    while isinstance(op := value.owner, Scatter) and not comes_from_outside(value, loop):
        yield op
        value = op.data


def indexed_row(op: IndexedOp, fact_of: FactOf) -> tuple[int, SSAValue] | str:
    """Return the axis and the single index of an access.

    Returned is why not for an operation that has more indices.
    """
    data, indices = fact_of(op.data), fact_of(op.indices).static
    if data.rank is None or indices is None or prod(indices) != 1:
        return "the rank is unknown, or its index is not one number"
    if isinstance(op, GatherOp | GatherNDOp) and to_int(op.batch_dims, 0):
        return "it has batch dimensions"
    if isinstance(op, GatherNDOp | ScatterNDUpdateOp):
        return 0, op.indices
    axis = constant_of(op.axis)
    return (
        "the axis is unknown"
        if axis is None
        else (normalise_axis(int(axis.reshape(())), data.rank), op.indices)
    )


REPLACED = "the next value of the carried tensor is another tensor"


def replaced_tensors(loop: Operation, root: Callable[[SSAValue], SSAValue]) -> set[SSAValue]:
    """Return the carried values that are not only updated in place.

    The next iteration need not find what one has written at the same position of them.
    """
    flow = region_flow(loop)
    assert flow is not None
    return {c.arguments[-1] for c in flow.carried if root(c.following) is not c.arguments[-1]}


def comes_from_inside(op: Operation, loop: Operation) -> bool:
    """Return True if an operation is in a loop, at any depth."""
    return op is not loop and any(around is loop for around, _ in enclosing(op))


def _along(shape: Sequence[int], axis: int, begin: AffineForm[SSAValue], size: int) -> tuple[IndexRange, ...]:
    """Positions of one axis, and all of the others."""
    whole = [IndexRange(AffineForm(0), extent) for extent in shape]
    return (*whole[:axis], IndexRange(begin, size), *whole[axis + 1 :])


def _shown(form: AffineForm[SSAValue]) -> str:
    """A form with the names of its values."""
    summands = [f"{c} * {getattr(s, 'name_hint', None) or 'value'}" for s, c in form.terms]
    return " + ".join([*summands, str(form.constant)])


_READS = memref.LoadOp, tensor.ExtractOp
_WRITES = memref.StoreOp, tensor.InsertOp


def accesses_of_for(loop: scf.ForOp) -> list[Access]:
    """Return the accesses of single elements in an `scf.for`.

    Those in loops inside of it are included. Bounds and steps of the loops must be constants; the positions are those of iterations
    numbered from 0.
    """
    found: list[Access] = []
    replaced = replaced_tensors(loop, lambda value: _tensor_root(value, loop))
    for op in walk(loop.body):
        if not isinstance(op, _READS + _WRITES):
            continue
        loops = [
            o
            for o, _ in enclosing(op)
            if isinstance(o, scf.ForOp) and (o is loop or comes_from_inside(o, loop))
        ]
        loops.reverse()
        numbers = [o.body.block.args[0] for o in loops]
        counters = tuple(LoopCounter(n, constant_trips(o)) for n, o in zip(numbers, loops, strict=True))
        value = op.operands[1 if isinstance(op, _WRITES) else 0]
        root = _tensor_root(value, loop)
        ranges, reason = (None, REPLACED) if root in replaced else _element(op.indices, loop, loops)
        made = op.results[0] if op.results else value
        found.append(Access(op, made, root, isinstance(op, _WRITES), counters, ranges, reason))
    return found


def _tensor_root(value: SSAValue, loop: Operation) -> SSAValue:
    """Follow insertions back to the tensor that they change."""
    while isinstance(op := value.owner, tensor.InsertOp) and not comes_from_outside(value, loop):
        value = op.dest
    return value


def _element(
    indices: Sequence[SSAValue], outermost: scf.ForOp, loops: Sequence[scf.ForOp]
) -> tuple[tuple[IndexRange, ...] | None, str]:
    return ranges_in_for([(index, 1) for index in indices], outermost, loops)


def ranges_in_for(
    parts: Sequence[tuple[SSAValue | int, int]], outermost: scf.ForOp, loops: Sequence[scf.ForOp]
) -> tuple[tuple[IndexRange, ...] | None, str]:
    """Return the positions of a part, or why they are unknown.

    Iterations are numbered from 0. The part has a first position and a size on each axis. `loops` are those around it,
    `outermost` first; their bounds and steps must be constants.
    """
    numbers: dict[SSAValue, tuple[int, int, int]] = {}
    for loop in loops:
        lower, step, trips = constant_integer(loop.lb), constant_integer(loop.step), constant_trips(loop)
        if lower is None or step is None or trips is None:
            return None, "a bound or the step of a loop is not a constant"
        numbers[loop.body.block.args[0]] = lower, step, trips

    def interval(symbol: SSAValue) -> Interval | None:
        return (0, max(0, numbers[symbol][2] - 1)) if symbol in numbers else None

    ranges: list[IndexRange] = []
    for begin, size in parts:
        if isinstance(begin, int):
            ranges.append(IndexRange(AffineForm(begin), size))
            continue
        form = form_of(begin, exact=False)
        for number, (lower, step, _) in numbers.items():
            form = form.substitute(number, AffineForm.of(number, step) + lower)
        if any(
            symbol not in numbers and not comes_from_outside(symbol, outermost) for symbol in form.symbols()
        ):
            return None, f"its index {_shown(form)} depends on a value of the iteration"
        if not form.fits(type_range(begin.type), interval):
            return None, f"its index {_shown(form)} may wrap around"
        ranges.append(IndexRange(form, size))
    return tuple(ranges), ""
