# ruff: noqa: B007, F821, UP037 -- onnxscript reads this source: dimensions are strings, and loops count.
"""Control flow as onnxscript writes it: Python's loops and branches become Loop and If, functions stay functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnxscript import BOOL, FLOAT, INT64, graph, script
from onnxscript import opset18 as op
from onnxscript.values import Opset

from tests.producers.fixtures import Made, Programs, integers, normal

programs = Programs("onnxscript")
local = Opset("local.functions", 1)


def made(function: Any, *feeds: dict[str, Any], **remarks: Any) -> Made:
    """The model of a function, with Python's numbers as tensors."""
    arrays = [{n: v if isinstance(v, list) else np.asarray(v) for n, v in feed.items()} for feed in feeds]
    model = function.to_model_proto()
    for inner in model.functions:
        # onnxscript leaves this out of functions that call others, which ONNX Runtime refuses.
        if not any(known.domain == local.domain for known in inner.opset_import):
            inner.opset_import.append(onnx.helper.make_opsetid(local.domain, local.version))
    return Made(model, arrays, **remarks)


@script(default_opset=op)
def powers(x: FLOAT["n"], count: INT64) -> FLOAT["n"]:
    result = op.Expand(op.CastLike(1, x), op.Shape(x))
    for i in range(count):
        result = result * x
    return result + op.CastLike(op.Identity(count), x)


@programs
def loop_over_a_range() -> Made:
    return made(powers, *({"x": normal(n), "count": np.int64(c)} for n, c in ((3, 2), (1, 5), (4, 0))))


@script(default_opset=op)
def halving(x: FLOAT["n"], limit: FLOAT) -> tuple[FLOAT["n"], INT64]:
    steps = op.Constant(value_int=0)
    going = op.ReduceMax(op.Abs(x), keepdims=False) > limit
    while going:
        x = x / 2.0
        steps = steps + 1
        going = op.ReduceMax(op.Abs(x), keepdims=False) > limit
    return x, steps


@programs
def while_loop() -> Made:
    feeds = [{"x": normal(n) * s, "limit": np.float32(0.25)} for n, s in ((3, 9), (2, 0.01), (5, 1))]
    return made(halving, *feeds)


@script(default_opset=op)
def first_negative(x: FLOAT["n"]) -> tuple[INT64, FLOAT]:
    place = op.Constant(value_int=-1)
    total = op.Constant(value_float=0.0)
    for i in range(op.Squeeze(op.Shape(x), op.Constant(value_ints=[0]))):
        value = op.Gather(x, i)
        total = total + value
        place = op.Identity(i)
        found = value < 0.0
        if found:
            break
    return place, total


@programs
def loop_with_break() -> Made:
    feeds = [{"x": np.array(x, np.float32)} for x in ([1, 2, -3, 4], [-1, 5], [0.5, 1.5])]
    return made(first_negative, *feeds)


@script(default_opset=op)
def chosen(x: FLOAT["n", "m"], kind: INT64) -> FLOAT["a", "b"]:
    if kind == 0:
        result = op.Transpose(x, perm=[1, 0])
    else:
        if kind == 1:
            result = op.Concat(x, x, axis=0)
        else:
            result = op.ReduceSum(x, op.Constant(value_ints=[0]))
    return op.Neg(result)


@programs
def branches_of_other_shapes() -> Made:
    return made(chosen, *({"x": normal(2, 3), "kind": np.int64(k)} for k in (0, 1, 2)))


@script(local, default_opset=op)
def normalised(x):
    return x / (op.ReduceSum(op.Abs(x), keepdims=1) + 1.0)


@script(local, default_opset=op)
def repeated(x, weight, count):
    for i in range(count):
        x = normalised(op.MatMul(x, weight))
    return x


@script(default_opset=op)
def calls_functions(x: FLOAT["n", 3], weight: FLOAT[3, 3], count: INT64) -> FLOAT["n", 3]:
    return repeated(normalised(x), weight, count) - repeated(x, weight, op.Constant(value_int=1))


@programs
def functions_that_call_functions() -> Made:
    feeds = [{"x": normal(n, 3), "weight": normal(3, 3), "count": np.int64(c)} for n, c in ((2, 3), (4, 0))]
    return made(calls_functions, *feeds)


@script(default_opset=op)
def running(x: FLOAT["n", 2]) -> tuple[FLOAT[2], FLOAT["n", 2], FLOAT["n", 2]]:
    @graph()
    def step(sum_in, item):
        sum_out = op.Add(sum_in, item)
        mean = sum_out / 2.0
        return sum_out, mean, op.Mul(item, sum_out)

    final, means, products = op.Scan(op.Constant(value_floats=[0.0, 1.0]), x, body=step, num_scan_inputs=1)
    return final, means, products


@programs
def scan_with_a_graph() -> Made:
    return made(running, *({"x": normal(n, 2)} for n in (4, 1, 6)))


@script(default_opset=op)
def backwards(x: FLOAT["b", "t", 3], weight: FLOAT[3, 3]) -> tuple[FLOAT["b", 3], FLOAT["b", "t", 3]]:
    @graph()
    def step(state, item):
        following = op.Tanh(op.MatMul(state, weight) + item)
        return following, op.Identity(following)

    start = op.ReduceSum(op.Mul(x, op.CastLike(0, x)), op.Constant(value_ints=[1]), keepdims=0)
    last, states = op.Scan(
        start,
        x,
        body=step,
        num_scan_inputs=1,
        scan_input_axes=[1],
        scan_input_directions=[1],
        scan_output_axes=[1],
        scan_output_directions=[1],
    )
    return last, states


