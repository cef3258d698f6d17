"""Where operations go, and arithmetic on extents that folds.

An *extent* is an `int` where it is known and an `index` SSA value where it is not; every helper takes both,
folds what is known and emits operations only for the rest.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import TypeVar

import numpy as np
from xdsl.dialects import arith, cf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    TensorType,
    UnknownLoc,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i1, is_float, is_storage, signless, stored
from loomir.dialects.run_errors import split_message

OpT = TypeVar("OpT", bound=Operation)
Extent = int | SSAValue
"""An extent or index: a number, or an `index` value."""

INDEX = IndexType()
FARTHEST = (1 << 63) - 1
"""The greatest index: as an extent or a position it is beyond every tensor."""

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "slt": operator.lt,
    "sle": operator.le,
    "sgt": operator.gt,
    "sge": operator.ge,
}


def extent_of(value: SSAValue) -> Extent:
    """The number where an `index` value is an `arith.constant`, else the value itself."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return value


def _wrapped(number: int) -> int:
    """The signed number with the same 64 bits."""
    return (number - FARTHEST - 1) % (1 << 64) - FARTHEST - 1


def capacity_of(bounds: Sequence[int]) -> int:
    """The elements of the flat tensor that holds a dynamic value; at least one: upstream slices no empty tensor."""
    return max(1, prod(bounds))


def tensor_type(element: Attribute, dims: Sequence[Extent]) -> TensorType:
    """The signless tensor type of these extents, `?` for a value."""
    return TensorType(signless(element), [d if isinstance(d, int) else DYNAMIC_INDEX for d in dims])


