"""Recurrent cells, spelled out of simple operators in a Loop or Scan."""

from __future__ import annotations

import numpy as np

from corpus.program import Parts, float32, floats, program


def sigmoid(x: np.ndarray) -> np.ndarray:
    """Return 1 / (1 + e⁻ˣ)."""
    return 1 / (1 + np.exp(-x))


@program("Hochreiter and Schmidhuber, Long Short-Term Memory, 1997")
def lstm() -> Parts:
    """LSTM as a Loop over the rows of its input, all states kept."""
    w, r, b = floats(1, 16, 64, scale=0.25), floats(2, 16, 64, scale=0.25), floats(3, 64, scale=0.1)

    def truth(x: np.ndarray) -> dict[str, np.ndarray]:
        h = c = np.zeros(16)
        all_h = []
        for row in x:
            i, f, o, g = np.split(row @ w.astype(float) + h @ r.astype(float) + b, 4)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
            all_h.append(h)
        return {"y": np.array(all_h).reshape(-1, 16), "h": h, "c": c}

    return Parts(
        text="""
        (float[T,16] x) => (float[T,16] y, float[16] h, float[16] c) {
          extents = Shape <end = 1> (x)
          steps = Squeeze (extents)
          h, c, y = Loop (steps, yes, start, start) <body = step
            (int64 t, bool go, float[16] h0, float[16] c0) => (bool on, float[16] h1, float[16] c1, float[16] shown) {
              on = Identity (go)
              row = Gather <axis = 0> (x, t)
              xw = MatMul (row, W)
              hr = MatMul (h0, R)
              sum = Add (xw, hr)
              gates = Add (sum, B)
              i, f, o, g = Split <axis = 0, num_outputs = 4> (gates)
              si = Sigmoid (i)
              sf = Sigmoid (f)
              so = Sigmoid (o)
              tg = Tanh (g)
              kept = Mul (sf, c0)
              new = Mul (si, tg)
              c1 = Add (kept, new)
              tc = Tanh (c1)
              h1 = Mul (so, tc)
              shown = Identity (h1)
          }>
        }""",
        weights={"W": w, "R": r, "B": b, "start": float32(np.zeros(16))},
        feeds=[{"x": floats(4, 24, 16)}, {"x": floats(5, 1, 16)}, {"x": floats(6, 0, 16)}],
        truth=truth,
        # A gate is a sum of 33 products and two functions; the forget gate halves what earlier steps left.
        roundings=4 * 36,
    )
