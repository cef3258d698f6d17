"""Aliasing of buffers, and operations that overwrite whole buffers.

**The buffers that a memref value may refer to** (`Aliasing`). A *base* is the origin of memory: an allocation or an argument of the
function. Views (`memref.subview`, `expand_shape` …), `arith.select` and the results and arguments of `scf` operations forward bases;
for a buffer that rotates through a loop, the loop's arguments have all bases of its rotation group. The arguments of a function do
not overlap (according to the calling convention), nor do two allocations; two `memref.view`s of one arena share the base and may
overlap.

The analysis is one forward propagation to a fixpoint over bit sets. It is linear except for loops, whose arguments are
visited again when their back edge adds a base.

**Operations that certainly overwrite a whole buffer before any read** (`Overwrites`). That ends a buffer's life backwards: its
earlier contents don't matter. In LOOPS a buffer is filled by a nest of loops,

    scf.for %i = 0 to 4 { scf.for %j = 0 to 8 { …; memref.store %v, %b[%i, %j] } }

or piecewise by several (a concatenation into subviews), so stores are collected as boxes: per dimension a first index and a
length, in the coordinates of the buffer. A store counts if every loop around it, up to the operation in question, has constant
bounds and at least one trip, and steps by the length that its stores fill (the elements of a tile, possibly vectors, are stored
next to each other; `%b[4 * %i + %j]` fills a row of tiles), and no `scf.if` or `scf.while` lies between.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from xdsl.dialects import arith, func, memref, scf, vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, UnrealizedConversionCastOp
from xdsl.dialects.linalg.ops import CopyOp, FillOp
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects import quads
from loomir.dialects.affine_forms import AffineForm
from loomir.dialects.element_types import memref_type_of
from loomir.dialects.region_flow import region_flow
from loomir.dialects.scalars import NUMBERS
from loomir.dialects.scalars.integer_forms import form_of
from loomir.dialects.scalars.row import constant_integer
from loomir.dialects.upstream.walking import walk
from loomir.dialects.vectors import lanes_of

VIEWS = (
    memref.SubviewOp,
    memref.CastOp,
    memref.ViewOp,
    memref.ExpandShapeOp,
    memref.CollapseShapeOp,
    memref.ReinterpretCastOp,
    memref.MemorySpaceCastOp,
    UnrealizedConversionCastOp,
    quads.ViewOp,
)
"""Operations whose only result is a view of their first operand's memory.

For the cast that represents padding, the view lies around that memory.
"""


class Aliasing:
    """Bases of every memref value in a function, as bit sets.

    Bit `i` stands for `bases[i]`.

    The results stay valid while operations are replaced, as long as the memref values themselves remain.
    """

    def __init__(self, function: func.FuncOp) -> None:
        self.bases: list[SSAValue] = []
        self._masks: dict[SSAValue, int] = {}
        self._flows: dict[SSAValue, list[SSAValue]] = {}
        for argument in function.body.block.args:
            self._add_base(argument)
        for op in walk(function.body):
            self._visit(op)
        self._propagate()

    def mask(self, value: SSAValue) -> int:
        """The bases that a memref may stand for, as bits."""
        return self._masks.get(value, 0)

    def base(self, value: SSAValue) -> SSAValue | None:
        """Return a memref's only base, or None if there are several."""
        mask = self.mask(value)
        return self.bases[mask.bit_length() - 1] if mask and not mask & (mask - 1) else None

    def may_alias(self, a: SSAValue, b: SSAValue) -> bool:
        """Return True if two memrefs may share memory."""
        return bool(self.mask(a) & self.mask(b))

    def _add_base(self, value: SSAValue) -> None:
        if type(value.type) is MemRefType:
            self._masks[value] = 1 << len(self.bases)
            self.bases.append(value)

    def _flow(self, source: SSAValue, target: SSAValue) -> None:
        if type(target.type) is MemRefType:
            self._flows.setdefault(source, []).append(target)

    def _visit(self, op: Operation) -> None:
        if not op.results:
            # A loop or branch without results carries nothing.
            return
        if (flow := region_flow(op)) is not None:
            for edge in flow.edges:
                for source, target in edge.pairs:
                    self._flow(source, target)
            return
        if type(op) in NUMBERS or MemRefType not in [type(result.type) for result in op.results]:
            return
        match op:
            case _ if type(op) in VIEWS:
                self._flow(op.operands[0], op.results[0])
            case arith.SelectOp():
                self._flow(op.lhs, op.result)
                self._flow(op.rhs, op.result)
            case _:
                # An operation of any other kind gives new memory, and may give back what it was handed.
                for result in op.results:
                    self._add_base(result)
                    if type(result.type) is MemRefType:
                        for operand in op.operands:
                            self._flow(operand, result)

    def _propagate(self) -> None:
        work = deque(self._masks)
        while work:
            source = work.popleft()
            mask = self._masks[source]
            for target in self._flows.get(source, ()):
                old = self._masks.get(target, 0)
                if mask & ~old:
                    self._masks[target] = old | mask
                    work.append(target)


