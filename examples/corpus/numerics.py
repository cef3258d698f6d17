"""Numerical methods whose loops end by convergence, or after a fixed number of steps."""

from __future__ import annotations

import numpy as np

from corpus.program import Parts, float32, floats, int64, program


@program("Newton's method, as of Press et al., Numerical Recipes, section 9.4")
def newton() -> Parts:
    """Cube root by Newton's steps until they are small."""
    return Parts(
        text="""
        (float a) => (float root) {
          root, change = Loop (i50, yes, f1, f1) <body = step
            (int64 t, bool go, float x0, float d0) => (bool on, float x1, float d1) {
              square = Mul (x0, x0)
              cube = Mul (square, x0)
              value = Sub (cube, a)
              slope = Mul (square, f3)
              d1 = Div (value, slope)
              x1 = Sub (x0, d1)
              size = Abs (d1)
              bound = Mul (x1, tolerance)
              on = Greater (size, bound)
          }>
        }""",
        weights={"i50": int64(50), "tolerance": float32(1e-3)},
        feeds=[{"a": float32(a)} for a in (20.0, 1.0, 1e6, 0.01)],
        truth=lambda a: {"root": np.cbrt(a)},
        # A relative change of 1e-3 squared, 17 units, is the error of the method; then five roundings.
        roundings=17 + 5,
    )


@program("Bisection, as of Press et al., Numerical Recipes, section 9.1")
def bisection() -> Parts:
    """Root of x³ - x = a by halving an interval, with a branch in each step."""

    def truth(a: np.ndarray) -> dict[str, object]:
        low, high = 1.0, 3.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if middle**3 - middle < a else (low, middle)
        return {"root": (low + high) / 2}

    return Parts(
        text="""
        (float a) => (float root) {
          low, high = Loop (i24, yes, f1, f3) <body = step
            (int64 t, bool go, float l0, float h0) => (bool on, float l1, float h1) {
              on = Identity (go)
              sum = Add (l0, h0)
              middle = Mul (sum, half)
              square = Mul (middle, middle)
              cube = Mul (square, middle)
              value = Sub (cube, middle)
              below = Less (value, a)
              l1, h1 = If (below) <
                then_branch = upper () => (float a0, float a1) { a0 = Identity (middle)  a1 = Identity (h0) },
                else_branch = lower () => (float b0, float b1) { b0 = Identity (l0)  b1 = Identity (middle) }>
          }>
          both = Add (low, high)
          root = Mul (both, half)
        }""",
        weights={"i24": int64(24)},
        feeds=[{"a": float32(a)} for a in (5.0, 0.5, 23.5, 1.0)],
        truth=truth,
        # The last interval is 2 / 2²⁴; the value has three roundings of up to 27 against a slope of at least 2.
        roundings=2 + 3 * 27 / 2,
    )


@program("Kutta 1901; Press et al., Numerical Recipes, section 16.1")
def runge_kutta() -> Parts:
    """Fifty fourth-order steps of a pendulum, the angles kept."""
    dt = np.float32(0.05)

    def truth(state: np.ndarray) -> dict[str, object]:
        def slope(y: np.ndarray) -> np.ndarray:
            return np.array([y[1], -np.sin(y[0])])

        y, h, shown = state, float(dt), []
        for _ in range(50):
            k1 = slope(y)
            k2 = slope(y + h / 2 * k1)
            k3 = slope(y + h / 2 * k2)
            k4 = slope(y + h * k3)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            shown.append(y[0])
        return {"angles": np.array(shown), "final": y}

    def slope(name: str, angle: str, speed: str) -> str:
        return f"{name}a = Identity ({speed})  {name}s = Sin ({angle})  {name}v = Neg ({name}s)"

    def moved(name: str, by: str, slope_: str) -> str:
        return (
            f"{name}da = Mul ({by}, {slope_}a)  {name}a_ = Add (angle0, {name}da)"
            f"  {name}dv = Mul ({by}, {slope_}v)  {name}v_ = Add (speed0, {name}dv)"
        )

    def total(axis: str, before: str, after: str) -> str:
        return (
            f"{axis}23 = Add (k2{axis}, k3{axis})  {axis}twice = Mul ({axis}23, f2)  {axis}14 = Add (k1{axis}, k4{axis})"
            f"  {axis}all = Add ({axis}14, {axis}twice)  {axis}step = Mul ({axis}all, sixth)  {after} = Add ({before}, {axis}step)"
        )

    return Parts(
        text=f"""
        (float[2] state) => (float[50] angles, float[2] final) {{
          angle_start = Gather <axis = 0> (state, i0)
          speed_start = Gather <axis = 0> (state, i1)
          angle_end, speed_end, angles = Loop (i50, yes, angle_start, speed_start) <body = step
            (int64 t, bool go, float angle0, float speed0) => (bool on, float angle1, float speed1, float shown) {{
              on = Identity (go)
              {slope("k1", "angle0", "speed0")}
              {moved("m2", "half_dt", "k1")}
              {slope("k2", "m2a_", "m2v_")}
              {moved("m3", "half_dt", "k2")}
              {slope("k3", "m3a_", "m3v_")}
              {moved("m4", "dt", "k3")}
              {slope("k4", "m4a_", "m4v_")}
              {total("a", "angle0", "angle1")}
              {total("v", "speed0", "speed1")}
              shown = Identity (angle1)
          }}>
          last_angle = Unsqueeze (angle_end, at0)
          last_speed = Unsqueeze (speed_end, at0)
          final = Concat <axis = 0> (last_angle, last_speed)
        }}""",
        weights={"i50": int64(50), "dt": dt, "half_dt": dt / np.float32(2), "sixth": dt / np.float32(6)},
        feeds=[{"state": float32(s)} for s in ([0.5, 0.0], [0.0, 0.0], [2.0, 0.5])],
        truth=truth,
        # A step rounds its result once; the increments, a tenth of it, ten times. Fifty steps, and the system's growth, below 4.
        roundings=50 * 2 * 4,
        scale=1.0,
    )


