"""Dynamic programming: tables whose rows or cells depend on earlier ones."""

from __future__ import annotations

import numpy as np

from corpus.program import Parts, floats, int64, program


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
