"""More programs that `loops.py` measures: recurrent layers and loops as networks for speech and language have them.

| name | what it is |
|---|---|
| `lstm` | ONNX's LSTM, 1,000 steps, 64 inputs, 128 hidden, every state shown; spelled out as a Scan |
| `gru` | ONNX's GRU with `linear_before_reset=1`, likewise |
| `selective_scan` | h = exp(Δ · A) ∘ h + (Δ · u) · B, y = h · C, 1,024 steps of 64 × 16 numbers (Gu and Dao, 2023), a Scan |
| `attention` | 256 tokens decoded one by one, 4 heads of 32, keys and values in caches that grow by one in each trip of a Loop |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import onnx
from programs import (
    BOOL,
    FLOAT,
    HIDDEN,
    INPUTS,
    INT64,
    STEPS,
    Program,
    _body,
    _constant,
    _model,
    _node,
    _value,
)


def _weights(gates: int) -> dict[str, np.ndarray]:
    """Return random weights in ONNX's layout.

    They have one direction, with gates below each other; the biases are those of the input's product, then those of the
    state's.
    """
    random = np.random.default_rng(6)
    return {
        "W": (random.normal(size=(1, gates * HIDDEN, INPUTS)) / np.sqrt(INPUTS)).astype(np.float32),
        "R": (random.normal(size=(1, gates * HIDDEN, HIDDEN)) / np.sqrt(HIDDEN)).astype(np.float32),
        "B": random.normal(scale=0.5, size=(1, 2 * gates * HIDDEN)).astype(np.float32),
    }


def _feed(steps: int, states: Sequence[str]) -> dict[str, np.ndarray]:
    random = np.random.default_rng(7)
    first = {s: random.uniform(-1, 1, size=(1, 1, HIDDEN)).astype(np.float32) for s in states}
    return {"xs": random.normal(size=(steps, 1, INPUTS)).astype(np.float32), **first}


def _recurrent(
    kind: str,
    steps: int,
    states: Sequence[str],
    cell: Sequence[onnx.NodeProto],
    gates: int,
    **attributes: int,
) -> Program:
    """A recurrent operator, and as `spelled` a Scan of `cell`, which makes `<state>_next` of `x_t` and the states."""
    weights = _weights(gates)
    inputs = [
        _value("xs", FLOAT, (steps, 1, INPUTS)),
        *(_value(f"{s}0", FLOAT, (1, 1, HIDDEN)) for s in states),
    ]
    outputs = [
        _value("hs", FLOAT, (steps, 1, 1, HIDDEN)),
        *(_value(f"{s}_end", FLOAT, (1, 1, HIDDEN)) for s in states),
    ]
    first = " ".join(f"{s}0" for s in states)
    ends = " ".join(f"{s}_end" for s in states)
    operator = _node(kind, f"xs W R B - {first}", f"hs {ends}", hidden_size=HIDDEN, **attributes)
    model = _model(kind.lower(), [operator], inputs, outputs, [_constant(n, a) for n, a in weights.items()])
    state = (1, HIDDEN)
    body = _body(
        "body",
        [*cell, _node("Identity", "h_next", "shown")],
        [*(_value(s, FLOAT, state) for s in states), _value("x_t", FLOAT, (1, INPUTS))],
        [*(_value(f"{s}_next", FLOAT, state) for s in states), _value("shown", FLOAT, state)],
    )
    spelled = _model(
        f"{kind.lower()}_spelled_out",
        [
            *(_node("Squeeze", f"{s}0 front", f"{s}_first") for s in states),
            _node(
                "Scan",
                " ".join([*(f"{s}_first" for s in states), "xs"]),
                " ".join([*(f"{s}_last" for s in states), "shown_all"]),
                body=body,
                num_scan_inputs=1,
            ),
            _node("Unsqueeze", "shown_all direction", "hs"),
            *(_node("Unsqueeze", f"{s}_last front", f"{s}_end") for s in states),
        ],
        inputs,
        outputs,
        [
            _constant("Wt", weights["W"][0].T),
            _constant("Rt", weights["R"][0].T),
            _constant("Bw", weights["B"][0, : gates * HIDDEN]),
            _constant("Br", weights["B"][0, gates * HIDDEN :]),
            _constant("one", 1.0),
            _constant("front", [0], np.int64),
            _constant("direction", [1], np.int64),
        ],
    )
    return Program(kind.lower(), model, _feed(steps, [f"{s}0" for s in states]), f"{kind.lower()}.c", spelled)


_PRODUCTS = [
    _node("MatMul", "x_t Wt", "xw"),
    _node("Add", "xw Bw", "xwb"),
    _node("MatMul", "h Rt", "hr"),
    _node("Add", "hr Br", "hrb"),
]

_LSTM_CELL = [
    *_PRODUCTS,
    _node("Add", "xwb hrb", "gates"),
    _node("Split", "gates", "gi go gf gc", axis=-1, num_outputs=4),
    _node("Sigmoid", "gi", "input"),
    _node("Sigmoid", "go", "output"),
    _node("Sigmoid", "gf", "forget"),
    _node("Tanh", "gc", "candidate"),
    _node("Mul", "forget c", "kept"),
    _node("Mul", "input candidate", "new"),
    _node("Add", "kept new", "c_next"),
    _node("Tanh", "c_next", "bounded"),
    _node("Mul", "output bounded", "h_next"),
]

_GRU_CELL = [
    *_PRODUCTS,
    _node("Split", "xwb", "xz xr xn", axis=-1, num_outputs=3),
    _node("Split", "hrb", "hz hr_ hn", axis=-1, num_outputs=3),
    _node("Add", "xz hz", "sz"),
    _node("Sigmoid", "sz", "z"),
    _node("Add", "xr hr_", "sr"),
    _node("Sigmoid", "sr", "r"),
    _node("Mul", "r hn", "reset"),
    _node("Add", "xn reset", "sn"),
    _node("Tanh", "sn", "n"),
    _node("Sub", "one z", "rest"),
    _node("Mul", "rest n", "new"),
    _node("Mul", "z h", "kept"),
    _node("Add", "new kept", "h_next"),
]


def lstm(steps: int = STEPS) -> Program:
    """LSTM with its biases, both states given and shown at the end."""
    return _recurrent("LSTM", steps, ("h", "c"), _LSTM_CELL, 4)


def gru(steps: int = STEPS) -> Program:
    """GRU whose reset gate comes behind the state's product."""
    return _recurrent("GRU", steps, ("h",), _GRU_CELL, 3, linear_before_reset=1)


