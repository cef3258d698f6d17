"""Formats of models, and importers: model files become GRAPH modules.

Each folder is a format (`format.py`):

| folder | format |
|---|---|
| `onnx` | ONNX, read |
| `openvino` | OpenVINO IR v11 and v10, read; v11, written |
| `mlir` | MLIR text of any stage, read |
| `c` | C, written |
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.formats.format import Format, ReadOptions, format_of_suffix, formats
from loomir.compiler.formats.sources import Source, model_source
from loomir.errors import Error, shown


def load_module(
    model: Source,
    *,
    shapes: Mapping[str, Sequence[int]] | None = None,
    values: Mapping[str, ArrayLike] | None = None,
    semantics: str = "specification",
    external_data_root: str | os.PathLike[str] | None = None,
) -> ModuleOp:
    """Load the GRAPH module of a file, its contents or an object.

    The file's ending selects the format, or the format is the one that reads the contents or the object, such as an `onnx.ModelProto`.
    MLIR text may also be of a later stage.

    Inputs get the given shapes and values; `semantics` selects the interpretation of ONNX where there are two,
    `external_data_root` is an additional folder for a model's external data, besides the model's own. Errors:
    `unknown-format`, and those of the importers.
    """
    options = _options(shapes, values, external_data_root, semantics)
    format, source = _format_of(model)
    module = format.read(source, options)
    path = source if isinstance(source, Path) else None
    convert_front(module, semantics=semantics, file=None if path is None else str(path))
    if format.finish is not None:
        format.finish(module, options, path)
    return module


def load_unconverted(
    model: Source,
    *,
    shapes: Mapping[str, Sequence[int]] | None = None,
    values: Mapping[str, ArrayLike] | None = None,
    external_data_root: str | os.PathLike[str] | None = None,
) -> ModuleOp:
    """Load the module of a file without converting it.

    The result is FRONT for an ONNX model, GRAPH for OpenVINO IR, either for MLIR text, whose inputs stay unchanged.
    Parameters and errors are those of `load_module`, except errors of operators: their meaning is not checked.
    """
    format, source = _format_of(model)
    return format.read(source, _options(shapes, values, external_data_root))


def load_front(
    model: Source,
    shapes: Mapping[str, Sequence[int]] | None = None,
    external_data_root: str | os.PathLike[str] | None = None,
) -> ModuleOp:
    """Load the FRONT module of a model.

    Its inputs get the given shapes. Errors: `bad-option`, and those of the importer.
    """
    format, source = _format_of(model)
    if format.front is None:
        named = " ".join(suffix for each in formats() if each.front for suffix in each.suffixes)
        raise Error(
            "bad-option",
            f"only models of these formats have the stage front: {named}",
            file=str(source) if isinstance(source, Path) else None,
        )
    return format.read(source, _options(shapes, None, external_data_root))


def convert_front(
    module: ModuleOp,
    *,
    semantics: str = "specification",
    layers: bool = False,
    file: str | None = None,
) -> None:
    """Convert a module in FRONT to GRAPH; leave any other unchanged.

    Options and errors: those of the format's conversion (`convert-onnx-to-ov`).
    """
    from loomir.compiler.stages import front_dialect

    front = front_dialect(module)
    format = next((each for each in formats() if front is not None and each.front == front), None)
    if format is None or format.to_graph is None:
        return
    try:
        format.to_graph(module, ReadOptions(semantics=semantics, layers=layers), file)
    except Error as error:
        raise error.at(file=file) from error


def _options(
    shapes: Mapping[str, Sequence[int]] | None,
    values: Mapping[str, ArrayLike] | None,
    external_data_root: str | os.PathLike[str] | None,
    semantics: str = "specification",
) -> ReadOptions:
    root = None if external_data_root is None else Path(external_data_root)
    return ReadOptions(shapes or {}, values or {}, semantics, root)


def _format_of(model: Any) -> tuple[Format, Any]:
    """Return the format of a model, and the model.

    The model is in the form that `model_source` returns. Errors: `unknown-format`, and those of `model_source`.
    """
    source = model_source(model)
    if not isinstance(source, Path):
        format = next((each for each in formats() if each.reads_object(source)), None)
        if format is None:
            raise Error("unknown-format", f"no format has models such as {shown(source)}")
        return format, source
    format = format_of_suffix(source.suffix)
    if format is None:
        text = "; the text of a program is given as bytes" if "\n" in str(source) else ""
        raise Error(
            "unknown-format",
            f"unknown model format '{source.suffix}'",
            file=str(source),
            hint=f"known: {' '.join(known_suffixes())}{text}",
        )
    return format, source


def known_suffixes() -> list[str]:
    """Return the endings of all model files, with the dot."""
    return [suffix for each in formats() for suffix in each.suffixes]
