"""A loop in blocks, for constants that are stored in blocks.

`linalg-pack-weights` stores the matrix of a product so that what a tile of columns needs lies together:

    w: memref<5x256x48xf32>,  (n, k) -> (n floordiv 48, k, n mod 48)

Then the nest has two loops in place of `n`, one over the blocks and one inside a block, n = 48 · block + inner, and no index divides:

    for block = 0 … 5:
      for rows…:
        for k: vector.load w[block, k, 0], w[block, k, 16], w[block, k, 32]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from loomir.dialects.tensors import memref_type_of
from loomir.passes.loops.lower_linalg_to_loops.access import Access
from loomir.passes.loops.lower_linalg_to_loops.index_math import Terms


@dataclass(frozen=True)
class Blocks:
    """Loop `dim` in blocks of `size` iterations.

    `dim` now counts blocks; the new loop `inner` runs inside a block.
    """

    dim: int
    inner: int
    size: int

    @property
    def iteration(self) -> Terms:
        """The number of an iteration of the whole loop."""
        return Terms(0, ((self.dim, self.size), (self.inner, 1)))

    def of(self, access: Access) -> Access:
        """Return an access as a function of the two loops.

        Its coordinates may divide the loop by the size of a block, and by no other number.
        """
        return replace(access, coordinates=tuple(self._terms(terms) for terms in access.coordinates))

    def all_of(self, accesses: Sequence[Access | None]) -> list[Access | None]:
        """Each access as a function of the two loops."""
        return [None if access is None else self.of(access) for access in accesses]

    def extents(self, extents: Mapping[int, int]) -> dict[int, int]:
        """Trip counts with the loop in blocks."""
        return {**extents, self.dim: extents[self.dim] // self.size, self.inner: self.size}

    def _terms(self, terms: Terms) -> Terms:
        factors: dict[int | AffineExpr, int] = {}
        for atom, factor in terms.terms:
            for new, by in self._atom(atom):
                factors[new] = factors.get(new, 0) + factor * by
        return Terms(terms.constant, tuple((atom, factor) for atom, factor in factors.items() if factor))

    def _atom(self, atom: int | AffineExpr) -> Sequence[tuple[int | AffineExpr, int]]:
        if atom == self.dim:
            return (self.dim, self.size), (self.inner, 1)
        if isinstance(atom, int) or self.dim not in atom.used_dims():
            return ((atom, 1),)
        kind = _kind_of_division(atom, self.dim, self.size)
        assert kind is not None, f"{atom}: no quotient by a block"
        return ((self.dim if kind is AffineBinaryOpKind.FloorDiv else self.inner, 1),)


def blocks_of(
    accesses: Sequence[Access | None], parallel: Sequence[int], extents: Mapping[int, int], loops: int
) -> Blocks | None:
    """Return the blocks in which an operand is stored, or None.

    All other operands must be compatible with these blocks. `loops` is the number of loops.
    """
    for access in accesses:
        last = None if access is None or not access.map.results else access.map.results[-1]
        if not isinstance(last, AffineBinaryOpExpr) or last.kind is not AffineBinaryOpKind.Mod:
            continue
        if not isinstance(last.lhs, AffineDimExpr) or not isinstance(last.rhs, AffineConstantExpr):
            continue
        assert access is not None
        dim, size = last.lhs.position, last.rhs.value
        whole = memref_type_of(access.value).get_shape()[-1] == size and extents.get(dim, 1) % size == 0
        if dim in parallel and whole and all(_goes_along(a, dim, size) for a in accesses):
            return Blocks(dim, loops, size)
    return None


def _goes_along(access: Access | None, dim: int, size: int) -> bool:
    """Return True if a loop is only divided by the block size."""
    return access is None or all(
        isinstance(atom, int) or dim not in atom.used_dims() or _kind_of_division(atom, dim, size) is not None
        for terms in access.coordinates
        for atom, _ in terms.terms
    )


def _kind_of_division(atom: AffineExpr, dim: int, size: int) -> AffineBinaryOpKind | None:
    """Return the kind of an atom that divides a loop, or None.

    The atom must be the quotient or the remainder of the loop by the size of a block.
    """
    if not isinstance(atom, AffineBinaryOpExpr) or atom.kind is AffineBinaryOpKind.CeilDiv:
        return None
    matches = atom.lhs == AffineDimExpr(dim) and atom.rhs == AffineConstantExpr(size)
    return atom.kind if matches else None
