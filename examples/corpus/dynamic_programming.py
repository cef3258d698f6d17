"""Dynamic programming: tables whose rows or cells depend on earlier ones."""

from __future__ import annotations

import numpy as np

from corpus.program import Parts, float32, floats, int64, integers, program


@program("Viterbi, Error Bounds for Convolutional Codes, 1967")
def viterbi() -> Parts:
    """Likeliest path through a hidden Markov model: scores forward, then the path backward."""
    moves, first = floats(11, 8, 8), floats(12, 8)

    def truth(emissions: np.ndarray) -> dict[str, object]:
        score, back = first + emissions[0], []
        for row in emissions[1:]:
            through = score[:, None] + moves.astype(float)
            back.append(through.argmax(0))
            score = through.max(0) + row
        path = [int(score.argmax())]
        for pointers in reversed(back):
            path.append(int(pointers[path[-1]]))
        return {"path": path[::-1], "score": score.max()}

    return Parts(
        text="""
        (float[T,8] emissions) => (int64[T] path, float score) {
          extents = Shape <end = 1> (emissions)
          length = Squeeze (extents)
          trips = Sub (length, i1)
          row0 = Gather <axis = 0> (emissions, i0)
          score0 = Add (first, row0)
          scores, back = Loop (trips, yes, score0) <body = forward
            (int64 t, bool go, float[8] s0) => (bool on, float[8] s1, int64[8] pointers) {
              on = Identity (go)
              column = Unsqueeze (s0, at1)
              through = Add (column, moves)
              pointers = ArgMax <axis = 0, keepdims = 0> (through)
              best = ReduceMax <keepdims = 0> (through, at0)
              next = Add (t, i1)
              row = Gather <axis = 0> (emissions, next)
              s1 = Add (best, row)
          }>
          score = ReduceMax <keepdims = 0> (scores)
          end = ArgMax <axis = 0, keepdims = 0> (scores)
          start, reversed = Loop (trips, yes, end) <body = backward
            (int64 t, bool go, int64 s0) => (bool on, int64 s1, int64 shown) {
              on = Identity (go)
              before = Sub (trips, t)
              at = Sub (before, i1)
              pointers = Gather <axis = 0> (back, at)
              s1 = Gather <axis = 0> (pointers, s0)
              shown = Identity (s0)
          }>
          start1 = Unsqueeze (start, at0)
          backward = Concat <axis = 0> (reversed, start1)
          path = Slice (backward, last, lowest, at0, last)
        }""",
        weights={"moves": moves, "first": first, "lowest": int64([np.iinfo(np.int64).min])},
        feeds=[
            {"emissions": floats(13, 20, 8)},
            {"emissions": floats(14, 1, 8)},
            {"emissions": floats(15, 2, 8)},
        ],
        truth=truth,
        # Two additions in each of at most 20 steps.
        roundings=40,
    )


@program("Baum et al. 1970; Rabiner, A Tutorial on Hidden Markov Models, 1989")
def forward_backward() -> Parts:
    """Probabilities of hidden states: a scan forward and one backward, each normalised."""
    moves = np.random.default_rng(21).dirichlet(np.ones(5), 5).astype(np.float32)
    emits = np.random.default_rng(22).dirichlet(np.ones(7), 5).T.astype(np.float32)

    def truth(seen: np.ndarray) -> dict[str, np.ndarray]:
        rows = emits[seen].astype(float)
        forward, backward = [np.full(5, 0.2) * rows[0]], [np.ones(5)]
        for row in rows[1:]:
            forward.append(forward[-1] @ moves.astype(float) * row)
        for row in rows[:0:-1]:
            backward.append(moves.astype(float) @ (row * backward[-1]))
        both = np.array(forward) * np.array(backward[::-1])
        return {"posterior": both / both.sum(1, keepdims=True)}

    return Parts(
        text="""
        (int64[T] seen) => (float[T,5] posterior) {
          rows = Gather <axis = 0> (emits, seen)
          turned = Transpose <perm = [1, 0]> (moves)
          last_f, forward = Scan <num_scan_inputs = 1, body = ahead (float[5] a0, float[5] row) => (float[5] a1, float[5] shown) {
              product = Mul (a0, row)
              total = ReduceSum <keepdims = 1> (product, at0)
              shown = Div (product, total)
              a1 = MatMul (shown, moves)
          }> (uniform, rows)
          last_b, backward = Scan <num_scan_inputs = 1, scan_input_directions = [1], scan_output_directions = [1],
              body = back (float[5] b0, float[5] row) => (float[5] b1, float[5] shown) {
              shown = Identity (b0)
              product = Mul (b0, row)
              through = MatMul (product, turned)
              total = ReduceSum <keepdims = 1> (through, at0)
              b1 = Div (through, total)
          }> (ones, rows)
          both = Mul (forward, backward)
          totals = ReduceSum <keepdims = 1> (both, at1)
          posterior = Div (both, totals)
        }""",
        weights={
            "moves": moves,
            "emits": emits,
            "uniform": float32(np.full(5, 0.2)),
            "ones": float32(np.ones(5)),
        },
        feeds=[{"seen": integers(23, 0, 7, 30)}, {"seen": int64([4])}, {"seen": int64([0, 6])}],
        truth=truth,
        # All terms are positive: 14 roundings a step, forward and backward; mixing forgets them within ten steps.
        roundings=2 * 10 * 14,
    )


