"""`ov-loop-invariant-code-motion`: hoists loop-invariant operations out of loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import ConstantLike, IsTerminator

from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.element_types import AnyTensor
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.profile import loop_facts
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.analyses import Analyses, analyses_of
from loomir.passes.analysis.inference import Inference, infer
from loomir.passes.analysis.inference.loops import trip_bounds
from loomir.passes.analysis.inference.state import bytes_at_most, elements_at_most
from loomir.passes.graph.lib.loop_rewriting import can_be_guarded, guard_loop, starts_safely
from loomir.passes.graph.ov_fold_constants import widens_weights
from loomir.passes.options import check_least

GROWTH_LIMIT = 1 << 16
"""Bytes that results may take beyond twice their operands.

A broadcast value is cheaper to compute than to keep.
"""

_OUTSIDE = 0
"""The level of what is in no loop."""

_NO_GUARD = "it may fail, the loop may not run, and its result then has an unknown rank or takes memory"


@dataclass(frozen=True)
class OvLoopInvariantCodeMotionPass(ModulePass):
    """Hoists operations, branches and loops that read nothing of a loop.

    They move before the loop, out of as many loops as there are.

    ```mlir
    %r = ov.loop trip(%n) carried(%x) {                        // before
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %e = ov.exp %a : (tensor<4xf32>) -> tensor<4xf32>
      %w = ov.multiply %v, %e
      ov.next carried(%w)
    }

    %e = ov.exp %a : (tensor<4xf32>) -> tensor<4xf32>          // after
    %r = ov.loop trip(%n) carried(%x) {
    ^bb0(%i: tensor<i64>, %v: tensor<4xf32>):
      %w = ov.multiply %v, %e
      ov.next carried(%w)
    }
    ```

    An operation that surely stops no program moves out of any loop. An operation that may fail (a loop may also never end)
    moves only if nothing that may fail stays before it in the body, so that the errors do not change. It moves out of a
    loop that surely runs. Out of a loop that may not run it moves under a guard, an `ov.if` around both on the loop's own
    condition, if the results of the operations that move there have at least `guard-elements` elements, or a loop is among
    them.

    Out of a loop that a profile ([profiling.md](profiling.md)) says was reached more often than its body ran, nothing moves.

    `max-bytes` limits the memory that is kept for a loop in total: the results of operations that have moved out of it and
    are still read in it. An operation that would exceed the limit stays. Without the limit, an operation stays if the
    results would take more than twice their operands, as a Broadcast may, by more than 64 KB together.
    """

    name = "ov-loop-invariant-code-motion"
    EXACT = True

    max_bytes: int | None = None
    guard_elements: int = 64

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_bytes=0, guard_elements=0)
        analyses = analyses_of(ctx)
        if not any(isinstance(o, LoopOp) for o in walk(op)):
            return analyses.keep_all()
        self.hoist(op, analyses)

    def hoist(self, module: ModuleOp, analyses: Analyses, only: Collection[LoopOp] | None = None) -> bool:
        """Hoist out of all loops, or `only` out of these.

        Return True if an operation has moved.
        """
        motion = _Motion(module, analyses, Remarks(self.name), self.max_bytes, self.guard_elements, only)
        for function in module.ops:
            for region in function.regions:
                for block in region.blocks:
                    motion.visit(block, _Body(_OUTSIDE))
        return motion.moved


@dataclass
class _Body:
    """Block that is being traversed: of a loop, function or branch.

    `level` is 2 for the outermost loop's body, 4 for one in it, and so on; operations under the guard of a loop are one
    level below. A branch has the level of the block around it, since it moves as a whole: `outer`, to which operations
    move, is None for it.
    """

    level: int
    loop: LoopOp | None = None
    outer: _Body | None = None
    reads: int = 0
    """The levels, as bits, of all values that the block's operations read."""
    fails: bool = False
    """True if a visited operation that stays here may stop the program."""
    effects: bool = False
    """True if something in the block must neither move nor be removed."""
    guarded: list[Operation] = field(default_factory=list)
    """Detached operations that are to go before the loop, under its guard."""
    guard_reads: int = 0
    kept: dict[SSAValue, int] = field(default_factory=dict)
    """Values moved out of the loop and their remaining uses in it."""
    kept_bytes: int = 0
    grown_bytes: int = 0
    """Bytes of moved results beyond twice the size of their operands."""
    told: bool = False
    """True if a remark was made on an operation in it."""


def _below(reads: int, level: int) -> int:
    """Of levels as bits those that are lower than this one."""
    return reads & ((1 << level) - 1)


