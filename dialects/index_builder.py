"""Folding arithmetic on extents and indices, with MLIR's OpFoldResult.

An extent is a number or a value; operations are folded while they are emitted.

`Folding` has the rules, for every stage: the result of two numbers is computed, `x + 0` and `x * 1` are x, and only the
rest becomes operations. A subclass emits them: of `arith` on `index` values (`IndexBuilder`), of `ov` on `tensor<1xi64>`
(`Sizes` of passes/graph/lib/decompositions/__init__.py).
"""

from __future__ import annotations

import abc
import operator
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import ClassVar, TypeAlias, TypeGuard, TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.scalars.row import constant_integer, number_attr, wrapped
from loomir.dialects.upstream.construction import Binary, binary

OpT = TypeVar("OpT", bound=Operation)

Extent: TypeAlias = int | SSAValue
"""An extent or index: a number, or a value."""

INDEX = IndexType()

_NUMBERS: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "ceildiv": lambda a, b: -(-a // b),
    "rem": operator.mod,
    "divui": operator.floordiv,
    "remui": operator.mod,
    "min": min,
    "max": max,
}

_PREDICATES: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "slt": operator.lt,
    "sle": operator.le,
    "sgt": operator.gt,
    "sge": operator.ge,
    "ule": lambda a, b: a % (1 << 64) <= b % (1 << 64),
}


def extent_of(value: SSAValue) -> Extent:
    """Return the number of an `arith.constant`, else the `index` value itself."""
    number = constant_integer(value)
    return value if number is None else number


def all_static(extents: Sequence[Extent]) -> TypeGuard[Sequence[int]]:
    """Return True if all extents are numbers."""
    return all(isinstance(e, int) for e in extents)


class Folding(abc.ABC):
    """Arithmetic on extents; of what is known nothing is emitted."""

    @abc.abstractmethod
    def emit(self, name: str, a: Extent, b: Extent) -> SSAValue:
        """Emit the operation `name` (`add`, `floordiv` …) on two extents.

        At least one of the extents is a value.
        """

    def _two(self, name: str, a: Extent, b: Extent) -> Extent:
        if isinstance(a, int) and isinstance(b, int):
            return _NUMBERS[name](a, b)
        return self.emit(name, a, b)

    def add(self, a: Extent, b: Extent) -> Extent:
        if a == 0:
            return b
        return a if b == 0 else self._two("add", a, b)

    def sub(self, a: Extent, b: Extent) -> Extent:
        if a is b:
            return 0
        return a if b == 0 else self._two("sub", a, b)

    def mul(self, a: Extent, b: Extent) -> Extent:
        if a == 0 or b == 0:
            return 0
        if a == 1:
            return b
        return a if b == 1 else self._two("mul", a, b)

    def floordiv(self, a: Extent, b: Extent) -> Extent:
        """Return a / b rounded towards minus infinity; b is not 0."""
        return a if b == 1 else self._two("floordiv", a, b)

    def ceildiv(self, a: Extent, b: Extent) -> Extent:
        """Return a / b rounded towards plus infinity; b is not 0."""
        return a if b == 1 else self._two("ceildiv", a, b)

    def rem(self, a: Extent, b: Extent) -> Extent:
        """Remainder of a ≥ 0 by b > 0."""
        return 0 if b == 1 else self._two("rem", a, b)

    def min(self, a: Extent, b: Extent) -> Extent:
        return a if a is b else self._two("min", a, b)

    def max(self, a: Extent, b: Extent) -> Extent:
        return a if a is b else self._two("max", a, b)

    def product(self, dims: Sequence[Extent]) -> Extent:
        """The number of elements of a shape."""
        total: Extent = prod(d for d in dims if isinstance(d, int))
        for d in dims:
            if not isinstance(d, int):
                total = self.mul(d, total)
        return total


@dataclass(frozen=True)
class IntegerBuilder(Folding):
    """Builder of arithmetic on integers of one type, which wraps around.

    `insert` puts an operation where the builder emits. Constants are inserted by `outside`, if given.
    """

    type: IndexType | IntegerType
    location: LocationAttr
    insert: Callable[[Operation], object]
    outside: IntegerBuilder | None = None

    def value(self, number: Extent) -> SSAValue:
        """The value of a number."""
        if isinstance(number, SSAValue):
            return number
        if self.outside is not None:
            return self.outside.value(number)
        return self.put(arith.ConstantOp(IntegerAttr(wrapped(number, self.type), self.type)))

    def put(self, op: Operation) -> SSAValue:
        """Insert an operation and return its result."""
        op.location = self.location
        self.insert(op)
        return op.results[0]

    def emit(self, name: str, a: Extent, b: Extent) -> SSAValue:
        return self.put(binary(IndexBuilder.OPERATIONS[name], self.value(a), self.value(b)))

    def cast(self, value: SSAValue) -> Extent:
        """The number in the builder's type: its low bits."""
        number = extent_of(value)
        return (
            self.put(arith.IndexCastOp(value, self.type))
            if number is value and value.type != self.type
            else number
        )


