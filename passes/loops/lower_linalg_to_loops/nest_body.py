"""Contents of the innermost loop of a nest.

They are the generic's body, once for each point of the tile that is open there. Common parts of several points are
emitted once: an element that several of them load, and an operation with the same operands. Behind the reductions, the
accumulators are stored, or the results that the epilogue computes from them (`reductions.py`).

*Rolled bodies* treat tiles of scalars as rows of memory, for auto-vectorizing C compilers.

```mlir
// one element of an output a time         // eight of them
scf.for %n = %c0 to %c64 step %c1 {         scf.for %n = %c0 to %c64 step %c8 {
  %sum = scf.for %k … iter_args(%a) {         scf.for %l = %c0 to %c8 step %c1 { memref.store %zero, %row[%l] }
    %x = memref.load %lhs[%k]                 scf.for %k … {
    %w = memref.load %rhs[%k, %n]               %x = memref.load %lhs[%k]
    …                                           scf.for %l = %c0 to %c8 step %c1 {
  }                                               %a = memref.load %row[%l]
  memref.store %sum, %out[%n]                     %w = memref.load %rhs[%k, %n + %l]
}                                                 …
                                                  memref.store %b, %row[%l]
                                                } {loomir.tile, loomir.unroll}
                                              }
                                              scf.for %l … { %sum = memref.load %row[%l]; memref.store %sum, %out[%n + %l] } {…}
                                            }
```

The row is small enough for registers. The loops over it are unrolled (`dialects/vectors.py`), and their operations on a
row are what vectors do. The code is as long for 32 elements as for four, and the C compiler chooses the number of
instructions. Elements that stand still along the row are loaded once, in front of the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.dialects import arith, math, memref, scf, vector
from xdsl.dialects.builtin import AnyFloat, IntegerAttr, IntegerType, MemRefType, UnknownLoc, VectorType
from xdsl.dialects.linalg.ops import IndexOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from loomir.dialects.element_types import memref_type_of
from loomir.dialects.scalars import SCALARS
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.walking import walk
from loomir.dialects.vectors import mark_tile
from loomir.passes.loops.lower_linalg_to_loops.index_math import on_vectors
from loomir.passes.loops.lower_linalg_to_loops.loop_transforms import IterationRange, Shift, Tile, shift_of
from loomir.passes.loops.lower_linalg_to_loops.nest_memory import NestMemory, ValueCache
from loomir.passes.loops.lower_linalg_to_loops.outer_values import OuterValues
from loomir.passes.loops.lower_linalg_to_loops.reductions import BiasAdd, Epilogue, combiner_op, reduce_lanes

_OPERATIONS = 96
"""Maximum number of operations in all copies of an epilogue.

