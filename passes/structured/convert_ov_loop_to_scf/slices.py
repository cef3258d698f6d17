"""Sliced inputs of `ov.loop`: the number of parts, and a part's view."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from loomir.dialects.ov.facts import Dim
from loomir.dialects.ov.loop_slices import Slicing
from loomir.passes.structured.convert_ov_loop_to_scf.boundary import Boundaries, ranked
from loomir.passes.structured.lowering.builder import Extent


@dataclass
class SlicedInput:
    """One sliced input, looked at from outside the loop.

    `begin` is where the first part begins, `trips` how many parts there are, `most` the largest such number.
    """

    source: SSAValue
    cut: Slicing
    axis: int
    dims: list[Extent]
    begin: Extent
    trips: Extent
    most: int

    @staticmethod
    def of(low: Boundaries, source: SSAValue, cut: Slicing) -> SlicedInput:
        """Emit the computations before the loop.

        Errors: `loop-axis`, `loop-stride`, `loop-range`, `loop-part-size`; at run time, for a dynamic axis, `shape:`.
        """
        type_ = ranked(source)
        axis = cut.normalised_axis(len(type_.get_shape()))
        dims = low.dims(source)
        extent = dims[axis]
        bound = low.bounds(source)[axis]
        shaped = low.signless(source)
        if isinstance(extent, int):
            trips = cut.trips(extent)
            begin = cut.offset(extent, 0)
            return SlicedInput(shaped, cut, axis, dims, begin, trips, trips)
        # The checks of the attributes alone do not depend on the extent.
        cut.trips(_fitting_extent(cut))
        begin, length = _range(low, cut, extent)
        whole = (cut.start, cut.end) == ((0, -1) if cut.stride > 0 else (-1, 0))
        if not whole:
            low.assert_(low.compare("sge", length, 0), "shape: the range of a sliced input does not fit it")
        step = abs(cut.stride)
        low.assert_(
            low.compare("eq", low.rem(length, step), 0),
            f"shape: {step} does not divide the elements of a sliced input",
        )
        first = begin if cut.stride > 0 else low.sub(begin, cut.part_size)
        most = cut.trip_bounds(Dim(0, bound)).hi
        assert most is not None
        return SlicedInput(shaped, cut, axis, dims, first, low.floordiv(length, step), most)

    def part(self, low: Boundaries, iteration: Extent) -> tuple[SSAValue, list[Extent]]:
        """The part that an iteration sees, a view, and its extents."""
        rank = len(self.dims)
        offsets: list[Extent] = [0] * rank
        distance = low.mul(iteration, abs(self.cut.stride))
        move = low.add if self.cut.stride > 0 else low.sub
        offsets[self.axis] = move(self.begin, distance)
        sizes = [*self.dims[: self.axis], self.cut.part_size, *self.dims[self.axis + 1 :]]
        return low.extract_slice(self.source, offsets, sizes, [1] * rank), sizes


def _range(low: Boundaries, cut: Slicing, extent: SSAValue) -> tuple[Extent, Extent]:
    """Return the beginning and the length of a range.

    The extent of the axis is known at run time.
    """

    def position(k: int) -> Extent:
        return low.add(extent, k + 1) if k < 0 else k

    begin, end = position(cut.start), position(cut.end)
    for place in (cut.start, cut.end):
        if place in (0, -1):
            continue  # the front and the back of any axis
        inside = low.compare("sle", place, extent) if place > 0 else low.compare("sge", position(place), 0)
        low.assert_(inside, f"shape: position {place} is outside a sliced input")
    return begin, low.sub(end, begin) if cut.stride > 0 else low.sub(begin, end)


def _fitting_extent(cut: Slicing) -> int:
    """Return an extent that the range fits, for checking the attributes.

    The stride divides the length of the range.
    """
    reach = max(abs(cut.start), abs(cut.end)) + 1
    return (
        reach
        if not cut.stride
        else next(
            (e for e in range(reach, reach + abs(cut.stride)) if _length(cut, e) % abs(cut.stride) == 0),
            reach,
        )
    )


def _length(cut: Slicing, extent: int) -> int:
    begin = cut.start + extent + 1 if cut.start < 0 else cut.start
    end = cut.end + extent + 1 if cut.end < 0 else cut.end
    return end - begin if cut.stride > 0 else begin - end