@programs
def scan_backwards_along_another_axis() -> Made:
    return made(backwards, *({"x": normal(b, t, 3), "weight": normal(3, 3)} for b, t in ((2, 4), (1, 7))))


@script(default_opset=op)
def matrix_power(a: FLOAT["n", "n"], exponent: INT64) -> FLOAT["n", "n"]:
    result = op.EyeLike(a)
    base = op.Identity(a)
    left = op.Identity(exponent)
    going = left > 0
    while going:
        odd = op.Mod(left, 2) == 1
        if odd:
            result = op.MatMul(result, base)
        else:
            result = op.Identity(result)
        base = op.MatMul(base, base)
        left = left / 2
        going = left > 0
    return result


@programs
def power_by_squaring() -> Made:
    return made(
        matrix_power, *({"a": normal(n, n) / 2, "exponent": np.int64(e)} for n, e in ((2, 5), (3, 0), (3, 8)))
    )


@script(default_opset=op)
def triangle(n: INT64) -> INT64["total"]:
    zero = op.Constant(value_ints=[0])
    result = op.Range(0, 0, 1)
    for i in range(n):
        for j in range(i + 1):
            result = op.Concat(result, op.Unsqueeze(i * 10 + j, zero), axis=0)
    return result


@programs
def loop_in_a_loop_appends() -> Made:
    return made(triangle, *({"n": np.int64(n)} for n in (4, 1, 0)))


@script(local, default_opset=op)
def gcd(a, b):
    going = b != 0
    while going:
        rest = op.Mod(a, b)
        a = op.Identity(b)
        b = op.Identity(rest)
        going = b != 0
    return a


@script(default_opset=op)
def gcd_of_rows(pairs: INT64["n", 2]) -> INT64["n"]:
    @graph()
    def one(pair):
        return gcd(op.Gather(pair, 0), op.Gather(pair, 1))

    return op.Scan(pairs, body=one, num_scan_inputs=1)


@programs
def function_with_a_loop_in_a_scan() -> Made:
    pairs = [np.array([[12, 18], [7, 5], [0, 4], [9, 0]]), np.array([[270, 192]])]
    expected = [[np.gcd(p[:, 0], p[:, 1])] for p in pairs]
    apart = "ONNX Runtime asks for the shape of what a Scan's body gives"
    return made(gcd_of_rows, *({"pairs": p} for p in pairs), expected=expected, deviates=apart)


@script(default_opset=op)
def beam(
    scores: FLOAT["beams"], steps: FLOAT["t", "beams", "words"]
) -> tuple[FLOAT["beams"], INT64["t", "beams"]]:
    beams = op.Shape(scores)
    words = op.Gather(op.Shape(steps), op.Constant(value_int=2))

    @graph()
    def step(before, logits):
        every = op.Reshape(
            op.Unsqueeze(before, op.Constant(value_ints=[1])) + op.LogSoftmax(logits, axis=-1),
            op.Constant(value_ints=[-1]),
        )
        best, places = op.TopK(every, beams)
        return best, places

    final, places = op.Scan(scores, steps, body=step, num_scan_inputs=1)
    return final, op.Mod(places, words)


@programs
def beam_search() -> Made:
    feeds = [{"scores": normal(b), "steps": normal(t, b, w)} for t, b, w in ((3, 2, 4), (2, 3, 5))]
    return made(beam, *feeds)


@script(default_opset=op)
def only_where(flag: BOOL, x: FLOAT["n"]) -> FLOAT["m"]:
    if flag:
        places = op.Reshape(op.NonZero(x > 0.0), op.Constant(value_ints=[-1]))
        result = op.Gather(x, places)
    else:
        result = op.Identity(x)
    return op.CumSum(result, op.Constant(value_int=0))


@programs
def rows_from_a_branch() -> Made:
    x = normal(6)
    return made(
        only_where, *({"flag": np.array(f), "x": v} for f, v in ((True, x), (False, x), (True, -abs(x))))
    )


@script(default_opset=op)
def chunks(x: FLOAT["n", "m"], size: INT64) -> FLOAT["k", "m"]:
    length = op.Gather(op.Shape(x), op.Constant(value_int=0))
    start = op.Constant(value_int=0)
    sums = op.Slice(x, op.Constant(value_ints=[0]), op.Constant(value_ints=[0]))
    going = start < length
    while going:
        zero = op.Constant(value_ints=[0])
        part = op.Slice(x, op.Unsqueeze(start, zero), op.Unsqueeze(start + size, zero))
        sums = op.Concat(sums, op.ReduceSum(part, zero, keepdims=1), axis=0)
        start = start + size
        going = start < length
    return sums


@programs
def sums_of_chunks() -> Made:
    return made(chunks, *({"x": normal(n, 2), "size": np.int64(s)} for n, s in ((7, 3), (4, 4), (5, 1))))


@programs
def integers_mixed() -> Made:
    @script(default_opset=op)
    def mixed(x: INT64["n"], y: INT64["n"]) -> tuple[INT64["n"], FLOAT["n"], BOOL["n"]]:
        bits = op.Cast(op.BitwiseXor(op.Cast(x, to=6), op.Cast(y, to=6)), to=7)
        return bits, op.Cast(x, to=1) / 4.0, op.And(x > y, op.Not(x == 3))

    return made(mixed, *({"x": integers(-9, 9, n), "y": integers(-9, 9, n, seed="y")} for n in (5, 2)))
