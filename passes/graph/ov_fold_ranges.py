"""`ov-fold-ranges`: folds what the ranges of iteration numbers decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from loomir.dialects.control_flow.branches import KnownCondition
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.element_types import is_integer, tensor_type_of
from loomir.dialects.ov.canonicalization.identities import KnownChoice
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.integer_forms import integer_type
from loomir.dialects.ov.operators.comparison import CompareOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.elementwise_binary import FloorModOp, MaximumOp, MinimumOp, ModOp
from loomir.dialects.ov.operators.elementwise_unary import ClampOp
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.rewriting import rewrite
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import analyses_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.inference.assumptions import EQUAL, GREATER, HOLDS_FOR, LESS
from loomir.passes.analysis.iteration_ranges import IterationRanges
from loomir.passes.graph.lib.loop_rewriting import innermost_loops
from loomir.passes.graph.ov_infer import retype

Decidable = CompareOp | MaximumOp | MinimumOp | ClampOp | ModOp | FloorModOp


@dataclass(frozen=True)
class OvFoldRangesPass(ModulePass):
    """Folds comparisons and limits that ranges in loops decide.

    They are comparisons of single integers, and limits and remainders that are the value itself.

    ```mlir
    %r = ov.loop trip(%n) carried(%x) {                        // before
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %within = ov.less %i, %n
      %w = ov.if %within -> (tensor<4xf32>) {
        %p = ov.tanh %v
        ov.yield %p
      } else {
        ov.yield %v
      }
      %at = ov.maximum %i, %zero
      %g = ov.gather %a, %at, %zero
      …
    }

    %r = ov.loop trip(%n) carried(%x) {                        // after
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %w = ov.tanh %v
      %g = ov.gather %a, %i, %zero
      …
    }
    ```

    The number of an iteration is at least 0, and less than the trip count, also where that is a value
    (`passes/analysis/iteration_ranges.py`). Integers that may wrap around decide nothing. Branches and selections that are then decided go.
    """

    name = "ov-fold-ranges"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        analyses, remarks = analyses_of(ctx), Remarks(self.name)
        around = innermost_loops(op)
        loops = [each for each in around if isinstance(each, LoopOp)]
        candidates = (
            [each for each in walk(op) if isinstance(each, Decidable) and _is_one(each)] if loops else []
        )
        decided: Counter[LoopOp] = Counter()
        if candidates:
            inference = analyses.get(infer, op)
            ranges = IterationRanges(inference.fact)
            for each in candidates:
                enclosing = _loops_around(each, around)
                if enclosing and _fold(each, enclosing, ranges, inference):
                    decided[enclosing[0]] += 1
        for loop in loops:
            if number := decided[loop]:
                remarks.passed(loop, f"ranges decide {number} operations in it", operations=number)
            else:
                remarks.missed(loop, "ranges decide no comparison and no limit in it")
        if decided:
            rewrite(op, KnownCondition(), KnownChoice(), clean_up=True)
        retype(ctx, op, changed=bool(decided))


def _is_one(op: Decidable) -> bool:
    """Return True if the operands are single integers, by their types."""
    return all(
        isinstance(t := operand.type, TensorType)
        and is_integer(t.element_type)
        and all(extent == 1 for extent in t.get_shape())
        for operand in op.operands
    )


def _loops_around(op: Operation, around: dict[Operation, LoopOp | None]) -> list[LoopOp]:
    """Return the loops around an operation, innermost first."""
    found: list[LoopOp] = []
    inside = op.parent_op()
    loop = inside if isinstance(inside, LoopOp) or inside is None else around.get(inside)
    while loop is not None:
        found.append(loop)
        loop = around[loop]
    return found


def _fold(op: Decidable, loops: Sequence[LoopOp], ranges: IterationRanges, inference: Inference) -> bool:
    """Fold an operation if ranges decide it; return True if they do."""
    if any(integer_type(operand, inference.fact) is None for operand in op.operands):
        return False
    if not speculatable(op, inference.fact):
        return False
    if isinstance(op, CompareOp):
        return _fold_comparison(op, *ranges.difference(op.a, op.b, loops))
    kept = _kept(op, loops, ranges)
    if kept is None or kept.type != op.results[0].type:
        return False
    op.results[0].replace_all_uses_with(kept)
    return True


def _fold_comparison(op: CompareOp, least: int | None, greatest: int | None) -> bool:
    """Replace a comparison by its result, given the bounds of `a - b`."""
    possible = LESS if least is None or least < 0 else 0
    possible |= EQUAL if (least is None or least <= 0) and (greatest is None or greatest >= 0) else 0
    possible |= GREATER if greatest is None or greatest > 0 else 0
    holds = HOLDS_FOR[type(op)]
    if not possible or possible & holds not in (0, possible):
        return False
    build = GraphBuilder(InsertPoint.before(op), op.location)
    shape = tensor_type_of(op.output).get_shape()
    op.output.replace_all_uses_with(build.constant(np.full(shape, bool(possible & holds))))
    return True


def _kept(
    op: MaximumOp | MinimumOp | ClampOp | ModOp | FloorModOp, loops: Sequence[LoopOp], ranges: IterationRanges
) -> SSAValue | None:
    """Return the operand that a limit or remainder is, or None."""
    if isinstance(op, ClampOp):
        least, greatest = ranges.bounds(op.data, loops)
        low, high = op.integer_limits(tensor_type_of(op.data).element_type)
        inside = least is not None and greatest is not None and low <= least and greatest <= high
        return op.data if inside else None
    least, greatest = ranges.difference(op.a, op.b, loops)
    if isinstance(op, ModOp | FloorModOp):
        lowest, _ = ranges.bounds(op.a, loops)
        inside = lowest is not None and lowest >= 0 and greatest is not None and greatest < 0
        return op.a if inside else None
    a_is_more, b_is_more = least is not None and least >= 0, greatest is not None and greatest <= 0
    if isinstance(op, MinimumOp):
        a_is_more, b_is_more = b_is_more, a_is_more
    return op.a if a_is_more else op.b if b_is_more else None