Beyond that, the accumulators go through memory, and a loop holds one copy.
"""

_FUNCTIONS = (math.ErfOp, math.ExpOp, math.LogOp, math.TanhOp)
_FUNCTION = 25
"""Operations that one of these becomes (`math-expand`)."""


@dataclass
class NestBody(NestMemory):
    """Copies the body to where the emitter is.

    `reduced`: the generic has reductions; `carried` are the outputs (by number) that are accumulated in scalars or vectors.
    """

    reduced: bool
    carried: Sequence[int]
    epilogue: Epilogue | None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.outer: OuterValues | None = None
        self.bias: BiasAdd | None = None
        if self.reduced and self.epilogue is not None and _is_zero(self.initial.get(self.carried[0])):
            self.bias = self.epilogue.bias

    def emit_outer(self, level: int) -> None:
        """Emit what one of the outer loops decides, at its start."""
        if self.outer is not None:
            self.outer.emit(level, lambda dim: self._iteration(dim, ()), self._insert)

    def accumulators_before(self) -> list[SSAValue]:
        """Return the initial accumulators of all points, point by point."""
        made: ValueCache = {}
        points = self.tile.points()
        return [self._spread(self._before(k, shift, made), made) for shift in points for k in self.carried]

    def _before(self, k: int, shift: Shift, made: ValueCache) -> SSAValue:
        """Return the initial value of an accumulator."""
        if self.bias is None:
            return self._output_before(k, shift, made)
        return self._of_epilogue(self.bias.position, shift, made)

    def _of_epilogue(self, position: int, shift: Shift, made: ValueCache) -> SSAValue:
        """Return a point's element of an input of the epilogue."""
        assert self.epilogue is not None
        access = self.epilogue.accesses[position]
        assert access is not None
        return self._load_once(("epilogue", position), access, shift, made)

    def neutral_accumulators(self) -> list[SSAValue]:
        """Return the initial values of accumulators that are combined at the end.

        The values are those of each point in turn.
        """
        made: ValueCache = {}
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
        found = combiner_op(self.generic)
        assert found is not None
        return found[k]

    def gather(self, results: Sequence[SSAValue], vectors: Sequence[SSAValue]) -> list[SSAValue]:
        """Combine each result with all lanes of its vectors.

        The vectors are those of each point in turn.
        """
        count = len(self.carried)
        return [
            reduce_lanes(self._gathering(k), results[number], vectors[number::count], self.emitter)
            for number, k in enumerate(self.carried)
        ]

    def copy(self, accumulators: list[SSAValue], behind: Shift = ()) -> list[SSAValue]:
        """Emit the body for all points and return the new accumulators.

        The body is that of the reduction iteration at the distance `behind`.
        """
        results: list[SSAValue] = []
        made: ValueCache = {}
        for number, point in enumerate(self.tile.points()):
            shift = (*point, *behind)
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

    def hand_over(self, results: list[SSAValue], *, by_memory: bool) -> None:
        """Store the accumulators, or what the epilogue makes of them.

        `by_memory`: scalars that are no neighbours in memory, or have an epilogue, are put in a tile of memory first, from which loops take
        them: a C compiler sees that they belong together, and the epilogue is there once.
        """
        points, count = self.tile.points(), len(self.carried)
        many = len(points) * self._weight_of_epilogue() > _OPERATIONS
        scattered = len(points) > 1 and not (self.epilogue is None and self._is_adjacent())
        if many if self.tile.width > 1 else by_memory and scattered:
            for number, k in enumerate(self.carried):
                self._from_tile(k, dict(zip(points, results[number::count], strict=True)))
            return
        made: ValueCache = {}
        for number, shift in enumerate(points):
            for k, result in zip(self.carried, results[number * count :], strict=False):
                self._finish(k, result, shift, made)
        self._flush()

    def _weight_of_epilogue(self) -> int:
        """Return the number of operations in the epilogue's body.

        A C library function counts as many operations as its arithmetic expansion (`math-expand`).
        """
        if self.epilogue is None:
            return 0
        ops = list(self.epilogue.generic.body.block.ops)
        return len(ops) + _FUNCTION * sum(isinstance(op, _FUNCTIONS) for op in ops)

    def _is_adjacent(self) -> bool:
        """Return True if every output stores a tile row's elements contiguously."""
        dim = self.tile.columns
        outputs = self.accesses[self.inputs :]
        return all(access is not None and access.stride(dim) == 1 for access in outputs)

    def _from_tile(self, k: int, results: Mapping[Shift, SSAValue]) -> None:
        """Store a tile's elements of one output through memory.

        The epilogue is emitted once, for one vector or scalar.
        """
        tile = self.tile
        buffer, dims = self._buffer(results)
        width, columns = tile.width, tile.columns
        along, points = IterationRange(0, width, 1, width), tile.parts[columns].points
        if width == 1 and len(dims) > 1 and points * self._weight_of_epilogue() <= _OPERATIONS:
            # Scalars of a row one after the other: a loop is a third of what they take.
            along = IterationRange(0, points, points)
        one = Tile() if tile.vector is None else Tile({columns: along}, tile.vector)
        steps = {dim: along.step if dim == columns else 1 for dim in dims}
        with self._each({dim: (tile.parts[dim].step, steps[dim]) for dim in dims}, one) as indices:
            (type_,) = {result.type for result in results.values()}
            made: ValueCache = {}
            for shift in one.points():
                *outer, last = indices
                if along.points > 1:
                    last = self.emitter.index(dict(shift).get(columns, 0))
                at = [*outer, last]
                load = (
                    vector.LoadOp(buffer, at, type_)
                    if isinstance(type_, VectorType)
                    else memref.LoadOp.get(buffer, at)
                )
                self._finish(k, self.emitter.insert(load).results[0], shift, made)
            self._flush()

    def _finish(self, k: int, result: SSAValue, shift: Shift, made: ValueCache) -> None:
        """Store one accumulator, or its epilogue's results."""
        epilogue = self.epilogue
        if epilogue is None:
            self._store(self._output(k), result, shift, self._padding(k))
            return
        generic = epilogue.generic
        values: dict[SSAValue, SSAValue] = {}
        if self.bias is not None:
            values[self.bias.addition.result] = result
        for position, (argument, access) in enumerate(zip(generic.body.block.args, epilogue.accesses)):
            if position == epilogue.position:
                values[argument] = result
            elif self.bias is not None and position == self.bias.position:
                continue
            elif argument.uses and access is None:
                values[argument] = generic.operands[position]
            elif argument.uses:
                values[argument] = self._of_epilogue(position, shift, made)
        yielded = self._operations(generic.body.block, values, shift, made)
        for value, access in zip(yielded, epilogue.accesses[len(generic.inputs) :], strict=True):
            assert access is not None
            self._store(access, self._spread(value, made), shift)

    def _operations(
        self, body: Block, values: dict[SSAValue, SSAValue], shift: Shift, made: ValueCache
    ) -> list[SSAValue]:
        """Emit one copy of a body's operations; return the yielded values.

        `values` maps the body's arguments, and is extended.
        """
        known = {} if self.outer is None else self.outer.values
        for op in body.ops:
            if isinstance(op, YieldOp):
                return [values.get(value, value) for value in op.operands]
            if self.bias is not None and op is self.bias.addition:
                continue
            if op.results[0] in known:
                values.update({result: known[result] for result in op.results})
                continue
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
                inside = walk(copy) if copy.regions else ()
                for index in [inner for inner in inside if isinstance(inner, IndexOp)]:
                    Rewriter.replace_op(index, [], [self._iteration(index.dim.value.data, shift)])
            self._insert(copy)
            if key is not None:
                made.update({(key, n): result for n, result in enumerate(copy.results)})
        raise AssertionError("a linalg body without linalg.yield")

    def _insert(self, copy: Operation) -> None:
        self.emitter.insert(copy)
        for inner in walk(copy) if copy.regions else (copy,):
            if isinstance(inner.location, UnknownLoc):
                inner.location = self.emitter.location

    def _iteration(self, dim: int, shift: Shift) -> SSAValue:
        """The number of the iteration of a loop of the generic."""
        if (terms := self.coordinates.split.get(dim)) is not None:
            return self.emitter.index(self.coordinates.shifted(terms, 0, shift_of(terms, shift)))
        by = sum(offset for at, offset in shift if at == dim)
        return self.emitter.index(self.emitter.add(self.coordinates.ivs[dim], by))


