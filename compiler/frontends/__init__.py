"""Importers: model files become GRAPH modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from loomir.errors import Error


def load_module(path: str | Path, *, shapes: Mapping[str, Sequence[int]] | None = None) -> ModuleOp:
    """The GRAPH module in a file, by its ending: `.xml`, `.onnx`, `.onnxtxt` or `.mlir`, with input shapes set.

    Errors: `unknown-format`, and those of the importers.
    """
    from loomir.compiler.specialise import set_shapes

    path = Path(path)
    if path.suffix == ".xml":
        from loomir.compiler.frontends.openvino import load_openvino

        module = load_openvino(path)
    elif path.suffix in (".onnx", ".onnxtxt"):
        from loomir.compiler.frontends.onnx import load_onnx

        module = load_onnx(path)
    elif path.suffix == ".mlir":
        from loomir.compiler.context import load_mlir

        module = load_mlir(path)
    else:
        raise Error(
            "unknown-format",
            f"'{path.suffix}' is no model format",
            file=str(path),
            hint="known: .xml .onnx .onnxtxt .mlir",
        )
    set_shapes(module, shapes or {})
    return module
