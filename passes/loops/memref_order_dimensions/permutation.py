"""Families of memrefs that are permuted together, and their permutation.

*Families.* The dimensions of a family's memrefs represent its axes.

    %e = memref.expand_shape %t [[0], [1, 2], [3], [4]] …: memref<1x8x6x6xf32> into memref<1x8x1x6x6xf32>

ties `%t` and `%e`. Dimension 1 of `%t` and dimensions 1 and 2 of `%e` are one *axis*: in any order of the axes, the
dimensions of one axis stay together and keep their order, so that the view remains a view. A reshape that joins
dimensions which other views distinguish leaves one axis, and then there is nothing to permute.

*States.* Outputs that loops work on get buffers of their own.

These buffers may have another order than that of the model:

    memref.copy %h0, %out                          %h = memref.alloc()
    scf.for %t … {                                 memref.copy %h0, %h
      linalg.generic ins(%out …) outs(%out)   →    scf.for %t … {
    }                                                linalg.generic ins(%h …) outs(%h)
    return                                         }
                                                   memref.copy %h, %out
                                                   return

A loop-carried state is read and written in each iteration, and moved to its place once. The buffers are for states
whose buffer then gets another order; the other states are restored, and need no memory.

*Permutation.* `permute` changes the types, maps, views and indices of memrefs with permuted dimensions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    MemRefType,
    NoneAttr,
    UnrealizedConversionCastOp,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg.ops import CopyOp, FillOp, GenericOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.element_types import memref_type_of, set_type
from loomir.dialects.interface import entry_of
from loomir.dialects.region_flow import region_flow
from loomir.dialects.scalars import NUMBERS
from loomir.dialects.upstream.construction import allocation
from loomir.dialects.upstream.implicit_bodies import buffer_copy
from loomir.dialects.upstream.walking import walk
from loomir.passes.loops.lower_linalg_to_loops import as_generic
from loomir.passes.structured.lib.memrefs import (
    PADS_ATTR,
    collapse_type,
    expand_type,
    groups_of,
    permuted_pads,
    reassociation,
    subview_type,
)


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


@dataclass(frozen=True)
class BufferedOutput:
    """Output with the buffer in its place and the final copy."""

    output: BlockArgument
    buffer: memref.AllocOp
    copy: CopyOp


def with_buffers(function: FuncOp) -> list[BufferedOutput]:
    """Replace each output that a loop works on by a buffer.

    The loop must work on the output as a whole, and the output must have more than one dimension of several elements.
    """
    block = function.body.block
    end = block.last_op
    if not isinstance(end, ReturnOp):
        return []
    states: list[BufferedOutput] = []
    for output in block.args:
        if not _is_state(output):
            continue
        type_ = memref_type_of(output)
        buffer = allocation(type_)
        output.replace_all_uses_with(buffer.memref)
        Rewriter.insert_op(buffer, InsertPoint.at_start(block))
        copy = buffer_copy(buffer.memref, output)
        buffer.location = copy.location = function.location
        Rewriter.insert_op(copy, InsertPoint.before(end))
        states.append(BufferedOutput(output, buffer, copy))
    return states


def put_back(states: Collection[BufferedOutput], moved: Collection[SSAValue]) -> None:
    """Remove the buffers that do not get another order."""
    for state in states:
        if state.buffer.memref not in moved:
            Rewriter.erase_op(state.copy)
            Rewriter.replace_op(state.buffer, [], [state.output])


def _is_state(argument: BlockArgument) -> bool:
    """Return True if an argument is a state.

    A state is a packed output that is an operand of a linalg.generic within a loop, and that has two dimensions of several
    elements.
    """
    if entry_of(argument).role != "output":
        return False
    type_ = memref_type_of(argument)
    shape = type_.get_shape()
    if (
        DYNAMIC_INDEX in shape
        or not isinstance(type_.layout, NoneAttr)
        or sum(extent > 1 for extent in shape) < 2
    ):
        return False
    return any(isinstance(use.operation, GenericOp) and _is_in_loop(use.operation) for use in argument.uses)


def _is_in_loop(op: Operation) -> bool:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, FuncOp):
        if isinstance(parent, scf.ForOp | scf.WhileOp):
            return True
        parent = parent.parent_op()
    return False


Order = Sequence[int]
Orders = Mapping[SSAValue, Order]

T = TypeVar("T")


def permute(function: func.FuncOp, orders: Orders) -> None:
    """Permute the memrefs of a function.

    `orders` lists, for each memref, the dimensions that come first, second, …; a missing memref stays unchanged.

    Memrefs that views tie are permuted alike (`permutation.py`).
    """
    for op in list(walk(function.body)):
        _permute(op, orders)


def _permute(op: Operation, orders: Orders) -> None:
    if region_flow(op) is not None:
        # (The second region of an `scf.if` may be empty.)
        for value in (*op.results, *(arg for region in op.regions for b in region.blocks for arg in b.args)):
            _set_packed(value, orders)
        return
    match op:
        case memref.AllocOp() | memref.CastOp() | UnrealizedConversionCastOp() | arith.SelectOp():
            _set_packed(op.results[0], orders)
        case memref.SubviewOp():
            _subview(op, orders)
        case memref.ExpandShapeOp() if op.src in orders or op.result in orders:
            groups = groups_of(op.reassociation)
            order = _order(op.src, orders)
            groups = _renumbered([groups[dim] for dim in order])
            shape = _permuted(memref_type_of(op.result).get_shape(), _order(op.result, orders))
            op.properties["reassociation"] = reassociation(groups)
            op.properties["static_output_shape"] = DenseArrayBase.from_list(i64, shape)
            set_type(op.result, expand_type(memref_type_of(op.src), groups, shape))
        case memref.CollapseShapeOp() if op.src in orders or op.result in orders:
            groups = groups_of(op.reassociation)
            order = _order(op.result, orders)
            groups = _renumbered([groups[dim] for dim in order])
            shape = _permuted(memref_type_of(op.result).get_shape(), order)
            op.properties["reassociation"] = reassociation(groups)
            type = collapse_type(memref_type_of(op.src), groups, shape, trusted=True)
            assert type is not None, "dimensions that are joined stay together"
            set_type(op.result, type)
        case memref.LoadOp() | memref.StoreOp() if op.memref in orders:
            before = len(op.operands) - len(op.indices)
            op.operands = [*op.operands[:before], *_permuted(op.indices, orders[op.memref])]
        case CopyOp():
            if _order(op.inputs[0], orders) != _order(op.outputs[0], orders):
                _generic(as_generic(op), orders)
        case GenericOp():
            _generic(op, orders)
        case _:
            pass


def _order(value: SSAValue, orders: Orders) -> Order:
    return orders.get(value) or list(range(memref_type_of(value).get_num_dims()))


def _permuted(items: Sequence[T], order: Order) -> list[T]:
    return [items[dim] for dim in order]


def _renumbered(groups: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return a view's groups, renumbered for dimensions in their new order.

    Each group follows the previous one.
    """
    found: list[list[int]] = []
    first = 0
    for group in groups:
        found.append(list(range(first, first + len(group))))
        first += len(group)
    return found


