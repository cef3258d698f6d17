"""`memref-order-dimensions`: dimension orders of buffers that make vectors contiguous.

A vector of a convolution computes neighbouring output channels. In a channels-first buffer, these are a whole image
apart; in a channels-last buffer, they are contiguous. No element is moved for this: an allocation gets another shape,
and the maps of its readers and writers another order.

```mlir
%t = memref.alloc() : memref<1x16x5x5xf32>
linalg.generic {indexing_maps = [(n, o, h, w, i) -> (n, i, h, w), …, (n, o, h, w, i) -> (n, o, h, w)], …}
    ins(%x, %weights …) outs(%t : memref<1x16x5x5xf32>)
linalg.generic {indexing_maps = [(n, c, h, w) -> (n, c, h, w), …], …} ins(%t …) outs(%u …)
```
becomes
```mlir
%t = memref.alloc() : memref<1x5x5x16xf32>
linalg.generic {indexing_maps = [(n, o, h, w, i) -> (n, i, h, w), …, (n, o, h, w, i) -> (n, h, w, o)], …}
    ins(%x, %weights …) outs(%t : memref<1x5x5x16xf32>)
linalg.generic {indexing_maps = [(n, c, h, w) -> (n, h, w, c), …], …} ins(%t …) outs(%u …)
```

`permutation.py` has the families, which are buffers that keep or change their order together, since views or loops tie them, and
buffers that must not change; the states, which are outputs that loops work on and that get buffers of their own where that pays off; and
the permutation of types, maps, views and indices. The order of each family is chosen here, by the cost of vectors in that order.

A linalg.copy between two orders becomes a linalg.generic. Inputs, outputs and constants keep their order, and so does
everything that shares memory with them. An output that a loop works on gets a buffer of its own on a machine with
vectors, where RAM is not the scarcest resource. No loop of a generic changes, so sums keep their order of additions.

*Choice of the last axis of each family.* The choice is by the cost of each linalg.generic, as if vectors ran along its best parallel loop.

A step of a vector costs one instruction for its computation and one for each operand whose elements are contiguous or
all the same (this includes a constant that `linalg-pack-weights` may reorder, and what the body of a gather loads). If
the elements of an input are not contiguous, there are no vectors; such elements of a reduction's output take three
instructions each, through a tile of memory.

Families depend on each other: an elementwise operation on two of them needs the same order in both. Therefore each
candidate change makes an axis last in all families that a parallel loop joins there, such as the channels from one
convolution through bias, activation and depthwise convolutions to the next one. A change is kept if it reduces the sum
of the costs, and there are a few rounds over all changes: the search is linear in the number of operations. An
operation in a loop counts as often as the loop executes it. Then each family is considered alone: a reduction can
transpose its result on the way to memory.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from xdsl.context import Context
from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import CopyOp, GenericOp, IndexOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass

from loomir.dialects.element_types import memref_type_of
from loomir.dialects.interface import entry_of
from loomir.dialects.region_flow import owning_block
from loomir.dialects.scalars.row import constant_trips
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.machines import machine_of
from loomir.passes.loops.lower_linalg_to_loops.access import (
    LONG,
    MemRefAccess,
    accesses_of,
    is_cover,
    iterators_of,
    static_extents,
)
from loomir.passes.loops.lower_linalg_to_loops.tiling import can_be_tiled
from loomir.passes.loops.memref_order_dimensions.permutation import (
    DisjointSets,
    Families,
    Family,
    permute,
    put_back,
    with_buffers,
)
from loomir.passes.structured.lib.memrefs import packed_strides, read_pads

_APART = 3
"""Instructions for an element of a result whose neighbours lie apart."""

ROUNDS = 3
"""Number of rounds in which all changes are tried.

