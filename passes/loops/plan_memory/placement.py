"""The planning problem, greedy placement, and lower bounds.

Buffers have sizes; two that conflict must not overlap; find offsets ≥ 0 that make the highest end least.
Conflicts form any graph, not just an interval graph: buffers of exclusive branches do not conflict, whatever
their lifetimes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from loomir.passes.analysis.liveness import bits_of

MAX_CLIQUES = 48
"""How many cliques the search for a better placement prunes with."""


@dataclass(frozen=True)
class Problem:
    """Placement problem of buffers.

    `sizes[i]` is the size of buffer i in bytes; `neighbours[i]` are the buffers that must not overlap buffer i (symmetric,
    without i).

    `cliques` are sets of buffers that conflict pairwise, heaviest first.
    """

    sizes: tuple[int, ...]
    neighbours: tuple[tuple[int, ...], ...]
    cliques: tuple[tuple[int, ...], ...]

    @property
    def lower_bound(self) -> int:
        """Lower bound of every placement: the heaviest clique.

        All buffers of a clique are needed at once.
        """
        return max((sum(self.sizes[i] for i in clique) for clique in self.cliques), default=0)


def make_problem(sizes: Sequence[int], conflicts: Sequence[int], together: Iterable[int] = ()) -> Problem:
    """Create the placement problem of these buffers.

    `conflicts` are bit sets, `together` bit sets that are likely to be cliques.
    """
    neighbours = tuple(tuple(bits_of(mask)) for mask in conflicts)
    candidates = dict.fromkeys(together)
    if not candidates:
        candidates = {mask | 1 << i: None for i, mask in enumerate(conflicts)}
    weights = {mask: sum(sizes[i] for i in bits_of(mask)) for mask in candidates}
    cliques: dict[tuple[int, ...], None] = {}
    for mask in sorted(weights, key=lambda m: (-weights[m], m))[: 4 * MAX_CLIQUES]:
        cliques[clique_in(mask, sizes, conflicts)] = None
    ordered = sorted(cliques, key=lambda c: (-sum(sizes[i] for i in c), c))
    return Problem(tuple(sizes), neighbours, tuple(ordered[:MAX_CLIQUES]))


def clique_in(mask: int, sizes: Sequence[int], conflicts: Sequence[int]) -> tuple[int, ...]:
    """Return a heavy clique inside a set, with the largest buffers first.

    Return all of the set if it is a clique.
    """
    chosen: list[int] = []
    allowed = mask
    for i in sorted(bits_of(mask), key=lambda i: (-sizes[i], i)):
        if allowed >> i & 1:
            chosen.append(i)
            allowed &= conflicts[i] | 1 << i
    return tuple(sorted(chosen))


def place_in_order(problem: Problem, order: Sequence[int], *, best_fit: bool) -> list[int]:
    """Place the buffers one by one.

    Each buffer goes into the first or the tightest gap between its placed neighbours.
    """
    sizes, neighbours = problem.sizes, problem.neighbours
    offsets = [-1] * len(sizes)
    for i in order:
        taken = sorted((offsets[j], offsets[j] + sizes[j]) for j in neighbours[i] if offsets[j] >= 0)
        end, size, best, slack = 0, sizes[i], -1, 0
        for low, high in taken:
            gap = low - end
            if gap >= size and (best < 0 or gap < slack):
                best, slack = end, gap
                if not best_fit:
                    break
            if high > end:
                end = high
        offsets[i] = end if best < 0 else best
    return offsets


def place_lowest_first(problem: Problem) -> list[int]:
    """Place the buffers from the bottom up.

    The next buffer is always the one that can lie lowest, and among several the largest.
    """
    sizes, neighbours = problem.sizes, problem.neighbours
    offsets = [-1] * len(sizes)
    floors = [0] * len(sizes)
    left = set(range(len(sizes)))
    while left:
        i = min(left, key=lambda i: (floors[i], -sizes[i], i))
        left.remove(i)
        offsets[i] = floors[i]
        top = offsets[i] + sizes[i]
        for j in neighbours[i]:
            floors[j] = max(floors[j], top)
    return offsets


def height_of(problem: Problem, offsets: Sequence[int]) -> int:
    """The highest end of a placement."""
    return max((offset + size for offset, size in zip(offsets, problem.sizes, strict=True)), default=0)


def orders(problem: Problem, spans: Sequence[int]) -> list[list[int]]:
    """Return promising orders of placement.

    They are by size, by lifetime, by the product of both, and by how much is alive beside a buffer.
    """
    sizes = problem.sizes
    beside = [sum(sizes[j] for j in problem.neighbours[i]) for i in range(len(sizes))]
    keys = (
        lambda i: (-sizes[i], -spans[i], i),
        lambda i: (-spans[i], -sizes[i], i),
        lambda i: (-sizes[i] * spans[i], i),
        lambda i: (-sizes[i] * beside[i], i),
        lambda i: (-beside[i] - sizes[i], -sizes[i], i),
    )
    return [sorted(range(len(sizes)), key=key) for key in keys]
