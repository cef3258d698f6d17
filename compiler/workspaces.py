"""Folders for files under construction, removed even after a killed process.

The creator of a folder holds a lock on it (`flock`), which the system releases when the process ends, however it ends.
The next process that creates one in the same place removes those that are not locked. (Process ids would not do: several
containers may share a folder.)
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
