"""Filters and controllers: a state that each sample changes."""

from __future__ import annotations

import numpy as np

from corpus.program import Parts, float32, floats, program


@program("Kalman 1960; Welch and Bishop, An Introduction to the Kalman Filter")
def kalman() -> Parts:
    """Position and velocity from noisy positions, the covariance carried along."""
    f, h = float32([[1, 0.1], [0, 1]]), float32([[1, 0]])
    q, r = float32([[0.001, 0.01], [0.01, 0.1]]), float32([[0.5]])

    def truth(z: np.ndarray) -> dict[str, object]:
        x, p, shown = np.zeros(2), np.eye(2), []
        big_f, big_h = f.astype(float), h.astype(float)
        for measured in z:
            x, p = big_f @ x, big_f @ p @ big_f.T + q
            gain = p @ big_h.T @ np.linalg.inv(big_h @ p @ big_h.T + r)
            x, p = x + gain @ (measured - big_h @ x), (np.eye(2) - gain @ big_h) @ p
            shown.append(x)
        return {"states": np.array(shown), "covariance": p}

    return Parts(
        text="""
        (float[T,1] z) => (float[T,2] states, float[2,2] covariance) {
          f_turned = Transpose <perm = [1, 0]> (F)
          h_turned = Transpose <perm = [1, 0]> (H)
          x, covariance, states = Scan <num_scan_inputs = 1, body = step
              (float[2] x0, float[2,2] p0, float[1] measured) => (float[2] x1, float[2,2] p1, float[2] shown) {
              ahead = MatMul (F, x0)
              fp = MatMul (F, p0)
              fpf = MatMul (fp, f_turned)
              p = Add (fpf, Q)
              ph = MatMul (p, h_turned)
              hph = MatMul (H, ph)
              s = Add (hph, R)
              gain = Div (ph, s)
              hx = MatMul (H, ahead)
              innovation = Sub (measured, hx)
              correction = MatMul (gain, innovation)
              x1 = Add (ahead, correction)
              gh = MatMul (gain, H)
              rest = Sub (identity, gh)
              p1 = MatMul (rest, p)
              shown = Identity (x1)
          }> (zeros, identity, z)
        }""",
        weights={
            "F": f,
            "H": h,
            "Q": q,
            "R": r,
            "identity": float32(np.eye(2)),
            "zeros": float32(np.zeros(2)),
        },
        feeds=[
            {"z": float32(np.arange(40)[:, None] / 10) + floats(601, 40, 1, scale=0.5)},
            {"z": floats(602, 1, 1)},
            {"z": float32(np.zeros((3, 1)))},
        ],
        truth=truth,
        # A step has 14 roundings of the state; what a gain of about 0.3 leaves of them lasts ten steps.
        roundings=10 * 14,
        scale=1.0,
    )


@program("PID control with clamping, as of Åström and Hägglund, PID Controllers, 1995")
def pid() -> Parts:
    """A plant that follows set points: the integral stops while the actuator is at its limit."""
    kp, ki, kd, dt = (np.float32(v) for v in (2.0, 1.5, 0.1, 0.05))

    def truth(targets: np.ndarray) -> dict[str, object]:
        y = integral = before = 0.0
        ys, us = [], []
        for target in targets:
            error = target - y
            u = float(kp) * error + float(ki) * integral + float(kd) * (error - before) / float(dt)
            if abs(u) > 3:
                u = np.clip(u, -3, 3)
            else:
                integral += error * float(dt)
            before = error
            y += float(dt) * (u - y)
            ys.append(y)
            us.append(u)
        return {"y": np.array(ys), "u": np.array(us)}

    return Parts(
        text="""
        (float[T] targets) => (float[T] y, float[T] u) {
          count = Size (targets)
          y_end, integral, before, y, u = Loop (count, yes, f0, f0, f0) <body = step
            (int64 t, bool go, float y0, float i_0, float e0)
              => (bool on, float y1, float i_1, float e1, float y_shown, float u_shown) {
              on = Identity (go)
              target = Gather <axis = 0> (targets, t)
              e1 = Sub (target, y0)
              p = Mul (kp, e1)
              i = Mul (ki, i_0)
              de = Sub (e1, e0)
              slope = Div (de, dt)
              d = Mul (kd, slope)
              pi = Add (p, i)
              wanted = Add (pi, d)
              size = Abs (wanted)
              limited = Greater (size, f3)
              u_shown, i_1 = If (limited) <
                then_branch = clamp () => (float ua, float ia) {
                  least = Neg (f3)
                  ua = Clip (wanted, least, f3)
                  ia = Identity (i_0) },
                else_branch = free () => (float ub, float ib) {
                  ub = Identity (wanted)
                  part = Mul (e1, dt)
                  ib = Add (i_0, part) }>
              gap = Sub (u_shown, y0)
              change = Mul (dt, gap)
              y1 = Add (y0, change)
              y_shown = Identity (y1)
          }>
        }""",
        weights={"kp": kp, "ki": ki, "kd": kd, "dt": dt},
        feeds=[
            {"targets": float32([1.0] * 30 + [5.0] * 20 + [-1.0] * 20)},
            {"targets": float32([0.0, 0.0])},
            {"targets": float32([0.5])},
        ],
        truth=truth,
        # Ten roundings a step of numbers up to 5; the derivative makes twice an error of them; the loop forgets within 20 steps.
        roundings=20 * 10 * 2,
        scale=5.0,
    )


