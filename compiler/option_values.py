"""Options one by one, checked before anything is made of them.

Every function here gives what it was given in one form, or an `Error` that says what is wanted.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from loomir.dialects.ov.facts import MAX_EXTENT, MAX_RANK, check_shape
from loomir.errors import Error, shown
from loomir.passes.analysis.inference.capacity import MAX_EXTENT as MOST_CAPACITY

Word = TypeVar("Word", bound=str)

MAX_INT = (1 << 63) - 1


def integer(name: str, value: object, least: int = 0, most: int = MAX_INT) -> int:
    """Check an option that is a number.

    It has any integer type, but is no boolean, float or text. Error: `bad-option`.
    """
    number = None
    if not isinstance(value, bool):
        with suppress(TypeError):
            number = operator.index(cast(Any, value))
    if number is None or not least <= number <= most:
        raise Error("bad-option", f"{name}={shown(value)}: it must be an integer between {least} and {most}")
    return number


def flag(name: str, value: object) -> bool:
    """An option that is true or false. Error: `bad-option`."""
    if not isinstance(value, bool | np.bool_):
        raise Error("bad-option", f"{name}={shown(value)}: it must be True or False")
    return bool(value)


def choice(name: str, value: object, known: Sequence[Word]) -> Word:
    """An option that is one of some words. Error: `bad-option`."""
    for word in known:
        if isinstance(value, str) and value == word:
            return word
    raise Error("bad-option", f"{name}={shown(value)}: it must be one of these", hint=", ".join(known))


def checked_capacity(value: object) -> int | None:
    """A capacity, or None. Error: `bad-option`."""
    return None if value is None else integer("capacity", value, 1, MOST_CAPACITY)


def checked_name(name: object) -> str | None:
    """Check the name of emitted C, which may be None.

    Any text is valid, since identifiers are derived from it. Error: `bad-option`.
    """
    if name is not None and not isinstance(name, str):
        raise Error("bad-option", f"name={shown(name)}: it must be text")
    return name or None


def checked_file(path: object) -> Path:
    """A file to write. Error: `bad-option`."""
    given = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(given, str) or not given:
        raise Error("bad-option", f"path={shown(path)}: it must be the path of a file")
    return Path(given)


def checked_folder(folder: object) -> Path:
    """A folder to write to. Error: `bad-option`."""
    path = os.fspath(folder) if isinstance(folder, str | os.PathLike) else None
    if not isinstance(path, str):
        raise Error("bad-option", f"directory={shown(folder)}: it must be a path")
    return Path(path)


def checked_root(folder: object) -> Path | None:
    """A folder in which external data may be, or None. Error: `bad-option`."""
    if folder is None:
        return None
    path = os.fspath(folder) if isinstance(folder, str | os.PathLike) else None
    if not isinstance(path, str) or not os.path.isdir(path):
        raise Error("bad-option", f"external_data_root={shown(folder)}: it must be the path of a folder")
    return Path(path)


def check_source(model: object) -> None:
    """Raise `Error("bad-option")` if `model` is neither a path nor an `onnx.ModelProto`."""
    # (Whoever has such an object has imported onnx; whoever has not need not.)
    if not isinstance(model, str | bytes | os.PathLike) and type(model).__name__ != "ModelProto":
        raise Error("bad-option", f"model={shown(model)}: it must be a path or an onnx.ModelProto")


def by_input(option: str, given: object) -> Mapping[str, Any]:
    """Check an option with values for some inputs, by their names.

    Error: `bad-option`.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise Error("bad-option", f"{option}={shown(given)}: it must be a dict from names of inputs")
    for name in given:
        if not isinstance(name, str):
            raise Error("bad-option", f"{option}: {shown(name)} is no name of an input")
    return given


def checked_shapes(option: str, given: object, *, may_be_open: bool = False) -> dict[str, list[Any]]:
    """Shapes of inputs by name. Errors: `bad-option`, and those of `checked_extents`."""
    return {n: checked_extents(n, s, may_be_open=may_be_open) for n, s in by_input(option, given).items()}


def checked_extents(name: str, given: object, *, may_be_open: bool = False) -> list[Any]:
    """Check the shape of an input as given by a user.

    Its extents are integers of 0 to 2⁶³ − 1, or None for a dynamic dimension if `may_be_open` is set.

    Errors: `bad-shape`, `shape-too-large`.
    """
    extents: list[int | None] = []
    fits = isinstance(given, Sequence) and not isinstance(given, str | bytes)
    fits = fits or (isinstance(given, np.ndarray) and given.ndim == 1)
    for each in cast(Sequence[object], given)[: MAX_RANK + 1] if fits else ():
        if each is None and may_be_open:
            extents.append(None)
            continue
        try:
            extent = -1 if isinstance(each, bool) else operator.index(cast(Any, each))
        except TypeError:
            extent = -1
        fits = fits and 0 <= extent <= MAX_EXTENT
        extents.append(extent)
    if not fits:
        raise Error(
            "bad-shape",
            f"{shown(given)} is no shape for input '{name}'",
            hint="give a list of integers, such as [1, 576]",
        )
    check_shape([0 if may_be_open else extent or 0 for extent in extents])
    return extents
