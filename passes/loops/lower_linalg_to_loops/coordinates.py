"""Coordinates of accesses in a nest under construction: partial sums, each in the loop that completes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineExpr

from loomir.passes.loops.lower_linalg_to_loops.index_math import (
    Index,
    IndexEmitter,
    Terms,
    is_non_negative,
    terms_of,
)

Atom: TypeAlias = "int | AffineExpr"


class Coordinates:
    """Values of affine expressions in the loops that are open at the moment.

    A sum is shared with every later use in the same loop body or further inside; `scopes` has one table per
    open loop, so that nothing is used outside the loop where it was computed.
    """

    def __init__(self, emitter: IndexEmitter, depth: Mapping[int, int]) -> None:
        """`depth` is the nesting level of every loop dimension, 0 outermost."""
        self.emitter = emitter
        self.depth = depth
        self.ivs: dict[int, Index] = {}
        self.scopes: list[dict[tuple[object, ...], Index]] = [{}]

    def level_of(self, terms: Terms) -> int:
        """The innermost loop that an expression depends on, -1 if on none."""
        return max((self.depth[dim] for dim in terms.dims()), default=-1)

    def value(self, terms: Terms, low: Index = 0, level: int | None = None) -> Index:
        """`terms - low`, or the part of it that the loops down to `level` determine."""
        atoms = sorted(terms.terms, key=lambda term: self._atom_level(term[0]))
        if level is not None:
            atoms = [term for term in atoms if self._atom_level(term[0]) <= level]
        return self._sum(terms.constant, low, tuple(atoms))

    def _sum(self, constant: int, low: Index, atoms: tuple[tuple[Atom, int], ...]) -> Index:
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

    def _atom(self, atom: Atom) -> Index:
        """A loop's induction variable, or a floordiv, ceildiv or mod."""
        if isinstance(atom, int):
            return self.ivs[atom]
        assert isinstance(atom, AffineBinaryOpExpr)
        assert isinstance(atom.rhs, AffineConstantExpr)
        emitter, divisor = self.emitter, atom.rhs.value
        terms = terms_of(atom.lhs)
        dividend = self.value(terms)
        if isinstance(dividend, int):
            match atom.kind:
                case AffineBinaryOpKind.FloorDiv:
                    return dividend // divisor
                case AffineBinaryOpKind.CeilDiv:
                    return -(-dividend // divisor)
                case _:
                    return dividend % divisor
        by = emitter.value(divisor)
        if atom.kind is AffineBinaryOpKind.Mod and not is_non_negative(terms):
            # mod takes the sign of the divisor; arith's remainders don't
            quotient = emitter.insert(arith.FloorDivSIOp(dividend, by)).results[0]
            return emitter.sub(dividend, emitter.mul(quotient, divisor))
        match atom.kind:
            case AffineBinaryOpKind.Mod:
                op = arith.RemUIOp(dividend, by)
            case AffineBinaryOpKind.FloorDiv:
                op = (
                    arith.DivUIOp(dividend, by)
                    if is_non_negative(terms)
                    else arith.FloorDivSIOp(dividend, by)
                )
            case _:
                op = arith.CeilDivSIOp(dividend, by)
        return emitter.insert(op).results[0]
