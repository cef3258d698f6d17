"""Branches: selection among cases, and motion of operations into arms.

- GRAPH has no branch with more than two arms, so selection of a case by a number known only at run time is nested `ov.if`
  operations.
- Operations sink into the only arm that needs them. This works for `ov.if` and `scf.if` alike.
- Operations behind an `ov.if` are copied into both of its branches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp, UnrankedTensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import ConstantLike, IsTerminator

from loomir.dialects.diagnostics import Remarks
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import EqualOp
from loomir.dialects.ov.operators.control_flow import IfOp, YieldOp
from loomir.dialects.ovseq.types import SequenceType
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.walking import walk

Case = tuple[int, Callable[[GraphBuilder], Sequence[SSAValue]]]
"""A number, and what emits the results for it at a place."""


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
    then, otherwise = Region(Block()), Region(Block())
    first = build.inside(then.block)
    first.emit(YieldOp.build(operands=[list(emit(first))]))
    second = build.inside(otherwise.block)
    if len(others) == 1:
        rest = others[0][1](second)
    else:
        made = emit_switch(second, number, others, types)
        rest = made[0].output
    second.emit(YieldOp.build(operands=[list(rest)]))
    holds = build.make(EqualOp, number, build.like(wanted, number))
    return [build.emit(IfOp.of(holds, types, then, otherwise)), *made]


def sink_into_branches(
    module: ModuleOp,
    kind: type[Operation],
    remarks: Remarks,
    stays: Callable[[Operation], bool] = lambda op: False,
) -> None:
    """Move operations that only one arm reads to its beginning.

    The arm is one of a later branch of this kind, and the only reader of the operations' results.

    `stays` selects operations that are no work where they are. An operation that may fail stays, too, and is remarked.
    """
    # Blocks outermost first: what has moved into a branch is looked at again there.
    waiting = [module.body.block]
    while waiting:
        block = waiting.pop()
        if any(isinstance(o, kind) for o in block.ops):
            _sink_from(block, kind, remarks, stays)
        waiting += [inner for o in block.ops for region in o.regions for inner in region.blocks]


def _sink_from(
    block: Block, kind: type[Operation], remarks: Remarks, stays: Callable[[Operation], bool]
) -> None:
    # The last ones first: what an operation is needed for has moved by then.
    for op in reversed(list(block.ops)):
        if stays(op) or (arm := _only_reader(op, block, kind)) is None:
            continue
        branch = arm.parent_op()
        assert branch is not None
        if not speculatable(op):
            remarks.missed(branch, f"only one branch needs {op.name}, but it may fail")
            continue
        op.detach()
        first = arm.first_op
        assert first is not None
        arm.insert_op_before(op, first)
        remarks.passed(branch, f"{op.name} moved into the only branch that needs it")


def _only_reader(op: Operation, block: Block, kind: type[Operation]) -> Block | None:
    """Return the arm that holds all users of the operation's results.

    The arm is one of a branch in this block.
    """
    if op.has_trait(ConstantLike) or op.has_trait(IsTerminator):
        return None
    found: Block | None = None
    for result in op.results:
        for use in result.uses:
            arm = _arm_around(use.operation, block, kind)
            if arm is None or (found is not None and arm is not found):
                return None
            found = arm
    # Asked last, for it looks at everything inside an arm, and few have only one reader.
    return found if is_side_effect_free(op) else None


def _arm_around(op: Operation, block: Block, kind: type[Operation]) -> Block | None:
    """Return the arm that holds an operation at any depth.

    The arm is a block of a branch in `block`.
    """
    inside, around = op.parent, op.parent_op()
    while around is not None and around.parent is not block:
        inside, around = around.parent, around.parent_op()
    return inside if isinstance(around, kind) and inside is not block else None


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
    outputs = [v for v in made if any(_ancestor(u.operation, block) not in inside for u in v.uses)]
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
        old.replace_uses_with_if(result, lambda use: _ancestor(use.operation, block) not in inside)
    replaced: dict[SSAValue, SSAValue] = dict(zip(outputs, new.output))
    for op in (*reversed(moved), branch):
        op.detach()
        op.erase(safe_erase=False)
    return replaced


def _ancestor(op: Operation, block: Block) -> Operation | None:
    """The operation of this block that holds `op`, perhaps itself."""
    current: Operation | None = op
    while current is not None and current.parent is not block:
        current = current.parent_op()
    return current
