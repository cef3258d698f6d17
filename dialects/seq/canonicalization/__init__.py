"""Canonicalisation of `seq`: small named rewrites that xDSL's `canonicalize` finds through the operations."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache

from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern

_PATTERNS: dict[type[Operation], list[type[RewritePattern]]] = {}
_FILES = ("sequences", "splitting")


def canonicalizes(*classes: type[Operation]) -> Callable[[type[RewritePattern]], type[RewritePattern]]:
    """Register a pattern for these operations."""

    def register(pattern: type[RewritePattern]) -> type[RewritePattern]:
        for op_class in classes:
            _PATTERNS.setdefault(op_class, []).append(pattern)
        return pattern

    return register


@cache
def patterns_of(op_class: type[Operation]) -> tuple[RewritePattern, ...]:
    """The patterns of an operation class."""
    for name in _FILES:
        importlib.import_module(f"loomir.dialects.seq.canonicalization.{name}")
    return tuple(pattern() for pattern in _PATTERNS.get(op_class, ()))
