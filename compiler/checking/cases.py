"""Failing programs with their inputs, as files and as commands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.compiler.checking.feeds import Feed
from loomir.compiler.extensions import named_sources
from loomir.compiler.files import write_arrays
from loomir.dialects.element_types import storable
from loomir.dialects.interface import with_full_constants
from loomir.errors import Error, file_unwritable

SHOWN_ELEMENTS = 64
"""Maximum number of elements of an input that is shown in full.

It is shown in a form that can be pasted.
"""


def reproducer(program: Path, passes: Sequence[ModulePass]) -> list[str]:
    """Return the command that runs passes on a program.

    It loads the extensions that are loaded by name.
    """
    command = ["loomir-opt", str(program), "-p", ",".join(str(each.pipeline_pass_spec()) for each in passes)]
    return command + [part for source in named_sources() for part in ("--extension", source)]


def write_case(module: ModuleOp, feed: Feed | None, folder: Path, name: str = "reduced") -> list[Path]:
    """Write `<name>.mlir` and, where there are inputs, `<name>.npz`; the paths. Error: `file-unwritable`."""
    text = folder / f"{name}.mlir"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text.write_text(str(with_full_constants(module)) + "\n", encoding="utf-8")
        if not feed:
            return [text]
        arrays = folder / f"{name}.npz"
        write_arrays(arrays, flat_feed(feed))
    except OSError as error:
        raise file_unwritable(str(error.filename or folder), error) from error
    return [text, arrays]


def flat_feed(feed: Feed) -> dict[str, np.ndarray]:
    """Return a feed as arrays for an archive.

    The elements of a sequence are `name[0]`, `name[1]` …, its length is `name[]`. An optional without a value is omitted.
    Elements that numpy cannot store are bytes (`name:bfloat16`).
    """
    arrays: dict[str, np.ndarray] = {}
    for name, value in feed.items():
        if isinstance(value, list):
            arrays[f"{name}[]"] = np.asarray(len(value))
            for index, item in enumerate(value):
                _store(arrays, f"{name}[{index}]", item)
        elif value is not None:
            _store(arrays, name, value)
    return arrays


def _store(arrays: dict[str, np.ndarray], name: str, value: Any) -> None:
    array = np.asarray(value)
    array = storable(array)
    if array.dtype.kind == "V":
        arrays[f"{name}:{array.dtype.name}"] = array.view(f"u{array.dtype.itemsize}")
    else:
        arrays[name] = array


def read_feed(path: Path) -> Feed:
    """Read a feed that `write_case` wrote.

    Error: `file-unreadable`.
    """
    import ml_dtypes

    feed: Feed = {}
    lists: dict[str, int] = {}
    try:
        with np.load(path, allow_pickle=False) as stored:
            for key in stored.files:
                if key.endswith("[]"):
                    lists[key[:-2]] = int(stored[key])
                    continue
                name, colon, kind = key.rpartition(":")
                if colon and hasattr(ml_dtypes, kind):
                    feed[name] = stored[key].view(np.dtype(getattr(ml_dtypes, kind)))
                else:
                    feed[key] = stored[key]
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise Error("file-unreadable", f"cannot be read as numpy arrays: {error}", file=str(path)) from error
    for name, length in lists.items():
        feed[name] = [feed.pop(f"{name}[{k}]") for k in range(length)]
    return feed


def python_literal(value: Any) -> str:
    """Return a value as Python code that recreates it.

    For a large value the result is its type and shape.
    """
    if isinstance(value, list):
        return f"[{', '.join(map(python_literal, value))}]"
    if not isinstance(value, np.ndarray):
        return repr(value)
    if value.size > SHOWN_ELEMENTS:
        return f"{value.dtype}{list(value.shape)}, in the file"
    plain = value.tolist() if value.dtype.kind in "biufcO" else value.astype(np.float64).tolist()
    text = f"np.array({plain}, '{value.dtype.name}')"
    return text if value.size else f"np.zeros({list(value.shape)}, '{value.dtype.name}')"
