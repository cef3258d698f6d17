"""Emission on memrefs: views, and the memrefs of alias sets and values.

`MemRefBuilder` has the building blocks of emission at the current insertion point: memref views, copies and reshapes. `Emitter` is the
state of the emission: memrefs of alias sets and values, and views.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import prod

from xdsl.dialects import memref, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, LocationAttr, TensorType, i64
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import memref_type_of, tensor_type_of
from loomir.dialects.index_builder import ConstantPool, Extent, IndexBuilder
from loomir.dialects.upstream.construction import allocation
from loomir.dialects.upstream.implicit_bodies import buffer_copy
from loomir.dialects.upstream.walking import walk
from loomir.passes.structured.bufferize.model import (
    AliasSet,
    BufferizationPlan,
    Cover,
    Group,
    InOutput,
    InSlice,
    InToken,
    SetKind,
)
from loomir.passes.structured.bufferize.slices import destination_of, mixed, reshape_source, slice_bounds
from loomir.passes.structured.lib.memrefs import (
    Reassociation,
    collapse_type,
    expand_type,
    groups_of,
    identity_memref,
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
        self.add_named(buffer_copy(source, target))


class Emitter(MemRefBuilder):
    """Emitter with the replacement of each old value and alias set."""

    plan: BufferizationPlan
    values: dict[SSAValue, SSAValue]
    """Scalars and memrefs by the old value."""
    alias_sets: dict[AliasSet, SSAValue]

    def __init__(self, func: FuncOp, plan: BufferizationPlan) -> None:
        self.func, self.plan = func, plan
        self.values, self.alias_sets = {}, {}
        self.block = Block()
        self.prelude = Block()
        self.outputs: list[SSAValue] = []
        self.done: set[Operation] = set()
        super().__init__(self.block, func.location)

    # Alias sets.

    def memref_of(self, alias_set: AliasSet) -> SSAValue:
        """Return the buffer of an alias set, created on the first request."""
        if alias_set not in self.alias_sets:
            self.alias_sets[alias_set] = self.make_buffer(alias_set)
        return self.alias_sets[alias_set]

    def make_buffer(self, alias_set: AliasSet) -> SSAValue:
        assert alias_set.kind is SetKind.FRESH, "only fresh alias sets get their buffer when it is needed"
        match alias_set.destination:
            case None:
                with self.at(self.prelude):
                    return self.insert(allocation(identity_memref(alias_set.type))).memref
            case InToken(token):
                return self.reshape(self.memref_of(token), alias_set.type)
            case InOutput(index):
                with self.at(self.prelude):
                    return self.reshape(self.outputs[index], alias_set.type)
            case InSlice(insert):
                return self.slice_destination(alias_set, insert)

    def slice_destination(self, alias_set: AliasSet, insert: tensor.InsertSliceOp) -> SSAValue:
        """Return the slice into which `insert` would copy `alias_set`.

        The reshapes before the insertion are undone.
        """
        target = self.plan.writes[insert.result].alias_set
        whole = self.reshape(self.memref_of(target), tensor_type_of(insert.dest))
        view = self.subview(whole, *(self.indices(bound) for bound in slice_bounds(insert)))
        base, reshapes = reshape_source(insert.source)
        if base.type == alias_set.type:
            for op in reshapes:
                shape = tensor_type_of(op.src).get_shape()
                if isinstance(op, tensor.ExpandShapeOp):
                    view = self.collapse(view, groups_of(op.reassociation), shape)
                else:
                    view = self.expand(view, groups_of(op.reassociation), shape)
        elif DYNAMIC_INDEX not in memref_type_of(view).get_shape():
            view = self.reshape(view, alias_set.type)
        return view

    def view_of(self, alias_set: AliasSet, like: SSAValue) -> SSAValue:
        """Return a fresh alias set's view for a tensor like `like`."""
        alias = self.plan.aliases[like]
        type_ = tensor_type_of(like)
        if alias.version is None and alias.cover is Cover.PREFIX:
            return self.replay(like, alias_set)
        if type_.has_static_shape():
            return self.reshape(self.memref_of(alias_set), type_)
        return self.packed(self.memref_of(alias_set), self.dims_of(like))

    def replay(self, value: SSAValue, alias_set: AliasSet) -> SSAValue:
        """Apply the views between a tensor.empty and `value` to another buffer.

        This is the buffer of `alias_set`.
        """
        chain: list[Operation] = []
        while not isinstance(value.owner, tensor.EmptyOp):
            assert isinstance(value.owner, Operation)
            chain.append(value.owner)
            value = value.owner.operands[0]
        type_ = tensor_type_of(value)
        view = self.memref_of(alias_set)
        if type_ != alias_set.type:
            view = self.reshape(view, type_)
        for op in reversed(chain):
            view = self.view(op, view)
        return view

    def view(self, op: Operation, source: SSAValue) -> SSAValue:
        """Emit a view operation of tensors as a view of memref `source`."""
        match op:
            case tensor.ExtractSliceOp():
                return self.subview(source, *(self.indices(bound) for bound in slice_bounds(op)))
            case tensor.ExpandShapeOp():
                shape = self.indices(mixed(integers_of(op.static_output_shape), op.dynamic_output_shape))
                return self.expand(source, groups_of(op.reassociation), shape)
            case tensor.CollapseShapeOp():
                return self.collapse(
                    source, groups_of(op.reassociation), tensor_type_of(op.result).get_shape()
                )
            case _:
                raise AssertionError(f"{op.name} is not a view")

    # Values.

    def indices(self, indices: Sequence[Extent]) -> list[Extent]:
        return [index if isinstance(index, int) else self.values[index] for index in indices]

    def data(self, op: Operation, operand: int) -> SSAValue:
        """Return the replacement of an operand of `op`."""
        value = op.operands[operand]
        alias_set = self.plan.materialised.get((op, operand))
        return self.values[value] if alias_set is None else self.view_of(alias_set, value)

    def dims_of(self, value: SSAValue) -> list[Extent]:
        """The extents of a tensor value."""
        type_ = tensor_type_of(value)
        if type_.has_static_shape():
            return list(type_.get_shape())
        match op := value.owner:
            case tensor.ExtractSliceOp():
                return self.indices(slice_bounds(op)[1])
            case tensor.ExpandShapeOp():
                return self.indices(mixed(integers_of(op.static_output_shape), op.dynamic_output_shape))
            case tensor.CollapseShapeOp():
                dims = self.dims_of(op.src)
                return [self.product([dims[dim] for dim in group]) for group in groups_of(op.reassociation)]
            case _:
                dest = destination_of(value)
                assert dest is not None, f"a dynamic tensor cannot come from {op}"
                return self.dims_of(dest)

    # Operations.

    def emit_block(self, block: Block) -> None:
        for op in block.ops:
            self.emit_op(op)

    def emit_op(self, op: Operation) -> None:
        if op not in self.done:
            self.before(op)
            self.translate(op)

    def before(self, op: Operation) -> None:
        """Emit the operations that the plan requires before `op`.

        These are views that are written early, and copies.
        """
        self.location = op.location
        number = self.plan.numbers[op]
        for moved in self.plan.hoisted.get(number, ()):
            self.clone(moved)
        for alias_set in self.plan.slices_at.get(number, ()):
            self.memref_of(alias_set)
        for copy in self.plan.copies_before.get(op, ()):
            self.copy(self.values[copy.source], self.view_of(copy.alias_set, copy.source))

    @abstractmethod
    def translate(self, op: Operation) -> None:
        """Write what has become of `op`."""

    def clone(self, op: Operation) -> None:
        if op not in self.done:
            self.done.add(op)
            new = op.clone(self.values)
            self.insert(new)

    def destination(self, op: Operation, operand: int) -> SSAValue:
        """Return the memref that `op` writes for destination `operand`.

        It is filled if the old contents matter.
        """
        value = op.operands[operand]
        first = (
            1
            if isinstance(op, tensor.InsertOp | tensor.InsertSliceOp)
            else len(op.operands) - len(op.results)
        )
        dest = self.plan.writes[op.results[operand - first]]
        if not dest.fresh:
            return self.values[value]
        target = self.view_of(dest.alias_set, value)
        if dest.read:
            self.copy(self.values[value], target)
        return target

    def enter_identities(self, groups: Sequence[Group]) -> None:
        """Map slots and results of identity groups to the operation's given buffer."""
        for group in groups:
            for alias_set in group.inputs:
                self.memref_of(alias_set)
            if group.identity:
                given = self.memref_of(group.inputs[0])
                for (slot,) in group.slots:
                    self.alias_sets[slot] = self.reshape(given, slot.type)
                self.alias_sets[group.outputs[0]] = self.reshape(given, group.outputs[0].type)

    def buffer(self, alias_set: AliasSet, type: TensorType[Attribute]) -> SSAValue:
        return self.reshape(self.memref_of(alias_set), type)


def integers_of(attr: Attribute) -> list[int]:
    assert isinstance(attr, DenseArrayBase)
    return [value for value in attr.get_values() if isinstance(value, int)]
