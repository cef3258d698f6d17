"""Choice of semantics where ONNX's specification and ONNX Runtime differ.

docs/semantics.md lists the differences.
"""

from __future__ import annotations

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
