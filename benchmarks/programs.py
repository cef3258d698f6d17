"""The programs that `loops.py` measures, as ONNX models, with the inputs they are run on.

Each one is a kind of control flow or computation of its own, small enough that its C is a page:

| name | what it is |
|---|---|
| `scalar_while` | a loop whose condition is computed, 10⁶ trips of two scalar recurrences |
| `rnn` | 1,000 steps of tanh(x·W + h·R + b), 64 inputs, 128 hidden, every state shown (Scan) |
| `rnn_loop` | the same as a Loop that gathers its input |
| `nested` | 100 × 100 trips over a vector of 16 |
| `loop_if` | 10⁴ trips, each of which sums a vector of 16 and takes one of two branches |
| `elementwise` | 16 elementwise operations on 256 × 1024 numbers, then the sum of each row |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from loomir.tools.compare.truth import Truth

OPSET = 18
FLOAT, BOOL, INT64 = TensorProto.FLOAT, TensorProto.BOOL, TensorProto.INT64
STEPS, INPUTS, HIDDEN = 1000, 64, 128


@dataclass(frozen=True)
class Program:
    """A model and a feed for it; `hand` is the C file in `hand/` that does the same, if there is one.

    `spelled` is the same program with a loop of simple operators in place of the recurrent one, where it has one. A program of the corpus
    has its function in `in_lax/` and its truths.
    """

    name: str
    model: onnx.ModelProto
    feed: Mapping[str, np.ndarray]
    hand: str | None = None
    spelled: onnx.ModelProto | None = None
    lax: str | None = None
    truths: Mapping[str, Truth] | None = None


def _value(name: str, element: int, shape: Sequence[int]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, element, list(shape))


def _constant(name: str, value: object, dtype: type = np.float32) -> onnx.TensorProto:
    return numpy_helper.from_array(np.asarray(value, dtype), name)


def _model(
    name: str,
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[onnx.ValueInfoProto],
    constants: Sequence[onnx.TensorProto] = (),
) -> onnx.ModelProto:
    graph = helper.make_graph(list(nodes), name, list(inputs), list(outputs), list(constants))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
    onnx.checker.check_model(model, full_check=True)
    return model


def _node(operator: str, inputs: str, outputs: str, **attributes: object) -> onnx.NodeProto:
    """A node; `-` stands for an input that is left out."""
    names = ["" if word == "-" else word for word in inputs.split()]
    return helper.make_node(operator, names, outputs.split(), **attributes)


def _body(
    name: str,
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[onnx.ValueInfoProto],
) -> onnx.GraphProto:
    return helper.make_graph(list(nodes), name, list(inputs), list(outputs))


def scalar_while(trips: int = 1_000_000) -> Program:
    """while (count < n) { x = x · a + y; y = y · b + c; ++count; }"""
    body = _body(
        "body",
        [
            _node("Mul", "x a", "xa"),
            _node("Add", "xa y", "x_next"),
            _node("Mul", "y b", "yb"),
            _node("Add", "yb c", "y_next"),
            _node("Add", "count one", "count_next"),
            _node("Less", "count_next n", "go_on"),
        ],
        [
            _value("i", INT64, ()),
            _value("cond", BOOL, ()),
            _value("count", INT64, ()),
            _value("x", FLOAT, ()),
            _value("y", FLOAT, ()),
        ],
        [
            _value("go_on", BOOL, ()),
            _value("count_next", INT64, ()),
            _value("x_next", FLOAT, ()),
            _value("y_next", FLOAT, ()),
        ],
    )
    model = _model(
        "scalar_while",
        [
            _node("Less", "zero n", "first"),
            _node("Loop", "- first zero x0 y0", "count_end x_end y_end", body=body),
        ],
        [_value("n", INT64, ()), _value("x0", FLOAT, ()), _value("y0", FLOAT, ())],
        [_value("count_end", INT64, ()), _value("x_end", FLOAT, ()), _value("y_end", FLOAT, ())],
        [
            _constant("a", 0.75),
            _constant("b", -0.5),
            _constant("c", 1.25),
            _constant("one", 1, np.int64),
            _constant("zero", 0, np.int64),
        ],
    )
    feed = {"n": np.array(trips, np.int64), "x0": np.array(1, np.float32), "y0": np.array(2, np.float32)}
    return Program("scalar_while", model, feed, "scalar_while.c")


def _rnn_weights() -> list[onnx.TensorProto]:
    random = np.random.default_rng(1)
    return [
        _constant("W", random.normal(size=(INPUTS, HIDDEN)) / np.sqrt(INPUTS)),
        _constant("R", random.normal(size=(HIDDEN, HIDDEN)) / np.sqrt(HIDDEN)),
        _constant("B", random.normal(size=HIDDEN)),
    ]


_CELL = [
    _node("MatMul", "x_t W", "xw"),
    _node("MatMul", "h R", "hr"),
    _node("Add", "xw hr", "sum"),
    _node("Add", "sum B", "biased"),
    _node("Tanh", "biased", "h_next"),
    _node("Identity", "h_next", "shown"),
]


def _rnn_feed(shape: Sequence[int]) -> dict[str, np.ndarray]:
    random = np.random.default_rng(2)
    return {
        "xs": random.normal(size=tuple(shape)).astype(np.float32),
        "h0": random.normal(size=(1, HIDDEN)).astype(np.float32),
    }


def rnn(steps: int = STEPS) -> Program:
    """Scan over [steps, 1, 64] with the state [1, 128]."""
    body = _body(
        "body",
        _CELL,
        [_value("h", FLOAT, (1, HIDDEN)), _value("x_t", FLOAT, (1, INPUTS))],
        [_value("h_next", FLOAT, (1, HIDDEN)), _value("shown", FLOAT, (1, HIDDEN))],
    )
    model = _model(
        "rnn",
        [_node("Scan", "h0 xs", "h_end hs", body=body, num_scan_inputs=1)],
        [_value("xs", FLOAT, (steps, 1, INPUTS)), _value("h0", FLOAT, (1, HIDDEN))],
        [_value("h_end", FLOAT, (1, HIDDEN)), _value("hs", FLOAT, (steps, 1, HIDDEN))],
        _rnn_weights(),
    )
    return Program("rnn", model, _rnn_feed((steps, 1, INPUTS)), "rnn.c")


def rnn_loop(steps: int = STEPS) -> Program:
    """Loop, whose body gathers row i of [steps, 64]."""
    body = _body(
        "body",
        [
            _node("Gather", "xs i", "row", axis=0),
            _node("Unsqueeze", "row front", "x_t"),
            *_CELL,
            _node("Identity", "cond", "go_on"),
        ],
        [_value("i", INT64, ()), _value("cond", BOOL, ()), _value("h", FLOAT, (1, HIDDEN))],
        [
            _value("go_on", BOOL, ()),
            _value("h_next", FLOAT, (1, HIDDEN)),
            _value("shown", FLOAT, (1, HIDDEN)),
        ],
    )
    model = _model(
        "rnn_loop",
        [_node("Loop", "steps true h0", "h_end hs", body=body)],
        [_value("xs", FLOAT, (steps, INPUTS)), _value("h0", FLOAT, (1, HIDDEN))],
        [_value("h_end", FLOAT, (1, HIDDEN)), _value("hs", FLOAT, (steps, 1, HIDDEN))],
        [
            *_rnn_weights(),
            _constant("steps", steps, np.int64),
            _constant("true", True, np.bool_),
            _constant("front", [0], np.int64),
        ],
    )
    return Program("rnn_loop", model, _rnn_feed((steps, INPUTS)), "rnn.c")


def nested(outer: int = 100, inner: int = 100) -> Program:
    """for (i …) { for (j …) v = max(v · a + b, j); v = v · c; }"""
    inside = _body(
        "inside",
        [
            _node("Mul", "u a", "ua"),
            _node("Add", "ua b", "uab"),
            _node("Cast", "j", "number", to=FLOAT),
            _node("Mul", "number small", "floor"),
            _node("Max", "uab floor", "u_next"),
            _node("Identity", "inner_cond", "inner_go_on"),
        ],
        [_value("j", INT64, ()), _value("inner_cond", BOOL, ()), _value("u", FLOAT, (16,))],
        [_value("inner_go_on", BOOL, ()), _value("u_next", FLOAT, (16,))],
    )
    body = _body(
        "body",
        [
            _node("Loop", "inner true v", "w", body=inside),
            _node("Mul", "w c", "v_next"),
            _node("Identity", "cond", "go_on"),
        ],
        [_value("i", INT64, ()), _value("cond", BOOL, ()), _value("v", FLOAT, (16,))],
        [_value("go_on", BOOL, ()), _value("v_next", FLOAT, (16,))],
    )
    random = np.random.default_rng(3)
    model = _model(
        "nested",
        [_node("Loop", "outer true v0", "v_end", body=body)],
        [_value("v0", FLOAT, (16,)), _value("a", FLOAT, (16,)), _value("b", FLOAT, (16,))],
        [_value("v_end", FLOAT, (16,))],
        [
            _constant("outer", outer, np.int64),
            _constant("inner", inner, np.int64),
            _constant("true", True, np.bool_),
            _constant("small", 0.01),
            _constant("c", 0.5),
        ],
    )
    feed = {name: random.uniform(0, 0.9, size=16).astype(np.float32) for name in ("v0", "a", "b")}
    return Program("nested", model, feed, "nested.c")


def loop_if(trips: int = 10_000) -> Program:
    """for (i …) if (sum(v) > 0) v = v · a − w; else v = v + w · b;"""
    vector = _value("out", FLOAT, (16,))
    then = _body("positive", [_node("Mul", "v a", "va"), _node("Sub", "va w", "out")], [], [vector])
    other = _body("negative", [_node("Mul", "w b", "wb"), _node("Add", "v wb", "out")], [], [vector])
    body = _body(
        "body",
        [
            _node("ReduceSum", "v", "sum", keepdims=0),
            _node("Greater", "sum nothing", "positive"),
            _node("If", "positive", "v_next", then_branch=then, else_branch=other),
            _node("Identity", "cond", "go_on"),
        ],
        [_value("i", INT64, ()), _value("cond", BOOL, ()), _value("v", FLOAT, (16,))],
        [_value("go_on", BOOL, ()), _value("v_next", FLOAT, (16,))],
    )
    random = np.random.default_rng(4)
    model = _model(
        "loop_if",
        [_node("Loop", "trips true v0", "v_end", body=body)],
        [_value("v0", FLOAT, (16,)), _value("w", FLOAT, (16,))],
        [_value("v_end", FLOAT, (16,))],
        [
            _constant("trips", trips, np.int64),
            _constant("true", True, np.bool_),
            _constant("nothing", 0.0),
            _constant("a", 0.75),
            _constant("b", 0.375),
        ],
    )
    feed = {name: random.uniform(0.5, 1, size=16).astype(np.float32) for name in ("v0", "w")}
    return Program("loop_if", model, feed, "loop_if.c")


ELEMENTWISE = [
    _node("Add", "x y", "t0"),
    _node("Mul", "t0 x", "t1"),
    _node("Sub", "t1 y", "t2"),
    _node("Relu", "t2", "t3"),
    _node("Mul", "t3 half", "t4"),
    _node("Add", "t4 bias", "t5"),
    _node("Abs", "t5", "t6"),
    _node("Min", "t6 ten", "t7"),
    _node("Sub", "t7 x", "t8"),
    _node("Mul", "t8 t8", "t9"),
    _node("Add", "t9 one", "t10"),
    _node("Sqrt", "t10", "t11"),
    _node("Div", "t5 t11", "t12"),
    _node("Neg", "t12", "t13"),
    _node("Max", "t13 y", "t14"),
    _node("Mul", "t14 scale", "t15"),
]


def elementwise(rows: int = 256, columns: int = 1024) -> Program:
    """16 operations, the last ones of which need the square root and a division, and the sum of each row."""
    random = np.random.default_rng(5)
    model = _model(
        "elementwise",
        [*ELEMENTWISE, _node("ReduceSum", "t15 axes", "sums", keepdims=0)],
        [_value("x", FLOAT, (rows, columns)), _value("y", FLOAT, (rows, columns))],
        [_value("sums", FLOAT, (rows,))],
        [
            _constant("half", 0.5),
            _constant("bias", random.normal(size=columns)),
            _constant("ten", 10.0),
            _constant("one", 1.0),
            _constant("scale", 0.125),
            _constant("axes", [1], np.int64),
        ],
    )
    feed = {name: random.normal(size=(rows, columns)).astype(np.float32) for name in ("x", "y")}
    return Program("elementwise", model, feed, "elementwise.c")


PROGRAMS: dict[str, Callable[[], Program]] = {
    f.__name__: f for f in (scalar_while, rnn, rnn_loop, nested, loop_if, elementwise)
}
