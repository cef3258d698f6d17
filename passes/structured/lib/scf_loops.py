"""Guards of loops.

A guard is an `scf.if` that tests that the loop runs. Operations in front of the loop inside the guard run only if the
loop does.
"""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from loomir.dialects.region_flow import region_flow, terminator
from loomir.dialects.scalars import LESS
from loomir.dialects.scalars.row import constant_integer, constant_trips
from loomir.dialects.speculation import speculatable
from loomir.dialects.upstream.effects import is_side_effect_free
from loomir.dialects.upstream.walking import walk


def guard_loop(loop: scf.ForOp) -> scf.IfOp | None:
    """Put a loop that may not run under a guard.

    The guard is emitted only if the first operation of the loop that may stop the program reads nothing of the loop;
    otherwise the result is None.
    """
    if constant_trips(loop) is not None or (constant_integer(loop.step) or 0) <= 0:
        return None
    if not _begins_with_an_invariant_that_fails(loop):
        return None
    asked = arith.CmpiOp(loop.lb, loop.ub, LESS)
    asked.location = loop.location
    Rewriter.insert_op(asked, InsertPoint.before(loop))
    arms: list[Region] = []
    for values in (list(loop.results), list(region_flow(loop).entry.operands)):
        end = scf.YieldOp(*values)
        end.location = loop.location
        arms.append(Region(Block([end])))
    results = list(loop.results)
    without = arms[1] if results else Region()
    branch = scf.IfOp(asked.result, [result.type for result in results], arms[0], without)
    branch.location = loop.location
    Rewriter.insert_op(branch, InsertPoint.before(loop))
    for result, given in zip(results, branch.output, strict=True):
        given.name_hint = result.name_hint
        result.replace_uses_with_if(given, lambda use: use.operation.parent_op() is not branch)
    loop.detach()
    Rewriter.insert_op(loop, InsertPoint.at_start(branch.true_region.block))
    return branch


def _begins_with_an_invariant_that_fails(loop: scf.ForOp) -> bool:
    inside: set[SSAValue] = set(loop.body.block.args)
    for op in loop.body.block.ops:
        reads = any(operand in inside for inner in walk(op) for operand in inner.operands)
        if not op.has_trait(IsTerminator) and not speculatable(op):
            return not reads and not op.regions and is_side_effect_free(op)
        if reads or op.regions:
            inside.update(op.results)
    return False


def settle_guard(branch: scf.IfOp) -> scf.ForOp | None:
    """Return the guarded loop if something was moved in front of it.

    Otherwise restore the loop to its place without the guard, and return None.
    """
    block = branch.true_region.block
    loop = next(op for op in block.ops if isinstance(op, scf.ForOp) and op.next_op is block.last_op)
    if loop is not block.first_op:
        return loop
    asked = branch.cond.owner
    Rewriter.erase_op(terminator(block))
    Rewriter.inline_block(block, InsertPoint.before(branch))
    Rewriter.replace_op(branch, [], list(loop.results))
    assert isinstance(asked, Operation)
    Rewriter.erase_op(asked)
    return None
