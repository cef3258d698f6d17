"""The `.bin` beside an `.xml`: memory-mapped, and every range checked before it is looked at."""

from __future__ import annotations

from math import prod
from pathlib import Path

import numpy as np

from loomir.compiler.files import map_file
from loomir.errors import Error


class Weights:
    """Constants of a model, as read-only views of the mapped file.

    Nothing in a `.bin` is aligned, so a view at an odd offset is an unaligned numpy array (which numpy supports).
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._bytes: np.ndarray | None = None

    def array(self, dtype: np.dtype, shape: tuple[int, ...], offset: int, size: int) -> np.ndarray:
        """The constant of `size` bytes at `offset`. Errors: `bin-missing`, `bin-range`, `const-size`."""
        expected = prod(shape) * dtype.itemsize
        # OpenVINO writes one byte for a constant without elements.
        if size < expected:
            raise Error(
                "const-size", f"size {size} does not fit {dtype}{list(shape)}, which takes {expected} bytes"
            )
        size = expected
        if size == 0:
            return np.zeros(shape, dtype)
        data = self._map()
        if offset < 0 or offset + size > data.size:
            raise Error(
                "bin-range",
                f"bytes {offset} to {offset + size} are outside {self._path.name}, which has {data.size}",
                hint="the .bin is truncated or belongs to another .xml",
            )
        raw = data[offset : offset + size]
        if dtype == np.bool_:
            # Anything but 0 and 1 in a bool is undefined behaviour in numpy and C alike.
            return (raw != 0).reshape(shape)
        return raw.view(dtype).reshape(shape)

    def _map(self) -> np.ndarray:
        if self._bytes is None:
            try:
                self._bytes = map_file(self._path)
            except Error as error:
                raise Error(
                    "bin-missing",
                    f"the weights {self._path.name}: {error.what}",
                    hint="keep the .bin beside the .xml, with the same name (it may be a link to a file elsewhere)",
                ) from error
        return self._bytes
