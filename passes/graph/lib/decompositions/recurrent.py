"""Recurrent cells and sequences, and greedy CTC decoding.

Cells become matrix products and elementwise operations; sequences become an `ov.loop` for each direction.

A sequence's loop carries the states and reads one element of x in each iteration:

```mlir
%h, %y = ov.loop carried(%h0) sliced(%x) {slices = [#ov.slice<axis = 1>], concats = [#ov.slice<axis = 1>]} … {
^bb0(%i: tensor<i64>, %state: tensor<2x4xf32>, %part: tensor<2x1x3xf32>):
  … the cell …
  ov.next carried(%next : tensor<2x4xf32>) concat(%shown : tensor<2x1x4xf32>)
}
```
The reverse direction reads and writes backwards (`start = -1, end = 0, stride = -1`). Unless `sequence_lengths` are
known to be at least T, elements from there on keep the states and show zero: `select(t < length, next, state)`.

CTCGreedyDecoder becomes CTCGreedyDecoderSeqLen: the mask gives lengths.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import Block, Region, SSAValue

from loomir.dialects.element_types import i64
from loomir.dialects.ov.attributes import Slicing, to_bool
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.graph_builder import GraphBuilder
from loomir.dialects.ov.operators.comparison import EqualOp, LessOp, SelectOp
from loomir.dialects.ov.operators.contraction import MatMulOp
from loomir.dialects.ov.operators.control_flow import TRIP_TYPE, LoopOp, NextOp
from loomir.dialects.ov.operators.conversion import ConvertOp
from loomir.dialects.ov.operators.decoding import CTCGreedyDecoderOp, CTCGreedyDecoderSeqLenOp
from loomir.dialects.ov.operators.elementwise_binary import AddOp, MultiplyOp, SubtractOp
from loomir.dialects.ov.operators.elementwise_unary import ClampOp
from loomir.dialects.ov.operators.gathering import GatherOp
from loomir.dialects.ov.operators.joining import ConcatOp, SplitOp, VariadicSplitOp
from loomir.dialects.ov.operators.recurrent import (
    GRUCellOp,
    GRUSequenceOp,
    LSTMCellOp,
    LSTMSequenceOp,
    RecurrentOperation,
    RNNCellOp,
    RNNSequenceOp,
    SequenceOperation,
)
from loomir.dialects.ov.operators.reduction import ReduceLogicalOrOp
from loomir.dialects.ov.operators.reshape import ShapeOfOp, SqueezeOp, TransposeOp, UnsqueezeOp
from loomir.dialects.ov.operators.sorting import ArgMaxOp
from loomir.passes.graph.lib.decompositions import decomposes
from loomir.passes.graph.lib.decompositions.elementwise import Function, activate

BACKWARDS = Slicing(axis=1, start=-1, end=0, stride=-1)
FORWARDS = Slicing(axis=1)


@dataclass(frozen=True)
class RecurrentWeights:
    """Weights and activation functions of one direction.

    The weights are w [G·H, I], r [G·H, H], b [G·H], and p [3·H] or None.
    """

    w: SSAValue
    r: SSAValue
    b: SSAValue
    p: SSAValue | None
    functions: Sequence[Function]


CellStep = Callable[
    [GraphBuilder, RecurrentOperation, RecurrentWeights, SSAValue, Sequence[SSAValue]], list[SSAValue]
]
"""Step of a cell: computes new states from x and the states.

