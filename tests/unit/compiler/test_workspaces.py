"""Workspaces: gone when they are closed, and when a process that was killed had them; never somebody else's."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from loomir.compiler import files
from loomir.compiler.files import Workspace, workspace

HOLDER = """
import sys
from pathlib import Path
from loomir.compiler.files import Workspace

made = Workspace(Path(sys.argv[1]))
(made.path / "file").write_text("text")
print(made.path, flush=True)
sys.stdin.read()
"""


def test_of_another_process(tmp_path: Path) -> None:
    """Of one that lives it stays, of one that was killed it goes."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    theirs = Path(process.stdout.readline().strip())
    with workspace(tmp_path) as mine:
        assert (theirs / "file").exists()
        assert theirs != mine
    process.kill()
    process.communicate()
    assert theirs.exists()
    with workspace(tmp_path) as mine:
        assert [*tmp_path.iterdir()] == [mine]
    assert [*tmp_path.iterdir()] == []


def test_several_of_one_process(tmp_path: Path) -> None:
    first, second = Workspace(tmp_path), Workspace(tmp_path)
    assert first.path.exists()
    assert second.path.stat().st_mode & 0o777 == 0o700
    first.close()
    assert [*tmp_path.iterdir()] == [second.path]
    second.close()


def test_of_many_threads(tmp_path: Path) -> None:
    """Treating an unlocked workspace as abandoned costs its maker another try."""
    failed: list[BaseException] = []

    def use() -> None:
        try:
            for _ in range(50):
                with workspace(tmp_path) as mine:
                    (mine / "file").write_text("text")
                    assert (mine / "file").read_text() == "text"
        except BaseException as error:
            failed.append(error)

    threads = [Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert [*tmp_path.iterdir()] == []


def test_what_is_none(tmp_path: Path) -> None:
    """A link, a file, another folder: none is removed, nor what a link leads to."""
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("text")
    (tmp_path / ".loomir-work-link").symlink_to(kept)
    (tmp_path / ".loomir-work-file").write_text("text")
    with workspace(tmp_path):
        pass
    assert (kept / "file").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"kept", ".loomir-work-link", ".loomir-work-file"}


def test_of_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".loomir-work-theirs").mkdir()
    me = os.getuid()
    monkeypatch.setattr(files.os, "getuid", lambda: me + 1)
    with workspace(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == [".loomir-work-theirs"]


def test_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On such a file system nobody knows what is abandoned."""

    def none(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    with workspace(tmp_path) as first, workspace(tmp_path) as second:
        assert first.exists()
        assert second.exists()
    assert [*tmp_path.iterdir()] == []