@program(
    "Biquad sections in transposed direct form II; Oppenheim and Schafer, Discrete-Time Signal Processing"
)
def biquads() -> Parts:
    """Three second-order sections one after the other, sample by sample."""
    angles, radii = np.array([0.3, 0.9, 1.7]), np.array([0.8, 0.7, 0.6])
    b = float32([[1, -1.2, 0.6], [0.5, 0.2, 0.1], [1, 0.5, 0.25]])
    a = float32(np.column_stack([-2 * radii * np.cos(angles), radii**2]))

    def truth(x: np.ndarray) -> dict[str, object]:
        signal = list(x)
        for (b0, b1, b2), (a1, a2) in zip(b.astype(float), a.astype(float)):
            # Direct form I: the difference equation itself.
            out: list[float] = []
            for n, value in enumerate(signal):

                def at(values: list[float], k: int) -> float:
                    return values[k] if k >= 0 else 0.0

                out.append(
                    b0 * value
                    + b1 * at(signal, n - 1)
                    + b2 * at(signal, n - 2)
                    - a1 * at(out, n - 1)
                    - a2 * at(out, n - 2)
                )
            signal = out
        return {"y": np.array(signal)}

    return Parts(
        text="""
        (float[T] x) => (float[T] y) {
          end, y = Scan <num_scan_inputs = 1, body = sample (float[3,2] s0, float value) => (float[3,2] s1, float shown) {
              shown, s1 = Loop (i3, yes, value) <body = section
                (int64 k, bool go, float in) => (bool on, float out, float[2] state) {
                  on = Identity (go)
                  before = Gather <axis = 0> (s0, k)
                  bk = Gather <axis = 0> (B, k)
                  ak = Gather <axis = 0> (A, k)
                  b_first = Gather <axis = 0> (bk, i0)
                  b_rest = Slice (bk, at1, at3)
                  direct = Mul (b_first, in)
                  first = Gather <axis = 0> (before, i0)
                  out = Add (direct, first)
                  forward = Mul (b_rest, in)
                  back = Mul (ak, out)
                  tail = Slice (before, at1, at2)
                  shifted = Concat <axis = 0> (tail, none)
                  kept = Add (shifted, forward)
                  state = Sub (kept, back)
              }>
          }> (zeros, x)
        }""",
        weights={"B": b, "A": a, "zeros": float32(np.zeros((3, 2))), "none": float32([0])},
        feeds=[{"x": floats(611, 48)}, {"x": floats(612, 1)}, {"x": float32([1] + [0] * 7)}],
        truth=truth,
        # Five roundings a section; the poles' radius, 0.8, leaves those of five samples, and the sections amplify them by 4.
        roundings=3 * 5 * 5 * 4,
        scale=1.0,
    )


