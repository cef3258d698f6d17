"""Memory that nothing reads or writes, such as a pooling window, which is there only for its extents."""

from __future__ import annotations

from xdsl.dialects import func, memref
from xdsl.rewriter import Rewriter

from loomir.dialects.walking import walk
from loomir.passes.analysis.aliasing import VIEWS


def erase_unused_memory(function: func.FuncOp) -> None:
    """Erase views and allocations without uses, views of views too."""
    for op in reversed(list(walk(function.body))):
        if isinstance(op, (memref.AllocOp, *VIEWS)) and not op.results[0].uses:
            Rewriter.erase_op(op)
