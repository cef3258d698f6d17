"""Loop-invariant code motion: one traversal for `ov.loop`, `scf.for` and `scf.while`.

`Motion` visits each operation once, in order, and puts it into its final place, so that its users may follow, out of as many loops
as there are. Branches and loops move as a whole. `MotionPolicy` is what a pass decides: what costs nothing, what a loop's room is
measured by, and when a guard pays.

- An operation that surely stops no program moves out of any loop.
- One that may fail, a check too, moves only if nothing that may fail stays before it in the body, so that the errors do not change.
  Whether a loop ends is a question of its own: one that may not counts as an operation that may fail.
- Out of a loop that may not run, what may fail moves under a guard (`guards`). What reads it follows.
- Nothing moves out of a loop that a profile says was reached more often than its body ran.

Every place has a level: 0 for what is in no loop, 2 more for each region around it from the outermost loop inwards. The operations
under the guard of a loop are one level below those in the loop.
"""

from __future__ import annotations

import abc
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_

from xdsl.dialects import cf, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.traits import ConstantLike, IsTerminator

from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.profile import loop_facts
from loomir.dialects.region_flow import region_flow
from loomir.dialects.speculation import FactOf, speculatable
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.walking import walk
from loomir.passes.control_flow.guards import can_be_guarded, guard_loop

GROWTH_LIMIT = 1 << 16
"""Bytes that results may take beyond twice their operands.

A broadcast value is cheaper to compute than to keep.
"""


@dataclass
class Room:
    """Memory that is kept for a loop.

    It holds what has moved out of the loop and is still read in it.

    `size` is the number of bytes of a value, None if it is unknown. `max_bytes` limits the total; without it, results may take
    `GROWTH_LIMIT` bytes more than twice their operands, together.
    """

    size: Callable[[SSAValue], int | None]
    max_bytes: int | None
    kept: dict[SSAValue, int] = field(default_factory=dict)
    """Values moved out of the loop and their remaining uses in it."""
    kept_bytes: int = 0
    grown_bytes: int = 0
    """Bytes of moved results beyond twice the size of their operands."""

    def lacks(self, op: Operation) -> MissedReason | None:
        """Return why hoisting an operation would keep too much memory, or None."""
        size, made_of = self.total(op.results), self._made_of(op)
        shown = "?" if size is None else size
        if self.max_bytes is not None:
            total = None if size is None else self.kept_bytes + size - self._freed(op)
            if total is not None and total <= self.max_bytes:
                return None
            numbers = {"bytes": total, "limit": self.max_bytes}
            return MissedReason(
                f"{'?' if total is None else total} bytes are more than {self.max_bytes}", numbers
            )
        if made_of is None or (size is not None and self.grown_bytes + size - 2 * made_of <= GROWTH_LIMIT):
            return None
        more = f", in addition to {self.grown_bytes} of other hoisted operations" if self.grown_bytes else ""
        return MissedReason(
            f"it computes {shown} bytes from {made_of}{more}", {"bytes": size, "made_of": made_of}
        )

    def keep(self, op: Operation) -> None:
        """Record an operation's results as kept.

        Values that only this operation read are no longer kept.
        """
        size, made_of = self.total(op.results) or 0, self._made_of(op)
        self.kept_bytes += size - self._freed(op)
        if made_of is not None:
            self.grown_bytes += max(0, size - 2 * made_of)
        for value, reads in self._reads(op).items():
            self.kept[value] -= reads
        self.kept |= {result: result.uses.get_length() for result in op.results}

    def total(self, values: Iterable[SSAValue]) -> int | None:
        """Return the bytes of values, None if unknown."""
        sizes = [self.size(value) for value in values]
        return None if None in sizes else sum(size or 0 for size in sizes)

    def _reads(self, op: Operation) -> Counter[SSAValue]:
        """How often an operation reads what is kept."""
        return (
            Counter(v for inner in walk(op) for v in inner.operands if v in self.kept)
            if self.kept
            else Counter()
        )

    def _freed(self, op: Operation) -> int:
        """The bytes of what only this operation still reads in the loop."""
        return sum(self.size(v) or 0 for v, reads in self._reads(op).items() if self.kept[v] == reads)

    def _made_of(self, op: Operation) -> int | None:
        """Return the bytes of an operation's operands.

        None if they are not known, or if the operation is a branch or a loop.
        """
        return None if region_flow(op) is not None else self.total(op.operands)


