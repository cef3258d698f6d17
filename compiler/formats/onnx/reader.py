"""From a file, text or protobuf object to a checked ONNX model.

Textual ONNX has a nesting limit: ONNX's parser recurses for each bracket without a limit, and crashes the process when its
stack overflows. Protobuf strings that are not valid text are rejected: they would appear as `bytes` where every reader expects
`str`.

The contents of tensors may be in files other than the model's (`external_data`), in folders that the model may use.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message
from onnx import StringStringEntryProto, TensorProto

from loomir.compiler.files import map_below, printable, read_file
from loomir.compiler.formats.onnx.checker import brief, check_model
from loomir.compiler.formats.onnx.structure import ImportOptions, check_structure
from loomir.compiler.formats.sources import is_text
from loomir.errors import Error


def check_text(message: Message) -> None:
    """Raise `Error("invalid-onnx")` if a string field is not UTF-8.

    The fields of nested messages are included.
    """
    waiting = [message]
    while waiting:
        for field, value in waiting.pop().ListFields():
            if field.type == FieldDescriptor.TYPE_MESSAGE:
                waiting.extend(value if field.is_repeated else (value,))
            elif field.type == FieldDescriptor.TYPE_STRING:
                for text in value if field.is_repeated else (value,):
                    if isinstance(text, bytes):
                        raise Error("invalid-onnx", f"{field.full_name} is {text!r}, which is not UTF-8")


BRACKETS_OF_A_SUBGRAPH = 4
"""Maximum number of brackets that one level of subgraphs opens.

They are those of the attributes, of the graph's nodes, and of types or lists in them.
"""

# Strings (the last one may have no end) and comments hide brackets; the `>` of an arrow is none.
_TOKENS = re.compile(r'"(?:\\.|[^"\\])*+"?|#[^\n]*|=>|(?P<open>[(\[{<])|(?P<close>[)\]}>])', re.DOTALL)
_POSITION = re.compile(r"\[ParseError at position \(line: (\d+) column: (\d+)\)\]")


def parse_text(data: bytes, options: ImportOptions) -> onnx.ModelProto:
    """Parse a model from text.

    Errors: `invalid-onnx`, with the line if it is known; `model-too-deep`.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Error("invalid-onnx", f"not textual ONNX: line {line} is not UTF-8") from error
    _check_nesting(text, BRACKETS_OF_A_SUBGRAPH * options.max_nesting)
    try:
        return onnx.parser.parse_model(text)
    except onnx.parser.ParseError as error:
        raise Error("invalid-onnx", f"not textual ONNX: {_reason(error)}") from error
    except (IndexError, ValueError, RuntimeError) as error:
        # What the parser lets through of the functions by which it reads numbers.
        raise Error("invalid-onnx", f"not textual ONNX: a number that cannot be read ({error})") from error
    except DecodeError as error:
        raise Error(
            "invalid-onnx",
            f"not textual ONNX: it does not form a model ({error})",
            hint=f"subgraphs can be nested up to {options.max_nesting} deep",
        ) from error


def _check_nesting(text: str, limit: int) -> None:
    """Raise `Error("model-too-deep")` if more than `limit` brackets are open.

    It makes one pass over the text.
    """
    tokens = [m for m in _TOKENS.finditer(text) if m.lastgroup]
    depths = accumulate(
        (1 if m.lastgroup == "open" else -1 for m in tokens), lambda d, step: max(d + step, 0)
    )
    for token, depth in zip(tokens, depths):
        if depth > limit:
            line = text.count("\n", 0, token.start()) + 1
            raise Error("model-too-deep", f"brackets are nested deeper than {limit} in line {line}")


def _reason(error: onnx.parser.ParseError) -> str:
    """Return the parser's message with its position in front.

    The source line itself, which may be long, is left out.
    """
    given = error.args[0] if error.args else b""
    text = given.decode(errors="replace") if isinstance(given, bytes) else str(given)
    place = _POSITION.match(text)
    lines = [line for line in text.splitlines() if not line.startswith(("[ParseError", "Error context:"))]
    what = " ".join(" ".join(lines).split())
    return f"line {place[1]}, column {place[2]}: {what}" if place else what


_DIGITS = re.compile(r"[0-9]{1,19}")


@dataclass(frozen=True)
class ExternalFolders:
    """Allowed places of a model's external data.

    Relative places begin in `folder`, the files are below one of `roots`.

    Links are followed as long as they stay there.
    """

    folder: Path | None
    roots: tuple[Path, ...]

    @staticmethod
    def of(model: Path | None, root: Path | None) -> ExternalFolders:
        """Return the allowed places of a model.

        These are its folder, the folder of the actual file if the user named a link to it, and the `root` that the user names.
        (Naming the file itself would allow the same. In Hugging Face's cache all files of a model are such links, into one
        folder.) The places of a model in memory begin in the root.
        """
        found = [] if root is None else [root]
        if model is not None:
            found += [model.parent, model.resolve().parent]
        return ExternalFolders(
            root if model is None else model.parent, tuple(dict.fromkeys(p.resolve() for p in found))
        )


