"""Importers: model files become GRAPH modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike
from xdsl.dialects.builtin import ModuleOp

from loomir.errors import Error

if TYPE_CHECKING:
    import onnx


def load_module(
    model: str | Path | onnx.ModelProto,
    *,
    shapes: Mapping[str, Sequence[int]] | None = None,
    values: Mapping[str, ArrayLike] | None = None,
) -> ModuleOp:
    """The GRAPH module in a file, by its ending: `.xml`, `.onnx`, `.onnxtxt` or `.mlir`; or that of a `ModelProto`.

    Inputs get the shapes and the values given. Errors: `unknown-format`, and those of the importers.
    """
    from loomir.compiler.specialise import set_shapes, set_values

    if not isinstance(model, str | Path):
        from loomir.compiler.frontends.onnx import load_onnx

        return load_onnx(model, shapes=shapes, values=values)
    path = Path(model)
    if path.suffix == ".xml":
        from loomir.compiler.frontends.openvino import load_openvino

        module = load_openvino(path)
    elif path.suffix in (".onnx", ".onnxtxt"):
        from loomir.compiler.frontends.onnx import load_onnx

        # While it is imported, axes and shapes that an input gives decide which operations there are.
        return load_onnx(path, shapes=shapes, values=values)
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
    set_values(module, values or {})
    return module
