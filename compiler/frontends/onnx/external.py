"""Contents of tensors that are kept in other files than the model's (`external_data`)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from onnx import StringStringEntryProto, TensorProto

from loomir.compiler.files import map_file, printable
from loomir.errors import Error


def external_bytes(directory: Path | None, tensor: TensorProto, needed: int) -> np.ndarray:
    """The bytes of an external tensor, mapped from its file below `directory`. `Error("external-data")`."""
    path = external_path(tensor, directory)
    fields = _fields(tensor)
    try:
        offset = int(fields.get("offset", "0"))
        length = int(fields.get("length", str(needed)))
    except ValueError as error:
        raise Error(
            "external-data", f"tensor '{tensor.name}' has an offset or length that is no number"
        ) from error
    data = map_file(path)
    size = data.size
    if offset < 0 or length != needed or offset + length > size:
        raise Error(
            "external-data",
            f"tensor '{tensor.name}' needs {needed} bytes at {offset} of {path.name}, "
            f"which has {size} (declared length {length})",
        )
    return data[offset : offset + length]


def external_path(tensor: TensorProto, directory: Path | None) -> Path:
    """The file of an external tensor. `Error("external-data")` if missing or outside the model's folder."""
    location = _fields(tensor).get("location", "")
    if directory is None:
        raise Error(
            "external-data",
            f"tensor '{tensor.name}' is in the file '{location}', and a model in memory has no folder",
            hint="load the model by its path, or load its external data first",
        )
    try:
        root = directory.resolve()
        # Resolved first: neither `..` nor a symbolic link may lead out of the folder.
        path = (root / location).resolve()
        found = bool(location) and path.is_relative_to(root) and path.is_file()
    except (OSError, RuntimeError, ValueError):  # Too long a name, links in a circle, a NUL.
        path, found = directory, False
    if not found:
        raise Error(
            "external-data",
            f"tensor '{tensor.name}' is in '{printable(location)}', which is no file in the model's folder",
            hint="a link that leads out of the folder is not followed: put the file, or a copy of the model, beside the other",
        )
    return path


def _fields(tensor: TensorProto) -> dict[str, str]:
    entries: list[StringStringEntryProto] = list(tensor.external_data)
    return {entry.key: entry.value for entry in entries}
