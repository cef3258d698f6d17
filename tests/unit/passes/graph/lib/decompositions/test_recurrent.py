"""Decompositions of recurrent cells and sequences against ONNX Runtime, which shares no code with them."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats.mlir.parser import make_context
from loomir.compiler.pipeline import run_passes
from loomir.dialects.ov.operators.recurrent import (
    ACTIVATIONS,
    GRUCellOp,
    GRUSequenceOp,
    LSTMCellOp,
    LSTMSequenceOp,
    RNNCellOp,
    RNNSequenceOp,
    float_list,
)
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.support import assert_agree, raises_error
from tests.unit.passes.structured.convert_ov_to_linalg.lowered import build_main

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
ORDER = {"LSTM": [2, 0, 3, 1], "GRU": [0, 1, 2], "RNN": [0]}
"""OpenVINO's gates by ONNX's number: fico from iofc, zrh and a single one as they are."""
SEQUENCE = {"LSTM": LSTMSequenceOp, "GRU": GRUSequenceOp, "RNN": RNNSequenceOp}
CELL = {"LSTM": LSTMCellOp, "GRU": GRUCellOp, "RNN": RNNCellOp}
N, T, INPUTS, H = 3, 4, 2, 5


def reorder(kind: str, weights: np.ndarray) -> np.ndarray:
    """[D, G·H, …] from ONNX's order of gates to OpenVINO's."""
    gates = np.split(weights, GATES[kind], 1)
    return np.concatenate([gates[g] for g in ORDER[kind]], 1)


class Example:
    """Random weights and inputs in ONNX's layout, for one kind and direction."""

    def __init__(self, kind: str, direction: str, seed: int, *, lengths: list[int] | None = None) -> None:
        rng = np.random.default_rng(seed)
        self.kind, self.direction = kind, direction
        self.d = d = 2 if direction == "bidirectional" else 1
        g = GATES[kind]

        def random(*shape: int) -> np.ndarray:
            return rng.standard_normal(shape).astype(np.float32)

        self.x, self.w, self.r = random(T, N, INPUTS), random(d, g * H, INPUTS), random(d, g * H, H)
        self.b, self.h, self.c = random(d, 2 * g * H), random(d, N, H), random(d, N, H)
        self.p = random(d, 3 * H)
        self.lengths = np.array([T] * N if lengths is None else lengths, np.int32)

    def onnx(self, attributes: dict, *, peepholes: bool = False) -> list[np.ndarray]:
        """ONNX Runtime's Y [N, D, T, H] and final states [N, D, H]."""
        feed = {"x": self.x, "w": self.w, "r": self.r, "b": self.b, "l": self.lengths, "h": self.h}
        names = ["x", "w", "r", "b", "l", "h"]
        outputs = ["y", "yh"]
        if self.kind == "LSTM":
            feed["c"] = self.c
            names.append("c")
            outputs.append("yc")
            if peepholes:
                feed["p"] = self.p
                names.append("p")
        node = helper.make_node(
            self.kind, names, outputs, hidden_size=H, direction=self.direction, **attributes
        )
        infos = [
            helper.make_tensor_value_info(k, helper.np_dtype_to_tensor_dtype(v.dtype), v.shape)
            for k, v in feed.items()
        ]
        outs = [helper.make_tensor_value_info(o, TensorProto.FLOAT, None) for o in outputs]
        model = helper.make_model(
            helper.make_graph([node], "g", infos, outs),
            opset_imports=[helper.make_opsetid("", 14)],
            ir_version=8,
        )
        y, *states = onnxruntime_session(model).run(None, feed)
        return [y.transpose(2, 1, 0, 3), *[s.transpose(1, 0, 2) for s in states]]

    def ours(self, *, linear: bool = False, peepholes: bool = False) -> list[np.ndarray]:
        """The operands of the sequence operation."""
        kind = self.kind
        wb, rb = np.split(self.b, 2, 1)
        wb, rb = reorder(kind, wb), reorder(kind, rb)
        if linear:
            first, second = np.split(wb, 3, 1), np.split(rb, 3, 1)
            b = np.concatenate([first[0] + second[0], first[1] + second[1], first[2], second[2]], 1)
        else:
            b = wb + rb
        states = [self.h.transpose(1, 0, 2)] + ([self.c.transpose(1, 0, 2)] if kind == "LSTM" else [])
        arrays = [
            self.x.transpose(1, 0, 2),
            *states,
            self.lengths,
            reorder(kind, self.w),
            reorder(kind, self.r),
            b,
        ]
        return [np.ascontiguousarray(a) for a in (*arrays, *([self.p] if peepholes else []))]