@program("Bellman, Dynamic Programming, 1957: the 0/1 knapsack")
def knapsack() -> Parts:
    """Largest value within each capacity: a row of the table for each thing."""

    def truth(weights: np.ndarray, values: np.ndarray) -> dict[str, object]:
        best = [0] * 41
        for weight, value in zip(weights, values):
            for capacity in range(40, int(weight) - 1, -1):
                best[capacity] = max(best[capacity], best[capacity - int(weight)] + int(value))
        return {"best": best}

    return Parts(
        text="""
        (int64[N] weights, int64[N] values) => (int64[41] best) {
          things = Size (weights)
          best = Loop (things, yes, nothing) <body = thing (int64 t, bool go, int64[41] b0) => (bool on, int64[41] b1) {
              on = Identity (go)
              weight = Gather <axis = 0> (weights, t)
              value = Gather <axis = 0> (values, t)
              left = Sub (capacities, weight)
              at = Max (left, i0)
              others = Gather <axis = 0> (b0, at)
              taken = Add (others, value)
              better = Max (b0, taken)
              fits = GreaterOrEqual (left, i0)
              b1 = Where (fits, better, b0)
          }>
        }""",
        weights={"nothing": int64([0] * 41), "capacities": int64(range(41))},
        feeds=[
            {"weights": integers(28, 1, 15, 12), "values": integers(29, 1, 100, 12)},
            {"weights": int64([50]), "values": int64([9])},
            {"weights": int64([]), "values": int64([])},
        ],
        truth=truth,
    )


@program("Longest increasing subsequence, by its quadratic recurrence")
def increasing_subsequence() -> Parts:
    """Length of the longest increasing part: each row of a table, written in place."""

    def truth(x: np.ndarray) -> dict[str, int]:
        best: list[int] = []
        for i, value in enumerate(x):
            best.append(1 + max((best[j] for j in range(i) if x[j] < value), default=0))
        return {"length": max(best, default=0)}

    return Parts(
        text="""
        (int64[N] x) => (int64 length) {
          count = Size (x)
          extent = Shape (x)
          start = ConstantOfShape <value = int64[1] {0}> (extent)
          table = Loop (count, yes, start) <body = step (int64 t, bool go, int64[N] b0) => (bool on, int64[N] b1) {
              on = Identity (go)
              value = Gather <axis = 0> (x, t)
              smaller = Less (x, value)
              lengths = Where (smaller, b0, i0)
              longest = ReduceMax <keepdims = 1> (lengths, at0)
              one_more = Add (longest, i1)
              place = Unsqueeze (t, at0)
              b1 = ScatterElements <axis = 0> (b0, place, one_more)
          }>
          padded = Concat <axis = 0> (at0, table)
          length = ReduceMax <keepdims = 0> (padded)
        }""",
        feeds=[
            {"x": integers(30, 0, 100, 32)},
            {"x": int64(range(10))},
            {"x": int64(range(10, 0, -1))},
            {"x": int64([])},
        ],
        truth=truth,
    )
