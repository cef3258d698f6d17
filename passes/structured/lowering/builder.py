"""Building STRUCTURED operations: `extents`, and tensor views and control flow on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from loomir.dialects.fills import fill
from loomir.dialects.index_builder import INDEX, Extent, all_static, extent_of
from loomir.dialects.tensors import tensor_type_of
from loomir.passes.structured.lowering.extents import FARTHEST, ExtentBuilder, capacity_of, tensor_type

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
