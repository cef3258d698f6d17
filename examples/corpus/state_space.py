"""Linear recurrences of sequence models: matrix memories, time mixing, selective scans."""

from __future__ import annotations

import numpy as np

from corpus.program import Parts, float32, floats, program
from corpus.recurrent import sigmoid


@program("Beck et al., xLSTM: Extended Long Short-Term Memory, 2024")
def mlstm() -> Parts:
    """The xLSTM's matrix memory: outer products of values and keys, read by a query."""
    wq, wk, wv = (floats(100 + k, 8, 8, scale=0.35) for k in range(3))
    wi, wf, wo = floats(103, 8, scale=0.5), floats(104, 8, scale=0.5), floats(105, 8, 8, scale=0.35)

    def truth(x: np.ndarray) -> dict[str, np.ndarray]:
        memory, n, shown = np.zeros((8, 8)), np.zeros(8), []
        for row in x:
            q, k, v = row @ wq.astype(float), row @ wk.astype(float) / np.sqrt(8), row @ wv.astype(float)
            i, f = np.exp(row @ wi.astype(float)), np.exp(row @ wf.astype(float))
            memory = f * memory + i * np.outer(v, k)
            n = f * n + i * k
            shown.append(sigmoid(row @ wo.astype(float)) * (memory @ q) / max(abs(n @ q), 1))
        return {"y": np.array(shown)}

    return Parts(
        text="""
        (float[T,8] x) => (float[T,8] y) {
          extents = Shape <end = 1> (x)
          steps = Squeeze (extents)
          c, n, m, y = Loop (steps, yes, C, N, f0) <body = step
            (int64 t, bool go, float[8,8] c0, float[8] n0, float m0)
              => (bool on, float[8,8] c1, float[8] n1, float m1, float[8] shown) {
              on = Identity (go)
              row = Gather <axis = 0> (x, t)
              q = MatMul (row, WQ)
              kw = MatMul (row, WK)
              k = Mul (kw, root)
              v = MatMul (row, WV)
              i = MatMul (row, WI)
              f = MatMul (row, WF)
              ow = MatMul (row, WO)
              o = Sigmoid (ow)
              kept = Add (f, m0)
              m1 = Max (kept, i)
              fd = Sub (kept, m1)
              fe = Exp (fd)
              id = Sub (i, m1)
              ie = Exp (id)
              vc = Unsqueeze (v, at1)
              vk = Mul (vc, k)
              new = Mul (ie, vk)
              old = Mul (fe, c0)
              c1 = Add (old, new)
              nn = Mul (ie, k)
              on0 = Mul (fe, n0)
              n1 = Add (on0, nn)
              cq = MatMul (c1, q)
              nq = MatMul (n1, q)
              size = Abs (nq)
              minus = Neg (m1)
              floor = Exp (minus)
              below = Max (size, floor)
              h = Div (cq, below)
              shown = Mul (o, h)
          }>
        }""",
        weights={
            "WQ": wq,
            "WK": wk,
            "WV": wv,
            "WI": wi,
            "WF": wf,
            "WO": wo,
            "C": float32(np.zeros((8, 8))),
            "N": float32(np.zeros(8)),
            "root": float32(8**-0.5),
        },
        feeds=[{"x": floats(106, 20, 8)}, {"x": floats(107, 1, 8)}, {"x": floats(108, 0, 8)}],
        truth=lambda x: truth(x) if len(x) else {"y": np.zeros((0, 8))},
        # 24 products; exponents up to 16 in size lose so many units in exp; n·q, in the denominator, cancels to a tenth.
        roundings=10 * 40,
    )


