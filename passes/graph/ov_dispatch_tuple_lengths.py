"""`ov-dispatch-tuple-lengths`: dispatches index tuples of dynamic length over fixed lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.ov.attributes import to_int
from loomir.dialects.ov.facts import Fact, dim
from loomir.dialects.ov.graph_builder import GraphBuilder, RewriteBuilder
from loomir.dialects.ov.operators.gathering import GatherNDOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.dialects.ov.operators.scattering import ScatterNDUpdateOp
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.graph.lib.branches import emit_switch
from loomir.passes.graph.lib.decompositions import Size, Sizes, require_equal
from loomir.passes.graph.ov_infer import retype

_TupleOp = GatherNDOp | ScatterNDUpdateOp


@dataclass(frozen=True)
class OvDispatchTupleLengthsPass(ModulePass):
    """Dispatches over the possible lengths of index tuples.

    A length is at most the rank of data, and for `ov.scatter_nd_update` such that the updates have the rank for it. Below
    GRAPH a tuple has one length.

    ```mlir
    %r = ov.gather_nd %x, %i : (tensor<4x5xf32>, tensor<3x?xi64>) -> tensor<*xf32>              // before

    %s = ov.shape_of %i {output_type = i64} : (tensor<3x?xi64>) -> tensor<2xi64>                // after
    …
    %r = ov.if %is_one -> (tensor<*xf32>) {
      %a = ov.reshape %i, %three_one … -> tensor<3x1xi64>
      %b = ov.gather_nd %x, %a : (tensor<4x5xf32>, tensor<3x1xi64>) -> tensor<3x5xf32>
      ov.yield %b : tensor<3x5xf32>
    } else {
      …
    }
    ```
    If only one length is possible, there is no `ov.if`. Any other length stops the program (`runtime-shape`). The ranks of
    the gathered values differ: `ov-if-resolve-ranks` handles the operations behind them.
    """

    name = "ov-dispatch-tuple-lengths"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not any(isinstance(each, _TupleOp) and _is_open(each.indices) for each in walk(op)):
            return analyses_of(ctx).keep_all()
        inference = analyses_of(ctx).get(infer, op)
        changed = rewrite(op, DispatchTupleLengths(inference, Remarks(self.name)), once=True)
        retype(ctx, op, changed=changed)


@dataclass(frozen=True)
class DispatchTupleLengths(RewritePattern):
    """Dispatch over the lengths that an operation accepts (see the pass)."""

    inference: Inference
    remarks: Remarks

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: GatherNDOp | ScatterNDUpdateOp, rewriter: PatternRewriter) -> None:
        if not _is_open(op.indices):
            return
        if lengths := _lengths(op, self.inference):
            text = f"tuples of {' or '.join(map(str, lengths))} indices"
            self.remarks.passed(op, text, lengths=len(lengths))
            rewriter.replace(op, [], [_dispatch(op, lengths, self.inference, rewriter)])
        else:
            self.remarks.missed(op, "a rank is not known, or no length fits")


def _is_open(indices: SSAValue) -> bool:
    type_ = indices.type
    return isinstance(type_, TensorType) and type_.get_shape()[-1:] == (DYNAMIC_INDEX,)


def _lengths(op: _TupleOp, inference: Inference) -> list[int]:
    """Those that the operation accepts."""
    facts = [inference.fact(v) for v in op.operands]
    data, indices = facts[:2]
    if data.shape is None or not indices.shape:
        return []
    batches = to_int(op.batch_dims, 0) if isinstance(op, GatherNDOp) else 0
    depth, most = indices.shape[-1], len(data.shape) - batches
    found: list[int] = []
    for length in range(depth.lo, 1 + (most if depth.hi is None else min(depth.hi, most))):
        facts[1] = Fact(indices.element, (*indices.shape[:-1], dim(length)))
        try:
            op.results_of(facts)
        except Error:
            continue
        found.append(length)
    return found


def _dispatch(
    op: _TupleOp, lengths: Sequence[int], inference: Inference, rewriter: PatternRewriter
) -> SSAValue:
    """Emit the results of all lengths; return the one that is chosen."""
    build = RewriteBuilder.before(op, rewriter)
    *outer, length = Sizes(build).of(op.indices)
    depth = inference.fact(op.indices).shape
    sure = (
        depth is not None and depth[-1].hi == lengths[-1] and len(lengths) == lengths[-1] - depth[-1].lo + 1
    )
    cases = [
        (each, partial(_of_length, op, outer, length, each, sure or each != lengths[-1])) for each in lengths
    ]
    if len(cases) == 1:
        return cases[0][1](build)[0]
    return emit_switch(build, Sizes(build).scalar(length), cases, [op.output.type])[0].output[0]


def _of_length(
    op: _TupleOp, outer: Sequence[Size], length: Size, known: int, sure: bool, build: GraphBuilder
) -> Sequence[SSAValue]:
    """Return the result for tuples of one length.

    Unless `sure`, a run-time check requires this length.
    """
    indices = op.indices
    if not sure:
        indices = require_equal(
            build, indices, length, known, f"the tuples of indices of {op.name} are of another length"
        )
    shaped = build.make(ReshapeOp, indices, Sizes(build).vector([*outer, known]))
    return build.emit(_with_indices(op, shaped)).results


def _with_indices(op: _TupleOp, indices: SSAValue) -> Operation:
    new = op.clone()
    new.operands[1] = indices
    return new
