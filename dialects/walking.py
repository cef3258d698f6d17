"""Every operation of a region tree, in constant time per step.

xDSL's `walk` asks each level of nesting for every operation below it: at 200 nested loops an operation at the bottom passes through
600 generators, and a walk costs operations × depth. Here it is one generator with a stack.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.ir import Block, Operation, Region


def walk(
    top: Operation | Region | Block, *, reverse: bool = False, region_first: bool = False
) -> Iterator[Operation]:
    """The operations in `top`, itself included: before their regions, or with `region_first` behind them.

    `reverse` takes regions, blocks and operations from the last to the first. As with xDSL's own, an operation's regions are read when the
    walk goes on from it, and which operation follows is read before its predecessor is given: the one that is given may be erased.
    """
    rest: list[Operation | Region | Block | _Left | _Alone] = [
        _Alone(top) if isinstance(top, Operation) else top
    ]
    while rest:
        item = rest.pop()
        if isinstance(item, Region):
            rest += item.blocks if reverse else reversed(item.blocks)
            continue
        if isinstance(item, _Left):
            yield item.operation
            continue
        alone = isinstance(item, _Alone)
        if alone:
            operation = item.operation
        elif isinstance(item, Block):
            operation = item.last_op if reverse else item.first_op
        else:
            operation = item
        while operation is not None:
            following = None if alone else operation.prev_op if reverse else operation.next_op
            if region_first and operation.regions:
                if following is not None:
                    rest.append(following)
                rest.append(_Left(operation))
                rest += operation.regions if reverse else reversed(operation.regions)
                break
            yield operation
            if operation.regions and not region_first:
                if following is not None:
                    rest.append(following)
                rest += operation.regions if reverse else reversed(operation.regions)
                break
            operation = following


@dataclass(slots=True)
class _Alone:
    """The operation that a walk begins with: what follows it is not in the walk."""

    operation: Operation


@dataclass(slots=True)
class _Left:
    """An operation whose regions have been walked, and which is given behind them."""

    operation: Operation
