"""Limits of the ONNX importer: models are untrusted, so everything a model can make large has a bound."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ImportOptions:
    """Bounds that an import keeps to; passing one is `Error("import-limit")`."""

    max_file_bytes: int = 8 << 30
    """Of the model file, without external data."""

    max_nodes: int = 1_000_000
    """Nodes translated, those of inlined functions counted for each call."""

    max_nesting: int = 32
    """Depth of subgraphs and function calls together."""

    max_sparse_bytes: int = 1 << 30
    """Of a sparse tensor made dense: a few bytes in the file may say a large shape."""