A change may pay off only after another one.
"""

Last = dict[Family, int]
"""Last axis of each family; a missing family keeps its order."""


@dataclass(frozen=True)
class Reader:
    """Memref operand with its access and the family that may be permuted.

    `packable` tells whether the operand itself may still be stored in any order.
    """

    access: MemRefAccess
    family: Family | None
    packable: bool


@dataclass(frozen=True, eq=False)
class Work:
    """Work of one generic.

    It records how often the generic runs, along which parallel loops vectors may run, and the operands.
    """

    times: int
    """Number of executions, from the trip counts of the enclosing loops."""
    iterations: int
    results: int
    """How often an output is written."""
    loops: Mapping[int, int]
    """Extents of the loops that vectors may run along."""
    inputs: Sequence[Reader]
    outputs: Sequence[Reader]
    costs: dict[tuple[int | None, ...], int] = field(default_factory=dict[tuple[int | None, ...], int])
    """Known costs of the work, by the last axis of each family."""

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """The families of its operands that may be permuted."""
        found = dict.fromkeys(reader.family for reader in (*self.inputs, *self.outputs))
        return tuple(family for family in found if family is not None)


def chosen_orders(function: func.FuncOp, families: Families, lanes: int) -> dict[SSAValue, list[int]]:
    """Return the new order of dimensions of each memref to permute.

    An order lists the present dimension that comes first, second, …
    """
    if not families.all():
        return {}
    costs = _Costs(function, families, lanes)
    last: Last = {}
    for _ in range(ROUNDS):
        saved = 0
        for change in costs.changes():
            saved += costs.improve(last, change)
        if not saved:
            break
    orders: dict[SSAValue, list[int]] = {}
    for family, axis in last.items():
        for value in family.values:
            order = families.order(value, _with_last(family, axis))
            if order != sorted(order):
                orders[value] = order
    return orders


def _with_last(family: Family, axis: int) -> list[int]:
    return [*(other for other in family.axes if other != axis), axis]


class _Costs:
    """The generics of a function, and what they cost with some order."""

    def __init__(self, function: func.FuncOp, families: Families, lanes: int) -> None:
        self._families = families
        self._lanes = lanes
        self._work: dict[Family, list[Work]] = {family: [] for family in families.all()}
        self._joined = DisjointSets()
        self._places: dict[int, int] = {}
        for family in families.all():
            for axis in family.axes:
                self._places[axis] = self._joined.add()
        times = _Times()
        for op in walk(function.body):
            if isinstance(op, GenericOp):
                self._add(op, times.of(op))
            elif isinstance(op, CopyOp):
                self._add_copy(op, times.of(op))

    def changes(self) -> list[Last]:
        """Return the changes to try.

        For each set of axes that loops join, one change makes it last in its families (of several such axes of one family, the
        last one). Then, for each axis, one change makes it last in its family alone.
        """
        found: dict[int, Last] = {}
        for family in self._families.all():
            for axis in family.axes:
                found.setdefault(self._joined.find(self._places[axis]), {})[family] = axis
        alone = [{family: axis} for family in self._families.all() for axis in family.axes]
        return [*found.values(), *alone]

    def improve(self, last: Last, change: Last) -> int:
        """Make a change if it saves something, and say how much."""
        changed = ChainMap(change, last)
        works = dict.fromkeys(work for family in change for work in self._work[family])
        saved = sum(self._cost(work, last) - self._cost(work, changed) for work in works)
        if saved > 0:
            last.update(change)
        return max(saved, 0)

    def _add(self, generic: GenericOp, times: int) -> None:
        accesses, pads = accesses_of(generic), read_pads(generic)
        count = len(generic.inputs)
        parallel, reductions = iterators_of(generic)
        extents = static_extents(generic, accesses, pads)
        extents = dict.fromkeys((*parallel, *reductions), LONG) | extents
        readers = [
            None if access is None else self._reader(access, value)
            for access, value in zip(accesses, generic.operands, strict=True)
        ]
        loads, scattered = self._loads(generic, accesses[:count])
        carried = all(access is None or is_cover(access.map, parallel) for access in accesses[count:])
        iterations = prod(extents.values())
        loops = {
            dim: extents[dim]
            for dim in parallel
            if extents[dim] > 1 and dim not in scattered and can_be_tiled(dim, accesses[:count], pads)
        }
        self._remember(
            Work(
                times,
                iterations,
                prod(extents[dim] for dim in parallel) if carried else iterations,
                loops,
                [*(reader for reader in readers[:count] if reader is not None), *loads],
                [reader for reader in readers[count:] if reader is not None],
            ),
        )

    def _add_copy(self, copy: CopyOp, times: int) -> None:
        """A copy between buffers is an elementwise generic."""
        target = memref_type_of(copy.outputs[0])
        identity = AffineMap.identity(target.get_num_dims())
        shape = target.get_shape()
        if not isinstance(copy.inputs[0].type, MemRefType):
            return
        readers = [self._reader(MemRefAccess.of(value, identity), value) for value in copy.operands]
        loops = {dim: extent for dim, extent in enumerate(shape) if extent > 1}
        if min(shape, default=0) >= 0:
            self._remember(Work(times, prod(shape), prod(shape), loops, readers[:1], readers[1:]))

    def _loads(
        self, generic: GenericOp, inputs: Sequence[MemRefAccess | None]
    ) -> tuple[list[Reader], set[int]]:
        """Return what the body loads by itself, as a gather does.

        With it come the loops along which no vector is loaded, because an index is computed from what moves there.
        """
        readers: list[Reader] = []
        scattered: set[int] = set()
        for load in (op for op in generic.body.block.ops if isinstance(op, memref.LoadOp)):
            exprs: list[AffineExpr] = [AffineConstantExpr(0)] * len(load.indices)
            for k, index in enumerate(load.indices):
                if isinstance(index.owner, IndexOp):
                    exprs[k] = AffineDimExpr(index.owner.dim.value.data)
                else:
                    scattered |= _dims_of(index, generic, inputs)
            access = MemRefAccess.of(load.memref, AffineMap(len(generic.iterator_types), 0, tuple(exprs)))
            readers.append(Reader(access, self._families.family(access.value), packable=False))
        return readers, scattered

    def _reader(self, access: MemRefAccess, value: SSAValue) -> Reader:
        packable = (
            isinstance(value, BlockArgument)
            and value.has_one_use()
            and value.block.parent_op() is not None
            and isinstance(value.block.parent_op(), func.FuncOp)
            and entry_of(value).is_constant
            and all(isinstance(expr, AffineDimExpr) for expr in access.map.results)
        )
        return Reader(access, self._families.family(access.value), packable)

    def _remember(self, work: Work) -> None:
        readers = [*work.inputs, *work.outputs]
        for family in work.families:
            self._work[family].append(work)
        joined: dict[int, int] = {}
        for reader in readers:
            if reader.family is None:
                continue
            shape = memref_type_of(reader.access.value).get_shape()
            axes = self._families.axes(reader.access.value)
            for expr, axis, extent in zip(reader.access.map.results, axes, shape, strict=True):
                if isinstance(expr, AffineDimExpr) and expr.position in work.loops and extent != 1:
                    place = self._places[axis]
                    self._joined.join(joined.setdefault(expr.position, place), place)

    def _cost(self, work: Work, last: Mapping[Family, int]) -> int:
        """In instructions."""
        key = tuple(last.get(family) for family in work.families)
        found = work.costs.get(key)
        if found is None:
            found = work.costs[key] = self._computed(work, last)
        return found

    def _computed(self, work: Work, last: Mapping[Family, int]) -> int:
        best = work.iterations * (1 + len(work.inputs)) + work.results * len(work.outputs)
        strides = [self._strides(reader, last) for reader in (*work.inputs, *work.outputs)]
        count = len(work.inputs)
        for dim, extent in work.loops.items():
            steps = -(-extent // self._lanes)
            steps_of_all, steps_of_results = (
                work.iterations // extent * steps,
                work.results // extent * steps,
            )
            cost = steps_of_all
            if not all(
                reader.packable or reader.access.stride_with(own, dim) in (0, 1)
                for reader, own in zip(work.inputs, strides)
            ):
                continue
            cost += steps_of_all * len(work.inputs)
            apart = sum(
                reader.access.stride_with(own, dim) != 1 for reader, own in zip(work.outputs, strides[count:])
            )
            if apart and work.results == work.iterations:
                continue
            cost += apart * work.results * _APART + (len(work.outputs) - apart) * steps_of_results
            best = min(best, cost)
        return work.times * best

    def _strides(self, reader: Reader, last: Mapping[Family, int]) -> Sequence[int | None]:
        """Return the stride of each dimension in some order.

        A part of a buffer is treated as the whole buffer, which suffices to distinguish neighbours from other elements.
        """
        value, family = reader.access.value, reader.family
        if family is None or family not in last:
            return reader.access.strides
        order = self._families.order(value, _with_last(family, last[family]))
        shape = [LONG if n == DYNAMIC_INDEX else n for n in memref_type_of(value).get_shape()]
        strides: list[int | None] = [None] * len(shape)
        for dim, stride in zip(order, packed_strides([shape[dim] for dim in order]), strict=True):
            strides[dim] = stride
        return strides


def _dims_of(index: SSAValue, generic: GenericOp, inputs: Sequence[MemRefAccess | None]) -> set[int]:
    """Return the loops with which an index that a body computes changes."""
    block, dims = generic.body.block, set[int]()
    waiting, seen = [index], set[SSAValue]()
    while waiting:
        value = waiting.pop()
        if value in seen or owning_block(value) is not block:
            continue
        seen.add(value)
        if isinstance(value, BlockArgument):
            access = inputs[value.index] if value.index < len(inputs) else None
            dims |= set(range(len(generic.iterator_types))) if access is None else access.map.used_dims()
        elif isinstance(op := value.owner, IndexOp):
            dims.add(op.dim.value.data)
        elif isinstance(op, Operation):
            waiting += op.operands
    return dims


class _Times:
    """Number of executions of operations, from the enclosing loops' trip counts.

    `LONG` stands for an unknown trip count.
    """

    def __init__(self) -> None:
        self._of: dict[Block, int] = {}

    def of(self, op: Operation) -> int:
        """The product of the trip counts."""
        block, parent = op.parent, op.parent_op()
        if block is None or parent is None:
            return 1
        if block not in self._of:
            trips = 1
            if isinstance(parent, scf.ForOp):
                known = constant_trips(parent)
                trips = LONG if known is None else known
            elif isinstance(parent, scf.WhileOp):
                trips = LONG
            self._of[block] = trips * self.of(parent)
        return self._of[block]


_LANES = 4
"""Vector elements if the C compiler itself vectorizes.

Nearly every processor with vectors supports this number.
"""


@dataclass(frozen=True)
class MemrefOrderDimensionsPass(ModulePass):
    """Gives buffers of static shapes the order that suits vectors.

    See the package's docstring.

    `machine` is the target machine. A machine without vectors counts as one of four lanes: contiguous rows
    (`lower_linalg_to_loops/nest_body.py`) are read and written faster on any processor.
    """

    name = "memref-order-dimensions"
    EXACT = True

    machine: str = "generic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lanes = machine_of(self.machine).lanes
        for function in op.body.block.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                states = with_buffers(function) if lanes > 1 else []
                orders = chosen_orders(function, Families(function), max(_LANES, lanes))
                put_back(states, orders)
                if orders:
                    permute(function, orders)
