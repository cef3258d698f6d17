"""Livermore kernels: McMahon's loops as scalar recurrences over arrays.

The numbers are those of F. H. McMahon, The Livermore Fortran Kernels, 1986. Each is written as the Fortran loop is, an element a trip,
with its reads of neighbours and of what earlier trips wrote.
"""

from __future__ import annotations

import numpy as np

from corpus.program import Parts, float32, floats, int64, program

SOURCE = "McMahon, The Livermore Fortran Kernels, 1986, kernel {}"
N = 48
R, T, Q = (np.float32(v) for v in (0.5, 0.25, 0.1))
WEIGHTS = {"r": R, "t": T, "q": Q, "n": int64(N), "i10": int64(10), "i11": int64(11)}


def loop(outputs: str, trips: str, carried: str, header: str, body: str) -> str:
    """Return a Loop of a fixed number of trips; `header` has its formal inputs and outputs without counter and condition."""
    given, _, results = header.partition(" => ")
    given, results = (f", {part}" if part else "" for part in (given, results))
    start = f", {carried}" if carried else ""
    return f"""
          {outputs} = Loop ({trips}, yes{start}) <body = kernel (int64 k, bool go{given}) => (bool on{results}) {{
              on = Identity (go)
              {body}
          }}>"""


@program(SOURCE.format(1))
def hydro() -> Parts:
    """Hydrodynamics fragment: neighbours of an array, ten and eleven away."""
    return Parts(
        text=f"""
        (float[48] y, float[59] z) => (float[48] x) {{{
            loop(
                "x",
                "n",
                "",
                " => float x1",
                '''
              ten = Add (k, i10)       eleven = Add (k, i11)
              z10 = Gather (z, ten)    z11 = Gather (z, eleven)
              rz = Mul (r, z10)        tz = Mul (t, z11)
              sum = Add (rz, tz)       yk = Gather (y, k)
              product = Mul (yk, sum)  x1 = Add (q, product)''',
            )
        }
        }}""",
        weights=WEIGHTS,
        feeds=[
            {"y": floats(701, N), "z": floats(702, N + 11)},
            {"y": float32(np.zeros(N)), "z": floats(703, N + 11)},
        ],
        truth=lambda y, z: {
            "x": Q.astype(float) + y * (R.astype(float) * z[10 : N + 10] + T.astype(float) * z[11:])
        },
        roundings=5,
        scale=1.0,
    )


@program(SOURCE.format(3))
def inner_product() -> Parts:
    """Sum of products, an element a trip."""
    return Parts(
        text=f"""
        (float[N] z, float[N] x) => (float q_end) {{
          count = Size (z){
            loop(
                "q_end",
                "count",
                "f0",
                "float q0 => float q1",
                '''
              zk = Gather (z, k)  xk = Gather (x, k)
              product = Mul (zk, xk)
              q1 = Add (q0, product)''',
            )
        }
        }}""",
        feeds=[{"z": floats(711, 64), "x": floats(712, 64)}, {"z": floats(713, 0), "x": floats(714, 0)}],
        truth=lambda z, x: {"q_end": z @ x},
        # 64 additions to sums of up to eight.
        roundings=64,
        scale=8.0,
    )


