"""Canonicalization of `scf` beyond that of xDSL.

It consists of small named rewrites that `canonicalize` finds for upstream's loops and branches.

A pattern registers itself for operation classes with `@canonicalizes(scf.SomeOp, …)`. A rewrite common to loops and branches
is implemented once, in terms of `region_flow` (`forwarded_values`); no pattern needs an analysis of more than the operation and
its regions.
"""

from __future__ import annotations

from loomir.dialects.families import PatternRegistry

_REGISTRY = PatternRegistry(__name__, ("forwarded_values", "branches", "loops"))
canonicalizes = _REGISTRY.canonicalizes
patterns_of = _REGISTRY.patterns_of
