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


@program("Cho et al. 2014; cuDNN's form, as PyTorch and ONNX's linear_before_reset have it")
def gru_reset_after() -> Parts:
    """GRU whose reset gate follows the product, as a Scan."""
    w, r = floats(21, 8, 48, scale=0.3), floats(22, 16, 48, scale=0.25)
    b, c = floats(23, 48, scale=0.1), floats(24, 48, scale=0.1)

    def truth(x: np.ndarray) -> dict[str, np.ndarray]:
        h, shown = np.zeros(16), []
        for row in x:
            xz, xr, xn = np.split(row @ w.astype(float) + b, 3)
            hz, hr, hn = np.split(h @ r.astype(float) + c, 3)
            z = sigmoid(xz + hz)
            h = (1 - z) * np.tanh(xn + sigmoid(xr + hr) * hn) + z * h
            shown.append(h)
        return {"y": np.array(shown), "h": h}

    return Parts(
        text="""
        (float[T,8] x) => (float[T,16] y, float[16] h) {
          h, y = Scan <num_scan_inputs = 1, body = step (float[16] h0, float[8] row) => (float[16] h1, float[16] shown) {
              xw = MatMul (row, W)
              xb = Add (xw, B)
              hw = MatMul (h0, R)
              hb = Add (hw, C)
              xz, xr, xn = Split <axis = 0, num_outputs = 3> (xb)
              hz, hr, hn = Split <axis = 0, num_outputs = 3> (hb)
              az = Add (xz, hz)
              z = Sigmoid (az)
              ar = Add (xr, hr)
              r = Sigmoid (ar)
              rn = Mul (r, hn)
              an = Add (xn, rn)
              n = Tanh (an)
              rest = Sub (f1, z)
              new = Mul (rest, n)
              old = Mul (z, h0)
              h1 = Add (new, old)
              shown = Identity (h1)
          }> (start, x)
        }""",
        weights={"W": w, "R": r, "B": b, "C": c, "start": float32(np.zeros(16))},
        feeds=[{"x": floats(25, 32, 8)}, {"x": floats(26, 1, 8)}, {"x": floats(27, 5, 8)}],
        truth=truth,
        # Sums of 9 and 17 products, six operations; half of the errors stays.
        roundings=2 * 32,
    )


@program("Zoph and Le, Neural Architecture Search with Reinforcement Learning, 2017")
def nasrnn() -> Parts:
    """Cell found by architecture search: eight gates, combined in three layers."""
    w, r = floats(31, 8, 64, scale=0.4), floats(32, 8, 64, scale=0.4)

    def truth(x: np.ndarray) -> dict[str, np.ndarray]:
        h = c = np.zeros(8)
        for row in x:
            a = np.split(row @ w.astype(float), 8)
            m = np.split(h @ r.astype(float), 8)
            first = np.tanh(sigmoid(a[0] + m[0]) * np.maximum(a[1] + m[1], 0))
            second = np.tanh(sigmoid(a[2] + m[2]) + np.maximum(a[3] * m[3], 0))
            third = np.tanh(np.tanh(a[4] + m[4]) * sigmoid(a[5] + m[5]))
            fourth = sigmoid(np.tanh(a[6] + m[6]) + sigmoid(a[7] + m[7]))
            c = np.tanh(first + c) * second
            h = np.tanh(c * np.tanh(third + fourth))
        return {"h": h, "c": c}

    return Parts(
        text="""
        (float[T,8] x) => (float[8] h, float[8] c) {
          extents = Shape <end = 1> (x)
          steps = Squeeze (extents)
          h, c = Loop (steps, yes, start, start) <body = step
            (int64 t, bool go, float[8] h0, float[8] c0) => (bool on, float[8] h1, float[8] c1) {
              on = Identity (go)
              row = Gather <axis = 0> (x, t)
              xw = MatMul (row, W)
              hr = MatMul (h0, R)
              x0, x1, x2, x3, x4, x5, x6, x7 = Split <axis = 0, num_outputs = 8> (xw)
              m0, m1, m2, m3, m4, m5, m6, m7 = Split <axis = 0, num_outputs = 8> (hr)
              s0 = Add (x0, m0)   g0 = Sigmoid (s0)
              s1 = Add (x1, m1)   g1 = Relu (s1)
              s2 = Add (x2, m2)   g2 = Sigmoid (s2)
              s3 = Mul (x3, m3)   g3 = Relu (s3)
              s4 = Add (x4, m4)   g4 = Tanh (s4)
              s5 = Add (x5, m5)   g5 = Sigmoid (s5)
              s6 = Add (x6, m6)   g6 = Tanh (s6)
              s7 = Add (x7, m7)   g7 = Sigmoid (s7)
              p0 = Mul (g0, g1)   q0 = Tanh (p0)
              p1 = Add (g2, g3)   q1 = Tanh (p1)
              p2 = Mul (g4, g5)   q2 = Tanh (p2)
              p3 = Add (g6, g7)   q3 = Sigmoid (p3)
              with_c = Add (q0, c0)
              inner = Tanh (with_c)
              c1 = Mul (inner, q1)
              both = Add (q2, q3)
              outer = Tanh (both)
              product = Mul (c1, outer)
              h1 = Tanh (product)
          }>
        }""",
        weights={"W": w, "R": r, "start": float32(np.zeros(8))},
        feeds=[{"x": floats(33, 20, 8)}, {"x": floats(34, 1, 8)}, {"x": floats(35, 0, 8)}],
        truth=truth,
        # Sums of 8 products and six operations; a product of two of them may double an error twice.
        roundings=4 * 4 * 14,
    )


