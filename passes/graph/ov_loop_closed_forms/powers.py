"""Powers of affine functions of integers, `v ← a · v + b`, by squaring."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Region, SSAValue

from loomir.dialects.element_types import dtype_of, i64, tensor_type_of
from loomir.dialects.ov.canonicalization.identities import constant_of
from loomir.dialects.ov.canonicalization.loop_trips import Trips
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import NotEqualOp, SelectOp
from loomir.dialects.ov.operators.control_flow import TRIP_TYPE, LoopOp, NextOp
from loomir.dialects.ov.operators.elementwise_binary import (
    AddOp,
    BitwiseAndOp,
    DivideOp,
    MultiplyOp,
)
from loomir.dialects.scalars.row import low_bits
from loomir.passes.analysis.dependence.updates import Update
from loomir.passes.graph.ov_loop_closed_forms.forms import Coefficient, as_value, combined, product

BITS = 63
"""Bits of a trip count."""

LEAST_TRIPS = 16
"""Fewer known trips stay a loop."""


def is_affine(update: Update) -> bool:
    """Return True for `a · v + b` with numbers a and b.

    The integers keep their shape.
    """
    operands = [link.operand.type for link in update.links]
    scalars = all(isinstance(type_, TensorType) and not type_.get_shape() for type_ in operands)
    return update.is_linear and update.keeps_shape and scalars


def power_of(
    update: Update,
    operands: Sequence[SSAValue],
    first: SSAValue,
    trips: Trips,
    build: GraphBuilder,
    *,
    by_loop: bool,
) -> SSAValue | None:
    """Emit the value after all trips, or return None.

    `operands` are those of the links, before the loop. Without `by_loop`, and for a few trips, it takes no loop.
    """
    element = tensor_type_of(operands[0]).element_type
    factor, step = _function(update, operands, element, build)
    if trips.static is not None and isinstance(factor, int) and isinstance(step, int):
        total = _known_power(factor, step, trips.static, element)
    elif not by_loop or (trips.static is not None and trips.static < LEAST_TRIPS):
        return None
    else:
        total = _power(as_value(factor, element, build), as_value(step, element, build), trips, build)
    a, b = (as_value(c, element, build) for c in total)
    return build.make(AddOp, build.make(MultiplyOp, first, a), b)


def _function(
    update: Update, operands: Sequence[SSAValue], element: Attribute, build: GraphBuilder
) -> tuple[Coefficient, Coefficient]:
    """The factor and the step of one iteration."""
    factor: Coefficient = 1
    step: Coefficient = 0
    for link, value in zip(update.links, operands):
        known = constant_of(value)
        operand: Coefficient = value if known is None else int(known)
        if link.kind == "multiply":
            factor, step = (product(c, operand, element, build) for c in (factor, step))
        elif link.negates:
            factor = combined(0, factor, element, build, subtract=True)
            step = combined(operand, step, element, build, subtract=True)
        else:
            step = combined(step, operand, element, build, subtract=link.subtracts)
    return factor, step


def _known_power(factor: int, step: int, trips: int, element: Attribute) -> tuple[int, int]:
    """The factor and the step of `trips` iterations."""
    a, b = 1, 0
    while trips:
        if trips % 2:
            a, b = low_bits(a * factor, element), low_bits(factor * b + step, element)
        factor, step = low_bits(factor * factor, element), low_bits(factor * step + step, element)
        trips //= 2
    return a, b


def _power(factor: SSAValue, step: SSAValue, trips: Trips, build: GraphBuilder) -> Sequence[SSAValue]:
    """Emit a loop over the bits of the trip count.

    ```mlir
    %_, %a, %b, %_, %_ = ov.loop trip(%63) while(%some) carried(%n, %one, %zero, %factor, %step)
    ```
    """
    number = trips.emit(build)
    element, scalar = tensor_type_of(factor).element_type, factor.type
    zeros = build.constant(np.zeros((), dtype_of(element)))
    carried = [number, build.constant(np.ones((), dtype_of(element))), zeros, factor, step]
    types = [TRIP_TYPE, scalar, scalar, scalar, scalar]
    block = Block(arg_types=[TRIP_TYPE, *types])
    _, n, a, b, f, s = block.args
    inside = build.inside(block)
    bit = inside.make(BitwiseAndOp, n, inside.scalar(1, i64))
    odd = inside.make(NotEqualOp, bit, inside.scalar(0, i64))
    more = inside.make(AddOp, inside.make(MultiplyOp, f, b), s)
    following = [
        inside.make(DivideOp, n, inside.scalar(2, i64)),
        inside.make(SelectOp, odd, inside.make(MultiplyOp, a, f), a),
        inside.make(SelectOp, odd, more, b),
        inside.make(MultiplyOp, f, f),
        inside.make(AddOp, inside.make(MultiplyOp, f, s), s),
    ]
    again = inside.make(NotEqualOp, following[0], inside.scalar(0, i64))
    inside.emit(NextOp.build(operands=[[again], following, [], []]))
    loop = LoopOp.of(
        trip=build.scalar(BITS, i64),
        cond=build.make(NotEqualOp, number, build.scalar(0, i64)),
        carried=carried,
        sliced=[],
        slices=[],
        concats=[],
        final_types=types,
        last_types=[],
        concat_types=[],
        body=Region(block),
    )
    return build.emit(loop).final[1:3]
