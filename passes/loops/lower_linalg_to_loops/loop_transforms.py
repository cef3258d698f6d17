"""Parts, blocks and merging of a nest's loops, and tiles.

*Parts* are iterations of a loop that run several at a time.

The extents of loops are divided into parts, and the parts of several loops together form a tile.

A tile is a product of parts. Along one dimension it may have *vectors*, of `width` adjacent elements each; along any
dimension it has `points`. For example, a convolution over channels-last data computes 6 pixels × 2 vectors of 8 output
channels:

    parts[ow] = (Part(0, 1, 1), Part(1, 49, 6, inside=True), Part(49, 50, 1))        border, interior, border
    parts[co] = (Part(0, 64, 2, 8),)

A remainder that the largest step does not divide is left to a smaller step behind it (`cut`), never to a test per
element. For a loop with a dynamic extent (`open_parts`), each step does what it can, if anything:

    parts[t] = (open: 4 × 16, 16, 4, 1)        t < n: up to n / 64 · 64, n / 16 · 16, n / 4 · 4, n

*Blocks* of a loop are for constants that are stored in blocks.

`linalg-pack-weights` stores the matrix of a product so that what a tile of columns needs lies together:

    w: memref<5x256x48xf32>,  (n, k) -> (n floordiv 48, k, n mod 48)

Then the nest has two loops in place of `n`, one over the blocks and one inside a block, n = 48 · block + inner, and no index divides:

    for block = 0 … 5:
      for rows…:
        for k: vector.load w[block, k, 0], w[block, k, 16], w[block, k, 32]

*Merging* makes one loop of neighbouring loops.

For example, a product of 6 × 6 pixels has 36 rows:

    for oh < 6, ow < 6, co:  o[oh, ow, co] += x[oh, ow, k] · w[k, co]
    for p < 36, co:          o[p, co]      += x[p, k]      · w[k, co]          o, x: as 36 × n

Two loops can be merged if they run along neighbouring dimensions of every operand that has one of them, over the whole
extents and in order. A tile may then have any divisor of 36 as its rows, and elementwise nests are one loop.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product

from xdsl.dialects.builtin import NoneAttr
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from loomir.dialects.affine_forms import AffineForm
from loomir.dialects.element_types import memref_type_of
from loomir.passes.loops.lower_linalg_to_loops.access import MemRefAccess
from loomir.passes.loops.lower_linalg_to_loops.index_math import Atom, IndexForm, dims_of, factor_of
from loomir.passes.loops.lower_linalg_to_loops.padding import PaddedDimension


@dataclass(frozen=True)
class IterationRange:
    """Iterations `first` … `end - 1` of a loop, `points` times `width` at once.

    `inside`: no iteration leads into padding, whatever the positions of the other loops. `open`: the extent is unknown, and
    so are `first`, which is where the previous part ends, and `end`, the last multiple of the step.
    """

    first: int
    end: int
    points: int = 1
    width: int = 1
    inside: bool = False
    open: bool = False

    @property
    def step(self) -> int:
        """Iterations of the loop in one tile."""
        return self.points * self.width

    @property
    def tiles(self) -> int:
        """How many tiles the part has; 0 of an open one."""
        return (self.end - self.first) // self.step


Shift = tuple[tuple[int, int], ...]
"""Position of a point in a tile.

It consists of pairs `(dimension, iterations behind the tile's first)`, without those whose second number is 0.
"""


@dataclass
class Tile:
    """The part of each tiled loop that is open at the moment."""

    parts: dict[int, IterationRange] = field(default_factory=dict[int, IterationRange])
    vector: int | None = None

    @property
    def width(self) -> int:
        """Elements of a vector, 1 for scalars."""
        return 1 if self.vector is None or self.vector not in self.parts else self.parts[self.vector].width

    @property
    def columns(self) -> int:
        """Loop of the tile's columns: the vector loop, or the only loop."""
        return next(iter(self.parts)) if self.vector is None else self.vector

    def points(self) -> list[Shift]:
        """Return all points, with those along vectors innermost.

        The first point is not shifted in any dimension.
        """
        dims = sorted(self.parts, key=lambda dim: dim == self.vector)
        offsets = [[n * self.parts[dim].width for n in range(self.parts[dim].points)] for dim in dims]
        return [
            tuple((dim, by) for dim, by in zip(dims, shift, strict=True) if by) for shift in product(*offsets)
        ]

    def is_inside(self, edge: PaddedDimension) -> bool:
        """Return True if a currently open part excludes reaching an edge."""
        return any(part.inside and dim in dims_of(edge.terms) for dim, part in self.parts.items())


