"""What stands in the innermost loop of a nest: the generic's body, once for each point of the tile that is open there.

What points share is there once: an element that several of them load, and an operation of the same operands. Behind the reductions the
accumulators are stored, or what the epilogue makes of them (`epilogues.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from xdsl.dialects import math, memref, scf, vector
from xdsl.dialects.builtin import AnyFloat, IntegerType, MemRefType, UnknownLoc, VectorType
from xdsl.dialects.linalg.ops import GenericOp, IndexOp, YieldOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from loomir.dialects.effects import is_side_effect_free
from loomir.dialects.scalars import SCALARS
from loomir.dialects.tensors import memref_type_of
from loomir.dialects.walking import walk
from loomir.passes.loops.lower_linalg_to_loops.access import Access
from loomir.passes.loops.lower_linalg_to_loops.coordinates import Coordinates
from loomir.passes.loops.lower_linalg_to_loops.epilogues import Epilogue
from loomir.passes.loops.lower_linalg_to_loops.gathering import gathered, gathering
from loomir.passes.loops.lower_linalg_to_loops.index_math import IndexEmitter
from loomir.passes.loops.lower_linalg_to_loops.padding import Padded
from loomir.passes.loops.lower_linalg_to_loops.parts import Part, Shift, Tile, shift_of
from loomir.passes.loops.lower_linalg_to_loops.vector_ops import on_vectors, spread, vector_of

_OPERATIONS = 96
"""The most operations in all copies of an epilogue; more come by way of memory, one copy in a loop."""

_FUNCTIONS = (math.ErfOp, math.ExpOp, math.LogOp, math.TanhOp)
_FUNCTION = 25
"""Operations that one of these becomes (`math-expand`)."""

Made = dict[object, SSAValue]
"""What the points before have made, by what it is."""


@dataclass
class NestBody:
    """Copies the body to where the emitter is.

    `conditions` says of each padded input whether the element is inside, as far as guards were checked; `carried` are the outputs
    (by number) that are accumulated in scalars or vectors; `initial` holds what some outputs are known to be before.
    """

    generic: GenericOp
    emitter: IndexEmitter
    coordinates: Coordinates
    accesses: Sequence[Access | None]
    reduced: bool
    carried: Sequence[int]
    padded: dict[int, Padded]
    initial: dict[int, SSAValue]
    epilogue: Epilogue | None
    tile: Tile
    conditions: dict[int, bool | SSAValue] = field(default_factory=dict[int, bool | SSAValue])

    def __post_init__(self) -> None:
        self.inputs = len(self.generic.inputs)
        self.arguments = self.generic.body.block.args
        self.apart: dict[Access, dict[Shift, SSAValue]] = {}

    def accumulators_before(self) -> list[SSAValue]:
        """What the accumulators of all points begin with, those of each point in turn."""
        made: Made = {}
        points = self.tile.points()
        return [
            self._spread(self._output_before(k, shift, made), made) for shift in points for k in self.carried
        ]

    def neutral_accumulators(self) -> list[SSAValue]:
        """What accumulators begin with that are gathered at the end, those of each point in turn."""
        made: Made = {}
        return [self._spread(self._neutral(k), made) for _ in self.tile.points() for k in self.carried]

    def _neutral(self, k: int) -> SSAValue:
        type_ = self.arguments[self.inputs + k].type
        row = SCALARS[type(self._gathering(k))]
        assert row.neutral is not None
        assert isinstance(type_, AnyFloat | IntegerType)
        number = row.neutral(type_)
        assert number is not None
        return self.emitter.constants.get(number, type_, self.emitter.location)

    def _gathering(self, k: int) -> Operation:
        found = gathering(self.generic)
        assert found is not None
        return found[k]

    def gather(self, results: Sequence[SSAValue], vectors: Sequence[SSAValue]) -> list[SSAValue]:
        """Each result with all lanes of its vectors, of which those of each point come in turn."""
        count = len(self.carried)
        return [
            gathered(self._gathering(k), results[number], vectors[number::count], self.emitter)
            for number, k in enumerate(self.carried)
        ]

    def copy(self, accumulators: list[SSAValue]) -> list[SSAValue]:
        """The body of all points; returns the new accumulators."""
        results: list[SSAValue] = []
        made: Made = {}
        for number, shift in enumerate(self.tile.points()):
            values: dict[SSAValue, SSAValue] = {}
            for position, argument in enumerate(self.arguments):
                if not argument.uses:
                    continue
                k = position - self.inputs
                if k < 0:
                    values[argument] = self._input(position, shift, made)
                elif self.reduced and k in self.carried:
                    values[argument] = accumulators[number * len(self.carried) + self.carried.index(k)]
                else:
                    values[argument] = self._output_before(k, shift, made)
            yielded = self._operations(self.generic.body.block, values, shift, made)
            for k, value in enumerate(yielded):
                if self.reduced and k in self.carried:
                    results.append(self._spread(value, made))
                else:
                    self._store(self._output(k), self._spread(value, made), shift, self._padding(k))
        return results

    def hand_over(self, results: list[SSAValue], *, by_row: int | None) -> None:
        """Store the accumulators, or what the epilogue makes of them.

        `by_row` is the loop of a tile of scalars. Where those lie next to each other and have no epilogue they are stored as they are.
        Else they are put in a row first, from which a loop takes them: a C compiler sees that they belong together, and the epilogue
        is there once.
        """
        points, count = self.tile.points(), len(self.carried)
        if (
            by_row is not None
            and len(points) > 1
            and not (self.epilogue is None and self._is_adjacent(by_row))
        ):
            for number, k in enumerate(self.carried):
                self._from_row(k, results[number::count], by_row)
            return
        if self.tile.width > 1 and len(points) * self._weight_of_epilogue() > _OPERATIONS:
            for number, k in enumerate(self.carried):
                self._from_tile(k, dict(zip(points, results[number::count], strict=True)))
            return
        made: Made = {}
        for number, shift in enumerate(points):
            for k, result in zip(self.carried, results[number * count :], strict=False):
                self._finish(k, result, shift, made)
        self._flush()

    def _flush(self) -> None:
        """Store what lies apart in memory."""
        for access, vectors in self.apart.items():
            self._store_apart(access, vectors)
        self.apart.clear()

    def _weight_of_epilogue(self) -> int:
        """The operations of its body; a function of the C library counts for what it is as arithmetic (`math-expand`)."""
        if self.epilogue is None:
            return 0
        ops = list(self.epilogue.generic.body.block.ops)
        return len(ops) + _FUNCTION * sum(isinstance(op, _FUNCTIONS) for op in ops)

    def _is_adjacent(self, dim: int) -> bool:
        """Whether the elements of a tile are neighbours in memory, in every output."""
        outputs = self.accesses[self.inputs :]
        return all(access is not None and access.stride(dim) == 1 for access in outputs)

    def _from_row(self, k: int, results: list[SSAValue], dim: int) -> None:
        """Store a tile's elements of one output by way of a row of their own."""
        emitter = self.emitter
        row = emitter.allocate(MemRefType(results[0].type, [len(results)]))
        for lane, result in enumerate(results):
            emitter.insert(memref.StoreOp.create(operands=(result, row, emitter.index(lane))))
        with self._each({dim: (len(results), 1)}, Tile()) as (lane,):
            result = emitter.insert(memref.LoadOp.get(row, [lane])).results[0]
            self._finish(k, result, (), {})

    def _from_tile(self, k: int, results: Mapping[Shift, SSAValue]) -> None:
        """Store a tile's vectors of one output by way of a tile of memory: the epilogue is there once, for one vector."""
        tile = self.tile
        assert tile.vector is not None
        buffer, dims = self._buffer(results)
        width = tile.width
        steps = {dim: width if dim == tile.vector else 1 for dim in dims}
        one = Tile({tile.vector: Part(0, width, 1, width)}, tile.vector)
        with self._each({dim: (tile.parts[dim].step, steps[dim]) for dim in dims}, one) as indices:
            (type_,) = {result.type for result in results.values()}
            assert isinstance(type_, VectorType)
            result = self.emitter.insert(vector.LoadOp(buffer, indices, type_)).results[0]
            self._finish(k, result, (), {})
            self._flush()

    def _buffer(self, vectors: Mapping[Shift, SSAValue]) -> tuple[SSAValue, list[int]]:
        """The vectors of a tile, in memory in which those of a row lie together; the loop that each of its dimensions stands for."""
        emitter, tile = self.emitter, self.tile
        assert tile.vector is not None
        dims = [dim for dim, part in tile.parts.items() if part.step > 1 and dim != tile.vector]
        dims.append(tile.vector)
        (type_,) = {value.type for value in vectors.values()}
        assert isinstance(type_, VectorType)
        buffer = emitter.allocate(MemRefType(type_.element_type, [tile.parts[dim].step for dim in dims]))
        for shift, value in vectors.items():
            at = dict(shift)
            emitter.insert(vector.StoreOp(value, buffer, [emitter.index(at.get(dim, 0)) for dim in dims]))
        return buffer, dims

    def _finish(self, k: int, result: SSAValue, shift: Shift, made: Made) -> None:
        """Store one accumulator, or its epilogue's results."""
        epilogue = self.epilogue
        if epilogue is None:
            self._store(self._output(k), result, shift, self._padding(k))
            return
        generic = epilogue.generic
        values: dict[SSAValue, SSAValue] = {}
        for position, (argument, access) in enumerate(zip(generic.body.block.args, epilogue.accesses)):
            if position == epilogue.position:
                values[argument] = result
            elif argument.uses and access is None:
                values[argument] = generic.operands[position]
            elif argument.uses:
                assert access is not None
                values[argument] = self._load_once(("epilogue", position), access, shift, made)
        yielded = self._operations(generic.body.block, values, shift, made)
        for value, access in zip(yielded, epilogue.accesses[len(generic.inputs) :], strict=True):
            assert access is not None
            self._store(access, self._spread(value, made), shift)

    def _operations(
        self, body: Block, values: dict[SSAValue, SSAValue], shift: Shift, made: Made
    ) -> list[SSAValue]:
        """One copy of a body's operations; returns what it yields. `values` maps its arguments, and is extended."""
        for op in body.ops:
            if isinstance(op, YieldOp):
                return [values.get(value, value) for value in op.operands]
            if isinstance(op, IndexOp):
                values[op.result] = self._iteration(op.dim.value.data, shift)
                continue
            operands = [values.get(operand, operand) for operand in op.operands]
            key = (op, *operands) if not op.regions and is_side_effect_free(op) else None
            if key is not None and (key, 0) in made:
                values.update({result: made[key, n] for n, result in enumerate(op.results)})
                continue
            if any(isinstance(operand.type, VectorType) for operand in operands):
                copy = on_vectors(op, operands, self.tile.width, self.emitter, made)
                copy.location = op.location
                for result, new in zip(op.results, copy.results):
                    values[result] = new
            else:
                copy = op.clone(values)
                for index in [inner for inner in walk(copy) if isinstance(inner, IndexOp)]:
                    Rewriter.replace_op(index, [], [self._iteration(index.dim.value.data, shift)])
            self._insert(copy)
            if key is not None:
                made.update({(key, n): result for n, result in enumerate(copy.results)})
        raise AssertionError("a linalg body without linalg.yield")

    def _insert(self, copy: Operation) -> None:
        self.emitter.insert(copy)
        for inner in walk(copy):
            if isinstance(inner.location, UnknownLoc):
                inner.location = self.emitter.location

    def _iteration(self, dim: int, shift: Shift) -> SSAValue:
        """The number of the iteration of a loop."""
        by = sum(offset for at, offset in shift if at == dim)
        return self.emitter.index(self.emitter.add(self.coordinates.ivs[dim], by))

    # ----- memory

    def _spread(self, value: SSAValue, made: Made) -> SSAValue:
        return spread(value, self.tile.width, self.emitter, made)

    def _output(self, k: int) -> Access:
        access = self.accesses[self.inputs + k]
        assert access is not None
        return access

    def _padding(self, k: int) -> Padded | None:
        return self.padded.get(self.inputs + k)

    def _indices(self, access: Access, shift: Shift, padded: Padded | None = None) -> list[SSAValue]:
        low = (0,) * len(access.coordinates) if padded is None else padded.low
        return [
            self.emitter.index(self.coordinates.shifted(terms, low[i], shift_of(terms, shift)))
            for i, terms in enumerate(access.coordinates)
        ]

    def _load(self, access: Access, shift: Shift, padded: Padded | None = None) -> SSAValue:
        """The element of a point; a vector of them where it moves along with the lanes."""
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

    def _load_apart(self, access: Access, shift: Shift, type_: VectorType) -> SSAValue:
        """A vector whose elements are no neighbours in memory, by way of a row in which they are."""
        dim, tile = self.tile.vector, self.tile
        assert dim is not None
        row = self.emitter.allocate(MemRefType(type_.element_type, [tile.width]))
        with self._each({dim: (tile.width, 1)}, Tile()) as (lane,):
            element = memref.LoadOp.get(access.value, self._indices(access, shift))
            self.emitter.insert(memref.StoreOp.get(self.emitter.insert(element).results[0], row, [lane]))
        return self.emitter.insert(vector.LoadOp(row, [self.emitter.index(0)], type_)).results[0]

    def _store_apart(self, access: Access, vectors: Mapping[Shift, SSAValue]) -> None:
        """Store all vectors of a tile, whose elements are no neighbours in memory, by way of a tile in which they are. Rows come innermost
        then: their elements are nearer to each other.
        """
        buffer, dims = self._buffer(vectors)
        loops = {dim: (self.tile.parts[dim].step, 1) for dim in (dims[-1], *dims[:-1])}
        with self._each(loops, Tile()) as (lane, *rows):
            result = self.emitter.insert(memref.LoadOp.get(buffer, [*rows, lane])).results[0]
            self.emitter.insert(memref.StoreOp.get(result, access.value, self._indices(access, ())))

    @contextmanager
    def _each(
        self, loops: Mapping[int, tuple[int, int]], tile_inside: Tile
    ) -> Iterator[tuple[SSAValue, ...]]:
        """Inside of it, loops over so many iterations of each dimension from the first of the tile on, in such steps, outermost first;
        what they count.
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
        self, what: tuple[str, int], access: Access, shift: Shift, made: Made, padded: Padded | None = None
    ) -> SSAValue:
        key = _place(what, access, shift)
        if key not in made:
            made[key] = self._load(access, shift, padded)
        return made[key]

    def _input(self, position: int, shift: Shift, made: Made) -> SSAValue:
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

    def _guarded(self, access: Access, shift: Shift, padded: Padded, condition: SSAValue) -> SSAValue:
        """The element where the condition holds, else the padding."""
        inner, outer = Block(), Block()
        with self.emitter.at(inner):
            load = self._load(access, shift, padded)
            self.emitter.insert(scf.YieldOp(load))
        with self.emitter.at(outer):
            value = self._spread(padded.value, {}) if isinstance(load.type, VectorType) else padded.value
            self.emitter.insert(scf.YieldOp(value))
        guard = scf.IfOp(condition, [load.type], [inner], [outer])
        return self.emitter.insert(guard).results[0]

    def _output_before(self, k: int, shift: Shift, made: Made) -> SSAValue:
        if k in self.initial:
            return self.initial[k]
        return self._load_once(("output", k), self._output(k), shift, made, self._padding(k))

    def _store(self, access: Access, value: SSAValue, shift: Shift, padded: Padded | None = None) -> None:
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


def _place(what: tuple[str, int], access: Access, shift: Shift) -> tuple[object, ...]:
    """What is the same for two points if they reach the same element."""
    return (*what, *(shift_of(terms, shift) for terms in access.coordinates))
