"""Which buffers an elementwise nest may write over the one that it reads.

    scf.for %i { scf.for %j { %v = memref.load %a[%i, %j]; …; memref.store %w, %b[%i, %j] } }

If nothing in %a is needed behind the nest, %a and %b conflict only because iterations are still to come that read %a. Yet each
of them reads just the element that it writes, so the two may lie at the very same address, though not partly overlap. That
holds if the store is the nest's only access to %b, and all accesses to %a are loads before it, in its block, at its indices;
if every loop of the nest is one of the indices, so that no iteration comes back to an element; and if %a and %b have equal
shapes and elements of equal size.

Two loops may share an index, as those over tiles and the elements of one do: in `%i + %j` no two iterations are alike where %i goes in
steps of at least what %j ranges over.
"""

from __future__ import annotations

from collections import Counter

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, IntegerType, MemRefType, NoneAttr
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.scalars.constants import constant_integer
from loomir.dialects.tensors import memref_type_of
from loomir.dialects.walking import walk
from loomir.passes.analysis.aliasing import Aliasing


class Replacing:
    """Finds, for a store, the buffers that it may replace element by element."""

    def __init__(self, aliasing: Aliasing) -> None:
        self.aliasing = aliasing
        self._loads: dict[tuple[Block, tuple[SSAValue, ...]], list[tuple[int, memref.LoadOp]]] = {}
        self._numbers: dict[Operation, int] = {}
        self._accesses: dict[Operation, Counter[int]] = {}

    def add(self, op: Operation, number: int) -> None:
        """Note a load or a store, with its place in the program."""
        if isinstance(op, memref.LoadOp) and op.parent is not None:
            self._loads.setdefault((op.parent, tuple(op.indices)), []).append((number, op))
        elif isinstance(op, memref.StoreOp):
            self._numbers[op] = number

    def nest_of(self, store: memref.StoreOp) -> scf.ForOp | None:
        """The outermost loop around a store such that the store's indices tell all iterations of it and of all loops inside apart."""
        indices = {variable for index in store.indices for variable in _told_apart(index)}
        nest: scf.ForOp | None = None
        parent = store.parent_op()
        while isinstance(parent, scf.ForOp) and parent.body.block.args[0] in indices:
            nest, parent = parent, parent.parent_op()
        return nest

    def replaceable(self, store: memref.StoreOp, nest: scf.ForOp) -> int:
        """The buffers, as bits, that the store may write over, provided that they are not needed behind the nest."""
        target = self.aliasing.mask(store.memref)
        accesses = self._accesses_in(nest)
        if not _whole(store.memref, self.aliasing) or accesses[target] != 1:
            return 0
        assert store.parent is not None
        matching: Counter[int] = Counter()
        for number, load in self._loads.get((store.parent, tuple(store.indices)), ()):
            if (
                number < self._numbers[store]
                and _whole(load.memref, self.aliasing)
                and _same_layout(load.memref, store.memref)
            ):
                matching[self.aliasing.mask(load.memref)] += 1
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


def _told_apart(index: SSAValue) -> tuple[SSAValue, ...]:
    """Values of which no two combinations make the same index."""
    if not isinstance(index.owner, arith.AddiOp):
        return (index,)
    one, other = index.owner.operands
    for far, near in ((one, other), (other, one)):
        step, span = _step(far), _span(near)
        if step is not None and span is not None and span <= step:
            return far, near
    return ()


def _step(value: SSAValue) -> int | None:
    """What lies between neighbouring values of an induction variable."""
    loop = _loop_of(value)
    return None if loop is None else constant_integer(loop.step)


def _span(value: SSAValue) -> int | None:
    """More than any two values of an induction variable differ by."""
    if (loop := _loop_of(value)) is None:
        return None
    lower, upper = constant_integer(loop.lb), constant_integer(loop.ub)
    return None if lower is None or upper is None else upper - lower


def _loop_of(value: SSAValue) -> scf.ForOp | None:
    """The loop whose induction variable a value is."""
    loop = value.owner.parent_op() if isinstance(value.owner, Block) else None
    return loop if isinstance(loop, scf.ForOp) and value is loop.body.block.args[0] else None


def _whole(value: SSAValue, aliasing: Aliasing) -> bool:
    """Whether a memref is all of one buffer, contiguous, perhaps in another shape."""
    while isinstance(value.owner, memref.ExpandShapeOp | memref.CollapseShapeOp):
        value = value.owner.src
    return aliasing.base(value) is value and isinstance(memref_type_of(value).layout, NoneAttr)


def _same_layout(a: SSAValue, b: SSAValue) -> bool:
    """Whether equal indices are equal distances in bytes."""
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
