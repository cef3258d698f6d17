"""Building STRUCTURED operations: a cursor with a location, index arithmetic that folds, and tensor views.

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
from xdsl.dialects import arith, cf, scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    TensorType,
    UnknownLoc,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i1, is_float, signless

OpT = TypeVar("OpT", bound=Operation)
Extent = int | SSAValue
"""An extent or index: a number, or an `index` value."""

INDEX = IndexType()

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


def capacity_of(bounds: Sequence[int]) -> int:
    """The elements of the flat tensor that holds a dynamic value: at least one, for a slice of none is no valid slice."""
    return max(1, prod(bounds))


def tensor_type(element: Attribute, dims: Sequence[Extent]) -> TensorType:
    """The signless tensor type of these extents, `?` for a value."""
    return TensorType(signless(element), [d if isinstance(d, int) else DYNAMIC_INDEX for d in dims])


class StructuredBuilder:
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
        """The scalar `arith.constant` of a number, in the entry block once; `element` may be unsigned."""
        target = signless(element)
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
        """An integer scalar as `index`."""
        if isinstance(scalar.type, IndexType):
            return scalar
        known = extent_of(scalar)
        if isinstance(known, int):
            width = scalar.type.width.data if isinstance(scalar.type, IntegerType) else 64
            return self.index(known % (1 << width) if unsigned and known < 0 else known)
        if unsigned and isinstance(scalar.type, IntegerType) and scalar.type.width.data < 64:
            scalar = self.insert(arith.ExtUIOp(scalar, i64)).result
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

        `message` begins with its class: `index:`, `capacity:`, `limit:` or `shape:`.
        """
        assert message.split(":")[0] in ("index", "capacity", "limit", "shape"), message
        if condition is True:
            return
        value = self.constant(0, i1) if condition is False else condition
        self.insert(cf.AssertOp(value, message))  # pyright: ignore[reportArgumentType]

    # -- tensors

    def empty(self, element: Attribute, dims: Sequence[int]) -> SSAValue:
        """A static tensor with undefined contents."""
        return self.insert(tensor.EmptyOp([], tensor_type(element, dims))).tensor

    def extract_slice(
        self, source: SSAValue, offsets: Sequence[Extent], sizes: Sequence[Extent], strides: Sequence[Extent]
    ) -> SSAValue:
        """A view of part of a tensor."""
        assert isinstance(source.type, TensorType)
        type_ = tensor_type(source.type.element_type, sizes)
        whole = type_ == source.type and DYNAMIC_INDEX not in type_.get_shape()
        if whole and all(isinstance(o, int) and o == 0 for o in offsets):
            return source
        if _has_nothing(source.type) or _has_nothing(type_):
            # Upstream refuses a slice that begins behind the last element, even an empty one.
            return self._nothing(source.type.element_type, sizes)
        return self.insert(tensor.ExtractSliceOp(source, offsets, sizes, strides, type_)).result

    def insert_slice(
        self,
        source: SSAValue,
        dest: SSAValue,
        offsets: Sequence[Extent],
        sizes: Sequence[Extent],
        strides: Sequence[Extent],
    ) -> SSAValue:
        """`dest` with part of it replaced by `source`."""
        if _has_nothing(source.type) or _has_nothing(dest.type):
            return dest
        static: list[list[int]] = []
        dynamic: list[list[SSAValue]] = []
        for group in (offsets, sizes, strides):
            static.append([e if isinstance(e, int) else DYNAMIC_INDEX for e in group])
            dynamic.append([e for e in group if not isinstance(e, int)])
        names = ("static_offsets", "static_sizes", "static_strides")
        op = tensor.InsertSliceOp.build(
            operands=[source, dest, *dynamic],
            result_types=[dest.type],
            properties={n: DenseArrayBase.from_list(i64, s) for n, s in zip(names, static)},
        )
        return self.insert(op).result

    def collapse(self, source: SSAValue, dims: Sequence[Extent], groups: Sequence[Sequence[int]]) -> SSAValue:
        """Join neighbouring dimensions; `dims` are the extents of the result."""
        assert isinstance(source.type, TensorType)
        if len(groups) == len(source.type.get_shape()):
            return source
        op = tensor.CollapseShapeOp.build(
            operands=[source],
            result_types=[tensor_type(source.type.element_type, dims)],
            properties={"reassociation": _reassociation(groups)},
        )
        return self.insert(op).result

    def expand(self, source: SSAValue, dims: Sequence[Extent], groups: Sequence[Sequence[int]]) -> SSAValue:
        """Split dimensions; `dims` are the extents of the result."""
        assert isinstance(source.type, TensorType)
        if len(groups) == len(dims):
            return source
        op = tensor.ExpandShapeOp(
            source,
            [d for d in dims if not isinstance(d, int)],
            _reassociation(groups),
            [d if isinstance(d, int) else DYNAMIC_INDEX for d in dims],
            tensor_type(source.type.element_type, dims),
        )
        return self.insert(op).result

    def flatten(self, source: SSAValue, count: Extent) -> SSAValue:
        """A tensor of rank ≥ 1 as one dimension of `count` elements."""
        assert isinstance(source.type, TensorType)
        rank = len(source.type.get_shape())
        return source if rank == 1 else self.collapse(source, [count], [range(rank)])

    def view_of_flat(self, flat: SSAValue, dims: Sequence[Extent]) -> SSAValue:
        """The true shape of a value held flat in a capacity tensor (docs/ir.md, flat → shaped)."""
        count = self.product(dims)
        if any(not isinstance(d, int) for d in dims):
            count = self.index(count)  # one of the extents is 0, and still the types must agree
        part = self.extract_slice(flat, [0], [count], [1])
        return self.expand(part, dims, [range(len(dims))])

    def into_flat(self, value: SSAValue, dims: Sequence[Extent], flat: SSAValue) -> SSAValue:
        """The contents of `value` at the front of a capacity tensor (docs/ir.md, shaped → flat)."""
        count = self.product(dims)
        return self.insert_slice(self.flatten(value, count), flat, [0], [count], [1])

    def _nothing(self, element: Attribute, dims: Sequence[Extent]) -> SSAValue:
        """A tensor without elements."""
        if all(isinstance(d, int) for d in dims):
            return self.empty(element, [d for d in dims if isinstance(d, int)])
        return self.view_of_flat(self.empty(element, [1]), dims)

    # -- control flow

    def for_(
        self,
        lower: Extent,
        upper: Extent,
        inits: Sequence[SSAValue],
        body: Callable[[SSAValue, Sequence[SSAValue]], Sequence[SSAValue]],
        step: Extent = 1,
    ) -> tuple[SSAValue, ...]:
        """`scf.for` over indices; `body(i, carried)` emits the body and returns the next carried values."""
        block = Block(arg_types=[INDEX, *(v.type for v in inits)])
        lb, ub, by = self.index(lower), self.index(upper), self.index(step)
        with self.at(block):
            self.insert(scf.YieldOp(*body(block.args[0], block.args[1:])))
        return tuple(self.insert(scf.ForOp(lb, ub, by, list(inits), Region(block))).results)

    def if_(
        self,
        condition: SSAValue,
        types: Sequence[Attribute],
        then: Callable[[], Sequence[SSAValue]],
        otherwise: Callable[[], Sequence[SSAValue]],
    ) -> tuple[SSAValue, ...]:
        """`scf.if` whose regions the two functions emit."""
        blocks = (Block(), Block())
        for block, emit in zip(blocks, (then, otherwise)):
            with self.at(block):
                self.insert(scf.YieldOp(*emit()))
        return tuple(
            self.insert(scf.IfOp(condition, list(types), Region(blocks[0]), Region(blocks[1]))).results
        )


def _has_nothing(type_: Attribute) -> bool:
    """Whether an extent is known to be 0."""
    return isinstance(type_, TensorType) and 0 in type_.get_shape()


def _reassociation(groups: Sequence[Sequence[int]]) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    return ArrayAttr([ArrayAttr([IntegerAttr(k, i64) for k in group]) for group in groups])
