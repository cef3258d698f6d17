"""`licm`: hoists loop-invariant operations out of `scf.for` and `scf.while`.

xDSL's pass of this name for `scf.for` trusts its own operations' traits about what may be speculated: `tensor.extract`,
`arith.remsi` and others promise too much.

```mlir
%r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4xf32>) {
  %s = arith.mulf %a, %b : f32                 // moves
  %e = linalg.generic … ins(%t) outs(%o) …     // moves, with the tensor.empty that it computes into
  %d = tensor.extract %t[%k] : tensor<4xf32>   // stays: who knows %k
  …
}
```

One traversal of the program, in order, puts each operation into its final place, so that its users may follow, out of
as many loops as there are; branches and loops move as a whole. An operation that may stop the program, a check too,
moves only out of loops that surely run, and only if nothing that may stop the program stays before it in the body: the
errors do not change. A loop surely runs by the ranges of its bounds, or under a branch with the condition
`lower < upper`; the first region of a while always runs. With `guard`, a counted loop that may not run is put under
that condition if this lets something move:

```mlir
scf.for %i = %l to %u step %c1 {
  %d = arith.divsi %a, %b : i32
  body(%i, %d)
}

%runs = arith.cmpi slt, %l, %u : index
scf.if %runs {
  %d = arith.divsi %a, %b : i32
  scf.for %i = %l to %u step %c1 {
    body(%i, %d)
  }
}
```

A tensor stays in the loop if it is overwritten or forwarded there, which would take a copy in each iteration. It also
stays if it takes more than twice the memory of the operands that it is computed from (and 64 KB). `max-bytes` replaces
the latter limit by the most bytes that all tensors moved out of a loop may take together. Operations that cost nothing
where they are read (an empty tensor, a fill, a view, a move) move with the operations that need them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import prod
from operator import or_

from xdsl.context import Context
from xdsl.dialects import arith, cf, scf, tensor
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import ConstantLike, IsTerminator

from loomir.dialects.control_flow.conditions import enclosing_conditions
from loomir.dialects.diagnostics import MissedReason, Remarks
from loomir.dialects.element_types import dtype_of
from loomir.dialects.profile import loop_facts
from loomir.dialects.scalars import LESS
from loomir.dialects.scalars.row import constant_integer, constant_trips
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.walking import walk
from loomir.passes.analysis.value_ranges import IntegerRanges
from loomir.passes.graph.ov_loop_invariant_code_motion import GROWTH_LIMIT
from loomir.passes.options import check_least
from loomir.passes.structured.lib.scf_loops import guard_loop, settle_guard
from loomir.passes.structured.linalg_fuse_elementwise.producers import costs_nothing

_Structured = scf.IfOp | scf.ForOp | scf.WhileOp
_VIEWS = (tensor.ExtractSliceOp, tensor.ExpandShapeOp, tensor.CollapseShapeOp)
_FREE = (tensor.EmptyOp, FillOp, *_VIEWS)


@dataclass(frozen=True)
class LicmPass(ModulePass):
    """Moves loop-invariant operations in front of loops.

    See the module's docstring.
    """

    name = "licm"
    EXACT = True

    max_bytes: int | None = None
    guard: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_least(self, max_bytes=0)
        loops = [inner for inner in walk(op) if isinstance(inner, scf.ForOp | scf.WhileOp)]
        if not loops:
            return
        remarks = Remarks(self.name)
        guarded = [guard_loop(loop) for loop in loops if self.guard and isinstance(loop, scf.ForOp)]
        motion = _Motion(remarks, self.max_bytes)
        for function in op.ops:
            for region in function.regions:
                for block in region.blocks:
                    motion.visit(block, _Place())
        for loop in loops:
            if loop not in motion.told:
                remarks.missed(loop, "no operation in it depends on values from outside alone")
        # Inner ones first: what is left of them is in the outer ones.
        for branch in reversed(guarded):
            if branch is not None and (loop := settle_guard(branch)) is not None:
                remarks.passed(loop, "guarded by a test that it runs")


@dataclass
class _Place:
    """Block of a function, branch or loop that is being traversed."""

    around: _Place | None = None
    op: Operation | None = None
    level: int = 0
    is_loop: bool = False
    surely_runs: bool = False
    reads: int = 0
    """The levels, as bits, of all values that are read in it."""
    fails: bool = False
    """True if an operation that stays here may stop the program."""
    acts: bool = False
    """True if an operation that stays here has other side effects."""
    kept_bytes: int = 0
    """Bytes of the tensors that have moved out of the block."""


@dataclass
class _Motion:
    """Visits every operation once.

    `levels` maps a value to the level of its place, counted from outside.
    """

    remarks: Remarks
    max_bytes: int | None = None
    ranges: IntegerRanges = field(default_factory=IntegerRanges)
    levels: dict[SSAValue, int] = field(default_factory=dict)
    told: set[Operation] = field(default_factory=set)
    """Loops of which something was hoisted, or a remark says why not."""

    def visit(self, block: Block, place: _Place) -> None:
        """Go through a block."""
        for argument in block.args:
            self.levels[argument] = place.level
        for op in list(block.ops):
            self._put(op, place)

    def _put(self, op: Operation, place: _Place) -> None:
        """Leave an operation where it is, or hoist it.

        It moves in front of the loops of which it needs nothing.
        """
        reads = self._levels_of(op.operands)
        fails = acts = False
        if isinstance(op, _Structured):
            for inner in self._inside(op, place):
                reads |= inner.reads & ((2 << place.level) - 1)
                fails, acts = fails or inner.fails, acts or inner.acts
            fails = fails or not _ends(op)
        else:
            for region in op.regions:
                for inner in walk(region):
                    reads |= self._levels_of(inner.operands)
            fails = not speculatable(op)
            acts = not is_side_effect_free(op) and not isinstance(op, cf.AssertOp)
        target, before = place, op
        if _is_free(op):
            # It is made again in front of the loop where it is needed there.
            for result in op.results:
                self.levels[result] = max(reads.bit_length() - 1, 0)
            place.reads |= reads
            return
        if not acts and not op.has_trait(IsTerminator) and _is_only_read_of(op):
            while target.around is not None and target.is_loop and not reads >> target.level & 1:
                assert target.op is not None
                facts = loop_facts(target.op)
                if facts is not None and facts.rarely_iterates and not op.has_trait(ConstantLike):
                    break
                if (why := self._too_large(op, target)) is not None:
                    self.remarks.missed(target.op, why)
                    self.told.add(target.op)
                    break
                if fails and not (target.surely_runs and not target.fails and not target.acts):
                    behind = (
                        "an earlier operation may fail or have a side effect"
                        if target.surely_runs
                        else "the loop may not run"
                    )
                    self.remarks.missed(target.op, f"{op.name} may fail, and {behind}")
                    self.told.add(target.op)
                    break
                target.kept_bytes += _tensor_bytes(op) or 0
                if not isinstance(op, arith.ConstantOp):
                    self.told.add(target.op)
                before, target = target.op, target.around
        if before is not op:
            block = before.parent
            assert block is not None
            op.detach()
            block.insert_op_before(op, before)
            self._bring(op, op)
            if not isinstance(op, arith.ConstantOp):
                self.remarks.passed(before, f"hoisted {op.name}")
        for result in op.results:
            self.levels[result] = target.level
        target.reads |= reads
        target.fails = target.fails or fails
        target.acts = target.acts or acts

    def _too_large(self, op: Operation, place: _Place) -> MissedReason | None:
        """Return why hoisting an operation would keep too much memory.

        The memory is that of its results, which are kept for the loop. None if it is not too much.
        """
        size = _tensor_bytes(op)
        if size == 0:
            return None
        if self.max_bytes is not None:
            total = None if size is None else place.kept_bytes + size
            if total is None or total > self.max_bytes:
                what = "?" if total is None else total
                numbers = {"bytes": total, "limit": self.max_bytes}
                return MissedReason(f"{op.name} stays: {what} bytes are more than {self.max_bytes}", numbers)
            return None
        if op.regions and not isinstance(op, LinalgStructuredOperation):
            return None
        sources = (v.type for v in op.operands if not isinstance(v.owner, tensor.EmptyOp))
        limit = 2 * sum(_bytes(t) or 0 for t in sources) + GROWTH_LIMIT
        if (size or 0) <= limit:
            return None
        return MissedReason(
            f"{op.name} stays: {size} bytes are more than {limit}", {"bytes": size, "limit": limit}
        )

    def _levels_of(self, values: Sequence[SSAValue]) -> int:
        """Return the levels of values as bits.

        Values defined within the operation that is being visited have no level.
        """
        return reduce(or_, (1 << self.levels[value] for value in values if value in self.levels), 0)

    def _inside(self, op: _Structured, place: _Place) -> list[_Place]:
        """Traverse the regions of a loop or branch and return their places."""
        is_loop = not isinstance(op, scf.IfOp)
        found: list[_Place] = []
        for region in op.regions:
            if region.blocks:
                runs = self._runs(op) if isinstance(op, scf.ForOp) else region is op.regions[0]
                inner = _Place(place, op, place.level + 1, is_loop, is_loop and runs)
                self.visit(region.block, inner)
                found.append(inner)
        return found

    def _runs(self, loop: scf.ForOp) -> bool:
        """Return True if a loop surely has an iteration.

        Its bounds imply it, or the condition of a branch around it.
        """
        return (
            bool(constant_trips(loop))
            or self.ranges.of(loop.lb)[1] < self.ranges.of(loop.ub)[0]
            or enclosing_conditions(loop).comparison(LESS, loop.lb, loop.ub) is True
        )

    def _bring(self, op: Operation, before: Operation) -> None:
        """Clone operations that cost nothing and are not visible from there.

        The clones go in front of `before`.
        """
        for user in walk(op):
            for number, operand in enumerate(user.operands):
                source = operand.owner
                if (
                    not isinstance(operand, OpResult)
                    or not isinstance(source, Operation)
                    or not _is_free(source)
                ):
                    continue
                if op.is_ancestor(source) or _is_seen(source, before):
                    continue
                copy = source.clone()
                copy.location = source.location
                assert before.parent is not None
                before.parent.insert_op_before(copy, before)
                self._bring(copy, copy)
                user.operands[number] = copy.results[operand.index]
                for result, old in zip(copy.results, source.results):
                    self.levels[result] = self.levels[old]
                _erase_unused(source)


def _erase_unused(op: Operation) -> None:
    """Erase an operation that was cloned elsewhere, if it is unused.

    Operands that only this operation used are erased, too.
    """
    if any(result.first_use is not None for result in op.results):
        return
    sources = [operand.owner for operand in op.operands]
    op.detach()
    op.erase()
    for source in sources:
        if isinstance(source, Operation) and source.parent is not None and _is_free(source):
            _erase_unused(source)


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


def _ends(op: _Structured) -> bool:
    """Return True if a loop or branch by itself surely terminates."""
    if isinstance(op, scf.ForOp):
        return (constant_integer(op.step) or 0) > 0
    return isinstance(op, scf.IfOp)


def _is_free(op: Operation) -> bool:
    """Return True if recomputing a result costs no more than keeping it.

    The result is then an empty tensor, a fill, a view or a move, which may as well be computed where it is read.
    """
    if isinstance(op, GenericOp):
        return bool(op.results) and costs_nothing(op) and speculatable(op)
    return isinstance(op, _FREE) and speculatable(op)


def _is_only_read_of(op: Operation) -> bool:
    """Return True if nothing computes into an operation's result tensors."""
    return all(_is_only_read(result) for result in op.results if isinstance(result.type, TensorType))


def _tensor_bytes(op: Operation) -> int | None:
    """Return the bytes of an operation's result tensors.

    None if an extent is dynamic.
    """
    sizes = [_bytes(result.type) for result in op.results if isinstance(result.type, TensorType)]
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def _is_only_read(value: SSAValue) -> bool:
    """Return True if nothing computes into a tensor or forwards it.

    Uses through views count, too.
    """
    for use in value.uses:
        user = use.operation
        if isinstance(user, _VIEWS):
            if not _is_only_read(user.results[0]):
                return False
        elif isinstance(user, LinalgStructuredOperation):
            if use.index >= len(user.inputs):
                return False
        elif not isinstance(user, tensor.ExtractOp):
            return False
    return True


def _bytes(type_: Attribute) -> int | None:
    if not isinstance(type_, TensorType):
        return 0
    if not type_.has_static_shape():
        return None
    return prod(type_.get_shape()) * dtype_of(type_.element_type).itemsize
