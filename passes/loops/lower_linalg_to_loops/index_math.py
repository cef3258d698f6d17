"""Emission of a nest: affine expressions, coordinates, and vector operations.

An `IndexEmitter` emits at a position in the nest; `IndexForm` is an affine expression as a sum.

*Coordinates* are those of accesses in a loop nest under construction.

They are partial sums, each computed in the loop that completes it.

*Vectors.* The body of a nest on vectors consists of operations on all lanes at once.

A vector operation performs the same operation on numbers lane by lane. A value that is equal in all lanes stays a
number, and is broadcast (`vector.broadcast`) where it meets a vector.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeAlias

from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import Float32Type, Float64Type, IntegerType, MemRefType, VectorType
from xdsl.dialects.linalg.ops import IndexOp, YieldOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from loomir.dialects.affine_forms import AffineForm, Product
from loomir.dialects.index_builder import INDEX, Extent, IndexBuilder
from loomir.dialects.scalars import SCALARS
from loomir.dialects.scalars.row import is_boolean
from loomir.dialects.upstream.construction import allocation, local_allocation
from loomir.dialects.vectors import MaskedSelectOp, is_vector


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


Atom: TypeAlias = "int | AffineExpr"
"""Loop dimension, or a term that is not linear.

Such a term is a `floordiv`, `ceildiv` or `mod`.
"""

IndexForm: TypeAlias = AffineForm[Atom]
"""An affine expression as a sum of atoms."""


def dims_of(form: IndexForm) -> set[int]:
    """Return all loop dimensions that an expression depends on."""
    found: set[int] = set()
    for atom in form.symbols():
        found |= {atom} if isinstance(atom, int) else atom.used_dims()
    return found


def factor_of(form: IndexForm, dim: int) -> int | None:
    """Return the factor of a dimension, 0 if it doesn't occur.

    Return None if it occurs in a nonlinear term.
    """
    factor = 0
    for atom, coefficient in form.terms:
        if isinstance(atom, int):
            factor += coefficient if atom == dim else 0
        elif dim in atom.used_dims():
            return None
    return factor


def form_of(expr: AffineExpr) -> IndexForm:
    """Return an affine expression as a sum, each atom once."""
    match expr:
        case AffineConstantExpr():
            return AffineForm(expr.value)
        case AffineDimExpr():
            return AffineForm.of(expr.position)
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add):
            return form_of(expr.lhs) + form_of(expr.rhs)
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul):
            product = form_of(expr.lhs) * form_of(expr.rhs)
            assert not any(isinstance(atom, Product) for atom, _ in product.terms), f"{expr}: not affine"
            return product
        case AffineBinaryOpExpr():
            assert isinstance(expr.rhs, AffineConstantExpr), (
                f"{expr}: division by something that is not a constant"
            )
            assert expr.rhs.value > 0, f"{expr}: division by a number that is not positive"
            return AffineForm.of(expr)
        case _:
            raise AssertionError(f"{expr}: an indexing map has no symbols")


def is_non_negative(terms: IndexForm) -> bool:
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
            and not is_non_negative(form_of(atom.lhs))
        ):
            return False
    return True


class Coordinates:
    """Values of affine expressions in the loops that are currently open.

    A sum is shared with every later use in the same loop body or further inside; `scopes` has one table for each open loop,
    so that no sum is used outside the loop that computes it.
    """

    def __init__(
        self, emitter: IndexEmitter, depth: Mapping[int, int], split: Mapping[int, IndexForm] | None = None
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

    def level_of(self, terms: IndexForm) -> int:
        """The innermost loop that an expression depends on, -1 if on none."""
        return max((self.depth[dim] for dim in dims_of(terms)), default=-1)

    def levels_of(self, terms: IndexForm) -> list[int]:
        """Return the level of the loop that completes each summand.

        The level is -1 for a summand that depends on no loop.
        """
        return [self._atom_level(atom) for atom, _ in terms.terms]

    def value(self, terms: IndexForm, low: Extent = 0, level: int | None = None) -> Extent:
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

    def shifted(self, terms: IndexForm, low: Extent, by: int) -> Extent:
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
        terms = form_of(atom.lhs)
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


def bits_of(element: Attribute) -> int | None:
    """Return the bits of an element that vectors can hold, or None.

    Return None for an element that they cannot hold: `index`, and floats that C computes by functions.
    """
    match element:
        case Float32Type():
            return 32
        case Float64Type():
            return 64
        case IntegerType() if element.width.data in (1, 8, 16, 32, 64):
            return element.width.data
        case _:
            return None


def widest_element(body: Block, lanes: Collection[SSAValue], along: int) -> int | None:
    """Return the bits of the largest element of a body's vectors.

    `lanes` are the arguments that differ from lane to lane.

    Return None if the body cannot be vectorized. `along` is the loop along which the lanes run: a body that depends on its
    iteration number cannot be vectorized.
    """
    varying = set(lanes)
    # What is yielded is stored, or accumulated: it is a vector in any case. In memory a boolean is a byte.
    in_memory = [value.type for value in lanes]
    types: list[Attribute] = []
    for op in body.ops:
        if isinstance(op, YieldOp):
            in_memory += [value.type for value in op.operands]
            continue
        if isinstance(op, IndexOp):
            if op.dim.value.data == along:
                return None
            continue
        if not any(operand in varying for operand in op.operands):
            if op.regions:
                return None
            continue
        if type(op) not in SCALARS or op.regions:
            return None
        types += [value.type for value in (*op.operands, *op.results)]
        varying |= set(op.results)
    if any(is_boolean(type_) for type_ in in_memory):
        return None
    sizes = [bits_of(type_) for type_ in (*types, *in_memory)]
    known = [size for size in sizes if size is not None]
    return max(known, default=None) if len(known) == len(sizes) else None


def vector_of(element: Attribute, width: int) -> Attribute:
    """The type of `width` lanes; of one lane, the element itself."""
    return element if width == 1 or isinstance(element, VectorType) else VectorType(element, [width])


def spread(value: SSAValue, width: int, emitter: IndexEmitter, made: dict[object, SSAValue]) -> SSAValue:
    """Broadcast a number to all lanes, reusing the broadcasts in `made`.

    Return a vector unchanged, and any value if there are no lanes.
    """
    if width == 1 or isinstance(value.type, VectorType):
        return value
    key = "spread", value
    if key not in made:
        type_ = VectorType(value.type, [width])
        made[key] = emitter.insert(vector.BroadcastOp(value, type_)).results[0]
    return made[key]


def on_vectors(
    op: Operation, operands: list[SSAValue], width: int, emitter: IndexEmitter, made: dict[object, SSAValue]
) -> Operation:
    """Return the same operation on these operands, not inserted yet.

    Some of the operands are vectors.
    """
    spread_operands = [spread(operand, width, emitter, made) for operand in operands]
    results = [vector_of(result.type, width) for result in op.results]
    masked = isinstance(op, arith.SelectOp) and is_vector(spread_operands[0].type)
    return (MaskedSelectOp if masked else type(op)).create(
        operands=spread_operands,
        result_types=results,
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )
