"""Offsets for buffers, from greedy placements and a search.

A portfolio of greedy placements comes first; the search follows where they are above the lower bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from loomir.passes.analysis.liveness import bits_of
from loomir.passes.loops.plan_memory.placement import (
    Problem,
    height_of,
    make_problem,
    orders,
    place_in_order,
    place_lowest_first,
)
from loomir.passes.loops.plan_memory.search import branch_and_bound, local_search

EXACT_BUFFERS = 64
"""Maximum number of buffers in an exactly searched part of the problem."""
NODE_LIMIT = 10_000
WORK_LIMIT = 500_000


@dataclass(frozen=True)
class Solution:
    """Offsets of buffers, and the height that they need.

    `lower_bound` is a height that no placement can beat; `optimal` tells whether `height` is known to be the least.
    """

    offsets: tuple[int, ...]
    height: int
    lower_bound: int
    optimal: bool


def solve(
    sizes: Sequence[int],
    conflicts: Sequence[int],
    *,
    together: Iterable[int] = (),
    spans: Sequence[int] | None = None,
    alignment: int = 1,
    node_limit: int = NODE_LIMIT,
    work_limit: int = WORK_LIMIT,
) -> Solution:
    """Place buffers as low as possible without overlap of conflicting ones.

    The highest end of the buffers is to be low.

    sizes: bytes, 0 allowed. conflicts: per buffer a bit set of buffers, symmetric. together: bit sets of buffers that are
    likely to conflict pairwise, for the lower bound. spans: the lifetime of each buffer, for one of the heuristics. Every
    offset is a multiple of `alignment`. The limits bound the search per connected part; they count steps, not time, so the
    result is always the same.
    """
    rounded = [-(-size // alignment) * alignment for size in sizes]
    offsets = [0] * len(sizes)
    lower_bound, optimal = 0, True
    together = list(together)
    needed = sum(1 << i for i, size in enumerate(rounded) if size)
    for part in _components(conflicts, needed):
        index = {i: k for k, i in enumerate(part)}
        mask = sum(1 << i for i in part)
        local = [_renumber(conflicts[i] & mask, index) for i in part]
        hints = {_renumber(group & mask, index) for group in together if group & mask}
        problem = make_problem([rounded[i] for i in part], local, sorted(hints))
        alive = [spans[i] for i in part] if spans is not None else [len(n) + 1 for n in problem.neighbours]
        placed, is_optimal = _solve_part(problem, alive, node_limit, work_limit)
        for i, offset in zip(part, placed, strict=True):
            offsets[i] = offset
        lower_bound = max(lower_bound, problem.lower_bound)
        optimal &= is_optimal
    # A buffer's last bytes of padding need not exist.
    height = max((offset + size for offset, size in zip(offsets, sizes, strict=True)), default=0)
    return Solution(tuple(offsets), height, min(lower_bound, height), optimal)


def _solve_part(
    problem: Problem, spans: Sequence[int], node_limit: int, work_limit: int
) -> tuple[list[int], bool]:
    if len(problem.cliques) and len(problem.cliques[0]) == len(problem.sizes):
        # All conflict with all: any stack is best.
        return place_in_order(problem, range(len(problem.sizes)), best_fit=False), True
    candidates: list[tuple[int, list[int], list[int]]] = []
    for order in orders(problem, spans):
        for best_fit in (False, True):
            offsets = place_in_order(problem, order, best_fit=best_fit)
            candidates.append((height_of(problem, offsets), order, offsets))
            if candidates[-1][0] == problem.lower_bound:
                return offsets, True
    offsets = place_lowest_first(problem)
    candidates.append(
        (height_of(problem, offsets), sorted(range(len(offsets)), key=lambda i: offsets[i]), offsets)
    )
    height, order, best = min(candidates, key=lambda candidate: candidate[0])
    if len(problem.sizes) <= EXACT_BUFFERS and height > problem.lower_bound:
        best, optimal = branch_and_bound(problem, best, node_limit)
        if optimal:
            return best, True
        order = sorted(order, key=lambda i: best[i])
    best = local_search(problem, order, best, work_limit)
    return best, height_of(problem, best) == problem.lower_bound


def _components(conflicts: Sequence[int], needed: int) -> list[list[int]]:
    """The connected parts of the conflict graph, restricted to some buffers."""
    parts: list[list[int]] = []
    left = needed
    while left:
        part = frontier = left & -left
        while frontier:
            reached = 0
            for i in bits_of(frontier):
                reached |= conflicts[i]
            frontier = reached & needed & ~part
            part |= frontier
        parts.append(list(bits_of(part)))
        left &= ~part
    return parts


def _renumber(mask: int, index: dict[int, int]) -> int:
    result = 0
    for i in bits_of(mask):
        result |= 1 << index[i]
    return result
