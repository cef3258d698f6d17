"""Reshapes as `tensor.expand_shape` and `collapse_shape`: which dimensions go together."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from loomir.dialects.index_builder import all_static
from loomir.passes.structured.lowering.builder import Extent, StructuredBuilder


def reshape_tensor(
    low: StructuredBuilder, value: SSAValue, old: Sequence[Extent], new: Sequence[Extent]
) -> SSAValue:
    """Reshape a tensor to other extents of the same product.

    Both ranks are at least 1. One expand_shape or collapse_shape is emitted if that suffices; otherwise both, through one
    dimension.
    """
    if len(old) > len(new):
        groups = reassociation(old, new)
        if groups is not None:
            return low.collapse(value, new, groups)
    elif len(old) < len(new):
        groups = reassociation(new, old)
        if groups is not None:
            return low.expand(value, new, groups)
    count = low.product(old)
    flat = low.flatten(value, count)
    if isinstance(count, int) == all_static(new):
        return low.expand(flat, new, [range(len(new))])
    # The number of elements is known on one side only: the types must agree before the dimensions are split.
    exact = low.index(count) if isinstance(count, int) else low.product(new)
    flat = low.extract_slice(flat, [0], [exact], [1])
    return low.expand(flat, new, [range(len(new))])


def reassociation(many: Sequence[Extent], few: Sequence[Extent]) -> list[list[int]] | None:
    """Return the groups of neighbouring `many` extents that form the `few`.

    The result is None if the groups cannot be determined. Each group is non-empty. Static extents are grouped by their
    products; a dynamic extent is its own group, together with ones beside it.
    """
    groups: list[list[int]] = []
    k = 0
    for position, target in enumerate(few):
        group: list[int] = []
        if isinstance(target, int):
            total = 1
            while k < len(many) and isinstance(d := many[k], int) and (not group or total != target):
                total *= d
                group.append(k)
                k += 1
            if total != target:
                return None
        else:
            while k < len(many) and isinstance(many[k], int) and many[k] == 1:
                group.append(k)
                k += 1
            if k >= len(many) or many[k] is not target:
                return None
            group.append(k)
            k += 1
        if not group:
            return None
        # Ones that the next group can do without belong here.
        while (
            k < len(many)
            and isinstance(many[k], int)
            and many[k] == 1
            and len(many) - k > len(few) - position - 1
        ):
            group.append(k)
            k += 1
        groups.append(group)
    return groups if k == len(many) else None
