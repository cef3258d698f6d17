"""Improvement of a placement by search.

The search is exact for small problems and local for large ones. Both are deterministic.
"""

from __future__ import annotations

from loomir.passes.loops.plan_memory.placement import Problem, height_of, place_in_order


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
