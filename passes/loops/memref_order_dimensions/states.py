"""States: outputs that loops work on, with buffers of their own.

These buffers may have another order than that of the model:

    memref.copy %h0, %out                          %h = memref.alloc()
    scf.for %t … {                                 memref.copy %h0, %h
      linalg.generic ins(%out …) outs(%out)   →    scf.for %t … {
    }                                                linalg.generic ins(%h …) outs(%h)
    return                                         }
                                                   memref.copy %h, %out
                                                   return

A loop-carried state is read and written in each iteration, and moved to its place once. The buffers are for states
whose buffer then gets another order; the other states are restored, and need no memory.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, NoneAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg.ops import CopyOp, GenericOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from loomir.dialects.interface import entry_of
from loomir.dialects.making import allocation
from loomir.dialects.tensors import memref_type_of


@dataclass(frozen=True)
class State:
    """Output with the buffer in its place and the final copy."""

    output: BlockArgument
    buffer: memref.AllocOp
    copy: CopyOp


def with_buffers(function: FuncOp) -> list[State]:
    """Replace each output that a loop works on by a buffer.

    The loop must work on the output as a whole, and the output must have more than one dimension of several elements.
    """
    block = function.body.block
    end = block.last_op
    if not isinstance(end, ReturnOp):
        return []
    states: list[State] = []
    for output in block.args:
        if not _is_state(output):
            continue
        type_ = memref_type_of(output)
        buffer = allocation(type_)
        output.replace_all_uses_with(buffer.memref)
        Rewriter.insert_op(buffer, InsertPoint.at_start(block))
        copy = CopyOp([buffer.memref], [output], [])
        buffer.location = copy.location = function.location
        Rewriter.insert_op(copy, InsertPoint.before(end))
        states.append(State(output, buffer, copy))
    return states


def put_back(states: Collection[State], moved: Collection[SSAValue]) -> None:
    """Remove the buffers that do not get another order."""
    for state in states:
        if state.buffer.memref not in moved:
            Rewriter.erase_op(state.copy)
            state.buffer.memref.replace_all_uses_with(state.output)
            Rewriter.erase_op(state.buffer)


def _is_state(argument: BlockArgument) -> bool:
    """Return True if an argument is a state.

    A state is a packed output that is an operand of a linalg.generic within a loop, and that has two dimensions of several
    elements.
    """
    if entry_of(argument).role != "output":
        return False
    type_ = memref_type_of(argument)
    shape = type_.get_shape()
    if (
        DYNAMIC_INDEX in shape
        or not isinstance(type_.layout, NoneAttr)
        or sum(extent > 1 for extent in shape) < 2
    ):
        return False
    return any(isinstance(use.operation, GenericOp) and _is_in_loop(use.operation) for use in argument.uses)


def _is_in_loop(op: Operation) -> bool:
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, FuncOp):
        if isinstance(parent, scf.ForOp | scf.WhileOp):
            return True
        parent = parent.parent_op()
    return False
