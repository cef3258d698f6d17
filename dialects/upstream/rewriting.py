"""Rewriting by patterns, whose exceptions reach the caller.

xDSL's walker catches every exception of a pattern, and prints the whole module into a note of it:

>>> class Refuses(RewritePattern):
...     def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
...         raise Error("no-support", "not this one")
>>> PatternRewriteWalker(Refuses()).rewrite_module(module)  # Error, with "func.func"() … in its __notes__

Passes rewrite by `rewrite`, which raises the error as it is. Operations are visited by xDSL's walker, in its order. When xDSL
lets exceptions pass (docs/upstream.md), `_Passing` and `_Caught` go, and when its `walk` is linear, `_Walker`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)

from loomir.dialects.upstream.dead_code import remove_dead_code
from loomir.dialects.upstream.walking import walk


class _Passing(BaseException):
    """Exception of a pattern on its way through xDSL's walker."""

    def __init__(self, error: Exception) -> None:
        self.error = error


@dataclass
class _Caught(RewritePattern):
    pattern: RewritePattern

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        try:
            self.pattern.match_and_rewrite(op, rewriter)
        except Exception as error:
            raise _Passing(error) from None


class _Walker(PatternRewriteWalker):
    """xDSL's walker, with a walk in constant time per step (`walking.py`)."""

    def _populate_worklist(self, op: Operation | Region | Block) -> None:
        for inner in walk(op, reverse=not self.walk_reverse, region_first=not self.walk_regions_first):
            self._worklist.push(inner)


def rewrite(
    scope: ModuleOp | Region,
    *patterns: RewritePattern,
    once: bool = False,
    backwards: bool = False,
    regions_first: bool = False,
    clean_up: bool = False,
    listener: PatternRewriterListener | None = None,
) -> bool:
    """Rewrite the operations of a scope; return True if any changed.

    The first pattern that changes an operation is applied, until none does. With `once`, each operation is visited once, and new
    ones are not. `backwards` visits the last operations first, `regions_first` those in regions before the operation that has them.
    `clean_up` removes dead operations after each walk. Errors: those of the patterns.
    """
    pattern = (
        patterns[0] if len(patterns) == 1 else GreedyRewritePatternApplier([*patterns], dce_enabled=False)
    )
    walker = _Walker(
        _Caught(pattern),
        walk_regions_first=regions_first,
        apply_recursively=not once,
        walk_reverse=backwards,
        post_walk_func=remove_dead_code if clean_up else None,
        listener=listener or PatternRewriterListener(),
    )
    try:
        return walker.rewrite_module(scope) if isinstance(scope, ModuleOp) else walker.rewrite_region(scope)
    except _Passing as passing:
        error = passing.error
    raise error
