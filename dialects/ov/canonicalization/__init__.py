"""Canonicalisation of `ov`: small named rewrites.

xDSL's `canonicalize` finds them through the operations. A pattern registers itself for operation classes with
`@canonicalizes(SomeOp, …)`. Each pattern makes the program smaller or simpler; none needs an analysis of more than the
operation and its regions. Those of loops and branches that `scf` shares are in `dialects/control_flow`.
"""

from loomir.dialects.families import PatternRegistry

_MODULES = ("identities", "loops", "loop_trips", "loop_values", "loop_last_parts", "loop_conditions")
_REGISTRY = PatternRegistry(__name__, _MODULES)
canonicalizes = _REGISTRY.canonicalizes
patterns_of = _REGISTRY.patterns_of