def selective_scan(steps: int = 1024, channels: int = 64, numbers: int = 16) -> Program:
    """The recurrence of Mamba's layers; A is negative, Δ between 0 and 0.1."""
    random = np.random.default_rng(8)
    state, row = (channels, numbers), (numbers,)
    body = _body(
        "body",
        [
            _node("Unsqueeze", "delta last", "column"),
            _node("Mul", "column A", "exponent"),
            _node("Exp", "exponent", "decay"),
            _node("Mul", "delta u", "du"),
            _node("Unsqueeze", "du last", "du_column"),
            _node("Mul", "du_column B", "put_in"),
            _node("Mul", "decay h", "kept"),
            _node("Add", "kept put_in", "h_next"),
            _node("Mul", "h_next C", "seen"),
            _node("ReduceSum", "seen last", "y", keepdims=0),
        ],
        [
            _value("h", FLOAT, state),
            _value("delta", FLOAT, (channels,)),
            _value("u", FLOAT, (channels,)),
            _value("B", FLOAT, row),
            _value("C", FLOAT, row),
        ],
        [_value("h_next", FLOAT, state), _value("y", FLOAT, (channels,))],
    )
    shapes = {"deltas": channels, "us": channels, "Bs": numbers, "Cs": numbers}
    model = _model(
        "selective_scan",
        [_node("Scan", "h0 deltas us Bs Cs", "h_end ys", body=body, num_scan_inputs=4)],
        [_value("h0", FLOAT, state), *(_value(n, FLOAT, (steps, s)) for n, s in shapes.items())],
        [_value("h_end", FLOAT, state), _value("ys", FLOAT, (steps, channels))],
        [
            _constant("A", -np.broadcast_to(np.arange(1, numbers + 1), state)),
            _constant("last", [-1], np.int64),
        ],
    )
    feed = {"h0": random.normal(size=state).astype(np.float32)}
    feed |= {n: random.normal(size=(steps, s)).astype(np.float32) for n, s in shapes.items()}
    feed["deltas"] = random.uniform(0, 0.1, size=(steps, channels)).astype(np.float32)
    return Program("selective_scan", model, feed, "selective_scan.c")


def attention(tokens: int = 256, heads: int = 4, wide: int = 32) -> Program:
    """softmax(q · Kᵀ / √d) · V of each token over itself and those before it."""
    random = np.random.default_rng(9)

    def cache(extent: object) -> tuple:
        return heads, extent, wide

    grown = [onnx.helper.make_tensor_value_info(n, FLOAT, cache(None)) for n in ("K_next", "V_next")]
    body = _body(
        "body",
        [
            *(_node("Gather", f"{name}s i", f"{name}_row", axis=0) for name in "qkv"),
            *(_node("Unsqueeze", f"{name}_row middle", name) for name in "qkv"),
            _node("Concat", "K k", "K_next", axis=1),
            _node("Concat", "V v", "V_next", axis=1),
            _node("Transpose", "K_next", "Kt", perm=[0, 2, 1]),
            _node("MatMul", "q Kt", "products"),
            _node("Mul", "products scale", "scores"),
            _node("Softmax", "scores", "shares", axis=-1),
            _node("MatMul", "shares V_next", "mixed"),
            _node("Squeeze", "mixed middle", "y"),
            _node("Identity", "cond", "go_on"),
        ],
        [
            _value("i", INT64, ()),
            _value("cond", BOOL, ()),
            *(onnx.helper.make_tensor_value_info(n, FLOAT, cache(None)) for n in "KV"),
        ],
        [_value("go_on", BOOL, ()), *grown, _value("y", FLOAT, (heads, wide))],
    )
    model = _model(
        "attention",
        [_node("Loop", "tokens true nothing nothing", "K_end V_end ys", body=body)],
        [_value(f"{name}s", FLOAT, (tokens, heads, wide)) for name in "qkv"],
        [_value("ys", FLOAT, (tokens, heads, wide))],
        [
            _constant("tokens", tokens, np.int64),
            _constant("true", True, np.bool_),
            _constant("nothing", np.empty(cache(0))),
            _constant("scale", wide**-0.5),
            _constant("middle", [1], np.int64),
        ],
    )
    feed = {f"{name}s": random.normal(size=(tokens, heads, wide)).astype(np.float32) for name in "qkv"}
    return Program("attention", model, feed, "attention.c")


RECURRENT: dict[str, Callable[[], Program]] = {f.__name__: f for f in (lstm, gru, selective_scan, attention)}
