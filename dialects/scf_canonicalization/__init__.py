"""Canonicalization of `scf` beyond that of xDSL.

It consists of small named rewrites that `canonicalize` finds for upstream's loops and branches.

A pattern registers itself for operation classes with `@canonicalizes(scf.SomeOp, …)`. A rewrite common to loops and branches
is implemented once, in terms of `region_flow` (`handed_on`); no pattern needs an analysis of more than the operation and its
regions.
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
