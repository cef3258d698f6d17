"""Which operations certainly overwrite a whole buffer before anything in it is read.

That ends a buffer's life backwards: what it held before doesn't matter. In LOOPS a buffer is filled by a nest
of loops,

    scf.for %i = 0 to 4 { scf.for %j = 0 to 8 { …; memref.store %v, %b[%i, %j] } }

or piecewise by several (a concatenation into subviews), so stores are summed up as boxes: per dimension a
first index and a length, in the coordinates of the buffer. A store counts if every loop around it, up to the
operation asked about, has constant bounds, step 1 (for vectors, a step of as many lanes as they have) and at
least one trip, and no `scf.if` or `scf.while` lies between.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.dialects.linalg.ops import CopyOp, FillOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from loomir.dialects.region_flow import region_flow
from loomir.dialects.scalars.constants import constant_integer
from loomir.dialects.tensors import memref_type_of
from loomir.dialects.vectors import accessed_lanes, buffer_of
from loomir.passes.analysis.aliasing import Aliasing

Range: TypeAlias = "tuple[int, int]"
"""First index and length."""

Box: TypeAlias = "tuple[Range, ...]"

MAX_BOXES = 64
"""A buffer written in more pieces than this is taken not to be overwritten: boxes are compared pairwise."""


@dataclass
class _Store:
    """A store on its way out of loops: per dimension a range, or an induction variable that is still open.

    `lanes` is what a store of a vector takes of the last dimension from its index on.
    """

    target: SSAValue
    dims: list[Range | tuple[SSAValue, int]]
    lanes: int = 1


class Overwrites:
    """For every block of a function, the operations at which a buffer's old contents end.

    `killed[op]` has the bits (as in `Aliasing`) of the buffers of which everything is overwritten by `op`, or
    by `op` and later operations of its block, while none of them is read in between.
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
        match op:
            case memref.StoreOp() | vector.StoreOp():
                dims, lanes = [_index_range(index) for index in op.indices], accessed_lanes(op)
                if lanes > 1 and dims and isinstance(first := dims[-1][0], int):
                    dims[-1] = first, lanes
                return [_Store(buffer_of(op), dims, lanes)]
            case memref.CopyOp():
                return [_whole(op.destination)]
            case FillOp() | CopyOp():
                return [_whole(op.outputs[0])]
            case scf.ForOp():
                stores = self._block(op.body.block)
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
        """A store in terms of the buffer itself; None if a loop is still open or the views are not understood."""
        box: list[Range] = []
        for dim in store.dims:
            if isinstance(dim[0], SSAValue):
                return None
            box.append((dim[0], dim[1]))
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


def _whole(value: SSAValue) -> _Store:
    return _Store(value, [(0, extent) for extent in memref_type_of(value).get_shape()])


def _index_range(index: SSAValue) -> Range | tuple[SSAValue, int]:
    """A constant as the range of that one index; a loop's variable, perhaps plus a constant, as it is."""
    if (number := constant_integer(index)) is not None:
        return number, 1
    op = index.owner
    if isinstance(op, arith.AddiOp) and isinstance(op.lhs, BlockArgument):
        offset = constant_integer(op.rhs)
        if offset is not None:
            return op.lhs, offset
    return index, 0


def _close(store: _Store, iv: SSAValue, lower: int, upper: int, step: int) -> _Store | None:
    """A store seen from outside a loop; None if it doesn't reach a range there."""
    dims = list(store.dims)
    seen = False
    for i, dim in enumerate(dims):
        if dim[0] is iv:
            # A step of as many lanes as are stored leaves no gap, and none goes too far if they divide the distance.
            lanes = store.lanes if i == len(dims) - 1 else 1
            if seen or step != lanes or (upper - lower) % lanes:
                return None
            seen = True
            dims[i] = (lower + dim[1], upper - lower)
    return _Store(store.target, dims, store.lanes)


def tiles(shape: tuple[int, ...], boxes: list[Box]) -> bool:
    """Whether boxes inside a shape, disjoint ones, fill it.

    >>> tiles((4, 2), [((0, 1), (0, 2)), ((1, 3), (0, 2))]), tiles((4, 2), [((0, 3), (0, 2))])
    (True, False)
    """
    if sum(prod(n for _, n in box) for box in boxes) != prod(shape):
        return False
    return not any(_overlap(a, b) for i, a in enumerate(boxes) for b in boxes[:i])


def _overlap(a: Box, b: Box) -> bool:
    return all(x < y + m and y < x + n for (x, n), (y, m) in zip(a, b))
