"""Options of the ONNX importer, for reading and translating a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from loomir.passes.front.convert_onnx_to_ov.options import TranslationOptions


@dataclass(frozen=True)
class ImportOptions(TranslationOptions):
    """Bounds that an import keeps to, and how it reads a model."""

    max_file_bytes: int = 8 << 30
    """Of the model file, without external data."""

    max_sparse_bytes: int = 1 << 30
    """Maximum size of a sparse tensor in dense form.

    A few bytes in the file may declare a large shape.
    """

    external_data_root: Path | None = None
    """A folder in which external data may be, besides the model's own."""
