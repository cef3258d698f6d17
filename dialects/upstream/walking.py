"""Walk over a region tree in constant time per step.

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
    """Walk the operations in `top`, including `top` itself.

    An operation comes before its regions, or with `region_first` after them.

    `reverse` visits regions, blocks and operations from the last to the first. As with xDSL's own walk, an operation's regions are
    read when the walk continues from it, and the next operation is read before its predecessor is yielded: the yielded operation
    may be erased.
    """
    rest: list[_Again | Region | Block] = []
    if isinstance(top, Operation):
        if region_first:
            rest.append(_Again(top, leave=True))
        else:
            yield top
        rest += top.regions if reverse else reversed(top.regions)
    else:
        rest.append(top)
    while rest:
        # Operations in `rest` are wrapped: `isinstance` of an abstract class takes as long as the rest of a step.
        item = rest.pop()
        if isinstance(item, _Again):
            operation = item.operation
            if item.leave:
                yield operation
                continue
        elif type(item) is Region:
            # One block, as nearly every region has, is asked for without an iterator.
            if (block := item.first_block) is not None:
                if block is item.last_block:
                    rest.append(block)
                else:
                    rest += item.blocks if reverse else reversed(item.blocks)
            continue
        else:
            assert type(item) is Block
            operation = item.last_op if reverse else item.first_op
        while operation is not None:
            # The fields behind `prev_op` and `next_op`: a call of a property is half of what a step takes.
            following = operation._prev_op if reverse else operation._next_op
            if not operation.regions:
                yield operation
                operation = following
                continue
            if not region_first:
                yield operation
            if following is not None:
                rest.append(_Again(following))
            if region_first:
                rest.append(_Again(operation, leave=True))
            rest += operation.regions if reverse else reversed(operation.regions)
            break


@dataclass(slots=True)
class _Again:
    """Pending operation of a walk.

    With `leave` its regions have been walked, and it is yielded after them.
    """

    operation: Operation
    leave: bool = False