x is [N, I], and the states are [N, H].
"""


def _split(build: GraphBuilder, value: SSAValue, axis: int, parts: int) -> Sequence[SSAValue]:
    return build.make_all(
        SplitOp, value, build.scalar(axis, i64), attributes={"num_splits": parts}, results=parts
    )


def _product(build: GraphBuilder, x: SSAValue, weights: SSAValue) -> SSAValue:
    return build.make(MatMulOp, x, weights, attributes={"transpose_b": True})


def _gate(build: GraphBuilder, op: RecurrentOperation, function: Function, value: SSAValue) -> SSAValue:
    """An activation function of a clipped value."""
    limit = op.clip_limit
    if limit is not None:
        value = build.make(ClampOp, value, attributes={"min": -limit, "max": limit})
    return activate(build, function, value)


def lstm_step(
    build: GraphBuilder,
    op: RecurrentOperation,
    weights: RecurrentWeights,
    x: SSAValue,
    states: Sequence[SSAValue],
) -> list[SSAValue]:
    """See `LSTMCellOp`."""
    assert isinstance(op, LSTMCellOp | LSTMSequenceOp)
    h, c = states
    gates = build.make(
        AddOp, build.make(AddOp, _product(build, x, weights.w), _product(build, h, weights.r)), weights.b
    )
    f, i, g, o = _split(build, gates, 1, 4)
    peep_i, peep_o, peep_f = (None, None, None) if weights.p is None else _split(build, weights.p, 0, 3)

    def peep(value: SSAValue, weight: SSAValue | None, cell: SSAValue) -> SSAValue:
        return value if weight is None else build.make(AddOp, value, build.make(MultiplyOp, weight, cell))

    act, act_cell, act_hidden = weights.functions
    i = _gate(build, op, act, peep(i, peep_i, c))
    if to_bool(op.input_forget, False):
        f = build.make(SubtractOp, build.like(1.0, i), i)
    else:
        f = _gate(build, op, act, peep(f, peep_f, c))
    g = _gate(build, op, act_cell, g)
    new_c = build.make(AddOp, build.make(MultiplyOp, f, c), build.make(MultiplyOp, i, g))
    o = _gate(build, op, act, peep(o, peep_o, new_c))
    return [build.make(MultiplyOp, o, activate(build, act_hidden, new_c)), new_c]


def gru_step(
    build: GraphBuilder,
    op: RecurrentOperation,
    weights: RecurrentWeights,
    x: SSAValue,
    states: Sequence[SSAValue],
) -> list[SSAValue]:
    """See `GRUCellOp`."""
    assert isinstance(op, GRUCellOp | GRUSequenceOp)
    (h,) = states
    act, act_new = weights.functions
    linear = to_bool(op.linear_before_reset, False)
    biases = _split(build, weights.b, 0, 4 if linear else 3)
    xz, xr, xn = _split(build, _product(build, x, weights.w), 1, 3)
    if linear:
        hz, hr, hn = _split(build, _product(build, h, weights.r), 1, 3)
    else:
        sizes = build.integers([2 * op.hidden, op.hidden])
        early, late = build.make_all(VariadicSplitOp, weights.r, build.scalar(0, i64), sizes, results=2)
        hz, hr = _split(build, _product(build, h, early), 1, 2)
        hn = late
    z = _gate(build, op, act, build.make(AddOp, build.make(AddOp, xz, hz), biases[0]))
    r = _gate(build, op, act, build.make(AddOp, build.make(AddOp, xr, hr), biases[1]))
    if linear:
        before = build.make(MultiplyOp, r, build.make(AddOp, hn, biases[3]))
    else:
        before = _product(build, build.make(MultiplyOp, r, h), hn)
    n = _gate(build, op, act_new, build.make(AddOp, build.make(AddOp, xn, before), biases[2]))
    # (1 - z) ⊙ n + z ⊙ h
    fresh = build.make(MultiplyOp, build.make(SubtractOp, build.like(1.0, z), z), n)
    return [build.make(AddOp, fresh, build.make(MultiplyOp, z, h))]


def rnn_step(
    build: GraphBuilder,
    op: RecurrentOperation,
    weights: RecurrentWeights,
    x: SSAValue,
    states: Sequence[SSAValue],
) -> list[SSAValue]:
    """See `RNNCellOp`."""
    (h,) = states
    value = build.make(AddOp, _product(build, x, weights.w), _product(build, h, weights.r))
    return [_gate(build, op, weights.functions[0], build.make(AddOp, value, weights.b))]


# -- cells


@decomposes(LSTMCellOp)
def lstm_cell(op: LSTMCellOp, build: GraphBuilder) -> Sequence[SSAValue]:
    weights = RecurrentWeights(op.w, op.r, op.b, op.p, op.activation_functions())
    return lstm_step(build, op, weights, op.x, [op.initial_hidden_state, op.initial_cell_state])


@decomposes(GRUCellOp)
def gru_cell(op: GRUCellOp, build: GraphBuilder) -> Sequence[SSAValue]:
    return gru_step(
        build,
        op,
        RecurrentWeights(op.w, op.r, op.b, None, op.activation_functions()),
        op.x,
        [op.initial_hidden_state],
    )


@decomposes(RNNCellOp)
def rnn_cell(op: RNNCellOp, build: GraphBuilder) -> Sequence[SSAValue]:
    return rnn_step(
        build,
        op,
        RecurrentWeights(op.w, op.r, op.b, None, op.activation_functions()),
        op.x,
        [op.initial_hidden_state],
    )


# -- sequences


@decomposes(LSTMSequenceOp)
def lstm_sequence(op: LSTMSequenceOp, build: GraphBuilder) -> Sequence[SSAValue]:
    return sequence_of_steps(op, build, lstm_step)


@decomposes(GRUSequenceOp, RNNSequenceOp)
def gru_or_rnn_sequence(op: GRUSequenceOp | RNNSequenceOp, build: GraphBuilder) -> Sequence[SSAValue]:
    step = gru_step if isinstance(op, GRUSequenceOp) else rnn_step
    return sequence_of_steps(op, build, step)


def sequence_of_steps(
    op: LSTMSequenceOp | GRUSequenceOp | RNNSequenceOp, build: GraphBuilder, step: CellStep
) -> list[SSAValue]:
    """Return the results of a sequence.

    Each direction is a loop whose body takes one step.
    """
    directions = op.directions()
    initial = op.operands[1 : 1 + op.STATES]
    functions = op.activation_functions(directions)
    per_direction = len(functions) // directions
    lengths = _lengths(op, build)
    results: list[list[SSAValue]] = []
    for d in range(directions):
        peepholes = op.p if isinstance(op, LSTMSequenceOp) else None
        weights = RecurrentWeights(
            _direction(build, op.w, d, 0),
            _direction(build, op.r, d, 0),
            _direction(build, op.b, d, 0),
            None if peepholes is None else _direction(build, peepholes, d, 0),
            functions[d * per_direction : (d + 1) * per_direction],
        )
        backwards = op.direction_name == "reverse" or d == 1
        states = [_direction(build, state, d, 1) for state in initial]
        final, y = _loop(op, build, step, weights, states, lengths, backwards)
        results.append([build.make(UnsqueezeOp, v, build.integers([1])) for v in (y, *final)])
    if directions == 1:
        return results[0]
    return [build.make(ConcatOp, list(pair), attributes={"axis": 1}) for pair in zip(*results)]


def _direction(build: GraphBuilder, value: SSAValue, d: int, axis: int) -> SSAValue:
    """Return the part of one direction, without that dimension.

    The part of a constant is not copied.
    """
    array = build.fact(value).value
    if array is not None:
        return build.constant(np.take(array, d, axis) if axis else array[d])
    shape = build.fact(value).shape
    if shape is not None and shape[axis].static == 1:
        return build.make(SqueezeOp, value, build.integers([axis]))
    return build.make(GatherOp, value, build.scalar(d, i64), build.scalar(axis, i64))


def _lengths(op: SequenceOperation, build: GraphBuilder) -> SSAValue | None:
    """Return the lengths as i64 [N].

    None if they are known to have no effect.
    """
    operand = op.operands[1 + op.STATES]
    bounds, shape = build.fact(operand).bounds, build.fact(op.operands[0]).shape
    longest = None if shape is None else shape[1].hi
    if bounds is not None and longest is not None and (bounds[0] >= longest).all():
        return None
    return build.make(ConvertOp, operand, attributes={"destination_type": i64})


def _loop(
    op: SequenceOperation,
    build: GraphBuilder,
    step: CellStep,
    weights: RecurrentWeights,
    states: Sequence[SSAValue],
    lengths: SSAValue | None,
    backwards: bool,
) -> tuple[list[SSAValue], SSAValue]:
    """Return one direction's final states [N, H] and y [N, T, H]."""
    x = op.operands[0]
    inferred = op.infer([build.fact(o) for o in op.operands])[0]
    assert inferred.shape is not None
    n, _, t, h = inferred.shape
    element = inferred.element
    x_shape = build.fact(x).shape
    inputs = Dim() if x_shape is None else x_shape[2]
    state_type = Fact(element, (n, h)).type
    part_type = Fact(element, (n, Dim(1, 1), inputs)).type
    last: SSAValue | None = None
    if lengths is not None and backwards:
        # Where the iteration i is: T - 1 - i.
        extent = build.make(GatherOp, build.make(ShapeOfOp, x), build.scalar(1, i64), build.scalar(0, i64))
        last = build.make(SubtractOp, extent, build.scalar(1, i64))

    block = Block(arg_types=[TRIP_TYPE, *[state_type] * len(states), part_type])
    for argument in block.args:
        argument.location = build.location
    inside = build.inside(block)
    iteration, old, part = block.args[0], block.args[1:-1], block.args[-1]
    element_x = inside.make(SqueezeOp, part, inside.integers([1]))
    new = step(inside, op, weights, element_x, old)
    shown = new[0]
    if lengths is not None:
        place = iteration if last is None else inside.make(SubtractOp, last, iteration)
        valid = inside.make(UnsqueezeOp, inside.make(LessOp, place, lengths), inside.integers([1]))
        shown = inside.make(SelectOp, valid, new[0], inside.like(0.0, new[0]))
        new = [inside.make(SelectOp, valid, fresh, kept) for fresh, kept in zip(new, old)]
    shown = inside.make(UnsqueezeOp, shown, inside.integers([1]))
    inside.emit(NextOp.build(operands=[[], list(new), [], [shown]]))

    slicing = BACKWARDS if backwards else FORWARDS
    loop = build.emit(
        LoopOp.of(
            trip=None,
            cond=None,
            carried=list(states),
            sliced=[x],
            slices=[slicing],
            concats=[slicing],
            final_types=[state_type] * len(states),
            last_types=[],
            concat_types=[Fact(element, (n, t, h)).type],
            body=Region(block),
        )
    )
    return list(loop.final), loop.concat[0]


