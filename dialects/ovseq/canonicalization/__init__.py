"""Canonicalization of `ovseq`.

It consists of small named rewrites that xDSL's `canonicalize` finds through the operations.
"""

from loomir.dialects.pattern_registry import PatternRegistry

_REGISTRY = PatternRegistry(__name__, ("sequences", "splitting"))
canonicalizes = _REGISTRY.canonicalizes
patterns_of = _REGISTRY.patterns_of