def external_bytes(folders: ExternalFolders, tensor: TensorProto, needed: int) -> np.ndarray:
    """Return the bytes of an external tensor, mapped from its file.

    Errors: `external-data`, `file-unreadable`.
    """
    root, path = external_path(tensor, folders)
    fields = _fields(tensor)
    offset, length = _number(tensor, fields, "offset", 0), _number(tensor, fields, "length", needed)
    data = map_below(root, path)
    size = data.size
    if length != needed or offset + length > size:
        raise Error(
            "external-data",
            f"tensor '{tensor.name}' needs {needed} bytes at {offset} of {path.name}, "
            f"which has {size} (declared length {length})",
        )
    return data[offset : offset + length]


def external_path(tensor: TensorProto, folders: ExternalFolders) -> tuple[Path, Path]:
    """Return the root and the resolved path of an external tensor's file.

    The path has no links and is below the root. Raises `Error("external-data")` if the file is missing or elsewhere.
    """
    location = _fields(tensor).get("location", "")
    if folders.folder is None:
        raise Error(
            "external-data",
            f"tensor '{tensor.name}' is in the file '{printable(location)}', and a model in memory has no folder",
            hint="load the model by its path, or name the folder (external_data_root=), or load its external data first",
        )
    try:
        # As the system reads it, for which `w.bin/` is no file. Resolved: neither `..` nor a link may lead out of the roots.
        named = os.path.join(folders.folder.resolve(), location)
        path = Path(named).resolve()
        root = next((each for each in folders.roots if path.is_relative_to(each)), None)
        found = bool(location) and os.path.isfile(named)
    except (OSError, RuntimeError, ValueError):  # Too long a name, links in a circle, a NUL.
        path, root, found = folders.folder, None, False
    if root is None or not found:
        raise Error(
            "external-data",
            f"tensor '{tensor.name}' is in '{printable(location)}', which is not a file in the model's folder",
            hint="a link that leads out of the folder is not followed: put the file, or a copy of the model, beside the other, or name "
            "a folder that holds both (--external-data-root, external_data_root=)",
        )
    return root, path


def _number(tensor: TensorProto, fields: Mapping[str, str], name: str, default: int) -> int:
    """A field that is a number: digits and nothing else. `Error("external-data")`."""
    text = fields.get(name, str(default))
    if not _DIGITS.fullmatch(text):
        raise Error(
            "external-data",
            f"tensor '{tensor.name}' has the {name} '{printable(text)}', which is not a number",
            hint="write it in digits, not below 0",
        )
    return int(text)


def _fields(tensor: TensorProto) -> dict[str, str]:
    entries: list[StringStringEntryProto] = list(tensor.external_data)
    return {entry.key: entry.value for entry in entries}


PROTOBUF_BYTES = (1 << 31) - 1
"""A protobuf message cannot be larger."""


@dataclass(frozen=True)
class ModelSource:
    """Model, its origin, and the allowed places of its external data."""

    model: onnx.ModelProto
    name: str
    file: str | None
    folders: ExternalFolders


def read_model(model: str | Path | bytes | onnx.ModelProto, options: ImportOptions) -> ModelSource:
    """Read and check a model.

    The model is `.onnx`, textual ONNX in any other file (`.onnxtxt`), the contents of either, or an object.

    External data is not loaded. Errors: `file-unreadable`, `file-too-large`, `invalid-onnx` and those of `check_structure`.
    """
    if isinstance(model, bytes):
        model = _parse(model, options, textual=is_text(model))
    if isinstance(model, onnx.ModelProto):
        source = ModelSource(
            model, model.graph.name or "model", None, ExternalFolders.of(None, options.external_data_root)
        )
    else:
        path = Path(model)
        try:
            data = read_file(path, options.max_file_bytes)
            proto = _parse(data, options, textual=path.suffix != ".onnx")
        except Error as error:
            raise error.at(file=str(path)) from error
        source = ModelSource(
            proto, path.stem, str(path), ExternalFolders.of(path, options.external_data_root)
        )
    try:
        check_text(source.model)
        ordered = check_structure(source.model, options)
        check_model(ordered)
    except Error as error:
        raise error.at(file=source.file) from error
    return ModelSource(ordered, source.name, source.file, source.folders)


def _parse(data: bytes, options: ImportOptions, *, textual: bool) -> onnx.ModelProto:
    if not data:
        raise Error(
            "invalid-onnx",
            "the file is empty",
            hint="the export or the download may be incomplete",
        )
    if textual:
        return parse_text(data, options)
    try:
        return onnx.load_model_from_string(data)
    except DecodeError as error:
        raise Error("invalid-onnx", f"not an ONNX model: {brief(error)}") from error
