"""Numerical methods: `while_loop` until convergence, `fori_loop` for a fixed number of steps."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array, lax

Outputs = dict[str, Array]


def newton(a: Array, i50: Array, tolerance: Array) -> Outputs:
    """Cube root by Newton's steps until they are small."""

    def going(state: tuple[Array, Array, Array]) -> Array:
        count, x, change = state
        return (count < i50) & ((count == 0) | (jnp.abs(change) > x * tolerance))

    def step(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        count, x, _ = state
        change = (x * x * x - a) / (x * x * 3)
        return count + 1, x - change, change

    one = jnp.ones_like(a)
    return {"root": lax.while_loop(going, step, (jnp.zeros_like(i50), one, one))[1]}


def power_iteration(start: Array, matrix: Array, i400: Array, tolerance: Array) -> Outputs:
    """Largest eigenvalue and its vector, until the vector stays."""
    State = tuple[Array, Array, Array, Array]

    def step(state: State) -> State:
        count, v, _, _ = state
        product = matrix @ v
        value = jnp.linalg.norm(product)
        new = product / value
        return count + 1, new, value, jnp.linalg.norm(new - v) > tolerance

    first = (jnp.zeros_like(i400), start, jnp.zeros_like(tolerance), jnp.array(True))
    _, vector, value, _ = lax.while_loop(lambda state: (state[0] < i400) & state[3], step, first)
    return {"value": value, "vector": vector}


def conjugate_gradients(b: Array, matrix: Array, zeros: Array, i32: Array, tolerance: Array) -> Outputs:
    """Solution of a definite system, until the residual is small."""
    State = tuple[Array, Array, Array, Array, Array]

    def step(state: State) -> State:
        count, x, r, p, rr = state
        ap = matrix @ p
        alpha = rr / (p @ ap)
        r = r - alpha * ap
        after = r @ r
        return count + 1, x + alpha * p, r, r + after / rr * p, after

    first = (jnp.zeros_like(i32), zeros, b, b, b @ b)
    return {"x": lax.while_loop(lambda state: (state[0] < i32) & (state[4] > tolerance), step, first)[1]}


def jacobi(b: Array, off: Array, diagonal: Array, zeros: Array, i40: Array) -> Outputs:
    """Forty sweeps over a system whose diagonal dominates."""
    return {"x": lax.fori_loop(0, i40, lambda _, x: (b - off @ x) / diagonal, zeros)}


def bisection(a: Array, i24: Array) -> Outputs:
    """Root by halving an interval, with a branch in each step."""

    def step(_: Array, ends: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = ends
        middle = (low + high) * 0.5
        value = middle * middle * middle - middle
        return lax.cond(value < a, lambda: (middle, high), lambda: (low, middle))

    low, high = lax.fori_loop(0, i24, step, (jnp.full_like(a, 1), jnp.full_like(a, 3)))
    return {"root": (low + high) * 0.5}


def runge_kutta(state: Array, dt: Array, half_dt: Array, sixth: Array) -> Outputs:
    """Fifty fourth-order steps of a pendulum, the angles kept."""

    def slope(y: tuple[Array, Array]) -> tuple[Array, Array]:
        return y[1], -jnp.sin(y[0])

    def step(y: tuple[Array, Array], _: None) -> tuple[tuple[Array, Array], Array]:
        def moved(by: Array, k: tuple[Array, Array]) -> tuple[Array, Array]:
            return y[0] + by * k[0], y[1] + by * k[1]

        k1 = slope(y)
        k2 = slope(moved(half_dt, k1))
        k3 = slope(moved(half_dt, k2))
        k4 = slope(moved(dt, k3))
        angle, speed = (y[n] + sixth * (k1[n] + k4[n] + 2 * (k2[n] + k3[n])) for n in (0, 1))
        return (angle, speed), angle

    final, angles = lax.scan(step, (state[0], state[1]), length=50)
    return {"angles": angles, "final": jnp.stack(final)}


def adaptive_step(
    rate: Array, i200: Array, quarter: Array, tolerance: Array, growth: Array, end: Array
) -> Outputs:
    """Decay integrated with steps that halve or grow by their error."""
    State = tuple[Array, Array, Array, Array, Array]

    def step(state: State) -> State:
        y, t, h, accepted, tried = state
        euler = -rate * y
        heun = -rate * (y + h * euler)
        half = h * 0.5

        def accept() -> tuple[Array, Array, Array, Array]:
            return y + half * (euler + heun), t + h, jnp.minimum(h * growth, 1 - (t + h)), accepted + 1

        good = jnp.abs(half * (heun - euler)) < tolerance
        return *lax.cond(good, accept, lambda: (y, t, half, accepted)), tried + 1

    none = jnp.zeros_like(i200)
    first = (jnp.ones_like(rate), jnp.zeros_like(rate), quarter, none, none)
    y, _, _, accepted, tried = lax.while_loop(lambda s: (s[4] < i200) & (1 - s[1] > end), step, first)
    return {"y": y, "accepted": accepted, "tried": tried}


def horner(coefficients: Array, x: Array) -> Outputs:
    """Polynomial at many places, a coefficient a trip."""
    return {"y": lax.scan(lambda y, c: (y * x + c, None), jnp.zeros_like(x), coefficients)[0]}


def mandelbrot(re: Array, im: Array, i20: Array) -> Outputs:
    """Steps until each point of a grid escapes, ended when all have."""
    State = tuple[Array, Array, Array, Array, Array]
    rows = im[:, None]
    zeros = jnp.zeros((len(im), len(re)), re.dtype)

    def step(state: State) -> State:
        count, a, b, steps, _ = state
        inside = a * a + b * b <= 4
        new_a, new_b = a * a - b * b + re, 2 * (a * b) + rows
        return (
            count + 1,
            jnp.where(inside, new_a, a),
            jnp.where(inside, new_b, b),
            steps + inside,
            inside.any(),
        )

    first = (jnp.zeros_like(i20), zeros, zeros, zeros.astype(jnp.int64), jnp.array(True))
    return {"counts": lax.while_loop(lambda state: (state[0] < i20) & state[4], step, first)[3]}


def kmeans(points: Array, means: Array, i20: Array) -> Outputs:
    """Means of three groups of points, until no point changes its group."""
    State = tuple[Array, Array, Array, Array]

    def step(state: State) -> State:
        count, means, before, _ = state
        groups = ((points[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
        members = (jnp.arange(3)[:, None] == groups).astype(points.dtype)
        sizes = members.sum(axis=1, keepdims=True)
        moved = jnp.where(sizes == 0, means, members @ points / jnp.maximum(sizes, 1))
        return count + 1, moved, groups, (groups != before).any()

    first = (jnp.zeros_like(i20), means, jnp.full(len(points), -1), jnp.array(True))
    _, found, groups, _ = lax.while_loop(lambda state: (state[0] < i20) & state[3], step, first)
    return {"found": found, "groups": groups}
