"""`linalg.fill` and `linalg.copy`, built in any thread.

xDSL builds the bodies of linalg's named operations in `with ImplicitBuilder(block)`, which puts every operation that is
created into the block. On entry xDSL replaces `Operation.__post_init__`, and on exit it restores what it found. Which
builder is the current one it keeps for each thread, but that method belongs to the process: of two threads that build bodies
at once, the first to leave takes the method from the other, whose block then stays empty. Therefore whatever builds such
bodies here, the parser included, holds `IMPLICIT_BUILDER` (docs/upstream.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import RLock

from xdsl.dialects.linalg.ops import CopyOp, FillOp
from xdsl.ir import Attribute, SSAValue

IMPLICIT_BUILDER = RLock()
"""Held while xDSL builds regions implicitly."""


def fill(value: SSAValue, destination: SSAValue, results: Sequence[Attribute] | None = None) -> FillOp:
    """Return a fill of a tensor, or with `results=[]` of a buffer."""
    with IMPLICIT_BUILDER:
        return FillOp([value], [destination], results)


def buffer_copy(source: SSAValue, destination: SSAValue) -> CopyOp:
    """Return a copy of a buffer."""
    with IMPLICIT_BUILDER:
        return CopyOp([source], [destination], [])
