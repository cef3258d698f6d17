"""The types of what a loop gives after no iteration."""

from __future__ import annotations

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Attribute

from loomir.dialects.ov.loop_slices import Slicing
from loomir.dialects.tensors import AnyTensor


def without_extents(type_: Attribute, cut: Slicing) -> TensorType:
    """The type with 0 for every extent that is open; of some rank that has the axis where the rank is open."""
    assert isinstance(type_, AnyTensor)
    shape = (
        type_.get_shape() if isinstance(type_, TensorType) else [DYNAMIC_INDEX] * max(cut.axis + 1, -cut.axis)
    )
    return TensorType(type_.element_type, [0 if e == DYNAMIC_INDEX else e for e in shape])


def none_of(type_: Attribute, cut: Slicing) -> TensorType:
    """The type of the concatenation of no part of a type."""
    part = without_extents(type_, cut)
    shape = list(part.get_shape())
    shape[cut.normalised_axis(len(shape))] = 0
    return TensorType(part.element_type, shape)
