"""Pairs of buffers that may share an address, joined before placement.

An elementwise nest may write its result over an input that dies there (`passes/analysis/replacing.py`). Placing the two
as one buffer saves one of them, but the single buffer then lives as long as both did. Therefore the problem is solved
both joined and separately, and the lower arena wins.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from loomir.passes.analysis.liveness import bits_of
from loomir.passes.loops.plan_memory.placement import make_problem
from loomir.passes.loops.plan_memory.solver import Solution, solve


def solve_with_pairs(
    sizes: Sequence[int],
    conflicts: Sequence[int],
    pairs: Collection[tuple[int, int]],
    *,
    together: Collection[int],
    spans: Sequence[int],
    alignment: int,
) -> Solution:
    """Solve as `solve` does, but let buffer pairs share an address.

    The buffers of a pair in `pairs` have the same address or do not overlap; a pair that conflicts altogether shares no
    address.
    """
    pairs = sorted(p for p in pairs if sizes[p[0]] and sizes[p[1]] and not conflicts[p[0]] >> p[1] & 1)
    apart = list(conflicts)
    for a, b in pairs:
        apart[a] |= 1 << b
        apart[b] |= 1 << a
    separate = solve(sizes, apart, together=together, spans=spans, alignment=alignment)
    if not pairs:
        return separate
    leader, members, joined = _join(sizes, conflicts, pairs)
    left = sorted(members)
    index = {i: k for k, i in enumerate(left)}

    def renumbered(mask: int) -> int:
        result = 0
        for i in bits_of(mask):
            result |= 1 << index[leader[i]]
        return result

    for a, b in pairs:
        if leader[a] != leader[b]:
            joined[leader[a]] |= 1 << leader[b]
            joined[leader[b]] |= 1 << leader[a]
    shared = solve(
        [max(sizes[j] for j in members[i]) for i in left],
        [renumbered(joined[i]) for i in left],
        together=sorted({renumbered(group) for group in together}),
        spans=[sum(spans[j] for j in members[i]) for i in left],
        alignment=alignment,
    )
    # Whatever is joined, buffers that conflict altogether lie side by side.
    rounded = [-(-size // alignment) * alignment for size in sizes]
    relaxed = make_problem(rounded, conflicts, sorted(together)).lower_bound
    best = separate if separate.height <= shared.height else shared
    if best is shared:
        best = replace(best, offsets=tuple(shared.offsets[index[leader[i]]] for i in range(len(sizes))))
    # The last buffer needs no padding, so the height may be a little below a bound on rounded sizes.
    bound = min(relaxed, best.height)
    return replace(best, lower_bound=bound, optimal=best.height <= bound)


def _join(
    sizes: Sequence[int], conflicts: Sequence[int], pairs: Sequence[tuple[int, int]]
) -> tuple[list[int], dict[int, list[int]], list[int]]:
    """Join pairs into groups, large pairs first.

    No two buffers of a group conflict. Return the leader of every buffer, the members of every leader, and the conflicts of
    the leaders as sets of leaders.
    """
    leader = list(range(len(sizes)))
    members = {i: [i] for i in leader}
    group_mask = [1 << i for i in leader]
    conflict = list(conflicts)
    for a, b in sorted(pairs, key=lambda p: (-min(sizes[p[0]], sizes[p[1]]), p)):
        x, y = leader[a], leader[b]
        if x == y or conflict[x] & group_mask[y]:
            continue
        if len(members[x]) < len(members[y]):
            x, y = y, x
        for i in members[y]:
            leader[i] = x
        members[x] += members.pop(y)
        group_mask[x] |= group_mask[y]
        conflict[x] |= conflict[y]
    joined = [0] * len(sizes)
    for x in members:
        for i in bits_of(conflict[x]):
            joined[x] |= 1 << leader[i]
    return leader, members, joined
