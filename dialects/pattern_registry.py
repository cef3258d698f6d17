"""Registry of a dialect's canonicalization patterns.

The patterns register themselves here, and the dialect's operations look them up here.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence

from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern


class PatternRegistry:
    """Canonicalization patterns of one dialect, by operation class.

    The modules that define the patterns are imported at the first look-up.
    """

    def __init__(self, package: str, modules: Sequence[str]) -> None:
        self._names = [f"{package}.{module}" for module in modules]
        self._classes: dict[type, list[type[RewritePattern]]] = {}
        self._made: dict[type[Operation], tuple[RewritePattern, ...]] = {}

    def canonicalizes(
        self, *classes: type[Operation]
    ) -> Callable[[type[RewritePattern]], type[RewritePattern]]:
        """Register a pattern for these operation classes and their subclasses."""

        def register(pattern: type[RewritePattern]) -> type[RewritePattern]:
            for op_class in classes:
                self._classes.setdefault(op_class, []).append(pattern)
            return pattern

        return register

    def patterns_of(self, op_class: type[Operation]) -> tuple[RewritePattern, ...]:
        """The patterns of an operation class."""
        if op_class not in self._made:
            for name in self._names:
                importlib.import_module(name)
            found = (pattern for base in op_class.__mro__ for pattern in self._classes.get(base, ()))
            self._made[op_class] = tuple(pattern() for pattern in found)
        return self._made[op_class]
