"""Builder of STRUCTURED operations: extents, tensor views, reshapes and control flow.

*Extents* below GRAPH have constants, `index` conversions and non-wrapping arithmetic (`ExtentBuilder`).

Constants and conversions to and from `index` cover every type. An *extent* is an `int` if it is known and an `index`
SSA value if it is not. Every helper accepts both, folds what is known and emits operations only for the rest
(dialects/index_builder.py).

*Tensor views and control flow* are built by `StructuredBuilder`.

*Reshapes* are `tensor.expand_shape` and `collapse_shape`, on groups of dimensions that go together (`reshape_tensor`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import prod

import numpy as np
from xdsl.dialects import arith, cf, scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    UnknownLoc,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.attributes import Bounds, count_of
from loomir.dialects.diagnostics import split_message
from loomir.dialects.element_types import i1, is_storage, ranked, signless, stored, tensor_type_of
from loomir.dialects.index_builder import INDEX, ConstantPool, Extent, IndexBuilder, all_static, extent_of
from loomir.dialects.scalars.row import Number, wrapped
from loomir.dialects.upstream.implicit_bodies import fill

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

        `message` begins with its kind (`diagnostics.KINDS`), such as `shape:`.
        """
        assert split_message(message) is not None, message
        if condition is True or not self._checks:
            return
        value = self.constant(0, i1) if condition is False else condition
        self.insert(cf.AssertOp(value, message))


__all__ = ["FARTHEST", "INDEX", "Extent", "StructuredBuilder", "capacity_of", "extent_of", "tensor_type"]


