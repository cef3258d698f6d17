"""Sinking: operations move into the only arm that needs them.

The passes `ov-if-sink` and `scf-if-sink` share it.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.traits import ConstantLike, IsTerminator

from loomir.dialects.control_flow.rewriting import Branch
from loomir.dialects.diagnostics import Remarks
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.effects import is_side_effect_free


def sink_into_branches(
    module: ModuleOp,
    kind: type[Branch],
    remarks: Remarks,
    stays: Callable[[Operation], bool] = lambda op: False,
) -> bool:
    """Move operations that only one arm reads to its beginning.

    The arm is one of a later branch of this kind, and the only reader of the operations' results. Return True if something has
    moved.

    `stays` selects operations that are no work where they are. An operation that may fail stays, too, and is remarked.
    """
    # Blocks outermost first: what has moved into a branch is looked at again there.
    waiting, moved = [module.body.block], False
    while waiting:
        block = waiting.pop()
        if any(isinstance(o, kind) for o in block.ops):
            moved |= _sink_from(block, kind, remarks, stays)
        waiting += [inner for o in block.ops for region in o.regions for inner in region.blocks]
    return moved


def _sink_from(
    block: Block, kind: type[Branch], remarks: Remarks, stays: Callable[[Operation], bool]
) -> bool:
    moved = False
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
        moved = True
    return moved


def _only_reader(op: Operation, block: Block, kind: type[Branch]) -> Block | None:
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


def _arm_around(op: Operation, block: Block, kind: type[Branch]) -> Block | None:
    """Return the arm that holds an operation at any depth.

    The arm is a block of a branch in `block`.
    """
    inside, around = op.parent, op.parent_op()
    while around is not None and around.parent is not block:
        inside, around = around.parent, around.parent_op()
    return inside if isinstance(around, kind) and inside is not block else None
