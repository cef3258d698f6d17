"""`bufferize`: from tensors to buffers (STRUCTURED to the memref form of docs/ir.md).

The result is not yet LOOPS: it still has `linalg.generic`, `linalg.fill` and `linalg.copy`, on memrefs, and a
generic may carry `loomir.pads` (documented in `passes/structured/lib/memrefs.py`, which also has the
reader, `read_pads`). What `lower-linalg-to-loops` can rely on:

- memref types: identity layout where the memory is contiguous from offset 0 of its buffer, `strided<…>`
  otherwise;
- the extent of a `?` dimension is an operand of the `memref.subview` (sizes) or `memref.expand_shape` (output
  shape) that made the memref; through `memref.collapse_shape` it is the product of those;
- `linalg.copy` and `linalg.fill`: one input, one output, equal shapes; a copy's source and target never
  overlap;
- a generic's output memref is also read by it only as an output (accumulation), or elementwise: all loops
  parallel and the same indexing map for the input and the output, so each iteration reads just the element
  that it writes;
- an input with padding is a `builtin.unrealized_conversion_cast` to the padded shape (`padded_source` sees
  through it), used by generics only;
- an input whose block argument is unused (a pooling window) still gives loop extents; its buffer is never
  read.

*Steps.* Insertions of undefined contents and dead operations are removed first, so that every remaining use is a real use. A walk
(`analyse`) visits every tensor value in program order, assigns alias sets and decides on in-place computation: `model.py` has the
decisions, `slices.py` the conditions for overwriting, `placement.py` the values computed in the place of their destination, `tokens.py`
the ownership of buffers across loops and branches. `emit.py` and `emitter.py` carry the decisions out.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math, scf, tensor
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from loomir.dialects.diagnostics import located
from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.passes.structured.bufferize.emit import emit
from loomir.passes.structured.bufferize.model import (
    Analysis,
    BufferizationPlan,
    Copy,
    CopyReason,
    Cover,
    SetKind,
    Version,
    Write,
    numel,
    tensors,
)
from loomir.passes.structured.bufferize.placement import place_in_slice, place_returns
from loomir.passes.structured.bufferize.slices import (
    destination_of,
    overwrite_conflict,
    reads_destination,
    reshape_source,
    same_slice,
    slice_bounds,
    slice_cover,
    within,
)
from loomir.passes.structured.bufferize.tokens import finish_if, finish_loop, take_initial_values
from loomir.passes.structured.lib.memrefs import collapse_type, expand_type, groups_of, subview_type


def _without_effect(op: Operation) -> bool:
    if isinstance(op, LinalgStructuredOperation):
        return bool(op.results)
    name = op.name.partition(".")[0]
    return name in (tensor.Tensor.name, arith.Arith.name, math.Math.name) and bool(op.results)


def drop_undefined_insertions(func: FuncOp) -> None:
    """Replace insertions of undefined contents by their destination.

    Such an insertion leaves the destination as good as it was.

    Afterwards the only tensors of undefined contents are `tensor.empty` and views of one.
    """
    undefined: set[SSAValue] = set()
    # In program order: what is inserted into may itself be the result of such an insertion.
    for op in walk(func):
        if not op.name.startswith("tensor."):
            continue
        match op:
            case tensor.EmptyOp():
                undefined.add(op.tensor)
            case tensor.ExtractSliceOp() | tensor.ExpandShapeOp() | tensor.CollapseShapeOp():
                if op.operands[0] in undefined:
                    undefined.add(op.results[0])
            case tensor.InsertSliceOp() if op.source in undefined:
                Rewriter.replace_op(op, [], [op.dest])
            case _:
                pass


def erase_dead(func: FuncOp) -> None:
    """Erase unused tensor, linalg, arith and math operations; loops and branches stay."""
    for op in reversed(list(walk(func))):
        if op.parent is None or not _without_effect(op):
            continue
        if not any(result.first_use for result in op.results):
            Rewriter.erase_op(op)


def analyse(func: FuncOp) -> BufferizationPlan:
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
            what = "bufferize: a tensor.pad of dynamic shape has other users than linalg.generic"
            raise located(Error("not-of-stage", what), op)
        alias_set = self.fresh(op, op.result.type)
        self.plan.writes[op.result] = Write(alias_set, fresh=True)
        self.alias(op.result, Version(alias_set, self.plan.numbers[op]), Cover.FULL)

    def visit_destinations(self, op: tensor.InsertOp | LinalgStructuredOperation) -> None:
        if not op.results:
            what = f"bufferize: {op.name} on memrefs cannot be mixed with operations on tensors"
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


__all__ = ["BufferizePass", "CopyReason"]


@dataclass(frozen=True)
class BufferizePass(ModulePass):
    """Assigns a buffer to every tensor, by linear ownership.

    A loop-carried value that is replaced needs no copy:

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      …
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> (tensor<4xf32>) {
        %e = tensor.empty() : tensor<4xf32>
        %g = linalg.generic … ins(%w, %h : tensor<4x4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) …
        scf.yield %g : tensor<4xf32>
      }
      return %r : tensor<4xf32>
    }
    ```

    becomes a loop over two buffers that change places, with the value first and the spare buffer behind it:

    ```mlir
    func.func @main(%x: memref<4xf32> {loomir.role = "input"}, %out: memref<4xf32> {loomir.role = "output"}) {
      %a = memref.alloc() : memref<4xf32>
      %b = memref.alloc() : memref<4xf32>
      linalg.copy ins(%x) outs(%a)      // a loop overwrites its initial value, and it is an input or a weight
      %r:2 = scf.for … iter_args(%h = %a, %p = %b) {
        linalg.generic … ins(%w, %h : …) outs(%p : memref<4xf32>) …
        scf.yield %p, %h
      }
      linalg.copy ins(%r#0) outs(%out)  // the output is in one of several buffers that a loop or branch exchanges
    }
    ```

    An update in place, a value that is computed when the loop-carried value is dead, and a branch that computes its result
    in both arms need neither a second buffer nor `iter_args`. `explain-copies` prints a line for each copy to stderr.
    """

    name = "bufferize"
    EXACT = True

    explain_copies: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for reason in bufferize(op):
            if self.explain_copies:
                print(f"bufferize: {reason}", file=sys.stderr)

    @staticmethod
    def explain(module: ModuleOp) -> list[CopyReason]:
        """Return the copies that bufferization would insert into `module`.

        `module` is not changed.
        """
        return bufferize(module.clone())


def _has_tensors(func: FuncOp) -> bool:
    return any(
        isinstance(value.type, TensorType)
        for op in walk(func)
        for value in (*op.results, *(a for r in op.regions for b in r.blocks for a in b.args))
    )


def bufferize(module: ModuleOp) -> list[CopyReason]:
    """Bufferize every function of `module`; return the inserted copies.

    The copies are in program order of each function.
    """
    reasons: list[CopyReason] = []
    for func in [op for op in module.ops if isinstance(op, FuncOp)]:
        if not _has_tensors(func):
            # It has buffers already.
            continue
        drop_undefined_insertions(func)
        erase_dead(func)
        plan = analyse(func)
        emit(func, plan)
        reasons.extend(plan.reasons)
    return reasons