class ExtentBuilder:
    """A place to insert operations at, the location they get, and the constants of the function."""

    def __init__(self, entry: Block) -> None:
        self._entry = entry
        self._point = InsertPoint.at_end(entry)
        self._constants: dict[tuple[Attribute, bytes], SSAValue] = {}
        self._last_constant: Operation | None = None
        self.location: LocationAttr = UnknownLoc()

    # -- the cursor

    def insert(self, op: OpT) -> OpT:
        """Insert an operation here, with the current location unless it has its own."""
        if isinstance(op.location, UnknownLoc):
            op.location = self.location
        point = self._point
        if point.insert_before is None:
            point.block.add_op(op)
        else:
            point.block.insert_op_before(op, point.insert_before)
        return op

    @contextmanager
    def at(self, point: InsertPoint | Block) -> Iterator[None]:
        """Insert elsewhere for a while: at a point, or at the end of a block."""
        saved = self._point
        self._point = InsertPoint.at_end(point) if isinstance(point, Block) else point
        try:
            yield
        finally:
            self._point = saved

    @contextmanager
    def located(self, location: LocationAttr) -> Iterator[None]:
        """Give another location to operations for a while."""
        saved, self.location = self.location, location
        try:
            yield
        finally:
            self.location = saved

    # -- constants

    def constant(self, value: object, element: Attribute) -> SSAValue:
        """The scalar `arith.constant` of a number, in the entry block once; `element` may be unsigned.

        Of a storage type, the number is a numpy scalar of it, or the `i8` that holds it.
        """
        target = signless(element)
        if is_storage(element):
            value = stored(np.asarray(value))
        if is_float(target):
            number: float | int = float(value)  # pyright: ignore[reportArgumentType]
            # NaN payloads and the sign of zero count; the attribute keeps a double.
            key = (target, np.float64(number).tobytes())
        else:
            number = int(value)  # pyright: ignore[reportArgumentType]
            if isinstance(target, IntegerType) and target != i1:
                half = 1 << (target.width.data - 1)
                number = (number + half) % (2 * half) - half
            key = (target, str(number).encode())
        if key not in self._constants:
            if isinstance(target, AnyFloat):
                attribute = FloatAttr(float(number), target)
            else:
                assert isinstance(target, IntegerType | IndexType)
                attribute = IntegerAttr(int(number), target)
            op = arith.ConstantOp(attribute)
            op.location = self.location
            if self._last_constant is not None:
                self._entry.insert_op_after(op, self._last_constant)
            elif self._entry.first_op is not None:
                self._entry.insert_op_before(op, self._entry.first_op)
            else:
                self._entry.add_op(op)
            self._last_constant = op
            self._constants[key] = op.result
        return self._constants[key]

    def index(self, extent: Extent) -> SSAValue:
        """The `index` value of an extent."""
        return self.constant(extent, INDEX) if isinstance(extent, int) else extent

    def to_index(self, scalar: SSAValue, *, unsigned: bool = False) -> SSAValue:
        """An integer scalar as `index`. An unsigned one beyond its range is the greatest: beyond every extent, not negative."""
        if isinstance(scalar.type, IndexType):
            return scalar
        known = extent_of(scalar)
        if isinstance(known, int):
            width = scalar.type.width.data if isinstance(scalar.type, IntegerType) else 64
            return self.index(min(known % (1 << width) if unsigned else known, FARTHEST))
        if unsigned and isinstance(scalar.type, IntegerType):
            if scalar.type.width.data < 64:
                scalar = self.insert(arith.ExtUIOp(scalar, i64)).result
            else:
                scalar = self.insert(arith.MinUIOp(scalar, self.constant(FARTHEST, i64))).result
        return self.insert(arith.IndexCastOp(scalar, INDEX)).result

    def from_index(self, extent: Extent, element: Attribute) -> SSAValue:
        """An extent as an integer scalar."""
        if isinstance(extent, int):
            return self.constant(extent, element)
        return self.insert(arith.IndexCastOp(extent, signless(element))).results[0]

    # -- arithmetic on extents

    def add(self, a: Extent, b: Extent) -> Extent:
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        if a == 0 and isinstance(a, int):
            return b
        if b == 0 and isinstance(b, int):
            return a
        return self.insert(arith.AddiOp(self.index(a), self.index(b))).result

    def sub(self, a: Extent, b: Extent) -> Extent:
        if isinstance(a, int) and isinstance(b, int):
            return a - b
        if isinstance(b, int) and b == 0:
            return a
        if a is b:
            return 0
        return self.insert(arith.SubiOp(self.index(a), self.index(b))).result

    def mul(self, a: Extent, b: Extent) -> Extent:
        if isinstance(a, int) and isinstance(b, int):
            return a * b
        if (isinstance(a, int) and a == 0) or (isinstance(b, int) and b == 0):
            return 0
        if isinstance(a, int) and a == 1:
            return b
        if isinstance(b, int) and b == 1:
            return a
        return self.insert(arith.MuliOp(self.index(a), self.index(b))).result

    def floordiv(self, a: Extent, b: Extent) -> Extent:
        """Quotient of a by a divisor that is not 0, towards minus infinity."""
        if isinstance(a, int) and isinstance(b, int):
            return a // b
        if isinstance(b, int) and b == 1:
            return a
        return self.insert(arith.FloorDivSIOp(self.index(a), self.index(b))).result

    def ceildiv(self, a: Extent, b: Extent) -> Extent:
        """Quotient of a by a divisor that is not 0, towards plus infinity."""
        if isinstance(a, int) and isinstance(b, int):
            return -(-a // b)
        if isinstance(b, int) and b == 1:
            return a
        return self.insert(arith.CeilDivSIOp(self.index(a), self.index(b))).result

    def rem(self, a: Extent, b: Extent) -> Extent:
        """Remainder of a ≥ 0 by b > 0."""
        if isinstance(a, int) and isinstance(b, int):
            return a % b
        if isinstance(b, int) and b == 1:
            return 0
        return self.insert(arith.RemSIOp(self.index(a), self.index(b))).result

    def min(self, a: Extent, b: Extent) -> Extent:
        if a is b:
            return a
        if isinstance(a, int) and isinstance(b, int):
            return min(a, b)
        return self.insert(arith.MinSIOp(self.index(a), self.index(b))).result

    def max(self, a: Extent, b: Extent) -> Extent:
        if a is b:
            return a
        if isinstance(a, int) and isinstance(b, int):
            return max(a, b)
        return self.insert(arith.MaxSIOp(self.index(a), self.index(b))).result

    # -- arithmetic on numbers that the program's user chooses: any of 64 bits

    def negated(self, a: Extent) -> Extent:
        """`-a`; of the least number the greatest."""
        return -a if isinstance(a, int) else self.sub(0, self.max(a, -FARTHEST))

    def limited(self, a: Extent, most: int) -> Extent:
        """An extent beyond `most` as `most + 1`, so that sums and products of some of them do not wrap."""
        return self.min(a, most + 1)

    def add_limited(self, a: Extent, b: Extent) -> Extent:
        """`a + b`, or the end of 64 bits that it is beyond."""
        if isinstance(a, int) and isinstance(b, int):
            return max(-FARTHEST - 1, min(FARTHEST, a + b))
        if isinstance(a, int):
            a, b = b, a
        # How far a may be up and down so that the sum is inside.
        above = self.sub(FARTHEST, self.max(b, 0))
        below = self.sub(-FARTHEST - 1, self.min(b, 0))
        if not (isinstance(b, int) and b <= 0):
            a = self.min(a, above)
        if not (isinstance(b, int) and b >= 0):
            a = self.max(a, below)
        return self.add(a, b)

    def product_limited(self, dims: Sequence[Extent], most: int) -> Extent:
        """The number of elements of a shape whose extents are in 0 … most + 1; where it is beyond `most`, a number that is, too."""
        known = prod(d for d in dims if isinstance(d, int))
        unknown = [d for d in dims if not isinstance(d, int)]
        if known * (most + 1) ** len(unknown) <= FARTHEST:
            return self.product(dims)
        if known == 0:
            return 0
        total: Extent = min(known, most + 1)
        for d in unknown:
            fits = self.compare("sle", total, self.floordiv(most, self.max(d, 1)))
            total = self.select(fits, self.mul(total, d), self.select(self.compare("eq", d, 0), 0, most + 1))
        return total

    def distance_units(self, low: Extent, high: Extent, unit: Extent) -> Extent:
        """`ceil((high - low) / unit)` for low ≤ high and unit > 0, exactly: an unsigned number, as are the difference and `unit`."""
        if all(isinstance(e, int) for e in (low, high, unit)):
            return -((low - high) // unit)  # pyright: ignore[reportOperatorIssue]
        distance = self.sub(high, low)
        if isinstance(low, int) and low >= 0 and isinstance(unit, int) and unit <= FARTHEST:
            return self.ceildiv(distance, unit)  # nothing wraps
        if isinstance(unit, int) and unit == 1:
            return distance
        a, b = (_wrapped(e) if isinstance(e, int) else e for e in (distance, unit))
        return self.insert(arith.CeilDivUIOp(self.index(a), self.index(b))).result

    def product(self, dims: Sequence[Extent]) -> Extent:
        """The number of elements of a shape."""
        total: Extent = prod(d for d in dims if isinstance(d, int))
        for d in dims:
            if not isinstance(d, int):
                total = self.mul(d, total)
        return total

    def compare(self, predicate: str, a: Extent, b: Extent) -> bool | SSAValue:
        """`a predicate b` on extents: eq, ne, slt, sle, sgt, sge, ule; a `bool` where it is known."""
        if (isinstance(a, int) and isinstance(b, int)) or a is b:
            x, y = (a, b) if isinstance(a, int) and isinstance(b, int) else (0, 0)
            if predicate == "ule":
                return (x if x >= 0 else x + (1 << 64)) <= (y if y >= 0 else y + (1 << 64))
            return _COMPARE[predicate](x, y)
        return self.insert(arith.CmpiOp(self.index(a), self.index(b), predicate)).result

    def select(self, condition: bool | SSAValue, a: Extent, b: Extent) -> Extent:
        """`condition ? a : b` on extents."""
        if isinstance(condition, bool):
            return a if condition else b
        if a is b or (isinstance(a, int) and isinstance(b, int) and a == b):
            return a
        return self.insert(arith.SelectOp(condition, self.index(a), self.index(b))).result

    def assert_(self, condition: bool | SSAValue, message: str) -> None:
        """`cf.assert`; nothing where the condition is known to hold.

        `message` begins with its kind (`run_errors.KINDS`), such as `shape:`.
        """
        assert split_message(message) is not None, message
        if condition is True:
            return
        value = self.constant(0, i1) if condition is False else condition
        self.insert(cf.AssertOp(value, message))  # pyright: ignore[reportArgumentType]
