"""Options for the translation of a model.

Models are untrusted, so everything that a model can make large has a bound.
"""

from __future__ import annotations

from dataclasses import dataclass

from loomir.passes.front.onnx_semantics import Semantics, check_semantics


@dataclass(frozen=True)
class TranslationOptions:
    """Bounds of a translation, and its reading of a model.

    Exceeding a bound is `Error("import-limit")`.
    """

    max_nodes: int = 1_000_000
    """Nodes translated, those of inlined functions counted for each call."""

    max_nesting: int = 32
    """Depth of subgraphs and function calls together."""

    semantics: Semantics = "specification"
    """Semantics that hold where the specification and ONNX Runtime differ.

    docs/semantics.md lists the differences. Where the two differ, the specification's reading comes with a warning.
    """

    layers: bool = False
    """True to keep operators that are one layer of OpenVINO's sets.

    These are LeakyRelu, DepthToSpace and SpaceToDepth.
    """

    def __post_init__(self) -> None:
        check_semantics(self.semantics)
