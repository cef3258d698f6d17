"""Merging of operations that both arms of an `scf.if` compute.

Common first operations move before the `scf.if`, a common last operation behind it. `loomir.dialects.common_operations`
defines which operations may move, for `ov.if` as for `scf.if`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from loomir.dialects.common_operations import common_first, common_last, move_behind
from loomir.dialects.region_flow import terminator
from loomir.dialects.scf_canonicalization import canonicalizes
from loomir.dialects.scf_canonicalization.rebuilding import rebuilt


@canonicalizes(scf.IfOp)
class CommonFirstOperations(RewritePattern):
    """`if c { %a = f(%x); … } else { %b = f(%x); … } → %a = f(%x); if c { … } else { … }`; of equal arms nothing is left.

    A destination (`tensor.empty`, `linalg.fill`) stays with what is computed in it: outside it would be a buffer for the whole time.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        if not op.false_region.blocks:
            return
        found = common_first(op.true_region.block, op.false_region.block)
        read = set[SSAValue](terminator(op.true_region.block).operands)
        for own in reversed(list(found)):
            if isinstance(own, tensor.EmptyOp | FillOp) and not read.intersection(own.results):
                del found[own]
            else:
                read.update(own.operands)
        for own, like in found.items():
            own.detach()
            rewriter.insert(own, InsertPoint.before(op))
            rewriter.replace(like, [], own.results)


@canonicalizes(scf.IfOp)
class CommonLastOperation(RewritePattern):
    """`if c { yield f(%a) } else { yield f(%b) } → f(if c { yield %a } else { yield %b })`, of numbers, made in the arms or one elsewhere.

    Tensors stay: in its arm one may be computed in the place of what it is made of.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter) -> None:
        if not op.output or not op.false_region.blocks:
            return
        arms = op.true_region, op.false_region
        found = {
            index: pair
            for index, pair in common_last(op.output, *(arm.block for arm in arms)).items()
            if not any(isinstance(v.type, TensorType) for v in (*pair[0].operands, *pair[0].results))
        }
        if not found:
            return

        def rebuild(types: Sequence[Attribute]) -> Operation:
            new = rebuilt(
                op, [op.cond], types, [rewriter.move_region_contents_to_new_regions(a) for a in arms]
            )
            rewriter.insert(new)
            return new

        ends = terminator(arms[0].block), terminator(arms[1].block)
        rewriter.replace(op, [], move_behind(op.output, found, ends, rebuild, rewriter))
