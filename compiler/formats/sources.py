"""Sources of a model: files, contents, and objects of other libraries."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from loomir.errors import Error, shown

if TYPE_CHECKING:
    import onnx


class HasModelProto(Protocol):
    """Object that becomes an `onnx.ModelProto`, such as a function of onnxscript."""

    def to_model_proto(self) -> onnx.ModelProto: ...


Source = str | os.PathLike[Any] | bytes | BinaryIO | HasModelProto | Any
"""A model as users give it.

It is a path, contents, a binary file, an `onnx.ModelProto`, or an object that becomes one.
"""

_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
"""Bytes that no text has. (An ONNX model begins with one.)"""

_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|net\b|!)")


def is_text(contents: bytes) -> bool:
    """Return True if the contents of a file are text."""
    return bool(contents) and _CONTROL.search(contents) is None


def model_source(model: object) -> Any:
    """Return a model in one of three forms.

    They are a `Path`, the `bytes` of its contents, and an object that a format reads.

    A text or an `os.PathLike` is a path, `bytes` are contents. A binary file is read to its end. Errors: `bad-option`, for another
    object; `file-unreadable`; `unknown-format`, for contents that need a file beside them.
    """
    if isinstance(model, str | os.PathLike):
        return Path(os.fsdecode(model))
    if callable(read := getattr(model, "read", None)):
        model = _contents(read, model)
    if isinstance(model, bytes | bytearray | memoryview):
        contents = bytes(model)
        if _XML.match(contents):
            hint = "OpenVINO IR is two files: give the path of the .xml"
            raise Error("unknown-format", "these contents are XML", hint=hint)
        return contents
    if type(model).__name__ == "ModelProto":
        # (Whoever has such an object has imported onnx.)
        return model
    if callable(convert := getattr(model, "to_model_proto", None)) and not isinstance(model, type):
        return _converted(convert, model)
    what = f"model={shown(model)}: it must be a path, bytes, a binary file, an onnx.ModelProto or a function of onnxscript"
    raise Error("bad-option", what)


def _contents(read: Any, file: object) -> bytes:
    try:
        contents = read()
    except (OSError, ValueError) as error:  # A ValueError if it is closed.
        raise Error("file-unreadable", f"{shown(file)} cannot be read: {error}") from error
    if not isinstance(contents, bytes | bytearray | memoryview):
        kind = type(contents).__name__
        hint = 'open it in binary mode: open(path, "rb")'
        raise Error("bad-option", f"model={shown(file)}: reading it gives {kind}, not bytes", hint=hint)
    return bytes(contents)


def _converted(convert: Any, model: object) -> Any:
    try:
        made = convert()
    except Exception as error:  # It is somebody else's code, and fails in its own way.
        said = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise Error("invalid-onnx", f"{shown(model)} does not become an ONNX model: {said}") from error
    if type(made).__name__ != "ModelProto":
        raise Error("invalid-onnx", f"{shown(model)} becomes {shown(made)}, not an onnx.ModelProto")
    return made
