"""Multiply–accumulates, against counts worked out by hand."""

from __future__ import annotations

from pathlib import Path

import onnx.parser
import pytest

import loomir
from loomir.compiler.summary import control_flow_tree, multiply_accumulates, summarise
from loomir.dialects.ov.facts import Dim

ROOT = Path(__file__).parents[3]


def total(body: str, inputs: str, outputs: str = "float[n] y") -> Dim:
    text = f'<ir_version: 8, opset_import: ["" : 17]> g ({inputs}) => ({outputs}) {{ {body} }}'
    return multiply_accumulates(loomir.load(onnx.parser.parse_model(text)).module)[0]


def exactly(count: int) -> Dim:
    return Dim(count, count)


def test_matrix_product() -> None:
    assert total("y = MatMul(a, b)", "float[5,2,3] a, float[3,4] b") == exactly(5 * 2 * 3 * 4)


def test_transposed_matrix_product() -> None:
    assert total("y = Gemm<transA=1>(a, b)", "float[3,2] a, float[3,4] b") == exactly(2 * 3 * 4)


def test_convolutions() -> None:
    plain = total("y = Conv(x, w)", "float[1,3,8,8] x, float[16,3,3,3] w")
    assert plain == exactly(16 * 6 * 6 * 3 * 9)
    grouped = total("y = Conv<group=4>(x, w)", "float[1,4,8,8] x, float[4,1,3,3] w")
    assert grouped == exactly(4 * 6 * 6 * 9)
    transposed = total("y = ConvTranspose(x, w)", "float[1,3,4,4] x, float[3,2,3,3] w")
    assert transposed == exactly(3 * 4 * 4 * 2 * 9)


def test_composite_counts_as_what_it_is_made_of() -> None:
    """Five steps of two products each: x·W and h·R, for the four gates."""
    lstm = total("o, y, c = LSTM<hidden_size=3>(x, w, r)", "float[5,1,2] x, float[1,12,2] w, float[1,12,3] r")
    assert lstm == exactly(5 * 12 * (2 + 3))


BODY = (
    "body = b (int64 i, bool c, float[1,3] v) => (bool d, float[1,3] u) { d = Identity(c) u = MatMul(v, w) }"
)


def test_loop_counts_each_trip() -> None:
    assert total(
        f"n = Constant<value = int64 {{7}}>() y = Loop<{BODY}>(n, , x)", "float[1,3] x, float[3,3] w"
    ) == exactly(7 * 9)


def test_loop_without_a_bound() -> None:
    assert total(f"y = Loop<{BODY}>(n, , x)", "int64 n, float[1,3] x, float[3,3] w") == Dim(0, None)


def test_branch_is_between_its_arms() -> None:
    branches = "then_branch = t () => (float[1,3] a) { a = MatMul(x, w) }, else_branch = e () => (float[1,3] b) { b = Neg(x) }"
    assert total(f"y = If<{branches}>(c)", "bool c, float[1,3] x, float[3,3] w") == Dim(0, 9)


@pytest.mark.parametrize(
    ("name", "count", "parameters"),
    [("pretrainedResnet", 12_501_632, 77_706), ("vww_96_float", 7_489_664, 210_850)],
)
def test_real_model(name: str, count: int, parameters: int) -> None:
    path = ROOT / "tests" / "fixtures" / f"{name}.xml"
    (info,) = loomir.load(path).inputs
    assert info.shape is not None
    module = loomir.load(path, shapes={info.name: [1 if e is None else e for e in info.shape]}).module
    assert control_flow_tree(module).macs == exactly(count)
    assert summarise(module).parameters == parameters
