# ruff: noqa: B007, F821, UP037 -- onnxscript reads this source: dimensions are strings, and loops count.
"""Sequences, optionals, attributes of functions, small types and recurrence in onnxscript."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto
from onnxscript import BOOL, FLOAT, INT64, script
from onnxscript import opset18 as op

from tests.producers.fixtures import Made, integers, normal
from tests.producers.onnxscript_control import local, made, programs


@script(default_opset=op)
def squares(x: FLOAT["n", "m"]) -> tuple[FLOAT["k"], INT64]:
    pieces = op.SequenceEmpty()
    for i in range(op.Gather(op.Shape(x), op.Constant(value_int=0))):
        row = op.Gather(x, i)
        end = op.Unsqueeze(i + 1, op.Constant(value_ints=[0]))
        pieces = op.SequenceInsert(pieces, op.Slice(row, op.Constant(value_ints=[0]), end))
    return op.ConcatFromSequence(pieces, axis=0), op.SequenceLength(pieces)


@programs
def sequence_of_longer_and_longer_rows() -> Made:
    return made(squares, *({"x": normal(n, m)} for n, m in ((3, 4), (2, 2), (1, 5))))


@script(default_opset=op)
def rotated(x: FLOAT["n", "m"], count: INT64) -> FLOAT["n", "m"]:
    rows = op.SplitToSequence(x, axis=0)
    for i in range(count):
        first = op.SequenceAt(rows, op.Constant(value_int=0))
        rows = op.SequenceErase(rows, op.Constant(value_int=0))
        rows = op.SequenceInsert(rows, first)
    return op.ConcatFromSequence(rows, axis=0)


@programs
def sequence_rotated() -> Made:
    return made(rotated, *({"x": normal(n, 2), "count": np.int64(c)} for n, c in ((4, 2), (3, 7), (5, 0))))


@script(local, default_opset=op)
def scaled(x, factor: float = 0.5, axis: int = 0):
    return op.Softmax(x * op.CastLike(op.Constant(value_float=factor), x), axis=axis)


@script(default_opset=op)
def attributes(x: FLOAT["n", "m"]) -> tuple[FLOAT["n", "m"], FLOAT["n", "m"], FLOAT["n", "m"]]:
    return scaled(x), scaled(x, factor=2.0, axis=1), scaled(scaled(x, axis=1), factor=-1.0)


@programs
def functions_with_attributes() -> Made:
    return made(attributes, *({"x": normal(n, m)} for n, m in ((2, 3), (4, 1))))


@script(default_opset=op)
def quantised(x: FLOAT["n", 4], weight: FLOAT[4, 3]) -> FLOAT["n", 3]:
    q, scale, zero = op.DynamicQuantizeLinear(x)
    w = op.QuantizeLinear(weight, op.Constant(value_float=0.03125), op.Cast(op.Constant(value_int=0), to=3))
    product = op.MatMulInteger(q, w, zero)
    return op.Cast(product, to=1) * scale * 0.03125


@programs
def dynamically_quantised() -> Made:
    return made(quantised, *({"x": normal(n, 4), "weight": normal(4, 3)} for n in (2, 5)))


@script(default_opset=op)
def halves(x: FLOAT["n"], steps: INT64) -> FLOAT["n"]:
    y = op.Cast(x, to=TensorProto.FLOAT16)
    for i in range(steps):
        y = y / op.Cast(op.Constant(value_float=2.0), to=TensorProto.FLOAT16)
        y = y + op.Cast(op.Constant(value_float=1.0), to=TensorProto.FLOAT16)
    return op.Cast(y, to=TensorProto.FLOAT)


@programs
def half_precision_in_a_loop() -> Made:
    return made(halves, *({"x": normal(n), "steps": np.int64(s)} for n, s in ((3, 4), (2, 0))))


@script(default_opset=op)
def tagger(
    x: FLOAT["t", "b", 3], weight: FLOAT[2, 16, 3], recurrence: FLOAT[2, 16, 4], lengths: INT64["b"]
) -> tuple[FLOAT["t", "b", 8], FLOAT[2, "b", 4]]:
    y, last, _ = op.LSTM(
        x,
        weight,
        recurrence,
        None,
        op.Cast(lengths, to=6),
        direction="bidirectional",
        hidden_size=4,
        clip=2.0,
    )
    joined = op.Reshape(op.Transpose(y, perm=[0, 2, 1, 3]), op.Constant(value_ints=[0, 0, -1]))
    return joined, last


@programs
def lstm_with_lengths() -> Made:
    weights = {"weight": normal(2, 16, 3), "recurrence": normal(2, 16, 4) / 2}
    feeds = [
        {"x": normal(t, len(n), 3), **weights, "lengths": np.array(n)}
        for t, n in ((5, [5, 2]), (3, [1, 3, 2]))
    ]
    return made(tagger, *feeds)


@script(default_opset=op)
def many(x: FLOAT["n", "m"], places: INT64["k"]) -> tuple[FLOAT, FLOAT, FLOAT, INT64, FLOAT]:
    taken = op.GatherElements(
        x,
        op.Expand(op.Unsqueeze(places, op.Constant(value_ints=[0])), op.Constant(value_ints=[2, 1])),
        axis=1,
    )
    hot = op.OneHot(places, op.Constant(value_int=4), op.Constant(value_floats=[0.0, 2.0]))
    padded = op.Pad(x, op.Constant(value_ints=[0, 1, 1, 0]), None, None, mode="edge")
    _, order = op.TopK(x, op.Constant(value_ints=[2]), largest=0)
    product = op.Einsum(x, x, equation="ij,kj->ik")
    return taken, hot, padded, order, product


@programs
def gathered_padded_and_counted() -> Made:
    return made(many, *({"x": normal(2, m), "places": np.array(p)} for m, p in ((3, [0, 2]), (5, [4, 4, 1]))))


@script(default_opset=op)
def sieve(n: INT64) -> INT64["primes"]:
    numbers = op.Range(2, n, 1)
    primes = op.Range(0, 0, 1)
    going = op.Size(numbers) > 0
    while going:
        first = op.Slice(numbers, op.Constant(value_ints=[0]), op.Constant(value_ints=[1]))
        primes = op.Concat(primes, first, axis=0)
        numbers = op.Compress(numbers, op.Mod(numbers, first) != 0)
        going = op.Size(numbers) > 0
    return primes


@programs
def sieve_of_primes() -> Made:
    return made(sieve, *({"n": np.int64(n)} for n in (20, 3, 2)))


@script(default_opset=op)
def blurred(x: FLOAT["n", 1, "h", "w"], rounds: INT64) -> FLOAT["n", 1, "h", "w"]:
    kernel = op.Expand(op.Constant(value_float=0.111), op.Constant(value_ints=[1, 1, 3, 3]))
    for i in range(rounds):
        x = op.Max(op.Conv(x, kernel, pads=[1, 1, 1, 1]), x * 0.5)
    return x


@programs
def convolution_in_a_loop() -> Made:
    feeds = [{"x": normal(n, 1, h, w), "rounds": np.int64(r)} for n, h, w, r in ((1, 4, 5, 3), (2, 3, 3, 0))]
    return made(blurred, *feeds)


@script(default_opset=op)
def life(cells: BOOL["h", "w"], generations: INT64) -> BOOL["h", "w"]:
    for g in range(generations):
        alive = op.Cast(cells, to=1)
        shape = op.Concat(op.Constant(value_ints=[1, 1]), op.Shape(alive), axis=0)
        around = op.Conv(
            op.Reshape(alive, shape),
            op.Expand(op.Constant(value_float=1.0), op.Constant(value_ints=[1, 1, 3, 3])),
            pads=[1, 1, 1, 1],
        )
        count = op.Reshape(around, op.Shape(alive)) - alive
        cells = op.Or(count == 3.0, op.And(cells, count == 2.0))
    return cells


@programs
def game_of_life() -> Made:
    return made(
        life,
        *(
            {"cells": integers(0, 2, h, w) > 0, "generations": np.int64(g)}
            for h, w, g in ((5, 6, 4), (3, 3, 1))
        ),
    )
