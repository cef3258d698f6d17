"""Captured values: those that an operation's regions read from outside."""

from __future__ import annotations

from xdsl.ir import Block, Operation, SSAValue


def captured(op: Operation, known: dict[Operation, list[SSAValue]]) -> list[SSAValue]:
    """Return the outside values that an operation's regions read.

    Each is listed once, in the order of the first reads. `known` caches the results, so that nests are traversed only once.
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
