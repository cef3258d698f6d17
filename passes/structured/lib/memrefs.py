"""Types of memref views, computed as upstream's verifiers expect them.

A subview that is packed and begins where its buffer begins has the identity layout, any other one `strided<…>`. What is expanded or
collapsed has the identity layout where its source has, and else `strided<…>`, packed or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    IntAttr,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute

MemRef = MemRefType[Attribute]
Reassociation = Sequence[Sequence[int]]


def identity_memref(type: TensorType[Attribute]) -> MemRef:
    """The memref type of a packed buffer for a tensor of `type`."""
    return _packed(type.element_type, type.shape)


@lru_cache(maxsize=1024)
def _packed(element: Attribute, shape: ArrayAttr[IntAttr]) -> MemRef:
    """Return the type, cached for many values.

    xDSL's constructor takes long to examine its arguments.
    """
    return MemRefType(element, shape)


def is_identity(type: MemRef) -> bool:
    return isinstance(type.layout, NoneAttr)


def packed_strides(shape: Sequence[int]) -> list[int | None]:
    """Return the strides of a packed memref.

    A stride is `None` if it depends on a dynamic extent.
    """
    strides: list[int | None] = []
    stride: int | None = 1
    for extent in reversed(shape):
        strides.append(stride)
        stride = None if stride is None or extent == DYNAMIC_INDEX else stride * extent
    return strides[::-1]


def layout(type: MemRef) -> tuple[list[int | None], int | None]:
    """Return the strides and the offset of a memref; `None` if dynamic."""
    if isinstance(type.layout, StridedLayoutAttr):
        return list(type.layout.get_strides()), type.layout.get_offset()
    assert is_identity(type), type
    return packed_strides(type.get_shape()), 0


def strided_memref(
    element: Attribute, shape: Sequence[int], strides: Sequence[int | None], offset: int | None
) -> MemRef:
    """Return a memref type of this layout, or of the identity layout.

    The identity layout is used if it is the same.
    """
    packed = packed_strides(shape)
    if offset == 0 and None not in packed and list(strides) == packed:
        return MemRefType(element, shape)
    return MemRefType(element, shape, StridedLayoutAttr(tuple(strides), offset))


def subview_type(
    source: MemRef, offsets: Sequence[int | None], sizes: Sequence[int | None], steps: Sequence[int | None]
) -> MemRef:
    """Return the type of a subview.

    `None` stands for an SSA offset, size or step.
    """
    strides, offset = layout(source)
    for begin, stride in zip(offsets, strides, strict=True):
        if begin != 0:
            offset = None if offset is None or begin is None or stride is None else offset + begin * stride
    new_strides = [None if s is None or t is None else s * t for s, t in zip(strides, steps, strict=True)]
    shape = [DYNAMIC_INDEX if size is None else size for size in sizes]
    return strided_memref(source.element_type, shape, new_strides, offset)


def expand_type(source: MemRef, groups: Reassociation, shape: Sequence[int]) -> MemRef:
    """The type of an expand_shape to `shape`."""
    if is_identity(source):
        return MemRefType(source.element_type, shape)
    strides, offset = layout(source)
    expanded: list[int | None] = [None] * len(shape)
    for group, source_stride in zip(groups, strides, strict=True):
        stride = source_stride
        for dim in reversed(group):
            expanded[dim] = stride
            stride = None if stride is None or shape[dim] == DYNAMIC_INDEX else stride * shape[dim]
    return MemRefType(source.element_type, shape, StridedLayoutAttr(expanded, offset))


def collapse_type(
    source: MemRef, groups: Reassociation, shape: Sequence[int], *, trusted: bool = False
) -> MemRef | None:
    """Return the type of a collapse_shape to `shape`, or `None`.

    Return `None` if the joined dimensions are not contiguous. With `trusted`, dimensions count as contiguous if dynamic
    strides and extents do not decide it.
    """
    if is_identity(source):
        return MemRefType(source.element_type, shape)
    strides, offset = layout(source)
    extents = source.get_shape()
    collapsed: list[int | None] = []
    for group in groups:
        # Dimensions of extent 1 say nothing about contiguity, and a dynamic one may turn out to be 1.
        real = [dim for dim in group if extents[dim] != 1] or [group[0]]
        single = len(group) == 1 or group[0] == real[-1] == real[0]
        last = real[-1]
        collapsed.append(strides[last] if extents[last] != DYNAMIC_INDEX or single else None)
        for outer, inner in pairwise(real):
            inner_stride, outer_stride, extent = strides[inner], strides[outer], extents[inner]
            if inner_stride is None or outer_stride is None or extent == DYNAMIC_INDEX:
                if not trusted:
                    return None
            elif outer_stride != inner_stride * extent:
                return None
    return MemRefType(source.element_type, shape, StridedLayoutAttr(collapsed, offset))


def reassociation(groups: Reassociation) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    return ArrayAttr([ArrayAttr([IntegerAttr(dim, i64) for dim in group]) for group in groups])


def groups_of(attr: ArrayAttr[ArrayAttr[IntegerAttr]]) -> list[list[int]]:
    return [[dim.value.data for dim in group] for group in attr]
