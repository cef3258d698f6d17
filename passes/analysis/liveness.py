"""Liveness of buffers, conflicts between them, and elementwise updates in place.

A buffer is *live* at a point if something in it may be read later on some path before all of it is overwritten
(`aliasing.Overwrites`), and *initialised* if something may have been written before. Two buffers conflict if one is live and
initialised where the other is written, or if one operation reads the one and writes the other. That is the register allocator's
interference relation, for memory:

- values of different arms of an `scf.if` don't conflict: at no point is one live where the other is written;
- a buffer that an iteration fills before reading it is free between iterations; any other buffer that is read in a loop is live
  throughout;
- memrefs that rotate stand for several buffers (`aliasing.Aliasing`): a read keeps all of them alive, a write overwrites none of
  them for certain.

Regions are summarised bottom-up (what they read first, what they overwrite) and live sets are passed top-down once, so the work
is linear in the number of operations, times the size of a bit set.

An elementwise nest may overwrite a buffer in place (`InPlaceStores`):

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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, IntegerType, MemRefType, NoneAttr
from xdsl.dialects.linalg.ops import CopyOp, FillOp, GenericOp
from xdsl.ir import Block, Operation, Region, SSAValue

from loomir.dialects.element_types import memref_type_of
from loomir.dialects.region_flow import RegionFlow, region_flow
from loomir.dialects.scalars import NUMBERS
from loomir.dialects.scalars.row import constant_integer
from loomir.dialects.upstream.walking import walk
from loomir.dialects.vectors import LOADS, STORES, Load, Store, accessed_lanes, buffer_of
from loomir.passes.analysis.aliasing import VIEWS, Aliasing, Overwrites

_ACCESSES = frozenset((*LOADS, *STORES))


class InPlaceStores:
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
        indices = {v for index, width in zip(store.indices, widths) for v in _injective_terms(index, width)}
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


def _injective_terms(index: SSAValue, width: int) -> tuple[SSAValue, ...]:
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


_HAND_ON = (*VIEWS, scf.YieldOp, scf.ConditionOp, memref.AllocOp, memref.AllocaOp, arith.SelectOp)
"""Operations that touch no memory themselves, only say which it is."""


_UNTOUCHING = NUMBERS | {arith.SelectOp}
"""Operation classes that neither read nor write memory.