@program("Heun and Euler embedded, step sizes as of Press et al., Numerical Recipes, section 16.2")
def adaptive_step() -> Parts:
    """Decay integrated with steps that halve or grow by their error, until the end is reached."""

    def truth(rate: np.ndarray) -> dict[str, object]:
        y, t, h, accepted, tried = 1.0, 0.0, 0.25, 0, 0
        while t < 1 and tried < 200:
            euler = -rate * y
            heun = -rate * (y + h * euler)
            error = abs(h / 2 * (heun - euler))
            tried += 1
            if error < 1e-3:
                y, t, accepted = y + h / 2 * (euler + heun), t + h, accepted + 1
                h = min(h * 1.5, 1 - t) if t < 1 else h
            else:
                h = h / 2
        return {"y": y, "accepted": accepted, "tried": tried}

    return Parts(
        text="""
        (float rate) => (float y, int64 accepted, int64 tried) {
          minus = Neg (rate)
          y, t, h, accepted, tried = Loop (i200, yes, f1, f0, quarter, i0, i0) <body = step
            (int64 k, bool go, float y0, float t0, float h0, int64 a0, int64 n0)
              => (bool on, float y1, float t1, float h1, int64 a1, int64 n1) {
              n1 = Add (n0, i1)
              euler = Mul (minus, y0)
              moved = Mul (h0, euler)
              ahead = Add (y0, moved)
              heun = Mul (minus, ahead)
              difference = Sub (heun, euler)
              half_h = Mul (h0, half)
              error = Mul (half_h, difference)
              size = Abs (error)
              good = Less (size, tolerance)
              y1, t1, h1, a1 = If (good) <
                then_branch = accept () => (float ya, float ta, float ha, int64 aa) {
                  sum = Add (euler, heun)
                  change = Mul (half_h, sum)
                  ya = Add (y0, change)
                  ta = Add (t0, h0)
                  aa = Add (a0, i1)
                  grown = Mul (h0, growth)
                  rest = Sub (f1, ta)
                  ha = Min (grown, rest) },
                else_branch = refuse () => (float yb, float tb, float hb, int64 ab) {
                  yb = Identity (y0)
                  tb = Identity (t0)
                  hb = Identity (half_h)
                  ab = Identity (a0) }>
              left = Sub (f1, t1)
              on = Greater (left, end)
          }>
        }""",
        weights={
            "i200": int64(200),
            "quarter": float32(0.25),
            "tolerance": float32(1e-3),
            "growth": float32(1.5),
            "end": float32(1e-5),
        },
        feeds=[{"rate": float32(r)} for r in (3.0, 0.1, 9.0)],
        truth=truth,
        # Seven roundings in each of at most 70 steps; all terms shrink. The end is 1e-5, 168 units, from 1, times the rate.
        roundings=7 * 70 + 168,
    )


@program("Horner 1819; Knuth, The Art of Computer Programming 2, section 4.6.4")
def horner() -> Parts:
    """Polynomial at many places, a coefficient a trip."""
    return Parts(
        text="""
        (float[N] coefficients, float[32] x) => (float[32] y) {
          count = Size (coefficients)
          zeros = Mul (x, f0)
          y = Loop (count, yes, zeros) <body = step (int64 t, bool go, float[32] y0) => (bool on, float[32] y1) {
              on = Identity (go)
              c = Gather <axis = 0> (coefficients, t)
              product = Mul (y0, x)
              y1 = Add (product, c)
          }>
        }""",
        feeds=[
            {"coefficients": floats(431, 12), "x": float32(np.linspace(-1, 1, 32))},
            {"coefficients": floats(432, 1), "x": floats(433, 32)},
            {"coefficients": floats(434, 0), "x": floats(435, 32)},
        ],
        truth=lambda coefficients, x: {"y": np.polyval(coefficients, x) + 0 * x},
        # Two roundings a step, of terms of up to 2 each.
        roundings=2 * 12 * 2,
        scale=2.0,
    )


