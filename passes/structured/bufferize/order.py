"""Program order: numbers of operations, and the order of two points.

Operations are numbered once, in pre-order; everything inside a linalg.generic or tensor.pad has the number of that
operation. No loop ever lies between an alias set and an operation that overwrites it, so within the life of an alias
set "later" is "greater number", except that the arms of one scf.if exclude each other.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import tensor
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation, SSAValue, Use

from loomir.dialects.walking import walk
from loomir.passes.structured.bufferize.model import AliasSet


def number_operations(func: FuncOp) -> dict[Operation, int]:
    """Number every operation of `func` in pre-order."""
    numbers: dict[Operation, int] = {}
    next_number = 0
    stack: list[Operation] = [func]
    while stack:
        op = stack.pop()
        numbers[op] = next_number
        if isinstance(op, LinalgStructuredOperation | tensor.PadOp):
            for inner in walk(op):
                numbers[inner] = next_number
        else:
            inside = [inner for region in op.regions for block in region.blocks for inner in block.ops]
            stack.extend(reversed(inside))
        next_number += 1
    return numbers


def uses_from(
    values: list[SSAValue], number: int, numbers: dict[Operation, int]
) -> Iterator[tuple[int, Use, SSAValue]]:
    """Yield the uses of `values` from operation `number` on, with their numbers."""
    for value in values:
        for use in value.uses:
            n = numbers[use.operation]
            if n >= number:
                yield n, use, value


def last_use(alias_set: AliasSet, numbers: dict[Operation, int]) -> int:
    """Return the number of `alias_set`'s last use, or -1.

    This is the greatest number of an operation that uses an alias of the set.
    """
    return max((n for n, _, _ in uses_from(alias_set.values, 0, numbers)), default=-1)
