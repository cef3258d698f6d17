"""Where a nest is emitted, and affine expressions as sums of terms."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from loomir.dialects.index_builder import INDEX, Extent, IndexBuilder
from loomir.dialects.making import allocation, local_allocation


class IndexEmitter(IndexBuilder):
    """Emitter of a nest's operations, with the location of the lowered operation."""

    def add(self, a: Extent, b: Extent) -> Extent:
        """The sum; a number stands behind a value."""
        return super().add(b, a) if isinstance(a, int) else super().add(a, b)

    def divide_up(self, a: Extent, b: int) -> Extent:
        """⌈a / b⌉ of a non-negative `a` and positive `b`."""
        return self.divui(self.add(a, b - 1), b)

    def allocate(self, type: MemRefType) -> SSAValue:
        """A new buffer, in the function's entry block."""
        op = allocation(type)
        op.location = self.location
        return self.constants.insert(op).results[0]

    def allocate_local(self, type: MemRefType) -> SSAValue:
        """Allocate a buffer in the entry block, but outside of the arena.

        It is for the few elements of a tile.
        """
        op = local_allocation(type)
        op.location = self.location
        return self.constants.insert(op).results[0]

    @contextmanager
    def loop(self, lower: int, upper: int, step: int) -> Iterator[Extent]:
        """Emit a loop without loop-carried values; yield the induction variable.

        Operations emitted in this context form the loop's body. A single iteration needs no loop.
        """
        if upper - lower == step:
            yield lower
            return
        block = Block(arg_types=[INDEX])
        block.args[0].location = self.location
        bounds = self.index(lower), self.index(upper), self.index(step)
        self.insert(scf.ForOp(*bounds, [], block))
        with self.at(block):
            yield block.args[0]
            self.insert(scf.YieldOp())


@dataclass(frozen=True)
class Terms:
    """An affine expression as `constant + Σ coefficient · atom`.

    An atom is a loop dimension (int), or a `floordiv`, `ceildiv` or `mod` that is not linear.
    """

    constant: int
    terms: tuple[tuple[int | AffineExpr, int], ...]

    def dims(self) -> set[int]:
        """All loop dimensions that the expression depends on."""
        found: set[int] = set()
        for atom, _ in self.terms:
            found |= {atom} if isinstance(atom, int) else atom.used_dims()
        return found

    def without(self, dim: int) -> Terms:
        """The expression less the linear term of one dimension."""
        return Terms(self.constant, tuple(term for term in self.terms if term[0] != dim))

    def coefficient(self, dim: int) -> int | None:
        """Return the factor of a dimension, 0 if it doesn't occur.

        Return None if it occurs in a nonlinear term.
        """
        total = 0
        for atom, factor in self.terms:
            if isinstance(atom, int):
                total += factor if atom == dim else 0
            elif dim in atom.used_dims():
                return None
        return total


def terms_of(expr: AffineExpr) -> Terms:
    """Split an affine expression into its terms, each atom once."""
    constant = 0
    factors: dict[int | AffineExpr, int] = {}

    def visit(e: AffineExpr, factor: int) -> None:
        nonlocal constant
        match e:
            case AffineConstantExpr():
                constant += factor * e.value
            case AffineDimExpr():
                factors[e.position] = factors.get(e.position, 0) + factor
            case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add):
                visit(e.lhs, factor)
                visit(e.rhs, factor)
            case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul):
                by, of = (e.lhs, e.rhs) if isinstance(e.lhs, AffineConstantExpr) else (e.rhs, e.lhs)
                assert isinstance(by, AffineConstantExpr), f"{e}: not affine"
                visit(of, factor * by.value)
            case AffineBinaryOpExpr():
                assert isinstance(e.rhs, AffineConstantExpr), (
                    f"{e}: division by something that is not a constant"
                )
                assert e.rhs.value > 0, f"{e}: division by a number that is not positive"
                factors[e] = factors.get(e, 0) + factor
            case _:
                raise AssertionError(f"{e}: an indexing map has no symbols")

    visit(expr, 1)
    return Terms(constant, tuple((atom, factor) for atom, factor in factors.items() if factor))


def is_non_negative(terms: Terms) -> bool:
    """Return True if the expression can't be negative.

    This presumes that no loop dimension is negative.

    >>> is_non_negative(Terms(1, ((0, 2),))), is_non_negative(Terms(-1, ((0, 2),)))
    (True, False)
    """
    if terms.constant < 0:
        return False
    for atom, factor in terms.terms:
        if factor < 0:
            return False
        # A loop dimension and a remainder are never negative, a quotient is not if its dividend isn't.
        if (
            isinstance(atom, AffineBinaryOpExpr)
            and atom.kind is not AffineBinaryOpKind.Mod
            and not is_non_negative(terms_of(atom.lhs))
        ):
            return False
    return True
