"""Branches: selection among cases, and copies of operations in arms.

- GRAPH has no branch with more than two arms, so selection of a case by a number known only at run time is nested `ov.if`
  operations.
- Operations behind an `ov.if` are copied into both of its branches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from xdsl.dialects.builtin import UnrankedTensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import EqualOp
from loomir.dialects.ov.operators.control_flow import IfOp, YieldOp
from loomir.dialects.ovseq.types import SequenceType
from loomir.dialects.region_flow import ancestor_in
from loomir.dialects.upstream.walking import walk

Arm = Callable[[GraphBuilder], Sequence[SSAValue]]
"""Emits the results of an arm in it."""

Case = tuple[int, Arm]
"""A number, and what emits the results for it at a place."""


def emit_branch(
    build: GraphBuilder, condition: SSAValue, taken: Arm, otherwise: Arm, types: Sequence[Attribute] = ()
) -> IfOp:
    """Emit an `ov.if`, and return it.

    Without `types` its results have those of the first arm.
    """
    blocks = Block(), Block()
    for block, arm in zip(blocks, (taken, otherwise)):
        inside = build.inside(block)
        inside.emit(YieldOp.build(operands=[list(arm(inside))]))
    end = blocks[0].last_op
    assert end is not None
    return build.emit(IfOp.of(condition, types or end.operand_types, *map(Region, blocks)))


def emit_switch(
    build: GraphBuilder, number: SSAValue, cases: Sequence[Case], types: Sequence[Attribute]
) -> list[IfOp]:
    """Emit nested `ov.if` operations for two or more cases.

    There is an `ov.if` for each case but the last one; they are returned outermost first. The results are those of the case
    that holds. `number` is a scalar that surely equals one of the cases: the last case is not tested. `types` are the
    result types.
    """
    made: list[IfOp] = []
    (wanted, emit), *others = cases

    def rest(inside: GraphBuilder) -> Sequence[SSAValue]:
        if len(others) == 1:
            return others[0][1](inside)
        made.extend(emit_switch(inside, number, others, types))
        return made[0].output

    holds = build.make(EqualOp, number, build.like(wanted, number))
    return [emit_branch(build, holds, emit, rest, types), *made]


def unranked(values: Iterable[SSAValue]) -> bool:
    """Return True if any value, or its sequence element, is unranked."""
    types = [v.type.element if isinstance(v.type, SequenceType) else v.type for v in values]
    return any(isinstance(t, UnrankedTensorType) for t in types)


def dependants_of(branch: IfOp) -> list[Operation]:
    """Return the operations that depend on the branch's results.

    They are in order, without the block's terminator.
    """
    depends: set[SSAValue] = set(branch.output)
    found: list[Operation] = []
    op = branch.next_op
    while op is not None and op.next_op is not None:
        if any(v in depends for v in operands_of(op)):
            depends.update(op.results)
            found.append(op)
        op = op.next_op
    return found


def operands_of(op: Operation) -> Iterator[SSAValue]:
    """The values that an operation and its regions read."""
    for inner in walk(op):
        yield from inner.operands


def clone_into_branches(
    branch: IfOp, dependants: Sequence[Operation], moved: list[Operation]
) -> dict[SSAValue, SSAValue]:
    """Move the operations `moved` into both branches.

    A new `ov.if` takes the place of the last of them and returns the values that are used elsewhere, if there are any.

    `dependants` are the operations that depend on the branch. `moved` are some of them, in order, with all others that they
    need. Returns the new results by the old ones.
    """
    block = branch.parent
    assert block is not None
    inside = set(moved)
    made = [*branch.output, *(r for op in moved for r in op.results)]
    outputs = [v for v in made if any(ancestor_in(u.operation, block) not in inside for u in v.uses)]
    if not outputs:
        # Nobody needs what the branches give: there is no `ov.if` without results.
        for op in (*reversed(moved), branch):
            op.detach()
            op.erase(safe_erase=False)
        return {}
    regions: list[Region] = []
    for region in (branch.then_region, branch.else_region):
        body = Region()
        region.move_blocks(body)
        end = body.block.last_op
        assert isinstance(end, YieldOp)
        mapping: dict[SSAValue, SSAValue] = dict(zip(branch.output, end.values))
        blocks: dict[Block, Block] = {}
        for op in moved:
            body.block.insert_op_before(op.clone(mapping, blocks), end)
        new_end = YieldOp.build(operands=[[mapping[v] for v in outputs]])
        new_end.location = end.location
        body.block.insert_op_before(new_end, end)
        end.detach()
        end.erase()
        regions.append(body)
    new = IfOp.of(branch.cond, [v.type for v in outputs], *regions)
    new.location = branch.location
    block.insert_op_after(new, moved[-1])
    # What depends on the branch and stays comes behind the new one; what `moved` needs besides stands before it already.
    before: Operation = new
    for op in dependants[: dependants.index(moved[-1])]:
        if op not in inside:
            op.detach()
            block.insert_op_after(op, before)
            before = op
    for old, result in zip(outputs, new.output):
        result.name_hint = old.name_hint
        old.replace_uses_with_if(result, lambda use: ancestor_in(use.operation, block) not in inside)
    replaced: dict[SSAValue, SSAValue] = dict(zip(outputs, new.output))
    for op in (*reversed(moved), branch):
        op.detach()
        op.erase(safe_erase=False)
    return replaced
