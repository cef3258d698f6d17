"""Walk that assigns alias sets and decides on in-place computation.

It visits every tensor value in program order.
"""

from __future__ import annotations

from xdsl.dialects import scf, tensor
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.locations import located
from loomir.dialects.tensors import tensor_type_of
from loomir.dialects.walking import walk
from loomir.errors import Error
from loomir.passes.structured.bufferize.analysis import Analysis
from loomir.passes.structured.bufferize.conflicts import overwrite_conflict
from loomir.passes.structured.bufferize.memrefs import (
    collapse_type,
    expand_type,
    groups_of,
    subview_type,
)
from loomir.passes.structured.bufferize.model import (
    Copy,
    Cover,
    Plan,
    SetKind,
    Version,
    Write,
    numel,
    tensors,
)
from loomir.passes.structured.bufferize.placement import place_in_slice, place_returns
from loomir.passes.structured.bufferize.slices import (
    destination_of,
    reads_destination,
    reshape_source,
    same_slice,
    slice_bounds,
    slice_cover,
    within,
)
from loomir.passes.structured.bufferize.tokens import finish_if, finish_loop, take_initial_values


def analyse(func: FuncOp) -> Plan:
    """Decide everything about the buffers of `func`.

    `func` must be in STRUCTURED form without dead tensor operations.
    """
    return _Walk(func).plan