def _is_zero(value: SSAValue | None) -> bool:
    """Return True if a value is the integer 0."""
    constant = None if value is None or not isinstance(value.owner, arith.ConstantOp) else value.owner.value
    return isinstance(constant, IntegerAttr) and constant.value.data == 0


@dataclass
class RolledBody(NestBody):
    """Body of a tile in rows.

    All outputs are accumulated, and the tile has one loop.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rows: list[SSAValue] = []

    def open_rows(self) -> None:
        """Create the accumulators: an initialized row of memory for each output."""
        self.rows = [self._row(self.arguments[self.inputs + k].type) for k in self.carried]
        with self._lanes(unroll=True) as lane:
            for row, k in zip(self.rows, self.carried, strict=True):
                before = self._before(k, (), {})
                self.emitter.insert(memref.StoreOp.get(before, row, [lane]))

    def hand_over_rows(self) -> None:
        """Store the rows, or what the epilogue makes of them."""
        rows, self.rows = self.rows, []
        if self.epilogue is None and self._is_adjacent():
            self._finish_rows(rows, unroll=True)
            return
        # What a C compiler keeps in registers ends in rows that only unrolled loops write, side by side.
        behind = [self._row(memref_type_of(row).element_type) for row in rows]
        with self._lanes(unroll=True) as lane:
            for row, other in zip(rows, behind, strict=True):
                result = self.emitter.insert(memref.LoadOp.get(row, [lane])).results[0]
                self.emitter.insert(memref.StoreOp.get(result, other, [lane]))
        self._finish_rows(behind, unroll=False)

    def _finish_rows(self, rows: list[SSAValue], *, unroll: bool) -> None:
        for k, row in zip(self.carried, rows, strict=True):
            with self._lanes(unroll=unroll) as lane:
                result = self.emitter.insert(memref.LoadOp.get(row, [lane])).results[0]
                self._finish(k, result, (), {})

    def copy(self, accumulators: list[SSAValue], behind: Shift = ()) -> list[SSAValue]:
        """Emit the body as a loop over the row.

        Elements that stand still along the row are loaded once, in front of the loop.
        """
        assert not behind, "rows are for C compilers, which unroll"
        ((dim, _),) = self.tile.parts.items()
        made: ValueCache = {}
        for position, argument in enumerate(self.arguments[: self.inputs]):
            access = self.accesses[position]
            if argument.uses and access is not None and access.stride(dim) == 0:
                self._input(position, (), made)
        with self._lanes(unroll=True) as lane:
            values: dict[SSAValue, SSAValue] = {}
            for position, argument in enumerate(self.arguments):
                if not argument.uses:
                    continue
                if position < self.inputs:
                    values[argument] = self._input(position, (), made)
                else:
                    row = self.rows[self.carried.index(position - self.inputs)]
                    values[argument] = self.emitter.insert(memref.LoadOp.get(row, [lane])).results[0]
            yielded = self._operations(self.generic.body.block, values, (), made)
            for row, k in zip(self.rows, self.carried, strict=True):
                self.emitter.insert(memref.StoreOp.get(yielded[k], row, [lane]))
        return []

    def _row(self, element: Attribute) -> SSAValue:
        """Memory for an element of each lane of a rolled tile."""
        (part,) = self.tile.parts.values()
        row = self.emitter.allocate_local(MemRefType(element, [part.step]))
        assert isinstance(row.owner, memref.AllocaOp)
        mark_tile(row.owner)
        return row

    @contextmanager
    def _lanes(self, *, unroll: bool = False) -> Iterator[SSAValue]:
        """Inside of it, a loop over the elements of a rolled tile."""
        ((dim, part),) = self.tile.parts.items()
        with self._each({dim: (part.step, 1)}, Tile()) as (lane,):
            loop = self.emitter.point.block.parent_op()
            assert isinstance(loop, scf.ForOp)
            mark_tile(loop, unroll=unroll)
            yield lane
