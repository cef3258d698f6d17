"""What is known of sequences and optionals before they exist, beside `Fact` for tensors.

They have `Fact`'s protocol (`same`, `join`, `meet`, `type`, `of_type`, `without_content`), so that one analysis works on all
three. `fact_of_type` and `any_fact_of` give the kind of fact that a type has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.dialects.ov.facts import Dim, Fact, fact_of
from loomir.dialects.ovseq.types import OptionalType, SequenceType

_TENSORS = (TensorType, UnrankedTensorType)
ITEM_LIMIT = 64
"""Sequences of more elements are not followed element by element."""


@dataclass(frozen=True, eq=False)
class SequenceFact:
    """What is known of a sequence: a fact that holds for each element (without contents), how many there are, and where
    that is one small number, a fact of each.

    Of a sequence that is surely empty `element` says nothing but the element type, and a join takes the other's.
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
        """A sequence of so many elements, each of which the fact holds for; a surely empty one has none."""
        if length.hi == 0:
            return SequenceFact.of_items(element.element, ())
        return SequenceFact(element.without_content(), length)

    @staticmethod
    def of_type(type_: SequenceType) -> SequenceFact:
        """What a sequence's type says."""
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
        """The shapes alone: how many elements there are belongs to them, as an extent does."""
        return SequenceFact.of(self.element, self.length)

    # -- lattice

    def same(self, other: AnyFact) -> bool:
        """Whether both say the same."""
        if not isinstance(other, SequenceFact) or self.length != other.length:
            return False
        if not self.element.same(other.element) or (self.items is None) != (other.items is None):
            return False
        return all(a.same(b) for a, b in zip(self.items or (), other.items or ()))

    def join(self, other: AnyFact) -> SequenceFact:
        """What holds for a sequence that is either one."""
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
        """What both say together (declared and inferred); a contradiction keeps this fact."""
        other = sequence_fact(other)
        length = self.length.meet(other.length) or self.length
        if self.items is not None:
            return self
        if other.items is not None and length == other.length:
            return SequenceFact.of_items(self.element_type, (i.meet(self.element) for i in other.items))
        return SequenceFact.of(self.element.meet(other.element), length)


@dataclass(frozen=True, eq=False)
class OptionalFact:
    """What is known of an optional: whether there is a value (None: either), and what holds for the value if there is one.

    Of an optional that surely has none `value` says nothing but the kind, and a join takes the other's.
    """

    value: Fact | SequenceFact
    present: bool | None = None

    @staticmethod
    def none(type_: Attribute) -> OptionalFact:
        """Surely no value; `type_` is what one would have."""
        return OptionalFact(unknown_like(held_fact(fact_of_type(type_))), False)

    @staticmethod
    def of_type(type_: OptionalType) -> OptionalFact:
        """What an optional's type says."""
        return OptionalFact(held_fact(fact_of_type(type_.value)))

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
        """Whether both say the same."""
        return (
            isinstance(other, OptionalFact)
            and self.present == other.present
            and same_facts(self.value, other.value)
        )

    def join(self, other: AnyFact) -> OptionalFact:
        """What holds for an optional that is either one."""
        other = optional_fact(other)
        if self.present is False:
            value = other.value
        elif other.present is False:
            value = self.value
        else:
            value = held_fact(join_facts(self.value, other.value))
        return OptionalFact(value, self.present if self.present == other.present else None)

    def meet(self, other: AnyFact) -> OptionalFact:
        """What both say together (declared and inferred); a contradiction keeps this fact."""
        other = optional_fact(other)
        present = other.present if self.present is None else self.present
        if isinstance(self.value, Fact):
            return OptionalFact(self.value.meet(tensor_fact(other.value)), present)
        return OptionalFact(self.value.meet(other.value), present)


AnyFact = Fact | SequenceFact | OptionalFact
"""What is known of a value of GRAPH."""


def same_facts(a: AnyFact, b: AnyFact) -> bool:
    """Whether both say the same."""
    return a.same(b) if isinstance(a, Fact) and isinstance(b, Fact) else not isinstance(a, Fact) and a.same(b)


def join_facts(a: AnyFact, b: AnyFact) -> AnyFact:
    """What holds for a value that is either one; both are of one kind."""
    return a.join(tensor_fact(b)) if isinstance(a, Fact) else a.join(b)


def unknown_like(fact: Fact | SequenceFact) -> Fact | SequenceFact:
    """Of the same kind, with nothing known."""
    if isinstance(fact, Fact):
        return Fact(fact.element, None)
    return SequenceFact(Fact(fact.element_type, None), Dim())


def fact_of_type(type_: Attribute) -> AnyFact:
    """What a type says."""
    if isinstance(type_, SequenceType):
        return SequenceFact.of_type(type_)
    if isinstance(type_, OptionalType):
        return OptionalFact.of_type(type_)
    return Fact.of_type(type_)


class SaysWhatItMakes(Operation, ABC):
    """An operation of which the IR itself says more than a type: what its operands are it puts together."""

    @abstractmethod
    def infer(self, facts: Sequence[AnyFact]) -> Sequence[AnyFact]:
        """Facts of the results from those of the operands."""


def any_fact_of(value: SSAValue) -> AnyFact:
    """What the IR itself says of a value: its type, contents of an `ov.constant`, elements of `ovseq.empty` and
    `ovseq.construct`, presence of `ovseq.some` and `ovseq.none`."""
    op = value.owner
    if isinstance(op, SaysWhatItMakes):
        return op.infer([any_fact_of(o) for o in op.operands])[0]
    return fact_of(value) if isinstance(value.type, _TENSORS) else fact_of_type(value.type)


def tensor_fact(fact: AnyFact) -> Fact:
    """The fact of a value whose type says that it is a tensor."""
    assert isinstance(fact, Fact), fact
    return fact


def sequence_fact(fact: AnyFact) -> SequenceFact:
    """The fact of a value whose type says that it is a sequence."""
    assert isinstance(fact, SequenceFact), fact
    return fact


def optional_fact(fact: AnyFact) -> OptionalFact:
    """The fact of a value whose type says that it is an optional."""
    assert isinstance(fact, OptionalFact), fact
    return fact


def held_fact(fact: AnyFact) -> Fact | SequenceFact:
    """The fact of what an optional may hold."""
    assert not isinstance(fact, OptionalFact), fact
    return fact