def cut(
    first: int, end: int, sizes: Sequence[tuple[int, int]], *, inside: bool = False
) -> Iterator[IterationRange]:
    """Cut the iterations from `first` to `end` into parts by `sizes`.

    The first `(points, width)` is used as often as it fits; the remainder is cut by the next one, and so on.

    >>> [(p.first, p.end, p.points, p.width) for p in cut(0, 44, [(2, 16), (1, 8), (1, 4)])]
    [(0, 32, 2, 16), (32, 40, 1, 8), (40, 44, 1, 4)]
    """
    for points, width in sizes:
        whole = (end - first) // (points * width) * (points * width)
        if whole:
            yield IterationRange(first, first + whole, points, width, inside)
            first += whole
    assert first == end, "the last size divides whatever is left"


def open_parts(*sizes: tuple[int, int]) -> tuple[IterationRange, ...]:
    """Return parts of an unknown extent, one for each `(points, width)`.

    Each step divides the previous one, and the last step is 1.
    """
    parts = tuple(IterationRange(0, 0, points, width, open=True) for points, width in sizes)
    steps = [part.step for part in parts]
    assert steps[-1] == 1
    assert all(a % b == 0 for a, b in pairwise(steps))
    return parts


def by_rest(extent: int, points: int) -> list[tuple[int, int]]:
    """Tiles of `points` scalars, and a smaller one for what is left."""
    rest = extent % points
    return [(points, 1), *([(rest, 1)] if rest else [])]


def shift_of(terms: IndexForm, shift: Shift) -> int:
    """Return the offset that a point adds to a coordinate.

    The coordinate is linear in the dimensions of tiles.
    """
    total = 0
    for dim, by in shift:
        factor = factor_of(terms, dim)
        assert factor is not None, "a tile along a dimension that an index divides"
        total += factor * by
    return total


