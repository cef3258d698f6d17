"""Values computed directly in the place of their destination.

The destination is a slice of another buffer, or an output.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from xdsl.dialects import arith, cf, scf, tensor
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from loomir.dialects.element_types import tensor_type_of
from loomir.dialects.scalars.row import constant_integer
from loomir.passes.structured.bufferize.model import (
    AliasSet,
    Analysis,
    BufferizationPlan,
    Cover,
    InOutput,
    InSlice,
    SetKind,
    Version,
    tensors,
    uses_from,
)
from loomir.passes.structured.bufferize.slices import (
    destination_of,
    disjoint,
    is_packed_slice,
    reshape_source,
    slice_bounds,
)
from loomir.passes.structured.lib.memrefs import collapse_type, groups_of, identity_memref, subview_type

MOVABLE = (
    arith.ConstantOp,
    arith.AddiOp,
    arith.SubiOp,
    arith.MuliOp,
    arith.IndexCastOp,
    arith.MinSIOp,
    arith.MaxSIOp,
)
"""Index arithmetic that may be hoisted.

It has no side effects and cannot fail.
"""

CHECKING = (*MOVABLE, arith.CmpiOp, arith.AndIOp, arith.OrIOp, arith.SelectOp)
"""The same, and what assertions about indices are made of."""

FARTHEST = 64
"""Maximum number of insertions into one tensor that are searched backwards.

A concatenation has one insertion for each operand.
"""


def buffer_chain(alias_set: AliasSet) -> list[AliasSet]:
    """Return `alias_set` and the preceding alias sets with the same buffer.

    Identities of region operations connect them.
    """
    chain = [alias_set]
    while alias_set.kind is SetKind.RESULT and alias_set.group is not None and alias_set.group.identity:
        alias_set = alias_set.group.inputs[0]
        chain.append(alias_set)
    return chain


def rotated_buffer_chain(alias_set: AliasSet) -> list[AliasSet]:
    """Return the `buffer_chain`, also through loops that rotate buffers.

    The number of rotations must be known.
    """
    chain = buffer_chain(alias_set)
    while (source := _rotated_from(chain[-1])) is not None:
        chain += buffer_chain(source)
    return chain


def _rotated_from(alias_set: AliasSet) -> AliasSet | None:
    """Return the loop input whose buffer becomes result `alias_set`, or None.

    The loop must have constant bounds, and each iteration must only rotate buffers.
    """
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
    """Compute the source of `op` directly in its slice of the destination.

    This happens only if no operation can observe it. The source must be all of a fresh value of this block that nothing
    else uses afterwards; the destination's buffer must exist when the computation begins, and nothing may read it until the
    insertion.
    """
    plan = analysis.plan
    source = plan.aliases[op.source]
    if source.version is None or op.parent_block() is None:
        return
    chain = buffer_chain(source.alias_set)
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
    """Return True if the slice can express every view of the source.

    The slice may not be contiguous.
    """
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


def _fits_prefix(plan: BufferizationPlan, op: tensor.InsertSliceOp, chain: list[AliasSet]) -> bool:
    """Return True if the source is a dynamic tensor's packed data.

    Nothing may use the rest of its buffer.

    Then the slice, which is exactly as large as the data, can take the place of that buffer.
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


def _needed_at(
    plan: BufferizationPlan, op: tensor.InsertSliceOp, number: int, block: Block
) -> list[Operation] | None:
    """Return the operations to move in front of operation `number`, or None.

    After the move, the slice's bounds are known there, and known to be inside.

    An assertion between there and the insertion may be what keeps the slice inside its buffer: it must come before the
    first write.
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
    plan: BufferizationPlan,
    values: Iterable[SSAValue],
    number: int,
    block: Block,
    allowed: tuple[type[Operation], ...],
    moved: dict[Operation, None],
) -> bool:
    """Add to `moved` the operations from `number` on that compute these values.

    Return False if an operation cannot be moved.
    """
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
    """Return the values and all non-constant values they are computed from.

    Only operations of the types `through` are followed.
    """
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


def _untouched_since(plan: BufferizationPlan, op: tensor.InsertSliceOp, number: int) -> list[AliasSet] | None:
    """Return the alias sets that must begin at `number`, or `None`.

    So far these alias sets begin with an insertion. The result is `None` unless the destination's buffer exists at `number`
    and only other slices of it are written until `op`.
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
    """Assign the returned tensors their output buffers.

    A tensor is computed there if possible, and copied there otherwise.
    """
    plan = analysis.plan
    for index, i in enumerate(tensors(op.operands)):
        value = op.operands[i]
        alias = plan.aliases[value]
        if alias.version is None:
            continue
        chain = rotated_buffer_chain(alias.alias_set)
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
