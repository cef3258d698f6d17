"""Lowerings of Gather, GatherElements, GatherND, OneHot and ReverseSequence.

Gather with one index or an arithmetic progression of indices becomes a view; otherwise it becomes a `linalg.generic`
that reads. GatherElements and GatherND become generics that read.

OneHot compares each result element's position with an index. ReverseSequence is a generic that reads data at the mirrored place.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from xdsl.dialects import arith
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i1
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.operators.constant import OneHotOp
from loomir.dialects.ov.operators.gathering import GatherElementsOp, GatherNDOp, GatherOp
from loomir.dialects.ov.operators.layout import ReverseSequenceOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.passes.structured.lib.builder import Extent
from loomir.passes.structured.lib.elements import (
    assert_all_inside,
    checked,
    computed,
    constant_axes,
    coordinates,
    counted,
    in_bounds,
    projection,
    read,
    require_equal,
    surely_inside,
    view,
)
from loomir.passes.structured.lib.lowering import Lowering, lowers
from loomir.passes.structured.lib.tensor_builder import Shaped

_OUTSIDE = "a gather reads outside of its axis"


@lowers(GatherOp)
def gather(op: GatherOp, low: Lowering) -> Shaped:
    """See `_Gather`."""
    x, indices = low.operand(op.data), low.operand(op.indices)
    (axis,) = constant_axes(low.operand(op.axis), x.rank, "axis")
    return _Gather(op, low, x, indices, axis).lower()


class _Gather:
    """Lowering of one Gather.

    `extent` is that of the axis; `batches` is the number of leading dimensions that belong together.
    """

    def __init__(self, op: GatherOp, low: Lowering, x: Shaped, indices: Shaped, axis: int) -> None:
        self.op, self.low, self.x, self.indices, self.axis = op, low, x, indices, axis
        self.batches = op.batches(indices.rank)
        self.extent = x.dims[axis]
        self.checked = op.checks_indices

    def lower(self) -> Shaped:
        step = self._progression()
        if step is not None:
            return self._view(*step)
        if not self.indices.dims and self.checked:
            place = checked(
                self.low, self.indices.value, self.extent, _OUTSIDE, unsigned=self.indices.unsigned
            )
            return self._view(place, 1, 1)
        if self.checked:
            assert_all_inside(self.low, self.indices, [self.extent], _OUTSIDE)
        dims = self._result_dims()
        if not dims:
            return self.low.of_scalar(self._element(self.indices.value, []), self.x.element)
        return self._generic(dims)

    # -- views

    def _progression(self) -> tuple[int, int, int] | None:
        """Return first position, count and step of constant indices, or None.

        The indices must be constants a, a+s, a+2s … (s > 0) inside the axis.
        """
        array = self.indices.array
        if array is None or self.batches or not self._surely_inside() or not array.size or array.ndim > 1:
            return None
        assert isinstance(self.extent, int)
        places = [int(v) % self.extent for v in np.asarray(array).reshape(-1)]
        steps = {b - a for a, b in pairwise(places)} or {1}
        step = steps.pop()
        return (places[0], len(places), step) if not steps and step > 0 else None

    def _view(self, first: Extent, count: int, step: int) -> Shaped:
        x, axis = self.x, self.axis
        offsets: list[Extent] = [0] * x.rank
        offsets[axis] = first
        sizes: list[Extent] = list(x.dims)
        sizes[axis] = count
        strides: list[Extent] = [1] * x.rank
        strides[axis] = step
        if x.rank == 1 and not self.indices.dims:
            return self.low.of_scalar(self.low.extract(x, [first]), x.element)
        part = self.low.slice(x, offsets, sizes, strides)
        if self.indices.dims:
            return view(self.low, part)
        dims = [*part.dims[:axis], *part.dims[axis + 1 :]]
        bounds = [*part.bounds[:axis], *part.bounds[axis + 1 :]]
        return view(self.low, self.low.reshape(part, dims, bounds))

    # -- indices

    def _surely_inside(self) -> bool:
        return surely_inside(self.indices.array, self.extent)

    def _counted(self, index: SSAValue) -> Extent:
        return counted(self.low, index, self.extent, unsigned=self.indices.unsigned)

    # -- the general case

    def _result_dims(self) -> list[Extent]:
        x, axis = self.x, self.axis
        return [*x.dims[:axis], *self.indices.dims[self.batches :], *x.dims[axis + 1 :]]

    def _element(self, index: SSAValue, at: list[SSAValue]) -> SSAValue:
        """Return the element that an index selects at these result coordinates.

        An index out of bounds selects zero, unless the indices were checked.
        """
        low = self.low
        before = at[: self.axis]
        after = at[self.axis + self.indices.rank - self.batches :]
        place = self._counted(index)
        if self.checked or self._surely_inside():
            return read(low, self.x, [*before, place, *after])
        within = in_bounds(low, place, self.extent)
        zero = low.constant(0, self.x.element)
        if isinstance(self.extent, int) and self.extent > 0:
            # Reading some element of the axis is cheaper than a branch.
            safe = low.select(within, place, 0)
            element = read(low, self.x, [*before, safe, *after])
            return low.insert(arith.SelectOp(within, element, zero)).result
        picked = low.if_(
            within, [zero.type], lambda: [read(low, self.x, [*before, place, *after])], lambda: [zero]
        )
        return picked[0]

    def _generic(self, dims: list[Extent]) -> Shaped:
        low, rank = self.low, len(dims)
        out = low.destination(self.op.output, dims)
        own = [*range(self.batches), *range(self.axis, self.axis + self.indices.rank - self.batches)]
        if self.x.array is not None:
            _ = self.x.value  # a constant's argument is made before the body
        return low.each(
            [self.indices],
            out,
            lambda index: self._element(index, coordinates(low, rank)),
            [projection(rank, own)],
        )


@lowers(GatherElementsOp)
def gather_elements(op: GatherElementsOp, low: Lowering) -> Shaped:
    """Emit a generic over the indices.

    It reads the data at its own coordinates, except along the axis.
    """
    x, indices = low.operand(op.data), low.operand(op.indices)
    axis = normalise_axis(to_int(op.axis), x.rank)
    for i in range(x.rank):
        if i != axis:
            low.assert_(low.compare("sle", indices.dims[i], x.dims[i]), "shape: more indices than data")
    assert_all_inside(low, indices, [x.dims[axis]], _OUTSIDE)
    out = low.destination(op.output, indices.dims)
    if 0 in out.dims:
        return out
    _ = x.splat or x.value  # a constant's argument is made before the body
    rank = x.rank

    def element(index: SSAValue) -> SSAValue:
        at: list[Extent] = [*coordinates(low, rank)]
        at[axis] = counted(low, index, x.dims[axis], unsigned=indices.unsigned)
        return read(low, x, at)

    return low.each([indices], out, element)


@lowers(GatherNDOp)
def gather_nd(op: GatherNDOp, low: Lowering) -> Shaped:
    """Emit a generic over the result.

    It reads a tuple of indices and then the data at these indices.
    """
    x, indices = low.operand(op.data), low.operand(op.indices)
    batches, depth = to_int(op.batch_dims, 0), indices.dims[-1]
    assert isinstance(depth, int), "a tuple of unknown length has a result of unknown rank"
    common = [_batch(low, x.dims[i], indices.dims[i]) for i in range(batches)]
    inner = x.dims[batches : batches + depth]
    if depth:
        assert_all_inside(low, indices, inner, _OUTSIDE)
    dims = [*common, *indices.dims[batches:-1], *x.dims[batches + depth :]]
    _ = x.splat or x.value
    _ = indices.splat or indices.value

    def at(place: list[SSAValue]) -> SSAValue:
        """The element of the result at these coordinates."""
        position = indices.rank - 1
        own = [0 if n == 1 and isinstance(n, int) else p for n, p in zip(x.dims[:batches], place)]
        tuple_at: list[Extent] = [
            0 if i < batches and indices.dims[i] == 1 else p for i, p in enumerate(place[:position])
        ]
        picked = [
            counted(low, read(low, indices, [*tuple_at, c]), extent, unsigned=indices.unsigned)
            for c, extent in enumerate(inner)
        ]
        return read(low, x, [*own, *picked, *place[position:]])

    if not dims:
        return low.of_scalar(at([]), x.element)
    out = low.destination(op.output, dims)
    return out if 0 in out.dims else computed(low, out, at)


def _batch(low: Lowering, a: Extent, b: Extent) -> Extent:
    """Return the extent of a batch dimension.

    Either side may have extent 1 if that is known statically; otherwise the extents must be equal.
    """
    if isinstance(a, int) and a == 1:
        return b
    if not (isinstance(b, int) and b == 1):
        require_equal(low, a, b, "the batches of a gather differ")
    return a if isinstance(a, int) or not isinstance(b, int) or b == 1 else b


@lowers(OneHotOp)
def one_hot(op: OneHotOp, low: Lowering) -> Shaped:
    """Emit a generic over the result.

    The indices are read at the coordinates of all dimensions except the new one.
    """
    indices, depth, on, off = low.operands(op)
    rank = indices.rank + 1
    axis = normalise_axis(to_int(op.axis), rank)
    (extent,) = low.ints(depth)
    extent = low.max(extent, 0)
    out = low.destination(op.output, [*indices.dims[:axis], extent, *indices.dims[axis:]])
    if 0 in out.dims:
        return out
    yes, no = (read(low, x, [0] * x.rank) for x in (on, off))

    def element(index: SSAValue) -> SSAValue:
        wanted = counted(low, index, extent, unsigned=indices.unsigned, negative=op.normalises)
        here = low.compare("eq", wanted, coordinates(low, rank)[axis])
        truth = low.constant(here, i1) if isinstance(here, bool) else here
        return low.insert(arith.SelectOp(truth, yes, no)).result

    own = projection(rank, [k for k in range(rank) if k != axis])
    return low.each([indices], out, element, [own])


@lowers(ReverseSequenceOp)
def reverse_sequence(op: ReverseSequenceOp, low: Lowering) -> Shaped:
    """Check the lengths, then emit the reversal.

    Element t is read from `length - 1 - t` if t is below the length.
    """
    x, lengths = low.operand(op.data), low.operand(op.seq_lengths)
    batch, sequence = op.axes(x.rank)
    _ = lengths.splat or lengths.value
    _ = x.splat or x.value
    limit = low.add(x.dims[sequence], 1)

    def check(i: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        length = low.to_index(read(low, lengths, [i]), unsigned=lengths.unsigned)
        low.assert_(in_bounds(low, length, limit), "index: a sequence is longer than its axis")
        return carried

    low.for_(0, lengths.dims[0], [], check)
    out = low.destination(op.output, x.dims)
    if 0 in out.dims:
        return out
    rank = x.rank

    def element(raw: SSAValue) -> SSAValue:
        at: list[Extent] = [*coordinates(low, rank)]
        length = low.to_index(raw, unsigned=lengths.unsigned)
        mirrored = low.sub(low.sub(length, 1), at[sequence])
        at[sequence] = low.select(low.compare("slt", at[sequence], length), mirrored, at[sequence])
        return read(low, x, at)

    return low.each([lengths], out, element, [projection(rank, [batch])])
