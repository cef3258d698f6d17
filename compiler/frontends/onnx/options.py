"""Options of the ONNX importer. Models are untrusted, so everything a model can make large has a bound."""

from __future__ import annotations

from dataclasses import dataclass

from loomir.compiler.semantics import Semantics, check_semantics


@dataclass(frozen=True)
class ImportOptions:
    """Bounds that an import keeps to (passing one is `Error("import-limit")`), and how it reads a model."""

    max_file_bytes: int = 8 << 30
    """Of the model file, without external data."""

    max_nodes: int = 1_000_000
    """Nodes translated, those of inlined functions counted for each call."""

    max_nesting: int = 32
    """Depth of subgraphs and function calls together."""

    max_sparse_bytes: int = 1 << 30
    """Of a sparse tensor made dense: a few bytes in the file may say a large shape."""

    semantics: Semantics = "specification"
    """Whose reading holds (docs/semantics.md has the differences); where they differ the specification's comes with a warning."""

    def __post_init__(self) -> None:
        check_semantics(self.semantics)