@program("Peng et al., RWKV: Reinventing RNNs for the Transformer Era, 2023")
def rwkv() -> Parts:
    """RWKV's time mixing: tokens shifted by one, weighted averages with a running maximum."""
    mix = {f"mix_{n}": float32(np.linspace(0.2, 0.8, 8)) for n in "rkv"}
    wr, wk, wv, wo = (floats(110 + k, 8, 8, scale=0.4) for k in range(4))
    decay, bonus = float32(-np.exp(np.linspace(-3, 0, 8))), floats(115, 8, scale=0.5)

    def truth(x: np.ndarray) -> dict[str, np.ndarray]:
        before = np.vstack([np.zeros(8), x[:-1]])
        mixed = {
            n: x * mix[f"mix_{n}"].astype(float) + before * (1 - mix[f"mix_{n}"].astype(float)) for n in "rkv"
        }
        r, k, v = (
            sigmoid(mixed["r"] @ wr.astype(float)),
            mixed["k"] @ wk.astype(float),
            mixed["v"] @ wv.astype(float),
        )
        shown = []
        for t in range(len(x)):
            # The definition: a sum over all earlier tokens.
            ages = np.arange(t - 1, -1, -1.0)[:, None]
            weights = np.vstack([np.exp(ages * decay + k[:t]), np.exp(bonus + k[t])[None]])
            shown.append((weights * v[: t + 1]).sum(0) / weights.sum(0))
        return {"y": (r * np.array(shown)) @ wo.astype(float)}

    text = """
        (float[T,8] x) => (float[T,8] y) {
          extents = Shape <end = 1> (x)
          steps = Squeeze (extents)
          before, a, b, p, y = Loop (steps, yes, start, start, start, lowest) <body = step
            (int64 t, bool go, float[8] x0, float[8] a0, float[8] b0, float[8] p0)
              => (bool on, float[8] x1, float[8] a1, float[8] b1, float[8] p1, float[8] shown) {
              on = Identity (go)
              row = Gather <axis = 0> (x, t)
              x1 = Identity (row)
              MIXED
              r = Sigmoid (rw)
              ww = Add (bonus, kw)
              q = Max (p0, ww)
              d1 = Sub (p0, q)   e1 = Exp (d1)
              d2 = Sub (ww, q)   e2 = Exp (d2)
              ea = Mul (e1, a0)  ev = Mul (e2, vw)   over = Add (ea, ev)
              eb = Mul (e1, b0)  under = Add (eb, e2)
              wkv = Div (over, under)
              gated = Mul (r, wkv)
              shown = MatMul (gated, WO)
              pw = Add (p0, decay)
              p1 = Max (pw, kw)
              d3 = Sub (pw, p1)  e3 = Exp (d3)
              d4 = Sub (kw, p1)  e4 = Exp (d4)
              fa = Mul (e3, a0)  fv = Mul (e4, vw)   a1 = Add (fa, fv)
              fb = Mul (e3, b0)  b1 = Add (fb, e4)
          }>
        }"""
    mixed = "\n".join(
        f"{n}a = Mul (row, mix_{n})  {n}rest = Sub (f1, mix_{n})  {n}b = Mul (x0, {n}rest)"
        f"  {n}m = Add ({n}a, {n}b)  {n}w = MatMul ({n}m, W{n.upper()})"
        for n in "rkv"
    )
    return Parts(
        text=text.replace("MIXED", mixed),
        weights={
            **mix,
            "WR": wr,
            "WK": wk,
            "WV": wv,
            "WO": wo,
            "decay": decay,
            "bonus": bonus,
            "start": float32(np.zeros(8)),
            "lowest": float32(np.full(8, -1e30)),
        },
        feeds=[{"x": floats(116, 24, 8)}, {"x": floats(117, 1, 8)}, {"x": floats(118, 2, 8)}],
        truth=truth,
        # 16 products; each step rounds the average three times, which its weights keep positive and below one.
        roundings=16 + 3 * 24 + 40,
    )


@program("Gu and Dao, Mamba: Linear-Time Sequence Modeling with Selective State Spaces, 2023")
def selective_scan() -> Parts:
    """Mamba's scan: a diagonal state space whose steps, inputs and outputs depend on the token."""
    a = float32(-np.tile(np.arange(1, 9), (16, 1)))
    wd, wb, wc = (
        floats(121, 16, 16, scale=0.2),
        floats(122, 16, 8, scale=0.25),
        floats(123, 16, 8, scale=0.25),
    )
    bias, skip = float32(np.linspace(-4, -1, 16)), floats(124, 16)

    def truth(x: np.ndarray) -> dict[str, np.ndarray]:
        h, shown = np.zeros((16, 8)), []
        for row in x:
            delta = np.log1p(np.exp(row @ wd.astype(float) + bias))[:, None]
            h = np.exp(delta * a) * h + delta * (row @ wb.astype(float)) * row[:, None]
            shown.append(h @ (row @ wc.astype(float)) + skip * row)
        return {"y": np.array(shown).reshape(-1, 16)}

    return Parts(
        text="""
        (float[T,16] x) => (float[T,16] y) {
          deltas = MatMul (x, WD)
          biased = Add (deltas, bias)
          delta = Softplus (biased)
          inputs = MatMul (x, WB)
          outputs = MatMul (x, WC)
          extents = Shape <end = 1> (x)
          steps = Squeeze (extents)
          h, scanned = Loop (steps, yes, start) <body = step (int64 t, bool go, float[16,8] h0)
              => (bool on, float[16,8] h1, float[16] shown) {
              on = Identity (go)
              d = Gather <axis = 0> (delta, t)
              b = Gather <axis = 0> (inputs, t)
              c = Gather <axis = 0> (outputs, t)
              u = Gather <axis = 0> (x, t)
              dc = Unsqueeze (d, at1)
              da = Mul (dc, A)
              decay = Exp (da)
              du = Mul (d, u)
              duc = Unsqueeze (du, at1)
              new = Mul (duc, b)
              old = Mul (decay, h0)
              h1 = Add (old, new)
              shown = MatMul (h1, c)
          }>
          direct = Mul (x, skip)
          y = Add (scanned, direct)
        }""",
        weights={
            "WD": wd,
            "WB": wb,
            "WC": wc,
            "A": a,
            "bias": bias,
            "skip": skip,
            "start": float32(np.zeros((16, 8))),
        },
        feeds=[{"x": floats(125, 48, 16)}, {"x": floats(126, 1, 16)}, {"x": floats(127, 0, 16)}],
        truth=truth,
        # Products of 16 and 8; three roundings a step, of which decay leaves those of about the last ten.
        roundings=24 + 30 + 10,
    )


