"""SSA dominance, in time linear in the number of operations.

xDSL's verifier leaves it out.
"""

from __future__ import annotations

from collections.abc import Set

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.traits import IsolatedFromAbove

from loomir.dialects.locations import located, place, position
from loomir.errors import Error, Where


class StageError(Error):
    """Invalid IR or violation of a stage's rules.

    The module is no valid IR (`mlir-invalid`, `several-blocks`), or not what its stage allows (`not-of-stage`).
    """


def refusal(op: Operation, what: str) -> StageError:
    """Return the error for an operation that its stage does not allow.

    `what` is the part of the operation that is not allowed.
    """
    return _placed(StageError("not-of-stage", what), op)


def invalid(op: Operation, what: str) -> StageError:
    """Return the error for an operation that is invalid at any stage."""
    return _placed(StageError("mlir-invalid", what), op)


def _placed(error: StageError, op: Operation) -> StageError:
    located(error, op)
    return error


def verify_dominance(module: ModuleOp) -> None:
    """Check that every operand is defined before its use.

    The definition is in the same block or an enclosing one. Errors: `mlir-invalid`, `several-blocks`.

    This takes one walk: a value is visible from its definition to the end of the block that defines it, but not in
    operations that are isolated from above. That suffices because every region has at most one block, which is checked too.
    """
    visible: set[SSAValue] = set()
    # What is visible around the isolated operations that the walk is in.
    outside: list[set[SSAValue]] = []
    # What is still to do, last first: an explicit stack, since regions may nest deeper than Python's
    # recursion.
    enter, leave, visit, define, emerge = range(5)
    work: list[tuple[int, Block | Operation]] = [(visit, module)]
    while work:
        what, item = work.pop()
        if isinstance(item, Block):
            if what == enter:
                visible.update(item.args)
                work.append((leave, item))
                if (first := item.first_op) is not None:
                    work.append((visit, first))
            else:
                visible.difference_update(item.args)
                for op in item.ops:
                    if op.results:
                        visible.difference_update(op.results)
        elif what == visit:
            _check_operands(item, visible)
            # Most operations have no regions: the next ones are looked at in the same step.
            while not item.regions:
                if item.results:
                    visible.update(item.results)
                if item.parent is None or (following := item._next_op) is None:
                    break
                item = following
                _check_operands(item, visible)
            else:
                work.append((define, item))
                if item.has_trait(IsolatedFromAbove, value_if_unregistered=False):
                    outside.append(visible)
                    visible = set()
                    work.append((emerge, item))
                for region in reversed(item.regions):
                    blocks = list(region.blocks)
                    if len(blocks) > 1:
                        what = f"a region has {len(blocks)} blocks, in loomir it has one"
                        hint = "write loops and branches with scf or ov"
                        raise _placed(StageError("several-blocks", what, hint=hint), item)
                    work += [(enter, block) for block in blocks]
        elif what == emerge:
            visible = outside.pop()
        else:
            visible.update(item.results)
            if item.parent is not None and item.next_op is not None:
                work.append((visit, item.next_op))


def _check_operands(op: Operation, visible: Set[SSAValue]) -> None:
    # (The fields behind `operands` and `next_op`: most of a verification's steps are these.)
    for index, operand in enumerate(op._operands):
        if operand not in visible:
            error = invalid(
                op, f"operand {index} ({_origin(operand)}) is not defined before or not visible here"
            )
            if isinstance(operand, OpResult) and (at := position(operand.op)) is not None:
                error.notes.append(("it is defined here", Where(at[0], position=at[1:])))
            raise error


def _origin(value: SSAValue) -> str:
    name = f"%{value.name_hint}, " if value.name_hint else ""
    if isinstance(value, OpResult):
        return f"{name}a result of {place(value.op)}"
    if not isinstance(value, BlockArgument):
        # xDSL's parser leaves a promise where an operation names what only its own region defines.
        return f"{name}of the operation's own region"
    owner = value.block.parent_op()
    return f"{name}an argument of {'a detached block' if owner is None else place(owner)}"
