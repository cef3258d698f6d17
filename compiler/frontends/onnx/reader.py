"""From a file, text or protobuf object to a checked ONNX model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import onnx
from google.protobuf.message import DecodeError

from loomir.compiler.files import read_file
from loomir.compiler.frontends.onnx.checked import brief, check
from loomir.compiler.frontends.onnx.external import Places
from loomir.compiler.frontends.onnx.options import ImportOptions
from loomir.compiler.frontends.onnx.structure import check_structure
from loomir.compiler.frontends.onnx.text import check_text
from loomir.compiler.frontends.onnx.textual import parse_text
from loomir.errors import Error

PROTOBUF_BYTES = (1 << 31) - 1
"""A protobuf message cannot be larger."""


@dataclass(frozen=True)
class Source:
    """Model, its origin, and the allowed places of its external data."""

    model: onnx.ModelProto
    name: str
    file: str | None
    places: Places


def read_model(model: str | Path | onnx.ModelProto, options: ImportOptions) -> Source:
    """Read and check a model.

    The model is `.onnx`, textual ONNX in any other file (`.onnxtxt`), or an object.

    External data is not loaded. Errors: `file-unreadable`, `file-too-large`, `invalid-onnx` and those of `check_structure`.
    """
    if isinstance(model, onnx.ModelProto):
        source = Source(model, model.graph.name or "model", None, Places.of(None, options.external_data_root))
    else:
        path = Path(model)
        try:
            proto = _parse(path, options)
        except Error as error:
            raise error.at(file=str(path)) from error
        source = Source(proto, path.stem, str(path), Places.of(path, options.external_data_root))
    try:
        check_text(source.model)
        ordered = check_structure(source.model, options)
        check(ordered)
    except Error as error:
        raise error.at(file=source.file) from error
    return Source(ordered, source.name, source.file, source.places)


def _parse(path: Path, options: ImportOptions) -> onnx.ModelProto:
    data = read_file(path, options.max_file_bytes)
    if not data:
        raise Error(
            "invalid-onnx",
            "the file is empty",
            hint="whoever writes or fetches it may not have come to an end",
        )
    if path.suffix != ".onnx":
        return parse_text(data, options)
    try:
        return onnx.load_model_from_string(data)
    except DecodeError as error:
        raise Error("invalid-onnx", f"not an ONNX model: {brief(error)}") from error