def run(op_class, arrays, attributes, *, results, constants=(), open_dims=()) -> list[np.ndarray]:
    arguments = [k for k in range(len(arrays)) if k not in constants]
    module = build_main(
        op_class, arrays, attributes, arguments=arguments, open_dims=open_dims, results=results,
        result_bounds=[[9] * 4] * results,
    )  # fmt: skip
    run_passes(module, "ov-decompose,ov-infer", context=make_context(), verify_each=True)
    left = {op.name for op in module.walk() if getattr(op, "COMPOSITE", False)}
    assert not left, left
    answer = GraphEngine(module)({f"x{k}": arrays[k] for k in arguments})
    return [answer[f"y{i}"] for i in range(results)]


def compare(example: Example, onnx_attributes: dict, attributes: dict, *, peepholes=False, **how) -> None:
    linear = bool(attributes.get("linear_before_reset"))
    expected = example.onnx(onnx_attributes, peepholes=peepholes)
    actual = run(
        SEQUENCE[example.kind],
        example.ours(linear=linear, peepholes=peepholes),
        {"hidden_size": H, "direction": example.direction, **attributes},
        results=len(expected),
        **how,
    )
    for ours, theirs in zip(actual, expected, strict=True):
        assert_agree(ours, theirs, f"{example.kind} {example.direction} {attributes}")


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("lengths", [None, [4, 1, 2]])
@pytest.mark.parametrize("constant", [False, True])
def test_sequence(kind: str, direction: str, lengths: list[int] | None, constant: bool):
    example = Example(kind, direction, 1, lengths=lengths)
    n = 3 if kind == "LSTM" else 2
    compare(example, {}, {}, constants=range(n, n + 4) if constant else ())


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_sequence_of_unknown_extents(direction: str):
    open_dims = [[0, 1], [0], [0], [0], [], [], []]
    compare(Example("LSTM", direction, 2, lengths=[2, 4, 3]), {}, {}, open_dims=open_dims)


def test_gru_linear_before_reset():
    compare(Example("GRU", "bidirectional", 3), {"linear_before_reset": 1}, {"linear_before_reset": True})


def test_lstm_peepholes_and_input_forget():
    # input_forget is left alone: ONNX Runtime computes f = 1 - i as well.
    compare(Example("LSTM", "forward", 4), {}, {}, peepholes=True)
    compare(Example("LSTM", "bidirectional", 5), {"input_forget": 1}, {"input_forget": True}, peepholes=True)


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_clip(kind: str):
    compare(Example(kind, "forward", 6), {"clip": 0.4}, {"clip": 0.4})


ONNX_NAMES = {
    "sigmoid": "Sigmoid", "tanh": "Tanh", "relu": "Relu", "affine": "Affine", "leakyrelu": "LeakyRelu",
    "thresholdedrelu": "ThresholdedRelu", "scaledtanh": "ScaledTanh", "hardsigmoid": "HardSigmoid",
    "elu": "Elu", "softsign": "Softsign", "softplus": "Softplus",
}  # fmt: skip


@pytest.mark.parametrize("name", list(ACTIVATIONS))
def test_activation(name: str):
    alpha, beta = ACTIVATIONS[name]
    numbers: dict = {}
    ours: dict = {"activations": [name]}
    if alpha is not None:
        numbers["activation_alpha"] = [0.7]
        ours["activations_alpha"] = float_list([0.7])
    if beta is not None:
        numbers["activation_beta"] = [0.3]
        ours["activations_beta"] = float_list([0.3])
    compare(Example("RNN", "reverse", 7), {"activations": [ONNX_NAMES[name]], **numbers}, ours)


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_cell_is_a_sequence_of_one(kind: str):
    example = Example(kind, "forward", 8)
    x, *states, lengths, w, r, b = example.ours()
    attributes = {"hidden_size": H}
    results = len(states)
    cell = run(
        CELL[kind], [x[:, 0], *[s[:, 0] for s in states], w[0], r[0], b[0]], attributes, results=results
    )
    arrays = [x[:, :1], *states, np.ones_like(lengths), w, r, b]
    sequence = run(SEQUENCE[kind], arrays, {**attributes, "direction": "forward"}, results=results + 1)
    for ours, theirs in zip(cell, sequence[1:], strict=True):
        assert_agree(ours, theirs[:, 0])


def test_errors():
    arrays = Example("GRU", "forward", 9).ours()

    def build(**attributes) -> None:
        build_main(
            GRUSequenceOp,
            arrays,
            {"hidden_size": H, "direction": "forward", **attributes},
            arguments=[0],
            results=2,
        )

    build()
    with raises_error("rnn-activation", "gelu"):
        build(activations=["gelu", "tanh"])
    with raises_error("rnn-activation", "2 activation functions"):
        build(activations=["tanh"])
    with raises_error("rnn-shape"):
        build(hidden_size=H + 1)
    with raises_error("attribute-value", "clip"):
        build(clip=-1.0)
    with raises_error("attribute-value", "direction"):
        build(direction="sideways")
