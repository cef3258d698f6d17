"""Programs on integers."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array, lax

Outputs = dict[str, Array]


def collatz(n: Array) -> Outputs:
    """Steps of the 3n + 1 sequence until 1."""

    def step(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        value, steps, largest = state
        value = lax.cond(value % 2 != 0, lambda: value * 3 + 1, lambda: value // 2)
        return value, steps + 1, jnp.maximum(largest, value)

    _, steps, largest = lax.while_loop(lambda state: state[0] > 1, step, (n, jnp.zeros_like(n), n))
    return {"steps": steps, "largest": largest}
