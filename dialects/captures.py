"""What the regions of an operation read from outside."""

from __future__ import annotations

from xdsl.ir import Block, Operation, SSAValue


def captured(op: Operation, known: dict[Operation, list[SSAValue]]) -> list[SSAValue]:
    """The values from outside that an operation's regions read, each once, in the order in which they are first read.

    `known` keeps the answers, so that nests are gone through once.
    """
    if op not in known:
        found: dict[SSAValue, None] = {}
        for region in op.regions:
            for inner in region.block.ops:
                read = (*inner.operands, *(captured(inner, known) if inner.regions else ()))
                found.update((value, None) for value in read if _block_of(value) is not region.block)
        known[op] = list(found)
    return known[op]


def _block_of(value: SSAValue) -> Block | None:
    owner = value.owner
    return owner if isinstance(owner, Block) else owner.parent
