"""Folders for files that are being made, which nobody finds after a process that was killed.

Whoever makes one holds a lock on it (`flock`), which the system lets go when the process ends, however it does. Who makes the next one in
the same place removes those that nobody holds. (Numbers of processes would not do: a folder may be that of several containers.)
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
    """A new folder in `parent`, this user's alone, until `close`. `OSError` where none can be made."""

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
    """A folder in another one while this lasts. `OSError` where none can be made."""
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
    """A descriptor that holds the lock of a folder; None where somebody else does, or it is gone.

    With `where_none_is` also on a file system that has no locks. There nothing is abandoned, since nobody can know.
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
