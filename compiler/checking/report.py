"""Report of a failed check.

The message contains the pass, the difference of the results, the smallest program that shows it, and its inputs.

The program and its inputs are also written to files, with the command that reproduces the failure.
"""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.compiler.checking.agreement import Difference
from loomir.compiler.checking.feeds import Feed
from loomir.compiler.checking.options import CheckOptions
from loomir.compiler.checking.reducer import Failure, reducer
from loomir.compiler.files import write_arrays
from loomir.dialects.element_types import storable
from loomir.dialects.full_constants import with_full_constants
from loomir.errors import Error, file_unwritable

SHOWN_ELEMENTS = 64
"""Maximum number of elements of an input that is shown in full.

It is shown in a form that can be pasted.
"""
SHOWN_LINES = 120


def report(
    identifier: str,
    instance: ModulePass,
    context: Context,
    found: Difference,
    *,
    module: ModuleOp,
    feed: Feed,
    position: int,
    options: CheckOptions,
) -> Error:
    """The error to raise, after the program was reduced."""
    spec = str(instance.pipeline_pass_spec())
    runs = not found.kind.startswith(("exception", "invalid"))
    failure = Failure(instance, context, module, dict(feed) if runs else None, found)
    how = "not reduced"
    if options.reduce_seconds > 0 and (reduce := reducer()) is not None:
        failure, how = reduce(failure, options.reduce_seconds)
    folder = options.folder or Path(tempfile.mkdtemp(prefix="loomir-check-"))
    files = write_case(failure.module, failure.feed, folder)
    command = ["loomir-opt", str(files[0]), "-p", spec, "--check-each-pass"]
    if len(files) > 1:
        command += ["--check-inputs", str(files[1])]
    text = str(with_full_constants(failure.module)).splitlines()
    if len(text) > SHOWN_LINES:
        text = [*text[:SHOWN_LINES], f"… {len(text) - SHOWN_LINES} more lines"]
    lines = [f"the program before the pass ({how}):", *text]
    if failure.feed:
        lines += ["inputs:", *(f"  {name} = {shown(value)}" for name, value in failure.feed.items())]
    lines += ["again:", f"  {shlex.join(command)}"]
    return make_error(identifier, position, spec, failure.difference, "\n  ".join(lines))


def make_error(identifier: str, position: int, spec: str, found: Difference, hint: str) -> Error:
    """One of the two errors of a check."""
    if identifier == "pass-failed":
        return Error("pass-failed", f"pass {position}, {spec}, {found.text}", hint=hint)
    return Error("pass-changed-result", f"after pass {position}, {spec}: {found.text}", hint=hint)


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
    except (OSError, ValueError, EOFError) as error:
        raise Error("file-unreadable", f"cannot be read as numpy arrays: {error}", file=str(path)) from error
    for name, length in lists.items():
        feed[name] = [feed.pop(f"{name}[{k}]") for k in range(length)]
    return feed


def shown(value: Any) -> str:
    """Return a value as Python code that recreates it.

    For a large value the result is its type and shape.
    """
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    if not isinstance(value, np.ndarray):
        return repr(value)
    if value.size > SHOWN_ELEMENTS:
        return f"{value.dtype}{list(value.shape)}, in the file"
    plain = value.tolist() if value.dtype.kind in "biufcO" else value.astype(np.float64).tolist()
    text = f"np.array({plain}, '{value.dtype.name}')"
    return text if value.size else f"np.zeros({list(value.shape)}, '{value.dtype.name}')"
