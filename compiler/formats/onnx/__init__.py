"""ONNX as a format of models."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Dialect

from loomir.compiler.formats.format import Format, ReadOptions
from loomir.compiler.formats.sources import is_text


def _read(model: Path | Any, options: ReadOptions) -> ModuleOp:
    # While it is converted, axes and shapes that an input gives decide which operations there are: the reader sets them.
    from loomir.compiler.formats.onnx.importer import ImportOptions, load_front

    own = ImportOptions(external_data_root=options.external_data_root)
    return load_front(model, shapes=options.shapes, values=options.values, options=own)


def _is_model(model: object) -> bool:
    """Return True for a `ModelProto`, and for the contents of a file.

    The contents of an ONNX file are no text, or text that begins with `<`.
    """
    if isinstance(model, bytes):
        return not is_text(model) or model.lstrip().startswith(b"<")
    # Whoever has such an object has imported onnx.
    onnx = sys.modules.get("onnx")
    return onnx is not None and isinstance(model, onnx.ModelProto)


def _to_graph(module: ModuleOp, options: ReadOptions, file: str | None) -> None:
    from loomir.passes.front.convert_onnx_to_ov.translate import convert
    from loomir.passes.options import Semantics, TranslationOptions

    semantics = cast(Semantics, options.semantics)
    convert(module, TranslationOptions(semantics=semantics, layers=options.layers), file=file)


def _dialect() -> Dialect:
    from loomir.dialects.onnx import get_dialect

    return get_dialect()


FORMAT = Format(
    "ONNX",
    (".onnx", ".onnxtxt"),
    _read,
    reads_object=_is_model,
    front="onnx",
    dialects={"onnx": _dialect},
    to_graph=_to_graph,
)
