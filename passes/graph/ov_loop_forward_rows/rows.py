"""Rows that a loop reads, and the updates that wrote them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import prod

from xdsl.ir import Operation, SSAValue

from loomir.dialects.affine_forms import AffineForm
from loomir.dialects.element_types import i64
from loomir.dialects.ov.canonicalization.loop_trips import trips_of
from loomir.dialects.ov.integer_forms import IntegerForms, integer_type
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.gathering import GatherNDOp, GatherOp
from loomir.dialects.ov.operators.scattering import ScatterNDUpdateOp
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.passes.analysis.dependence.accesses import (
    Access,
    Scatter,
    accesses_of,
    distance,
    indexed_row,
    updates_of,
)
from loomir.passes.analysis.dependence.distances import Distances, Independent
from loomir.passes.analysis.inference import Inference
from loomir.passes.analysis.inference.loops import trip_bounds

Read = GatherOp | GatherNDOp

MAX_UPDATES = 8
"""Updates of one table in an iteration that are looked at."""

MAX_STEP = 1 << 32
"""Largest step of an index that cannot wrap around.

No tensor is as long."""


@dataclass(frozen=True)
class Source:
    """Update that wrote what a read returns, some iterations before."""

    read: Read
    update: Scatter
    trips: int


@dataclass(frozen=True)
class Start:
    """Rows of a table before the loop that its first iterations read.

    `places` are the positions of what is read one, two, … iterations after the update would have written it. With `checked` there is
    one, a constant, and the program stops if it is out of range and the loop runs.
    """

    table: SSAValue
    axis: int
    places: tuple[AffineForm[SSAValue], ...]
    checked: bool


class Rows:
    """The rows that a loop reads, and the updates that wrote them."""

    def __init__(self, loop: LoopOp, inference: Inference) -> None:
        self.loop, self.inference = loop, inference
        self.forms = IntegerForms(loop, inference.fact)
        self._accesses: dict[Operation, Access] = {
            access.op: access for access in accesses_of(loop, inference) if access.op is not loop
        }

    def sources(self, max_distance: int) -> Iterator[Source]:
        """Yield the reads whose rows are known, with what wrote them."""
        for read in self._accesses:
            if not isinstance(read, Read) or read.output.first_use is None:
                continue
            source = self._source(read, max_distance)
            if source is not None and _fits(source, self.inference):
                yield source

    def _source(self, read: Read, max_distance: int) -> Source | None:
        table = read.data
        for update in islice(updates_of(table, self.loop), MAX_UPDATES):
            if self._is_at_one_place(update, read):
                return Source(read, update, 0) if _writes(update) else None
            if not self._is_apart(update, read, range(1)):
                return None
            table = update.data
        if table not in self.loop.carried_arguments:
            return None
        following = self.loop.next.carried[self.loop.carried_arguments.index(table)]
        updates = list(islice(updates_of(following, self.loop), MAX_UPDATES + 1))
        if not 0 < len(updates) <= MAX_UPDATES or updates[-1].data is not table:
            return None
        for k, update in enumerate(updates):
            trips = self._trips_between(update, read)
            if trips is None or trips > max_distance or not _writes(update):
                continue
            # Those behind it write in its own iteration, too.
            behind = all(self._is_apart(other, read, range(1, trips + 1)) for other in updates[:k])
            if behind and all(self._is_apart(other, read, range(1, trips)) for other in updates[k + 1 :]):
                return Source(read, update, trips)
        return None

    def _is_apart(self, update: Scatter, read: Read, trips: range) -> bool:
        """Return True if a read never meets an update.

        The update is any of these numbers of iterations before it."""
        if not trips:
            return True
        found = distance(self._accesses[update], self._accesses[read])
        if isinstance(found, Distances):
            low, high = found.vector[0]
            return high < trips.start or low >= trips.stop
        return isinstance(found, Independent)

    def _place(self, op: Read | Scatter) -> tuple[int, AffineForm[SSAValue]] | None:
        """Return the axis and position of a row, or None.

        The position is the one modulo 2^64.
        """
        row = indexed_row(op, self.inference.fact)
        if isinstance(row, str):
            return None
        form = self.forms.of(row[1])
        if form is None or (
            integer_type(row[1], self.inference.fact) != i64 and not self.forms.is_exact(row[1])
        ):
            return None
        return row[0], form

    def _is_at_one_place(self, update: Scatter, read: Read) -> bool:
        """Return True if both are at one place in each iteration."""
        if isinstance(read, GatherNDOp) and isinstance(update, ScatterNDUpdateOp):
            indices = self.inference.fact(read.indices).static
            one = indices is not None and prod(indices[:-1]) == 1 and read.batch_dims is None
            if one and read.indices is update.indices:
                return True
        places = self._place(update), self._place(read)
        return places[0] is not None and places[0] == places[1]

    def _trips_between(self, update: Scatter, read: Read) -> int | None:
        """Return after how many iterations a read is where an update wrote.

        It is there after no other number of iterations, or in each.
        """
        written, wanted = self._place(update), self._place(read)
        if written is None or wanted is None or written[0] != wanted[0]:
            return None
        slope, _ = written[1].split(self.loop.iteration)
        before = (written[1] - wanted[1]).number
        if before is None or slope.number is None:
            return None
        if not slope.number:
            return 1 if not before else None
        trips, rest = divmod(before, slope.number)
        if rest or trips < 1:
            return None
        accesses = self._accesses[update], self._accesses[read]
        if all(access.ranges is not None for access in accesses):
            return trips
        # Not known to be in range: what is written is, and no tensor is as long as an index that wraps around.
        first = self._before(written[1], trips).number
        return trips if first is not None and first >= 0 and 0 < slope.number <= MAX_STEP else None

    def _before(self, place: AffineForm[SSAValue], trips: int) -> AffineForm[SSAValue]:
        """Return a position so many iterations before the first one."""
        return place.substitute(self.loop.iteration, AffineForm(-trips))

    def start(self, sources: Sequence[Source]) -> Start | None:
        """Return what the first iterations read, or None.

        The result is None if it may not be there."""
        update, depth = sources[0].update, max(source.trips for source in sources)
        root = self._accesses[update].root
        table = self.loop.carried[self.loop.carried_arguments.index(root)]
        place = self._place(update)
        shape = self.inference.fact(table).shape
        if place is None or shape is None:
            return None
        axis, form = place
        places = tuple(self._before(form, trips) for trips in range(1, depth + 1))
        inside = all(
            (known := each.interval(self.forms.interval)) is not None
            and known[0] >= 0
            and known[1] < shape[axis].lo
            for each in places
        )
        if inside or self._may_be_zero(sources):
            return Start(table, axis, places, checked=False)
        first = places[0].number
        if depth > 1 or first is None or first < 0 or not self._may_be_checked(sources):
            return None
        return Start(table, axis, places, checked=True)

    def _may_be_zero(self, sources: Sequence[Source]) -> bool:
        """Return True if the reads return zeros out of range."""
        return all(
            source.trips == 1 and isinstance(source.read, GatherOp) and not source.read.checks_indices
            for source in sources
        )

    def _may_be_checked(self, sources: Sequence[Source]) -> bool:
        """Return True if a check before the loop can replace the read's.

        It is known whether the loop runs, and nothing before the read stops the program in another way.
        """
        block = self.loop.body.block
        reads = {source.read for source in sources}
        if any(isinstance(read, GatherOp) and not read.checks_indices for read in reads):
            return False
        if trip_bounds(self.loop, self.inference).lo < 1 and trips_of(self.loop) is None:
            return False
        for op in block.ops:
            if op in reads:
                return True
            if not is_side_effect_free(op) or not speculatable(op, self.inference.fact):
                return False
        return False


def _writes(update: Scatter) -> bool:
    """Return True if an update does not read what was there."""
    return not isinstance(update, ScatterNDUpdateOp) or update.joins == "none"


def index_shape(op: Read | Scatter, inference: Inference) -> tuple[int, ...]:
    """Return the extents that a row has for the index.

    All are 1."""
    shape = inference.fact(op.indices).static
    assert shape is not None
    return shape[:-1] if isinstance(op, GatherNDOp | ScatterNDUpdateOp) else shape


def _fits(source: Source, inference: Inference) -> bool:
    """Return True if the written value can replace the read."""
    written, read, table = (
        inference.fact(v) for v in (source.update.updates, source.read.output, source.update.data)
    )
    if written.shape is None or read.shape is None or table.rank is None:
        return False
    indices = inference.fact(source.update.indices).static
    assert indices is not None
    depth = indices[-1] if isinstance(source.update, ScatterNDUpdateOp) else 1
    in_place = index_shape(source.update, inference)
    # (A scalar may be updated by one element of any rank.)
    if len(written.shape) != table.rank - depth + len(in_place):
        return False
    if len(written.shape) != len(read.shape):
        return read.static is not None
    return all(w.static is not None or r.static is None for w, r in zip(written.shape, read.shape))
