"""Pass `ovseq-append-to-concat`: appends to a sequence become a concatenated output.

It applies to loops that only append to the sequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, TensorType
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.graph_builder import RewriteBuilder
from loomir.dialects.ov.operators.control_flow import LoopOp, NextOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.reshape import UnsqueezeOp
from loomir.dialects.ovseq.sequences import ConstructOp, EmptyOp, InsertOp
from loomir.dialects.ovseq.splitting import SplitOp
from loomir.dialects.ovseq.types import SequenceType
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import Inference, infer


@dataclass(frozen=True)
class OvseqAppendToConcatPass(ModulePass):
    """Replaces a loop-carried sequence by a concatenated output.

    Each iteration must append one tensor of a static shape to the sequence, and must not use the sequence otherwise.
    Elements that exist before the loop are prepended.

    ```mlir
    %e = ovseq.empty {element_type = f32} : !ovseq.sequence<tensor<*xf32>>
    %s = ov.loop trip(%n) while(%go) carried(%e)
        : (tensor<i64>, tensor<i1>, !ovseq.sequence<tensor<*xf32>>) -> (!ovseq.sequence<tensor<2xf32>>) {
    ^bb0(%i: tensor<i64>, %c: !ovseq.sequence<tensor<2xf32>>):
      …
      %d = ovseq.insert %c, %x : (!ovseq.sequence<tensor<2xf32>>, tensor<2xf32>) -> !ovseq.sequence<tensor<2xf32>>
      ov.next while(%more) carried(%d : !ovseq.sequence<tensor<2xf32>>)
    }
    ```
    becomes
    ```mlir
    %r = ov.loop trip(%n) while(%go) {concats = [#ov.slice<axis = 0>]} : (tensor<i64>, tensor<i1>) -> (tensor<?x2xf32>) {
    ^bb0(%i: tensor<i64>):
      …
      %y = ov.unsqueeze %x, %zero : (tensor<2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
      ov.next while(%more) concat(%y : tensor<1x2xf32>)
    }
    %s = ovseq.split %r {axis = 0, keepdims = false} : (tensor<?x2xf32>) -> !ovseq.sequence<tensor<2xf32>>
    ```
    """

    name = "ovseq-append-to-concat"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        loops = (o for o in walk(op) if isinstance(o, LoopOp))
        if not any(_appended(loop, k) for loop in loops for k in range(len(loop.carried))):
            return analyses_of(ctx).keep_all()
        remarks = Remarks(self.name)
        inference = analyses_of(ctx).get(infer, op)
        # Inner loops first: what one gives may be what the loop around it appends.
        rewrite(op, AppendToConcat(inference, remarks), once=True, backwards=True, regions_first=True)


def _appended(op: LoopOp, index: int) -> InsertOp | None:
    """Return the operation that appends to a carried sequence, or None.

    The body must not use the sequence otherwise.
    """
    argument, following = op.carried_arguments[index], op.next.carried[index]
    insert = following.owner
    if not isinstance(argument.type, SequenceType) or not isinstance(insert, InsertOp):
        return None
    only = insert.position is None and insert.sequence is argument and insert.parent is op.body.block
    return insert if only and argument.has_one_use() and following.has_one_use() else None


def _initial(value: SSAValue, shape: tuple[int, ...], inference: Inference) -> Sequence[SSAValue] | None:
    """Return the elements before the loop if known and of this shape."""
    owner = value.owner
    if isinstance(owner, EmptyOp):
        return []
    if isinstance(owner, ConstructOp) and all(inference.fact(o).static == shape for o in owner.inputs):
        return list(owner.inputs)
    return None


_Appended = tuple[InsertOp, tuple[int, ...], Sequence[SSAValue]]
"""The append to a sequence, an element's shape, and the first elements."""


@dataclass(frozen=True)
class AppendToConcat(RewritePattern):
    """Replace the sequences that a loop only appends to (see the pass)."""

    inference: Inference
    remarks: Remarks

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter) -> None:
        chosen: dict[int, _Appended] = {}
        for index, value in enumerate(op.carried):
            insert = _appended(op, index)
            if insert is None:
                continue
            shape = self.inference.fact(insert.tensor).static
            first = None if shape is None else _initial(value, shape, self.inference)
            if shape is None:
                self.remarks.missed(op, "an appended element has no static shape")
            elif first is None:
                self.remarks.missed(op, "the elements before the loop are not known")
            else:
                chosen[index] = (insert, shape, first)
        if chosen:
            text = f"{len(chosen)} sequence(s) became concatenated outputs"
            self.remarks.passed(op, text, sequences=len(chosen))
            _concatenate(op, chosen, self.inference, rewriter)


def _concatenate(
    op: LoopOp, chosen: dict[int, _Appended], inference: Inference, rewriter: PatternRewriter
) -> None:
    block, end = op.body.block, op.next
    kept = [k for k in range(len(op.carried)) if k not in chosen]
    inside = RewriteBuilder.before(end, rewriter)
    axis = inside.integers([0])
    rows = [inside.make(UnsqueezeOp, insert.tensor, axis) for insert, _, _ in chosen.values()]
    types = [
        TensorType(inference.fact(insert.tensor).element, [DYNAMIC_INDEX, *shape])
        for insert, shape, _ in chosen.values()
    ]
    new_end = NextOp.build(
        operands=[
            [end.cond] if end.cond else [],
            [end.carried[k] for k in kept],
            list(end.last),
            [*end.concat, *rows],
        ]
    )
    new_end.location = end.location
    rewriter.replace(end, new_end)
    for insert, _, _ in chosen.values():
        rewriter.erase(insert)
    for k in reversed(chosen):
        rewriter.erase_block_argument(block.args[1 + k])
    new = op.like(
        rewriter.move_region_contents_to_new_regions(op.body),
        carried=[op.carried[k] for k in kept],
        concats=[*op.concatenations, *(Slicing() for _ in chosen)],
        final_types=[op.final[k].type for k in kept],
        concat_types=[*(v.type for v in op.concat), *types],
    )
    build = RewriteBuilder.before(op, rewriter)
    build.emit(new)
    final = dict(zip(kept, new.final))
    for (k, (_, _, first)), data in zip(chosen.items(), new.concat[len(op.concat) :]):
        whole = data
        if first:
            zero = build.integers([0])
            whole = build.make(
                ConcatOp, [*(build.make(UnsqueezeOp, v, zero) for v in first), data], attributes={"axis": 0}
            )
        final[k] = build.emit(SplitOp.make(whole, attributes={"axis": 0, "keepdims": False})).output
    results = [*(final[k] for k in range(len(op.final))), *new.last, *new.concat[: len(op.concat)]]
    rewriter.replace(op, [], results)