class StructuredBuilder(ExtentBuilder):
    """Builds tensor views and control flow, too."""

    # -- tensors

    def empty(self, element: Attribute, dims: Sequence[int]) -> SSAValue:
        """A static tensor with undefined contents."""
        return self.insert(tensor.EmptyOp.create(result_types=(tensor_type(element, dims),))).tensor

    def filled(self, scalar: SSAValue, dest: SSAValue) -> SSAValue:
        """A tensor with every element set to a scalar."""
        op = fill(scalar, dest)
        for inner in op.body.block.ops:
            inner.location = self.location  # the hidden region's
        return self.insert(op).results[0]

    def extract_slice(
        self, source: SSAValue, offsets: Sequence[Extent], sizes: Sequence[Extent], strides: Sequence[Extent]
    ) -> SSAValue:
        """A view of part of a tensor."""
        source_type = tensor_type_of(source)
        type_ = tensor_type(source_type.element_type, sizes)
        whole = type_ == source_type and DYNAMIC_INDEX not in type_.get_shape()
        if whole and all(o == 0 for o in offsets):
            return source
        if _has_nothing(source_type) or _has_nothing(type_):
            # Upstream refuses a slice that begins behind the last element, even an empty one.
            return self._nothing(source_type.element_type, sizes)
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
        type_ = tensor_type_of(source)
        if len(groups) == len(type_.get_shape()):
            return source
        op = tensor.CollapseShapeOp.build(
            operands=[source],
            result_types=[tensor_type(type_.element_type, dims)],
            properties={"reassociation": _reassociation(groups)},
        )
        return self.insert(op).result

    def expand(self, source: SSAValue, dims: Sequence[Extent], groups: Sequence[Sequence[int]]) -> SSAValue:
        """Split dimensions; `dims` are the extents of the result."""
        if len(groups) == len(dims):
            return source
        op = tensor.ExpandShapeOp(
            source,
            [d for d in dims if not isinstance(d, int)],
            _reassociation(groups),
            [d if isinstance(d, int) else DYNAMIC_INDEX for d in dims],
            tensor_type(tensor_type_of(source).element_type, dims),
        )
        return self.insert(op).result

    def flatten(self, source: SSAValue, count: Extent) -> SSAValue:
        """A tensor of rank ≥ 1 as one dimension of `count` elements."""
        rank = len(tensor_type_of(source).get_shape())
        return source if rank == 1 else self.collapse(source, [count], [range(rank)])

    def view_of_flat(self, flat: SSAValue, dims: Sequence[Extent]) -> SSAValue:
        """Return the shaped view of a flat value in a capacity tensor.

        The result has the value's true shape (docs/ir.md, flat → shaped).
        """
        count = self.product(dims)
        if any(not isinstance(d, int) for d in dims):
            count = self.index(count)  # one of the extents is 0, and still the types must agree
        part = self.extract_slice(flat, [0], [count], [1])
        return self.expand(part, dims, [range(len(dims))])

    def into_flat(self, value: SSAValue, dims: Sequence[Extent], flat: SSAValue) -> SSAValue:
        """Insert the contents of `value` at the front of a capacity tensor.

        See docs/ir.md, shaped → flat.
        """
        count = self.product(dims)
        return self.insert_slice(self.flatten(value, count), flat, [0], [count], [1])

    def _nothing(self, element: Attribute, dims: Sequence[Extent]) -> SSAValue:
        """A tensor without elements."""
        if all_static(dims):
            return self.empty(element, dims)
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
        """Emit an `scf.for` over indices.

        `body(i, carried)` emits the body and returns the next carried values.
        """
        block = Block(arg_types=[INDEX, *(v.type for v in inits)])
        lb, ub, by = self.index(lower), self.index(upper), self.index(step)
        with self.at(block):
            self.insert(scf.YieldOp(*body(block.args[0], block.args[1:])))
        return tuple(self.insert(scf.ForOp(lb, ub, by, list(inits), Region(block))).results)

    def while_(
        self,
        inits: Sequence[SSAValue],
        condition: Callable[[Sequence[SSAValue]], SSAValue],
        body: Callable[[Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> tuple[SSAValue, ...]:
        """Emit an `scf.while` in its normal form.

        `condition(state)` emits the condition; `body(state)` emits the body and returns the next state.
        """
        types = [v.type for v in inits]
        before, after = Block(arg_types=types), Block(arg_types=types)
        with self.at(before):
            self.insert(scf.ConditionOp(condition(before.args), *before.args))
        with self.at(after):
            self.insert(scf.YieldOp(*body(after.args)))
        return tuple(self.insert(scf.WhileOp(list(inits), types, Region(before), Region(after))).results)

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
    """Return True if an extent is known to be 0."""
    return isinstance(type_, TensorType) and 0 in type_.get_shape()


def _reassociation(groups: Sequence[Sequence[int]]) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    return ArrayAttr([ArrayAttr([IntegerAttr(k, i64) for k in group]) for group in groups])


def reshape_tensor(
    low: StructuredBuilder, value: SSAValue, old: Sequence[Extent], new: Sequence[Extent]
) -> SSAValue:
    """Reshape a tensor to other extents of the same product.

    Both ranks are at least 1. One expand_shape or collapse_shape is emitted if that suffices; otherwise both, through one
    dimension.
    """
    if len(old) > len(new):
        groups = reassociation(old, new)
        if groups is not None:
            return low.collapse(value, new, groups)
    elif len(old) < len(new):
        groups = reassociation(new, old)
        if groups is not None:
            return low.expand(value, new, groups)
    count = low.product(old)
    flat = low.flatten(value, count)
    if isinstance(count, int) == all_static(new):
        return low.expand(flat, new, [range(len(new))])
    # The number of elements is known on one side only: the types must agree before the dimensions are split.
    exact = low.index(count) if isinstance(count, int) else low.product(new)
    flat = low.extract_slice(flat, [0], [exact], [1])
    return low.expand(flat, new, [range(len(new))])


def reassociation(many: Sequence[Extent], few: Sequence[Extent]) -> list[list[int]] | None:
    """Return the groups of neighbouring `many` extents that form the `few`.

    The result is None if the groups cannot be determined. Each group is non-empty. Static extents are grouped by their
    products; a dynamic extent is its own group, together with ones beside it.
    """
    groups: list[list[int]] = []
    k = 0
    for position, target in enumerate(few):
        group: list[int] = []
        if isinstance(target, int):
            total = 1
            while k < len(many) and isinstance(d := many[k], int) and (not group or total != target):
                total *= d
                group.append(k)
                k += 1
            if total != target:
                return None
        else:
            while k < len(many) and isinstance(many[k], int) and many[k] == 1:
                group.append(k)
                k += 1
            if k >= len(many) or many[k] is not target:
                return None
            group.append(k)
            k += 1
        if not group:
            return None
        # Ones that the next group can do without belong here.
        while (
            k < len(many)
            and isinstance(many[k], int)
            and many[k] == 1
            and len(many) - k > len(few) - position - 1
        ):
            group.append(k)
            k += 1
        groups.append(group)
    return groups if k == len(many) else None