@dataclass(frozen=True)
class Blocks:
    """Loop `dim` in blocks of `size` iterations.

    `dim` now counts blocks; the new loop `inner` runs inside a block.
    """

    dim: int
    inner: int
    size: int

    @property
    def iteration(self) -> IndexForm:
        """The number of an iteration of the whole loop."""
        return AffineForm.of(self.dim, self.size) + AffineForm.of(self.inner)

    def of(self, access: MemRefAccess) -> MemRefAccess:
        """Return an access as a function of the two loops.

        Its coordinates may divide the loop by the size of a block, and by no other number.
        """
        return replace(access, coordinates=tuple(map(self._form, access.coordinates)))

    def all_of(self, accesses: Sequence[MemRefAccess | None]) -> list[MemRefAccess | None]:
        """Each access as a function of the two loops."""
        return [None if access is None else self.of(access) for access in accesses]

    def extents(self, extents: Mapping[int, int]) -> dict[int, int]:
        """Trip counts with the loop in blocks."""
        return {**extents, self.dim: extents[self.dim] // self.size, self.inner: self.size}

    def _form(self, form: IndexForm) -> IndexForm:
        return sum((self._atom(atom) * by for atom, by in form.terms), IndexForm(form.constant))

    def _atom(self, atom: Atom) -> IndexForm:
        if atom == self.dim:
            return self.iteration
        if isinstance(atom, int) or self.dim not in atom.used_dims():
            return AffineForm.of(atom)
        kind = _kind_of_division(atom, self.dim, self.size)
        assert kind is not None, f"{atom}: no quotient by a block"
        return AffineForm.of(self.dim if kind is AffineBinaryOpKind.FloorDiv else self.inner)


def blocks_of(
    accesses: Sequence[MemRefAccess | None], parallel: Sequence[int], extents: Mapping[int, int], loops: int
) -> Blocks | None:
    """Return the blocks in which an operand is stored, or None.

    All other operands must be compatible with these blocks. `loops` is the number of loops.
    """
    for access in accesses:
        last = None if access is None or not access.map.results else access.map.results[-1]
        if not isinstance(last, AffineBinaryOpExpr) or last.kind is not AffineBinaryOpKind.Mod:
            continue
        if not isinstance(last.lhs, AffineDimExpr) or not isinstance(last.rhs, AffineConstantExpr):
            continue
        assert access is not None
        dim, size = last.lhs.position, last.rhs.value
        whole = memref_type_of(access.value).get_shape()[-1] == size and extents.get(dim, 1) % size == 0
        if dim in parallel and whole and all(_is_only_divided(a, dim, size) for a in accesses):
            return Blocks(dim, loops, size)
    return None


def _is_only_divided(access: MemRefAccess | None, dim: int, size: int) -> bool:
    """Return True if a loop is only divided by the block size."""
    return access is None or all(
        isinstance(atom, int) or dim not in atom.used_dims() or _kind_of_division(atom, dim, size) is not None
        for terms in access.coordinates
        for atom, _ in terms.terms
    )


def _kind_of_division(atom: AffineExpr, dim: int, size: int) -> AffineBinaryOpKind | None:
    """Return the kind of an atom that divides a loop, or None.

    The atom must be the quotient or the remainder of the loop by the size of a block.
    """
    if not isinstance(atom, AffineBinaryOpExpr) or atom.kind is AffineBinaryOpKind.CeilDiv:
        return None
    matches = atom.lhs == AffineDimExpr(dim) and atom.rhs == AffineConstantExpr(size)
    return atom.kind if matches else None


@dataclass(frozen=True)
class CollapsedLoops:
    """Pairs of an outer and an inner loop that are merged.

    The inner loop performs the iterations of both; the outer loop runs once. `once` are the loops that ran once before and
    move nothing, such as the filter loops of a 1 × 1 convolution.
    """

    pairs: tuple[tuple[int, int], ...]
    once: frozenset[int] = frozenset()

    def has(self, dim: int) -> bool:
        """Return True if a loop belongs to a merged pair."""
        return any(dim in pair for pair in self.pairs)

    def of(self, access: MemRefAccess) -> MemRefAccess:
        """An access as a function of the loops that are left."""
        access = replace(access, coordinates=tuple(form.without(*self.once) for form in access.coordinates))
        for outer, inner in self.pairs:
            at = _place_of(access, outer)
            if at is not None and _place_of(access, inner) == at + 1:
                access = _merged(access, at)
        return access

    def all_of(self, accesses: Sequence[MemRefAccess | None]) -> list[MemRefAccess | None]:
        """Each access as a function of the loops that are left."""
        return [None if access is None else self.of(access) for access in accesses]

    def extents(self, extents: Mapping[int, int]) -> dict[int, int]:
        """The trip counts of the loops that are left."""
        found = dict(extents)
        for outer, inner in self.pairs:
            found[inner] *= found[outer]
            found[outer] = 1
        return found


def merged_loops(
    accesses: Sequence[MemRefAccess | None],
    loops: Sequence[int],
    extents: Mapping[int, int],
    fixed: Collection[int],
) -> CollapsedLoops:
    """Return the loops that can be merged, from the inside out.

    `fixed` are positions of accesses that must stay unchanged.
    """
    pairs: list[tuple[int, int]] = []
    once = frozenset(dim for dim, extent in extents.items() if extent == 1)
    done = CollapsedLoops((), once)
    for outer in reversed(loops):
        for inner in loops:
            if inner == outer or outer not in extents or inner not in extents:
                continue
            if all(
                access is None
                or _are_neighbours(done.of(access), outer, inner, done.extents(extents), position in fixed)
                for position, access in enumerate(accesses)
            ):
                pairs.append((outer, inner))
                done = CollapsedLoops(tuple(pairs), once)
                break
    return done


def _place_of(access: MemRefAccess, dim: int) -> int | None:
    """The coordinate that is a loop, and nothing else."""
    return next((i for i, terms in enumerate(access.coordinates) if terms == AffineForm.of(dim)), None)


def _are_neighbours(
    access: MemRefAccess, outer: int, inner: int, extents: Mapping[int, int], fixed: bool
) -> bool:
    """Return True if the loops run along neighbouring dimensions of an operand.

    Loops that run along none of its dimensions qualify, too.
    """
    places = [i for i, terms in enumerate(access.coordinates) if dims_of(terms) & {outer, inner}]
    if not places:
        return True
    at = _place_of(access, outer)
    if fixed or at is None or _place_of(access, inner) != at + 1 or places != [at, at + 1]:
        return False
    shape = access.shape
    contiguous = isinstance(memref_type_of(access.value).layout, NoneAttr)
    return contiguous and shape[at] == extents[outer] and shape[at + 1] == extents[inner]


def _merged(access: MemRefAccess, at: int) -> MemRefAccess:
    groups = access.groups
    return replace(
        access,
        coordinates=(*access.coordinates[:at], *access.coordinates[at + 1 :]),
        strides=(*access.strides[:at], *access.strides[at + 1 :]),
        groups=(*groups[:at], groups[at] + groups[at + 1], *groups[at + 2 :]),
    )