Most operations are of these classes, so they are tested first.
"""


class Effect(NamedTuple):
    """Effect on buffers, as bit sets.

    `reads` are the buffers read before they are overwritten, `kills` those that are overwritten entirely.
    """

    reads: int = 0
    kills: int = 0

    def then(self, later: Effect) -> Effect:
        """The effect of this and then another."""
        return Effect(self.reads | (later.reads & ~self.kills), self.kills | later.kills)

    def before(self, live: int) -> int:
        """Return the live buffers before the effect, given those after it."""
        return self.reads | (live & ~self.kills)

    def either(self, other: Effect) -> Effect:
        """The effect of this or another."""
        return Effect(self.reads | other.reads, self.kills & other.kills)


_NOTHING = Effect()


@dataclass
class Lifetimes:
    """The result for one function; `bit i` of every set is `aliasing.bases[i]`.

    conflicts: for each buffer the ones that it must not overlap.
    replaceable: pairs that an elementwise nest reads and writes (`InPlaceStores`). Such a pair is in no conflict on account
        of that nest, but must then have the very same address or none in common; a pair with another reason is in
        `conflicts` as well.
    together: sets of buffers occupied at one moment, candidates for a lower bound.
    span: the first and the last operation, by number, that touches a buffer.
    occupied: for each operation that writes, the buffers whose contents are needed there, and those that it writes.
    """

    aliasing: Aliasing
    conflicts: list[int] = field(default_factory=list)
    together: set[int] = field(default_factory=set)
    span: dict[int, tuple[int, int]] = field(default_factory=dict)
    replaceable: set[tuple[int, int]] = field(default_factory=set)
    occupied: dict[Operation, int] = field(default_factory=dict[Operation, int])


def analyse_lifetimes(function: func.FuncOp) -> Lifetimes:
    """Compute liveness and conflicts of a function's buffers.

    The function is in LOOPS form (linalg on memrefs is supported, too).
    """
    return _Analysis(function).result


class _Analysis:
    def __init__(self, function: func.FuncOp) -> None:
        self.aliasing = Aliasing(function)
        self.result = Lifetimes(self.aliasing, [0] * len(self.aliasing.bases))
        self.reads: dict[Operation, int] = {}
        self.writes: dict[Operation, int] = {}
        self.flows: dict[Operation, RegionFlow] = {}
        """Those of loops and branches, which are asked for again and again."""
        block = function.body.block
        self._sum_up(block)
        self.killed = Overwrites(block, self.aliasing, self.reads).killed
        self.effects: dict[Operation, Effect] = {}
        self.entry: dict[Region, Effect] = {}
        self._summarise(block)
        self.initialised: dict[Operation, int] = {}
        self.replacing = InPlaceStores(self.aliasing)
        self.live_behind: dict[Operation, int] = {}
        self.number = 0
        self._go_forward(block, 0)
        self._go_backward(block, 0)
        for i, mask in enumerate(self.result.conflicts):
            for j in bits_of(mask):
                self.result.conflicts[j] |= 1 << i

    # Reads and writes, regions included

    def _sum_up(self, block: Block) -> tuple[int, int]:
        reads = writes = 0
        for op in block.ops:
            if op.regions and (flow := region_flow(op)) is not None:
                self.flows[op] = flow
                own_reads = own_writes = 0
            elif type(op) in _UNTOUCHING:
                continue
            else:
                own_reads, own_writes = self._access(op)
            for region in op.regions:
                for inner in region.blocks:
                    inner_reads, inner_writes = self._sum_up(inner)
                    own_reads |= inner_reads
                    own_writes |= inner_writes
            if own_reads:
                self.reads[op] = own_reads
            if own_writes:
                self.writes[op] = own_writes
            reads |= own_reads
            writes |= own_writes
        return reads, writes

    def _access(self, op: Operation) -> tuple[int, int]:
        """Return the buffers that an operation reads and writes.

        The operation is no loop or branch.
        """
        mask = self.aliasing.mask
        if op.results and isinstance(op, LOADS):
            return mask(buffer_of(op)), 0
        if not op.results and isinstance(op, STORES):
            return 0, mask(buffer_of(op))
        if not op.operands:
            return 0, 0
        match op:
            case memref.CopyOp():
                return mask(op.source), mask(op.destination)
            case _ if isinstance(op, _HAND_ON):
                return 0, 0
            case FillOp() | CopyOp():
                return self._all(op.inputs), self._all(op.outputs)
            case GenericOp():
                outputs = self._all(op.outputs)
                return self._all(op.inputs) | outputs, outputs
            case _:
                touched = self._all(op.operands)
                return touched, touched

    def _all(self, values: Iterable[SSAValue]) -> int:
        result = 0
        for value in values:
            result |= self.aliasing.mask(value)
        return result

    # Summaries, bottom-up

    def _summarise(self, block: Block) -> Effect:
        total = Effect()
        for op in reversed(block.ops):
            effect = self.effects[op] = self._effect(op)
            if effect is not _NOTHING:
                total = effect.then(total)
        return total

    def _effect(self, op: Operation) -> Effect:
        kills = self.killed.get(op, 0)
        if (flow := self.flows.get(op)) is None:
            reads = self.reads.get(op, 0)
            return Effect(reads, kills) if reads or kills else _NOTHING
        bodies = {region: self._summarise(region.block) for region in op.regions if region.blocks}
        # From where each region begins: to start with, nothing is read and everything overwritten.
        entry = dict.fromkeys(bodies, Effect(0, -1))
        changed = True
        while changed:
            changed = False
            for region, body in bodies.items():
                found = body.then(_ahead(flow.successors(region), entry))
                changed |= found != entry[region]
                entry[region] = found
        self.entry.update(entry)
        ahead = _ahead(_entered(flow), entry)
        return Effect(ahead.reads & ~kills, kills | ahead.kills)

    # What may have been written, top-down and forward

    def _go_forward(self, block: Block, initialised: int) -> int:
        """Record the initialised buffers after each write.

        Returns the initialised buffers at the end of the block.
        """
        for op in block.ops:
            self.number += 1
            if (flow := self.flows.get(op)) is not None:
                if flow.repeats:
                    # A later iteration begins with what any iteration wrote.
                    initialised |= self.writes.get(op, 0)
                ends = [self._go_forward(r.block, initialised) for r in op.regions if r.blocks]
                for end in ends:
                    initialised |= end
            else:
                written = self.writes.get(op, 0)
                initialised |= written
                if written:
                    self.initialised[op] = initialised
                if touched := written | self.reads.get(op, 0):
                    self._touch(touched)
                    self.replacing.add(op, self.number)
        return initialised

    def _touch(self, mask: int) -> None:
        for bit in bits_of(mask):
            first, _ = self.result.span.get(bit, (self.number, 0))
            self.result.span[bit] = first, self.number

    # What is still needed, top-down and backward

    def _go_backward(self, block: Block, live: int) -> None:
        for op in reversed(block.ops):
            if (flow := self.flows.get(op)) is not None:
                self.live_behind[op] = live
                for region in op.regions:
                    if region.blocks:
                        ahead = _ahead(flow.successors(region), self.entry)
                        self._go_backward(region.block, ahead.before(live))
            elif written := self.writes.get(op, 0):
                self._conflict(op, written, live & self.initialised[op])
            if (effect := self.effects[op]) is not _NOTHING:
                live = effect.before(live)

    def _conflict(self, op: Operation, written: int, occupied: int) -> None:
        beside = occupied | self.reads.get(op, 0)
        self.result.occupied[op] = beside | written
        if isinstance(op, STORES) and (nest := self.replacing.nest_of(op)) is not None:
            replaced = self.replacing.replaceable(op, nest) & beside & ~self.live_behind[nest]
            for bit in bits_of(replaced):
                self.result.replaceable.add((bit, written.bit_length() - 1))
            beside &= ~replaced
            self.result.together.add(beside | replaced)
        for bit in bits_of(written):
            self.result.conflicts[bit] |= beside & ~(1 << bit)
        self.result.together.add(beside | written)


def _ahead(successors: Iterable[Region | None], entry: Mapping[Region, Effect]) -> Effect:
    """Return the joint effect from a point to the operation's exit.

    `entry` maps each region to the effect from its beginning.
    """
    return reduce(Effect.either, (Effect() if region is None else entry[region] for region in successors))


def _entered(flow: RegionFlow) -> list[Region | None]:
    """Return the regions that control may enter from before an operation.

    Control does not bypass a loop that is certain to run.
    """
    op = flow.op
    if isinstance(op, scf.ForOp):
        lower, upper = constant_integer(op.lb), constant_integer(op.ub)
        if lower is not None and upper is not None and lower < upper:
            return [op.body]
    return flow.successors(None)


def bits_of(mask: int) -> Iterator[int]:
    """The positions of the bits that are set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
