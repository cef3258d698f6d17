"""Options of passes: checks, and options of the translation of ONNX models.

An option that is out of range is an error, and is not accepted silently.

Models are untrusted, so everything that an ONNX model can make large has a bound. Where ONNX's specification and ONNX Runtime differ,
the options choose the semantics; docs/semantics.md lists the differences. Argument parsers import this module, which therefore
imports nothing large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from loomir.errors import Error, shown

if TYPE_CHECKING:
    from xdsl.passes import ModulePass


def check_least(instance: ModulePass, **least: int) -> None:
    """Check that options are numbers and not less than their minimum.

    `true` is not the number 1. Each keyword argument is the minimum of the option of that name; None is an option that is
    not set. Error: `bad-option`.
    """
    for name, lowest in least.items():
        value = getattr(instance, name)
        option = name.replace("_", "-")
        if isinstance(value, bool):
            raise Error("bad-option", f"{instance.name}: {option}={str(value).lower()} must be a number")
        if value is not None and value < lowest:
            raise Error("bad-option", f"{instance.name}: {option}={value} must be at least {lowest}")


def check_choice(instance: ModulePass, name: str, choices: Sequence[str]) -> None:
    """Refuse an option that is none of these words. Error: `bad-option`."""
    value = getattr(instance, name)
    if value not in choices:
        option = name.replace("_", "-")
        raise Error("bad-option", f"{instance.name}: {option}={value} must be one of {', '.join(choices)}")


Semantics = Literal["specification", "onnxruntime"]
SEMANTICS: tuple[Semantics, ...] = ("specification", "onnxruntime")


def check_semantics(name: object) -> None:
    """`Error("bad-option")` for what is none of `SEMANTICS`."""
    if not isinstance(name, str) or name not in SEMANTICS:
        raise Error(
            "bad-option",
            f"unknown semantics of ONNX models: {shown(name)}",
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
