"""Building blocks of emission at the current insertion point.

They are memref views, copies and reshapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    LocationAttr,
    TensorType,
    i64,
)
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import CopyOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.index_builder import ConstantPool, Extent, IndexBuilder
from loomir.dialects.tensors import memref_type_of
from loomir.dialects.walking import walk
from loomir.passes.structured.bufferize.memrefs import (
    Reassociation,
    collapse_type,
    expand_type,
    reassociation,
    subview_type,
)


class MemRefBuilder(IndexBuilder):
    """Builder that appends operations to a block.

    The operations get the location of the operation that is being translated.
    """

    views: list[Operation]
    """All created views, in order; the unused ones are erased finally."""

    def __init__(self, block: Block, location: LocationAttr) -> None:
        super().__init__(InsertPoint.at_end(block), ConstantPool(block), location)
        self.views = []
        self.extents: dict[SSAValue, tuple[Extent, ...]] = {}
        self.expanded: dict[SSAValue, tuple[SSAValue, Reassociation]] = {}

    def add_named(self, op: LinalgStructuredOperation) -> None:
        """Add a named linalg operation, whose hidden region needs the location too."""
        self.insert(op)
        for inner in walk(op.body):
            inner.location = self.location

    def add_view(self, op: Operation) -> SSAValue:
        self.views.append(self.insert(op))
        return op.results[0]

    def subview(
        self, source: SSAValue, offsets: Sequence[Extent], sizes: Sequence[Extent], steps: Sequence[Extent]
    ) -> SSAValue:
        """Return a slice of a memref.

        Return the memref itself if the slice certainly covers all of it.
        """
        type = memref_type_of(source)
        extents = self.extents.get(source, type.get_shape())
        if all(o == 0 for o in offsets) and all(s == 1 for s in steps) and tuple(sizes) == extents:
            return source
        static = [[i if isinstance(i, int) else None for i in indices] for indices in (offsets, sizes, steps)]
        view = self.add_view(memref.SubviewOp.get(source, offsets, sizes, steps, subview_type(type, *static)))
        self.extents[view] = tuple(sizes)
        return view

    def expand(self, source: SSAValue, groups: Reassociation, shape: Sequence[Extent]) -> SSAValue:
        static = [extent if isinstance(extent, int) else DYNAMIC_INDEX for extent in shape]
        op = memref.ExpandShapeOp(
            operands=[source, [extent for extent in shape if not isinstance(extent, int)]],
            result_types=[expand_type(memref_type_of(source), groups, static)],
            properties={
                "reassociation": reassociation(groups),
                "static_output_shape": DenseArrayBase.from_list(i64, static),
            },
        )
        result = self.add_view(op)
        self.expanded[result] = (source, groups)
        return result

    def collapse(self, source: SSAValue, groups: Reassociation, shape: Sequence[int]) -> SSAValue:
        before = self.expanded.get(source)
        if (
            before is not None
            and before[1] == groups
            and memref_type_of(before[0]).get_shape() == tuple(shape)
        ):
            return before[0]
        type = collapse_type(memref_type_of(source), groups, shape, trusted=True)
        assert type is not None, "analysis copies what is not contiguous before it is collapsed"
        op = memref.CollapseShapeOp(
            operands=[source], result_types=[type], properties={"reassociation": reassociation(groups)}
        )
        return self.add_view(op)

    def flatten(self, source: SSAValue) -> SSAValue:
        """A memref as one dimension."""
        shape = memref_type_of(source).get_shape()
        if len(shape) == 1:
            return source
        total = DYNAMIC_INDEX if DYNAMIC_INDEX in shape else prod(shape)
        return self.collapse(source, [list(range(len(shape)))], [total])

    def reshape(self, source: SSAValue, type: TensorType[Attribute]) -> SSAValue:
        """A contiguous memref in another static shape of as many elements."""
        shape = type.get_shape()
        if memref_type_of(source).get_shape() == shape:
            return source
        flat = self.flatten(source)
        return flat if len(shape) == 1 else self.expand(flat, [list(range(len(shape)))], shape)

    def packed(self, source: SSAValue, dims: Sequence[Extent]) -> SSAValue:
        """The view of shape `dims`, packed at the beginning of a buffer."""
        flat = self.flatten(source)
        total = self.product(dims)
        view = self.subview(flat, [0], [total], [1])
        return view if len(dims) == 1 else self.expand(view, [list(range(len(dims)))], dims)

    def copy(self, source: SSAValue, target: SSAValue) -> None:
        """Copy to a memref of equal shape."""
        self.add_named(CopyOp([source], [target], []))
