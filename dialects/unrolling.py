"""`loomir.unroll`: a mark on an `scf.for` of few iterations, which is fastest as its iterations in a row.

Nothing depends on it: the C printer hands it on to the C compiler, which may leave the loop as it is.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnitAttr

_UNROLL = "loomir.unroll"


def mark_to_unroll(loop: scf.ForOp) -> None:
    """Say that a loop is fastest unrolled."""
    loop.attributes[_UNROLL] = UnitAttr()


def is_to_unroll(loop: scf.ForOp) -> bool:
    """Whether somebody said so."""
    return _UNROLL in loop.attributes
