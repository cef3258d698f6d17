"""Programs on integers: their truth is exact."""

from __future__ import annotations

import numpy as np

from corpus.program import Parts, int64, program


@program("Collatz 1937; Lagarias, The 3x + 1 Problem, 1985")
def collatz() -> Parts:
    """Steps of the 3n + 1 sequence until 1, of which no bound is known."""

    def truth(n: np.ndarray) -> dict[str, int]:
        value, steps, largest = int(n), 0, int(n)
        while value != 1:
            value = 3 * value + 1 if value % 2 else value // 2
            steps, largest = steps + 1, max(largest, value)
        return {"steps": steps, "largest": largest}

    return Parts(
        text="""
        (int64 n) => (int64 steps, int64 largest) {
          start = Greater (n, i1)
          value, steps, largest = Loop (, start, n, i0, n) <body = step
            (int64 t, bool go, int64 v0, int64 s0, int64 m0) => (bool on, int64 v1, int64 s1, int64 m1) {
              bit = Mod (v0, i2)
              odd = Cast <to = 9> (bit)
              v1 = If (odd) <
                then_branch = up () => (int64 a) { triple = Mul (v0, i3)  a = Add (triple, i1) },
                else_branch = down () => (int64 b) { b = Div (v0, i2) }>
              s1 = Add (s0, i1)
              m1 = Max (m0, v1)
              on = Greater (v1, i1)
          }>
        }""",
        feeds=[{"n": int64(27)}, {"n": int64(1)}, {"n": int64(1024)}, {"n": int64(97)}],
        truth=truth,
    )
