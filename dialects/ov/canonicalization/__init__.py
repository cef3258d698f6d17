"""Canonicalisation of `ov`: small named rewrites that xDSL's `canonicalize` finds through the operations.

A pattern registers itself for operation classes with `@canonicalizes(SomeOp, …)`. Each makes the program smaller or
says the same with less; none needs an analysis of more than the operation and its regions.
"""

from loomir.dialects.pattern_registry import PatternRegistry

_REGISTRY = PatternRegistry(__name__, ("identities", "branches", "loops", "dead_loop_values", "reductions"))
canonicalizes = _REGISTRY.canonicalizes
patterns_of = _REGISTRY.patterns_of