@program("FIR filter whose history is a state, as in real-time audio")
def fir_state() -> Parts:
    """Taps times the last samples; a block's end is the next block's history."""
    taps = floats(621, 12, scale=0.4)
    return Parts(
        text="""
        (float[11] history, float[T] x) => (float[T] y, float[11] kept) {
          kept, y = Scan <num_scan_inputs = 1, body = sample (float[11] h0, float value) => (float[11] h1, float shown) {
              newest = Unsqueeze (value, at0)
              window = Concat <axis = 0> (h0, newest)
              shown = MatMul (window, taps)
              h1 = Slice (window, at1, twelve)
          }> (history, x)
        }""",
        weights={"taps": taps[::-1].copy(), "twelve": np.array([12])},
        feeds=[
            {"history": floats(622, 11), "x": floats(623, 40)},
            {"history": float32(np.zeros(11)), "x": floats(624, 1)},
            {"history": floats(625, 11), "x": floats(626, 11)},
        ],
        truth=lambda history, x: {
            "y": np.convolve(np.concatenate([history, x]), taps.astype(float), "valid"),
            "kept": np.concatenate([history, x])[-11:],
        },
        # Twelve products and their sum, whose terms may cancel.
        roundings=12 * 2,
        scale=2.0,
    )


@program("Feedback comb filter; Schroeder, Natural Sounding Artificial Reverberation, 1962")
def delay_line() -> Parts:
    """Echoes by a ring buffer: read at the place that is written next."""

    def truth(x: np.ndarray) -> dict[str, object]:
        y: list[float] = []
        for n, value in enumerate(x):
            y.append(value + 0.5 * (y[n - 8] if n >= 8 else 0))
        return {"y": np.array(y)}

    return Parts(
        text="""
        (float[T] x) => (float[T] y) {
          count = Size (x)
          ring, y = Loop (count, yes, silence) <body = sample
            (int64 t, bool go, float[8] r0) => (bool on, float[8] r1, float shown) {
              on = Identity (go)
              value = Gather <axis = 0> (x, t)
              place = Mod (t, i8)
              old = Gather <axis = 0> (r0, place)
              echo = Mul (old, half)
              shown = Add (value, echo)
              places = Unsqueeze (place, at0)
              values = Unsqueeze (shown, at0)
              r1 = ScatterElements <axis = 0> (r0, places, values)
          }>
        }""",
        weights={"silence": float32(np.zeros(8))},
        feeds=[{"x": floats(631, 50)}, {"x": floats(632, 1)}, {"x": floats(633, 0)}],
        truth=truth,
        # An addition every eight samples, halved; products with a half are exact.
        roundings=4,
    )


@program("Feed-forward compressor; Giannoulis et al., Digital Dynamic Range Compressor Design, 2012")
def compressor() -> Parts:
    """Loudness followed fast upward and slowly downward, and the gain that it gives."""
    attack, release = np.float32(0.4), np.float32(0.05)

    def truth(x: np.ndarray) -> dict[str, object]:
        level, shown = 0.0, []
        for value in x:
            size = abs(value)
            level += float(attack if size > level else release) * (size - level)
            shown.append(value * (1 if level <= 0.5 else np.sqrt(0.5 / level)))
        return {"y": np.array(shown), "level": level}

    return Parts(
        text="""
        (float[T] x) => (float[T] y, float level) {
          level, y = Scan <num_scan_inputs = 1, body = sample (float l0, float value) => (float l1, float shown) {
              size = Abs (value)
              gap = Sub (size, l0)
              rising = Greater (gap, f0)
              rate = If (rising) <
                then_branch = up () => (float a) { a = Identity (attack) },
                else_branch = down () => (float b) { b = Identity (release) }>
              change = Mul (rate, gap)
              l1 = Add (l0, change)
              loud = Greater (l1, half)
              shown = If (loud) <
                then_branch = compress () => (float c) {
                  share = Div (half, l1)
                  gain = Sqrt (share)
                  c = Mul (value, gain) },
                else_branch = pass () => (float d) { d = Identity (value) }>
          }> (f0, x)
        }""",
        weights={"attack": attack, "release": release},
        feeds=[{"x": floats(641, 60)}, {"x": floats(642, 1)}, {"x": float32(np.zeros(5))}],
        truth=truth,
        # Three roundings a sample, of which a release of 0.05 keeps those of 20; then three.
        roundings=3 * 20 + 3,
        scale=1.0,
    )
