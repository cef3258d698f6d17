"""One `linalg.generic` as a nest of `scf.for`.

Parallel loops are outside. Reductions are inside and carry the accumulators as scalars:

    for parallel…:
      acc = load out                      (or the value that a linalg.fill would have put there)
      acc = for reductions… iter_args(acc): load inputs; body; yield
      store acc, out

An output whose map depends on a reduction loop is read and written in memory, in the innermost loop. A loop
that runs once leaves no loop behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import UnknownLoc
from xdsl.dialects.linalg.ops import GenericOp, IndexOp, YieldOp
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.passes.loops.lower_linalg_to_loops.access import Access
from loomir.passes.loops.lower_linalg_to_loops.coordinates import Coordinates
from loomir.passes.loops.lower_linalg_to_loops.index_math import INDEX, Index, IndexEmitter, Terms
from loomir.passes.loops.lower_linalg_to_loops.padding import Edge, Padded


@dataclass
class Nest:
    """Builds the loops of one generic in front of it; the body's operations are moved there.

    accesses: per operand, None for scalars. order: loop dimensions, outermost first, reductions last.
    extents: per dimension. reductions: the reduction dimensions. padded: by input position. initial: for some
    outputs (by number), the value that all their elements are known to have before.
    """

    generic: GenericOp
    emitter: IndexEmitter
    accesses: Sequence[Access | None]
    order: Sequence[int]
    extents: Sequence[Index]
    reductions: set[int]
    padded: dict[int, Padded]
    initial: dict[int, SSAValue]

    def __post_init__(self) -> None:
        depth = {dim: level for level, dim in enumerate(self.order)}
        self.coordinates = Coordinates(self.emitter, depth)
        self.first_reduction = len(self.order) - len(self.reductions)
        self.arguments = self.generic.body.block.args
        self.inputs = len(self.generic.inputs)
        self.conditions: dict[int, bool | SSAValue] = dict.fromkeys(self.padded, True)
        self.bounds: dict[int, tuple[Index, Index]] = {
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
        """Emit the loops from `level` inward; returns the accumulators behind them."""
        if level == self.first_reduction and self.carried and self.reductions:
            before = [self._output_before(k) for k in self.carried]
            for k, result in zip(self.carried, self._loop(level, before), strict=True):
                self._store(k, result)
            return []
        return self._loop(level, accumulators)

    def _loop(self, level: int, accumulators: list[SSAValue]) -> list[SSAValue]:
        if level == len(self.order):
            return self._body(accumulators)
        dim = self.order[level]
        lower, upper = self._bounds(dim, level)
        if isinstance(lower, int) and isinstance(upper, int) and upper - lower == 1:
            self.coordinates.ivs[dim] = lower
            self._enter(level)
            return self._level(level + 1, accumulators)

        emitter = self.emitter
        bounds = emitter.value(lower), emitter.value(upper), emitter.value(1)
        outside = emitter.point
        block = Block(arg_types=[INDEX, *(a.type for a in accumulators)])
        for argument in block.args:
            argument.location = emitter.location
        self.coordinates.ivs[dim] = block.args[0]
        self.coordinates.scopes.append({})
        emitter.point = InsertPoint.at_end(block)
        self._enter(level)
        emitter.insert(scf.YieldOp(*self._level(level + 1, list(block.args[1:]))))
        self.coordinates.scopes.pop()
        emitter.point = outside
        loop = emitter.insert(scf.ForOp(*bounds, accumulators, block))
        return list(loop.results)

    def _bounds(self, dim: int, level: int) -> tuple[Index, Index]:
        """Lower and upper bound of a loop; the outermost reduction is empty where all is neutral padding."""
        emitter = self.emitter
        lower, upper = self.bounds[dim]
        if level == self.first_reduction:
            # Neutral padding that no reduction loop leads out of: outside, none of the iterations has to run.
            for position, padded in self.padded.items():
                condition = self.conditions[position]
                if padded.neutral and condition is not True and self._is_decided(position):
                    self.conditions[position] = True
                    if condition is False:
                        upper = lower
                    else:
                        chosen = arith.SelectOp(condition, emitter.value(upper), emitter.value(lower))
                        upper = emitter.insert(chosen).results[0]
        return lower, upper

    def _is_decided(self, position: int) -> bool:
        """Whether all guards of an input are known outside the reduction loops."""
        return all(self.coordinates.level_of(e.terms) < self.first_reduction for e in self.guarded[position])

    def _enter(self, level: int) -> None:
        """At the start of a loop's body: the parts of coordinates and guards that this loop completes."""
        for position, access in enumerate(self.accesses):
            if access is None or (position < self.inputs and not self.arguments[position].uses):
                continue
            padded = self.padded.get(position)
            for i, terms in enumerate(access.coordinates):
                low: Index = 0 if padded is None else padded.low[i]
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
            known, condition = self.conditions[position], self.emitter.compare(index, predicate, limit)
            if known is True or condition is False:
                self.conditions[position] = condition
            elif isinstance(known, SSAValue) and isinstance(condition, SSAValue):
                both = self.emitter.insert(arith.AndIOp(known, condition))
                self.conditions[position] = both.results[0]

    def _body(self, accumulators: list[SSAValue]) -> list[SSAValue]:
        """Move the body here; returns the new accumulators."""
        reduced = bool(self.reductions)
        for position, argument in enumerate(self.arguments):
            if not argument.uses:
                continue
            k = position - self.inputs
            if k < 0:
                value = self._input(position)
            elif reduced and k in self.carried:
                value = accumulators[self.carried.index(k)]
            else:
                value = self._output_before(k)
            argument.replace_all_uses_with(value)
        for index in [op for op in self.generic.body.walk() if isinstance(op, IndexOp)]:
            value = self.emitter.value(self.coordinates.ivs[index.dim.value.data])
            Rewriter.replace_op(index, [], [value])
        yielded: list[SSAValue] = []
        for op in list(self.generic.body.block.ops):
            if isinstance(op, YieldOp):
                yielded = list(op.operands)
                continue
            op.detach()
            Rewriter.insert_op(op, self.emitter.point)
            for inner in op.walk():
                if isinstance(inner.location, UnknownLoc):
                    inner.location = self.emitter.location
        results: list[SSAValue] = []
        for k, value in enumerate(yielded):
            if reduced and k in self.carried:
                results.append(value)
            else:
                self._store(k, value)
        return results

    def _indices(self, position: int) -> list[SSAValue]:
        access, padded = self.accesses[position], self.padded.get(position)
        assert access is not None
        return [
            self.emitter.value(self.coordinates.value(terms, 0 if padded is None else padded.low[i]))
            for i, terms in enumerate(access.coordinates)
        ]

    def _input(self, position: int) -> SSAValue:
        access, padded = self.accesses[position], self.padded.get(position)
        if access is None:
            return self.generic.inputs[position]
        condition = True if padded is None else self.conditions[position]
        if padded is not None and condition is False:
            return padded.value
        indices = self._indices(position)
        if padded is None or condition is True:
            return self.emitter.insert(memref.LoadOp.get(access.value, indices)).results[0]
        assert isinstance(condition, SSAValue)
        outside = self.emitter.point
        inner, outer = Block(), Block()
        self.emitter.point = InsertPoint.at_end(inner)
        load = self.emitter.insert(memref.LoadOp.get(access.value, indices))
        self.emitter.insert(scf.YieldOp(load.results[0]))
        self.emitter.point = InsertPoint.at_end(outer)
        self.emitter.insert(scf.YieldOp(padded.value))
        self.emitter.point = outside
        guard = scf.IfOp(condition, [padded.value.type], [inner], [outer])
        return self.emitter.insert(guard).results[0]

    def _output_before(self, k: int) -> SSAValue:
        if k in self.initial:
            return self.initial[k]
        access = self.accesses[self.inputs + k]
        assert access is not None
        return self.emitter.insert(memref.LoadOp.get(access.value, self._indices(self.inputs + k))).results[0]

    def _store(self, k: int, value: SSAValue) -> None:
        access = self.accesses[self.inputs + k]
        assert access is not None
        self.emitter.insert(memref.StoreOp.get(value, access.value, self._indices(self.inputs + k)))


def carried_outputs(generic: GenericOp, accesses: Sequence[Access | None], reductions: set[int]) -> list[int]:
    """The outputs that one run of the reduction loops accumulates into one element: scalars will do."""
    outputs = accesses[len(generic.inputs) :]
    return [
        k
        for k, access in enumerate(outputs)
        if access is not None and not access.map.used_dims() & reductions
    ]
