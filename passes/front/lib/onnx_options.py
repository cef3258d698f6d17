"""Options for the translation of ONNX models.

Models are untrusted, so everything that a model can make large has a bound. Where ONNX's specification and ONNX Runtime differ, the
options choose the semantics; docs/semantics.md lists the differences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from loomir.errors import Error, shown

Semantics = Literal["specification", "onnxruntime"]
SEMANTICS: tuple[Semantics, ...] = ("specification", "onnxruntime")


def check_semantics(name: object) -> None:
    """`Error("bad-option")` for what is none of `SEMANTICS`."""
    if not isinstance(name, str) or name not in SEMANTICS:
        raise Error(
            "bad-option",
            f"{shown(name)} is no semantics of ONNX models",
            hint=f"known: {', '.join(SEMANTICS)}",
        )


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
