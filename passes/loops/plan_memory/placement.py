"""Offsets of buffers: problem, lower bounds, greedy placement, and search.

Buffers have sizes; two that conflict must not overlap; find offsets ≥ 0 that make the highest end least.
Conflicts form any graph, not just an interval graph: buffers of exclusive branches do not conflict, whatever
their lifetimes.

A portfolio of greedy placements comes first; the search follows where they are above the lower bound.

The search is exact for small problems and local for large ones. Both are deterministic.
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


def branch_and_bound(problem: Problem, best: list[int], node_limit: int) -> tuple[list[int], bool]:
    """Search for a placement lower than `best`.

    Return the best placement, and whether it is known to be optimal.

    Any placement can be pushed down until each buffer lies at 0 or on top of one that it conflicts with. Such a placement
    is built from the bottom up, in the order of offsets: the next buffer lies on its *floor*, the highest end of its
    neighbours so far, and no floor may be below the offset placed last. A branch is cut when a clique no longer fits: its
    lowest floor plus all of it that is still to be placed.
    """
    sizes, neighbours = problem.sizes, problem.neighbours
    count, goal = len(sizes), problem.lower_bound
    best_height = height_of(problem, best)
    member_of: list[list[int]] = [[] for _ in sizes]
    for c, clique in enumerate(problem.cliques):
        for i in clique:
            member_of[i].append(c)
    left_in = [sum(sizes[i] for i in clique) for clique in problem.cliques]
    floors, offsets = [0] * count, [-1] * count
    left = set(range(count))
    nodes = 0

    def hopeless(last: int) -> bool:
        for i in left:
            if max(last, floors[i]) + sizes[i] >= best_height:
                return True
        for c, clique in enumerate(problem.cliques):
            if left_in[c] == 0:
                continue
            lowest = min(floors[i] for i in clique if offsets[i] < 0)
            if max(last, lowest) + left_in[c] >= best_height:
                return True
        return False

    def search(last: tuple[int, int]) -> None:
        nonlocal best, best_height, nodes
        nodes += 1
        if not left:
            best, best_height = list(offsets), height_of(problem, offsets)
            return
        if hopeless(last[0]):
            return
        for i in sorted((i for i in left if (floors[i], i) > last), key=lambda i: (floors[i], -sizes[i], i)):
            if best_height <= goal or nodes >= node_limit:
                return
            offset, old = floors[i], [floors[j] for j in neighbours[i]]
            offsets[i] = offset
            left.remove(i)
            for j in neighbours[i]:
                floors[j] = max(floors[j], offset + sizes[i])
            for c in member_of[i]:
                left_in[c] -= sizes[i]
            search((offset, i))
            for c in member_of[i]:
                left_in[c] += sizes[i]
            for j, floor in zip(neighbours[i], old):
                floors[j] = floor
            left.add(i)
            offsets[i] = -1

    if best_height > goal:
        search((-1, -1))
    return best, best_height <= goal or nodes < node_limit


def local_search(problem: Problem, order: list[int], best: list[int], work_limit: int) -> list[int]:
    """Move buffers at the top of a placement forward in placement order.

    A change is kept if the result is no worse.

    `work_limit` bounds the number of neighbours examined. The moves come from a fixed linear congruential sequence.
    """
    cost = sum(len(n) + 1 for n in problem.neighbours)
    goal, state = problem.lower_bound, 12345
    current, height = best, height_of(problem, best)
    for _ in range(work_limit // max(cost, 1)):
        if height <= goal:
            break
        tops = [k for k, i in enumerate(order) if current[i] + problem.sizes[i] == height]
        state = (state * 1103515245 + 12345) % (1 << 31)
        position = tops[(state >> 8) % len(tops)]
        state = (state * 1103515245 + 12345) % (1 << 31)
        target = (state >> 8) % (position + 1)
        changed = list(order)
        changed.insert(target, changed.pop(position))
        offsets = place_in_order(problem, changed, best_fit=False)
        new_height = height_of(problem, offsets)
        if new_height <= height:
            order, current, height = changed, offsets, new_height
    return current


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
        top = max(offset + size for offset, size in zip(placed, problem.sizes, strict=True))
        # Upside down it is as good, but for the padding of the buffer at the top.
        mirrored = [top - offset - size for offset, size in zip(placed, problem.sizes, strict=True)]
        placed = min(placed, mirrored, key=lambda p: max(o + sizes[i] for i, o in zip(part, p, strict=True)))
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
