"""Storage of Consts in the `.bin`, and their types in GRAPH.

The module handles each element type.

Types of fewer than eight bits share bytes. Constants of types that GRAPH only moves (u1, u3, u6, nf4) are widened:
integers to u8, nf4 to f32.
"""

from __future__ import annotations

from math import prod

import numpy as np

from loomir.compiler.frontends.openvino.weights import Weights
from loomir.dialects.bit_packing import SHARED_BITS, packed_size, unpacked
from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.layers.attributes import element_type

_SPLIT = {"u3": 2, "u6": 4}
"""Number of low bits per element in groups of three bytes.

Two bytes hold this many low bits of each element, one byte holds the remaining bits, highest first.
"""

_NF4 = np.array(
    [
        -1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
        -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634,
        0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0,
    ],
    np.float32,
)  # fmt: skip
"""Quantiles of the normal distribution that the codes of nf4 represent."""


def read_constant(weights: Weights, name: str, shape: tuple[int, ...], offset: int, size: int) -> np.ndarray:
    """Return the constant stored at `offset`, with a dtype of GRAPH.

    Errors: `unsupported-type`, `bin-missing`, `bin-range`, `const-size`.
    """
    name, count = name.lower(), prod(shape)
    if name in SHARED_BITS:
        bits = SHARED_BITS[name]
        raw = weights.array(np.dtype(np.uint8), (packed_size(count, bits),), offset, size)
        codes = unpacked(raw, count, bits, high_first=name == "u1")
    elif name in _SPLIT:
        groups = -(-count * _SPLIT[name] // 16)
        raw = weights.array(np.dtype(np.uint8), (groups, 3), offset, size)
        codes = _joined(raw, _SPLIT[name])[:count]
    else:
        return weights.array(dtype_of(element_type(name)), shape, offset, size)
    codes = codes.reshape(shape)
    if name == "nf4":
        return _NF4[codes]
    return codes if name in ("u1", "u3", "u6") else codes.view(dtype_of(element_type(name)))


def _joined(groups: np.ndarray, low_bits: int) -> np.ndarray:
    """Return the codes of elements that are split within a group.

    Some of their bits are in the first two bytes of a group, the others in the third.
    """
    in_group = 16 // low_bits
    low = unpacked(groups[:, :2].reshape(-1), len(groups) * in_group, low_bits, high_first=True)
    high_bits = 8 // in_group
    high = unpacked(groups[:, 2], len(groups) * in_group, high_bits, high_first=True)
    return low | (high << low_bits)