@decomposes(CTCGreedyDecoderOp)
def ctc_greedy_decoder(op: CTCGreedyDecoderOp, build: GraphBuilder) -> Sequence[SSAValue]:
    """Decompose by computing sequence lengths from the mask.

    The length of a sequence is the position of its first 0, or T.
    """
    element = build.fact(op.data).element
    ends = build.make(EqualOp, op.sequence_mask, build.scalar(0, element))
    numbers = build.make(ConvertOp, ends, attributes={"destination_type": i64})
    first = build.make(ArgMaxOp, numbers, attributes={"axis": 0, "keep_dims": False})
    some = build.make(ReduceLogicalOrOp, ends, build.integers([0]))
    steps = build.make(GatherOp, build.make(ShapeOfOp, op.data), build.scalar(0, i64), build.scalar(0, i64))
    lengths = build.make(SelectOp, some, first, steps)
    sequences = build.make(TransposeOp, op.data, build.integers([1, 0, 2]))
    merge = {"merge_repeated": to_bool(op.merge_repeated), "classes_index_type": i64}
    classes = build.make(CTCGreedyDecoderSeqLenOp, sequences, lengths, attributes=merge)
    real = build.make(ConvertOp, classes, attributes={"destination_type": element})
    return [build.make(UnsqueezeOp, real, build.integers([2, 3]))]
