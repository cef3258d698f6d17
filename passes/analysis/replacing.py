"""Buffers that an elementwise nest may overwrite in place.

    scf.for %i { scf.for %j { %v = memref.load %a[%i, %j]; …; memref.store %w, %b[%i, %j] } }

If nothing in %a is needed after the nest, %a and %b conflict only because later iterations still read %a. But each iteration
reads just the element that it writes, so the two may lie at the very same address, though not partly overlap. That holds if the
store is the nest's only access to %b, and all accesses to %a are loads before it, in its block, at its indices; if every loop of
the nest is one of the indices, so that no iteration returns to an element; and if %a and %b have equal shapes and elements of
equal size.

The same holds for vectors: a load and a store of equally many lanes at the same indices, and steps of at least that many.

Two loops may share an index, for example a loop over tiles and one over the elements of a tile: in `%i + %j` all iterations
differ if the step of %i is at least the range of %j.
"""

from __future__ import annotations

from collections import Counter

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, IntegerType, MemRefType, NoneAttr
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.scalars.constants import constant_integer
from loomir.dialects.tensors import memref_type_of
from loomir.dialects.vectors import LOADS, STORES, Load, Store, accessed_lanes, buffer_of
from loomir.dialects.walking import walk
from loomir.passes.analysis.aliasing import Aliasing

_ACCESSES = frozenset((*LOADS, *STORES))


class Replacing:
    """Finder of the buffers that a store may replace element by element."""

    def __init__(self, aliasing: Aliasing) -> None:
        self.aliasing = aliasing
        self._loads: dict[tuple[Block, int, tuple[SSAValue, ...]], list[tuple[int, Load]]] = {}
        self._numbers: dict[Operation, int] = {}
        self._accesses: dict[Operation, Counter[int]] = {}

    def add(self, op: Operation, number: int) -> None:
        """Note a load or a store, with its place in the program."""
        if type(op) not in _ACCESSES:
            return
        if isinstance(op, LOADS) and op.parent is not None:
            key = op.parent, accessed_lanes(op), tuple(op.indices)
            self._loads.setdefault(key, []).append((number, op))
        elif isinstance(op, STORES):
            self._numbers[op] = number

    def nest_of(self, store: Store) -> scf.ForOp | None:
        """Return the outermost loop whose iterations the store's indices distinguish.

        The indices also distinguish the iterations of all loops inside it, around the store.
        """
        widths = [1] * (len(store.indices) - 1) + [accessed_lanes(store)]
        indices = {v for index, width in zip(store.indices, widths) for v in _told_apart(index, width)}
        nest: scf.ForOp | None = None
        parent = store.parent_op()
        while isinstance(parent, scf.ForOp) and parent.body.block.args[0] in indices:
            nest, parent = parent, parent.parent_op()
        return nest

    def replaceable(self, store: Store, nest: scf.ForOp) -> int:
        """Return the buffers, as bits, that the store may overwrite.

        The buffers must not be needed after the nest.
        """
        buffer = buffer_of(store)
        target = self.aliasing.mask(buffer)
        accesses = self._accesses_in(nest)
        if not _whole(buffer, self.aliasing) or accesses[target] != 1:
            return 0
        assert store.parent is not None
        matching: Counter[int] = Counter()
        key = store.parent, accessed_lanes(store), tuple(store.indices)
        for number, load in self._loads.get(key, ()):
            loaded = buffer_of(load)
            if (
                number < self._numbers[store]
                and _whole(loaded, self.aliasing)
                and _same_layout(loaded, buffer)
            ):
                matching[self.aliasing.mask(loaded)] += 1
        return sum(bit for bit, count in matching.items() if accesses[bit] == count and bit != target)

    def _accesses_in(self, nest: scf.ForOp) -> Counter[int]:
        """How many operations of a nest name each buffer, by its bit."""
        found = self._accesses.get(nest)
        if found is None:
            found = self._accesses[nest] = Counter()
            for op in walk(nest.body):
                for operand in op.operands:
                    mask = self.aliasing.mask(operand)
                    while mask:
                        bit = mask & -mask
                        found[bit] += 1
                        mask ^= bit
        return found


def _told_apart(index: SSAValue, width: int) -> tuple[SSAValue, ...]:
    """Return values whose combinations all yield different indices.

    The indices of no two combinations are less than `width` apart.
    """
    if not isinstance(index.owner, arith.AddiOp):
        return (index,) if width == 1 or (_step(index) or 0) >= width else ()
    one, other = index.owner.operands
    for far, near in ((one, other), (other, one)):
        step, span = _step(far), _span(near, width)
        if step is not None and span is not None and span <= step:
            return far, near
    return ()


def _step(value: SSAValue) -> int | None:
    """Return the step of an induction variable, or None."""
    loop = _loop_of(value)
    return None if loop is None else constant_integer(loop.step)


def _span(value: SSAValue, width: int) -> int | None:
    """Return an exclusive bound for differences of an induction variable's values.

    Each value stands for `width` indices from it on; the result is None if these may overlap.
    """
    if (loop := _loop_of(value)) is None:
        return None
    lower, upper, step = (constant_integer(v) for v in (loop.lb, loop.ub, loop.step))
    if lower is None or upper is None:
        return None
    if width == 1:
        return upper - lower
    if step is None or step < width or upper <= lower:
        return None
    return (upper - lower - 1) // step * step + width


def _loop_of(value: SSAValue) -> scf.ForOp | None:
    """The loop whose induction variable a value is."""
    loop = value.owner.parent_op() if isinstance(value.owner, Block) else None
    return loop if isinstance(loop, scf.ForOp) and value is loop.body.block.args[0] else None


def _whole(value: SSAValue, aliasing: Aliasing) -> bool:
    """Return True if a memref covers a whole buffer contiguously.

    It may have another shape than the buffer.
    """
    while isinstance(value.owner, memref.ExpandShapeOp | memref.CollapseShapeOp):
        value = value.owner.src
    return aliasing.base(value) is value and isinstance(memref_type_of(value).layout, NoneAttr)


def _same_layout(a: SSAValue, b: SSAValue) -> bool:
    """Return True if equal indices mean equal byte offsets."""
    type_ = memref_type_of(a)
    b_type = memref_type_of(b)
    shape = type_.get_shape()
    return (
        type_.layout == b_type.layout
        and DYNAMIC_INDEX not in shape
        and shape == b_type.get_shape()
        and _width(type_) == _width(b_type)
    )


def _width(type: MemRefType) -> int | None:
    element = type.get_element_type()
    return -(-element.bitwidth // 8) if isinstance(element, IntegerType | AnyFloat) else None
