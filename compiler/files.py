"""Reading the files of a model, which nobody vouches for: regular files only, of a bounded size.

A path may lead to what never ends or never answers (`/dev/zero`, a FIFO that nobody writes), to a folder, or nowhere. All of that is said
before anything is read.

Which links are followed is one rule for all formats: what the *user* names, and the `.bin` that belongs to it by its name, may be a
link to any place, as weights are often kept elsewhere; what a *model* names (`external_data` of ONNX) may not leave the model's
folder, neither by `..` nor by a link. Where the model's file is a link, the folder that it leads to is the model's as well; a user may
name another (`external_data_root`).
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO
from zipfile import ZipFile

import numpy as np

from loomir.compiler.workspaces import workspace
from loomir.errors import Error

_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
"""How a folder is opened to reach what is in it, which does not ask that it can be listed."""

MAX_FILE_BYTES = 1 << 30
"""Of a text in memory."""


def read_file(path: Path, max_bytes: int) -> bytes:
    """What a file holds. Errors: `file-unreadable`, `file-too-large`."""
    handle, size = _opened(path)
    with os.fdopen(handle, "rb") as file:
        if size > max_bytes:
            raise Error("file-too-large", f"{size} bytes, at most {max_bytes} are read", file=printable(path))
        try:
            # It may grow meanwhile: what is behind its end now is not read.
            return file.read(size)
        except OSError as error:
            raise _unreadable(path, error.strerror) from error


def map_file(path: Path) -> np.ndarray:
    """The bytes of a file, mapped and read-only. Error: `file-unreadable`.

    Whoever cuts the file while it is mapped ends the process (as with every mapped file): replace it by renaming.
    """
    return _mapped(path, *_opened(path))


def map_below(root: Path, path: Path) -> np.ndarray:
    """`map_file` of a path below a folder, neither of which has links: what has become one meanwhile is not followed. Error:
    `file-unreadable`."""
    return _mapped(path, *_opened(path, root))


def _mapped(path: Path, handle: int, size: int) -> np.ndarray:
    with os.fdopen(handle, "rb") as file:
        try:
            return np.memmap(file, np.uint8, "r", shape=(size,)) if size else np.zeros(0, np.uint8)
        except (OSError, ValueError) as error:  # A ValueError where it has become shorter meanwhile.
            raise _unreadable(path, str(error)) from error


def write_arrays(file: str | Path | BinaryIO, arrays: Mapping[str, np.ndarray]) -> None:
    """Write an `.npz`. (`np.savez` has arguments of its own, `file` for one, and takes no array of such a name.)"""
    with ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=False)


def write_together(files: Mapping[Path, Iterable[bytes | memoryview]]) -> None:
    """Write files that belong together: all of them are in their places when it returns, and none where it raises.

    What they hold is written beside them first; then each is moved to its place. A file that was there before comes back where a later one
    cannot be moved. `OSError`, with the path in `filename`; `ValueError` for a path with a NUL in it.
    """
    with ExitStack() as undo:
        folders = {
            folder: undo.enter_context(workspace(folder)) for folder in dict.fromkeys(p.parent for p in files)
        }
        moves: list[tuple[Path, Path]] = []
        for number, (path, pieces) in enumerate(files.items()):
            temporary = folders[path.parent] / f"new{number}"
            # Not by `tempfile`, whose files only their owner reads: the umask says who may, and asking for it changes it for all threads.
            with temporary.open("xb") as file:
                for piece in pieces:
                    file.write(piece)
            moves.append((temporary, path))
        with ExitStack() as back:
            for number, (temporary, path) in enumerate(moves[:-1]):
                if path.exists():
                    old = folders[path.parent] / f"old{number}"
                    _keep(path, old)
                    back.callback(os.replace, old, path)
                else:
                    back.callback(path.unlink, missing_ok=True)
                os.replace(temporary, path)
            for temporary, path in moves[-1:]:
                os.replace(temporary, path)
            back.pop_all()


def _keep(path: Path, old: Path) -> None:
    """The file under another name too, where the file system has such a thing, or a copy of it."""
    try:
        os.link(path, old, follow_symlinks=False)
    except OSError:
        shutil.copy2(path, old, follow_symlinks=False)


def printable(path: str | Path) -> str:
    """A path as messages show it: a NUL by its name."""
    return str(path).replace("\0", "\\0")


def _opened(path: Path, root: Path | None = None) -> tuple[int, int]:
    """A descriptor of a regular file, and its size; with `root` no link below that is followed. Error: `file-unreadable`."""
    # Without O_NONBLOCK the opening of a FIFO waits for somebody who writes.
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        handle = os.open(path, flags) if root is None else _open_below(root, path, flags)
    except OSError as error:
        raise _unreadable(path, error.strerror) from error
    except ValueError as error:
        raise _unreadable(path, "there is a NUL in the path") from error
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        os.close(handle)
        kind = "a folder" if stat.S_ISDIR(found.st_mode) else "a device or pipe"
        raise _unreadable(path, f"it is {kind}, not a file")
    return handle, found.st_size


def _open_below(root: Path, path: Path, flags: int) -> int:
    """Open a file from folder to folder, none of which may be a link."""
    folder = os.open(root, _FOLDER)
    try:
        *folders, name = path.relative_to(root).parts
        for each in folders:
            inner = os.open(each, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(name, flags | os.O_NOFOLLOW, dir_fd=folder)
    finally:
        os.close(folder)


def _unreadable(path: Path, why: str | None) -> Error:
    return Error("file-unreadable", f"cannot be read: {why or 'no reason is given'}", file=printable(path))