class ConstantPool:
    """Constants of one function, each created once.

    They are at the top of the function's entry block.
    """

    def __init__(self, entry: Block) -> None:
        self._entry = entry
        self._made: dict[tuple[Attribute, int | bytes], SSAValue] = {}
        self._last: Operation | None = None

    def get(
        self, number: float, type_: AnyFloat | IntegerType | IndexType, location: LocationAttr
    ) -> SSAValue:
        """Return the `arith.constant` of a number.

        It is created now, with this location, if it does not exist yet.
        """
        # NaN payloads and the sign of zero count; the attribute keeps a double.
        key = type_, int(number) if isinstance(type_, IndexType | IntegerType) else struct.pack("d", number)
        made = self._made.get(key)
        if made is None:
            op = arith.ConstantOp(number_attr(number, type_))
            op.location = location
            made = self._made[key] = self.insert(op).result
        return made

    def insert(self, op: OpT) -> OpT:
        """Put an operation without operands behind the constants."""
        if self._last is not None:
            self._entry.insert_op_after(op, self._last)
        elif self._entry.first_op is not None:
            self._entry.insert_op_before(op, self._entry.first_op)
        else:
            self._entry.add_op(op)
        self._last = op
        return op


class IndexBuilder(Folding):
    """Builder with an insertion point, a location, and `index` arithmetic.

    New operations are inserted at this point and get this location.
    """

    OPERATIONS: ClassVar[Mapping[str, Binary]] = {
        "add": arith.AddiOp,
        "sub": arith.SubiOp,
        "mul": arith.MuliOp,
        "floordiv": arith.FloorDivSIOp,
        "ceildiv": arith.CeilDivSIOp,
        "ceildivui": arith.CeilDivUIOp,
        "rem": arith.RemSIOp,
        "divui": arith.DivUIOp,
        "remui": arith.RemUIOp,
        "min": arith.MinSIOp,
        "max": arith.MaxSIOp,
    }

    def __init__(self, point: InsertPoint, constants: ConstantPool, location: LocationAttr) -> None:
        self.point = point
        self.constants = constants
        self.location = location

    # -- the cursor

    def insert(self, op: OpT) -> OpT:
        """Insert an operation at the insertion point.

        The operation gets the current location unless it has its own.
        """
        if isinstance(op.location, UnknownLoc):
            op.location = self.location
        if self.point.insert_before is None:
            self.point.block.add_op(op)
        else:
            self.point.block.insert_op_before(op, self.point.insert_before)
        return op

    @contextmanager
    def at(self, point: InsertPoint | Block) -> Iterator[None]:
        """Move the insertion point for the duration of the context.

        The temporary insertion point is `point`, or the end of a block.
        """
        saved = self.point
        self.point = InsertPoint.at_end(point) if isinstance(point, Block) else point
        try:
            yield
        finally:
            self.point = saved

    @contextmanager
    def located(self, location: LocationAttr) -> Iterator[None]:
        """Give another location to operations for a while."""
        saved, self.location = self.location, location
        try:
            yield
        finally:
            self.location = saved

    # -- arithmetic

    def index(self, extent: Extent) -> SSAValue:
        """The `index` value of an extent."""
        return self.constants.get(extent, INDEX, self.location) if isinstance(extent, int) else extent

    def emit(self, name: str, a: Extent, b: Extent) -> SSAValue:
        return self.insert(binary(self.OPERATIONS[name], self.index(a), self.index(b))).results[0]

    def divui(self, a: Extent, b: Extent) -> Extent:
        """Quotient of a ≥ 0 by b > 0."""
        return a if b == 1 else self._two("divui", a, b)

    def remui(self, a: Extent, b: Extent) -> Extent:
        """Return the remainder of a ≥ 0 by b > 0, unsigned.

        Like `rem`, but printed as unsigned in C, as for the remainder of a loop.
        """
        return 0 if b == 1 else self._two("remui", a, b)

    def compare(self, predicate: str, a: Extent, b: Extent) -> bool | SSAValue:
        """Return `a predicate b` on extents, a `bool` if it is known.

        The predicates are eq, ne, slt, sle, sgt, sge and ule.
        """
        if a is b:
            a = b = 0
        if isinstance(a, int) and isinstance(b, int):
            return _PREDICATES[predicate](a, b)
        return self.insert(arith.CmpiOp(self.index(a), self.index(b), predicate)).result

    def select(self, condition: bool | SSAValue, a: Extent, b: Extent) -> Extent:
        """`condition ? a : b` on extents."""
        if isinstance(condition, bool):
            return a if condition else b
        return a if a == b else self.insert(arith.SelectOp(condition, self.index(a), self.index(b))).result
