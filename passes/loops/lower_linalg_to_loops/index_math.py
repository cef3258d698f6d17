"""Index arithmetic that folds while it is emitted, and affine expressions as sums of terms.

An `Index` is a Python int where the number is known at compile time and an SSA value of type `index`
elsewhere, so that `x + 0` and `2 * 3` leave no operations behind.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IndexType, IntegerAttr, LocationAttr, MemRefType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)
from xdsl.rewriter import InsertPoint, Rewriter

Index: TypeAlias = int | SSAValue

INDEX = IndexType()


@dataclass
class ConstantPool:
    """The index constants of one function, each created once, at the top of its entry block."""

    entry: Block
    values: dict[int, SSAValue] = field(default_factory=dict)
    last: Operation | None = None

    def get(self, value: int, location: LocationAttr) -> SSAValue:
        found = self.values.get(value)
        if found is None:
            op = arith.ConstantOp(IntegerAttr(value, INDEX))
            op.location = location
            self.insert(op)
            found = self.values[value] = op.result
        return found

    def insert(self, op: Operation) -> Operation:
        """Put an operation without operands behind the constants."""
        point = InsertPoint.at_start(self.entry) if self.last is None else InsertPoint.after(self.last)
        Rewriter.insert_op(op, point)
        self.last = op
        return op


@dataclass
class IndexEmitter:
    """Emits operations at a moving insertion point, all with the location of the operation being lowered."""

    point: InsertPoint
    constants: ConstantPool
    location: LocationAttr

    def insert(self, op: Operation) -> Operation:
        op.location = self.location
        Rewriter.insert_op(op, self.point)
        return op

    def allocate(self, type: MemRefType) -> SSAValue:
        """A new buffer, in the function's entry block."""
        op = memref.AllocOp([], [], type)
        op.location = self.location
        return self.constants.insert(op).results[0]

    def value(self, index: Index) -> SSAValue:
        """The SSA value of an index."""
        return self.constants.get(index, self.location) if isinstance(index, int) else index

    def add(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        if a == 0:
            return b
        if b == 0:
            return a
        if isinstance(a, int):
            a, b = b, a
        return self.insert(arith.AddiOp(self.value(a), self.value(b))).results[0]

    def sub(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a - b
        if b == 0:
            return a
        return self.insert(arith.SubiOp(self.value(a), self.value(b))).results[0]

    def mul(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a * b
        if a == 0 or b == 0:
            return 0
        if a == 1:
            return b
        if b == 1:
            return a
        return self.insert(arith.MuliOp(self.value(a), self.value(b))).results[0]

    def min(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return min(a, b)
        return self.insert(arith.MinSIOp(self.value(a), self.value(b))).results[0]

    def max(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return max(a, b)
        return self.insert(arith.MaxSIOp(self.value(a), self.value(b))).results[0]

    def divide_up(self, a: Index, b: int) -> Index:
        """⌈a / b⌉ of a non-negative `a` and positive `b`."""
        if isinstance(a, int):
            return -(-a // b)
        if b == 1:
            return a
        return self.insert(arith.DivUIOp(self.value(self.add(a, b - 1)), self.value(b))).results[0]

    def compare(self, a: Index, predicate: str, b: Index) -> bool | SSAValue:
        """`a predicate b`, where the predicate is `sge` or `slt`."""
        if isinstance(a, int) and isinstance(b, int):
            return a >= b if predicate == "sge" else a < b
        return self.insert(arith.CmpiOp(self.value(a), self.value(b), predicate)).results[0]


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
        """The factor of a dimension, 0 if it doesn't occur; None if it occurs in a nonlinear term."""
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
    """Whether the expression can't be negative, given that no loop dimension is.

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