class MotionPolicy(abc.ABC):
    """Decisions of one pass about its operations, and its remarks."""

    remarks: Remarks
    max_bytes: int | None
    fact_of: FactOf | None = None
    """Facts for `speculatable`."""
    no_guard = "it may fail, and the loop may not run"
    """Reason for a loop that may not run and cannot be guarded."""

    @abc.abstractmethod
    def size(self, value: SSAValue) -> int | None:
        """Return the bytes of a value, None if unknown."""

    @abc.abstractmethod
    def surely_runs(self, loop: Operation, region: Region) -> bool:
        """Return True if a loop's region runs at least once."""

    @abc.abstractmethod
    def ends(self, op: Operation) -> bool:
        """Return True if a loop or branch by itself surely terminates."""

    @abc.abstractmethod
    def is_free(self, op: Operation) -> bool:
        """Return True if recomputing a result costs no more than keeping it.

        Such an operation moves with what reads it: a constant itself, any other as a copy.
        """

    def obstacle(self, op: Operation) -> str | None:
        """Return why an operation stays in any loop, or None.

        An empty reason gets no remark.
        """
        return None

    def start_obstacle(self, loop: Operation) -> str | None:
        """Return why something may fail before the first iteration, or None."""
        return None

    def can_be_guarded(self, loop: Operation) -> bool:
        """Return True if a loop may get a guard."""
        return isinstance(loop, LoopOp | scf.ForOp) and can_be_guarded(loop)

    def guard_pays(self, loop: Operation, ops: Sequence[Operation]) -> bool:
        """Return True if a guard for these operations pays; remark on it."""
        return True

    @abc.abstractmethod
    def tell_moved(self, op: Operation, left: Sequence[Place], guarded: Operation | None) -> None:
        """Remark that an operation moves out of loops, or under a guard."""

    @abc.abstractmethod
    def tell_stays(self, op: Operation, loop: Operation, why: str | MissedReason) -> None:
        """Remark that an operation stays in a loop."""


@dataclass(eq=False)
class Place:
    """Block of a function, loop or branch that is being traversed."""

    room: Room
    outer: Place | None = None
    loop: Operation | None = None
    """The loop that the block belongs to."""
    level: int = 0
    surely_runs: bool = False
    reads: int = 0
    """The levels, as bits, of all values read in it.

    Those read under the guard of its loop are included.
    """
    fails: bool = False
    """True if an operation that stays here may stop the program."""
    acts: bool = False
    """True if an operation that stays here has other side effects."""
    guarded: list[Operation] = field(default_factory=list)
    """Detached operations that are to go before the loop, under its guard."""


