"""Tensor contents in files other than the model's (`external_data`)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from onnx import StringStringEntryProto, TensorProto

from loomir.compiler.files import map_below, printable
from loomir.errors import Error

_DIGITS = re.compile(r"[0-9]{1,19}")


@dataclass(frozen=True)
class Places:
    """Allowed places of a model's external data.

    Relative places begin in `folder`, the files are below one of `roots`.

    Links are followed as long as they stay there.
    """

    folder: Path | None
    roots: tuple[Path, ...]

    @staticmethod
    def of(model: Path | None, root: Path | None) -> Places:
        """Return the allowed places of a model.

        These are its folder, the folder of the actual file if the user named a link to it, and the `root` that the user names.
        (Naming the file itself would allow the same. In Hugging Face's cache all files of a model are such links, into one
        folder.) The places of a model in memory begin in the root.
        """
        found = [] if root is None else [root]
        if model is not None:
            found += [model.parent, model.resolve().parent]
        return Places(
            root if model is None else model.parent, tuple(dict.fromkeys(p.resolve() for p in found))
        )


def external_bytes(places: Places, tensor: TensorProto, needed: int) -> np.ndarray:
    """Return the bytes of an external tensor, mapped from its file.

    Errors: `external-data`, `file-unreadable`.
    """
    root, path = external_path(tensor, places)
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


def external_path(tensor: TensorProto, places: Places) -> tuple[Path, Path]:
    """Return the root and the resolved path of an external tensor's file.

    The path has no links and is below the root. Raises `Error("external-data")` if the file is missing or elsewhere.
    """
    location = _fields(tensor).get("location", "")
    if places.folder is None:
        raise Error(
            "external-data",
            f"tensor '{tensor.name}' is in the file '{printable(location)}', and a model in memory has no folder",
            hint="load the model by its path, or name the folder (external_data_root=), or load its external data first",
        )
    try:
        # As the system reads it, for which `w.bin/` is no file. Resolved: neither `..` nor a link may lead out of the roots.
        named = os.path.join(places.folder.resolve(), location)
        path = Path(named).resolve()
        root = next((each for each in places.roots if path.is_relative_to(each)), None)
        found = bool(location) and os.path.isfile(named)
    except (OSError, RuntimeError, ValueError):  # Too long a name, links in a circle, a NUL.
        path, root, found = places.folder, None, False
    if root is None or not found:
        raise Error(
            "external-data",
            f"tensor '{tensor.name}' is in '{printable(location)}', which is no file in the model's folder",
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
            f"tensor '{tensor.name}' has the {name} '{printable(text)}', which is no number",
            hint="it is written in digits, and is not below 0",
        )
    return int(text)


def _fields(tensor: TensorProto) -> dict[str, str]:
    entries: list[StringStringEntryProto] = list(tensor.external_data)
    return {entry.key: entry.value for entry in entries}
