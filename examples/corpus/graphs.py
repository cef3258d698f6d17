"""Shortest paths and reachability in graphs."""

from __future__ import annotations

import numpy as np

from corpus.program import Parts, int64, integers, program

FAR = 10**6
"""Distance of what cannot be reached."""


def random_graph(seed: int, vertices: int, of_ten: int) -> np.ndarray:
    """Return a matrix of edge lengths from 1 to 19, `FAR` where there is no edge, with `of_ten` tenths of all edges."""
    lengths = integers(seed, 1, 20, vertices, vertices)
    lengths[integers(seed + 1, 0, 10, vertices, vertices) >= of_ten] = FAR
    np.fill_diagonal(lengths, 0)
    return lengths


@program("Floyd, Algorithm 97: Shortest Path, 1962")
def floyd_warshall() -> Parts:
    """Distances of all pairs: paths through one more vertex in each trip."""

    def truth(lengths: np.ndarray) -> dict[str, object]:
        d = lengths.tolist()
        for k, i, j in np.ndindex(12, 12, 12):
            d[i][j] = min(d[i][j], d[i][k] + d[k][j])
        return {"distances": np.minimum(d, FAR)}

    return Parts(
        text="""
        (int64[12,12] lengths) => (int64[12,12] distances) {
          all = Loop (i12, yes, lengths) <body = through
            (int64 k, bool go, int64[12,12] d0) => (bool on, int64[12,12] d1) {
              on = Identity (go)
              to = Gather <axis = 1> (d0, k)
              from = Gather <axis = 0> (d0, k)
              upright = Unsqueeze (to, at1)
              sums = Add (upright, from)
              d1 = Min (d0, sums)
          }>
          distances = Min (all, far)
        }""",
        weights={"i12": int64(12), "far": int64(FAR)},
        feeds=[{"lengths": random_graph(921, 12, 3)}, {"lengths": random_graph(923, 12, 0)}],
        truth=truth,
    )


@program("Bellman, On a Routing Problem, 1958")
def bellman_ford() -> Parts:
    """Distances from a vertex: edges relaxed one by one, until a round changes nothing."""
    vertices = 10

    def truth(
        start: np.ndarray, source: np.ndarray, target: np.ndarray, length: np.ndarray
    ) -> dict[str, object]:
        d = [FAR] * vertices
        d[int(start)] = 0
        rounds, changed = 0, True
        while changed and rounds < vertices:
            before = list(d)
            for a, b, w in zip(source, target, length):
                d[int(b)] = min(d[int(b)], d[int(a)] + int(w))
            rounds, changed = rounds + 1, d != before
        return {"distances": d, "rounds": rounds}

    edges = {
        "source": integers(924, 0, vertices, 30),
        "target": integers(925, 0, vertices, 30),
        "length": integers(926, 0, 20, 30),
    }
    none = {name: int64([]) for name in edges}
    chain = {"source": np.arange(8, -1, -1), "target": np.arange(9, 0, -1), "length": np.full(9, -1)}
    return Parts(
        text="""
        (int64 start, int64[E] source, int64[E] target, int64[E] length) => (int64[10] distances, int64 rounds) {
          edges = Size (source)
          at_start = Equal (places, start)
          first = Where (at_start, i0, unreached)
          distances, rounds = Loop (i10, yes, first, i0) <body = round
            (int64 t, bool go, int64[10] d0, int64 r0) => (bool on, int64[10] d1, int64 r1) {
              d1 = Loop (edges, yes, d0) <body = relax
                (int64 e, bool more, int64[10] e0) => (bool more1, int64[10] e1) {
                  more1 = Identity (more)
                  a = Gather (source, e)
                  b = Gather (target, e)
                  w = Gather (length, e)
                  to_a = Gather (e0, a)
                  to_b = Gather (e0, b)
                  through = Add (to_a, w)
                  least = Min (to_b, through)
                  place = Unsqueeze (b, at0)
                  value = Unsqueeze (least, at0)
                  e1 = ScatterElements <axis = 0> (e0, place, value)
              }>
              changes = Sub (d1, d0)
              sizes = Abs (changes)
              any = ReduceMax <keepdims = 0> (sizes)
              on = Greater (any, i0)
              r1 = Add (r0, i1)
          }>
        }""",
        weights={"i10": int64(10), "places": np.arange(vertices), "unreached": np.full(vertices, FAR)},
        feeds=[{"start": int64(3), **edges}, {"start": int64(0), **none}, {"start": int64(0), **chain}],
        truth=truth,
    )


@program("Moore, The Shortest Path through a Maze, 1959")
def breadth_first() -> Parts:
    """Levels of vertices from a start, a frontier at a time, until it is empty."""

    def truth(edges: np.ndarray, start: np.ndarray) -> dict[str, object]:
        levels, queue = {int(start): 0}, [int(start)]
        for vertex in queue:
            for other in np.flatnonzero(edges[vertex]):
                if int(other) not in levels:
                    levels[int(other)] = levels[vertex] + 1
                    queue.append(int(other))
        return {"levels": int64([levels.get(v, -1) for v in range(16)])}

    return Parts(
        text="""
        (bool[16,16] edges, int64 start) => (int64[16] levels) {
          numbers = Cast <to = 1> (edges)
          frontier_start = Equal (places, start)
          level_start = Where (frontier_start, i0, minus)
          frontier, levels = Loop (, yes, frontier_start, level_start) <body = level
            (int64 t, bool go, bool[16] f0_, int64[16] l0) => (bool on, bool[16] f1_, int64[16] l1) {
              from = Cast <to = 1> (f0_)
              reached = MatMul (from, numbers)
              positive = Greater (reached, f0)
              unseen = Less (l0, i0)
              f1_ = And (positive, unseen)
              next = Add (t, i1)
              l1 = Where (f1_, next, l0)
              counts = Cast <to = 7> (f1_)
              any = ReduceMax <keepdims = 0> (counts)
              on = Greater (any, i0)
          }>
        }""",
        weights={"places": np.arange(16), "minus": int64(-1)},
        feeds=[
            {"edges": integers(927, 0, 8, 16, 16) == 0, "start": int64(2)},
            {"edges": np.zeros((16, 16), bool), "start": int64(5)},
            {"edges": np.eye(16, k=1) > 0, "start": int64(0)},
        ],
        truth=truth,
    )
