"""One `linalg.generic` as a nest of `scf.for`.

Parallel loops are outside. Reductions are inside and carry the accumulators as scalars:

    for parallel…:
      acc = load out                      (or the value that a linalg.fill would have put there)
      acc = for reductions… iter_args(acc): load inputs; body; yield
      store acc, out

An output whose map depends on a reduction loop is read and written in memory, in the innermost loop. A loop
that runs once leaves no loop behind.

One parallel loop may be *tiled* (`tiling.py`): one run of the reductions then computes several
neighbouring elements, each in an accumulator of its own. What they share is loaded once, and the accumulations
don't wait for each other:

    for j = 0, 8, 16 …:
      acc0, …, acc7 = for k iter_args(acc0, …, acc7):
        x = load a[k]; acc0 += x · load b[k, j]; …; acc7 += x · load b[k, j + 7]
      store acc0, out[j]; …; store acc7, out[j + 7]      (or, by way of a row, a loop that stores them)

What is left of the extent is a shorter tile without a loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import MemRefType, UnknownLoc
from xdsl.dialects.linalg.ops import GenericOp, IndexOp, YieldOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from loomir.dialects.index_builder import INDEX, Extent
from loomir.dialects.walking import walk
from loomir.passes.loops.lower_linalg_to_loops.access import Access
from loomir.passes.loops.lower_linalg_to_loops.coordinates import Coordinates
from loomir.passes.loops.lower_linalg_to_loops.epilogues import Epilogue
from loomir.passes.loops.lower_linalg_to_loops.index_math import IndexEmitter, Terms
from loomir.passes.loops.lower_linalg_to_loops.padding import Edge, Padded
from loomir.passes.loops.lower_linalg_to_loops.tiling import Tiling


@dataclass
class Nest:
    """Builds the loops of one generic in front of it; the body's operations are moved there.

    accesses: per operand, None for scalars. order: loop dimensions, outermost first, reductions last.
    extents: per dimension. reductions: the reduction dimensions. padded: by input position. initial: for some
    outputs (by number), the value that all their elements are known to have before. tiling: of one parallel
    loop, if any. epilogue: what is made of the accumulator before it is stored, if anything (`epilogues.py`).
    """

    generic: GenericOp
    emitter: IndexEmitter
    accesses: Sequence[Access | None]
    order: Sequence[int]
    extents: Sequence[Extent]
    reductions: set[int]
    padded: dict[int, Padded]
    initial: dict[int, SSAValue]
    tiling: Tiling | None = None
    epilogue: Epilogue | None = None

    def __post_init__(self) -> None:
        depth = {dim: level for level, dim in enumerate(self.order)}
        self.coordinates = Coordinates(self.emitter, depth)
        self.first_reduction = len(self.order) - len(self.reductions)
        self.arguments = self.generic.body.block.args
        self.inputs = len(self.generic.inputs)
        self.lanes: list[Sequence[Access | None]] = [self.accesses]
        self.conditions: dict[int, bool | SSAValue] = dict.fromkeys(self.padded, True)
        self.bounds: dict[int, tuple[Extent, Extent]] = {
            d: (0, extent) for d, extent in enumerate(self.extents)
        }
        self.carried = carried_outputs(self.generic, self.accesses, self.reductions)
        self.restricted: dict[int, list[Edge]] = {}
        self.guarded: dict[int, list[Edge]] = {position: [] for position in self.padded}
        for position, padded in self.padded.items():
            for edge in padded.edges:
                dims = edge.terms.dims()
                innermost = max(dims, key=lambda dim: depth[dim], default=None)
                if (
                    padded.neutral
                    and innermost in self.reductions
                    and (edge.terms.coefficient(innermost) or 0) > 0
                ):
                    self.restricted.setdefault(innermost, []).append(edge)
                else:
                    self.guarded[position].append(edge)

    def build(self) -> None:
        """Emit everything; the generic is left with an empty body, to be erased."""
        self._enter(-1)
        self._level(0, [])

    def _level(self, level: int, accumulators: list[SSAValue]) -> list[SSAValue]:
        """Emit the loops from `level` inward; returns the accumulators behind them, those of each lane in turn."""
        if level == self.first_reduction and self.carried and self.reductions:
            places = [(lane, k) for lane in range(len(self.lanes)) for k in self.carried]
            before = [self._output_before(k, lane) for lane, k in places]
            self._hand_over(self._loop(level, before))
            return []
        return self._loop(level, accumulators)

    def _loop(self, level: int, accumulators: list[SSAValue]) -> list[SSAValue]:
        if level == len(self.order):
            return self._body(accumulators)
        dim = self.order[level]
        if self.tiling is not None and dim == self.tiling.dim:
            assert not accumulators
            self._tiles(level, self.tiling)
            return []
        lower, upper = self._bounds(dim, level)
        if isinstance(lower, int) and isinstance(upper, int) and upper - lower == 1:
            self.coordinates.ivs[dim] = lower
            self._enter(level)
            return self._level(level + 1, accumulators)
        return self._for(level, lower, upper, 1, accumulators)

    def _for(
        self, level: int, lower: Extent, upper: Extent, step: int, accumulators: list[SSAValue]
    ) -> list[SSAValue]:
        emitter = self.emitter
        bounds = emitter.index(lower), emitter.index(upper), emitter.index(step)
        block = Block(arg_types=[INDEX, *(a.type for a in accumulators)])
        for argument in block.args:
            argument.location = emitter.location
        self.coordinates.ivs[self.order[level]] = block.args[0]
        self.coordinates.scopes.append({})
        with emitter.at(block):
            self._enter(level)
            emitter.insert(scf.YieldOp(*self._level(level + 1, list(block.args[1:]))))
        self.coordinates.scopes.pop()
        loop = emitter.insert(scf.ForOp(*bounds, accumulators, block))
        return list(loop.results)

    def _tiles(self, level: int, tiling: Tiling) -> None:
        """A loop over whole tiles, where there are several, and a tile for the rest."""
        whole = tiling.extent - tiling.extent % tiling.lanes
        for first, end, lanes in ((0, whole, tiling.lanes), (whole, tiling.extent, tiling.extent - whole)):
            if lanes == 0:
                continue
            # Either part has its own bounds of the loops inside, its own partial sums, its own copy of the body.
            bounds, conditions = dict(self.bounds), dict(self.conditions)
            self.lanes = tiling.accesses(self.accesses, lanes)
            if end - first == lanes:
                self.coordinates.ivs[tiling.dim] = first
                self.coordinates.scopes.append({})
                self._enter(level)
                self._level(level + 1, [])
                self.coordinates.scopes.pop()
            else:
                self._for(level, first, end, lanes, [])
            self.bounds, self.conditions = bounds, conditions
        self.lanes = [self.accesses]

    def _bounds(self, dim: int, level: int) -> tuple[Extent, Extent]:
        """Lower and upper bound of a loop; the outermost reduction is empty where all is neutral padding."""
        emitter = self.emitter
        lower, upper = self.bounds[dim]
        if level == self.first_reduction:
            # Neutral padding that no reduction loop leads out of: outside, none of the iterations has to run.
            for position, padded in self.padded.items():
                condition = self.conditions[position]
                if padded.neutral and condition is not True and self._is_decided(position):
                    self.conditions[position] = True
                    upper = emitter.select(condition, upper, lower)
        return lower, upper

    def _is_decided(self, position: int) -> bool:
        """Whether all guards of an input are known outside the reduction loops."""
        return all(self.coordinates.level_of(e.terms) < self.first_reduction for e in self.guarded[position])

    def _enter(self, level: int) -> None:
        """At the start of a loop's body: the parts of coordinates and guards that this loop completes."""
        for accesses in self.lanes:
            for position, access in enumerate(accesses):
                if access is None or (position < self.inputs and not self.arguments[position].uses):
                    continue
                padded = self.padded.get(position)
                for i, terms in enumerate(access.coordinates):
                    low: Extent = 0 if padded is None else padded.low[i]
                    self.coordinates.value(terms, low, level)
        for dim, edges in self.restricted.items():
            for edge in edges:
                rest = edge.terms.without(dim)
                if self.coordinates.level_of(rest) == level:
                    self._restrict(dim, edge, rest)
        for position, edges in self.guarded.items():
            for edge in edges:
                if self.coordinates.level_of(edge.terms) == level and self.arguments[position].uses:
                    self._check(position, edge)

    def _restrict(self, dim: int, edge: Edge, rest: Terms) -> None:
        """Narrow a loop's bounds to the iterations that are not in neutral padding."""
        emitter = self.emitter
        factor = edge.terms.coefficient(dim)
        assert factor is not None
        lower, upper = self.bounds[dim]
        base = self.coordinates.value(rest, edge.low)
        if edge.below:
            first = emitter.divide_up(emitter.max(emitter.sub(0, base), 0), factor)
            lower = first if lower == 0 else emitter.max(lower, first)
        if edge.above:
            room = emitter.sub(edge.size, base)
            # With one element per step a negative bound is as good as zero: the loop doesn't run.
            room = room if factor == 1 else emitter.divide_up(emitter.max(room, 0), factor)
            upper = emitter.min(upper, room)
        self.bounds[dim] = lower, upper

    def _check(self, position: int, edge: Edge) -> None:
        index = self.coordinates.value(edge.terms, edge.low)
        for needed, predicate, limit in ((edge.below, "sge", 0), (edge.above, "slt", edge.size)):
            if not needed:
                continue
            known, condition = self.conditions[position], self.emitter.compare(predicate, index, limit)
            if known is True or condition is False:
                self.conditions[position] = condition
            elif isinstance(known, SSAValue) and isinstance(condition, SSAValue):
                both = self.emitter.insert(arith.AndIOp(known, condition))
                self.conditions[position] = both.results[0]

    def _body(self, accumulators: list[SSAValue]) -> list[SSAValue]:
        """Copy the body here, once for each lane; returns the new accumulators."""
        reduced = bool(self.reductions)
        results: list[SSAValue] = []
        first: dict[SSAValue, SSAValue] = {}
        for lane in range(len(self.lanes)):
            values: dict[SSAValue, SSAValue] = {}
            for position, argument in enumerate(self.arguments):
                if not argument.uses:
                    continue
                k = position - self.inputs
                if k < 0 and self.lanes[lane][position] is self.lanes[0][position] and lane:
                    values[argument] = first[argument]
                elif k < 0:
                    values[argument] = self._input(position, lane)
                elif reduced and k in self.carried:
                    values[argument] = accumulators[lane * len(self.carried) + self.carried.index(k)]
                else:
                    values[argument] = self._output_before(k, lane)
            yielded = self._copy(self.generic.body.block, values, first, lane)
            for k, value in enumerate(yielded):
                if reduced and k in self.carried:
                    results.append(value)
                else:
                    self._store(k, value, lane)
            first = first or values
        return results

    def _hand_over(self, results: list[SSAValue]) -> None:
        """Store the accumulators, or what the epilogue makes of them.

        Those of a tile go directly where they lie next to each other. Else they are put in a row first, from which a loop
        takes them: a C compiler sees that they belong together, and the epilogue is there once.
        """
        lanes = len(self.lanes)
        if lanes == 1 and self.epilogue is not None:
            self._finish(self.epilogue, results[0])
        elif lanes == 1 or (self.epilogue is None and self._is_adjacent()):
            places = [(lane, k) for lane in range(lanes) for k in self.carried]
            for (lane, k), result in zip(places, results, strict=True):
                self._store(k, result, lane)
        else:
            count = len(self.carried)
            for number, k in enumerate(self.carried):
                self._from_row(k, results[number::count])

    def _is_adjacent(self) -> bool:
        """Whether the elements of a tile are neighbours in memory, in every output."""
        assert self.tiling is not None
        outputs = self.accesses[self.inputs :]
        return all(access is not None and access.stride(self.tiling.dim) == 1 for access in outputs)

    def _from_row(self, k: int, results: list[SSAValue]) -> None:
        """Store a tile's elements of one output by way of a row of their own."""
        assert self.tiling is not None
        emitter, coordinates, dim = self.emitter, self.coordinates, self.tiling.dim
        row = emitter.allocate(MemRefType(results[0].type, [len(results)]))
        for lane, result in enumerate(results):
            emitter.insert(memref.StoreOp.get(result, row, [emitter.index(lane)]))
        scopes, first, lanes = coordinates.scopes, coordinates.ivs[dim], self.lanes
        block = Block(arg_types=[INDEX])
        block.args[0].location = emitter.location
        with emitter.at(block):
            # Sums that were made for the first element of the tile do not hold for this one.
            coordinates.scopes, coordinates.ivs[dim] = [{}], emitter.add(first, block.args[0])
            self.lanes = [self.accesses]
            result = emitter.insert(memref.LoadOp.get(row, [block.args[0]])).results[0]
            if self.epilogue is None:
                self._store(k, result, 0)
            else:
                self._finish(self.epilogue, result)
            emitter.insert(scf.YieldOp())
        coordinates.scopes, coordinates.ivs[dim], self.lanes = scopes, first, lanes
        bounds = emitter.index(0), emitter.index(len(results)), emitter.index(1)
        emitter.insert(scf.ForOp(*bounds, [], block))

    def _finish(self, epilogue: Epilogue, result: SSAValue) -> None:
        """The epilogue of one element."""
        generic = epilogue.generic
        values: dict[SSAValue, SSAValue] = {}
        for position, (argument, access) in enumerate(zip(generic.body.block.args, epilogue.accesses)):
            if position == epilogue.position:
                values[argument] = result
            elif argument.uses:
                values[argument] = generic.operands[position] if access is None else self._load(access)
        yielded = self._copy(generic.body.block, values, {}, 0)
        for value, access in zip(yielded, epilogue.accesses[len(generic.inputs) :], strict=True):
            assert access is not None
            indices = [self.emitter.index(self.coordinates.value(t)) for t in access.coordinates]
            self.emitter.insert(memref.StoreOp.get(value, access.value, indices))

    def _load(self, access: Access) -> SSAValue:
        indices = [self.emitter.index(self.coordinates.value(t)) for t in access.coordinates]
        return self.emitter.insert(memref.LoadOp.get(access.value, indices)).results[0]

    def _copy(
        self, body: Block, values: dict[SSAValue, SSAValue], first: dict[SSAValue, SSAValue], lane: int
    ) -> list[SSAValue]:
        """One copy of a body's operations; returns what it yields. `values` maps its arguments, and is extended.

        An operation with the same operands as in the `first` lane has the same results.
        """
        for op in body.ops:
            if isinstance(op, YieldOp):
                return [values.get(value, value) for value in op.operands]
            if isinstance(op, IndexOp):
                values[op.result] = self._iteration(op.dim.value.data, lane)
            elif first and _same_operands(op, values, first):
                for result in op.results:
                    values[result] = first[result]
            else:
                copy = op.clone(values)
                for index in [inner for inner in walk(copy) if isinstance(inner, IndexOp)]:
                    Rewriter.replace_op(index, [], [self._iteration(index.dim.value.data, lane)])
                self.emitter.insert(copy)
                for inner in walk(copy):
                    if isinstance(inner.location, UnknownLoc):
                        inner.location = self.emitter.location
        raise AssertionError("a linalg body without linalg.yield")

    def _iteration(self, dim: int, lane: int) -> SSAValue:
        """The number of the iteration of a loop."""
        index = self.coordinates.ivs[dim]
        if lane and self.tiling is not None and dim == self.tiling.dim:
            index = self.emitter.add(index, lane)
        return self.emitter.index(index)

    def _indices(self, position: int, lane: int) -> list[SSAValue]:
        access, padded = self.lanes[lane][position], self.padded.get(position)
        assert access is not None
        return [
            self.emitter.index(self.coordinates.value(terms, 0 if padded is None else padded.low[i]))
            for i, terms in enumerate(access.coordinates)
        ]

    def _input(self, position: int, lane: int) -> SSAValue:
        access, padded = self.lanes[lane][position], self.padded.get(position)
        if access is None:
            return self.generic.inputs[position]
        condition = True if padded is None else self.conditions[position]
        if padded is not None and condition is False:
            return padded.value
        indices = self._indices(position, lane)
        if padded is None or condition is True:
            return self.emitter.insert(memref.LoadOp.get(access.value, indices)).results[0]
        assert isinstance(condition, SSAValue)
        inner, outer = Block(), Block()
        with self.emitter.at(inner):
            load = self.emitter.insert(memref.LoadOp.get(access.value, indices))
            self.emitter.insert(scf.YieldOp(load.results[0]))
        with self.emitter.at(outer):
            self.emitter.insert(scf.YieldOp(padded.value))
        guard = scf.IfOp(condition, [padded.value.type], [inner], [outer])
        return self.emitter.insert(guard).results[0]

    def _output_before(self, k: int, lane: int) -> SSAValue:
        if k in self.initial:
            return self.initial[k]
        position = self.inputs + k
        access = self.lanes[lane][position]
        assert access is not None
        load = memref.LoadOp.get(access.value, self._indices(position, lane))
        return self.emitter.insert(load).results[0]

    def _store(self, k: int, value: SSAValue, lane: int) -> None:
        position = self.inputs + k
        access = self.lanes[lane][position]
        assert access is not None
        self.emitter.insert(memref.StoreOp.get(value, access.value, self._indices(position, lane)))


def _same_operands(op: Operation, values: dict[SSAValue, SSAValue], first: dict[SSAValue, SSAValue]) -> bool:
    """Whether an operation without effects and regions has the same operands in both copies."""
    if op.regions or not is_side_effect_free(op):
        return False
    return all(values.get(o, o) is first.get(o, o) for o in op.operands)


def carried_outputs(generic: GenericOp, accesses: Sequence[Access | None], reductions: set[int]) -> list[int]:
    """The outputs that one run of the reduction loops accumulates into one element: scalars will do."""
    outputs = accesses[len(generic.inputs) :]
    return [
        k
        for k, access in enumerate(outputs)
        if access is not None and not access.map.used_dims() & reductions
    ]
