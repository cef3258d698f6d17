"""`canonicalize`: xDSL's pass of this name with more patterns for `scf`, which leaves unregistered operations where they are.

The patterns of `scf.if`, `scf.for` and `scf.while` are in `dialects/scf_canonicalization`:

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

xDSL's pattern for `scf.for` takes an operation that it does not know for a constant, and moves it in front of the loop: it runs once rather
than in each iteration, and no longer sees what is computed in there.

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
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.traits import ConstantLike, HasCanonicalizationPatternsTrait
from xdsl.transforms.canonicalization_patterns.scf import RehoistConstInLoops
from xdsl.transforms.canonicalize import CanonicalizePass as UpstreamCanonicalizePass

from loomir.dialects.dead_code import remove_dead_code
from loomir.dialects.scf_canonicalization import patterns_of
from loomir.passes.analysis.pattern_remarks import Applied


class HoistConstants(RewritePattern):
    """Constants move in front of the loop that they are in."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
        for inner in op.body.ops:
            if inner.has_trait(ConstantLike, value_if_unregistered=False):
                rewriter.insert(constant := inner.clone())
                rewriter.replace(inner, (), constant.results)


INSTEAD: dict[type[RewritePattern], RewritePattern] = {RehoistConstInLoops: HoistConstants()}
"""The patterns that stand for those of xDSL."""


class CanonicalizeOperation(RewritePattern):
    """Applies the canonicalisation patterns of an operation."""

    def __init__(self, applied: Applied) -> None:
        self._applied = applied
        self._patterns: dict[type[Operation], GreedyRewritePatternApplier | None] = {}

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if type(op) not in self._patterns:
            self._patterns[type(op)] = self._of(type(op))
        if (patterns := self._patterns[type(op)]) is not None:
            patterns.match_and_rewrite(op, rewriter)

    def _of(self, op_class: type[Operation]) -> GreedyRewritePatternApplier | None:
        traits = op_class.get_traits_of_type(HasCanonicalizationPatternsTrait)
        upstream = (pattern for trait in traits for pattern in trait.get_patterns(op_class))
        found = [*(INSTEAD.get(type(p), p) for p in upstream), *patterns_of(op_class)]
        # Whether the operation is dead was asked before.
        watched = [*map(self._applied.watched, found)]
        return GreedyRewritePatternApplier(watched, dce_enabled=False) if found else None


@dataclass(frozen=True)
class CanonicalizePass(UpstreamCanonicalizePass):
    """Apply the canonicalisation patterns of every operation until nothing changes, and remove what nothing uses."""

    name = "canonicalize"
    EXACT = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        applied = Applied()
        patterns = GreedyRewritePatternApplier(
            [CanonicalizeOperation(applied)], ctx=ctx, folding_enabled=True
        )
        with applied.told(op, self.name):
            PatternRewriteWalker(patterns, post_walk_func=remove_dead_code).rewrite_module(op)
