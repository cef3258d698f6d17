"""Recurrent cells: a scan over the rows of the input."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array, lax

Outputs = dict[str, Array]


def lstm(x: Array, W: Array, R: Array, B: Array, start: Array) -> Outputs:
    """LSTM, all states kept."""

    def step(state: tuple[Array, Array], row: Array) -> tuple[tuple[Array, Array], Array]:
        h, c = state
        i, f, o, g = jnp.split(row @ W + h @ R + B, 4)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    (h, c), y = lax.scan(step, (start, start), x)
    return {"y": y, "h": h, "c": c}


def gru_reset_after(x: Array, W: Array, R: Array, B: Array, C: Array, start: Array) -> Outputs:
    """GRU whose reset gate follows the product."""

    def step(h: Array, row: Array) -> tuple[Array, Array]:
        xz, xr, xn = jnp.split(row @ W + B, 3)
        hz, hr, hn = jnp.split(h @ R + C, 3)
        z = jax.nn.sigmoid(xz + hz)
        h = (1 - z) * jnp.tanh(xn + jax.nn.sigmoid(xr + hr) * hn) + z * h
        return h, h

    h, y = lax.scan(step, start, x)
    return {"y": y, "h": h}


def nasrnn(x: Array, W: Array, R: Array, start: Array) -> Outputs:
    """Cell found by architecture search."""

    def step(state: tuple[Array, Array], row: Array) -> tuple[tuple[Array, Array], None]:
        h, c = state
        a, m = jnp.split(row @ W, 8), jnp.split(h @ R, 8)
        first = jnp.tanh(jax.nn.sigmoid(a[0] + m[0]) * jax.nn.relu(a[1] + m[1]))
        second = jnp.tanh(jax.nn.sigmoid(a[2] + m[2]) + jax.nn.relu(a[3] * m[3]))
        third = jnp.tanh(jnp.tanh(a[4] + m[4]) * jax.nn.sigmoid(a[5] + m[5]))
        fourth = jax.nn.sigmoid(jnp.tanh(a[6] + m[6]) + jax.nn.sigmoid(a[7] + m[7]))
        c = jnp.tanh(first + c) * second
        return (jnp.tanh(c * jnp.tanh(third + fourth)), c), None

    (h, c), _ = lax.scan(step, (start, start), x)
    return {"h": h, "c": c}


def slstm(x: Array, W: Array, R: Array, B: Array, start: Array) -> Outputs:
    """The xLSTM's scalar memory, stabilised by a running maximum."""
    State = tuple[Array, Array, Array, Array]

    def step(state: State, row: Array) -> tuple[State, Array]:
        h, c, n, m = state
        z, i, f, o = jnp.split(row @ W + h @ R + B, 4)
        largest = jnp.maximum(f + m, i)
        keep, put = jnp.exp(f + m - largest), jnp.exp(i - largest)
        c = keep * c + put * jnp.tanh(z)
        n = keep * n + put
        h = jax.nn.sigmoid(o) * (c / n)
        return (h, c, n, largest), h

    _, y = lax.scan(step, (start, start, start, start), x)
    return {"y": y}


def rnn_of_lengths(x: Array, lengths: Array, W: Array, R: Array, start: Array) -> Outputs:
    """Plain RNN over a batch whose rows end at different steps."""

    def trip(t: Array, h: Array) -> Array:
        return jnp.where(t < lengths[:, None], jnp.tanh(x[t] @ W + h @ R), h)

    return {"h": lax.fori_loop(0, lengths.max(), trip, start)}
