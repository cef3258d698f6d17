"""Livermore kernels that have a recurrence. Those without one are no loops in jax, but operations on arrays."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array, lax

Outputs = dict[str, Array]


def inner_product(z: Array, x: Array) -> Outputs:
    """Sum of products, an element a trip."""
    sums = lax.scan(lambda q, row: (q + row[0] * row[1], None), jnp.zeros((), z.dtype), (z, x))
    return {"q_end": sums[0]}


def tridiagonal(x: Array, y: Array, z: Array) -> Outputs:
    """Elimination below the diagonal: each element needs the one before."""

    def step(before: Array, row: tuple[Array, Array]) -> tuple[Array, Array]:
        value = row[1] * (row[0] - before)
        return value, value

    rest = lax.scan(step, x[0], (y[1:], z[1:]))[1]
    return {"solved": jnp.concatenate([x[:1], rest])}


def linear_recurrence(b: Array, zeros: Array, hundredth: Array) -> Outputs:
    """General recurrence: each element is a sum over all before it."""

    def element(k: Array, w: Array) -> Array:
        total = lax.fori_loop(0, k, lambda j, s: s + b[k, j] * w[k - j - 1], hundredth)
        return w.at[k].set(total)

    return {"w": lax.fori_loop(0, len(b), element, zeros)}


def first_sum(y: Array) -> Outputs:
    """Prefix sums, each from the one before."""

    def step(before: Array, value: Array) -> tuple[Array, Array]:
        return before + value, before + value

    return {"x": lax.scan(step, jnp.zeros((), y.dtype), y)[1]}


def implicit_hydro(za: Array, zb: Array, zu: Array, rate: Array) -> Outputs:
    """Two-dimensional relaxation: each point from neighbours already renewed and not yet."""
    rows, columns = za.shape

    def row(j: Array, table: Array) -> Array:
        def point(i: Array, table: Array) -> Array:
            around = table[j + 1, i] * zb[j, i] + table[j - 1, i] * zu[j, i]
            around = around + table[j, i + 1] * zb[j, i] + table[j, i - 1] * zu[j, i]
            return table.at[j, i].add(rate * (around - table[j, i]))

        return lax.fori_loop(1, columns - 1, point, table)

    return {"relaxed": lax.fori_loop(1, rows - 1, row, za)}


def first_minimum(x: Array) -> Outputs:
    """Place of the first minimum, by a branch in each trip."""

    def step(k: Array, place: Array) -> Array:
        return lax.cond(x[k] < x[place], lambda: k, lambda: place)

    return {"place": lax.fori_loop(1, len(x), step, jnp.zeros((), jnp.int64))}
