"""Rewriting by patterns, whose exceptions reach the caller.

xDSL's walker catches every exception of a pattern, and prints the whole module into a note of it:

>>> class Refuses(RewritePattern):
...     def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
...         raise Error("no-support", "not this one")
>>> PatternRewriteWalker(Refuses()).rewrite_module(module)  # Error, with "func.func"() … in its __notes__

Passes rewrite by `rewrite`, which raises the error as it is. Operations are visited by xDSL's walker, in its order. When xDSL
lets exceptions pass (docs/upstream.md), `_Passing` and `_Caught` go, and when its `walk` is linear, `_Walker`.

A handler (`handling_patterns`) is asked before each application of a pattern, and decides whether it takes place. Remarks, counters,
traces and bisection are such handlers. Without one, nothing is wrapped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial

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


@dataclass
class PatternApplication:
    """Attempt to apply a pattern to an operation."""

    pattern: str
    """The name of its class, or one of `NO_PATTERNS`."""
    operation: Operation
    rewriter: PatternRewriter
    _apply: Callable[[Operation, PatternRewriter], None]

    def run(self) -> bool:
        """Apply the pattern; return True if it changed something."""
        self._apply(self.operation, self.rewriter)
        return self.rewriter.has_done_action


PatternHandler = Callable[[PatternApplication], object]
"""Handler of applications: it calls `run` of those that shall take place."""

FOLD, ERASE_DEAD = NO_PATTERNS = ("fold", "erase-dead")
"""Names for what xDSL does before it applies patterns to an operation."""

_handlers: ContextVar[tuple[PatternHandler, ...]] = ContextVar("handlers", default=())


@contextmanager
def handling_patterns(handler: PatternHandler) -> Iterator[None]:
    """Ask the handler before each application of a pattern by `rewrite`.

    It is asked after the handlers of enclosing contexts, if these run the application. Contexts may end in any order.
    """
    _handlers.set((*_handlers.get(), handler))
    try:
        yield
    finally:
        _handlers.set(tuple(each for each in _handlers.get() if each is not handler))


class CompositePattern(RewritePattern):
    """Pattern that only applies others, each made with `handled`."""


@dataclass
class _Handled(RewritePattern):
    pattern: RewritePattern
    name: str
    handlers: tuple[PatternHandler, ...]

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        apply: Callable[[Operation, PatternRewriter], None] = self.pattern.match_and_rewrite
        for handler in reversed(self.handlers):
            apply = partial(self._ask, handler, apply)
        apply(op, rewriter)

    def _ask(
        self,
        handler: PatternHandler,
        apply: Callable[[Operation, PatternRewriter], None],
        op: Operation,
        rewriter: PatternRewriter,
    ) -> None:
        handler(PatternApplication(self.name, op, rewriter, apply))


def handled(pattern: RewritePattern) -> RewritePattern:
    """Return the pattern with the handlers of this context around it."""
    handlers = _handlers.get()
    if not handlers or isinstance(pattern, CompositePattern):
        return pattern
    if isinstance(pattern, GreedyRewritePatternApplier):
        parts: list[RewritePattern] = []
        if pattern.dce_enabled:
            parts.append(_Handled(GreedyRewritePatternApplier([]), ERASE_DEAD, handlers))
        if pattern.folding_enabled:
            fold = replace(pattern, rewrite_patterns=[], dce_enabled=False)
            parts.append(_Handled(fold, FOLD, handlers))
        parts += map(handled, pattern.rewrite_patterns)
        return GreedyRewritePatternApplier(parts, dce_enabled=False)
    named = pattern
    while isinstance(inner := getattr(named, "pattern", None), RewritePattern):
        # It only adds something to the application of another one (`Located`).
        named = inner
    return _Handled(pattern, type(named).__name__, handlers)


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
        _Caught(handled(pattern)),
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