@program("Yang et al., Gated Linear Attention Transformers with Hardware-Efficient Training, 2024")
def gated_linear_attention() -> Parts:
    """Linear attention whose memory decays by a gate of its own in each row."""
    wq, wk, wv, wg = (floats(131 + k, 8, 8, scale=0.35) for k in range(4))

    def truth(x: np.ndarray) -> dict[str, np.ndarray]:
        q, k, v = x @ wq.astype(float), x @ wk.astype(float), x @ wv.astype(float)
        decay = np.cumsum(np.log(sigmoid(x @ wg.astype(float))) / 4, 0)
        # The parallel form: scores of all pairs of tokens.
        scores = np.array(
            [
                [(q[t] * np.exp(decay[t] - decay[s])) @ k[s] * (s <= t) for s in range(len(x))]
                for t in range(len(x))
            ]
        )
        return {"y": scores @ v}

    return Parts(
        text="""
        (float[T,8] x) => (float[T,8] y) {
          q = MatMul (x, WQ)
          k = MatMul (x, WK)
          v = MatMul (x, WV)
          g = MatMul (x, WG)
          s = Sigmoid (g)
          root = Sqrt (s)
          alpha = Sqrt (root)
          memory, y = Scan <num_scan_inputs = 4, body = step
              (float[8,8] s0, float[8] qt, float[8] kt, float[8] vt, float[8] at) => (float[8,8] s1, float[8] shown) {
              kc = Unsqueeze (kt, at1)
              ac = Unsqueeze (at, at1)
              new = Mul (kc, vt)
              old = Mul (ac, s0)
              s1 = Add (old, new)
              shown = MatMul (qt, s1)
          }> (start, q, k, v, alpha)
        }""",
        weights={"WQ": wq, "WK": wk, "WV": wv, "WG": wg, "start": float32(np.zeros((8, 8)))},
        feeds=[{"x": floats(136, 32, 8)}, {"x": floats(137, 1, 8)}, {"x": floats(138, 4, 8)}],
        truth=truth,
        # Three products of 8, three roundings a step, of which decay leaves those of the last ten.
        roundings=24 + 30,
    )


@program("Schlag et al., Linear Transformers Are Secretly Fast Weight Programmers, 2021")
def delta_rule() -> Parts:
    """Fast weights by the delta rule: the value stored under a key is corrected."""
    wk, wv, wb = floats(141, 8, 8), floats(142, 8, 8, scale=0.35), floats(143, 8, scale=0.35)

    def truth(x: np.ndarray) -> dict[str, np.ndarray]:
        memory, shown = np.zeros((8, 8)), []
        for row in x:
            k = row @ wk.astype(float)
            k = k / np.sqrt(k @ k)
            beta = sigmoid(row @ wb.astype(float))
            memory = memory @ (np.eye(8) - beta * np.outer(k, k)) + beta * np.outer(row @ wv.astype(float), k)
            shown.append(memory @ k)
        return {"y": np.array(shown), "memory": memory}

    return Parts(
        text="""
        (float[T,8] x) => (float[T,8] y, float[8,8] memory) {
          memory, y = Scan <num_scan_inputs = 1, body = step (float[8,8] s0, float[8] row) => (float[8,8] s1, float[8] shown) {
              kw = MatMul (row, WK)
              norm = ReduceL2 <keepdims = 1> (kw, at0)
              k = Div (kw, norm)
              v = MatMul (row, WV)
              bw = MatMul (row, WB)
              beta = Sigmoid (bw)
              stored = MatMul (s0, k)
              error = Sub (v, stored)
              step_ = Mul (beta, error)
              column = Unsqueeze (step_, at1)
              change = Mul (column, k)
              s1 = Add (s0, change)
              shown = MatMul (s1, k)
          }> (start, x)
        }""",
        weights={"WK": wk, "WV": wv, "WB": wb, "start": float32(np.zeros((8, 8)))},
        feeds=[{"x": floats(144, 24, 8)}, {"x": floats(145, 1, 8)}, {"x": floats(146, 2, 8)}],
        truth=truth,
        # Products of 8 thrice; an error of the memory stays until its key returns, about ten steps.
        roundings=10 * 28,
    )