class _Walk(Analysis):
    """Visits every operation once."""

    def __init__(self, func: FuncOp) -> None:
        super().__init__(func)
        block = func.body.block
        for i in tensors(block.args):
            self.argument_set(block, block.args[i], SetKind.ARGUMENT, writable=False)
        self.visit_block(block)

    def visit_block(self, block: Block) -> None:
        for op in block.ops:
            self.visit(op)

    def visit(self, op: Operation) -> None:
        match op:
            case LinalgStructuredOperation() | tensor.InsertOp():
                self.visit_destinations(op)
            case tensor.EmptyOp():
                self.alias(op.tensor, None, Cover.FULL)
            case tensor.ExtractSliceOp():
                source = self.plan.aliases[op.source]
                bounds = [
                    [i if isinstance(i, int) else None for i in indices] for indices in slice_bounds(op)
                ]
                layout = subview_type(self.layouts[op.source], *bounds)
                self.alias(op.result, source.version, within(slice_cover(op), source.cover), layout)
            case tensor.ExpandShapeOp():
                source = self.plan.aliases[op.src]
                layout = expand_type(
                    self.layouts[op.src], groups_of(op.reassociation), op.result.type.get_shape()
                )
                self.alias(op.result, source.version, source.cover, layout)
            case tensor.CollapseShapeOp():
                self.visit_collapse(op)
            case tensor.PadOp():
                self.visit_pad(op)
            case tensor.InsertSliceOp():
                self.visit_insert_slice(op)
            case scf.ForOp() | scf.WhileOp():
                self.visit_loop(op)
            case scf.IfOp():
                for region in op.regions:
                    if region.blocks:
                        self.visit_block(region.block)
                finish_if(self, op)
            case ReturnOp():
                place_returns(self, op)
            case tensor.ExtractOp():
                if self.plan.aliases[op.tensor].version is None:
                    self.materialise(op, 0)
            case scf.YieldOp() | scf.ConditionOp():
                pass
            case _:
                if tensors(op.operands) or tensors(op.results) or op.regions:
                    error = Error("not-of-stage", f"bufferize: {op.name} is not an operation of STRUCTURED")
                    raise located(error, op)

    def visit_collapse(self, op: tensor.CollapseShapeOp) -> None:
        source = self.plan.aliases[op.src]
        groups, shape = groups_of(op.reassociation), op.result.type.get_shape()
        layout = collapse_type(self.layouts[op.src], groups, shape)
        expansion = op.src.owner
        if isinstance(expansion, tensor.ExpandShapeOp) and expansion.reassociation == op.reassociation:
            layout = self.layouts[expansion.src]  # the reverse of an expansion, whatever the strides are
        if layout is not None or source.version is None:
            self.alias(op.result, source.version, source.cover, layout)
            return
        # The dimensions joined are not contiguous in the buffer.
        alias_set = self.fresh(op, self.storage_type(op.src))
        self.explain(op, op.src, "its elements are not contiguous and it is reshaped")
        self.plan.copies_before.setdefault(op, []).append(Copy(alias_set, op.src))
        cover = Cover.FULL if numel_or_none(op.result) is not None else Cover.PREFIX
        self.alias(op.result, Version(alias_set, self.plan.numbers[op]), cover)

    def visit_pad(self, op: tensor.PadOp) -> None:
        source = self.plan.aliases[op.source]
        virtual = all(
            isinstance(use.operation, GenericOp) and use.index < len(use.operation.inputs)
            for use in op.result.uses
        )
        if virtual and source.version is not None:
            self.plan.virtual_pads.add(op)
            self.alias(op.result, source.version, Cover.PART)
            return
        if source.version is None:
            self.materialise(op, 0)
        if numel_or_none(op.result) is None:
            what = "bufferize: a tensor.pad of dynamic shape is read by other operations than linalg.generic"
            raise located(Error("not-of-stage", what), op)
        alias_set = self.fresh(op, op.result.type)
        self.plan.writes[op.result] = Write(alias_set, fresh=True)
        self.alias(op.result, Version(alias_set, self.plan.numbers[op]), Cover.FULL)

    def visit_destinations(self, op: tensor.InsertOp | LinalgStructuredOperation) -> None:
        if not op.results:
            what = f"bufferize: {op.name} is on memrefs, beside operations on tensors"
            raise located(Error("not-of-stage", what), op)
        if isinstance(op, LinalgStructuredOperation):
            for i in tensors(op.inputs):
                if self.plan.aliases[op.inputs[i]].version is None:
                    self.materialise(op, i)
            for inner in walk(op.body):
                if isinstance(inner, tensor.ExtractOp) and self.plan.aliases[inner.tensor].version is None:
                    self.materialise(inner, 0)
        first = len(op.inputs) if isinstance(op, LinalgStructuredOperation) else 1
        for dest, result in enumerate(op.results, first):
            self.write(op, dest, result, reads_destination(op, dest))

    def write(
        self,
        op: tensor.InsertOp | tensor.InsertSliceOp | LinalgStructuredOperation,
        dest: int,
        result: SSAValue,
        read: bool,
    ) -> None:
        """Decide where `op` writes its destination operand `dest`.

        It writes in place or into a fresh buffer.
        """
        value = op.operands[dest]
        target = self.plan.aliases[value]
        number = self.plan.numbers[op]
        if target.version is not None:
            conflict = overwrite_conflict(self.plan, op, dest)
            if conflict is None:
                version = Version(target.alias_set, number, parent=target.version)
                if isinstance(op, tensor.InsertSliceOp) and target.cover is Cover.FULL:
                    version.insert = op
                self.plan.writes[result] = Write(target.alias_set, fresh=False)
                self.alias(result, version, target.cover, self.layouts[value])
                if isinstance(reshape_source(value)[0].owner, tensor.ExtractSliceOp):
                    target.version.amendments.append(op)
                return
            if read:
                self.explain(op, value, conflict)
        read = read and target.version is not None
        static = numel_or_none(value) is not None
        packed_prefix = target.version is None and target.cover is Cover.PREFIX
        alias_set = self.fresh(op, self.storage_type(value))
        if not read:
            alias_set.writer = (op, dest) if isinstance(op, GenericOp) else None
        self.plan.writes[result] = Write(alias_set, fresh=True, read=read)
        cover = Cover.FULL if static and not packed_prefix else Cover.PREFIX
        version = Version(alias_set, number)
        if isinstance(op, tensor.InsertSliceOp):
            version.insert = op
            version.parent = None
        self.alias(result, version, cover)

    def visit_insert_slice(self, op: tensor.InsertSliceOp) -> None:
        source, target = self.plan.aliases[op.source], self.plan.aliases[op.dest]
        cover = slice_cover(op)
        assert source.version is not None, "what inserts undefined contents is gone"
        if target.version is None and target.cover is Cover.FULL and cover is not Cover.PART:
            alias_set = source.alias_set
            if source.cover is not Cover.PART and numel(alias_set.type) == numel_or_none(op.dest):
                # The rest of the result is undefined: the source's own buffer is as good as a new one.
                self.plan.writes[op.result] = Write(alias_set, fresh=False, nothing=True)
                self.alias(op.result, source.version, Cover.FULL)
                return
        if target.version is not None and self.is_in_place_already(op):
            self.plan.writes[op.result] = Write(target.alias_set, fresh=False, nothing=True)
            self.alias(op.result, source.version, target.cover, self.layouts[op.dest])
            return
        self.write(op, 1, op.result, cover is not Cover.FULL)
        place_in_slice(self, op)

    def is_in_place_already(self, op: tensor.InsertSliceOp) -> bool:
        """Return True if the source already occupies the destination slice.

        The source is, or was computed in place in, exactly that slice of the destination's buffer.
        """
        alias_set = self.plan.aliases[op.dest].alias_set
        value: SSAValue = op.source
        while (
            self.plan.aliases[value].version is not None and self.plan.aliases[value].alias_set is alias_set
        ):
            owner = value.owner
            if isinstance(owner, tensor.ExtractSliceOp) and owner.source is op.dest and same_slice(owner, op):
                return True
            if isinstance(owner, tensor.ExpandShapeOp | tensor.CollapseShapeOp):
                value = owner.src
            elif (dest := destination_of(value)) is not None:
                value = dest
            else:
                return False
        return False

    def visit_loop(self, op: scf.ForOp | scf.WhileOp) -> None:
        loop = take_initial_values(self, op)
        for region in op.regions:
            self.visit_block(region.block)
        finish_loop(self, op, loop)


def numel_or_none(value: SSAValue) -> int | None:
    """Return a tensor's number of elements, `None` for a dynamic shape."""
    type_ = tensor_type_of(value)
    return numel(type_) if type_.has_static_shape() else None
