"""Memory accesses of a nest's body: elements, vectors, padding, intermediate tiles.

An element that several points of a tile load is loaded once. If the elements of a vector are not adjacent in memory,
they go through a row or a small tile in which they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from xdsl.dialects import memref, scf, vector
from xdsl.dialects.builtin import MemRefType, VectorType
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Block, SSAValue

from loomir.dialects.element_types import memref_type_of
from loomir.passes.loops.lower_linalg_to_loops.access import MemRefAccess
from loomir.passes.loops.lower_linalg_to_loops.index_math import Coordinates, IndexEmitter, spread, vector_of
from loomir.passes.loops.lower_linalg_to_loops.loop_transforms import Shift, Tile, shift_of
from loomir.passes.loops.lower_linalg_to_loops.padding import Padded

ValueCache = dict[object, SSAValue]
"""Values computed for previous points, keyed by their content."""


@dataclass
class NestMemory:
    """Loads and stores a tile's points at the position of the emitter.

    `conditions` tells for each padded input whether the element is inside, as far as guards were checked. `initial` holds
    the known previous values of some outputs.
    """

    generic: GenericOp
    emitter: IndexEmitter
    coordinates: Coordinates
    accesses: Sequence[MemRefAccess | None]
    padded: dict[int, Padded]
    initial: dict[int, SSAValue]
    tile: Tile
    conditions: dict[int, bool | SSAValue] = field(default_factory=dict[int, bool | SSAValue], kw_only=True)

    def __post_init__(self) -> None:
        self.inputs = len(self.generic.inputs)
        self.arguments = self.generic.body.block.args
        self.apart: dict[MemRefAccess, dict[Shift, SSAValue]] = {}

    def _spread(self, value: SSAValue, made: ValueCache) -> SSAValue:
        return spread(value, self.tile.width, self.emitter, made)

    def _output(self, k: int) -> MemRefAccess:
        access = self.accesses[self.inputs + k]
        assert access is not None
        return access

    def _padding(self, k: int) -> Padded | None:
        return self.padded.get(self.inputs + k)

    def _indices(self, access: MemRefAccess, shift: Shift, padded: Padded | None = None) -> list[SSAValue]:
        low = (0,) * len(access.coordinates) if padded is None else padded.low
        return [
            self.emitter.index(self.coordinates.shifted(terms, low[i], shift_of(terms, shift)))
            for i, terms in enumerate(access.coordinates)
        ]

    def _load(self, access: MemRefAccess, shift: Shift, padded: Padded | None = None) -> SSAValue:
        """Load the element of a point.

        Load a vector of elements if the point moves along with the lanes.
        """
        indices, tile = self._indices(access, shift, padded), self.tile
        element = memref_type_of(access.value).element_type
        if tile.width == 1 or tile.vector is None or access.lanes(tile.vector) == 0:
            load = memref.LoadOp.create(operands=(access.value, *indices), result_types=(element,))
            return self.emitter.insert(load).results[0]
        type_ = vector_of(element, tile.width)
        assert isinstance(type_, VectorType)
        if access.lanes(tile.vector) is None:
            return self._load_apart(access, shift, type_)
        return self.emitter.insert(vector.LoadOp(access.value, indices, type_)).results[0]

    def _load_apart(self, access: MemRefAccess, shift: Shift, type_: VectorType) -> SSAValue:
        """Load a vector of non-adjacent elements through a contiguous row."""
        dim, tile = self.tile.vector, self.tile
        assert dim is not None
        row = self.emitter.allocate(MemRefType(type_.element_type, [tile.width]))
        with self._each({dim: (tile.width, 1)}, Tile()) as (lane,):
            element = memref.LoadOp.get(access.value, self._indices(access, shift))
            self.emitter.insert(memref.StoreOp.get(self.emitter.insert(element).results[0], row, [lane]))
        return self.emitter.insert(vector.LoadOp(row, [self.emitter.index(0)], type_)).results[0]

    def _store_apart(self, access: MemRefAccess, vectors: Mapping[Shift, SSAValue]) -> None:
        """Store a tile's vectors of non-adjacent elements through a contiguous tile.

        Rows are then innermost: their elements are nearer to each other.
        """
        buffer, dims = self._buffer(vectors)
        loops = {dim: (self.tile.parts[dim].step, 1) for dim in (dims[-1], *dims[:-1])}
        with self._each(loops, Tile()) as (lane, *rows):
            result = self.emitter.insert(memref.LoadOp.get(buffer, [*rows, lane])).results[0]
            self.emitter.insert(memref.StoreOp.get(result, access.value, self._indices(access, ())))

    def _buffer(self, values: Mapping[Shift, SSAValue]) -> tuple[SSAValue, list[int]]:
        """Put a tile's vectors or scalars into a buffer with contiguous rows.

        Return the buffer, and the loop of each of its dimensions.
        """
        emitter, tile = self.emitter, self.tile
        dims = [dim for dim, part in tile.parts.items() if part.step > 1 and dim != tile.columns]
        dims.append(tile.columns)
        (type_,) = {value.type for value in values.values()}
        element = type_.element_type if isinstance(type_, VectorType) else type_
        # (Scalars stay on the stack: a C compiler keeps some of them in registers.)
        allocate = emitter.allocate if tile.width > 1 else emitter.allocate_local
        buffer = allocate(MemRefType(element, [tile.parts[dim].step for dim in dims]))
        for shift, value in values.items():
            at = dict(shift)
            indices = [emitter.index(at.get(dim, 0)) for dim in dims]
            vectors = isinstance(value.type, VectorType)
            store = (
                vector.StoreOp(value, buffer, indices)
                if vectors
                else memref.StoreOp.get(value, buffer, indices)
            )
            emitter.insert(store)
        return buffer, dims

    def _flush(self) -> None:
        """Store what lies apart in memory."""
        for access, vectors in self.apart.items():
            self._store_apart(access, vectors)
        self.apart.clear()

    @contextmanager
    def _each(
        self, loops: Mapping[int, tuple[int, int]], tile_inside: Tile
    ) -> Iterator[tuple[SSAValue, ...]]:
        """Emit loops that start at the tile's first iteration, outermost first.

        `loops` holds the number of iterations and the step of each dimension. The operations emitted in this context form the
        innermost body; yield the counters of the loops.
        """
        emitter, coordinates = self.emitter, self.coordinates
        scopes, ivs, tile = coordinates.scopes, dict(coordinates.ivs), self.tile
        # Sums that were made for the first element of the tile do not hold for the others.
        coordinates.scopes, self.tile = [{}], tile_inside
        counters: list[SSAValue] = []
        with ExitStack() as stack:
            for dim, (count, step) in loops.items():
                counter = stack.enter_context(emitter.loop(0, count, step))
                coordinates.ivs[dim] = emitter.add(ivs[dim], counter)
                counters.append(emitter.index(counter))
            yield tuple(counters)
        coordinates.scopes, coordinates.ivs, self.tile = scopes, ivs, tile

    def _load_once(
        self,
        what: tuple[str, int],
        access: MemRefAccess,
        shift: Shift,
        made: ValueCache,
        padded: Padded | None = None,
    ) -> SSAValue:
        key = _place(what, access, shift)
        if key not in made:
            made[key] = self._load(access, shift, padded)
        return made[key]

    def _input(self, position: int, shift: Shift, made: ValueCache) -> SSAValue:
        access, padded = self.accesses[position], self.padded.get(position)
        if access is None:
            return self.generic.inputs[position]
        condition = True if padded is None else self.conditions[position]
        if padded is not None and condition is False:
            return padded.value
        what = ("input", position)
        if padded is None or condition is True:
            return self._load_once(what, access, shift, made, padded)
        assert isinstance(condition, SSAValue)
        key = _place(what, access, shift)
        if key not in made:
            made[key] = self._guarded(access, shift, padded, condition)
        return made[key]

    def _guarded(self, access: MemRefAccess, shift: Shift, padded: Padded, condition: SSAValue) -> SSAValue:
        """The element where the condition holds, else the padding."""
        inner, outer = Block(), Block()
        with self.emitter.at(inner), self.coordinates.in_branch():
            load = self._load(access, shift, padded)
            self.emitter.insert(scf.YieldOp(load))
        with self.emitter.at(outer):
            value = self._spread(padded.value, {}) if isinstance(load.type, VectorType) else padded.value
            self.emitter.insert(scf.YieldOp(value))
        guard = scf.IfOp(condition, [load.type], [inner], [outer])
        return self.emitter.insert(guard).results[0]

    def _output_before(self, k: int, shift: Shift, made: ValueCache) -> SSAValue:
        if k in self.initial:
            return self.initial[k]
        return self._load_once(("output", k), self._output(k), shift, made, self._padding(k))

    def _store(
        self, access: MemRefAccess, value: SSAValue, shift: Shift, padded: Padded | None = None
    ) -> None:
        if isinstance(value.type, VectorType):
            assert self.tile.vector is not None
            if access.lanes(self.tile.vector) is None:
                self.apart.setdefault(access, {})[shift] = value
                return
        indices = self._indices(access, shift, padded)
        if isinstance(value.type, VectorType):
            self.emitter.insert(vector.StoreOp(value, access.value, indices))
        else:
            self.emitter.insert(memref.StoreOp.create(operands=(value, access.value, *indices)))


def _place(what: tuple[str, int], access: MemRefAccess, shift: Shift) -> tuple[object, ...]:
    """Return a key common to all points that reach the same element."""
    return (*what, *(shift_of(terms, shift) for terms in access.coordinates))
