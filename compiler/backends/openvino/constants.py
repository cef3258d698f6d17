"""Contents of the `.bin`: all Consts of a net and its bodies.

Equal Consts are stored once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

from loomir.dialects.bit_packing import SHARED_BITS, packed


class Weights:
    """Future contents of the `.bin` file.

    Contiguous arrays are not copied.
    """

    def __init__(self) -> None:
        self._pieces: list[np.ndarray] = []
        self._places: dict[bytes, int] = {}
        self.size = 0

    def place(self, array: np.ndarray, element: str) -> tuple[int, int]:
        """Place an array and return its offset and size in bytes.

        `element` is OpenVINO's name of the element type.
        """
        data = _stored(array, element)
        digest = hashlib.sha256(data.data).digest()
        offset = self._places.get(digest)
        if offset is None:
            offset = self._places[digest] = self.size
            self._pieces.append(data)
            self.size += data.size
        return offset, data.size

    def digest(self) -> bytes:
        """Return a digest that identifies these weights.

        It is a digest of the pieces' digests.
        """
        return hashlib.sha256(b"".join(self._places)).digest()

    def pieces(self) -> Iterator[memoryview]:
        """The bytes of all constants, in order."""
        return (piece.data for piece in self._pieces)


def _stored(array: np.ndarray, element: str) -> np.ndarray:
    if array.size == 0:
        # As OpenVINO writes it: a Const has a place in the file even where it has no elements.
        return np.zeros(1, np.uint8)
    raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return packed(raw, SHARED_BITS[element]) if element in SHARED_BITS else raw
