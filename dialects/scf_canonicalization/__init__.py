"""Canonicalisation of `scf` beyond what xDSL has: small named rewrites that `canonicalize` finds for upstream's loops and branches.

A pattern registers itself for operation classes with `@canonicalizes(scf.SomeOp, …)`. What holds of loops and branches alike is written
once, by `region_flow` (`handed_on`); none needs an analysis of more than the operation and its regions.
"""

from loomir.dialects.pattern_registry import PatternRegistry

_REGISTRY = PatternRegistry(
    __name__,
    (
        "handed_on",
        "known_conditions",
        "branches",
        "merged_branches",
        "common_operations",
        "counted_loops",
        "loop_counters",
        "while_loops",
    ),
)
canonicalizes = _REGISTRY.canonicalizes
patterns_of = _REGISTRY.patterns_of