def _set_packed(value: SSAValue, orders: Orders) -> None:
    order = orders.get(value)
    if order is not None:
        type = memref_type_of(value)
        shape = _permuted(type.get_shape(), order)
        set_type(value, MemRefType(type.element_type, shape, type.layout, type.memory_space))


def _subview(op: memref.SubviewOp, orders: Orders) -> None:
    order = orders.get(op.result)
    if order is None:
        return
    static: list[list[int | None]] = []
    dynamic: list[list[SSAValue]] = []
    for name, values in (("offsets", op.offsets), ("sizes", op.sizes), ("steps", op.strides)):
        attribute = {"offsets": op.static_offsets, "sizes": op.static_sizes, "steps": op.static_strides}[name]
        given = iter(values)
        mixed = [next(given) if n == DYNAMIC_INDEX else n for n in attribute.get_values()]
        mixed = _permuted(mixed, order)
        static.append([n if isinstance(n, int) else None for n in mixed])
        dynamic.append([n for n in mixed if isinstance(n, SSAValue)])
    type = subview_type(memref_type_of(op.source), *static)
    op.operands = [op.source, *dynamic[0], *dynamic[1], *dynamic[2]]
    for name, numbers in zip(("static_offsets", "static_sizes", "static_strides"), static, strict=True):
        plain = [DYNAMIC_INDEX if n is None else n for n in numbers]
        op.properties[name] = DenseArrayBase.from_list(i64, plain)
    set_type(op.result, type)


def _generic(op: GenericOp, orders: Orders) -> None:
    maps: list[Attribute] = []
    for position, (value, attribute) in enumerate(zip(op.operands, op.indexing_maps.data, strict=True)):
        order = orders.get(value)
        map = attribute.data
        if order is not None:
            map = AffineMap(map.num_dims, map.num_symbols, tuple(_permuted(map.results, order)))
            pads = permuted_pads(op, position, order)
            if pads is not None:
                op.attributes[PADS_ATTR] = pads
        maps.append(AffineMapAttr(map))
    op.properties["indexing_maps"] = ArrayAttr(maps)
