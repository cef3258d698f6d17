"""CumProd is a loop along its axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Block, Region, SSAValue

from loomir.dialects.element_types import bf16, dtype_of, f16, f32
from loomir.dialects.ov.attributes import to_bool
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.loop_slices import Slicing
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.control_flow import TRIP_TYPE, LoopOp, NextOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.cumulative import CumProdOp
from loomir.dialects.ov.operators.elementwise_binary import MultiplyOp
from loomir.dialects.ov.shape_rules import normalise_axis
from loomir.errors import Error
from loomir.passes.graph.convert_ov_to_openvino.checks import Checks
from loomir.passes.graph.convert_ov_to_openvino.expressing import expresses
from loomir.passes.graph.decompositions.extents import Sizes


@expresses(CumProdOp)
def cum_prod(op: CumProdOp, build: GraphBuilder, checks: Checks) -> Sequence[SSAValue]:
    """Express CumProd by a loop that carries the product so far.

    Smaller floats are multiplied in f32. Error: `not-in-openvino` if rank or axis is not known.
    """
    axis, fact = checks.fact(op.axis).value, checks.fact(op.data)
    if fact.rank == 1:
        axis = np.zeros((), np.int64)  # There is no other.
    if axis is None or fact.shape is None:
        raise Error("not-in-openvino", f"{op.name} along an axis that is not known cannot be said there")
    if fact.elements.hi == 0:
        return [op.data]
    place = normalise_axis(int(axis.reshape(-1)[0]), len(fact.shape))
    wide = f32 if fact.element in (f16, bf16) else fact.element
    value = op.data
    if wide != fact.element:
        value = build.make(ConvertOp, value, attributes={"destination_type": wide})
    sizes = Sizes(build)
    extents = sizes.of(value)
    extents[place] = 1
    ones = build.make(BroadcastOp, build.constant(np.ones((), dtype_of(wide))), sizes.vector(extents))
    value = _loop(op, build, value, ones, place)
    if wide != fact.element:
        value = build.make(ConvertOp, value, attributes={"destination_type": fact.element})
    return [value]


def _loop(op: CumProdOp, build: GraphBuilder, value: SSAValue, ones: SSAValue, place: int) -> SSAValue:
    fact = build.fact(value)
    assert fact.shape is not None
    part = Fact(fact.element, (*fact.shape[:place], Dim(1, 1), *fact.shape[place + 1 :])).type
    block = Block(arg_types=[TRIP_TYPE, part, part])
    for argument in block.args:
        argument.location = build.location
    inside = build.inside(block)
    _, before, element = block.args
    after = inside.make(MultiplyOp, before, element)
    shown = before if to_bool(op.exclusive) else after
    inside.emit(NextOp.build(operands=[[], [after], [], [shown]]))
    slicing = Slicing(place, -1, 0, -1) if to_bool(op.reverse) else Slicing(place)
    loop = build.emit(
        LoopOp.of(
            trip=None,
            cond=None,
            carried=[ones],
            sliced=[value],
            slices=[slicing],
            concats=[slicing],
            final_types=[part],
            last_types=[],
            concat_types=[fact.type],
            body=Region(block),
        )
    )
    return loop.concat[0]