Range: TypeAlias = "tuple[int, int]"
"""First index and length."""

Box: TypeAlias = "tuple[Range, ...]"

MAX_BOXES = 64
"""Maximum number of pieces of an overwritten buffer.

A buffer written in more pieces is assumed not to be overwritten, because boxes are compared pairwise.
"""


@dataclass(frozen=True)
class _Span:
    """Indices from a form on.

    The symbols of the form are induction variables whose loops have not been left yet, and values that are not known.
    """

    first: AffineForm[SSAValue]
    length: int


@dataclass
class _Store:
    """Store that is being propagated out of loops."""

    target: SSAValue
    dims: list[_Span]


_STORES = frozenset({memref.StoreOp, vector.StoreOp, memref.CopyOp, FillOp, CopyOp})
"""Operations that may overwrite everything, beside those with regions."""


class Overwrites:
    """Operations at which a buffer's old contents end, for all blocks.

    `killed[op]` has the bits (as in `Aliasing`) of the buffers of which everything is overwritten by `op`, or by `op` and later
    operations of its block, while none of them is read in between.
    """

    def __init__(self, block: Block, aliasing: Aliasing, reads: dict[Operation, int]) -> None:
        """`reads`: the buffers that each operation, its regions included, may read."""
        self.aliasing = aliasing
        self.reads = reads
        self.killed: dict[Operation, int] = {}
        self._block(block)

    def _block(self, block: Block) -> list[_Store]:
        """All certain stores of a block; fills `killed` for its operations."""
        stores: list[_Store] = []
        pieces: dict[int, tuple[Operation, list[Box]]] = {}
        for op in block.ops:
            mine = self._operation(op)
            read = self.reads.get(op, 0)
            if read and pieces:
                for bit in [bit for bit in pieces if bit & read]:
                    del pieces[bit]
            for store in mine:
                if (found := self._box(store)) is None:
                    continue
                base, box = found
                bit = self.aliasing.mask(base)
                if bit & read:
                    continue
                first, boxes = pieces.setdefault(bit, (op, []))
                if box not in boxes and len(boxes) < MAX_BOXES:
                    boxes.append(box)
                    if tiles(memref_type_of(base).get_shape(), boxes):
                        self.killed[first] = self.killed.get(first, 0) | bit
                        del pieces[bit]
            stores += mine
        return stores

    def _operation(self, op: Operation) -> list[_Store]:
        if not op.regions and type(op) not in _STORES:
            return []
        match op:
            case memref.StoreOp():
                return [_store(op.memref, [_span(index, 1) for index in op.indices])]
            case vector.StoreOp():
                *outer, last = op.indices
                lanes = lanes_of(op.vector.type)
                return [_store(op.base, [*(_span(i, 1) for i in outer), _span(last, lanes)])]
            case memref.CopyOp():
                return [_whole_store(op.destination)]
            case FillOp() | CopyOp():
                return [_whole_store(op.outputs[0])]
            case scf.ForOp():
                stores = _joined(self._block(op.body.block))
                lower, upper, step = (constant_integer(v) for v in (op.lb, op.ub, op.step))
                if lower is None or upper is None or step is None or upper <= lower:
                    return []
                iv = op.body.block.args[0]
                return [
                    s for s in (_close(store, iv, lower, upper, step) for store in stores) if s is not None
                ]
            case _:
                inside = {region: self._block(region.block) for region in op.regions if region.blocks}
                # A region that runs whenever the operation does, as what an scf.while has before its condition.
                sure = [] if (flow := region_flow(op)) is None else flow.successors(None)
                return inside[sure[0]] if len(sure) == 1 and sure[0] is not None else []

    def _box(self, store: _Store) -> tuple[SSAValue, Box] | None:
        """Return a store in the coordinates of the buffer itself, or None.

        The result is None if a loop has not been left yet or the views are not supported.
        """
        box: list[Range] = []
        for dim in store.dims:
            if (first := dim.first.number) is None:
                return None
            box.append((first, dim.length))
        value = store.target
        while True:
            shape = memref_type_of(value).get_shape()
            whole = DYNAMIC_INDEX not in shape and box == [(0, extent) for extent in shape]
            op = value.owner
            match op:
                case memref.CastOp():
                    value = op.source
                case memref.SubviewOp() if DYNAMIC_INDEX not in op.static_offsets.get_values() and all(
                    stride == 1 for stride in op.static_strides.get_values()
                ):
                    box = [(o + first, n) for o, (first, n) in zip(op.static_offsets.get_values(), box)]
                    value = op.source
                case memref.ExpandShapeOp() | memref.CollapseShapeOp() if whole:
                    value = op.src
                    box = [(0, extent) for extent in memref_type_of(value).get_shape()]
                case _:
                    break
        base = self.aliasing.base(value)
        if base is None or base.type != value.type or DYNAMIC_INDEX in memref_type_of(value).get_shape():
            return None
        return base, tuple(box)


