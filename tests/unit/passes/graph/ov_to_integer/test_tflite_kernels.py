"""The kernels that `rounding=tflite` is compared with, against what LiteRT 1.0.1 (TensorFlow Lite; its Python package on x86-64) gave with
reference kernels (`OpResolverType.BUILTIN_REF`) for models of one operation each: the checksums of its results.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

import numpy as np
import pytest

from tests.unit.passes.graph.ov_to_integer import tflite_kernels as kernels

ALL = np.arange(-128, 128)


def single(*scales: float) -> list[float]:
    """Return scales in single precision, as a file has them."""
    return [float(np.float32(scale)) for scale in scales]


def checksum(function: Callable[..., int], *arrays: np.ndarray) -> str:
    """Of a function of Python's integers, element by element."""
    found = np.vectorize(lambda *numbers: function(*map(int, numbers)), otypes=[np.int64])(*arrays)
    assert found.min() >= -128
    assert found.max() <= 127
    return f"{zlib.crc32(found.astype(np.int8).tobytes()):08x}"


@pytest.mark.parametrize(
    ("scales", "none", "relu"),
    [
        ((0.05, 0.05, 0.1), "efe0d0dc", "7fcc5080"),
        ((0.05, 0.031, 0.06), "a478c190", "6cddf479"),
        ((0.5, 0.25, 0.5), "36047df7", "cb800285"),
        ((1.0, 1 / 3, 2.0), "5dec1278", "5ade6030"),
        ((0.001, 0.9, 0.8), "0a69bea9", "c650a444"),
        ((0.3, 0.7, 0.011), "638c4292", "0a598339"),
    ],
)
def test_sums(scales: tuple[float, float, float], none: str, relu: str) -> None:
    """ADD of all pairs, zero points -3 and 21; with RELU, whose results begin at -128."""
    one, other, result = single(*scales)
    for zero, wanted in ((4, none), (-128, relu)):
        found = checksum(
            lambda a, b, z=zero: kernels.limited(kernels.added(a, b, (one, other, result), z)),
            ALL.reshape(-1, 1) + 3,
            ALL - 21,
        )
        assert found == wanted


@pytest.mark.parametrize(
    ("scales", "wanted"),
    [
        ((0.05, 0.03, 0.1), "013538a4"),
        ((0.25, 0.5, 0.5), "3fcda470"),
        ((0.017, 0.0093, 0.0113), "0198109d"),
    ],
)
def test_products_of_two(scales: tuple[float, float, float], wanted: str) -> None:
    """MUL of all pairs."""
    a, b, c = single(*scales)
    total = (ALL.reshape(-1, 1) + 3) * (ALL - 21)
    assert checksum(lambda each: kernels.requantised(each, a * b / c, 4), total) == wanted


@pytest.mark.parametrize(
    ("scales", "wanted"),
    [
        ((0.0417, 0.00831, 0.0213), "75103408"),
        ((0.25, 0.5, 4.0), "9b0efa7e"),
        ((0.07, 0.011, 0.07), "becd4de0"),
    ],
)
def test_matrix_products(scales: tuple[float, float, float], wanted: str) -> None:
    """FULLY_CONNECTED of 256 numbers by 255 weights: the product of the scales is one of single precision. (LiteRT 2.3 rounds it once, and
    nothing else.)
    """
    x, w, y = (np.float32(scale) for scale in scales)
    total = (ALL.reshape(-1, 1) - 11) * ALL[1:]
    assert checksum(lambda each: kernels.requantised(each, float(x * w) / float(y), 2), total) == wanted


@pytest.mark.parametrize(
    ("scales", "wanted"), [((0.05, 0.008, 0.02), "cd425306"), ((0.5, 0.25, 0.3), "8e2369bc")]
)
def test_convolutions(scales: tuple[float, float, float], wanted: str) -> None:
    """CONV_2D of 256 numbers by 255 weights, of 1 × 1, each with a scale of its own."""
    k = np.arange(255)
    weights = (np.float32(scales[1]) * (0.5 ** (k % 9) * (1 + k / 256))).astype(np.float32)
    x, y = single(scales[0], scales[2])
    total = (ALL.reshape(-1, 1) + 3) * ALL[1:]
    ratios = np.broadcast_to(x * weights.astype(float) / y, total.shape)
    found = np.vectorize(lambda each, ratio: kernels.requantised(int(each), float(ratio), 3))(total, ratios)
    assert checksum(int, found) == wanted


@pytest.mark.parametrize(
    ("extent", "scales", "wanted"),
    [
        (7, (0.05, 0.05), "2494e8ad"),
        (8, (0.05, 0.021), "41630412"),
        (12, (0.01, 0.3), "d16ae37e"),
        (2, (2.0, 0.5), "33488b4e"),
        (4, (0.5, 0.5), "7e3c076a"),
    ],
)
def test_averages(extent: int, scales: tuple[float, float], wanted: str) -> None:
    """MEAN over height and width of 256 pictures."""
    count, (x, y) = extent * extent, single(*scales)
    numbers = (np.arange(256 * count) * 37 % 61 - 30).reshape(256, count) + ALL.reshape(256, 1)
    total = (numbers.clip(-128, 127) + 3).sum(1)
    assert checksum(lambda each: kernels.mean(each, count, x / y, 4), total) == wanted


@pytest.mark.parametrize(
    ("scales", "wanted"),
    [
        ((0.05, 0.02), "1ce168c1"),
        ((0.5, 1.0), "763dc649"),
        ((0.0321, 0.047), "af75cb25"),
        ((0.9, 0.011), "967a87ea"),
    ],
)
def test_other_steps(scales: tuple[float, float], wanted: str) -> None:
    """QUANTIZE of quantised numbers."""
    x, y = single(*scales)
    assert checksum(lambda each: kernels.requantised(each, x / y, 9), ALL + 3) == wanted
