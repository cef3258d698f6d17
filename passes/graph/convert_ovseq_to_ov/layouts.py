"""Layouts of sequences and optionals, and the builder of their tensors.

A layout is the tensors that hold a sequence or an optional. All values that are forwarded to one another share one layout.

The builder of the tensors that hold one value builds rows, elements and counts, and has short forms for the operations that these
take.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, UnrankedTensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loomir.dialects.diagnostics import layer_name
from loomir.dialects.element_types import AnyTensor, dtype_of, i1, i64
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.internal import FromSlotOp, ToSlotOp
from loomir.dialects.ov.operators.joining import ConcatOp as JoinOp
from loomir.dialects.ov.operators.reshape import ReshapeOp, ShapeOfOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.dialects.ovseq.sequences import ConstructOp, EraseOp, GetOp, InsertOp, SomeOp
from loomir.dialects.ovseq.splitting import SplitOp
from loomir.dialects.ovseq.types import AnyFact, OptionalFact, OptionalType, SeqType, SequenceFact
from loomir.dialects.region_flow import region_flow
from loomir.dialects.upstream.walking import walk
from loomir.errors import Error
from loomir.passes.analysis.inference import Inference
from loomir.passes.analysis.inference.state import is_unbounded
from loomir.passes.graph.lib.branches import emit_switch
from loomir.passes.graph.lib.one_to_many import Parts


@dataclass(frozen=True)
class Rows:
    """Elements of one static shape: `tensor<? x shape>`."""

    element: Attribute
    shape: tuple[int, ...]

    @property
    def types(self) -> list[TensorType]:
        return [TensorType(self.element, [DYNAMIC_INDEX, *self.shape])]

    names = ("data",)


@dataclass(frozen=True)
class Slots:
    """Elements of shapes between `least` and `most`: `tensor<? x size>` and `tensor<? x rank x i64>`."""

    element: Attribute
    least: tuple[int, ...]
    most: tuple[int, ...]

    @property
    def rank(self) -> int:
        return len(self.most)

    @property
    def size(self) -> int:
        """Elements of a slot."""
        return prod(self.most)

    @property
    def types(self) -> list[TensorType]:
        return [
            TensorType(self.element, [DYNAMIC_INDEX, self.size]),
            TensorType(i64, [DYNAMIC_INDEX, self.rank]),
        ]

    names = ("slots", "shapes")


@dataclass(frozen=True)
class MixedSlots:
    """Layout of elements of several ranks.

    It has the parts of `Slots`, with the extents at the front of each row of shapes, and `tensor<? x i64>` with the number
    of extents. `least` and `most` have the smallest and largest extents for each rank.
    """

    element: Attribute
    least: tuple[tuple[int, ...], ...]
    most: tuple[tuple[int, ...], ...]

    @property
    def rank(self) -> int:
        return max(map(len, self.most))

    @property
    def size(self) -> int:
        """Elements of a slot."""
        return max(map(prod, self.most))

    @property
    def types(self) -> list[TensorType]:
        return [
            TensorType(self.element, [DYNAMIC_INDEX, self.size]),
            TensorType(i64, [DYNAMIC_INDEX, self.rank]),
            TensorType(i64, [DYNAMIC_INDEX]),
        ]

    names = ("slots", "shapes", "ranks")


Sequences = Rows | Slots | MixedSlots
"""The layout of a sequence."""


@dataclass(frozen=True)
class Flagged:
    """An optional: `tensor<i1>`, then its value."""

    value: Sequences | TensorType | UnrankedTensorType

    @property
    def types(self) -> list[TensorType | UnrankedTensorType]:
        held = [self.value] if isinstance(self.value, AnyTensor) else self.value.types
        return [TensorType(i1, []), *held]

    @property
    def names(self) -> tuple[str, ...]:
        return ("has", *(("value",) if isinstance(self.value, AnyTensor) else self.value.names))


Layout = Rows | Slots | MixedSlots | Flagged


class Layouts:
    """Layouts of all sequences and optionals of a function.

    Errors: `unbounded-shape`, `unresolved-rank`.
    """

    def __init__(self, func: FuncOp, inference: Inference, capacity: int | None) -> None:
        self.inference = inference
        self.capacity = capacity
        self.used_capacity = False
        self._leader: dict[SSAValue, SSAValue] = {}
        self._facts: dict[SSAValue, list[tuple[SSAValue, AnyFact]]] = {}
        self._elements: dict[SSAValue, Sequences | TensorType | UnrankedTensorType] = {}
        for op in walk(func):
            self._unite_at(op)
        for op in walk(func):
            for value in [*op.results, *(a for r in op.regions for b in r.blocks for a in b.args)]:
                if isinstance(value.type, SeqType) and (fact := inference.known(value)) is not None:
                    self._facts.setdefault(self._find(value), []).append((value, fact))

    def of(self, value: SSAValue) -> Layout:
        """The layout of a sequence or an optional."""
        leader = self._find(value)
        if leader not in self._elements:
            self._elements[leader] = self._decide(leader)
        inner = self._elements[leader]
        if isinstance(value.type, OptionalType):
            return Flagged(inner)
        assert not isinstance(inner, AnyTensor)
        return inner

    def capacity_for(self, name: str) -> int:
        """Return the largest extent for a dynamic dimension of an input.

        The input is a sequence or an optional. Error: `dynamic-input` if there is no capacity.
        """
        if self.capacity is None:
            raise Error(
                "dynamic-input",
                f"the number and the extents of the elements of input '{name}' have no bound",
                hint="give a capacity (capacity=, --capacity)",
            )
        self.used_capacity = True
        return self.capacity

    # -- values that are handed on to one another

    def _find(self, value: SSAValue) -> SSAValue:
        path: list[SSAValue] = []
        while (above := self._leader.get(value, value)) is not value:
            path.append(value)
            value = above
        for each in path:
            self._leader[each] = value
        return value

    def _unite(self, *values: SSAValue) -> None:
        if isinstance(values[0].type, SeqType):
            first, *others = (self._find(v) for v in values)
            for other in others:
                self._leader[other] = first

    def _unite_at(self, op: Operation) -> None:
        if (flow := region_flow(op)) is not None:
            for edge in flow.edges:
                for value, becomes in edge.pairs:
                    self._unite(becomes, value)
        elif isinstance(op, InsertOp | EraseOp):
            self._unite(op.output, op.sequence)
        elif isinstance(op, SomeOp):
            # An optional is in a set with the sequences that it may be.
            self._unite(op.value, op.output)
        elif isinstance(op, GetOp):
            self._unite(op.output, op.optional)

    # -- what holds for all of them

    def _decide(self, leader: SSAValue) -> Sequences | TensorType | UnrankedTensorType:
        tensors: list[tuple[SSAValue, Fact]] = []
        type_ = leader.type
        assert isinstance(type_, SeqType)
        sequences = not isinstance(type_, OptionalType) or isinstance(type_.value, SeqType)
        for value, fact in self._facts.get(leader, []):
            tensors += ((value, f) for one in _put_in(value, fact, self.inference) for f in one.possible)
        if not tensors:
            # Always empty, or without a value.
            return Rows(type_.element_type, ()) if sequences else TensorType(type_.element_type, [])
        by_rank: dict[int, Fact] = {}
        for value, fact in tensors:
            if fact.rank is None:
                raise _no_rank(value, sequences)
            by_rank[fact.rank] = by_rank[fact.rank].join(fact) if fact.rank in by_rank else fact
        first = tensors[0][0]
        facts = [fact for _, fact in sorted(by_rank.items())]
        if not sequences:
            return facts[0].type if len(facts) == 1 else UnrankedTensorType(type_.element_type)
        if len(facts) == 1 and (extents := facts[0].static) is not None:
            return Rows(type_.element_type, extents)
        most = tuple(tuple(self._most(first, d) for d in f.shape or ()) for f in facts)
        least = tuple(tuple(d.lo for d in f.shape or ()) for f in facts)
        if len(facts) > 1:
            return MixedSlots(type_.element_type, least, most)
        return Slots(type_.element_type, least[0], most[0])

    def _most(self, value: SSAValue, extent: Dim) -> int:
        if not is_unbounded(extent):
            assert extent.hi is not None
            return extent.hi
        if self.capacity is None:
            raise Error(
                "unbounded-shape",
                "the elements of a sequence have no largest shape",
                layer=_layer(value),
                op=_name(value),
                hint="give the model's inputs shapes (shapes=, --shape) or largest shapes (max_shapes=, --max-shape), or "
                "give a capacity (capacity=, --capacity)",
            )
        self.used_capacity = True
        return max(self.capacity, extent.lo)


def _put_in(value: SSAValue, fact: AnyFact, inference: Inference) -> list[Fact]:
    """Return facts of tensors put into sequences or optionals at this value.

    The value must be created there, not forwarded. The facts have no contents.
    """
    owner = value.owner
    if isinstance(owner, InsertOp):
        return [inference.fact(owner.tensor).without_content()]
    if isinstance(owner, ConstructOp):
        return [inference.fact(o).without_content() for o in owner.inputs]
    made_here = isinstance(owner, SplitOp | SomeOp) or not isinstance(owner, Operation)
    if not made_here or (isinstance(owner, Block) and not isinstance(owner.parent_op(), FuncOp)):
        # Handed on: what comes in is known where it was made.
        return []
    if isinstance(fact, OptionalFact):
        fact = fact.value
    if isinstance(fact, SequenceFact):
        if isinstance(owner, SomeOp) or fact.length.hi == 0:
            return []
        return [f.without_content() for f in fact.items] if fact.items is not None else [fact.element]
    return [fact.without_content()]


def _no_rank(value: SSAValue, sequences: bool) -> Error:
    what = "an element of a sequence" if sequences else "the value of an optional"
    return Error(
        "unresolved-rank",
        f"the rank of {what} is not known before the program runs",
        layer=_layer(value),
        op=_name(value),
        hint="fix the inputs that decide it (shapes=, --shape, values=, --value)",
    )


def _layer(value: SSAValue) -> str | None:
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    return None if op is None else layer_name(op)


def _name(value: SSAValue) -> str | None:
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    return None if op is None else op.name


class Rewriter:
    """Insertion point in GRAPH, with layouts and the values converted so far."""

    def __init__(self, build: GraphBuilder, layouts: Layouts, parts: Callable[[SSAValue], Parts]) -> None:
        self.build = build
        self.layouts = layouts
        self.parts = parts

    # -- elements

    def row(self, layout: Sequences, tensor: SSAValue) -> Parts:
        """The parts of a sequence of one element."""
        build = self.build
        if isinstance(layout, Rows):
            return [self.unsqueeze(tensor, 0)]
        shape = build.make(ShapeOfOp, tensor, attributes={"output_type": i64})
        if isinstance(layout, Slots):
            slot = build.make(ToSlotOp, tensor, attributes={"most": layout.most})
            return [slot, self.unsqueeze(shape, 0)]
        # Of whatever rank: its elements in a row, its extents and zeros behind them, how many they are.
        flat = build.make(ReshapeOp, tensor, build.integers([-1]))
        slot = build.make(ToSlotOp, flat, attributes={"most": [layout.size]})
        room = build.make(ToSlotOp, shape, attributes={"most": [layout.rank]})
        return [slot, room, build.make(ShapeOfOp, shape, attributes={"output_type": i64})]

    def element(self, layout: Sequences, parts: Parts, position: SSAValue) -> SSAValue:
        """Return the element at a position.

        A position outside of the sequence is a run-time error.
        """
        picked = [self.gather(part, position) for part in parts]
        if isinstance(layout, Rows):
            return picked[0]
        if isinstance(layout, Slots):
            limits = {"least": layout.least, "most": layout.most}
            return self.build.make(FromSlotOp, *picked, attributes=limits)
        slot, shape, rank = picked

        def of_rank(least: Sequence[int], most: Sequence[int], build: GraphBuilder) -> list[SSAValue]:
            extents = first(build, shape, len(most), axis=0)
            return [build.make(FromSlotOp, slot, extents, attributes={"least": least, "most": most})]

        cases = [(len(most), partial(of_rank, least, most)) for least, most in zip(layout.least, layout.most)]
        return emit_switch(self.build, rank, cases, [UnrankedTensorType(layout.element)])[0].output[0]

    def zeros(self, layout: Layout) -> Parts:
        """Return an empty sequence, or an optional without a value.

        Dynamic dimensions are 0.
        """
        return [self.build.constant(np.zeros(_least(t), dtype_of(t.element_type))) for t in layout.types]

    def count(self, parts: Parts) -> SSAValue:
        """How many elements there are, a scalar."""
        shape = self.build.make(ShapeOfOp, parts[0], attributes={"output_type": i64})
        return self.gather(shape, self.build.scalar(0, i64))

    # -- short forms

    def unsqueeze(self, value: SSAValue, axis: int) -> SSAValue:
        return self.build.make(UnsqueezeOp, value, self.build.integers([axis]))

    def gather(self, value: SSAValue, position: SSAValue) -> SSAValue:
        axis = self.build.scalar(0, i64)
        return self.build.make(GatherOp, value, position, axis, attributes={"out_of_range": "error"})

    def transpose(self, value: SSAValue, order: Sequence[int]) -> SSAValue:
        if list(order) == sorted(order):
            return value
        return self.build.make(TransposeOp, value, self.build.integers(order))

    def reshape(self, value: SSAValue, extents: Sequence[SSAValue | int]) -> SSAValue:
        """A reshape to numbers and scalars (i64)."""
        if all(isinstance(e, int) for e in extents):
            return self.build.make(
                ReshapeOp, value, self.build.integers([e for e in extents if isinstance(e, int)])
            )
        each = [self.build.integers([e]) if isinstance(e, int) else self.unsqueeze(e, 0) for e in extents]
        shape = self.build.make(JoinOp, each, attributes={"axis": 0}) if len(each) > 1 else each[0]
        return self.build.make(ReshapeOp, value, shape)

    def scalar_position(self, position: SSAValue) -> SSAValue:
        """Return a position as a scalar.

        The position may be a tensor of rank 1 with one element.
        """
        if Fact.of_type(position.type).rank == 0:
            return position
        return self.build.make(ReshapeOp, position, self.build.integers([]))

    def sequence(self, value: SSAValue) -> Sequences:
        """The layout of a sequence."""
        layout = self.layouts.of(value)
        assert not isinstance(layout, Flagged)
        return layout


def first(build: GraphBuilder, value: SSAValue, count: int, axis: int) -> SSAValue:
    """The first so many along an axis."""
    bounds = [build.integers([n]) for n in (0, count, 1, axis)]
    return build.make(SliceOp, value, *bounds)


def _least(type_: TensorType | UnrankedTensorType) -> list[int]:
    """Return the least extents of a tensor of a type.

    For an unranked type they are those of a scalar.
    """
    return [] if isinstance(type_, UnrankedTensorType) else [max(d, 0) for d in type_.get_shape()]


def as_i64(build: GraphBuilder, value: SSAValue) -> SSAValue:
    """An integer tensor as i64."""
    element: Attribute = build.fact(value).element
    return value if element == i64 else build.make(ConvertOp, value, attributes={"destination_type": i64})
