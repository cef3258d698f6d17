"""Loops over blocks of iterations, and loops with more sliced inputs.

Passes that compute several iterations at once are built from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Block, BlockArgument, Region, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i64
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.loop_slices import Slicing
from loomir.dialects.ov.operators.control_flow import TRIP_TYPE, LoopOp, NextOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp
from loomir.dialects.ov.operators.reshape import ReshapeOp
from loomir.dialects.tensors import tensor_type_of
from loomir.passes.graph.loop_copies import Copies, replace_loop


@dataclass(frozen=True)
class Parts:
    """Additional value that a loop slices, with the type of a slice."""

    value: SSAValue
    slicing: Slicing
    type: Attribute


def part_shape(shape: Sequence[int], cut: Slicing, count: int = 1) -> list[int]:
    """The shape of `count` parts of a tensor, one behind the other."""
    axis = cut.normalised_axis(len(shape))
    return [cut.part_size * count if k == axis else extent for k, extent in enumerate(shape)]


def iterations_from(cut: Slicing, extent: int, first: int, count: int, size: int = 1) -> Slicing:
    """Return the slicing for `count` iterations from number `first` on.

    Each slice has the parts of `size` iterations.
    """
    begin, last = cut.offset(extent, first), cut.offset(extent, first + count - 1)
    wide = cut.part_size * size
    if cut.stride > 0:
        return Slicing(cut.axis, begin, last + cut.part_size, wide, wide)
    return Slicing(cut.axis, begin + cut.part_size, last, -wide, wide)


def whole_axis(cut: Slicing, size: int = 1) -> Slicing:
    """Return the slicing of a whole axis in the same direction.

    It slices or concatenates `size` parts at a time.
    """
    wide = cut.part_size * size
    return Slicing(cut.axis, 0, -1, wide, wide) if cut.stride > 0 else Slicing(cut.axis, -1, 0, -wide, wide)


def reshaped(value: SSAValue, shape: Sequence[int], build: GraphBuilder) -> SSAValue:
    """A value of static shape in another one."""
    if tensor_type_of(value).get_shape() == tuple(shape):
        return value
    return build.make(ReshapeOp, value, build.integers(shape))


def with_slices(loop: LoopOp, parts: Sequence[Parts]) -> tuple[LoopOp, list[BlockArgument]]:
    """Replace a loop by one that slices more inputs.

    Return the new loop and its arguments for the additional slices.
    """
    block = loop.body.block
    arguments = [block.insert_arg(part.type, len(block.args)) for part in parts]
    body = Region()
    loop.body.move_blocks(body)
    wide = LoopOp.of(
        trip=loop.trip,
        cond=loop.cond,
        carried=loop.carried,
        sliced=[*loop.sliced, *(part.value for part in parts)],
        slices=[*loop.slicings, *(part.slicing for part in parts)],
        concats=loop.concatenations,
        final_types=[r.type for r in loop.final],
        last_types=[r.type for r in loop.last],
        concat_types=[r.type for r in loop.concat],
        body=body,
    )
    wide.location = loop.location
    wide.attributes |= loop.attributes
    for old, new in zip(loop.results, wide.results):
        new.name_hint = old.name_hint
    parent = loop.parent
    assert parent is not None
    parent.insert_op_before(wide, loop)
    replace_loop(loop, wide.results)
    return wide, arguments


def into_blocks(loop: LoopOp, trips: int, size: int) -> LoopOp:
    """Replace a loop by one over blocks of `size` iterations.

    The original loop has `trips` iterations, and no condition ends it. Return the inner loop, which runs over one block.
    The remaining iterations become a loop behind the new one.
    """
    copies = Copies.before(loop)
    blocks, left = divmod(trips, size)
    rest_body = loop.body.clone() if left else None
    inner = _blocks(loop, blocks, size, copies)
    outer = inner.parent_op()
    assert isinstance(outer, LoopOp)
    if rest_body is None:
        replace_loop(loop, outer.results)
        return inner
    rest = _part_of(loop, rest_body, outer.final, trips - left, left, copies.build)
    joined = [
        copies.join([first, second] if cut.stride > 0 else [second, first], cut)
        for first, second, cut in zip(outer.concat, rest.concat, loop.concatenations)
    ]
    replace_loop(loop, [*rest.final, *rest.last, *joined])
    return inner


def _blocks(loop: LoopOp, blocks: int, size: int, copies: Copies) -> LoopOp:
    """Emit the loop over whole blocks and return the inner loop.

    The inner loop has the original loop's body.
    """
    shapes = [tensor_type_of(v).get_shape() for v in loop.sliced]
    extents = [shape[cut.normalised_axis(len(shape))] for shape, cut in zip(shapes, loop.slicings)]
    wide = [
        TensorType(tensor_type_of(v).element_type, part_shape(shape, cut, size))
        for v, shape, cut in zip(loop.sliced, shapes, loop.slicings)
    ]
    block = Block(arg_types=[TRIP_TYPE, *(a.type for a in loop.carried_arguments), *wide])
    build = copies.build.inside(block)
    body = Region()
    loop.body.move_blocks(body)
    _count_from(body.block, lambda inside: inside.make(MultiplyOp, block.args[0], inside.scalar(size, i64)))
    kept = 1 + len(loop.carried)
    inner = build.emit(
        LoopOp.of(
            trip=build.scalar(size, i64),
            cond=None,
            carried=block.args[1:kept],
            sliced=block.args[kept:],
            slices=[whole_axis(cut) for cut in loop.slicings],
            concats=[whole_axis(cut) for cut in loop.concatenations],
            final_types=[r.type for r in loop.final],
            last_types=[r.type for r in loop.last],
            concat_types=[_open(r) for r in loop.concat],
            body=body,
        )
    )
    inner.attributes |= loop.attributes
    build.emit(NextOp.build(operands=[[], inner.final, inner.last, inner.concat]))
    copies.build.emit(
        LoopOp.of(
            trip=copies.build.scalar(blocks, i64),
            cond=None,
            carried=loop.carried,
            sliced=loop.sliced,
            slices=[
                iterations_from(cut, extent, 0, blocks * size, size)
                for cut, extent in zip(loop.slicings, extents)
            ],
            concats=[whole_axis(cut, size) for cut in loop.concatenations],
            final_types=[r.type for r in loop.final],
            last_types=[r.type for r in loop.last],
            concat_types=[_open(r) for r in loop.concat],
            body=Region(block),
        )
    )
    return inner


def _part_of(
    loop: LoopOp, body: Region, carried: Sequence[SSAValue], first: int, count: int, build: GraphBuilder
) -> LoopOp:
    """Emit the loop over `count` iterations from number `first` on."""
    shapes = [tensor_type_of(v).get_shape() for v in loop.sliced]
    _count_from(body.block, lambda inside: inside.scalar(first, i64))
    rest = LoopOp.of(
        trip=build.scalar(count, i64),
        cond=None,
        carried=carried,
        sliced=loop.sliced,
        slices=[
            iterations_from(cut, shape[cut.normalised_axis(len(shape))], first, count)
            for cut, shape in zip(loop.slicings, shapes)
        ],
        concats=[whole_axis(cut) for cut in loop.concatenations],
        final_types=[r.type for r in loop.final],
        last_types=[r.type for r in loop.last],
        concat_types=[_open(r) for r in loop.concat],
        body=body,
    )
    rest.attributes |= loop.attributes
    return build.emit(rest)


def _count_from(block: Block, first: Callable[[GraphBuilder], SSAValue]) -> None:
    """Offset a body's iteration number by another first number.

    Nothing is emitted if the number is unused.
    """
    number = block.args[0]
    if number.first_use is None:
        return
    start = block.first_op
    assert start is not None
    build = GraphBuilder(InsertPoint.before(start), start.location)
    shifted = build.make(AddOp, first(build), number)
    number.replace_uses_with_if(shifted, lambda use: use.operation is not shifted.owner)


def _open(value: SSAValue) -> Attribute:
    """Return the type of an output that is shorter or longer."""
    return UnrankedTensorType(tensor_type_of(value).element_type)
