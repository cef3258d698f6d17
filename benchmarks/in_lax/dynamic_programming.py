"""Dynamic programming: a loop over the rows of a table, or over its cells."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array, lax

Outputs = dict[str, Array]


def viterbi(emissions: Array, moves: Array, first: Array) -> Outputs:
    """Likeliest path: scores forward, then the path backward."""

    def forward(score: Array, row: Array) -> tuple[Array, Array]:
        through = score[:, None] + moves
        return through.max(axis=0) + row, through.argmax(axis=0)

    def backward(at: Array, pointers: Array) -> tuple[Array, Array]:
        return pointers[at], at

    scores, back = lax.scan(forward, first + emissions[0], emissions[1:])
    start, path = lax.scan(backward, scores.argmax(), back, reverse=True)
    return {"path": jnp.concatenate([start[None], path]), "score": scores.max()}


def forward_backward(seen: Array, moves: Array, emits: Array, uniform: Array, ones: Array) -> Outputs:
    """Probabilities of hidden states: a scan forward and one backward, each normalised."""
    rows = emits[seen]

    def ahead(a: Array, row: Array) -> tuple[Array, Array]:
        product = a * row
        shown = product / product.sum()
        return shown @ moves, shown

    def back(b: Array, row: Array) -> tuple[Array, Array]:
        through = (b * row) @ moves.T
        return through / through.sum(), b

    forward = lax.scan(ahead, uniform, rows)[1]
    backward = lax.scan(back, ones, rows, reverse=True)[1]
    both = forward * backward
    return {"posterior": both / both.sum(axis=1, keepdims=True)}


def dynamic_time_warping(a: Array, b: Array, never: Array) -> Outputs:
    """Distance of two curves under warping: a scan over the cells of a row in a scan over rows."""

    def row(above: Array, ai: Array) -> tuple[Array, None]:
        def cell(left: Array, at: tuple[Array, Array, Array]) -> tuple[Array, Array]:
            bj, diagonal, up = at
            left = jnp.abs(ai - bj) + jnp.minimum(jnp.minimum(diagonal, up), left)
            return left, left

        cells = lax.scan(cell, never, (b, above[:-1], above[1:]))[1]
        return jnp.concatenate([never[None], cells]), None

    start = jnp.full(len(b) + 1, never).at[0].set(0)
    return {"distance": lax.scan(row, start, a)[0][-1]}


def edit_distance(a: Array, b: Array) -> Outputs:
    """Insertions, deletions and replacements between two texts."""

    def row(above: Array, given: tuple[Array, Array]) -> tuple[Array, None]:
        deleted, x = given

        def cell(left: Array, at: tuple[Array, Array, Array]) -> tuple[Array, Array]:
            y, diagonal, up = at
            left = jnp.minimum(diagonal + (x != y), jnp.minimum(up, left) + 1)
            return left, left

        cells = lax.scan(cell, deleted, (b, above[:-1], above[1:]))[1]
        return jnp.concatenate([deleted[None], cells]), None

    start = jnp.arange(len(b) + 1)
    return {"distance": lax.scan(row, start, (jnp.arange(1, len(a) + 1), a))[0][-1]}


def knapsack(weights: Array, values: Array, nothing: Array, capacities: Array) -> Outputs:
    """Largest value within each capacity."""

    def thing(best: Array, given: tuple[Array, Array]) -> tuple[Array, None]:
        weight, value = given
        left = capacities - weight
        better = jnp.maximum(best, best[jnp.maximum(left, 0)] + value)
        return jnp.where(left >= 0, better, best), None

    return {"best": lax.scan(thing, nothing, (weights, values))[0]}


def increasing_subsequence(x: Array) -> Outputs:
    """Length of the longest increasing part."""

    def step(best: Array, given: tuple[Array, Array]) -> tuple[Array, None]:
        t, value = given
        return best.at[t].set(jnp.where(x < value, best, 0).max(initial=0) + 1), None

    if not len(x):
        return {"length": jnp.zeros((), x.dtype)}  # (jax refuses to trace a scatter to no elements.)
    best, _ = lax.scan(step, jnp.zeros_like(x), (jnp.arange(len(x)), x))
    return {"length": best.max()}
