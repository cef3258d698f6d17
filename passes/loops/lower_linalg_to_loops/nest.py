"""One `linalg.generic` as a nest of `scf.for`.

Parallel loops are outside. Reductions are inside and carry the accumulators as scalars:

    for parallel…:
      acc = load out                      (or the value that a linalg.fill would have put there)
      acc = for reductions… iter_args(acc): load inputs; body; yield
      store acc, out

An output whose map depends on a reduction loop is read and written in memory, in the innermost loop. A loop
that runs once leaves no loop behind.

Parallel loops may be *tiled* (`tiling.py`, `loop_transforms.py`): one run of the reductions then computes several
neighbouring elements, scalars or vectors, each in an accumulator of its own:

    for j = 0, 8, 16 …:
      acc0, …, acc7 = for k iter_args(acc0, …, acc7):
        x = load a[k]; acc0 += x · load b[k, j]; …; acc7 += x · load b[k, j + 7]
      store acc0, out[j]; …; store acc7, out[j + 7]      (or, by way of a row, a loop that stores them)

What is left of the extent is a smaller tile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, scf
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Block, Region, SSAValue

from loomir.dialects.affine_forms import AffineForm
from loomir.dialects.index_builder import INDEX, Extent
from loomir.dialects.vectors import mark_tile
from loomir.passes.loops.lower_linalg_to_loops.access import MemRefAccess
from loomir.passes.loops.lower_linalg_to_loops.borders import PromotedCopy
from loomir.passes.loops.lower_linalg_to_loops.index_math import (
    Coordinates,
    IndexEmitter,
    IndexForm,
    dims_of,
    factor_of,
)
from loomir.passes.loops.lower_linalg_to_loops.loop_transforms import IterationRange, Shift, Tile
from loomir.passes.loops.lower_linalg_to_loops.nest_body import NestBody, RolledBody
from loomir.passes.loops.lower_linalg_to_loops.outer_values import OuterValues
from loomir.passes.loops.lower_linalg_to_loops.padding import Padded, PaddedDimension
from loomir.passes.loops.lower_linalg_to_loops.reductions import Epilogue
from loomir.passes.loops.lower_linalg_to_loops.tilings import Tiling, no_tiling


@dataclass
class Nest:
    """Builder of the loops of one generic, in front of it.

    The body's operations are copied there.

    accesses: per operand, None for scalars. order: loop dimensions, outermost first, reductions last. extents: per
    dimension. reductions: the reduction dimensions. padded: by input position. initial: for some outputs (by number), the
    known previous value of all their elements. tiling: of the parallel loops that have one. epilogue: the computation on
    the accumulator before it is stored, if any (`reductions.py`). copies: of inputs (`borders.py`), which `accesses`
    reach.
    """

    generic: GenericOp
    emitter: IndexEmitter
    accesses: Sequence[MemRefAccess | None]
    order: Sequence[int]
    extents: Sequence[Extent]
    reductions: set[int]
    padded: dict[int, Padded]
    initial: dict[int, SSAValue]
    tiling: Tiling = field(default_factory=no_tiling)
    epilogue: Epilogue | None = None
    copies: Sequence[PromotedCopy] = ()

    def __post_init__(self) -> None:
        depth = {dim: level for level, dim in enumerate(self.order)}
        self.copies_at: dict[int, list[PromotedCopy]] = {}
        for copy in self.copies:
            self.copies_at.setdefault(copy.level(depth), []).append(copy)
        split = {blocks.dim: blocks.iteration for blocks in self.tiling.in_blocks}
        self.coordinates = Coordinates(self.emitter, depth, split)
        self.first_reduction = len(self.order) - len(self.reductions)
        self.arguments = self.generic.body.block.args
        self.inputs = len(self.generic.inputs)
        self.bounds: dict[int, tuple[Extent, Extent]] = {
            d: (0, extent) for d, extent in enumerate(self.extents)
        }
        self.completed = self._completed()
        self.carried = carried_outputs(self.generic, self.accesses, self.reductions)
        self.restricted: dict[int, list[PaddedDimension]] = {}
        self.guarded: dict[int, list[PaddedDimension]] = {position: [] for position in self.padded}
        for position, padded in self.padded.items():
            for edge in padded.edges:
                dims = dims_of(edge.terms)
                innermost = max(dims, key=lambda dim: depth[dim], default=None)
                if (
                    padded.neutral
                    and innermost in self.reductions
                    and (factor_of(edge.terms, innermost) or 0) > 0
                ):
                    self.restricted.setdefault(innermost, []).append(edge)
                else:
                    self.guarded[position].append(edge)
        self.tile = Tile(vector=self.tiling.vector)
        kind = RolledBody if self.tiling.rolled else NestBody
        self.body = kind(
            self.generic,
            self.emitter,
            self.coordinates,
            self.accesses,
            self.padded,
            self.initial,
            self.tile,
            bool(self.reductions),
            self.carried,
            self.epilogue,
            conditions=dict.fromkeys(self.padded, True),
        )
        self.body.outer = OuterValues(self.generic.body.block, self._level_of, len(self.order) - 1)

    def _level_of(self, dim: int) -> int | None:
        """Return the level at which a loop's iteration number is complete.

        None if a tile has several iterations.
        """
        unrolled = self.tiling.unrolled
        if dim in self.tiling.parts or (unrolled is not None and unrolled.dim == dim):
            return None
        return self.coordinates.level_of(self.coordinates.split.get(dim, AffineForm.of(dim)))

    def _completed(self) -> dict[int, list[tuple[IndexForm, Extent]]]:
        """Return coordinates and their offsets, by the loops that complete them.

        The offsets are subtracted from the coordinates. Each of the loops completes a part of a coordinate; -1 is in front of
        all loops.
        """
        found: dict[int, list[tuple[IndexForm, Extent]]] = {}
        for position, access in enumerate(self.accesses):
            if access is None or (position < self.inputs and not self.arguments[position].uses):
                continue
            padded = self.padded.get(position)
            for i, terms in enumerate(access.coordinates):
                low: Extent = 0 if padded is None else padded.low[i]
                for level in {-1, *self.coordinates.levels_of(terms)}:
                    found.setdefault(level, []).append((terms, low))
        return found

    def build(self) -> None:
        """Emit everything.

        The generic is left with an empty body, to be erased.
        """
        self._enter(-1)
        self._level(0, [])

    def _level(self, level: int, accumulators: list[SSAValue]) -> list[SSAValue]:
        """Emit the loops from `level` inward and return the final accumulators.

        The accumulators are those of each point of the tile in turn.
        """
        if level == self.first_reduction and self.carried and self.reductions:
            if self.tiling.folded:
                self._folded(level)
                return []
            if isinstance(self.body, RolledBody):
                self.body.open_rows()
                self._loop(level, [])
                self.body.hand_over_rows()
                return []
            results = self._loop(level, self.body.accumulators_before())
            self.body.hand_over(results, by_memory=self.tiling.by_memory)
            return []
        return self._loop(level, accumulators)

    def _loop(self, level: int, accumulators: list[SSAValue]) -> list[SSAValue]:
        if level == len(self.order):
            for shift in self._iterations():
                accumulators = self.body.copy(accumulators, shift)
            return accumulators
        dim = self.order[level]
        if dim in self.tiling.parts and self.tiling.folded:
            return self._shares(level, self.tiling.parts[dim], accumulators)
        if dim in self.tiling.parts:
            assert not accumulators
            self._tiles(level, self.tiling.parts[dim])
            return []
        lower, upper = self._bounds(dim, level)
        unrolled = self.tiling.unrolled
        step = unrolled.times if unrolled is not None and unrolled.dim == dim else 1
        if isinstance(lower, int) and isinstance(upper, int) and upper - lower == step:
            self.coordinates.ivs[dim] = lower
            self._enter(level)
            return self._level(level + 1, accumulators)
        return self._for(level, lower, upper, step, accumulators)

    def _iterations(self) -> list[Shift]:
        """Those that follow one another in the innermost body."""
        unrolled = self.tiling.unrolled
        if unrolled is None:
            return [()]
        return [((unrolled.dim, by),) if by else () for by in range(unrolled.times)]

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
            emitter.insert(scf.YieldOp.create(operands=self._level(level + 1, list(block.args[1:]))))
        self.coordinates.scopes.pop()
        loop = scf.ForOp.create(
            operands=(*bounds, *accumulators),
            result_types=[a.type for a in accumulators],
            regions=(Region(block),),
        )
        emitter.insert(loop)
        if self.tiling.rolled and self.order[level] in self.tiling.parts:
            mark_tile(loop)
        return list(loop.results)

    def _tiles(self, level: int, parts: Sequence[IterationRange]) -> None:
        """Emit a loop over the tiles of each part.

        A part that is one tile needs no loop.
        """
        dim = self.order[level]
        for part, lower, upper in self._spans(dim, parts):
            # Each part has its own bounds of the loops inside, its own partial sums, its own copy of the body.
            bounds, conditions = dict(self.bounds), dict(self.body.conditions)
            self.tile.parts[dim] = part
            if part.tiles == 1 and not self.tiling.rolled:
                self.coordinates.ivs[dim] = lower
                self.coordinates.scopes.append({})
                self._enter(level)
                self._level(level + 1, [])
                self.coordinates.scopes.pop()
            else:
                self._for(level, lower, upper, part.step, [])
            self.bounds, self.body.conditions = bounds, conditions
        del self.tile.parts[dim]

    def _spans(
        self, dim: int, parts: Sequence[IterationRange]
    ) -> Iterator[tuple[IterationRange, Extent, Extent]]:
        """Each part of a loop, from where to where it goes."""
        lower: Extent = 0
        extent = self.extents[dim]
        for part in parts:
            if not part.open:
                yield part, part.first, part.end
                continue
            upper = self.emitter.mul(self.emitter.divui(extent, part.step), part.step)
            yield part, lower, upper
            lower = upper

    def _folded(self, level: int) -> None:
        """Emit reductions along vectors (`tiling.py`).

        The remainder of the extent continues from the previous value of the output.
        """
        (dim,) = self.tiling.parts
        first = self.body.accumulators_before()
        accumulators: list[SSAValue] = []
        for part in self.tiling.parts[dim]:
            self.tile.parts[dim] = part
            accumulators += first if part.width == 1 else self.body.neutral_accumulators()
        del self.tile.parts[dim]
        results = self._loop(level, accumulators)
        count = len(self.carried)
        rest = results[-count:] if self.tiling.parts[dim][-1].width == 1 else first
        vectors = results[: len(results) - (count if rest is not first else 0)]
        self.body.hand_over(self.body.gather(rest, vectors), by_memory=False)

    def _shares(
        self, level: int, parts: Sequence[IterationRange], accumulators: list[SSAValue]
    ) -> list[SSAValue]:
        """The loop over each part, which has accumulators of its own."""
        dim, results = self.order[level], list[SSAValue]()
        for part, lower, upper in self._spans(dim, parts):
            self.tile.parts[dim] = part
            count = part.points * len(self.carried)
            own, accumulators = accumulators[:count], accumulators[count:]
            if part.tiles == 1:
                self.coordinates.ivs[dim] = lower
                self.coordinates.scopes.append({})
                self._enter(level)
                results += self._level(level + 1, own)
                self.coordinates.scopes.pop()
            else:
                results += self._for(level, lower, upper, part.step, own)
        del self.tile.parts[dim]
        return results

    def _bounds(self, dim: int, level: int) -> tuple[Extent, Extent]:
        """Return the lower and upper bound of a loop.

        The outermost reduction is empty where everything is neutral padding.
        """
        emitter = self.emitter
        lower, upper = self.bounds[dim]
        if level == self.first_reduction:
            # Neutral padding that no reduction loop leads out of: outside, none of the iterations has to run.
            for position, padded in self.padded.items():
                condition = self.body.conditions[position]
                if padded.neutral and condition is not True and self._is_decided(position):
                    self.body.conditions[position] = True
                    upper = emitter.select(condition, upper, lower)
        return lower, upper

    def _is_decided(self, position: int) -> bool:
        """Return True if an input's guards are known outside the reduction loops."""
        return all(self.coordinates.level_of(e.terms) < self.first_reduction for e in self.guarded[position])

    def _enter(self, level: int) -> None:
        """Emit the start of a loop's body.

        It consists of copies, and of the parts of coordinates and guards that this loop completes.
        """
        for copy in self.copies_at.get(level, ()):
            copy.emit(self.coordinates, self.emitter)
        self.body.emit_outer(level)
        for terms, low in self.completed.get(level, ()):
            self.coordinates.value(terms, low, level)
        for dim, edges in self.restricted.items():
            for edge in edges:
                rest = edge.terms.without(dim)
                if self.coordinates.level_of(rest) == level and not self.tile.is_inside(edge):
                    self._restrict(dim, edge, rest)
        for position, edges in self.guarded.items():
            for edge in edges:
                if (
                    self.coordinates.level_of(edge.terms) == level
                    and self.arguments[position].uses
                    and not self.tile.is_inside(edge)
                ):
                    self._check(position, edge)

    def _restrict(self, dim: int, edge: PaddedDimension, rest: IndexForm) -> None:
        """Narrow a loop's bounds to the iterations outside of neutral padding."""
        emitter = self.emitter
        factor = factor_of(edge.terms, dim)
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

    def _check(self, position: int, edge: PaddedDimension) -> None:
        index = self.coordinates.value(edge.terms, edge.low)
        conditions = self.body.conditions
        for needed, predicate, limit in ((edge.below, "sge", 0), (edge.above, "slt", edge.size)):
            if not needed:
                continue
            known, condition = conditions[position], self.emitter.compare(predicate, index, limit)
            if known is True or condition is False:
                conditions[position] = condition
            elif isinstance(known, SSAValue) and isinstance(condition, SSAValue):
                both = self.emitter.insert(arith.AndIOp(known, condition))
                conditions[position] = both.results[0]


def carried_outputs(
    generic: GenericOp, accesses: Sequence[MemRefAccess | None], reductions: set[int]
) -> list[int]:
    """Return the outputs that the reduction loops accumulate into one element.

    One run of the reduction loops accumulates into a single element of each: scalars suffice.
    """
    outputs = accesses[len(generic.inputs) :]
    return [
        k
        for k, access in enumerate(outputs)
        if access is not None and not access.map.used_dims() & reductions
    ]
