"""Values computed straight into the place where they are going: a slice of another buffer, or an output."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from xdsl.dialects import arith, cf, scf, tensor
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from loomir.dialects.scalars.constants import constant_integer
from loomir.dialects.tensors import tensor_type_of
from loomir.passes.structured.bufferize.analysis import Analysis
from loomir.passes.structured.bufferize.memrefs import collapse_type, groups_of, identity_memref, subview_type
from loomir.passes.structured.bufferize.model import (
    AliasSet,
    Cover,
    InOutput,
    InSlice,
    Plan,
    SetKind,
    Version,
    tensors,
)
from loomir.passes.structured.bufferize.order import uses_from
from loomir.passes.structured.bufferize.slices import (
    destination_of,
    disjoint,
    is_packed_slice,
    reshape_source,
    slice_bounds,
)

MOVABLE = (
    arith.ConstantOp,
    arith.AddiOp,
    arith.SubiOp,
    arith.MuliOp,
    arith.IndexCastOp,
    arith.MinSIOp,
    arith.MaxSIOp,
)
"""Index arithmetic that may be computed earlier than written: it has no effects and cannot fail."""

CHECKING = (*MOVABLE, arith.CmpiOp, arith.AndIOp, arith.OrIOp, arith.SelectOp)
"""The same, and what assertions about indices are made of."""

FARTHEST = 64
"""How many insertions into one tensor are looked back through (a concatenation has one for each operand)."""


def origins(alias_set: AliasSet) -> list[AliasSet]:
    """`alias_set` and the alias sets before it that have the same buffer, by identities of region operations."""
    chain = [alias_set]
    while alias_set.kind is SetKind.RESULT and alias_set.group is not None and alias_set.group.identity:
        alias_set = alias_set.group.inputs[0]
        chain.append(alias_set)
    return chain


def origins_after(alias_set: AliasSet) -> list[AliasSet]:
    """Like `origins`, but also through loops that rotate buffers a number of times that is known."""
    chain = origins(alias_set)
    while (source := _rotated_from(chain[-1])) is not None:
        chain += origins(source)
    return chain


def _rotated_from(alias_set: AliasSet) -> AliasSet | None:
    """The input of a loop with constant bounds whose buffer ends up in result `alias_set`,
    if each iteration only rotates."""
    group = alias_set.group
    if alias_set.kind is not SetKind.RESULT or group is None or not isinstance(group.op, scf.ForOp):
        return None
    bounds = [constant_integer(bound) for bound in (group.op.lb, group.op.ub, group.op.step)]
    (slots,), (yields,) = group.slots, group.yields
    if None in bounds or any(holder not in slots for holder in yields):
        return None
    before = [slots.index(holder) for holder in yields]
    slot = group.outputs.index(alias_set)
    cycle = [slot]
    while (slot := before[slot]) != cycle[0]:
        cycle.append(slot)
    lower, upper, step = (bound for bound in bounds if bound is not None)
    return group.inputs[cycle[len(range(lower, upper, step)) % len(cycle)]]


def place_in_slice(analysis: Analysis, op: tensor.InsertSliceOp) -> None:
    """Let the source of `op` be computed straight into its slice of the destination, if nobody can see that.

    The source must be all of a fresh value of this block that nothing else uses afterwards; the destination's
    buffer must exist when the computation begins, and nothing may look at it until the insertion.
    """
    plan = analysis.plan
    source = plan.aliases[op.source]
    if source.version is None or op.parent_block() is None:
        return
    chain = origins(source.alias_set)
    fresh = chain[-1]
    block = op.parent_block()
    assert block is not None
    if fresh.kind is not SetKind.FRESH or fresh.destination is not None:
        return
    if any(alias_set.block is not block for alias_set in chain):
        return
    here = plan.numbers[op]
    for alias_set in chain:
        for _, use, _ in uses_from(alias_set.values, here, plan.numbers):
            if use.operation is not op or use.index != 0:
                return
    if not (_fits(analysis, op, chain) if source.cover is Cover.FULL else _fits_prefix(plan, op, chain)):
        return
    hoisted = _needed_at(plan, op, fresh.number, block)
    if hoisted is None:
        return
    early = _untouched_since(plan, op, fresh.number)
    if early is None:
        return
    for alias_set in early:
        alias_set.number = min(alias_set.number, fresh.number)
    fresh.destination = InSlice(op)
    plan.slices_at.setdefault(fresh.number, []).append(fresh)
    plan.hoisted.setdefault(fresh.number, []).extend(hoisted)


def _fits(analysis: Analysis, op: tensor.InsertSliceOp, chain: list[AliasSet]) -> bool:
    """Whether every view of the source can be expressed on the slice, which may not be contiguous."""
    target = analysis.plan.writes[op.result].alias_set
    if target.type != tensor_type_of(op.dest) or analysis.plan.aliases[op.result].cover is not Cover.FULL:
        return False
    if is_packed_slice(op):
        target.packed = True
        return True
    base, reshapes = reshape_source(op.source)
    if len(chain) > 1 or chain[0].packed or base.type != chain[0].type:
        return False
    for value in chain[0].values:
        if isinstance(value.owner, tensor.CollapseShapeOp) and value.owner not in reshapes:
            return False
    bounds = [[i if isinstance(i, int) else None for i in indices] for indices in slice_bounds(op)]
    layout = subview_type(identity_memref(target.type), *bounds)
    for reshape in reshapes:
        # The buffer is the slice with the reshapes undone. Undoing an expansion joins dimensions.
        if isinstance(reshape, tensor.CollapseShapeOp):
            return False
        joined = collapse_type(
            layout, groups_of(reshape.reassociation), tensor_type_of(reshape.src).get_shape()
        )
        if joined is None:
            return False
        layout = joined
    return True


def _fits_prefix(plan: Plan, op: tensor.InsertSliceOp, chain: list[AliasSet]) -> bool:
    """Whether the source is the packed data of a dynamic tensor, and nothing looks at the rest of its buffer.

    Then the slice, which is exactly as large as the data, can stand for that buffer.
    """
    (fresh, *others) = chain
    target = plan.writes[op.result].alias_set
    _, sizes, strides = slice_bounds(op)
    if others or plan.aliases[op.source].cover is not Cover.PREFIX or len(sizes) != 1 or strides != (1,):
        return False
    if target.type != op.dest.type or plan.aliases[op.result].cover is not Cover.FULL:
        return False
    if len(fresh.type.get_shape()) != 1:
        return False

    def is_data(view: Operation | Block) -> bool:
        return isinstance(view, tensor.ExtractSliceOp) and slice_bounds(view) == ((0,), sizes, (1,))

    for value in fresh.values:
        if value in plan.writes and plan.writes[value].fresh:
            # The first to write it: through a view of just the data. (What has no destination, a padding, writes all of it.)
            dest = destination_of(value)
            if dest is None or not is_data(reshape_source(dest)[0].owner):
                return False
        if plan.aliases[value].cover is Cover.FULL and not all(is_data(use.operation) for use in value.uses):
            return False
    target.packed = True
    return True


def _needed_at(plan: Plan, op: tensor.InsertSliceOp, number: int, block: Block) -> list[Operation] | None:
    """The operations to move in front of operation `number` so that the slice's bounds are known there, and known to be inside.

    An assertion between there and the insertion may be what keeps the slice inside its buffer: it has to come before the first write.
    """
    bounds = [*op.offsets, *op.sizes, *op.strides]
    moved: dict[Operation, None] = {}
    if not _collect(plan, bounds, number, block, MOVABLE, moved):
        return None
    here = plan.numbers[op]
    if block not in plan.asserts:
        plan.asserts[block] = [each for each in block.ops if isinstance(each, cf.AssertOp)]
    asserts = plan.asserts[block]
    about: set[SSAValue] | None = None
    for check in asserts[bisect_left(asserts, number, key=lambda each: plan.numbers[each]) :]:
        if plan.numbers[check] > here:
            break
        if about is None:
            about = _computed_from(bounds, MOVABLE)
        if about.isdisjoint(_computed_from(check.operands, CHECKING)):
            continue
        if not _collect(plan, check.operands, number, block, CHECKING, moved):
            return None
        moved[check] = None
    return sorted(moved, key=lambda owner: plan.numbers[owner])


def _collect(
    plan: Plan,
    values: Iterable[SSAValue],
    number: int,
    block: Block,
    allowed: tuple[type[Operation], ...],
    moved: dict[Operation, None],
) -> bool:
    """Add to `moved` what computes these values from operation `number` on; false where that cannot be moved."""
    stack = list(values)
    while stack:
        value = stack.pop()
        owner = value.owner
        if (
            isinstance(value, BlockArgument)
            or not isinstance(owner, Operation)
            or plan.numbers[owner] < number
        ):
            continue
        if not isinstance(owner, allowed) or owner.parent_block() is not block:
            return False
        if owner not in moved:
            moved[owner] = None
            stack.extend(owner.operands)
    return True


def _computed_from(values: Iterable[SSAValue], through: tuple[type[Operation], ...]) -> set[SSAValue]:
    """The values and everything that they are computed from by such operations, but for constants."""
    found: set[SSAValue] = set()
    stack = list(values)
    while stack:
        value = stack.pop()
        if value in found or isinstance(value.owner, arith.ConstantOp):
            continue
        found.add(value)
        if isinstance(value.owner, through):
            stack.extend(value.owner.operands)
    return found


def _untouched_since(plan: Plan, op: tensor.InsertSliceOp, number: int) -> list[AliasSet] | None:
    """Whether the destination's buffer exists at `number` and only other slices of it are written until `op`.

    Gives the alias sets that have to begin that early, which so far begin with an insertion; `None` if it isn't
    so.
    """
    here = plan.numbers[op]
    dest = plan.writes[op.result]
    alias_set = dest.alias_set
    version: Version | None = plan.aliases[op.dest].version
    if dest.fresh:
        return [alias_set] if not dest.read and alias_set.destination is None else None
    inserts: set[Operation] = {op}
    bounds = plan.insert_bounds
    bounds[op] = slice_bounds(op)
    for _ in range(FARTHEST):
        assert version is not None
        if version.insert is not None:
            inserts.add(version.insert)
        for n, use, _ in uses_from(version.values, number, plan.numbers):
            if n <= here and not (use.operation in inserts and use.index == 1):
                return None
        if version.number < number:
            return []
        insert = version.insert
        if insert is None or insert.parent_block() is not op.parent_block():
            return None
        if insert not in bounds:
            bounds[insert] = slice_bounds(insert)
        if not disjoint(bounds[insert], bounds[op]):
            return None
        if version.parent is None:
            before = plan.writes[insert.result]
            return [alias_set] if before.fresh and not before.read and alias_set.destination is None else None
        version = version.parent
    return None


def place_returns(analysis: Analysis, op: ReturnOp) -> None:
    """Give the tensors returned their output buffers: computed there if possible, else copied."""
    plan = analysis.plan
    for index, i in enumerate(tensors(op.operands)):
        value = op.operands[i]
        alias = plan.aliases[value]
        if alias.version is None:
            continue
        chain = origins_after(alias.alias_set)
        reason = None
        if alias.cover is not Cover.FULL:
            reason = "the output is a part of a larger buffer"
        elif chain[-1].kind is SetKind.ARGUMENT:
            reason = "an input or weight is returned"
        elif chain[-1].kind is SetKind.RESULT:
            reason = "the output is in one of several buffers that a loop or branch exchanges"
        elif chain[-1].destination is not None:
            reason = "it is in another output already"
        if reason is None:
            chain[-1].destination = InOutput(index)
        else:
            analysis.explain(op, value, reason)
            plan.return_copies[index] = value
