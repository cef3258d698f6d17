"""Packed elements of fewer than eight bits, as models store them.

They are stored one after another, several in a byte.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

SHARED_BITS: Mapping[str, int] = {"u1": 1, "u2": 2, "u4": 4, "i4": 4, "f4e2m1": 4, "nf4": 4}
"""Bit widths of packed element types, by OpenVINO's type names.

The elements lie one after another, the first one in the lowest bits (for u1, in the highest).
"""


def packed_size(count: int, bits: int) -> int:
    """How many bytes `count` elements take."""
    return (count * bits + 7) // 8


def unpacked(data: np.ndarray, count: int, bits: int, *, high_first: bool = False) -> np.ndarray:
    """The codes of `count` elements of `bits` bits, one in a byte.

    The first element is in the lowest bits of the first byte, or in its highest where `high_first`; an element may lie
    across two bytes.
    """
    stream = np.unpackbits(data, count=count * bits, bitorder="big" if high_first else "little")
    codes = np.packbits(stream.reshape(count, bits), axis=1, bitorder="big" if high_first else "little")
    # packbits fills up the bits that are missing: low ones where the highest comes first.
    return codes.reshape(count) >> (8 - bits if high_first else 0)


def packed(codes: np.ndarray, bits: int) -> np.ndarray:
    """Pack codes, one per byte, into bytes.

    The upper bits of each code's byte are ignored. The first code is in the lowest bits of the first byte.
    """
    stream = np.unpackbits(codes.reshape(-1, 1), axis=1, count=bits, bitorder="little")
    return np.packbits(stream.reshape(-1), bitorder="little")
