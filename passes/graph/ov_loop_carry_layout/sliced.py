"""Sliced inputs in the layout in which a loop's body reads them."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects.builtin import ArrayAttr, TensorType
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import set_type, tensor_type_of
from loomir.dialects.ov.attributes import SliceAttr
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.passes.analysis.inference import Inference
from loomir.passes.analysis.inference.state import bytes_at_most
from loomir.passes.graph.ov_loop_carry_layout.changes import Transposed, change_of
from loomir.passes.graph.ov_loop_carry_layout.room import Room


def slice_transposed(loop: LoopOp, inference: Inference, room: Room) -> int:
    """Slice transposed inputs where the body transposes every slice.

    Return how many operations an iteration executes less.
    """
    saved, made = 0, dict[tuple[SSAValue, Transposed], SSAValue]()
    slicings = list(loop.slicings)
    first = len(loop.operands) - len(slicings)
    for number, argument in enumerate(loop.part_arguments):
        change = transpose_of_slices(argument)
        if change is None:
            continue
        value = loop.operands[first + number]
        whole = made.get((value, change))
        if whole is None:
            if not room.take(_size(value, inference)):
                continue
            whole = change.of(value, GraphBuilder(InsertPoint.before(loop), loop.location))
            made[value, change] = whole
        saved += sum(use.operation.parent is loop.body.block for use in argument.uses)
        loop.operands[first + number] = whole
        cut = slicings[number]
        slicings[number] = replace(cut, axis=change.place_of(cut.normalised_axis(len(change.order))))
        _hand_on(argument, change)
    loop.slices = ArrayAttr(map(SliceAttr, slicings))
    return saved


def _size(value: SSAValue, inference: Inference) -> int | None:
    """Return the bytes of a transposed input.

    None if it takes the place of the input, a constant that nothing else reads, or if the size is unknown: it takes no more than the
    input.
    """
    if isinstance(value.owner, ConstantOp) and value.has_one_use():
        return None
    return bytes_at_most(value, inference)


def _hand_on(argument: SSAValue, change: Transposed) -> None:
    """Let what reads transposes of a slice read the slice."""
    set_type(argument, change.type_of(tensor_type_of(argument)))
    for use in list(argument.uses):
        use.operation.results[0].replace_all_uses_with(argument)
        use.operation.detach()
        use.operation.erase()


def transpose_of_slices(argument: SSAValue) -> Transposed | None:
    """Return the transpose that is all that reads a slice, or None."""
    if not isinstance(argument.type, TensorType):
        return None
    found: Transposed | None = None
    for use in argument.uses:
        change = change_of(use.operation) if use.index == 0 else None
        if not isinstance(change, Transposed) or found not in (None, change):
            return None
        found = change
    return found
