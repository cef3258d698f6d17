"""Importers: model files become GRAPH modules."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike
from xdsl.dialects.builtin import ModuleOp

from loomir.errors import Error

if TYPE_CHECKING:
    import onnx

    from loomir.passes.front.convert_onnx_to_ov.semantics import Semantics


def load_module(
    model: str | bytes | os.PathLike[Any] | onnx.ModelProto,
    *,
    shapes: Mapping[str, Sequence[int]] | None = None,
    values: Mapping[str, ArrayLike] | None = None,
    semantics: Semantics = "specification",
) -> ModuleOp:
    """The GRAPH module in a file, by its ending: `.xml`, `.onnx`, `.onnxtxt` or `.mlir`; or that of a `ModelProto`.

    Inputs get the shapes and the values given; `semantics` says whose reading of ONNX holds where there are two.
    Errors: `unknown-format`, and those of the importers.
    """
    from loomir.compiler.feeds.fixing import set_shapes, set_values

    if not isinstance(model, str | bytes | os.PathLike):
        return _load_onnx(model, shapes, values, semantics)
    path = Path(os.fsdecode(model))
    if path.suffix == ".xml":
        from loomir.compiler.frontends.openvino import load_openvino

        module = load_openvino(path)
    elif path.suffix in (".onnx", ".onnxtxt"):
        # While it is imported, axes and shapes that an input gives decide which operations there are.
        return _load_onnx(path, shapes, values, semantics)
    elif path.suffix == ".mlir":
        from loomir.compiler.mlir.context import load_mlir
        from loomir.compiler.mlir.program_checks import check_program

        module = load_mlir(path)
        _leave_front(module, path, semantics)
        check_program(module, path)
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


def _leave_front(module: ModuleOp, path: Path, semantics: Semantics) -> None:
    """Make GRAPH of a module in FRONT."""
    from loomir.compiler.stages.verify import front_operation

    if front_operation(module) is None:
        return
    from loomir.passes.front.convert_onnx_to_ov.module import convert
    from loomir.passes.front.convert_onnx_to_ov.options import TranslationOptions

    try:
        convert(module, TranslationOptions(semantics=semantics), file=str(path))
    except Error as error:
        raise error.at(file=str(path)) from error


def load_front(model: str | os.PathLike[Any], shapes: Mapping[str, Sequence[int]] | None = None) -> ModuleOp:
    """The module in FRONT of an ONNX model, whose inputs get the shapes given. Errors: `bad-option`, and those of the importer."""
    path = Path(model)
    if path.suffix not in (".onnx", ".onnxtxt"):
        raise Error("bad-option", "only ONNX models have the stage front", file=str(path))
    from loomir.compiler.frontends.onnx import load_front as load

    return load(path, shapes=shapes)


def _load_onnx(
    model: Path | onnx.ModelProto,
    shapes: Mapping[str, Sequence[int]] | None,
    values: Mapping[str, ArrayLike] | None,
    semantics: Semantics,
) -> ModuleOp:
    from loomir.compiler.frontends.onnx import load_onnx
    from loomir.compiler.frontends.onnx.options import ImportOptions

    return load_onnx(model, shapes=shapes, values=values, options=ImportOptions(semantics=semantics))
