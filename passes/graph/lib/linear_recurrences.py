"""Linear recurrences in blocks, which run side by side.

A loop that computes `h ← a(i) ∘ h + b(i)` elementwise, for a(i) and b(i) that are known before it, is cut into blocks of iterations. One
loop steps through all blocks at once, each as if it began with 0, and multiplies the factors of each block. A second one gives each block
what the block before it ends with. Of T iterations some 2√T are left:

```mlir
%all = ov.loop carried(%first) sliced(%a, %b) { … }                      // before; %a, %b: tensor<1000x4xf32>

%p, %s, %ps, %ss = ov.loop carried(%ones, %zeros) sliced(%as, %bs) {     // after: 25 steps of 40 blocks
^bb0(%j: tensor<i64>, %p: tensor<40x1x4xf32>, %s: tensor<40x1x4xf32>, %ai: …, %bi: …):
  %p1 = ov.multiply %p, %ai
  %s1 = ov.multiply %s, %ai
  %s2 = ov.add %s1, %bi
  ov.next carried(%p1, %s2) concat(%p1, %s2)
}
%end, %begins = ov.loop carried(%first) sliced(%p, %s) { … }             // 40 blocks
%all = %begins ∘ %ps + %ss
```

Rounding: the value after t iterations is a sum of the first value and of each b(i), times the factors that follow. Each of these terms
is rounded at most 2(L + K) + 4 times, for K blocks of L iterations, where the loop rounds the first ones 2t times; with the terms' absolute
values for weights the error bound is therefore the smaller one (Higham, Accuracy and Stability of Numerical Algorithms, 2002, §3.1).
It needs products of a block's factors that neither overflow nor underflow.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Region, SSAValue

from loomir.dialects.element_types import dtype_of, i64, tensor_type_of
from loomir.dialects.ov.attributes import Slicing
from loomir.dialects.ov.canonicalization.loop_trips import Trips
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.broadcasting import BroadcastOp
from loomir.dialects.ov.operators.control_flow import LoopOp, NextOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.joining import ConcatOp
from loomir.dialects.ov.operators.slicing import SliceOp
from loomir.passes.analysis.dependence.updates import Update
from loomir.passes.graph.lib.loop_rewriting import reshaped
from loomir.passes.graph.lib.whole_axis.rules import broadcasts
from loomir.passes.graph.lib.whole_axis.values import WholeAxis, shape_of

LEAST_TRIPS = 32
"""Fewer iterations stay a loop."""


def runs_in_blocks(update: Update, trips: Trips) -> bool:
    """Return True for a linear update of a long enough loop."""
    if trips.static is None or trips.static < LEAST_TRIPS:
        return False
    broadcast = all(broadcasts(link.op) for link in update.links)
    return update.is_linear and update.reduction is None and update.keeps_shape and broadcast


def in_blocks(update: Update, axis: WholeAxis) -> tuple[SSAValue, SSAValue]:
    """Emit the values after each iteration, and the final one.

    The iteration axis is in front. What varies of the operands of the update is in `axis`.
    """
    first, build = axis.loop.carried[update.number], axis.build
    factor, term = _coefficients(update, axis)
    trips, *rest = shape_of(factor)
    steps = _steps(trips)
    blocks = -(-trips // steps)
    factors, terms = (
        reshaped(_filled_up(value, blocks * steps, neutral, build), [blocks, steps, *rest], build)
        for value, neutral in ((factor, 1), (term, 0))
    )
    begin = [_full(n, [blocks, 1, *rest], first, build) for n in (1, 0)]
    product, end, products, sums = _loop(begin, [factors, terms], 1, build, blocks_at_once=True)
    carried = [reshaped(first, [1, 1, *rest], build)]
    final, begins = _loop(carried, [product, end], 0, build, blocks_at_once=False)
    whole = build.make(AddOp, build.make(MultiplyOp, begins, products), sums)
    whole = reshaped(whole, [blocks * steps, *rest], build)
    if blocks * steps > trips:
        whole = _rows(whole, 0, trips, build)
    if axis.backwards:
        whole = axis.flipped(whole, 0)
    return whole, reshaped(final, rest, build)


def one_later(first: SSAValue, whole: SSAValue, axis: WholeAxis) -> SSAValue:
    """Emit what each iteration begins with, of what each gives."""
    begin, end = (1, axis.extent) if axis.backwards else (0, axis.extent - 1)
    parts = [axis.unsqueezed(first, [0]), _rows(whole, begin, end, axis.build)]
    return axis.build.make(ConcatOp, parts[:: axis.stride], attributes={"axis": 0})


def _coefficients(update: Update, axis: WholeAxis) -> tuple[SSAValue, SSAValue]:
    """Emit factors and terms of all iterations, from the first on."""
    carried, build = axis.loop.carried_arguments[update.number], axis.build
    shape = axis.type_of(carried, None).get_shape()
    factor: SSAValue | None = None
    term: SSAValue | None = None
    for link in update.links:
        value = link.operand
        value = axis.broadcast(value, len(shape) - 1) if value in axis.values else axis.fixed(value)
        if shape_of(value) != shape:
            value = build.make(BroadcastOp, value, build.integers(shape))
        value = axis.flipped(value, 0) if axis.backwards else value
        if link.kind == "multiply":
            factor = value if factor is None else build.make(MultiplyOp, factor, value)
            term = None if term is None else build.make(MultiplyOp, term, value)
        elif link.negates:
            factor = _negated(_full(1, shape, value, build) if factor is None else factor, build)
            term = value if term is None else build.make(SubtractOp, value, term)
        elif link.subtracts:
            term = _negated(value, build) if term is None else build.make(SubtractOp, term, value)
        else:
            term = value if term is None else build.make(AddOp, term, value)
    of = axis.loop.carried[update.number]
    return (
        _full(1, shape, of, build) if factor is None else factor,
        _full(0, shape, of, build) if term is None else term,
    )


def _full(number: int, shape: Sequence[int], like: SSAValue, build: GraphBuilder) -> SSAValue:
    return build.constant(np.full(shape, number, dtype_of(tensor_type_of(like).element_type)))


def _negated(value: SSAValue, build: GraphBuilder) -> SSAValue:
    """Emit 0 less a value, which unsigned integers have, too."""
    return build.make(SubtractOp, _full(0, shape_of(value), value, build), value)


def _rows(value: SSAValue, begin: int, end: int, build: GraphBuilder) -> SSAValue:
    return build.make(SliceOp, value, *(build.integers([n]) for n in (begin, end, 1, 0)))


def _steps(trips: int) -> int:
    """Return the length of blocks, about as many as there are blocks."""
    root = isqrt(trips)
    return next((n for n in range(root, root // 2, -1) if trips % n == 0), root)


def _filled_up(value: SSAValue, extent: int, neutral: int, build: GraphBuilder) -> SSAValue:
    """Append iterations that change nothing."""
    trips, *rest = shape_of(value)
    if extent == trips:
        return value
    more = _full(neutral, [extent - trips, *rest], value, build)
    return build.make(ConcatOp, [value, more], attributes={"axis": 0})


def _loop(
    first: list[SSAValue],
    whole: list[SSAValue],
    axis: int,
    build: GraphBuilder,
    *,
    blocks_at_once: bool,
) -> list[SSAValue]:
    """Emit a loop over slices of factors and terms along an axis.

    With `blocks_at_once` it carries and joins the products of the factors and the values of blocks that begin with 0. Otherwise, it carries
    the value of the iteration before, and joins what each block begins with. Return its results.
    """
    element, slice_shape = tensor_type_of(whole[0]).element_type, list(shape_of(whole[0]))
    extent, slice_shape[axis] = slice_shape[axis], 1
    part = TensorType(element, slice_shape)
    block = Block(arg_types=[TensorType(i64, []), *(v.type for v in first), part, part])
    inside = build.inside(block)
    *carried, factor, term = block.args[1:]
    value = carried[-1]
    after = inside.make(AddOp, inside.make(MultiplyOp, value, factor), term)
    following = [inside.make(MultiplyOp, carried[0], factor), after] if blocks_at_once else [after]
    joined = following if blocks_at_once else [value]
    inside.emit(NextOp.build(operands=[[], following, [], joined]))
    shape = list(slice_shape)
    shape[axis] = extent
    loop = LoopOp.of(
        trip=None,
        cond=None,
        carried=first,
        sliced=whole,
        slices=[Slicing(axis)] * 2,
        concats=[Slicing(axis)] * len(joined),
        final_types=[v.type for v in first],
        last_types=[],
        concat_types=[TensorType(element, shape)] * len(joined),
        body=Region(block),
    )
    return list(build.emit(loop).results)