@program("Brooks and Matelski 1978; Mandelbrot 1980")
def mandelbrot() -> Parts:
    """Steps until each point of a grid escapes, ended when all have."""

    def truth(re: np.ndarray, im: np.ndarray) -> dict[str, object]:
        c = re[None, :] + 1j * im[:, None]
        z, counts = np.zeros_like(c), np.zeros(c.shape, np.int64)
        for _ in range(20):
            inside = np.abs(z) <= 2
            z = np.where(inside, z * z + c, z)
            counts += inside
        return {"counts": counts}

    return Parts(
        text="""
        (float[W] re, float[H] im) => (int64[H,W] counts) {
          rows = Unsqueeze (im, at1)
          none_re = Mul (re, f0)
          none_im = Mul (rows, f0)
          zeros = Add (none_im, none_re)
          start = Cast <to = 7> (zeros)
          a, b, counts = Loop (i20, yes, zeros, zeros, start) <body = step
            (int64 t, bool go, float[H,W] a0, float[H,W] b0, int64[H,W] n0)
              => (bool on, float[H,W] a1, float[H,W] b1, int64[H,W] n1) {
              aa = Mul (a0, a0)
              bb = Mul (b0, b0)
              size = Add (aa, bb)
              inside = LessOrEqual (size, f4)
              difference = Sub (aa, bb)
              new_a = Add (difference, re)
              ab = Mul (a0, b0)
              twice = Mul (ab, f2)
              new_b = Add (twice, rows)
              a1 = Where (inside, new_a, a0)
              b1 = Where (inside, new_b, b0)
              one = Cast <to = 7> (inside)
              n1 = Add (n0, one)
              any = ReduceMax <keepdims = 0> (one)
              on = Greater (any, i0)
          }>
        }""",
        weights={"i20": int64(20)},
        feeds=[
            {"re": float32(np.linspace(-1.97, 0.61, 20)), "im": float32(np.linspace(-1.13, 1.07, 12))},
            {"re": float32([2.5, 3.0]), "im": float32([1.0])},
        ],
        truth=truth,
    )


@program("MacQueen 1967; Lloyd, Least Squares Quantization in PCM, 1982")
def kmeans() -> Parts:
    """Means of three groups of points, until no point changes its group."""

    def truth(points: np.ndarray, means: np.ndarray) -> dict[str, object]:
        groups = np.full(len(points), -1)
        for _ in range(20):
            nearest = ((points[:, None] - means) ** 2).sum(2).argmin(1)
            same = np.array_equal(nearest, groups)
            groups = nearest
            means = np.array(
                [points[groups == k].mean(0) if (groups == k).any() else means[k] for k in range(3)]
            )
            if same:
                break
        return {"found": means, "groups": groups}

    spread = floats(441, 36, 2, scale=0.5) + float32([[0, 0], [3, 0], [0, 3]] * 12)
    return Parts(
        text="""
        (float[N,2] points, float[3,2] means) => (float[3,2] found, int64[N] groups) {
          extents = Shape <end = 1> (points)
          nobody = ConstantOfShape <value = int64[1] {-1}> (extents)
          columns = Unsqueeze (points, at1)
          found, groups = Loop (i20, yes, means, nobody) <body = step
            (int64 t, bool go, float[3,2] m0, int64[N] g0) => (bool on, float[3,2] m1, int64[N] g1) {
              differences = Sub (columns, m0)
              distances = ReduceSumSquare <keepdims = 0> (differences, at2)
              g1 = ArgMin <axis = 1, keepdims = 0> (distances)
              members = OneHot <axis = 0> (g1, i3, values)
              sums = MatMul (members, points)
              counts = ReduceSum <keepdims = 1> (members, at1)
              filled = Max (counts, f1)
              averages = Div (sums, filled)
              empty = Equal (counts, f0)
              m1 = Where (empty, m0, averages)
              moved = Sub (g1, g0)
              sizes = Abs (moved)
              any = ReduceMax <keepdims = 0> (sizes)
              on = Greater (any, i0)
          }>
        }""",
        weights={"i20": int64(20), "values": float32([0, 1])},
        feeds=[
            {"points": spread, "means": spread[:3]},
            {"points": spread, "means": float32([[0, 0], [0.5, 0], [50, 50]])},
            {"points": spread[:3], "means": spread[:3]},
        ],
        truth=truth,
        # A sum of at most 36 points.
        roundings=38,
    )
