"""Loops that are done several iterations at a time: the parts of their extents, and the tile that the parts make together.

A tile is a product of parts. Along one dimension it may have *vectors*, of `width` neighbouring elements each; along any it has
`points`. A convolution over channels-last data, for instance, computes 6 pixels × 2 vectors of 8 output channels:

    parts[ow] = (Part(0, 1, 1), Part(1, 49, 6, inside=True), Part(49, 50, 1))        border, interior, border
    parts[co] = (Part(0, 64, 2, 8),)

What does not divide by the largest step is done by a smaller one behind it (`cut`), never by a test per element. Of a loop whose extent
is not known before the program runs (`open_parts`) each step does what it can, if anything:

    parts[t] = (open: 4 × 16, 16, 4, 1)        t < n: up to n / 64 · 64, n / 16 · 16, n / 4 · 4, n
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product

from loomir.passes.loops.lower_linalg_to_loops.index_math import Terms
from loomir.passes.loops.lower_linalg_to_loops.padding import Edge


@dataclass(frozen=True)
class Part:
    """The iterations `first` … `end - 1` of a loop, `points` times `width` at a time.

    `inside`: none of them leads into padding, wherever the other loops are. `open`: the extent is not known, and neither are `first`, which
    is where the part before ends, and `end`, the last multiple of the step.
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
"""Where a point of a tile is: `(dimension, iterations behind the tile's first)`, without those that are 0."""


@dataclass
class Tile:
    """The part of each tiled loop that is open at the moment."""

    parts: dict[int, Part] = field(default_factory=dict[int, Part])
    vector: int | None = None

    @property
    def width(self) -> int:
        """Elements of a vector, 1 for scalars."""
        return 1 if self.vector is None or self.vector not in self.parts else self.parts[self.vector].width

    @property
    def columns(self) -> int:
        """The loop that the columns of the tile are of: that of vectors, or else the only one."""
        return next(iter(self.parts)) if self.vector is None else self.vector

    def points(self) -> list[Shift]:
        """All points, those along vectors innermost; one that is nowhere shifted is the first."""
        dims = sorted(self.parts, key=lambda dim: dim == self.vector)
        offsets = [[n * self.parts[dim].width for n in range(self.parts[dim].points)] for dim in dims]
        return [
            tuple((dim, by) for dim, by in zip(dims, shift, strict=True) if by) for shift in product(*offsets)
        ]

    def is_inside(self, edge: Edge) -> bool:
        """Whether an open part says that an edge is not reached."""
        return any(part.inside and dim in edge.terms.dims() for dim, part in self.parts.items())


def cut(first: int, end: int, sizes: Sequence[tuple[int, int]], *, inside: bool = False) -> Iterator[Part]:
    """The iterations from `first` to `end` by the first of `(points, width)` as often as it fits, what is left by the next, and so on.

    >>> [(p.first, p.end, p.points, p.width) for p in cut(0, 44, [(2, 16), (1, 8), (1, 4)])]
    [(0, 32, 2, 16), (32, 40, 1, 8), (40, 44, 1, 4)]
    """
    for points, width in sizes:
        whole = (end - first) // (points * width) * (points * width)
        if whole:
            yield Part(first, first + whole, points, width, inside)
            first += whole
    assert first == end, "the last size divides whatever is left"


def open_parts(*sizes: tuple[int, int]) -> tuple[Part, ...]:
    """Parts of an extent that is not known, by each `(points, width)` in turn; each step divides the one before, the last is 1."""
    parts = tuple(Part(0, 0, points, width, open=True) for points, width in sizes)
    steps = [part.step for part in parts]
    assert steps[-1] == 1
    assert all(a % b == 0 for a, b in pairwise(steps))
    return parts


def by_rest(extent: int, points: int) -> list[tuple[int, int]]:
    """Tiles of `points` scalars, and a smaller one for what is left."""
    rest = extent % points
    return [(points, 1), *([(rest, 1)] if rest else [])]


def shift_of(terms: Terms, shift: Shift) -> int:
    """What a point adds to a coordinate, which is linear in the dimensions of tiles."""
    total = 0
    for dim, by in shift:
        factor = terms.coefficient(dim)
        assert factor is not None, "a tile along a dimension that an index divides"
        total += factor * by
    return total
