"""Access to untrusted model files, and folders for files under construction.

Only regular files of bounded size are read. A path may lead to a file that never ends or never responds (`/dev/zero`, a FIFO
without a writer), to a folder, or nowhere. All of this is reported before anything is read.

One rule for all formats determines which links are followed: a path that the *user* names, and the `.bin` that belongs
to it by its name, may be a link to any place, as weights are often kept elsewhere; a path that a *model* names
(`external_data` of ONNX) may not leave the model's folder, neither by `..` nor by a link. If the model's file is a
link, the folder that it leads to is the model's as well; a user may name another (`external_data_root`).

Folders for files under construction are removed even after a killed process. The creator of a folder holds a lock on it
(`flock`), which the system releases when the process ends, however it ends. The next process that creates one in the same
place removes those that are not locked. (Process ids would not do: several containers may share a folder.)
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO
from zipfile import ZipFile

import numpy as np

from loomir.errors import Error, file_unwritable

_PREFIX = ".loomir-work-"
"""The names of all workspaces begin so, and nothing else's does."""


class Workspace:
    """New folder in `parent`, private to this user, until `close`.

    Raises `OSError` if no folder can be created.
    """

    def __init__(self, parent: Path) -> None:
        _remove_abandoned(parent)
        handle: int | None = None
        while handle is None:
            self.path = parent / f"{_PREFIX}{secrets.token_hex(8)}"
            self.path.mkdir(mode=0o700)
            # Somebody may take it for one that is abandoned before it is locked: then another one.
            handle = _locked(self.path, where_none_is=True)
        self._handle = handle

    def close(self) -> None:
        """Remove it, and what is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._handle)


@contextmanager
def workspace(parent: Path) -> Iterator[Path]:
    """Create a folder in `parent` for the duration of the context.

    Raises `OSError` if no folder can be created.
    """
    made = Workspace(parent)
    try:
        yield made.path
    finally:
        made.close()


def _remove_abandoned(parent: Path) -> None:
    """Remove this user's workspaces that nobody holds any more."""
    try:
        with os.scandir(parent) as entries:
            found = [Path(entry) for entry in entries if entry.name.startswith(_PREFIX)]
    except PermissionError:
        return  # In some folders one may write and not look.
    for folder in found:
        handle = _locked(folder)
        if handle is not None:
            if os.fstat(handle).st_uid == os.getuid():
                shutil.rmtree(folder, ignore_errors=True)
            os.close(handle)


def _locked(folder: Path, *, where_none_is: bool = False) -> int | None:
    """Return a descriptor that holds the folder's lock, or None.

    None means that another process holds the lock, or that the folder is gone. With `where_none_is`, a descriptor is returned
    also on a file system without locks. There no folder counts as abandoned, since this cannot be determined.
    """
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held = True
    except BlockingIOError:
        held = False
    except OSError:
        held = where_none_is
    if held and folder.exists():
        return handle
    os.close(handle)
    return None


_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
"""Open flags for a folder whose contents are accessed by name.

The folder need not be listable.
"""

MAX_FILE_BYTES = 1 << 30
"""Of a text in memory."""


def read_file(path: Path, max_bytes: int) -> bytes:
    """Return the contents of a file.

    Errors: `file-unreadable`, `file-too-large`.
    """
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
    """Call `map_file` for a path below a folder, without following links.

    Neither path has links; one that has become a link meanwhile is not followed. Error: `file-unreadable`.
    """
    return _mapped(path, *_opened(path, root))


def _mapped(path: Path, handle: int, size: int) -> np.ndarray:
    with os.fdopen(handle, "rb") as file:
        try:
            return np.memmap(file, np.uint8, "r", shape=(size,)) if size else np.zeros(0, np.uint8)
        except (OSError, ValueError) as error:  # A ValueError where it has become shorter meanwhile.
            raise _unreadable(path, str(error)) from error


def write_arrays(file: str | Path | BinaryIO, arrays: Mapping[str, np.ndarray]) -> None:
    """Write an `.npz`.

    (`np.savez` has arguments of its own, such as `file`, and takes no array with such a name.)
    """
    with ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=False)


def save_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Store arrays as an `.npz`.

    After an error the file is as it was. Error: `file-unwritable`.
    """
    buffer = BytesIO()
    write_arrays(buffer, arrays)
    try:
        write_together({path: [buffer.getbuffer()]})
    except (OSError, ValueError) as error:  # A ValueError for a path with a NUL in it.
        raise file_unwritable(path, error) from error


def write_together(files: Mapping[Path, Iterable[bytes | memoryview]]) -> None:
    """Write files that belong together, either all of them or none.

    All are in their places when the function returns; none is if it raises.

    The contents are first written beside the files; then each is moved to its place. A previous file is restored if a later
    one cannot be moved. Links are followed. What is a device or a pipe (`/dev/null`, `/dev/stdout`) stays one, and is written last.
    Raises `OSError`, with the path in `filename`; `ValueError` for a path with a NUL in it.
    """
    streams = {path: pieces for path, pieces in files.items() if _is_stream(path)}
    files = {Path(os.path.realpath(p)): pieces for p, pieces in files.items() if p not in streams}
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
            for number, (temporary, path) in enumerate(moves if streams else moves[:-1]):
                if path.exists():
                    old = folders[path.parent] / f"old{number}"
                    _keep(path, old)
                    back.callback(os.replace, old, path)
                else:
                    back.callback(path.unlink, missing_ok=True)
                os.replace(temporary, path)
            for temporary, path in moves[-1:] if not streams else ():
                os.replace(temporary, path)
            for path, pieces in streams.items():
                with path.open("wb") as stream:
                    stream.writelines(pieces)
            back.pop_all()


def _is_stream(path: Path) -> bool:
    """True for a device or pipe, which no file may replace."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _keep(path: Path, old: Path) -> None:
    """Create a hard link to the file, or a copy.

    It is a copy if the file system has no hard links.
    """
    try:
        os.link(path, old, follow_symlinks=False)
    except OSError:
        shutil.copy2(path, old, follow_symlinks=False)


def printable(path: str | Path) -> str:
    """A path as messages show it: a NUL by its name."""
    return str(path).replace("\0", "\\0")


def _opened(path: Path, root: Path | None = None) -> tuple[int, int]:
    """Return a descriptor of a regular file, and its size.

    With `root`, no link below it is followed. Error: `file-unreadable`.
    """
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
    """Open a file folder by folder, without following links."""
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
