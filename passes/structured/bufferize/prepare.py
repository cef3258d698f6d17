"""Removal of insertions of undefined contents and of dead operations.

It precedes the analysis, so that every remaining use is a real use.
"""

from __future__ import annotations

from xdsl.dialects import arith, math, tensor
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation, SSAValue

from loomir.dialects.walking import walk


def _without_effect(op: Operation) -> bool:
    if isinstance(op, LinalgStructuredOperation):
        return bool(op.results)
    name = op.name.partition(".")[0]
    return name in (tensor.Tensor.name, arith.Arith.name, math.Math.name) and bool(op.results)


def drop_undefined_insertions(func: FuncOp) -> None:
    """Replace insertions of undefined contents by their destination.

    Such an insertion leaves the destination as good as it was.

    Afterwards the only tensors of undefined contents are `tensor.empty` and views of one.
    """
    undefined: set[SSAValue] = set()
    # In program order: what is inserted into may itself be the result of such an insertion.
    for op in walk(func):
        if not op.name.startswith("tensor."):
            continue
        match op:
            case tensor.EmptyOp():
                undefined.add(op.tensor)
            case tensor.ExtractSliceOp() | tensor.ExpandShapeOp() | tensor.CollapseShapeOp():
                if op.operands[0] in undefined:
                    undefined.add(op.results[0])
            case tensor.InsertSliceOp() if op.source in undefined:
                op.result.replace_all_uses_with(op.dest)
            case _:
                pass


def erase_dead(func: FuncOp) -> None:
    """Erase unused tensor, linalg, arith and math operations; loops and branches stay."""
    for op in reversed(list(walk(func))):
        if op.parent is None or not _without_effect(op):
            continue
        if not any(result.first_use for result in op.results):
            op.detach()
            op.erase()
