"""Loops and branches of `ov` and of `scf`, rewritten once for both.

- `rewriting`: the interface, the writing side of `region_flow`;
- `branches`, `values`: patterns of `canonicalize` for both dialects; `scf_loops`: those for `scf.for` and `scf.while` alone;
- `conditions`, `equal_values`: what is known of conditions in the arms of branches, and of values that are always equal.

A pattern registers itself for operation classes with `@canonicalizes(scf.SomeOp, …)`. None needs an analysis of more than the
operation and its regions.
"""

from loomir.dialects.families import PatternRegistry

_REGISTRY = PatternRegistry(__name__, ("branches", "scf_loops", "values"))
canonicalizes = _REGISTRY.canonicalizes
patterns_of = _REGISTRY.patterns_of
