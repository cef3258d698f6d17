"""Whose reading of an ONNX model holds where ONNX's specification and ONNX Runtime differ (docs/semantics.md)."""

from __future__ import annotations

from typing import Literal

from loomir.errors import Error

Semantics = Literal["specification", "onnxruntime"]
SEMANTICS: tuple[Semantics, ...] = ("specification", "onnxruntime")


def check_semantics(name: str) -> None:
    """`Error("bad-option")` for what is none of `SEMANTICS`."""
    if name not in SEMANTICS:
        raise Error(
            "bad-option", f"'{name}' is no semantics of ONNX models", hint=f"known: {', '.join(SEMANTICS)}"
        )
