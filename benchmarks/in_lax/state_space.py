"""Linear recurrences of sequence models: a scan over the tokens."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array, lax

Outputs = dict[str, Array]


def mlstm(
    x: Array,
    WQ: Array,
    WK: Array,
    WV: Array,
    WI: Array,
    WF: Array,
    WO: Array,
    C: Array,
    N: Array,
    root: Array,
) -> Outputs:
    """The xLSTM's matrix memory."""

    def step(state: tuple[Array, Array, Array], row: Array) -> tuple[tuple[Array, Array, Array], Array]:
        memory, n, m = state
        q, k, v = row @ WQ, row @ WK * root, row @ WV
        i, f = row @ WI, row @ WF
        largest = jnp.maximum(f + m, i)
        keep, put = jnp.exp(f + m - largest), jnp.exp(i - largest)
        memory = keep * memory + put * jnp.outer(v, k)
        n = keep * n + put * k
        below = jnp.maximum(jnp.abs(n @ q), jnp.exp(-largest))
        return (memory, n, largest), jax.nn.sigmoid(row @ WO) * (memory @ q / below)

    _, y = lax.scan(step, (C, N, jnp.zeros((), x.dtype)), x)
    return {"y": y}


def rwkv(
    x: Array, mix_r: Array, mix_k: Array, mix_v: Array, WR: Array, WK: Array, WV: Array, WO: Array,
    decay: Array, bonus: Array, start: Array, lowest: Array,
) -> Outputs:  # fmt: skip
    """RWKV's time mixing."""
    State = tuple[Array, Array, Array, Array]

    def step(state: State, row: Array) -> tuple[State, Array]:
        before, a, b, p = state
        r, k, v = (
            (row * mix + before * (1 - mix)) @ weights
            for mix, weights in ((mix_r, WR), (mix_k, WK), (mix_v, WV))
        )
        q = jnp.maximum(p, bonus + k)
        old, new = jnp.exp(p - q), jnp.exp(bonus + k - q)
        y = jax.nn.sigmoid(r) * ((old * a + new * v) / (old * b + new)) @ WO
        q = jnp.maximum(p + decay, k)
        old, new = jnp.exp(p + decay - q), jnp.exp(k - q)
        return (row, old * a + new * v, old * b + new, q), y

    _, y = lax.scan(step, (start, start, start, lowest), x)
    return {"y": y}


def selective_scan(
    x: Array, WD: Array, WB: Array, WC: Array, A: Array, bias: Array, skip: Array, start: Array
) -> Outputs:
    """Mamba's scan with its projections."""

    def step(h: Array, row: tuple[Array, Array, Array, Array]) -> tuple[Array, Array]:
        delta, b, c, u = row
        h = jnp.exp(delta[:, None] * A) * h + (delta * u)[:, None] * b
        return h, h @ c

    _, scanned = lax.scan(step, start, (jax.nn.softplus(x @ WD + bias), x @ WB, x @ WC, x))
    return {"y": scanned + x * skip}


def gated_linear_attention(x: Array, WQ: Array, WK: Array, WV: Array, WG: Array, start: Array) -> Outputs:
    """Linear attention whose memory decays by a gate of its own in each row."""

    def step(memory: Array, row: tuple[Array, Array, Array, Array]) -> tuple[Array, Array]:
        q, k, v, alpha = row
        memory = alpha[:, None] * memory + jnp.outer(k, v)
        return memory, q @ memory

    alphas = jnp.sqrt(jnp.sqrt(jax.nn.sigmoid(x @ WG)))
    return {"y": lax.scan(step, start, (x @ WQ, x @ WK, x @ WV, alphas))[1]}


def delta_rule(x: Array, WK: Array, WV: Array, WB: Array, start: Array) -> Outputs:
    """Fast weights by the delta rule."""

    def step(memory: Array, row: Array) -> tuple[Array, Array]:
        k = row @ WK
        k = k / jnp.linalg.norm(k)
        memory = memory + jnp.outer(jax.nn.sigmoid(row @ WB) * (row @ WV - memory @ k), k)
        return memory, memory @ k

    memory, y = lax.scan(step, start, x)
    return {"y": y, "memory": memory}
