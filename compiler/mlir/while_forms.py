"""`scf.while` in the form that loomir's stages require.

The condition forwards the loop-carried values one to one. `mlir-opt --canonicalize` drops unused values, and forwards
loop-invariant values from outside.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.walking import walk


def forward_all(module: ModuleOp) -> None:
    """Make each loop forward all its loop-carried values.

    A loop that forwards a value computed in its condition region stays as it is.
    """
    for op in [op for op in walk(module) if isinstance(op, scf.WhileOp)]:
        before, after = (region.first_block for region in op.regions)
        end = None if before is None else before.last_op
        if before is None or after is None or not isinstance(end, scf.ConditionOp):
            continue
        forwarded = tuple(end.operands[1:])
        if forwarded != tuple(before.args) and len(forwarded) == len(after.args) == len(op.results):
            _forward(op, before, after, end, forwarded)


def _forward(
    op: scf.WhileOp, before: Block, after: Block, end: scf.ConditionOp, forwarded: Sequence[SSAValue]
) -> None:
    places: dict[SSAValue, int] = {argument: index for index, argument in enumerate(before.args)}
    inside = op.regions[0]
    if any(value not in places and _is_inside(value, inside) for value in forwarded):
        return
    old = list(after.args)
    for argument in before.args:
        after.insert_arg(argument.type, len(after.args), argument.location)
    new = after.args[len(old) :]
    for argument, value in zip(old, forwarded):
        argument.replace_all_uses_with(new[places[value]] if value in places else value)
        after.erase_arg(argument)
    end.operands = [end.operands[0], *before.args]
    made = scf.WhileOp(
        op.arguments,
        [argument.type for argument in before.args],
        *(Rewriter.move_region_contents_to_new_regions(region) for region in op.regions),
    )
    made.location = op.location
    made.attributes.update(op.attributes)
    Rewriter.insert_op(made, InsertPoint.before(op))
    results = [made.results[places[value]] if value in places else value for value in forwarded]
    for result, value in zip(op.results, results):
        result.replace_all_uses_with(value)
    Rewriter.erase_op(op)


def _is_inside(value: SSAValue, region: object) -> bool:
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while block is not None:
        if block.parent is region:
            return True
        parent = block.parent_op()
        block = None if parent is None else parent.parent
    return False
