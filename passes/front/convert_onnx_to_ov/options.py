"""How a model is translated. Models are untrusted, so everything that a model can make large has a bound."""

from __future__ import annotations

from dataclasses import dataclass

from loomir.passes.front.onnx_semantics import Semantics, check_semantics


@dataclass(frozen=True)
class TranslationOptions:
    """Bounds that a translation keeps to (passing one is `Error("import-limit")`), and how it reads a model."""

    max_nodes: int = 1_000_000
    """Nodes translated, those of inlined functions counted for each call."""

    max_nesting: int = 32
    """Depth of subgraphs and function calls together."""

    semantics: Semantics = "specification"
    """Whose reading holds (docs/semantics.md has the differences); where they differ the specification's comes with a warning."""

    layers: bool = False
    """Whether an operator that is one layer of OpenVINO's sets stays one (LeakyRelu, DepthToSpace, SpaceToDepth)."""

    def __post_init__(self) -> None:
        check_semantics(self.semantics)