@program(SOURCE.format(5))
def tridiagonal() -> Parts:
    """Elimination below the diagonal: each element needs the one before."""

    def truth(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> dict[str, object]:
        x = x.copy()
        for i in range(1, len(x)):
            x[i] = z[i] * (y[i] - x[i - 1])
        return {"solved": x}

    return Parts(
        text=f"""
        (float[48] x, float[48] y, float[48] z) => (float[48] solved) {{
          first = Gather (x, i0)
          trips = Sub (n, i1){
            loop(
                "end, rest",
                "trips",
                "first",
                "float x0 => float x1, float shown",
                '''
              next = Add (k, i1)
              yk = Gather (y, next)  zk = Gather (z, next)
              gap = Sub (yk, x0)
              x1 = Mul (zk, gap)
              shown = Identity (x1)''',
            )
        }
          start = Unsqueeze (first, at0)
          solved = Concat <axis = 0> (start, rest)
        }}""",
        weights=WEIGHTS,
        feeds=[
            {"x": floats(721, N), "y": floats(722, N), "z": floats(723, N, scale=0.5)},
            {"x": floats(724, N), "y": float32(np.zeros(N)), "z": float32(np.ones(N))},
        ],
        truth=truth,
        # Two roundings an element; factors of about a half forget them.
        roundings=2 * 8,
        scale=4.0,
    )


@program(SOURCE.format(7))
def state_equation() -> Parts:
    """Equation of state: a long expression of neighbours, without a recurrence."""

    def truth(u: np.ndarray, y: np.ndarray, z: np.ndarray) -> dict[str, object]:
        r, t = float(R), float(T)
        k = np.arange(N)
        first = u[k] + r * (z[k] + r * y[k])
        second = u[k + 3] + r * (u[k + 2] + r * u[k + 1])
        third = u[k + 6] + r * (u[k + 5] + r * u[k + 4])
        return {"x": first + t * (second + t * third)}

    def nested(name: str, a: str, b: str, c: str) -> str:
        return f"{name}1 = Mul (r, {c})  {name}2 = Add ({b}, {name}1)  {name}3 = Mul (r, {name}2)  {name} = Add ({a}, {name}3)"

    reads = "  ".join(f"p{d} = Add (k, i{d})  u{d} = Gather (u, p{d})" for d in range(7))
    return Parts(
        text=f"""
        (float[54] u, float[48] y, float[48] z) => (float[48] x) {{{
            loop(
                "x",
                "n",
                "",
                " => float x1",
                f'''
              {reads}
              yk = Gather (y, k)  zk = Gather (z, k)
              {nested("first", "u0", "zk", "yk")}
              {nested("second", "u3", "u2", "u1")}
              {nested("third", "u6", "u5", "u4")}
              tt = Mul (t, third)  inner = Add (second, tt)
              ti = Mul (t, inner)  x1 = Add (first, ti)''',
            )
        }
        }}""",
        weights=WEIGHTS,
        feeds=[
            {"u": floats(741, N + 6), "y": floats(742, N), "z": floats(743, N)},
            {"u": float32(np.zeros(N + 6)), "y": floats(744, N), "z": floats(745, N)},
        ],
        truth=truth,
        roundings=16,
        scale=1.0,
    )


@program(SOURCE.format(9))
def integrate_predictors() -> Parts:
    """A row of coefficients times thirteen columns of a table, row by row."""
    dm = floats(751, 7)

    def truth(px: np.ndarray) -> dict[str, object]:
        return {
            "predicted": px[:, 6:13] @ dm.astype(float)[::-1] + float(Q) * (px[:, 4] + px[:, 5]) + px[:, 2]
        }

    terms = "\n".join(
        f"p{c} = Gather (row, c{c})  d{c} = Gather (dm, d_at{c})  m{c} = Mul (d{c}, p{c})"
        + (f"  s{c} = Add (s{c - 1}, m{c})" if c > 6 else "  s6 = Identity (m6)")
        for c in range(6, 13)
    )
    return Parts(
        text=f"""
        (float[48,13] px) => (float[48] predicted) {{{
            loop(
                "predicted",
                "n",
                "",
                " => float x1",
                f'''
              row = Gather <axis = 0> (px, k)
              {terms}
              p4 = Gather (row, i4)  p5 = Gather (row, i5)  both = Add (p4, p5)
              start = Mul (q, both)  with_start = Add (s12, start)
              p2 = Gather (row, i2)  x1 = Add (with_start, p2)''',
            )
        }
        }}""",
        weights=WEIGHTS
        | {"dm": dm}
        | {f"c{c}": int64(c) for c in range(6, 13)}
        | {f"d_at{c}": int64(12 - c) for c in range(6, 13)},
        feeds=[{"px": floats(752, N, 13)}, {"px": float32(np.ones((N, 13)))}],
        truth=truth,
        roundings=12,
        scale=4.0,
    )


@program(SOURCE.format(11))
def first_sum() -> Parts:
    """Prefix sums, each from the one before."""
    return Parts(
        text=f"""
        (float[N] y) => (float[N] x) {{
          count = Size (y){
            loop(
                "end, x",
                "count",
                "f0",
                "float x0 => float x1, float shown",
                '''
              yk = Gather (y, k)
              x1 = Add (x0, yk)
              shown = Identity (x1)''',
            )
        }
        }}""",
        feeds=[{"y": floats(761, 64)}, {"y": floats(762, 1)}, {"y": floats(763, 0)}],
        truth=lambda y: {"x": np.cumsum(y)},
        roundings=64,
        scale=8.0,
    )


@program(SOURCE.format(12))
def first_difference() -> Parts:
    """Differences of neighbours."""
    return Parts(
        text=f"""
        (float[49] y) => (float[48] x) {{{
            loop(
                "x",
                "n",
                "",
                " => float x1",
                '''
              next = Add (k, i1)
              above = Gather (y, next)  below = Gather (y, k)
              x1 = Sub (above, below)''',
            )
        }
        }}""",
        weights=WEIGHTS,
        feeds=[{"y": floats(771, N + 1)}, {"y": float32(np.arange(N + 1) ** 2)}],
        truth=lambda y: {"x": np.diff(y)},
        roundings=1,
    )


@program(SOURCE.format(22))
def planckian() -> Parts:
    """Planck's distribution, whose exponent is limited by a branch."""

    def truth(u: np.ndarray, v: np.ndarray, x: np.ndarray) -> dict[str, object]:
        y = np.where(u < 20 * v, u / v, 20)
        return {"y": y, "w": x / np.expm1(y)}

    return Parts(
        text=f"""
        (float[48] u, float[48] v, float[48] x) => (float[48] y, float[48] w) {{{
            loop(
                "y, w",
                "n",
                "",
                " => float y1, float w1",
                '''
              uk = Gather (u, k)  vk = Gather (v, k)  xk = Gather (x, k)
              bound = Mul (most, vk)
              small = Less (uk, bound)
              y1 = If (small) <
                then_branch = ratio () => (float a) { a = Div (uk, vk) },
                else_branch = limit () => (float b) { b = Identity (most) }>
              e = Exp (y1)
              below = Sub (e, f1)
              w1 = Div (xk, below)''',
            )
        }
        }}""",
        weights=WEIGHTS | {"most": float32(20)},
        feeds=[
            {
                "u": np.abs(floats(791, N)) + 1,
                "v": np.abs(floats(792, N)) + np.float32(0.01),
                "x": floats(793, N),
            },
            {"u": float32(np.ones(N)), "v": float32(np.full(N, 0.01)), "x": floats(794, N)},
        ],
        truth=truth,
        # The exponent of up to 20 loses so many units; e - 1 cancels where u / v is a fifth.
        roundings=20 + 3 + 6,
    )


@program(SOURCE.format(24))
def first_minimum() -> Parts:
    """Place of the first minimum, by a branch in each trip."""
    return Parts(
        text=f"""
        (float[N] x) => (int64 place) {{
          count = Size (x)
          trips = Sub (count, i1){
            loop(
                "place",
                "trips",
                "i0",
                "int64 m0 => int64 m1",
                '''
              next = Add (k, i1)
              value = Gather (x, next)
              best = Gather (x, m0)
              less = Less (value, best)
              m1 = If (less) <
                then_branch = found () => (int64 a) { a = Identity (next) },
                else_branch = kept () => (int64 b) { b = Identity (m0) }>''',
            )
        }
        }}""",
        feeds=[{"x": floats(811, 64)}, {"x": float32([2, 1, 1, 3])}, {"x": floats(812, 1)}],
        truth=lambda x: {"place": int(x.argmin())},
    )
