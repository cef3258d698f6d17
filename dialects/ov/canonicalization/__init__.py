"""Canonicalisation of `ov`: small named rewrites.

xDSL's `canonicalize` finds them through the operations. A pattern registers itself for operation classes with
`@canonicalizes(SomeOp, …)`. Each pattern makes the program smaller or simpler; none needs an analysis of more than the
operation and its regions.
"""

from loomir.dialects.pattern_registry import PatternRegistry

_MODULES = (
    "identities",
    "booleans",
    "branches",
    "common_operations",
    "loops",
    "single_trips",
    "dead_loop_values",
    "loop_counters",
    "loop_concats",
    "loop_last_parts",
    "reductions",
)
_REGISTRY = PatternRegistry(__name__, _MODULES)
canonicalizes = _REGISTRY.canonicalizes
patterns_of = _REGISTRY.patterns_of
