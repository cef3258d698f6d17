"""The types of `ovseq`: sequences of tensors and optionals.

```mlir
!ovseq.sequence<tensor<?x3xf32>>                  // every element has this type; `tensor<*xf32>` where even ranks differ
!ovseq.optional<tensor<2xf32>>                    // a value or none
!ovseq.optional<!ovseq.sequence<tensor<*xi64>>>
```
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition

from loomir.dialects.element_types import f32
from loomir.dialects.tensors import AnyTensor


@irdl_attr_definition
class SequenceType(ParametrizedAttribute, TypeAttribute):
    """Sequence of tensors: ONNX's `seq(tensor(T))`.

    `element` is the join of the types of all elements. The length is not part of the type. A sequence without elements may have
    any type of its element type; `ovseq.empty` uses an element of unknown rank.
    """

    name = "ovseq.sequence"

    element: TensorType | UnrankedTensorType

    @property
    def element_type(self) -> Attribute:
        """The type of the elements of the sequence's tensors."""
        return self.element.element_type


@irdl_attr_definition
class OptionalType(ParametrizedAttribute, TypeAttribute):
    """Optional tensor or sequence.

    It corresponds to ONNX's `optional(tensor(T))` and `optional(seq(tensor(T)))`. `value` is the type of the value.
    """

    name = "ovseq.optional"

    value: TensorType | UnrankedTensorType | SequenceType

    @property
    def element_type(self) -> Attribute:
        """The element type of the tensors inside."""
        return self.value.element_type


GraphValue = np.ndarray | list[np.ndarray] | None
"""Run-time value of GRAPH: tensor, sequence or optional.

An optional that has a value is represented by the value itself.
"""

SeqType = SequenceType | OptionalType
GraphType = TensorType | UnrankedTensorType | SequenceType | OptionalType
"""Every type that a value of GRAPH may have."""


def kind_of(type_: Attribute) -> str:
    """Return the kind of a type, without shapes and lengths.

    Examples: `tensor of f32`, `sequence of tensor of f32` …
    """
    if isinstance(type_, OptionalType):
        return f"optional {kind_of(type_.value)}"
    if isinstance(type_, SequenceType):
        return f"sequence of {kind_of(type_.element)}"
    return f"tensor of {type_.element_type}" if isinstance(type_, AnyTensor) else str(type_)


def same_kind(a: Attribute, b: Attribute) -> bool:
    """Return True if two types differ at most in shapes.

    Both are tensors, sequences or optionals of one element type.
    """
    if isinstance(a, OptionalType) and isinstance(b, OptionalType):
        return same_kind(a.value, b.value)
    if isinstance(a, SequenceType) and isinstance(b, SequenceType):
        return same_kind(a.element, b.element)
    return isinstance(a, AnyTensor) and isinstance(b, AnyTensor) and a.element_type == b.element_type


def open_type(type_: Attribute) -> GraphType:
    """Return the most general type of this kind, without ranks and extents."""
    if isinstance(type_, OptionalType):
        value = open_type(type_.value)
        assert not isinstance(value, OptionalType)
        return OptionalType(value)
    if isinstance(type_, SequenceType):
        return SequenceType(UnrankedTensorType(type_.element_type))
    return UnrankedTensorType(type_.element_type if isinstance(type_, AnyTensor) else f32)
