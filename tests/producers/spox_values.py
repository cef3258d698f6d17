"""Sequences, optionals, inlined models, functions, other types and operator versions in spox."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import onnx
import spox.opset.ai.onnx.v17 as op
import spox.opset.ai.onnx.v20 as op20
import spox.opset.ai.onnx.v21 as op21
from spox import Optional, Sequence, Tensor, Var, argument, build, inline
from spox._function import to_function

from tests.producers.fixtures import Made, integers, normal
from tests.producers.spox_control import FLAG, REAL, WHOLE, made, number, one, programs


@programs
def sequence_of_inputs() -> Made:
    """Lists that are fed: the longest first, and all with their element counts."""

    def run(xs: Var, extra: Var) -> dict[str, Var]:
        grown = op.sequence_insert(op.sequence_insert(xs, extra, number(0)), extra)
        last = op.sequence_at(grown, number(-2))
        return {
            "joined": op.concat_from_sequence(grown, axis=0),
            "last": last,
            "count": op.sequence_length(grown),
            "rest": op.sequence_erase(grown, number(1)),
        }

    types = {"xs": Sequence(Tensor(REAL, ("n", 2))), "extra": Tensor(REAL, ("m", 2))}
    feeds = [[[normal(n, 2) for n in lengths], normal(2, 2)] for lengths in ((1, 3), (2,), (4, 1, 2))]
    return made(types, run, *feeds)


@programs
def sequence_mapped() -> Made:
    def run(xs: Var, scale: Var) -> dict[str, Var]:
        def each(x: Var) -> list[Var]:
            return [op.mul(op.softmax(x), scale), op.shape(x)]

        scaled, shapes = op.sequence_map(xs, body=each)
        return {"scaled": scaled, "total": op.concat_from_sequence(shapes, axis=0)}

    types = {"xs": Sequence(Tensor(REAL, ("n",))), "scale": Tensor(REAL, ())}
    feeds = [[[normal(n) for n in lengths], REAL(2.5)] for lengths in ((3, 1), (2, 2, 4))]
    return made(types, run, *feeds)


@programs
def sequence_carried_by_a_loop() -> Made:
    """Prefixes of a vector; a part that sums up to too much ends the loop."""

    def run(x: Var, limit: Var) -> dict[str, Var]:
        def step(i: Var, going: Var, parts: Var) -> list[Var]:
            part = op.slice(x, number([0]), op.add(i, number(1)))
            going = op.less(op.reduce_sum(part, keepdims=False), limit)
            return [one(going), op.sequence_insert(parts, part)]

        (parts,) = op.loop(
            op.size(x), number([True], FLAG), v_initial=[op.sequence_empty(dtype=REAL)], body=step
        )
        return {"parts": parts, "count": op.sequence_length(parts)}

    types = {"x": Tensor(REAL, ("n",)), "limit": Tensor(REAL, ())}
    return made(types, run, *([abs(normal(n)), REAL(limit)] for n, limit in ((4, 99), (6, 1.5), (3, 0))))


@programs
def sequence_in_branches() -> Made:
    def run(flag: Var, x: Var) -> dict[str, Var]:
        (parts,) = op.if_(
            flag,
            then_branch=lambda: [op.split_to_sequence(x, number(2), axis=0)],
            else_branch=lambda: [op.sequence_construct([op.transpose(x, perm=[1, 0]), x])],
        )
        return {"first": op.sequence_at(parts, number(0)), "count": op.sequence_length(parts)}

    types = {"flag": Tensor(FLAG, ()), "x": Tensor(REAL, ("n", 3))}
    return made(types, run, *([FLAG(f), normal(n, 3)] for f, n in ((True, 5), (False, 4), (True, 1))))


@programs
def optional_input() -> Made:
    def run(x: Var, bias: Var) -> dict[str, Var]:
        (result,) = op.if_(
            op.optional_has_element(bias),
            then_branch=lambda: [op.add(x, op.optional_get_element(bias))],
            else_branch=lambda: [op.identity(x)],
        )
        return {"result": result, "given": op.optional_has_element(bias)}

    types = {"x": Tensor(REAL, ("n",)), "bias": Optional(Tensor(REAL, ("n",)))}
    x, bias = normal(3), normal(3, seed="bias")
    return made(types, run, [x, bias])


@programs
def inlined_models() -> Made:
    """A model inside of another one, twice, the second time in the body of a loop."""
    a, b = argument(Tensor(REAL, ("n", 3))), argument(Tensor(REAL, (3, 3)))
    layer = build({"a": a, "b": b}, {"c": op.tanh(op.matmul(a, b))})

    def run(x: Var, weight: Var, count: Var) -> dict[str, Var]:
        x = inline(layer)(a=x, b=weight)["c"]

        def step(i: Var, going: Var, x: Var) -> Iterable[Var]:
            return [going, inline(layer)(x, weight)["c"]]

        return {"last": op.loop(count, v_initial=[x], body=step)[0]}

    types = {"x": Tensor(REAL, ("n", 3)), "weight": Tensor(REAL, (3, 3)), "count": Tensor(WHOLE, ())}
    return made(types, run, *([normal(n, 3), normal(3, 3), WHOLE(c)] for n, c in ((2, 2), (4, 0))))


@to_function("clamped_line", "local.functions", _version=1)
def clamped_line(x: Var, slope: Var) -> Iterable[Var]:
    line = op.add(op.mul(x, slope), op.const(np.float32(0.5)))
    return [op.max([op.min([line, op.const(np.float32(1))]), op.const(np.float32(0))])]


@to_function("twice", "local.functions", _version=1)
def twice(x: Var) -> Iterable[Var]:
    (once,) = clamped_line(x, op.const(np.float32(2)))
    return clamped_line(once, op.const(np.float32(-1)))


@programs
def functions_in_functions() -> Made:
    def run(x: Var) -> dict[str, Var]:
        (a,) = twice(x)
        (b,) = clamped_line(op.mul(a, x), op.const(np.float32(3)))
        return {"a": a, "b": b}

    return made({"x": Tensor(REAL, ("n", "m"))}, run, [normal(2, 3)], [normal(4, 1)])


@programs
def inlined_text() -> Made:
    """A model written by hand as text, with a loop, inlined by spox."""
    text = """<ir_version: 8, opset_import: ["": 17]>
    running (float[n] x, int64 count) => (float[n] y, float[k, n] all)
    {
      y, all = Loop (count, , x) <body = step (int64 i, bool c, float[n] v) => (bool d, float[n] w, float[n] u)
        { d = Identity (c)  half = Constant <value = float {0.5}> ()  w = Mul (v, half)  u = Sin (w) }>
    }"""
    model = onnx.parser.parse_model(text)

    def run(x: Var, count: Var) -> dict[str, Var]:
        outputs = inline(model)(x=x, count=count)
        return {"all": op.reduce_sum(outputs["all"], number([0]), keepdims=False), "y": outputs["y"]}

    types = {"x": Tensor(REAL, ("n",)), "count": Tensor(WHOLE, ())}
    return made(types, run, [normal(3), WHOLE(4)], [normal(2), WHOLE(1)])


@programs
def doubles_and_bytes() -> Made:
    def run(x: Var, bytes_: Var) -> dict[str, Var]:
        def step(i: Var, going: Var, total: Var, small: Var) -> list[Var]:
            total = op.add(total, op.exp(op.mul(total, number(-1, np.float64))))
            return [going, total, op.add(small, op.constant(value=np.array(77, np.uint8)))]

        total, small = op.loop(number(5), v_initial=[x, bytes_], body=step)
        return {"total": total, "small": small, "mean": op.reduce_mean(total)}

    types = {"x": Tensor(np.float64, ("n",)), "bytes": Tensor(np.uint8, ("m",))}
    return made(types, run, [normal(3).astype(np.float64), np.array([1, 200], np.uint8)])


@programs
def quantised_layers() -> Made:
    def run(x: Var) -> dict[str, Var]:
        weight = op.constant(value=integers(-100, 100, 4, 3, dtype=np.int8))
        scale, zero = number(0.05, REAL), op.constant(value=np.array(7, np.uint8))
        q = op.quantize_linear(x, scale, zero)
        w = op.dequantize_linear(weight, number([0.01, 0.02, 0.03], REAL), axis=1)
        y = op.matmul(op.dequantize_linear(q, scale, zero), w)
        return {"q": q, "y": y}

    return made({"x": Tensor(REAL, ("n", 4))}, run, [normal(2, 4)], [normal(5, 4)])


@programs
def newer_operators() -> Made:
    """Versions 20 and 21: Gelu, a Split into a number of parts, integers of 4 bits in between."""

    def run(x: Var) -> dict[str, Var]:
        first, second = op20.split(op20.gelu(x), num_outputs=2, axis=1)
        scale = op21.constant(value=np.array([0.25, 0.5], REAL))
        blocks = op21.quantize_linear(x, scale, axis=1, output_dtype=onnx.TensorProto.INT8)
        return {"first": first, "second": second, "blocks": blocks, "most": op20.reduce_max(x, number([0]))}

    return made({"x": Tensor(REAL, ("n", 2))}, run, [normal(3, 2)], [normal(1, 2)])


@programs
def recurrence_and_trilu() -> Made:
    def run(x: Var, lengths: Var) -> dict[str, Var]:
        w, r = op.constant(value=normal(1, 12, 3)), op.constant(value=normal(1, 12, 4) / 2)
        y, last = op.gru(x, w, r, sequence_lens=lengths, hidden_size=4, linear_before_reset=1)
        states = op.squeeze(y, number([1]))
        return {"last": last, "triangle": op.trilu(states, upper=0), "best": op.arg_max(states, axis=-1)}

    types = {"x": Tensor(REAL, ("t", "b", 3)), "lengths": Tensor(np.int32, ("b",))}
    feeds = [[normal(t, len(n), 3), np.array(n, np.int32)] for t, n in ((4, [4, 2]), (2, [1, 2, 2]))]
    return made(types, run, *feeds)
