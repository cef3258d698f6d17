"""Extents below GRAPH: constants, `index` conversions and non-wrapping arithmetic.

Constants and conversions to and from `index` cover every type. An *extent* is an `int` if it is known and an `index`
SSA value if it is not. Every helper accepts both, folds what is known and emits operations only for the rest
(dialects/index_builder.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod

import numpy as np
from xdsl.dialects import arith, cf
from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, IndexType, IntegerType, TensorType, UnknownLoc, i64
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i1, is_storage, signless, stored
from loomir.dialects.index_builder import INDEX, ConstantPool, Extent, IndexBuilder, extent_of
from loomir.dialects.ov.bounds import Bounds, count_of
from loomir.dialects.run_errors import split_message
from loomir.dialects.scalars.constants import Number, wrapped
from loomir.dialects.tensors import ranked

FARTHEST = (1 << 63) - 1
"""Greatest index.

As an extent or a position it is beyond every tensor.
"""


def capacity_of(bounds: Sequence[int]) -> int:
    """Return the element count of a dynamic value's flat tensor.

    The count is at least 1, because upstream does not slice empty tensors.
    """
    return max(1, count_of(bounds))


def tensor_type(element: Attribute, dims: Sequence[Extent]) -> TensorType:
    """The signless tensor type of these extents, `?` for a value."""
    return ranked(signless(element), tuple([d if isinstance(d, int) else DYNAMIC_INDEX for d in dims]))


class ExtentBuilder(IndexBuilder):
    """Builder of extents and constants in a function.

    The insertion point is initially the end of the function's entry block. The builder holds the function's constants of
    every type.
    """

    def __init__(self, entry: Block) -> None:
        super().__init__(InsertPoint.at_end(entry), ConstantPool(entry), UnknownLoc())
        self._checks = True

    @contextmanager
    def unchecked(self) -> Iterator[None]:
        """Assert nothing for a while: what is emitted is not run."""
        self._checks = False
        try:
            yield
        finally:
            self._checks = True

    # -- constants

    def constant(self, value: Number, element: Attribute) -> SSAValue:
        """Return the scalar `arith.constant` of a number.

        Each constant is emitted once, in the entry block. `element` may be unsigned. If `element` is a storage type, the number
        is a numpy scalar of this type, or the `i8` that holds it.
        """
        target = signless(element)
        if is_storage(element):
            value = stored(np.asarray(value))
        if isinstance(target, AnyFloat):
            return self.constants.get(float(value), target, self.location)
        assert isinstance(target, IntegerType | IndexType)
        number = int(value)
        if isinstance(target, IntegerType) and target != i1:
            number = wrapped(number, target)
        return self.constants.get(number, target, self.location)

    def to_index(self, scalar: SSAValue, *, unsigned: bool = False) -> SSAValue:
        """Convert an integer scalar to `index`.

        An unsigned scalar beyond the range of `index` becomes the greatest index: it is beyond every extent, not negative.
        """
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

    # -- arithmetic on numbers that the program's user chooses: any of 64 bits

    def negated(self, a: Extent) -> Extent:
        """`-a`; of the least number the greatest."""
        return -a if isinstance(a, int) else self.sub(0, self.max(a, -FARTHEST))

    def limited(self, a: Extent, most: int) -> Extent:
        """Return an extent clamped to `most + 1`.

        An extent beyond `most` becomes `most + 1`. The clamp keeps sums and products of several such extents from wrapping.
        """
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
        """Return the element count of a shape, limited if it exceeds `most`.

        The extents of the shape are in 0 … most + 1. If the count exceeds `most`, the result is a number that exceeds `most`,
        too.
        """
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
        """Return `ceil((high - low) / unit)` exactly, for low ≤ high and unit > 0.

        The result is an unsigned number, as are the difference and `unit`.
        """
        if isinstance(low, int) and isinstance(high, int) and isinstance(unit, int):
            return -((low - high) // unit)
        distance = self.sub(high, low)
        if isinstance(low, int) and low >= 0 and isinstance(unit, int) and unit <= FARTHEST:
            return self.ceildiv(distance, unit)  # nothing wraps
        if isinstance(unit, int) and unit == 1:
            return distance
        a, b = (wrapped(e, INDEX) if isinstance(e, int) else e for e in (distance, unit))
        return self.insert(arith.CeilDivUIOp(self.index(a), self.index(b))).result

    def assert_capacity(self, dims: Sequence[Extent], most: Bounds[int | None]) -> None:
        """Assert that a tensor with these extents is no larger."""
        for dimension, (extent, bound) in enumerate(zip(dims, most)):
            if bound is not None:
                what = f"dimension {dimension} of a tensor is larger than {bound}"
                self.assert_(self.compare("ule", extent, bound), f"capacity: {what}")
        if (count := most.elements) is not None:
            elements = self.product_limited([self.limited(d, count) for d in dims], count)
            what = f"a tensor has more than {count} elements"
            self.assert_(self.compare("ule", elements, count), f"capacity: {what}")

    def assert_(self, condition: bool | SSAValue, message: str) -> None:
        """`cf.assert`; nothing where the condition is known to hold.

        `message` begins with its kind (`run_errors.KINDS`), such as `shape:`.
        """
        assert split_message(message) is not None, message
        if condition is True or not self._checks:
            return
        value = self.constant(0, i1) if condition is False else condition
        self.insert(cf.AssertOp(value, message))
