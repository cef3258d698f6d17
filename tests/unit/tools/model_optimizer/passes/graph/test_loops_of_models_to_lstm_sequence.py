"""`ov-loop-to-lstm-sequence` of loops as ONNX and OpenVINO have them, against ONNX Runtime and OpenVINO."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import onnx.numpy_helper
import onnx.parser
import openvino
import openvino.opset15 as opset
import pytest
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.engines.graph import GraphEngine
from loomir.compiler.formats import load_module
from loomir.compiler.formats.onnx.importer import load_onnx
from loomir.compiler.pipeline import run_passes
from loomir.dialects.interface import argument_names, main_function
from loomir.tools.fuzz.onnx_oracle import onnxruntime_session
from tests.openvino_process import run_openvino
from tests.support import assert_agree

TIDY = "ov-infer,ov-fold-constants,canonicalize,cse,ov-loop-invariant-code-motion"
N, T, INPUTS, H = 2, 5, 3, 4

GATES = """
    gi, go, gf, gc = Split <axis = 1, num_outputs = 4> (all)
    i = Sigmoid (gi)
    o = Sigmoid (go)
    f = Sigmoid (gf)
    g = Tanh (gc)
    kept = Mul (f, c)
    fresh = Mul (i, g)
    new_c = Add (kept, fresh)
    t = Tanh (new_c)
    new_h = Mul (o, t)
    shown = Identity (new_h)
"""
"""ONNX's order of gates."""


def random(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def only_sequences(module: ModuleOp, passes: str = TIDY) -> ModuleOp:
    """A copy behind the pass, whose loops are sequences."""
    copy = module.clone()
    run_passes(
        copy, f"{passes},ov-loop-to-lstm-sequence,ov-fold-constants,canonicalize,cse", verify_each=True
    )
    found = Counter(op.name for op in copy.walk())
    assert found["ov.lstm_sequence"] == 1
    assert not found["ov.loop"]
    return copy


def assert_as_onnxruntime(body: str) -> None:
    """A model of x, h0, c0 with the weights of two Gemms."""
    model = onnx.parser.parse_model(f"""
        <ir_version: 10, opset_import: ["" : 21]>
        lstm (float[{T},{N},{INPUTS}] x, float[{N},{H}] h0, float[{N},{H}] c0)
        => (float[{N},{H}] hn, float[{N},{H}] cn, float[{T},{N},{H}] y)
        <float[16,3] w = {{{", ".join(map(str, random(1, 48)))}}}, float[16,4] r = {{{", ".join(map(str, random(2, 64)))}}},
         float[16] b = {{{", ".join(map(str, random(3, 16)))}}}, float[16] d = {{{", ".join(map(str, random(4, 16)))}}},
         int64 steps = {{{T}}}, bool enter = {{1}}>
        {{ {body} }}
    """)
    feed = {"x": random(5, T, N, INPUTS), "h0": random(6, N, H), "c0": random(7, N, H)}
    expected = onnxruntime_session(model).run(None, feed)
    after = GraphEngine(only_sequences(load_onnx(model)))(feed)
    for name, value in zip(("hn", "cn", "y"), expected):
        assert_agree(after[name], value, name)


@pytest.mark.parametrize("direction", [0, 1])
def test_scan(direction: int) -> None:
    state, part = f"float[{N},{H}]", f"float[{N},{INPUTS}]"
    assert_as_onnxruntime(f"""
        hn, cn, y = Scan <num_scan_inputs = 1, scan_input_directions = [{direction}], scan_output_directions = [{direction}],
            body = body ({state} h, {state} c, {part} part) => ({state} new_h, {state} new_c, {state} shown) {{
                xw = Gemm <transB = 1> (part, w, b)
                hr = Gemm <transB = 1> (h, r, d)
                all = Add (xw, hr)
                {GATES}
            }}> (h0, c0, x)
    """)


def test_loop() -> None:
    state = f"float[{N},{H}]"
    assert_as_onnxruntime(f"""
        hn, cn, y = Loop <body = body (int64 step, bool before, {state} h, {state} c)
            => (bool after, {state} new_h, {state} new_c, {state} shown) {{
                after = Identity (before)
                part = Gather <axis = 0> (x, step)
                hr = Gemm <transB = 1> (h, r, d)
                wt = Transpose <perm = [1, 0]> (w)
                xw = MatMul (part, wt)
                sum = Add (xw, hr)
                all = Add (b, sum)
                {GATES}
            }}> (steps, enter, h0, c0)
    """)


def test_torch_lstm_cell() -> None:
    """torch.onnx writes a cell as a sequence of one step, and a list of rows as an ONNX sequence."""
    folder = Path(__file__).parents[5] / "fixtures" / "producers" / "torch-script"
    module = load_onnx(
        folder / "lstm_cell_in_a_loop.onnx", shapes={"x": [T, N, INPUTS], "h": [N, H], "c": [N, H]}
    )
    after = only_sequences(module, f"{TIDY},ov-loop-join-parts,canonicalize")
    feed = {"x": random(5, T, N, INPUTS), "h": random(6, N, H), "c": random(7, N, H)}
    for name, value in GraphEngine(module)(feed).items():
        assert_agree(GraphEngine(after)(feed)[name], value, name)


@pytest.mark.parametrize("stride", [1, -1])
def test_tensor_iterator(stride: int, tmp_path: Path) -> None:
    """OpenVINO's TensorIterator with LSTMCell."""
    x, h0, c0 = (opset.parameter(shape, np.float32) for shape in ([N, T, INPUTS], [N, H], [N, H]))
    part, h, c = (opset.parameter(shape, np.float32) for shape in ([N, 1, INPUTS], [N, H], [N, H]))
    step = opset.squeeze(part, opset.constant(np.array([1])))
    weights = [
        opset.constant(random(k, *shape))
        for k, shape in ((1, (4 * H, INPUTS)), (2, (4 * H, H)), (3, (4 * H,)))
    ]
    cell = opset.lstm_cell(step, h, c, *weights, H)
    shown = opset.unsqueeze(cell.output(0), opset.constant(np.array([1])))
    results = [opset.result(value) for value in (cell.output(0), cell.output(1), shown)]
    body = openvino.Model(results, [part, h, c], "body")
    iterator = opset.tensor_iterator()
    iterator.set_body(body)
    cut = (0, 1, 1, -1, 1) if stride > 0 else (-1, -1, 1, 0, 1)
    iterator.set_sliced_input(part, x.output(0), *cut)
    iterator.set_merged_input(h, h0.output(0), results[0].output(0))
    iterator.set_merged_input(c, c0.output(0), results[1].output(0))
    outputs = [iterator.get_iter_value(r.output(0), -1) for r in results[:2]]
    outputs.append(iterator.get_concatenated_slices(results[2].output(0), *cut))
    model = openvino.Model([opset.result(value) for value in outputs], [x, h0, c0], "model")
    openvino.save_model(model, tmp_path / "model.xml", compress_to_fp16=False)
    module = load_module(tmp_path / "model.xml")
    arrays = [random(5, N, T, INPUTS), random(6, N, H), random(7, N, H)]
    expected = run_openvino(tmp_path / "model.xml", [arrays], tmp_path)[0]
    feed = dict(zip(argument_names(main_function(module)), arrays))
    after = GraphEngine(only_sequences(module))(feed)
    for value, (name, given) in zip(expected, after.items(), strict=True):
        assert_agree(given, value, name)
