"""Liveness of buffers, and conflicts between buffers that cannot share memory.

A buffer is *live* at a point if something in it may be read later on some path before all of it is overwritten
(`overwriting.py`), and *initialised* if something may have been written before. Two buffers conflict if one is live and
initialised where the other is written, or if one operation reads the one and writes the other. That is the register allocator's
interference relation, for memory:

- values of different arms of an `scf.if` don't conflict: at no point is one live where the other is written;
- a buffer that an iteration fills before reading it is free between iterations; any other buffer that is read in a loop is live
  throughout;
- memrefs that rotate stand for several buffers (`aliasing.py`): a read keeps all of them alive, a write overwrites none of them
  for certain.

Regions are summarised bottom-up (what they read first, what they overwrite) and live sets are passed top-down once, so the work
is linear in the number of operations, times the size of a bit set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.linalg.ops import CopyOp, FillOp, GenericOp
from xdsl.ir import Block, Operation, Region, SSAValue

from loomir.dialects.region_flow import RegionFlow, region_flow
from loomir.dialects.scalars import NUMBERS
from loomir.dialects.scalars.constants import constant_integer
from loomir.dialects.vectors import LOADS, STORES, buffer_of
from loomir.passes.analysis.aliasing import VIEWS, Aliasing
from loomir.passes.analysis.overwriting import Overwrites
from loomir.passes.analysis.replacing import Replacing

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
    replaceable: pairs that an elementwise nest reads and writes (`replacing.py`). Such a pair is in no conflict on account
        of that nest, but must then have the very same address or none in common; a pair with another reason is in
        `conflicts` as well.
    together: sets of buffers occupied at one moment, candidates for a lower bound.
    span: the first and the last operation, by number, that touches a buffer.
    """

    aliasing: Aliasing
    conflicts: list[int] = field(default_factory=list)
    together: set[int] = field(default_factory=set)
    span: dict[int, tuple[int, int]] = field(default_factory=dict)
    replaceable: set[tuple[int, int]] = field(default_factory=set)


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
        self.replacing = Replacing(self.aliasing)
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
