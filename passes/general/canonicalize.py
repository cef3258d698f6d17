"""`canonicalize`: xDSL's pass of this name with more patterns for `scf`.

Unlike xDSL's pass, it leaves unregistered operations where they are.

The patterns of loops and branches are in `dialects/control_flow`, those of `ov.loop` alone in `dialects/ov/canonicalization`:

```mlir
%r:2 = scf.for %i = %l to %u step %c1 iter_args(%v = %x, %w = %y) -> (f32, f32) {
  %n = arith.addf %v, %w : f32
  scf.yield %n, %w : f32, f32
}

%r = scf.for %i = %l to %u step %c1 iter_args(%v = %x) -> (f32) {
  %n = arith.addf %v, %y : f32
  scf.yield %n : f32
}
```

xDSL's pattern for `scf.for` takes an unregistered operation for a constant and moves it in front of the loop. There,
the operation runs once rather than in each iteration, and no longer sees values that are computed in the loop.

```mlir
scf.for %i = %c0 to %n step %c1 {
  %k = arith.constant 1.0 : f32
  %u = "foo.use"(%i) : (index) -> i32
}

%k = arith.constant 1.0 : f32
scf.for %i = %c0 to %n step %c1 {
  %u = "foo.use"(%i) : (index) -> i32
}
```

xDSL's patterns for floats compute in Python's floats and raise if the result exceeds the range of the type. Here the
result is infinite.

```mlir
%x = arith.constant 1.0e+30 : f32
%y = arith.mulf %x, %x : f32

%y = arith.constant 0x7F800000 : f32
```
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.traits import ConstantLike, HasCanonicalizationPatternsTrait, HasFolder
from xdsl.transforms.canonicalization_patterns.arith import (
    ApplyCmpiPredicateToEqualOperands,
    FoldConstConstOp,
    FoldConstsByReassociation,
)
from xdsl.transforms.canonicalization_patterns.scf import RehoistConstInLoops, SimplifyTrivialLoops
from xdsl.transforms.canonicalize import CanonicalizePass as UpstreamCanonicalizePass

from loomir.dialects.control_flow import patterns_of
from loomir.dialects.diagnostics import PatternRemarks
from loomir.dialects.element_types import dtype_of, is_float
from loomir.dialects.scalars import SCALARS
from loomir.dialects.scalars.row import constant_number, number_attr
from loomir.dialects.upstream.dead_code import remove_dead_code
from loomir.dialects.upstream.rewriting import CompositePattern, handled, rewrite
from loomir.dialects.vectors import has_size_of_tile, is_vector
from loomir.passes.analysis.analyses import analyses_of


@cache
def _is_constant(op_class: type[Operation]) -> bool:
    return op_class.has_trait(ConstantLike, value_if_unregistered=False)


class HoistConstants(RewritePattern):
    """Constants move in front of the loop that they are in."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
        for inner in op.body.ops:
            if _is_constant(type(inner)):
                rewriter.insert(constant := inner.clone())
                rewriter.replace(inner, (), constant.results)


def _folded(op: arith.FloatingPointLikeBinaryOperation, *operands: SSAValue) -> arith.ConstantOp | None:
    """Fold `op` on these operands, in the arithmetic of its type.

    None if the operands are not all constants.
    """
    type_ = op.result.type
    row = SCALARS.get(type(op))
    numbers = [number for operand in operands if (number := constant_number(operand)) is not None]
    if row is None or not is_float(type_) or len(numbers) < len(operands):
        return None
    with np.errstate(all="ignore"):
        result = row.numpy(op)(*np.array(numbers, dtype_of(type_)))
    return arith.ConstantOp(number_attr(result, type_))