@dataclass
class Motion:
    """Traversal of a program."""

    policy: MotionPolicy
    only: Collection[Operation] | None = None
    """Loops that operations may leave; None if they may leave any."""
    moved: bool = False
    levels: dict[SSAValue, int] = field(default_factory=dict)
    told: set[Operation] = field(default_factory=set)
    """Loops of which something was hoisted, or a remark says why not."""

    def run(self, module: ModuleOp) -> bool:
        """Hoist out of all loops; return True if something has moved."""
        for function in module.ops:
            for region in function.regions:
                for block in region.blocks:
                    self._visit(block, self._place())
        return self.moved

    def _place(self, outer: Place | None = None, loop: Operation | None = None) -> Place:
        room = Room(self.policy.size, self.policy.max_bytes)
        level = outer.level if outer is not None else 0
        return Place(room, outer, loop, level + 2 if level or loop is not None else 0)

    def _visit(self, block: Block, place: Place) -> Place:
        for argument in block.args:
            self.levels[argument] = place.level
        for op in list(block.ops):
            self._visit_operation(op, place)
        return place

    def _visit_operation(self, op: Operation, place: Place) -> None:
        reads = self._levels_of(op.operands)
        flow, fails, acts = region_flow(op), False, False
        if flow is not None:
            inside = [self._inside(op, region, place, flow.repeats) for region in op.regions if region.blocks]
            for inner in inside:
                reads |= inner.reads & ((2 << place.level) - 1)
                fails, acts = fails or inner.fails or bool(inner.guarded), acts or inner.acts
            fails = fails or not self.policy.ends(op)
            if flow.repeats and op not in self.told:
                self.policy.remarks.missed(op, "no operation in it depends on values from outside alone")
            if inside[0].guarded:
                op = self._guard(op, inside[0], place)
        else:
            for region in op.regions:
                reads |= self._levels_of(v for inner in walk(region) for v in inner.operands)
            if self.policy.is_free(op):
                place.reads |= reads
                for result in op.results:
                    self.levels[result] = max(reads.bit_length() - 1, 0)
                return
            # Nobody asks whether what is in no loop could move.
            if place.level and not op.has_trait(IsTerminator, value_if_unregistered=False):
                fails = not speculatable(op, self.policy.fact_of)
                acts = not (is_side_effect_free(op) or isinstance(op, cf.AssertOp))
        self._put(op, place, reads, fails, acts)

    def _levels_of(self, values: Iterable[SSAValue]) -> int:
        """Return the levels of values as bits.

        Values defined within the operation that is being visited have no level.
        """
        return reduce(or_, (1 << self.levels[value] for value in values if value in self.levels), 0)

    def _inside(self, op: Operation, region: Region, place: Place, repeats: bool) -> Place:
        inner = self._place(place, op if repeats else None)
        inner.surely_runs = repeats and self.policy.surely_runs(op, region)
        return self._visit(region.block, inner)

    def _put(self, op: Operation, place: Place, reads: int, fails: bool, acts: bool) -> None:
        """Leave an operation where it is, or hoist it."""
        left: list[Place] = []
        target, under_guard = place, False
        if not acts and not op.has_trait(IsTerminator, value_if_unregistered=False):
            target, under_guard = self._target(op, place, reads, fails, left)
        guarded = target.loop if under_guard else None
        if left or guarded is not None:
            before = guarded or left[-1].loop
            assert before is not None
            self.moved = True
            if not op.has_trait(ConstantLike):
                self.told.update(loop for loop in (guarded, *(out.loop for out in left)) if loop is not None)
                self.policy.tell_moved(op, left, guarded)
            op.detach()
            self._insert(op, before, target.guarded if under_guard else None)
        target.reads |= reads
        if not under_guard:
            target.fails |= fails
            target.acts |= acts
        for result in op.results:
            self.levels[result] = target.level - under_guard

    def _target(
        self, op: Operation, place: Place, reads: int, fails: bool, left: list[Place]
    ) -> tuple[Place, bool]:
        """Return the place that an operation moves to.

        Add the places that it leaves to `left`. The flag is True if the operation goes under the guard of the target's loop.
        """
        top = reads.bit_length() - 1
        why: str | MissedReason | None = (
            self.policy.obstacle(op) if place.loop and top < place.level else None
        )
        while (loop := place.loop) is not None and place.outer is not None and top < place.level:
            if self.only is not None and loop not in self.only:
                break
            if why is None:
                why = self._obstacle(op, place, fails)
            guarded = top == place.level - 1 or (fails and not place.surely_runs)
            if why is None and guarded and not self.policy.can_be_guarded(loop):
                why = self.policy.no_guard
            if why is not None:
                if why:
                    self.told.add(loop)
                    self.policy.tell_stays(op, loop, why)
                break
            place.room.keep(op)
            if guarded:
                return place, True
            left.append(place)
            place = place.outer
        return place, False

    def _obstacle(self, op: Operation, place: Place, fails: bool) -> str | MissedReason | None:
        """Return why a loop-invariant operation stays in a loop, or None."""
        assert place.loop is not None
        if (why := place.room.lacks(op)) is not None:
            return why
        facts = loop_facts(place.loop)
        if facts is not None and facts.rarely_iterates and not op.has_trait(ConstantLike):
            numbers = {"iterations": facts.iterations, "entered": facts.entered}
            text = f"{facts.iterations} iterations of {facts.entered} entries in the profile"
            return MissedReason(f"the loop rarely runs: {text}", numbers)
        if fails and place.fails:
            return "it may fail, and so may an operation that stays before it"
        return self.policy.start_obstacle(place.loop) if fails else None

    def _insert(self, op: Operation, before: Operation, guarded: list[Operation] | None) -> None:
        """Insert a detached operation and its free operands before a loop.

        `guarded` are the operations under the loop's guard, if it goes there.
        """
        for user in walk(op):
            for number, operand in enumerate(user.operands):
                if not isinstance(operand, OpResult) or not self.policy.is_free(operand.op):
                    continue
                if op.is_ancestor(source := operand.op) or _is_seen(source, before):
                    continue
                if source.has_trait(ConstantLike):
                    source.detach()
                    self._insert(source, before, None)
                    continue
                copy = source.clone()
                copy.location = source.location
                self._insert(copy, before, guarded)
                user.operands[number] = copy.results[operand.index]
                for result, old in zip(copy.results, source.results):
                    self.levels[result] = self.levels[old]
                self._erase_unused(source)
        if guarded is not None:
            guarded.append(op)
        else:
            assert before.parent is not None
            before.parent.insert_op_before(op, before)

    def _erase_unused(self, op: Operation) -> None:
        """Erase an operation that was cloned elsewhere, if it is unused.

        Operands that only this operation used are erased, too.
        """
        if any(result.first_use is not None for result in op.results):
            return
        sources = [operand.owner for operand in op.operands]
        op.detach()
        op.erase()
        for source in sources:
            if isinstance(source, Operation) and source.parent is not None and self.policy.is_free(source):
                self._erase_unused(source)

    def _guard(self, loop: Operation, inner: Place, place: Place) -> Operation:
        """Put the collected operations under a loop's guard.

        If that does not pay, move them back into the body. Return the operation that then stands for the loop.
        """
        assert isinstance(loop, LoopOp | scf.ForOp)
        if not self.policy.guard_pays(loop, inner.guarded):
            first = loop.body.block.first_op
            assert first is not None
            loop.body.block.insert_ops_before(inner.guarded, first)
            return loop
        conditions, branch = guard_loop(loop, inner.guarded)
        for op in conditions:
            self._visit_operation(op, place)
        return branch


def _is_seen(source: Operation, place: Operation) -> bool:
    """Return True if an operation stands in a block around another.

    The operation has been read in that block.
    """
    around: Operation | None = place
    while around is not None:
        if around.parent is source.parent:
            return True
        around = around.parent_op()
    return False
