"""Fourier transforms of OpenVINO IR against OpenVINO and numpy, in GRAPH and as C."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openvino import opset16 as op

import loomir
from tests.openvino_layers import compare_layers
from tests.support import assert_agree, raises_error

RNG = np.random.default_rng(11)
PAIRS = RNG.standard_normal((2, 6, 5, 2)).astype(np.float32)
REAL = RNG.standard_normal((2, 6, 5)).astype(np.float32)


def integers(*values: int):
    return op.constant(np.array(values, np.int64))


def layers(inputs: Mapping[str, Any]) -> dict[str, Any]:
    pairs, real = inputs["pairs"], inputs["real"]
    made: dict[str, Any] = {}
    for axes, sizes in (
        ((2,), None),
        ((1, 2), None),
        ((-1, 1), (3, 6)),
        ((0, -2), (4, 8)),
        ((-1, 1), (3, -1)),
    ):
        given = [integers(*axes), *([] if sizes is None else [integers(*sizes)])]
        for function in (op.dft, op.idft, op.irdft, op.rdft):
            # OpenVINO's CPU plugin has no -1 for real transforms, and no zeros appended to real numbers.
            if function in (op.irdft, op.rdft) and sizes == (3, -1):
                continue
            if function is not op.rdft:
                made[f"{function.__name__} {axes} {sizes}"] = function(pairs, *given)
            elif sizes != (4, 8):
                made[f"rdft {axes} {sizes}"] = function(real, *given)
    return made


def test_layers(tmp_path: Path):
    # OpenVINO's CPU plugin reads beyond its memory where zeros are appended to what IRDFT reads.
    padded = np.fft.irfftn(PAIRS[..., 0] + 1j * PAIRS[..., 1], s=(4, 8), axes=(0, 1)).astype(np.float32)
    expected = {"irdft (0, -2) (4, 8)": padded}
    compare_layers(tmp_path, {"pairs": PAIRS, "real": REAL}, layers, expected=expected)


@pytest.mark.parametrize("size", [1, 2, 31, 37, 64, 96, 74, 480])
def test_sizes(size: int, tmp_path: Path):
    """Small, prime, and with factors that need one or two steps."""
    x = RNG.standard_normal((3, size, 2))
    kind, half = f"tensor<3x{size}x2xf64>", size // 2 + 1
    path = tmp_path / "model.mlir"
    path.write_text(f"""
func.func @main(%x: {kind} {{loomir.name = "x"}}, %r: tensor<3x{size}xf64> {{loomir.name = "r"}}) -> (
    {kind} {{loomir.name = "dft"}}, {kind} {{loomir.name = "back"}}, tensor<3x{half}x2xf64> {{loomir.name = "rdft"}},
    tensor<3x{size}xf64> {{loomir.name = "real"}}) {{
  %a = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %n = ov.constant dense<[{size}]> : tensor<1xi64> : tensor<1xi64>
  %d = ov.dft %x, %a : ({kind}, tensor<1xi64>) -> {kind}
  %b = ov.idft %d, %a : ({kind}, tensor<1xi64>) -> {kind}
  %h = ov.rdft %r, %a : (tensor<3x{size}xf64>, tensor<1xi64>) -> tensor<3x{half}x2xf64>
  %i = ov.irdft %h, %a, %n : (tensor<3x{half}x2xf64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3x{size}xf64>
  func.return %d, %b, %h, %i : {kind}, {kind}, tensor<3x{half}x2xf64>, tensor<3x{size}xf64>
}}""")
    result = loomir.load(path).run({"x": x, "r": x[..., 0].copy()}, engine="graph")
    transformed, halved = np.fft.fft(x[..., 0] + 1j * x[..., 1]), np.fft.rfft(x[..., 0])
    for name, wanted in (("dft", transformed), ("rdft", halved)):
        assert_agree(result[name], np.stack([wanted.real, wanted.imag], -1), name)
    assert_agree(result["back"], x, "inverse")
    assert_agree(result["real"], x[..., 0], "real inverse")


@pytest.mark.parametrize("engine", ["graph", "structured", "loops", "native"])
def test_of_nothing(engine, tmp_path: Path):
    """Half of no results is one, the sum of nothing."""
    path = tmp_path / "model.mlir"
    path.write_text("""
func.func @main(%x: tensor<3x0x2xf32> {loomir.name = "x"}) -> (
    tensor<3x1x2x2xf32> {loomir.name = "half"}, tensor<3x0x2xf32> {loomir.name = "whole"}) {
  %a = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %h = ov.rdft %x, %a : (tensor<3x0x2xf32>, tensor<1xi64>) -> tensor<3x1x2x2xf32>
  %w = ov.dft %x, %a : (tensor<3x0x2xf32>, tensor<1xi64>) -> tensor<3x0x2xf32>
  func.return %h, %w : tensor<3x1x2x2xf32>, tensor<3x0x2xf32>
}""")
    result = loomir.load(path).run({"x": np.zeros((3, 0, 2), np.float32)}, engine=engine)
    assert_agree(result["half"], np.zeros((3, 1, 2, 2), np.float32))
    assert_agree(result["whole"], np.zeros((3, 0, 2), np.float32))


def test_unknown_length(tmp_path: Path):
    path = tmp_path / "model.mlir"
    path.write_text("""
func.func @main(%x: tensor<3x?x2xf32> {loomir.name = "x"}) -> (tensor<3x?x2xf32> {loomir.name = "y"}) {
  %a = ov.constant dense<[1]> : tensor<1xi64> : tensor<1xi64>
  %y = ov.dft %x, %a : (tensor<3x?x2xf32>, tensor<1xi64>) -> tensor<3x?x2xf32>
  func.return %y : tensor<3x?x2xf32>
}""")
    with raises_error("unknown-length"):
        loomir.load(path).mlir(stage="structured")
