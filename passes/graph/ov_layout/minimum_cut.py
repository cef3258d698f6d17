"""The cheapest way to part a directed graph in two: Dinic's maximum flow, with a bound on the work."""

from __future__ import annotations

from collections import deque

UNLIMITED = 1 << 62

WORK = 200
"""Steps for each arc, so that the work grows with the network; those of real programs are finished after 2 to 4."""


class Network:
    """Vertices 0, 1, …, of which 0 is the source and 1 the sink. An arc costs its capacity where it goes from the source's side to the
    sink's."""

    def __init__(self) -> None:
        self.arcs: list[list[int]] = [[], []]
        """Of each vertex, the numbers of its arcs; arc k ^ 1 is arc k the other way round."""
        self.head: list[int] = []
        self.capacity: list[int] = []

    def vertex(self) -> int:
        """A new vertex."""
        self.arcs.append([])
        return len(self.arcs) - 1

    def arc(self, tail: int, head: int, capacity: int) -> None:
        """A new arc."""
        for a, b, c in ((tail, head, capacity), (head, tail, 0)):
            self.arcs[a].append(len(self.head))
            self.head.append(b)
            self.capacity.append(c)

    def source_side(self) -> set[int]:
        """The vertices on the source's side of a cheapest cut: the fewest, where several are as cheap; the source alone where the work is
        too much."""
        self.left = WORK * (len(self.head) + len(self.arcs))
        while True:
            level = self._levels()
            if level[1] < 0:
                return {vertex for vertex, depth in enumerate(level) if depth >= 0}
            if self.left < 0:
                return {0}
            places = [0] * len(self.arcs)
            while self.left >= 0 and self._push(level, places):
                pass

    def _levels(self) -> list[int]:
        """How far each vertex is from the source over arcs that have capacity left; -1: it is not reached."""
        level = [-1] * len(self.arcs)
        level[0] = 0
        waiting = deque([0])
        while waiting:
            vertex = waiting.popleft()
            self.left -= len(self.arcs[vertex])
            for arc in self.arcs[vertex]:
                head = self.head[arc]
                if self.capacity[arc] and level[head] < 0:
                    level[head] = level[vertex] + 1
                    waiting.append(head)
        return level

    def _push(self, level: list[int], places: list[int]) -> bool:
        """Send what one path from level to level can take; whether there was one. `places` is where each vertex goes on."""
        path: list[int] = []
        vertex = 0
        while vertex != 1:
            self.left -= 1
            if places[vertex] == len(self.arcs[vertex]):
                if not path:
                    return False
                vertex = self.head[path.pop() ^ 1]
                places[vertex] += 1
                continue
            arc = self.arcs[vertex][places[vertex]]
            if self.capacity[arc] and level[self.head[arc]] == level[vertex] + 1:
                path.append(arc)
                vertex = self.head[arc]
            else:
                places[vertex] += 1
        least = min(self.capacity[arc] for arc in path)
        for arc in path:
            self.capacity[arc] -= least
            self.capacity[arc ^ 1] += least
        return True