def _whole_store(value: SSAValue) -> _Store:
    shape = memref_type_of(value).get_shape()
    return _store(value, [_Span(AffineForm(0), extent) for extent in shape])


def _store(target: SSAValue, dims: list[_Span]) -> _Store:
    """Return a store in the coordinates of the viewed memory."""
    while isinstance(op := target.owner, memref.SubviewOp) and len(dims) == len(op.static_offsets):
        if any(stride != 1 for stride in op.static_strides.get_values()):
            break
        given = iter(op.offsets)
        offsets = [
            form_of(next(given), exact=False) if offset == DYNAMIC_INDEX else AffineForm[SSAValue](offset)
            for offset in op.static_offsets.get_values()
        ]
        dims = [_Span(offset + dim.first, dim.length) for offset, dim in zip(offsets, dims)]
        target = op.source
    return _Store(target, dims)


def _span(index: SSAValue, length: int) -> _Span:
    """Return the indices from an index on."""
    return _Span(form_of(index, exact=False), length)


def _joined(stores: list[_Store]) -> list[_Store]:
    """Merge adjacent stores of a block.

    Merging proceeds along the last dimension first, then along those before it.
    """
    for dim in reversed(range(max((len(store.dims) for store in stores), default=0))):
        found: list[_Store] = []
        for store in stores:
            last = found[-1] if found else None
            if last is not None and (both := _both(last, store, dim)) is not None:
                found[-1] = both
            else:
                found.append(store)
        stores = found
    return stores


def _both(first: _Store, second: _Store, dim: int) -> _Store | None:
    """Merge two stores that are adjacent along a dimension, or return None.

    The second must begin where the first ends, and they must be the same along all other dimensions.
    """
    if first.target is not second.target or dim >= len(first.dims):
        return None
    if any(a != b for i, (a, b) in enumerate(zip(first.dims, second.dims)) if i != dim):
        return None
    at, following = first.dims[dim], second.dims[dim]
    if at.first + at.length != following.first:
        return None
    dims = list(first.dims)
    dims[dim] = _Span(at.first, at.length + following.length)
    return _Store(first.target, dims)


def _close(store: _Store, iv: SSAValue, lower: int, upper: int, step: int) -> _Store | None:
    """Return a store as seen from outside a loop, or None.

    The result is None if the store doesn't cover a range there.
    """
    dims = list(store.dims)
    trips = -(-(upper - lower) // step)
    seen = False
    for i, dim in enumerate(dims):
        factor = dim.first.coefficient(iv)
        if not factor:
            continue
        if seen or (trips > 1 and abs(factor) * step != dim.length):
            return None
        seen = True
        least = lower if factor > 0 else lower + (trips - 1) * step
        dims[i] = _Span(dim.first.without(iv) + factor * least, trips * dim.length)
    return _Store(store.target, dims)


def tiles(shape: tuple[int, ...], boxes: list[Box]) -> bool:
    """Return True if disjoint boxes inside a shape fill it.

    >>> tiles((4, 2), [((0, 1), (0, 2)), ((1, 3), (0, 2))]), tiles((4, 2), [((0, 3), (0, 2))])
    (True, False)
    """
    if sum(prod(n for _, n in box) for box in boxes) != prod(shape):
        return False
    return not any(_overlap(a, b) for i, a in enumerate(boxes) for b in boxes[:i])


def _overlap(a: Box, b: Box) -> bool:
    return all(x < y + m and y < x + n for (x, n), (y, m) in zip(a, b))
