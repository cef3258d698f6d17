"""Sequence operation that replaces a loop, and the loop's results from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.element_types import i64
from loomir.dialects.ov.canonicalization.loop_trips import is_whole
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.loop_slices import Slicing
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.layout import ReverseOp
from loomir.dialects.ov.operators.reshape import ShapeOfOp, UnsqueezeOp
from loomir.passes.analysis.inference import Inference
from loomir.passes.graph.ov_loop_to_lstm_sequence.body import Body, Unmatched
from loomir.passes.graph.ov_loop_to_lstm_sequence.cells import Cell, cell_of
from loomir.passes.graph.ov_loop_to_lstm_sequence.layouts import arranged, batch_of, layout_of
from loomir.passes.graph.ov_loop_to_lstm_sequence.masks import Mask, mask_of
from loomir.passes.graph.ov_loop_to_lstm_sequence.time_axis import TimeAxis, time_axis
from loomir.passes.graph.ov_loop_to_lstm_sequence.weights import Weights


@dataclass(frozen=True)
class Joined:
    """Concatenated output: each step's h, in this layout.

    The steps are in the order of the sequence or `reversed`.
    """

    layout: str
    reversed: bool


@dataclass(frozen=True)
class Sequence:
    """Sequence that a loop computes: a cell per step of an axis.

    `sources` maps each used result to a concatenated output, or to the number of a carried value.
    """

    body: Body
    time: TimeAxis
    mask: Mask
    cell: Cell
    sources: dict[SSAValue, Joined | int]


def sequence_of(loop: LoopOp, inference: Inference, open_batch: bool) -> Sequence:
    """Return the sequence that a loop computes.

    See the pass for `open_batch`. `Unmatched` if the loop is not a sequence.
    """
    if loop.body.block in inference.impossible:
        raise Unmatched("its body fails")
    body = Body(loop, inference, open_batch)
    time = time_axis(body)
    mask = mask_of(body, time)
    cell = cell_of(body, time, mask.states)
    # The states in the order of the cell, h first: that is what is shown.
    ordered = Mask(tuple(mask.states[k] for k in cell.order), mask.valid, mask.lengths)
    _check_batch(body, time)
    return Sequence(body, time, ordered, cell, _sources(body, time, ordered, cell))


def _check_batch(body: Body, time: TimeAxis) -> None:
    """Check that the batches agree if there may be no step.

    The sequence requires this, but the loop would not.
    """
    batches: list[int | None] = []
    for value, axis in ((time.x, time.axis), *((v, None) for v in body.loop.carried)):
        shape = body.fact(value).shape
        layout = layout_of(shape, axis)
        if shape is None or layout is None:
            raise Unmatched(
                "the dimensions of what it goes over or carries are not steps, batch and features"
            )
        batches.append(batch_of(shape, layout).static)
    open_ = None in batches and not body.open_batch
    if time.extent.lo == 0 and (open_ or len(set(batches)) > 1):
        raise Unmatched("the batch is open, and so is whether there is a step to make it one number")


def _sources(body: Body, time: TimeAxis, mask: Mask, cell: Cell) -> dict[SSAValue, Joined | int]:
    """Return the source of each used result.

    `Unmatched` if a sequence has no such result.
    """
    loop = body.loop
    found: dict[SSAValue, Joined | int] = {r: k for k, r in enumerate(loop.final) if r.first_use is not None}
    handed = [body.root(value) for value in loop.next.carried]
    for result, value in zip(loop.last, loop.next.last):
        if result.first_use is None:
            continue
        if (root := body.root(value)) not in handed:
            raise Unmatched("it gives a last value other than h and c")
        if time.extent.lo == 0:
            raise Unmatched("it gives a last value, which is zero where there is no step")
        found[result] = handed.index(root)
    for result, value, cut in zip(loop.concat, loop.next.concat, loop.concatenations):
        if result.first_use is not None:
            found[result] = _joined(body, time, mask, value, cut)
    return found


def _joined(body: Body, time: TimeAxis, mask: Mask, value: SSAValue, cut: Slicing) -> Joined:
    if not mask.shows(value, body):
        raise Unmatched("it joins something other than h")
    shape = body.fact(value).shape
    axis = None if shape is None else cut.normalised_axis(len(shape))
    layout = layout_of(shape, axis)
    if shape is None or axis is None or layout is None or not is_whole(cut) or shape[axis].static != 1:
        raise Unmatched("it does not join h step by step")
    return Joined(layout, (cut.stride < 0) != time.backwards)


def emit_sequence(found: Sequence) -> SSAValue:
    """Replace the loop by the sequence and return its y."""
    body, time, cell = found.body, found.time, found.cell
    loop = body.loop
    build = GraphBuilder(InsertPoint.before(loop), loop.location)
    x = arranged(build, body.before(time.x, build), _layout(body, time.x, time.axis), "NTK")
    initial = [loop.carried[k] for k in cell.order]
    states = [arranged(build, value, _layout(body, value), "N1K") for value in initial]
    lengths = found.mask.lengths
    lengths = _all_steps(build, x) if lengths is None else body.before(lengths, build)
    weights = _weights(build, found)
    direction = "reverse" if time.backwards else "forward"
    y, *final = build.make_all(
        cell.sequence,
        *(x, *states, lengths, *weights),
        attributes={"hidden_size": cell.hidden, **cell.attributes, "direction": direction},
    )
    given = dict(zip(cell.order, final))
    for result, source in found.sources.items():
        if isinstance(source, int):
            shape = body.fact(result).shape
            layout = layout_of(shape)
            assert layout is not None
            new = arranged(build, given[source], "N1K", layout)
        else:
            shown = build.make(ReverseOp, y, build.integers([2])) if source.reversed else y
            new = arranged(build, shown, "N1TK", source.layout)
        new.name_hint = result.name_hint
        result.replace_all_uses_with(new)
    loop.detach()
    loop.erase()
    return y


def _layout(body: Body, value: SSAValue, time: int | None = None) -> str:
    layout = layout_of(body.fact(value).shape, time)
    assert layout is not None
    return layout


def _weights(build: GraphBuilder, found: Sequence) -> list[SSAValue]:
    """W, R, B and perhaps P, with the dimension of the direction."""
    body, cell = found.body, found.cell
    if cell.gates is None:
        values = [body.before(value, build) for value in cell.operands]
    else:
        h = body.loop.carried_arguments[cell.order[0]]
        make = Weights(build, body, body.fact(h).element, cell.hidden)
        matrices = [(factor, body.matrix(factor)) for factor in (found.time.part, h)]
        values = [make.matrix(cell.gates, factor, m[1]) for factor, m in matrices if m is not None]
        values.append(make.bias(cell.gates))
    if cell.with_direction:
        return values
    return [build.make(UnsqueezeOp, value, build.integers([0])) for value in values]


def _all_steps(build: GraphBuilder, x: SSAValue) -> SSAValue:
    """Lengths [N] of all steps of x [N, T, I]."""
    shape = build.fact(x).shape
    assert shape is not None
    n, t = shape[0].static, shape[1].static
    if n is not None and t is not None:
        return build.constant(np.full(n, t, np.int64))
    zero = build.scalar(0, i64)
    extents = build.make(ShapeOfOp, x)
    steps = build.make(GatherOp, extents, build.scalar(1, i64), zero)
    return build.make(BroadcastOp, steps, build.make(GatherOp, extents, build.integers([0]), zero))
