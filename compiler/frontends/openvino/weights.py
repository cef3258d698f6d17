"""Memory-mapped `.bin` beside an `.xml`.

Every range is checked before it is accessed.
"""

from __future__ import annotations

from math import prod
from pathlib import Path

import numpy as np

from loomir.compiler.files import map_file
from loomir.dialects.ov.layers.pairs import TAIL_BYTES, digest_in
from loomir.errors import Error


class Weights:
    """Constants of a model, as read-only views of the mapped file.

    Nothing in a `.bin` is aligned, so a view at an odd offset is an unaligned numpy array (which numpy supports).
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._bytes: np.ndarray | None = None

    def check_pair(self, digest: str | None) -> None:
        """Reject weights whose digest differs from that of the `.xml`.

        Weights without a digest are rejected if the `.xml` has one, and vice versa. Errors: `bin-mixed`, `bin-missing`.

        A pair in which neither file has a digest cannot be checked; a missing file is reported when a constant is read.
        """
        if not self._path.exists():
            return
        found = digest_in(self._map()[-TAIL_BYTES:].tobytes())
        if found != digest:
            of_xml = "the .xml has no digest" if digest is None else f"the .xml has the digest {digest[:12]}…"
            of_bin = "none" if found is None else f"{found[:12]}…"
            raise Error(
                "bin-mixed",
                f"{self._path.name} does not belong to this .xml, or is not whole: {of_xml}, the .bin {of_bin}",
                hint="write the model again, or get both files from one place: a save that was killed may leave such a pair",
            )

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
