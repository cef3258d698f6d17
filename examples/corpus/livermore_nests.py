"""Livermore kernels with a loop in their loop."""

from __future__ import annotations

import numpy as np

from corpus.livermore import SOURCE, loop
from corpus.program import Parts, float32, floats, int64, program


@program(SOURCE.format(6))
def linear_recurrence() -> Parts:
    """General recurrence: each element is a sum over all before it."""

    def truth(b: np.ndarray) -> dict[str, object]:
        w = np.zeros(24)
        w[0] = 0.01
        for i in range(1, 24):
            w[i] = 0.01 + sum(b[i, k] * w[i - k - 1] for k in range(i))
        return {"w": w}

    return Parts(
        text=f"""
        (float[24,24] b) => (float[24] w) {{{
            loop(
                "w",
                "i24",
                "zeros",
                "float[24] w0 => float[24] w1",
                '''
              total = Loop (k, yes, hundredth) <body = inner (int64 j, bool more, float s0) => (bool more1, float s1) {
                  more1 = Identity (more)
                  row = Gather (b, k)
                  factor = Gather (row, j)
                  back = Sub (k, j)
                  at_ = Sub (back, i1)
                  earlier = Gather (w0, at_)
                  product = Mul (factor, earlier)
                  s1 = Add (s0, product)
              }>
              place = Unsqueeze (k, at0)
              value = Unsqueeze (total, at0)
              w1 = ScatterElements <axis = 0> (w0, place, value)''',
            )
        }
        }}""",
        weights={"i24": int64(24), "zeros": float32(np.zeros(24)), "hundredth": float32(0.01)},
        feeds=[{"b": floats(731, 24, 24, scale=0.2)}, {"b": float32(np.zeros((24, 24)))}],
        truth=truth,
        # Sums of up to 24 products; errors pass on through factors whose squares sum up to one.
        roundings=3 * 24,
    )


@program(SOURCE.format(21))
def matrix_product() -> Parts:
    """Product of matrices by three nested loops."""
    return Parts(
        text=f"""
        (float[8,10] a, float[10,6] b) => (float[8,6] c) {{{
            loop(
                "c",
                "i8",
                "",
                " => float[6] row_out",
                '''
              row_in = Gather <axis = 0> (a, k)
              row_out = Loop (i6, yes) <body = columns (int64 j, bool go1) => (bool on1, float cell) {
                  on1 = Identity (go1)
                  cell = Loop (i10, yes, f0) <body = terms (int64 m, bool go2, float s0) => (bool on2, float s1) {
                      on2 = Identity (go2)
                      x = Gather (row_in, m)
                      b_row = Gather <axis = 0> (b, m)
                      y = Gather (b_row, j)
                      product = Mul (x, y)
                      s1 = Add (s0, product)
                  }>
              }>''',
            )
        }
        }}""",
        weights={"i10": int64(10)},
        feeds=[
            {"a": floats(781, 8, 10), "b": floats(782, 10, 6)},
            {"a": float32(np.eye(8, 10)), "b": floats(783, 10, 6)},
        ],
        truth=lambda a, b: {"c": a @ b},
        roundings=10,
        scale=4.0,
    )


@program(SOURCE.format(23))
def implicit_hydro() -> Parts:
    """Two-dimensional relaxation: each point from neighbours already renewed and not yet."""
    rows, columns = 7, 9

    def truth(za: np.ndarray, zb: np.ndarray, zu: np.ndarray) -> dict[str, object]:
        za = za.copy()
        for j in range(1, rows - 1):
            for i in range(1, columns - 1):
                around = (
                    za[j + 1, i] * zb[j, i]
                    + za[j - 1, i] * zu[j, i]
                    + za[j, i + 1] * zb[j, i]
                    + za[j, i - 1] * zu[j, i]
                )
                za[j, i] += 0.175 * (around - za[j, i])
        return {"relaxed": za}

    return Parts(
        text=f"""
        (float[7,9] za, float[7,9] zb, float[7,9] zu) => (float[7,9] relaxed) {{
          flat = Reshape (za, last)  flat_b = Reshape (zb, last)  flat_u = Reshape (zu, last)
          {
            loop(
                "done",
                "i5",
                "flat",
                "float[63] a0 => float[63] a1",
                '''
              j = Add (k, i1)
              row_at = Mul (j, i9)
              a1 = Loop (i7, yes, a0) <body = points (int64 m, bool go1, float[63] p0) => (bool on1, float[63] p1) {
                  on1 = Identity (go1)
                  i = Add (m, i1)
                  at_ = Add (row_at, i)
                  under_at = Add (at_, i9)  over_at = Sub (at_, i9)  right_at = Add (at_, i1)  left_at = Sub (at_, i1)
                  under = Gather (p0, under_at)  over = Gather (p0, over_at)
                  right = Gather (p0, right_at)  left = Gather (p0, left_at)
                  b = Gather (flat_b, at_)  u = Gather (flat_u, at_)
                  t1 = Mul (under, b)  t2 = Mul (over, u)  t3 = Mul (right, b)  t4 = Mul (left, u)
                  s2 = Add (t1, t2)  s3 = Add (s2, t3)  s4 = Add (s3, t4)
                  here = Gather (p0, at_)
                  gap = Sub (s4, here)
                  change = Mul (rate, gap)
                  new = Add (here, change)
                  places = Unsqueeze (at_, at0)  values = Unsqueeze (new, at0)
                  p1 = ScatterElements <axis = 0> (p0, places, values)
              }>''',
            )
        }
          extents = Shape (za)
          relaxed = Reshape (done, extents)
        }}""",
        weights={"rate": float32(0.175)},
        feeds=[
            {"za": floats(801, 7, 9), "zb": floats(802, 7, 9, scale=0.3), "zu": floats(803, 7, 9, scale=0.3)},
            {
                "za": float32(np.ones((7, 9))),
                "zb": float32(np.full((7, 9), 0.25)),
                "zu": float32(np.full((7, 9), 0.25)),
            },
        ],
        truth=truth,
        # Ten roundings a point; little of a neighbour's error is passed on. (The rate itself is rounded.)
        roundings=20,
    )
