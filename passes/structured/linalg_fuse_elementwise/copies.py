"""Copies of cheap producers, one for each reader."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Operation, Use
from xdsl.ir.affine import AffineMap
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.speculation import speculatable
from loomir.passes.analysis.costs import cost_of
from loomir.passes.analysis.machines import machine_of
from loomir.passes.structured.linalg_fuse_elementwise.producers import is_weight

MAX_READERS = 3
"""Copies of an addition that cost no more than stores and loads."""


class CopyForReaders(RewritePattern):
    """Gives each reader its own copy of a cheap operation.

    It is one operation on the elements of a constant and on numbers. Each copy is then computed where it is read, and no tensor is
    stored and loaded. All readers are elementwise, and read each element once, so that each takes in its copy.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: GenericOp, rewriter: PatternRewriter) -> None:
        if len(op.results) != 1 or op.results[0].has_one_use() or not _is_cheap(op):
            return
        uses = list(op.results[0].uses)
        readers = list(dict.fromkeys(use.operation for use in uses))
        if not 1 < len(readers) <= MAX_READERS or not all(_is_read_in_order(use, op) for use in uses):
            return
        for reader in readers[1:]:
            copy = op.clone()
            rewriter.insert(copy, InsertPoint.after(op))
            for use in uses:
                if use.operation is reader:
                    reader.operands[use.index] = copy.results[0]
            rewriter.notify_op_modified(reader)


def _is_cheap(generic: GenericOp) -> bool:
    """Return True for one operation on a constant, cheap as an addition."""
    tensors = [k for k, value in enumerate(generic.operands) if isinstance(value.type, TensorType)]
    if len(tensors) != 2 or not is_weight(generic.operands[tensors[0]]) or not _is_elementwise(generic):
        return False
    work = [op for op in generic.body.block.ops if not isinstance(op, YieldOp | arith.ConstantOp)]
    return (
        len(work) == 1
        and cost_of(work[0], machine_of("generic")) == 1
        and speculatable(work[0])
        and generic.body.block.args[-1].first_use is None
        and all(_is_in_order(generic, k) for k in tensors)
    )


def _is_read_in_order(use: Use, op: GenericOp) -> bool:
    """Return True if an elementwise neighbour reads each element once."""
    reader = use.operation
    return (
        isinstance(reader, GenericOp)
        and reader.parent is op.parent
        and use.index < len(reader.inputs)
        and _is_elementwise(reader)
        and _is_in_order(reader, use.index)
    )


def _is_elementwise(generic: GenericOp) -> bool:
    return not generic.attributes and all(t.data is IteratorType.PARALLEL for t in generic.iterator_types)


def _is_in_order(generic: Operation, operand: int) -> bool:
    """Return True if an operand has the identity map."""
    assert isinstance(generic, GenericOp)
    map = generic.indexing_maps.data[operand].data
    return map == AffineMap.identity(map.num_dims)
