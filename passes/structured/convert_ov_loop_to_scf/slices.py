"""Sliced inputs and concatenated outputs of `ov.loop`.

A sliced input has a number of parts, and a view of each part (`SlicedInput`).

A concatenated output is an accumulator (`ConcatAccumulator`).

Each iteration inserts its part into the accumulator. There are three layouts, chosen by what is known before the loop:

| layout | accumulator | a part goes to | after the loop |
|---|---|---|---|
| static | the result itself | its place on the axis | nothing |
| front | flat capacity, the axis outermost | `i * elements of a part` | nothing: length = iterations |
| grid | static tensor of the bounds | its place on the axis, strided | packed once into a flat capacity |

Parts with unknown extents carry them along: all iterations must agree (`shape:`). A reversed output (negative stride)
with a known number of iterations is filled from the back. Otherwise a reversed output fills the grid from the back, and
the pack moves it to the front.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import SSAValue

from loomir.dialects.element_types import signless
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.facts import Dim
from loomir.passes.structured.convert_ov_loop_to_scf.boundary import Boundaries, Bounds, ranked
from loomir.passes.structured.lib.builder import INDEX, Extent, capacity_of


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


@dataclass
class ConcatAccumulator:
    """Concatenated output of a loop.

    Its loop-carried state is the accumulator and a part's unknown extents.
    """

    result: SSAValue
    cut: Slicing
    axis: int
    part: TensorType
    bounds: Bounds
    trips: Extent | None
    most: int | None
    inner: list[int] = field(default_factory=list)

    @staticmethod
    def of(
        low: Boundaries,
        result: SSAValue,
        value: SSAValue,
        cut: Slicing,
        trips: Extent | None,
        most: int | None,
    ) -> ConcatAccumulator:
        """Create the accumulator of a concatenated output.

        `value` is the part in the body; `trips` is the number of iterations (at most `most`), if it is known before the loop.
        """
        part = ranked(value)
        shape = part.get_shape()
        axis = cut.normalised_axis(len(shape))
        declared = ranked(result).get_shape()
        if declared[axis] > 0 and shape[axis] > 0:
            trips = declared[axis] // shape[axis]
        inner = [k for k, d in enumerate(shape) if d == DYNAMIC_INDEX]
        # The parts' own bounds are known inside the body only: the result's hold for the other axes, too.
        acc = ConcatAccumulator(result, cut, axis, part, (), trips, most, inner)
        if isinstance(trips, int) and not inner:
            acc.bounds = (*shape[:axis], shape[axis] * trips, *shape[axis + 1 :])
        else:
            # Room for one part at least, even if inference knows that there will be none: the body must be valid.
            acc.bounds = tuple(max(1, b, d) for b, d in zip(low.bounds(result), shape))
        return acc

    # -- the layout

    @property
    def static(self) -> bool:
        return isinstance(self.trips, int) and not self.inner

    @property
    def front(self) -> bool:
        """True if parts are consecutive in memory in the true shape's order."""
        outer = self.part.get_shape()[: self.axis]
        known = self.cut.stride > 0 or self.trips is not None
        return not self.static and known and all(d == 1 for d in outer)

    @property
    def types(self) -> list:
        """Types of the loop-carried state."""
        element = signless(self.part.element_type)
        shape = [capacity_of(self.bounds)] if self.front else list(self.bounds)
        return [TensorType(element, shape), *(INDEX for _ in self.inner)]

    def initial(self, low: Boundaries, first: Sequence[Extent]) -> list[SSAValue]:
        """Return the state before the first iteration.

        The part of the first iteration has these extents; the contents are undefined.
        """
        return [
            low.empty(self.part.element_type, self.types[0].get_shape()),
            *(low.index(first[k]) for k in self.inner),
        ]

    # -- before and in the body

    @property
    def parts_fit(self) -> int | None:
        """Number of parts that fit into the capacity; None for no limit.

        This presumes that a part's extent on the axis is known.
        """
        size = self.part.get_shape()[self.axis]
        if self.static or size == 0:
            return None
        if size == DYNAMIC_INDEX:
            return 0
        fit = self.bounds[self.axis] // size
        return None if self.most is not None and self.most <= fit else fit

    def check_before(self, low: Boundaries, trips: Extent) -> None:
        """Refuse more iterations than fit, where they are known before the loop."""
        fit = self.parts_fit
        if fit is not None and self.part.get_shape()[self.axis] != DYNAMIC_INDEX:
            low.assert_(
                low.compare("sle", trips, fit), f"capacity: an output of the loop has room for {fit} parts"
            )

    def insert(
        self, low: Boundaries, state: Sequence[SSAValue], value: SSAValue, iteration: Extent, *, checked: bool
    ) -> list[SSAValue]:
        """Insert an iteration's part and return the new state.

        `value` is the part in model form; `checked` means that `check_before` has checked it.
        """
        dims = low.dims(value)
        part = low.signless(value)
        self._check_agreement(low, state, dims, iteration)
        size = dims[self.axis]
        offset = low.mul(iteration, size)
        if isinstance(size, int):
            fit = self.parts_fit
            if fit is not None and not checked:
                low.assert_(
                    low.compare("slt", iteration, fit),
                    f"capacity: an output of the loop has room for {fit} parts",
                )
        else:
            low.assert_(
                low.compare("sle", low.add(offset, size), self.bounds[self.axis]),
                f"capacity: axis {self.axis} of an output of the loop has room for {self.bounds[self.axis]}",
            )
        if self.cut.stride < 0:
            total = self.bounds[self.axis] if self.trips is None else low.mul(self.trips, size)
            offset = low.sub(low.sub(total, offset), size)
        if self.front:
            count = low.product(dims)
            per_row = low.product([*dims[: self.axis], *dims[self.axis + 1 :]])
            where = low.mul(offset, per_row)
            data = low.insert_slice(low.flatten(part, count), state[0], [where], [count], [1])
        else:
            offsets: list[Extent] = [0] * len(dims)
            offsets[self.axis] = offset
            data = low.insert_slice(part, state[0], offsets, dims, [1] * len(dims))
        return [data, *(low.index(dims[k]) for k in self.inner)]

    def _check_agreement(
        self, low: Boundaries, state: Sequence[SSAValue], dims: Sequence[Extent], iteration: Extent
    ) -> None:
        for k, before in zip(self.inner, state[1:]):
            first = low.compare("eq", iteration, 0)
            same = low.compare("eq", dims[k], before)
            if isinstance(first, bool) or isinstance(same, bool):
                assert same is True, "a carried extent that is a number"
                continue
            ok = low.insert(arith.OrIOp(first, same)).result
            low.assert_(ok, "shape: the parts of a concatenated output differ in shape between iterations")

    # -- after the loop

    def finish(self, low: Boundaries, state: Sequence[SSAValue], iterations: Extent) -> None:
        """Put the result in the place of the loop's."""
        dims: list[Extent] = list(self.part.get_shape())
        for k, extent in zip(self.inner, state[1:]):
            dims[k] = extent
        size = dims[self.axis]
        if self.static:
            low.bind(self.result, TensorType(self.part.element_type, self.bounds), [state[0]], self.bounds)
            return
        dims[self.axis] = low.mul(iterations, size)
        declared = ranked(self.result).get_shape()
        shape = [
            DYNAMIC_INDEX if not isinstance(d, int) or s == DYNAMIC_INDEX else d
            for s, d in zip(declared, dims)
        ]
        type_ = TensorType(self.part.element_type, shape)
        extents = [low.index(d) for s, d in zip(shape, dims) if s == DYNAMIC_INDEX]
        data = state[0] if self.front else self._pack(low, state[0], dims)
        low.bind(self.result, type_, [data, *extents], self.bounds)

    def _pack(self, low: Boundaries, grid: SSAValue, dims: Sequence[Extent]) -> SSAValue:
        """Return the used part of the grid, packed into a capacity tensor.

        The used part is contiguous at the front of that tensor.
        """
        zeros: list[Extent] = [0] * len(dims)
        offsets = list(zeros)
        if self.cut.stride < 0 and self.trips is None:
            offsets[self.axis] = low.sub(self.bounds[self.axis], dims[self.axis])
        ones = [1] * len(dims)
        used = low.extract_slice(grid, offsets, dims, ones)
        flat = low.empty(self.part.element_type, [capacity_of(self.bounds)])
        view = low.view_of_flat(flat, dims)
        packed = low.insert_slice(used, view, zeros, dims, ones)
        return low.into_flat(packed, dims, flat)
