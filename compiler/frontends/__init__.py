"""Importers: model files become GRAPH modules."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from loomir.errors import Error

if TYPE_CHECKING:
    import onnx

    from loomir.passes.front.onnx_semantics import Semantics


def load_module(
    model: str | bytes | os.PathLike[Any] | onnx.ModelProto,
    *,
    shapes: Mapping[str, Sequence[int]] | None = None,
    values: Mapping[str, ArrayLike] | None = None,
    semantics: Semantics = "specification",
    external_data_root: str | os.PathLike[str] | None = None,
) -> ModuleOp:
    """Load the GRAPH module of a file or a `ModelProto`.

    The file's ending selects the format: `.xml`, `.onnx`, `.onnxtxt` or `.mlir`. MLIR text may also be of a later stage.

    Inputs get the given shapes and values; `semantics` selects the interpretation of ONNX where there are two,
    `external_data_root` is an additional folder for an ONNX model's external data, besides the model's own. Errors:
    `unknown-format`, and those of the importers.
    """
    module = load_unconverted(model, shapes=shapes, values=values, external_data_root=external_data_root)
    file = os.fsdecode(model) if isinstance(model, str | bytes | os.PathLike) else None
    convert_front(module, semantics=semantics, file=file)
    if file is not None and file.endswith(".mlir"):
        from loomir.compiler.mlir.program_checks import check_program
        from loomir.compiler.mlir.text_stages import check_lowered, stage_of
        from loomir.compiler.mlir.while_forms import forward_all
        from loomir.passes.graph.ov_resolve_custom import OvResolveCustomPass

        if (stage := stage_of(module)) != "graph":
            forward_all(module)
            check_lowered(module, Path(file), stage)
            return module
        check_program(module, Path(file))
        # What nobody knew when the text was written may be an extension's.
        OvResolveCustomPass().apply(Context(), module)
        _fix(module, shapes, values)
    return module


def load_unconverted(
    model: str | bytes | os.PathLike[Any] | onnx.ModelProto,
    *,
    shapes: Mapping[str, Sequence[int]] | None = None,
    values: Mapping[str, ArrayLike] | None = None,
    external_data_root: str | os.PathLike[str] | None = None,
) -> ModuleOp:
    """Load the module of a file without converting it.

    The result is FRONT for an ONNX model, GRAPH for OpenVINO IR, either for MLIR text, whose inputs stay unchanged.
    Parameters and errors are those of `load_module`, except errors of operators: their meaning is not checked.
    """
    if not isinstance(model, str | bytes | os.PathLike):
        return _front_of(model, shapes, values, external_data_root)
    path = Path(os.fsdecode(model))
    match path.suffix:
        case ".xml":
            from loomir.compiler.frontends.openvino import load_openvino

            module = load_openvino(path)
            _fix(module, shapes, values)
            return module
        case ".onnx" | ".onnxtxt":
            # While it is converted, axes and shapes that an input gives decide which operations there are.
            return _front_of(path, shapes, values, external_data_root)
        case ".mlir":
            from loomir.compiler.mlir.context import load_mlir

            return load_mlir(path)
        case _:
            raise Error(
                "unknown-format",
                f"'{path.suffix}' is no model format",
                file=str(path),
                hint="known: .xml .onnx .onnxtxt .mlir",
            )


def convert_front(
    module: ModuleOp,
    *,
    semantics: Semantics = "specification",
    layers: bool = False,
    file: str | None = None,
) -> None:
    """Convert a module in FRONT to GRAPH; leave any other unchanged.

    Options and errors: those of `convert-onnx-to-ov`.
    """
    from loomir.compiler.stages.verify import is_front

    if not is_front(module):
        return
    from loomir.passes.front.convert_onnx_to_ov.module import convert
    from loomir.passes.front.convert_onnx_to_ov.options import TranslationOptions

    try:
        convert(module, TranslationOptions(semantics=semantics, layers=layers), file=file)
    except Error as error:
        raise error.at(file=file) from error


def _fix(
    module: ModuleOp, shapes: Mapping[str, Sequence[int]] | None, values: Mapping[str, ArrayLike] | None
) -> None:
    from loomir.compiler.feeds.fixing import set_shapes, set_values

    set_shapes(module, shapes or {})
    set_values(module, values or {})


def load_front(
    model: str | os.PathLike[Any],
    shapes: Mapping[str, Sequence[int]] | None = None,
    external_data_root: str | os.PathLike[str] | None = None,
) -> ModuleOp:
    """Load the FRONT module of an ONNX model.

    Its inputs get the given shapes. Errors: `bad-option`, and those of the importer.
    """
    path = Path(model)
    if path.suffix not in (".onnx", ".onnxtxt"):
        raise Error("bad-option", "only ONNX models have the stage front", file=str(path))
    return _front_of(path, shapes, None, external_data_root)


def _front_of(
    model: Path | onnx.ModelProto,
    shapes: Mapping[str, Sequence[int]] | None,
    values: Mapping[str, ArrayLike] | None,
    external_data_root: str | os.PathLike[str] | None,
) -> ModuleOp:
    from loomir.compiler.frontends.onnx import ImportOptions
    from loomir.compiler.frontends.onnx import load_front as load

    root = None if external_data_root is None else Path(external_data_root)
    options = ImportOptions(external_data_root=root)
    return load(model, shapes=shapes, values=values, options=options)
