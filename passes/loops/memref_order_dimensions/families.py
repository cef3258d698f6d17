"""Families of memrefs that are permuted together, and their axes.

The dimensions of the memrefs represent the axes.

    %e = memref.expand_shape %t [[0], [1, 2], [3], [4]] …: memref<1x8x6x6xf32> into memref<1x8x1x6x6xf32>

ties `%t` and `%e`. Dimension 1 of `%t` and dimensions 1 and 2 of `%e` are one *axis*: in any order of the axes, the
dimensions of one axis stay together and keep their order, so that the view remains a view. A reshape that joins
dimensions which other views distinguish leaves one axis, and then there is nothing to permute.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, NoneAttr, UnrealizedConversionCastOp
from xdsl.dialects.linalg.ops import CopyOp, FillOp, GenericOp
from xdsl.ir import Operation, SSAValue

from loomir.dialects.region_flow import region_flow
from loomir.dialects.scalars import NUMBERS
from loomir.dialects.tensors import memref_type_of
from loomir.dialects.walking import walk
from loomir.passes.structured.bufferize.memrefs import groups_of


class DisjointSets:
    """Disjoint sets of numbers (union–find).

    One of its numbers represents a set.
    """

    def __init__(self) -> None:
        self._parents: list[int] = []

    def add(self, count: int = 1) -> int:
        """Add the next numbers, each in its own set; return the first."""
        first = len(self._parents)
        self._parents += range(first, first + count)
        return first

    def find(self, number: int) -> int:
        """The number by which its set goes."""
        parents = self._parents
        while parents[number] != number:
            parents[number] = number = parents[parents[number]]
        return number

    def join(self, a: int, b: int) -> None:
        """Unite the sets of two numbers."""
        self._parents[self.find(b)] = self.find(a)


@dataclass(eq=False)
class Family:
    """Memrefs that are permuted together, and their axes.

    The memrefs are in program order, the axes in their present order, outermost first.
    """

    values: list[SSAValue] = field(default_factory=list[SSAValue])
    axes: list[int] = field(default_factory=list[int])
    movable: bool = True
    """True if all memrefs of the family may be permuted."""


class Families:
    """The families of a function."""

    def __init__(self, function: func.FuncOp) -> None:
        self._axes = DisjointSets()
        self._families = DisjointSets()
        self._first_axis: dict[SSAValue, int] = {}
        self._numbers: dict[SSAValue, int] = {}
        self._pinned: list[SSAValue] = []
        for argument in function.body.block.args:
            self._pin([argument])
        for op in walk(function.body):
            self._visit(op)
        self._by_number: dict[int, Family] = {}
        self._collect()

    def family(self, value: SSAValue) -> Family | None:
        """The family of a memref that may be permuted, else None."""
        number = self._numbers.get(value)
        if number is None:
            return None
        family = self._by_number[self._families.find(number)]
        return family if family.movable else None

    def axes(self, value: SSAValue) -> list[int]:
        """The axis of each dimension of a memref."""
        first = self._first_axis[value]
        return [self._axes.find(first + dim) for dim in range(memref_type_of(value).get_num_dims())]

    def all(self) -> list[Family]:
        """The families that may be permuted, in the order of the program."""
        return [family for family in self._by_number.values() if family.movable]

    def order(self, value: SSAValue, axes: Sequence[int]) -> list[int]:
        """Return a memref's dimension order for an order of its family's axes."""
        places = {axis: place for place, axis in enumerate(axes)}
        own = self.axes(value)
        return sorted(range(len(own)), key=lambda dim: places[own[dim]])

    def _know(self, value: SSAValue) -> None:
        if value not in self._numbers:
            self._numbers[value] = self._families.add()
            self._first_axis[value] = self._axes.add(memref_type_of(value).get_num_dims())

    def _pin(self, values: Sequence[SSAValue]) -> None:
        for value in values:
            if isinstance(value.type, MemRefType):
                self._know(value)
                self._pinned.append(value)

    def _tie(self, a: SSAValue, b: SSAValue, groups: Sequence[Sequence[int]] | None = None) -> None:
        """Put two memrefs into one family.

        `groups` lists the dimensions of `b` that each dimension of `a` represents; without it, the dimensions correspond one to
        one.
        """
        if not isinstance(a.type, MemRefType) or not isinstance(b.type, MemRefType):
            return
        self._know(a)
        self._know(b)
        self._families.join(self._numbers[a], self._numbers[b])
        if groups is None and a.type.get_num_dims() != b.type.get_num_dims():
            self._pin([a])
            return
        for dim, group in enumerate(groups or [[dim] for dim in range(a.type.get_num_dims())]):
            for other in group:
                self._axes.join(self._first_axis[a] + dim, self._first_axis[b] + other)

    def _visit(self, op: Operation) -> None:
        """Tie and pin the memrefs of an operation.

        A memref is pinned unless it is known that it may have any order.
        """
        if (flow := region_flow(op)) is not None:
            self._pin([o for o in op.operands if isinstance(o.type, MemRefType) and not _is_packed(o)])
            for edge in flow.edges:
                for source, target in edge.pairs:
                    self._tie(source, target)
            return
        if type(op) in NUMBERS:
            return
        match op:
            case memref.AllocOp() if (
                not op.dynamic_sizes and not op.symbol_operands and _is_packed(op.memref)
            ):
                self._know(op.memref)
            case memref.CollapseShapeOp():
                self._tie(op.result, op.src, groups_of(op.reassociation))
            case memref.ExpandShapeOp():
                self._tie(op.src, op.result, groups_of(op.reassociation))
            case memref.CastOp() | UnrealizedConversionCastOp() if _is_packed(op.results[0]):
                self._tie(op.operands[0], op.results[0])
            case memref.SubviewOp():
                self._tie(op.source, op.result)
            case arith.SelectOp() if isinstance(op.result.type, MemRefType) and _is_packed(op.result):
                self._tie(op.lhs, op.result)
                self._tie(op.rhs, op.result)
            case GenericOp() | FillOp() | CopyOp() | memref.LoadOp() | memref.StoreOp():
                self._pin(op.results)
            case scf.YieldOp() | scf.ConditionOp():
                self._pin([o for o in op.operands if isinstance(o.type, MemRefType) and not _is_packed(o)])
            case _:
                self._pin([*op.operands, *op.results])

    def _collect(self) -> None:
        for value, number in self._numbers.items():
            family = self._by_number.setdefault(self._families.find(number), Family())
            family.values.append(value)
            if DYNAMIC_INDEX in memref_type_of(value).get_shape() and not isinstance(
                value.owner, memref.SubviewOp
            ):
                family.movable = False
        for value in self._pinned:
            self._by_number[self._families.find(self._numbers[value])].movable = False
        for family in self._by_number.values():
            if family.movable:
                family.axes = list(
                    dict.fromkeys(axis for value in family.values for axis in self.axes(value))
                )
                # Views that join dimensions in different ways may leave an axis whose dimensions are apart.
                family.movable = all(
                    (order := self.order(value, family.axes)) == sorted(order) for value in family.values
                )


def _is_packed(value: SSAValue) -> bool:
    return isinstance(memref_type_of(value).layout, NoneAttr)
