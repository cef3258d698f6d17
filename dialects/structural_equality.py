"""Structural equality of operations: equal outlines, operands and regions.

Structurally equal operations compute the same.

Values that are defined in a region have no identity outside of it: they are identified by the place of their definition, so
that regions that differ only in the identity of their values have one form.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from xdsl.ir import Block, Operation, SSAValue

_NOTHING: Mapping[SSAValue, SSAValue] = {}


def outline(op: Operation) -> tuple[Hashable, ...]:
    """Return all parts of an operation but its operands and regions.

    They must be equal for operations to be equal. (An unregistered operation has its name as an attribute.)
    """
    return (
        op.name,
        frozenset(op.attributes.items()),
        frozenset(op.properties.items()),
        tuple(result.type for result in op.results),
        len(op.operands),
        len(op.regions),
    )


def form_of_regions(op: Operation, same: Mapping[SSAValue, SSAValue] = _NOTHING) -> Iterator[Hashable]:
    """Yield the contents of the regions of `op` in a comparable form.

    The contents are in order, and equal for equal regions. Values from outside represent themselves, or are replaced by `same`.
    """
    names: dict[SSAValue, Hashable] = {}
    for region in op.regions:
        yield from _form_of_block(region.block, names, same)


def _form_of_block(
    block: Block, names: dict[SSAValue, Hashable], same: Mapping[SSAValue, SSAValue]
) -> Iterator[Hashable]:
    for argument in block.args:
        names[argument] = len(names)
    yield tuple(argument.type for argument in block.args)
    for op in block.ops:
        yield outline(op)
        for operand in op.operands:
            yield names[operand] if operand in names else same.get(operand, operand)
        for region in op.regions:
            if len(region.blocks) == 1:
                yield from _form_of_block(region.block, names, same)
            else:
                # Several blocks are equal to none but themselves.
                yield region
        for result in op.results:
            names[result] = len(names)
