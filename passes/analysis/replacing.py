"""Which buffers an elementwise nest may write over the one that it reads.

    scf.for %i { scf.for %j { %v = memref.load %a[%i, %j]; …; memref.store %w, %b[%i, %j] } }

If nothing in %a is needed behind the nest, %a and %b conflict only because iterations are still to come that read %a. Yet each
of them reads just the element that it writes, so the two may lie at the very same address, though not partly overlap. That
holds if the store is the nest's only access to %b, and all accesses to %a are loads before it, in its block, at its indices;
if every loop of the nest is one of the indices, so that no iteration comes back to an element; and if %a and %b have equal
shapes and elements of equal size.
"""

from __future__ import annotations

from collections import Counter

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, IntegerType, MemRefType, NoneAttr
from xdsl.ir import Block, Operation, SSAValue

from loomir.dialects.tensors import memref_type_of
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
        """The outermost loop around a store such that it and all loops inside are indices of the store."""
        indices = set(store.indices)
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
            for op in nest.body.walk():
                for operand in op.operands:
                    mask = self.aliasing.mask(operand)
                    while mask:
                        bit = mask & -mask
                        found[bit] += 1
                        mask ^= bit
        return found


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