@program("Beck et al., xLSTM: Extended Long Short-Term Memory, 2024")
def slstm() -> Parts:
    """The xLSTM's scalar memory: exponential gates, stabilised by a running maximum."""
    w, r, b = floats(41, 8, 48, scale=0.5), floats(42, 12, 48, scale=0.3), floats(43, 48, scale=0.3)

    def truth(x: np.ndarray) -> dict[str, np.ndarray]:
        h = c = n = np.zeros(12)
        shown = []
        for row in x:
            z, i, f, o = np.split(row @ w.astype(float) + h @ r.astype(float) + b, 4)
            # Without the stabiliser: float64 has room for these exponentials.
            c = np.exp(f) * c + np.exp(i) * np.tanh(z)
            n = np.exp(f) * n + np.exp(i)
            h = sigmoid(o) * c / n
            shown.append(h)
        return {"y": np.array(shown)}

    return Parts(
        text="""
        (float[T,8] x) => (float[T,12] y) {
          extents = Shape <end = 1> (x)
          steps = Squeeze (extents)
          h, c, n, m, y = Loop (steps, yes, start, start, start, start) <body = step
            (int64 t, bool go, float[12] h0, float[12] c0, float[12] n0, float[12] m0)
              => (bool on, float[12] h1, float[12] c1, float[12] n1, float[12] m1, float[12] shown) {
              on = Identity (go)
              row = Gather <axis = 0> (x, t)
              xw = MatMul (row, W)
              hr = MatMul (h0, R)
              sum = Add (xw, hr)
              gates = Add (sum, B)
              z, i, f, o = Split <axis = 0, num_outputs = 4> (gates)
              kept = Add (f, m0)
              m1 = Max (kept, i)
              fd = Sub (kept, m1)
              fe = Exp (fd)
              id = Sub (i, m1)
              ie = Exp (id)
              zt = Tanh (z)
              os = Sigmoid (o)
              cf = Mul (fe, c0)
              cn = Mul (ie, zt)
              c1 = Add (cf, cn)
              nf = Mul (fe, n0)
              n1 = Add (nf, ie)
              ratio = Div (c1, n1)
              h1 = Mul (os, ratio)
              shown = Identity (h1)
          }>
        }""",
        weights={"W": w, "R": r, "B": b, "start": float32(np.zeros(12))},
        feeds=[{"x": floats(44, 24, 8)}, {"x": floats(45, 1, 8)}, {"x": floats(46, 3, 8)}],
        truth=truth,
        # 21 products; exponents up to 40 in size lose so many units in exp; most of it dies out in the ratio.
        roundings=8 * 64,
        scale=1.0,
    )


@program("Sequence lengths as ONNX's RNN has them")
def rnn_of_lengths() -> Parts:
    """Plain RNN over a batch whose rows end at different steps."""
    w, r = floats(51, 6, 10, scale=0.4), floats(52, 10, 10, scale=0.3)

    def truth(x: np.ndarray, lengths: np.ndarray) -> dict[str, np.ndarray]:
        final = []
        for k, length in enumerate(lengths):
            h = np.zeros(10)
            for row in x[:length, k]:
                h = np.tanh(row @ w.astype(float) + h @ r.astype(float))
            final.append(h)
        return {"h": np.array(final)}

    return Parts(
        text="""
        (float[16,4,6] x, int64[4] lengths) => (float[4,10] h) {
          longest = ReduceMax <keepdims = 0> (lengths)
          ends = Unsqueeze (lengths, at1)
          h = Loop (longest, yes, start) <body = step (int64 t, bool go, float[4,10] h0) => (bool on, float[4,10] h1) {
              on = Identity (go)
              rows = Gather <axis = 0> (x, t)
              xw = MatMul (rows, W)
              hr = MatMul (h0, R)
              sum = Add (xw, hr)
              new = Tanh (sum)
              running = Less (t, ends)
              h1 = Where (running, new, h0)
          }>
        }""",
        weights={"W": w, "R": r, "start": float32(np.zeros((4, 10)))},
        feeds=[
            {"x": floats(53, 16, 4, 6), "lengths": np.array([16, 3, 9, 0])},
            {"x": floats(54, 16, 4, 6), "lengths": np.array([0, 0, 0, 0])},
            {"x": floats(55, 16, 4, 6), "lengths": np.array([1, 2, 2, 1])},
        ],
        truth=truth,
        # Sums of 16 products and tanh; at most three steps' errors add up.
        roundings=3 * 20,
    )
