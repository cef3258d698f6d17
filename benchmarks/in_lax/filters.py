"""Filters and controllers: a scan over the samples."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array, lax

Outputs = dict[str, Array]


def kalman(z: Array, F: Array, H: Array, Q: Array, R: Array, identity: Array, zeros: Array) -> Outputs:
    """Position and velocity from noisy positions, the covariance carried along."""

    def step(state: tuple[Array, Array], measured: Array) -> tuple[tuple[Array, Array], Array]:
        x, p = F @ state[0], F @ state[1] @ F.T + Q
        gain = p @ H.T / (H @ p @ H.T + R)
        x = x + gain @ (measured - H @ x)
        return (x, (identity - gain @ H) @ p), x

    (_, covariance), states = lax.scan(step, (zeros, identity), z)
    return {"states": states, "covariance": covariance}


def pid(targets: Array, kp: Array, ki: Array, kd: Array, dt: Array) -> Outputs:
    """A plant that follows set points: the integral stops while the actuator is at its limit."""
    State = tuple[Array, Array, Array]

    def step(state: State, target: Array) -> tuple[State, tuple[Array, Array]]:
        y, integral, before = state
        error = target - y
        wanted = kp * error + ki * integral + kd * ((error - before) / dt)
        u, integral = lax.cond(
            jnp.abs(wanted) > 3,
            lambda: (jnp.clip(wanted, -3, 3), integral),
            lambda: (wanted, integral + error * dt),
        )
        y = y + dt * (u - y)
        return (y, integral, error), (y, u)

    zero = jnp.zeros((), targets.dtype)
    _, (y, u) = lax.scan(step, (zero, zero, zero), targets)
    return {"y": y, "u": u}


def biquads(x: Array, B: Array, A: Array, zeros: Array) -> Outputs:
    """Three second-order sections one after the other, sample by sample."""

    def sample(states: Array, value: Array) -> tuple[Array, Array]:
        def section(value: Array, given: tuple[Array, Array, Array]) -> tuple[Array, Array]:
            state, b, a = given
            out = b[0] * value + state[0]
            return out, jnp.stack([state[1], jnp.zeros_like(out)]) + b[1:] * value - a * out

        out, states = lax.scan(section, value, (states, B, A))
        return states, out

    return {"y": lax.scan(sample, zeros, x)[1]}


def fir_state(history: Array, x: Array, taps: Array) -> Outputs:
    """Taps times the last samples."""

    def sample(history: Array, value: Array) -> tuple[Array, Array]:
        window = jnp.concatenate([history, value[None]])
        return window[1:], window @ taps

    kept, y = lax.scan(sample, history, x)
    return {"y": y, "kept": kept}


def delay_line(x: Array, silence: Array) -> Outputs:
    """Echoes by a ring buffer: read at the place that is written next."""

    def sample(ring: Array, given: tuple[Array, Array]) -> tuple[Array, Array]:
        t, value = given
        shown = value + ring[t % 8] * 0.5
        return ring.at[t % 8].set(shown), shown

    return {"y": lax.scan(sample, silence, (jnp.arange(len(x)), x))[1]}


def compressor(x: Array, attack: Array, release: Array) -> Outputs:
    """Loudness followed fast upward and slowly downward, and the gain that it gives."""

    def sample(level: Array, value: Array) -> tuple[Array, Array]:
        gap = jnp.abs(value) - level
        level = level + lax.cond(gap > 0, lambda: attack, lambda: release) * gap
        return level, lax.cond(level > 0.5, lambda: value * jnp.sqrt(0.5 / level), lambda: value)

    level, y = lax.scan(sample, jnp.zeros((), x.dtype), x)
    return {"y": y, "level": level}
