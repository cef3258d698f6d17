"""Lowering of Gather: a view for one index or an arithmetic progression of them, else a `linalg.generic` that
reads."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from xdsl.dialects import arith
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap

from loomir.dialects.element_types import i1
from loomir.dialects.ov.gathering import GatherOp
from loomir.passes.structured.lowering.base import Lowering, Shaped, lowers
from loomir.passes.structured.lowering.builder import Extent
from loomir.passes.structured.lowering.places import (
    constant_axes,
    coordinates,
    projection,
    read,
    require_equal,
    view,
)


@lowers(GatherOp)
def gather(op: GatherOp, low: Lowering) -> Shaped:
    """See `_Gather`."""
    x, indices = low.operand(op.data), low.operand(op.indices)
    (axis,) = constant_axes(low.operand(op.axis), x.rank, "axis")
    return _Gather(op, low, x, indices, axis).lower()


class _Gather:
    """One Gather; `extent` is that of the axis, `batches` the number of leading dimensions that belong
    together."""

    def __init__(self, op: GatherOp, low: Lowering, x: Shaped, indices: Shaped, axis: int) -> None:
        self.op, self.low, self.x, self.indices, self.axis = op, low, x, indices, axis
        self.batches = op.batches(indices.rank)
        self.extent = x.dims[axis]
        self.checked = op.checks_indices
        for i in range(self.batches):
            require_equal(low, x.dims[i], indices.dims[i], "the batches of a gather differ")

    def lower(self) -> Shaped:
        step = self._progression()
        if step is not None:
            return self._view(*step)
        if not self.indices.dims and self.checked:
            place = self._counted(self.indices.value)
            self._assert_inside(place)
            return self._view(place, 1, 1)
        if self.checked and not self._surely_inside():
            self._assert_all_inside()
        dims = self._result_dims()
        if not dims:
            return self.low.of_scalar(self._element(self.indices.value, []), self.x.element)
        return self._generic(dims)

    # -- views

    def _progression(self) -> tuple[int, int, int] | None:
        """First position, number and step where the indices are constants a, a+s, a+2s … (s > 0) inside the
        axis."""
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
        array = self.indices.array
        if array is None or not isinstance(self.extent, int):
            return False
        values = np.asarray(array).astype(object if array.dtype == np.uint64 else np.int64)
        return bool(((values >= -self.extent) & (values < self.extent)).all())

    def _counted(self, index: SSAValue) -> Extent:
        """An index as a position counted from the front (maybe outside)."""
        low = self.low
        place = low.to_index(index, unsigned=self.indices.unsigned)
        if self.indices.unsigned:
            return place
        return low.select(low.compare("slt", place, 0), low.add(place, self.extent), place)

    def _inside(self, place: Extent) -> SSAValue:
        low = self.low
        above, below = low.compare("sge", place, 0), low.compare("slt", place, self.extent)
        truth = [low.constant(v, i1) if isinstance(v, bool) else v for v in (above, below)]
        return low.insert(arith.AndIOp(truth[0], truth[1])).result

    def _assert_inside(self, place: Extent) -> None:
        self.low.assert_(self._inside(place), "index: a gather reads outside of its axis")

    def _assert_all_inside(self) -> None:
        low = self.low
        total = low.product(self.indices.dims)
        flat = low.reshape(self.indices, [total], [int(np.prod(self.indices.bounds))])
        value = flat.value  # constants are made here, not inside the loop

        def body(i: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            assert value is flat.value
            self._assert_inside(self._counted(read(low, flat, [i])))
            return carried

        low.for_(0, total, [], body)

    # -- the general case

    def _result_dims(self) -> list[Extent]:
        x, axis = self.x, self.axis
        return [*x.dims[:axis], *self.indices.dims[self.batches :], *x.dims[axis + 1 :]]

    def _element(self, index: SSAValue, at: list[SSAValue]) -> SSAValue:
        """The element that an index picks, at these coordinates of the result; zero outside unless it was
        checked."""
        low = self.low
        before = at[: self.axis]
        after = at[self.axis + self.indices.rank - self.batches :]
        place = self._counted(index)
        if self.checked or self._surely_inside():
            return read(low, self.x, [*before, place, *after])
        inside = self._inside(place)
        zero = low.constant(0, self.x.element)
        if isinstance(self.extent, int) and self.extent > 0:
            # Reading some element of the axis is cheaper than a branch.
            safe = low.select(inside, place, 0)
            element = read(low, self.x, [*before, safe, *after])
            return low.insert(arith.SelectOp(inside, element, zero)).result
        picked = low.if_(
            inside, [zero.type], lambda: [read(low, self.x, [*before, place, *after])], lambda: [zero]
        )
        return picked[0]

    def _generic(self, dims: list[Extent]) -> Shaped:
        low, rank = self.low, len(dims)
        out = low.destination(self.op.output, dims)
        own = [*range(self.batches), *range(self.axis, self.axis + self.indices.rank - self.batches)]
        if self.x.array is not None:
            _ = self.x.value  # a constant's argument is made before the body
        made = low.generic(
            [self.indices],
            [out],
            [projection(rank, own), AffineMap.identity(rank)],
            ["parallel"] * rank,
            lambda index: self._element(index, coordinates(low, rank)),
        )
        assert isinstance(made, Shaped)
        return made