class FoldFloats(RewritePattern):
    """An operation on two constants is one."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: arith.FloatingPointLikeBinaryOperation, rewriter: PatternRewriter
    ) -> None:
        if (constant := _folded(op, op.lhs, op.rhs)) is not None:
            rewriter.replace(op, constant)


class FoldReassociated(RewritePattern):
    """Folds `(c + x) + d → (c + d) + x` for constants `c` and `d`.

    Both operations, sums or products, must allow reassociation.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.AddfOp | arith.MulfOp, rewriter: PatternRewriter) -> None:
        user = op.result.get_user_of_unique_use()
        if not isinstance(user, type(op)) or not all(
            FastMathFlag.REASSOC in each.fastmath.data for each in (op, user)
        ):
            return
        other = user.lhs if user.rhs is op.result else user.rhs
        constant, rest = (op.lhs, op.rhs) if constant_number(op.rhs) is None else (op.rhs, op.lhs)
        if (both := _folded(op, constant, other)) is None:
            return
        flags = arith.FastMathFlagsAttr(op.fastmath.data | user.fastmath.data)
        rewriter.replace(op, [both, again := type(op)(both, rest, flags)])
        rewriter.replace(user, [], [again.result])


class SimplifyLoops(RewritePattern):
    """Replaces a loop that runs at most once.

    A loop with the size of a tile stays: the C compiler chooses that size (`compiler/formats/c/loops.py`).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
        if not has_size_of_tile(op):
            SimplifyTrivialLoops().match_and_rewrite(op, rewriter)


class CompareEqualOperands(RewritePattern):
    """Decides a comparison of an integer with itself.

    That of a vector stays: xDSL's pattern would give it one i1 for all lanes.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.CmpiOp, rewriter: PatternRewriter) -> None:
        if not is_vector(op.lhs.type):
            ApplyCmpiPredicateToEqualOperands().match_and_rewrite(op, rewriter)


INSTEAD: dict[type[RewritePattern], RewritePattern] = {
    RehoistConstInLoops: HoistConstants(),
    SimplifyTrivialLoops: SimplifyLoops(),
    FoldConstConstOp: FoldFloats(),
    FoldConstsByReassociation: FoldReassociated(),
    ApplyCmpiPredicateToEqualOperands: CompareEqualOperands(),
}
"""The patterns that stand for those of xDSL."""


class Canonicalization(CompositePattern):
    """Applies each operation's own patterns, or folds it.

    An operation whose results are unused is removed. Operations without results are left to a walk that removes dead code: their
    effects are those of all that is in them.
    """

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._patterns: dict[tuple[type[Operation], bool], RewritePattern | None] = {}

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        key = (type(op), bool(op.results))
        if key not in self._patterns:
            self._patterns[key] = self._of(*key)
        if (patterns := self._patterns[key]) is not None:
            patterns.match_and_rewrite(op, rewriter)

    def _of(self, op_class: type[Operation], has_results: bool) -> RewritePattern | None:
        traits = op_class.get_traits_of_type(HasCanonicalizationPatternsTrait)
        upstream = (pattern for trait in traits for pattern in trait.get_patterns(op_class))
        # (The operations of `ov` name theirs themselves.)
        found = list(dict.fromkeys([*(INSTEAD.get(type(p), p) for p in upstream), *patterns_of(op_class)]))
        folds = op_class.has_trait(HasFolder, value_if_unregistered=False)
        if not (found or folds or has_results):
            return None
        applier = GreedyRewritePatternApplier(
            found, ctx=self._ctx, folding_enabled=folds, dce_enabled=has_results
        )
        return handled(applier)


@dataclass(frozen=True)
class CanonicalizePass(UpstreamCanonicalizePass):
    """Applies every operation's canonicalisation patterns until nothing changes.

    It also removes operations whose results are unused.
    """

    name = "canonicalize"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        with PatternRemarks().recording(op, self.name):
            # What is dead before goes at once: found in a walk, it would be the reason for another walk.
            changed = remove_dead_code(op.body)
            if not rewrite(op, Canonicalization(ctx), clean_up=True) and not changed:
                analyses_of(ctx).keep_all()
