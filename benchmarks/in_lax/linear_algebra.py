"""Factorisations of matrices, a column in each trip."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array, lax

Outputs = dict[str, Array]


def gram_schmidt(a: Array) -> Outputs:
    """Orthonormal columns: a loop over columns, and one over those before."""
    columns = a.T

    def column(j: Array, q: Array) -> Array:
        v = lax.fori_loop(0, j, lambda k, v: v - (q[k] @ v) * q[k], columns[j])
        return q.at[j].set(v / jnp.linalg.norm(v))

    return {"q": lax.fori_loop(0, len(columns), column, jnp.zeros_like(columns)).T}


def cholesky(a: Array) -> Outputs:
    """Triangular root of a definite matrix."""
    places = jnp.arange(len(a))

    def column(j: Array, root: Array) -> Array:
        rest = a[:, j] - root @ root[j]
        return root.at[:, j].set(jnp.where(places >= j, rest / jnp.sqrt(rest[j]), 0))

    return {"l": lax.fori_loop(0, len(a), column, jnp.zeros_like(a))}


def lu_decomposition(a: Array, places: Array) -> Outputs:
    """Both factors in one matrix: rows are exchanged, then cleared below the pivot."""

    def column(j: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        a, order = state
        p = jnp.where(places < j, -1, jnp.abs(a[:, j])).argmax()
        exchange = jnp.where(places == p, j, jnp.where(places == j, p, places))
        a, order = a[exchange], order[exchange]
        below = places > j
        factors = jnp.where(below, a[:, j] / a[j, j], 0)
        reduced = a - jnp.outer(factors, jnp.where(below, a[j], 0))
        return jnp.where(below[:, None] & (places == j), factors[:, None], reduced), order

    lu, order = lax.fori_loop(0, len(a), column, (a, places))
    return {"lu": lu, "order": order}
