"""Sequences of tensors and optionals: types, and facts about their values.

```mlir
!ovseq.sequence<tensor<?x3xf32>>                  // every element has this type; `tensor<*xf32>` where even ranks differ
!ovseq.optional<tensor<2xf32>>                    // a value or none
!ovseq.optional<!ovseq.sequence<tensor<*xi64>>>
```

Facts describe what is known of a value before it exists. They implement the protocol of `Fact`, for tensors (`same`, `join`,
`meet`, `type`, `of_type`, `without_content`), so that one analysis works on all three. `fact_of_type` and `any_fact_of` return
the kind of fact that a type has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_attr_definition

from loomir.dialects.element_types import AnyTensor, f32
from loomir.dialects.ov.facts import Dim, Fact, fact_of


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


_TENSORS = (TensorType, UnrankedTensorType)
ITEM_LIMIT = 64
"""Sequences of more elements are not followed element by element."""


@dataclass(frozen=True, eq=False)
class SequenceFact:
    """Facts about a sequence: common element fact, length, and facts per element.

    `element` is a fact that holds for each element (without contents), and `length` is the number of elements. If that is one
    small number, `items` holds a fact for each element.

    For a sequence that is certainly empty, `element` states only the element type, and a join takes the other sequence's.
    """

    element: Fact
    length: Dim
    items: tuple[Fact, ...] | None = None

    # -- construction

    @staticmethod
    def of_items(element_type: Attribute, items: Iterable[Fact]) -> SequenceFact:
        """A sequence of these elements."""
        known = tuple(items)
        shapes = [f.without_content() for f in known]
        element = reduce(Fact.join, shapes) if shapes else Fact(element_type, None)
        return SequenceFact(element, Dim(len(known), len(known)), known if len(known) <= ITEM_LIMIT else None)

    @staticmethod
    def of(element: Fact, length: Dim) -> SequenceFact:
        """Return the fact of a sequence with this element fact and length.

        A sequence that is certainly empty has no element fact.
        """
        if length.hi == 0:
            return SequenceFact.of_items(element.element, ())
        return SequenceFact(element.without_content(), length)

    @staticmethod
    def of_type(type_: SequenceType) -> SequenceFact:
        """Return the fact that a sequence type implies."""
        return SequenceFact(Fact.of_type(type_.element), Dim())

    # -- questions

    @property
    def element_type(self) -> Attribute:
        """The element type of the tensors."""
        return self.element.element

    @property
    def type(self) -> SequenceType:
        """The type with every dimension that is not one number left open."""
        return SequenceType(self.element.type)

    def without_content(self) -> SequenceFact:
        """Return the fact reduced to shapes.

        The length is part of the shape, as an extent is.
        """
        return SequenceFact.of(self.element, self.length)

    # -- lattice

    def same(self, other: AnyFact) -> bool:
        """Return True if both facts are equal."""
        if not isinstance(other, SequenceFact) or self.length != other.length:
            return False
        if not self.element.same(other.element) or (self.items is None) != (other.items is None):
            return False
        return all(a.same(b) for a, b in zip(self.items or (), other.items or ()))

    def join(self, other: AnyFact) -> SequenceFact:
        """Return the join: a fact that holds for either sequence."""
        other = sequence_fact(other)
        if self is other or self.same(other):
            return self
        if self.items is not None and other.items is not None and len(self.items) == len(other.items):
            return SequenceFact.of_items(
                self.element_type, (a.join(b) for a, b in zip(self.items, other.items))
            )
        if self.length.hi == 0:
            element = other.element
        elif other.length.hi == 0:
            element = self.element
        else:
            element = self.element.join(other.element)
        return SequenceFact.of(element, self.length.join(other.length))

    def meet(self, other: AnyFact) -> SequenceFact:
        """Return the meet of both facts, for example declared and inferred.

        A contradiction keeps this fact.
        """
        other = sequence_fact(other)
        length = self.length.meet(other.length) or self.length
        if self.items is not None:
            return self
        if other.items is not None and length == other.length:
            return SequenceFact.of_items(self.element_type, (i.meet(self.element) for i in other.items))
        return SequenceFact.of(self.element.meet(other.element), length)


@dataclass(frozen=True, eq=False)
class OptionalFact:
    """Facts about an optional: its presence and its value.

    `present` states if there is a value (None: either). `value` holds for the value if there is one.

    For an optional that certainly has no value, `value` states only the kind, and a join takes the other optional's.
    """

    value: Fact | SequenceFact
    present: bool | None = None

    @staticmethod
    def none(type_: Attribute) -> OptionalFact:
        """Surely no value; `type_` is what one would have."""
        return OptionalFact(unknown_like(payload_fact(fact_of_type(type_))), False)

    @staticmethod
    def of_type(type_: OptionalType) -> OptionalFact:
        """Return the fact that an optional type implies."""
        return OptionalFact(payload_fact(fact_of_type(type_.value)))

    @property
    def element_type(self) -> Attribute:
        """The element type of the tensors inside."""
        return self.value.element if isinstance(self.value, Fact) else self.value.element_type

    @property
    def type(self) -> OptionalType:
        """The type with every dimension that is not one number left open."""
        return OptionalType(self.value.type)

    def without_content(self) -> OptionalFact:
        """The shapes alone."""
        return OptionalFact(self.value.without_content(), self.present)

    def same(self, other: AnyFact) -> bool:
        """Return True if both facts are equal."""
        return (
            isinstance(other, OptionalFact)
            and self.present == other.present
            and same_facts(self.value, other.value)
        )

    def join(self, other: AnyFact) -> OptionalFact:
        """Return the join: a fact that holds for either optional."""
        other = optional_fact(other)
        if self.present is False:
            value = other.value
        elif other.present is False:
            value = self.value
        else:
            value = payload_fact(join_facts(self.value, other.value))
        return OptionalFact(value, self.present if self.present == other.present else None)

    def meet(self, other: AnyFact) -> OptionalFact:
        """Return the meet of both facts, for example declared and inferred.

        A contradiction keeps this fact.
        """
        other = optional_fact(other)
        present = other.present if self.present is None else self.present
        if isinstance(self.value, Fact):
            return OptionalFact(self.value.meet(tensor_fact(other.value)), present)
        return OptionalFact(self.value.meet(other.value), present)


AnyFact = Fact | SequenceFact | OptionalFact
"""Fact about a value of GRAPH."""


def same_facts(a: AnyFact, b: AnyFact) -> bool:
    """Return True if both facts are equal."""
    return a.same(b) if isinstance(a, Fact) and isinstance(b, Fact) else not isinstance(a, Fact) and a.same(b)


def join_facts(a: AnyFact, b: AnyFact) -> AnyFact:
    """Return the join of two facts of the same kind."""
    return a.join(tensor_fact(b)) if isinstance(a, Fact) else a.join(b)


def unknown_like(fact: Fact | SequenceFact) -> Fact | SequenceFact:
    """Of the same kind, with nothing known."""
    if isinstance(fact, Fact):
        return Fact(fact.element, None)
    return SequenceFact(Fact(fact.element_type, None), Dim())


def fact_of_type(type_: Attribute) -> AnyFact:
    """Return the fact that a type implies."""
    if isinstance(type_, SequenceType):
        return SequenceFact.of_type(type_)
    if isinstance(type_, OptionalType):
        return OptionalFact.of_type(type_)
    return Fact.of_type(type_)


class HasResultFacts(Operation, ABC):
    """Operation for which the IR itself states more than the result type.

    Such an operation constructs its result from its operands.
    """

    @abstractmethod
    def infer(self, facts: Sequence[AnyFact]) -> Sequence[AnyFact]:
        """Facts of the results from those of the operands."""


def any_fact_of(value: SSAValue) -> AnyFact:
    """Return the fact that the IR itself implies for a value.

    The fact covers the type, the contents of an `ov.constant`, the elements of `ovseq.empty` and `ovseq.construct`, and the
    presence of `ovseq.some` and `ovseq.none`.
    """
    op = value.owner
    if isinstance(op, HasResultFacts):
        return op.infer([any_fact_of(o) for o in op.operands])[0]
    return fact_of(value) if isinstance(value.type, _TENSORS) else fact_of_type(value.type)


def tensor_fact(fact: AnyFact) -> Fact:
    """Narrow the fact of a value of tensor type to `Fact`."""
    assert isinstance(fact, Fact), fact
    return fact


def sequence_fact(fact: AnyFact) -> SequenceFact:
    """Narrow the fact of a value of sequence type to `SequenceFact`."""
    assert isinstance(fact, SequenceFact), fact
    return fact


def optional_fact(fact: AnyFact) -> OptionalFact:
    """Narrow the fact of a value of optional type to `OptionalFact`."""
    assert isinstance(fact, OptionalFact), fact
    return fact


def payload_fact(fact: AnyFact) -> Fact | SequenceFact:
    """The fact of what an optional may hold."""
    assert not isinstance(fact, OptionalFact), fact
    return fact
