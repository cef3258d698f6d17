"""Memory that nothing reads or writes.

An example is a pooling window, which exists only for its extents.
"""

from __future__ import annotations

from xdsl.dialects import func, memref
from xdsl.rewriter import Rewriter

from loomir.dialects.walking import walk
from loomir.passes.analysis.aliasing import VIEWS

_MEMORY = frozenset({memref.AllocOp, memref.AllocaOp, *VIEWS})


def erase_unused_memory(function: func.FuncOp) -> None:
    """Erase views and allocations without uses, views of views too."""
    for op in reversed(list(walk(function.body))):
        if type(op) in _MEMORY and op.results[0].first_use is None:
            Rewriter.erase_op(op)
