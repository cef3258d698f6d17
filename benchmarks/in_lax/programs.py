"""The programs of `programs.py` and `recurrent.py`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array, lax

Outputs = dict[str, Array]


def scalar_while(n: Array, x0: Array, y0: Array, a: Array, b: Array, c: Array) -> Outputs:
    """Two scalar recurrences until a count is reached."""

    def trip(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        count, x, y = state
        return count + 1, x * a + y, y * b + c

    count, x, y = lax.while_loop(lambda state: state[0] < n, trip, (jnp.zeros_like(n), x0, y0))
    return {"count_end": count, "x_end": x, "y_end": y}


def rnn(xs: Array, h0: Array, W: Array, R: Array, B: Array) -> Outputs:
    """tanh(x·W + h·R + b), each state shown."""

    def step(h: Array, x: Array) -> tuple[Array, Array]:
        h = jnp.tanh(x @ W + h @ R + B)
        return h, h

    h, hs = lax.scan(step, h0, xs)
    return {"h_end": h, "hs": hs}


def rnn_loop(xs: Array, h0: Array, W: Array, R: Array, B: Array) -> Outputs:
    """The same with an index in place of a slice."""

    def trip(i: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        h, hs = state
        h = jnp.tanh(xs[i][None] @ W + h @ R + B)
        return h, hs.at[i].set(h)

    h, hs = lax.fori_loop(0, len(xs), trip, (h0, jnp.zeros((len(xs), *h0.shape), h0.dtype)))
    return {"h_end": h, "hs": hs}


def nested(v0: Array, a: Array, b: Array, outer: Array, inner: Array, small: Array, c: Array) -> Outputs:
    """A loop over vectors in a loop; both trip counts are constants."""

    def inside(j: Array, u: Array) -> Array:
        return jnp.maximum(u * a + b, j.astype(jnp.float32) * small)

    def body(_: Array, v: Array) -> Array:
        return lax.fori_loop(0, inner, inside, v) * c

    return {"v_end": lax.fori_loop(0, outer, body, v0)}


def loop_if(v0: Array, w: Array, trips: Array, a: Array, b: Array) -> Outputs:
    """A branch on the sum of a vector in each trip."""

    def body(_: Array, v: Array) -> Array:
        return lax.cond(v.sum() > 0, lambda v: v * a - w, lambda v: v + w * b, v)

    return {"v_end": lax.fori_loop(0, trips, body, v0)}


def elementwise(
    x: Array, y: Array, half: Array, bias: Array, ten: Array, one: Array, scale: Array
) -> Outputs:
    """16 elementwise operations and the sum of each row."""
    t3 = jax.nn.relu((x + y) * x - y)
    t5 = t3 * half + bias
    t8 = jnp.minimum(jnp.abs(t5), ten) - x
    t12 = t5 / jnp.sqrt(t8 * t8 + one)
    return {"sums": (jnp.maximum(-t12, y) * scale).sum(axis=1)}


def lstm(xs: Array, h0: Array, c0: Array, W: Array, R: Array, B: Array) -> Outputs:
    """ONNX's LSTM: gates in the order input, output, forget, candidate."""
    bias = B[0, : B.shape[1] // 2] + B[0, B.shape[1] // 2 :]

    def step(state: tuple[Array, Array], x: Array) -> tuple[tuple[Array, Array], Array]:
        h, c = state
        i, o, f, g = jnp.split(x @ W[0].T + h @ R[0].T + bias, 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    (h, c), hs = lax.scan(step, (h0[0], c0[0]), xs)
    return {"hs": hs[:, None], "h_end": h[None], "c_end": c[None]}


def gru(xs: Array, h0: Array, W: Array, R: Array, B: Array) -> Outputs:
    """ONNX's GRU whose reset gate comes behind the state's product."""
    of_input, of_state = jnp.split(B[0], 2)

    def step(h: Array, x: Array) -> tuple[Array, Array]:
        xz, xr, xn = jnp.split(x @ W[0].T + of_input, 3, axis=-1)
        hz, hr, hn = jnp.split(h @ R[0].T + of_state, 3, axis=-1)
        z = jax.nn.sigmoid(xz + hz)
        n = jnp.tanh(xn + jax.nn.sigmoid(xr + hr) * hn)
        h = (1 - z) * n + z * h
        return h, h

    h, hs = lax.scan(step, h0[0], xs)
    return {"hs": hs[:, None], "h_end": h[None]}


def selective_scan(h0: Array, deltas: Array, us: Array, Bs: Array, Cs: Array, A: Array) -> Outputs:
    """The recurrence of Mamba's layers."""

    def step(h: Array, row: tuple[Array, Array, Array, Array]) -> tuple[Array, Array]:
        delta, u, B, C = row
        h = jnp.exp(delta[:, None] * A) * h + (delta * u)[:, None] * B
        return h, (h * C).sum(axis=-1)

    h, ys = lax.scan(step, h0, (deltas, us, Bs, Cs))
    return {"h_end": h, "ys": ys}


def attention(qs: Array, ks: Array, vs: Array, scale: Array) -> Outputs:
    """Each token over those up to it. XLA's shapes are fixed: the caches have room for all tokens, and a mask hides the rest."""
    tokens, heads, wide = qs.shape
    room = jnp.zeros((heads, tokens, wide), qs.dtype)

    def step(caches: tuple[Array, Array], row: tuple[Array, Array, Array, Array]):
        i, q, k, v = row
        K, V = caches[0].at[:, i].set(k), caches[1].at[:, i].set(v)
        scores = jnp.einsum("hw,htw->ht", q, K) * scale
        shares = jax.nn.softmax(jnp.where(jnp.arange(tokens) <= i, scores, -jnp.inf), axis=-1)
        return (K, V), jnp.einsum("ht,htw->hw", shares, V)

    _, ys = lax.scan(step, (room, room), (jnp.arange(tokens), qs, ks, vs))
    return {"ys": ys}
