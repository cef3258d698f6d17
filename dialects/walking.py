"""Every operation of a region tree, in constant time per step.

xDSL's `walk` asks each level of nesting for every operation below it: at 200 nested loops an operation at the bottom passes through
600 generators, and a walk costs operations × depth. Here it is a stack of one iterator per level.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Block, Operation, Region


def walk(
    top: Operation | Region | Block, *, reverse: bool = False, region_first: bool = False
) -> Iterator[Operation]:
    """The operations in `top`, itself included: before their regions, or with `region_first` behind them.

    `reverse` takes regions, blocks and operations from the last to the first. As with xDSL's own, an operation's regions are read when the
    walk goes on from it, and which operation follows is read before its predecessor is given: the one that is given may be erased.
    """
    levels: list[Iterator[Operation]] = [_operations(top, reverse)]
    entered: list[Operation] = []
    while levels:
        operation = next(levels[-1], None)
        if operation is None:
            levels.pop()
            if entered:
                yield entered.pop()
            continue
        if not region_first:
            yield operation
        elif operation.regions:
            entered.append(operation)
        else:
            yield operation
        if operation.regions:
            levels.append(_nested(operation, reverse))


def _operations(top: Operation | Region | Block, reverse: bool) -> Iterator[Operation]:
    """What a walk of `top` begins with."""
    if isinstance(top, Operation):
        yield top
    elif isinstance(top, Block):
        yield from reversed(top.ops) if reverse else top.ops
    else:
        for block in reversed(top.blocks) if reverse else top.blocks:
            yield from reversed(block.ops) if reverse else block.ops


def _nested(operation: Operation, reverse: bool) -> Iterator[Operation]:
    """What is in an operation's regions, one level deep."""
    for region in reversed(operation.regions) if reverse else operation.regions:
        yield from _operations(region, reverse)
