"""Coordinates of accesses in a loop nest under construction.

They are partial sums, each computed in the loop that completes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeAlias

from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineExpr

from loomir.dialects.index_builder import Extent
from loomir.passes.loops.lower_linalg_to_loops.index_math import (
    IndexEmitter,
    Terms,
    is_non_negative,
    terms_of,
)

Atom: TypeAlias = "int | AffineExpr"


class Coordinates:
    """Values of affine expressions in the loops that are currently open.

    A sum is shared with every later use in the same loop body or further inside; `scopes` has one table for each open loop,
    so that no sum is used outside the loop that computes it.
    """

    def __init__(
        self, emitter: IndexEmitter, depth: Mapping[int, int], split: Mapping[int, Terms] | None = None
    ) -> None:
        """Initialize without open loops.

        `depth` is the nesting level of every loop dimension, 0 outermost; `split` is the iteration number of each loop that has
        become several loops.
        """
        self.emitter = emitter
        self.depth = depth
        self.split = split or {}
        self.ivs: dict[int, Extent] = {}
        self.scopes: list[dict[tuple[object, ...], Extent]] = [{}]

    def level_of(self, terms: Terms) -> int:
        """The innermost loop that an expression depends on, -1 if on none."""
        return max((self.depth[dim] for dim in terms.dims()), default=-1)

    def levels_of(self, terms: Terms) -> list[int]:
        """Return the level of the loop that completes each summand.

        The level is -1 for a summand that depends on no loop.
        """
        return [self._atom_level(atom) for atom, _ in terms.terms]

    def value(self, terms: Terms, low: Extent = 0, level: int | None = None) -> Extent:
        """Return `terms - low`, or its part that loops down to `level` determine."""
        atoms = sorted(terms.terms, key=lambda term: self._atom_level(term[0]))
        if level is not None:
            atoms = [term for term in atoms if self._atom_level(term[0]) <= level]
        return self._sum(terms.constant, low, tuple(atoms))

    @contextmanager
    def in_branch(self) -> Iterator[None]:
        """Confine the sums that are computed inside to a branch.

        They are not available after the branch.
        """
        scopes = self.scopes
        self.scopes = [dict(scope) for scope in scopes]
        yield
        self.scopes = scopes

    def shifted(self, terms: Terms, low: Extent, by: int) -> Extent:
        """`terms - low + by`, where the loops that `terms` depends on are all open."""
        base = self.value(terms, low)
        if by == 0 or isinstance(base, int):
            return self.emitter.add(base, by)
        key = ("shifted", base, by)
        for scope in self.scopes:
            if key in scope:
                return scope[key]
        result = self.scopes[-1][key] = self.emitter.add(base, by)
        return result

    def _sum(self, constant: int, low: Extent, atoms: tuple[tuple[Atom, int], ...]) -> Extent:
        key = (constant, low, atoms)
        for scope in self.scopes:
            if key in scope:
                return scope[key]
        if not atoms:
            result = self.emitter.sub(constant, low)
        else:
            atom, factor = atoms[-1]
            outer = self._sum(constant, low, atoms[:-1])
            result = self.emitter.add(outer, self.emitter.mul(self._atom(atom), factor))
        self.scopes[-1][key] = result
        return result

    def _atom_level(self, atom: Atom) -> int:
        if isinstance(atom, int):
            return self.depth[atom]
        return max((self.depth[dim] for dim in atom.used_dims()), default=-1)

    def _atom(self, atom: Atom) -> Extent:
        """A loop's induction variable, or a floordiv, ceildiv or mod."""
        if isinstance(atom, int):
            return self.ivs[atom]
        assert isinstance(atom, AffineBinaryOpExpr)
        assert isinstance(atom.rhs, AffineConstantExpr)
        emitter, divisor = self.emitter, atom.rhs.value
        terms = terms_of(atom.lhs)
        dividend = self.value(terms)
        non_negative = is_non_negative(terms)
        match atom.kind:
            case AffineBinaryOpKind.Mod if non_negative:
                return emitter.remui(dividend, divisor)
            case AffineBinaryOpKind.Mod:
                # mod takes the sign of the divisor; arith's remainders don't
                return emitter.sub(dividend, emitter.mul(emitter.floordiv(dividend, divisor), divisor))
            case AffineBinaryOpKind.FloorDiv if non_negative:
                return emitter.divui(dividend, divisor)
            case AffineBinaryOpKind.FloorDiv:
                return emitter.floordiv(dividend, divisor)
            case _:
                return emitter.ceildiv(dividend, divisor)
