"""Parts of loops that run several iterations at a time, and tiles.

The extents of loops are divided into parts, and the parts of several loops together form a tile.

A tile is a product of parts. Along one dimension it may have *vectors*, of `width` adjacent elements each; along any
dimension it has `points`. For example, a convolution over channels-last data computes 6 pixels × 2 vectors of 8 output
channels:

    parts[ow] = (Part(0, 1, 1), Part(1, 49, 6, inside=True), Part(49, 50, 1))        border, interior, border
    parts[co] = (Part(0, 64, 2, 8),)

A remainder that the largest step does not divide is left to a smaller step behind it (`cut`), never to a test per
element. For a loop with a dynamic extent (`open_parts`), each step does what it can, if anything:

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

    parts: dict[int, Part] = field(default_factory=dict[int, Part])
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

    def is_inside(self, edge: Edge) -> bool:
        """Return True if a currently open part excludes reaching an edge."""
        return any(part.inside and dim in edge.terms.dims() for dim, part in self.parts.items())


def cut(first: int, end: int, sizes: Sequence[tuple[int, int]], *, inside: bool = False) -> Iterator[Part]:
    """Cut the iterations from `first` to `end` into parts by `sizes`.

    The first `(points, width)` is used as often as it fits; the remainder is cut by the next one, and so on.

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
    """Return parts of an unknown extent, one for each `(points, width)`.

    Each step divides the previous one, and the last step is 1.
    """
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
    """Return the offset that a point adds to a coordinate.

    The coordinate is linear in the dimensions of tiles.
    """
    total = 0
    for dim, by in shift:
        factor = terms.coefficient(dim)
        assert factor is not None, "a tile along a dimension that an index divides"
        total += factor * by
    return total