@dataclass
class _Motion:
    """Visits every operation once, in order, and moves it to its place.

    The operations that define its operands have been moved before.
    """

    module: ModuleOp
    analyses: Analyses
    remarks: Remarks
    max_bytes: int | None
    guard_elements: int
    only: Collection[LoopOp] | None = None
    """Loops that operations may leave; None if they may leave any."""
    moved: bool = False
    levels: dict[SSAValue, int] = field(default_factory=dict)
    constants: dict[Operation, _Body] = field(default_factory=dict)
    """Where each constant stands: it moves only with what reads it."""

    @cached_property
    def inference(self) -> Inference:
        """Inferred facts of all values, computed on first access.

        The first access comes before any operation is detached, because operations that go under a guard need the facts.
        """
        return self.analyses.get(infer, self.module)

    def _fact(self, value: SSAValue) -> Fact:
        return self.inference.fact(value)

    def visit(self, block: Block, body: _Body) -> None:
        """Go through a block."""
        for argument in block.args:
            self.levels[argument] = body.level
        for op in list(block.ops):
            self._visit_operation(op, body)

    def _visit_operation(self, op: Operation, body: _Body) -> None:
        if isinstance(op, ConstantOp):
            self.constants[op], self.levels[op.output] = body, 0
            return
        reads = 0
        for operand in op.operands:
            reads |= 1 << self.levels[operand]
        if isinstance(op, LoopOp):
            inner = _Body(body.level + 2, op, body)
            self.visit(op.body.block, inner)
            reads |= _below(inner.reads | inner.guard_reads, inner.level - 1)
            if not inner.told:
                self.remarks.missed(op, "no operation in it depends on values from outside alone")
            if inner.guarded:
                op = self._guard(op, inner, body)
            # Whether a loop ends is a question of its own.
            fails, effects = True, inner.effects
        elif op.regions:
            fails = effects = not isinstance(op, IfOp)
            for region in op.regions:
                for block in region.blocks:
                    arm = _Body(body.level)
                    self.visit(block, arm)
                    reads |= arm.reads
                    fails, effects = fails or arm.fails, effects or arm.effects
        elif body.level == _OUTSIDE:
            # Nothing moves from here, and nobody asks whether it could.
            fails = effects = False
        else:
            fails, effects = (
                not speculatable(op, self._fact),
                not (is_side_effect_free(op) or op.has_trait(IsTerminator)),
            )
        self._place(op, body, reads, fails, effects)

    def _place(self, op: Operation, body: _Body, reads: int, fails: bool, effects: bool) -> None:
        """Put an operation where it stays."""
        target, guarded, why = self._target(op, body, reads, fails, effects)
        self._count(op, body, target.outer if guarded else target)
        self.moved |= guarded or target is not body
        if guarded:
            assert target.loop is not None
            if target is not body:
                self.remarks.passed(op, f"moved out of {_loops(body, target)}")
                body.told = True
            assert target.outer is not None
            self._move_constants(op, body, target.outer)
            op.detach()
            target.guarded.append(op)
            target.guard_reads |= reads
            level = target.level - 1
        else:
            if target is not body:
                self._move_constants(op, body, target)
                _move(op, body, target)
                size = self._bytes(op)
                self.remarks.passed(
                    op,
                    f"moved out of {_loops(body, target)} ({'?' if size is None else size} bytes)",
                    bytes=size,
                )
                body.told = True
            target.reads |= reads
            target.fails |= fails
            target.effects |= effects
            # A branch moves as a whole, so what is made in it is of no level of its own.
            level = target.level if target.loop is not None else max(reads.bit_length() - 1, 0)
        if why is not None and target is body:
            self.remarks.missed(op, why)
            body.told = True
        for result in op.results:
            self.levels[result] = level

    def _move_constants(self, op: Operation, body: _Body, target: _Body) -> None:
        """Move the constants that an operation reads as far as it moves."""
        for inner in walk(op):
            for operand in inner.operands:
                constant = operand.owner
                if not isinstance(constant, ConstantOp) or op.is_ancestor(constant):
                    continue
                if (home := self.constants.get(constant)) is not None and home.level > target.level:
                    _move(constant, body, target)
                    self.constants[constant] = target

    def _target(
        self, op: Operation, body: _Body, reads: int, fails: bool, effects: bool
    ) -> tuple[_Body, bool, str | MissedReason | None]:
        """Return the block that an operation moves to.

        The result also has a flag, True if the operation goes under the guard of that block's loop, and the reason that keeps it
        from moving further.
        """
        top = reads.bit_length() - 1
        place = body
        if effects or op.has_trait(IsTerminator) or place.loop is None or top >= place.level:
            return place, False, None
        if widens_weights(op):
            return place, False, "the products that read it widen the weights"
        while place.loop is not None and place.outer is not None and top < place.level:
            if self.only is not None and place.loop not in self.only:
                break
            if (why := self._takes_room(op, place)) is not None:
                return place, False, why
            facts = loop_facts(place.loop)
            if facts is not None and facts.rarely_iterates and not op.has_trait(ConstantLike):
                numbers = {"iterations": facts.iterations, "entered": facts.entered}
                text = f"{facts.iterations} iterations of {facts.entered} entries in the profile"
                return place, False, MissedReason(f"the loop rarely runs: {text}", numbers)
            if fails and place.fails:
                return place, False, "it may fail, and so may an operation that stays before it"
            if fails and not starts_safely(place.loop, self.inference):
                return place, False, "it may fail, and so may the slicing of the loop's inputs"
            if top == place.level - 1 or (fails and trip_bounds(place.loop, self.inference).lo < 1):
                if can_be_guarded(place.loop):
                    return place, True, None
                return place, False, _NO_GUARD
            place = place.outer
        return place, False, None

    def _guard(self, loop: LoopOp, inner: _Body, body: _Body) -> Operation:
        """Put the collected operations under a loop's guard.

        If they are too little work, move them back into the body. Return the operation that then stands for the loop.
        """
        counts = [elements_at_most(r, self.inference) for op in inner.guarded for r in op.results]
        # What a loop gives may be little, and how long it takes nobody knows.
        loops = any(isinstance(o, LoopOp) for op in inner.guarded for o in walk(op))
        open_ = loops or any(c is None for c in counts)
        elements = None if open_ else sum(c for c in counts if c is not None)
        if elements is not None and elements < self.guard_elements:
            self.remarks.missed(
                loop,
                f"no guard for operations that may fail: {elements} elements are fewer than {self.guard_elements}",
                elements=elements,
                limit=self.guard_elements,
            )
            first = loop.body.block.first_op
            assert first is not None
            loop.body.block.insert_ops_before(inner.guarded, first)
            return loop
        shown = "?" if elements is None else elements
        self.remarks.passed(
            loop, f"guarded for operations that may fail ({shown} elements)", elements=elements
        )
        conditions, branch = guard_loop(loop, inner.guarded)
        for op in conditions:
            self._visit_operation(op, body)
        return branch

    def _takes_room(self, op: Operation, body: _Body) -> MissedReason | None:
        """Return why hoisting an operation would keep too much memory.

        The memory is that of its results, which are kept for the loop. None if it is not too much.
        """
        size = self._bytes(op)
        if self.max_bytes is not None:
            if size is None:
                return MissedReason(f"? bytes are more than {self.max_bytes}", {"limit": self.max_bytes})
            total = body.kept_bytes + size - self._freed(op, body)
            if total <= self.max_bytes:
                return None
            numbers = {"bytes": total, "limit": self.max_bytes}
            return MissedReason(f"{total} bytes are more than {self.max_bytes}", numbers)
        made_of = self._made_of(op)
        if made_of is None:
            return None
        if size is None or body.grown_bytes + size - 2 * made_of > GROWTH_LIMIT:
            more = (
                f", in addition to {body.grown_bytes} of other hoisted operations" if body.grown_bytes else ""
            )
            shown = "?" if size is None else size
            return MissedReason(
                f"it computes {shown} bytes from {made_of}{more}", {"bytes": size, "made_of": made_of}
            )
        return None

    def _count(self, op: Operation, body: _Body, target: _Body | None) -> None:
        """Record an operation's results as kept for the loops it leaves.

        Values that only this operation read are no longer kept.
        """
        if body is target:
            return
        size, made_of = self._bytes(op) or 0, self._made_of(op)
        while body is not target and body.outer is not None:
            body.kept_bytes += size - self._freed(op, body)
            if made_of is not None:
                body.grown_bytes += max(0, size - 2 * made_of)
            for value, reads in self._reads(op, body).items():
                body.kept[value] -= reads
            body.kept |= {result: result.uses.get_length() for result in op.results}
            body = body.outer

    def _reads(self, op: Operation, body: _Body) -> Counter[SSAValue]:
        """How often an operation reads what is kept for a loop."""
        return (
            Counter(v for inner in walk(op) for v in inner.operands if v in body.kept)
            if body.kept
            else Counter()
        )

    def _freed(self, op: Operation, body: _Body) -> int:
        """The bytes of what only this operation still reads in the loop."""
        return sum(
            self._size(value) or 0
            for value, reads in self._reads(op, body).items()
            if body.kept[value] == reads
        )

    def _made_of(self, op: Operation) -> int | None:
        """Return the bytes of an operation's operands.

        None if they are not known, or if the operation is a branch or a loop.
        """
        sizes = [self._size(operand) for operand in op.operands]
        return None if op.regions or None in sizes else sum(s or 0 for s in sizes)

    def _bytes(self, op: Operation) -> int | None:
        sizes = [self._size(result) for result in op.results]
        return None if any(s is None for s in sizes) else sum(s for s in sizes if s is not None)

    def _size(self, value: SSAValue) -> int | None:
        return bytes_at_most(value, self.inference) if isinstance(value.type, AnyTensor) else None


def _move(op: Operation, body: _Body, target: _Body) -> None:
    """Move an operation to the target's block.

    It goes in front of the loop there whose body is, or contains, `body`.
    """
    before = _loop_in(body, target)
    block = before.parent
    assert block is not None
    op.detach()
    block.insert_op_before(op, before)


def _loop_in(body: _Body, target: _Body) -> LoopOp:
    """Return the loop in the target's block that contains the body.

    The body may be the loop's own.
    """
    while body.outer is not target:
        assert body.outer is not None
        body = body.outer
    assert body.loop is not None
    return body.loop


def _loops(body: _Body, target: _Body) -> str:
    """How many loops are left on the way, in words."""
    count = (body.level - target.level) // 2
    return "a loop" if count == 1 else f"{count} loops"
