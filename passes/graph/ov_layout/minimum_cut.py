"""Minimum cut of a directed graph by Dinic's algorithm, with bounded work."""

from __future__ import annotations

from collections import deque

UNLIMITED = 1 << 62

WORK = 200
"""Steps allowed for each arc, so that work grows with the network.

Networks of real programs are finished after 2 to 4.
"""


class Network:
    """Flow network whose vertices are numbered from 0.

    Vertex 0 is the source and vertex 1 the sink. An arc costs its capacity if it goes from the source's side to the sink's.
    """

    def __init__(self) -> None:
        self.arcs: list[list[int]] = [[], []]
        """Arc numbers of each vertex; `k ^ 1` is the reverse of `k`."""
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
        """Return the vertices on the source's side of a minimum cut.

        Among several minimum cuts it is the one with the fewest vertices. If the work exceeds its bound, the result is the
        source alone.
        """
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
        """Return each vertex's distance from the source over residual arcs.

        Such arcs have capacity left. The distance is -1 for a vertex that is not reached.
        """
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
        """Push the greatest possible flow along one path through the levels.

        Return True if there was a path. `places` holds the position at which each vertex continues.
        """
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
