"""Dead tensor operations go before the analysis, so that a use is a use."""

from __future__ import annotations

from xdsl.dialects import arith, math, tensor
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation


def _without_effect(op: Operation) -> bool:
    if isinstance(op, LinalgStructuredOperation):
        return bool(op.results)
    name = op.name.partition(".")[0]
    return name in (tensor.Tensor.name, arith.Arith.name, math.Math.name) and bool(op.results)


def erase_dead(func: FuncOp) -> None:
    """Erase tensor, linalg, arith and math operations whose results nobody uses; loops and branches stay."""
    for op in reversed(list(func.walk())):
        if op.parent is None or not _without_effect(op):
            continue
        if not any(result.first_use for result in op.results):
            op.detach()
            op.erase()
