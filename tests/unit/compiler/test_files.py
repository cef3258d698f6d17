"""Files of models: links that may be followed, files that change, and those that may not be read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import loomir
from loomir.compiler.files import map_file, read_file, write_arrays, write_together
from tests.hostile.faults import NET
from tests.support import raises_error

ONES = np.ones(2, np.float32)


def linked(folder: Path) -> Path:
    """A model whose `.xml` and `.bin` are links to files in another folder, with other names."""
    (folder / "store").mkdir()
    (folder / "store" / "blob1").write_text(NET)
    (folder / "store" / "blob2").write_bytes(ONES.tobytes())
    (folder / "model").mkdir()
    (folder / "model" / "sum.xml").symlink_to("../store/blob1")
    (folder / "model" / "sum.bin").symlink_to(folder / "store" / "blob2")
    return folder / "model" / "sum.xml"


@pytest.mark.parametrize("form", [Path, str])
def test_weights_may_be_a_link(form, tmp_path: Path) -> None:
    (y,) = loomir.load(form(linked(tmp_path))).run({"x": ONES}).values()
    assert y.tolist() == [2, 2]


def test_a_file_in_another_place_is_read_after_all(tmp_path: Path) -> None:
    """A link inside of the folder that does not lead out of it."""
    (tmp_path / "a").write_bytes(b"12")
    (tmp_path / "b").symlink_to("a")
    assert read_file(tmp_path / "b", 2) == b"12"
    assert map_file(tmp_path / "b").tobytes() == b"12"


def test_a_file_that_grows_or_shrinks_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"12345678")
    real = os.fstat

    def claims(size: int) -> None:
        monkeypatch.setattr(os, "fstat", lambda h: SimpleNamespace(st_mode=real(h).st_mode, st_size=size))

    claims(4)
    assert read_file(path, 4) == b"1234"
    claims(100)
    assert read_file(path, 100) == b"12345678"
    with raises_error("file-unreadable", str(path)):
        map_file(path)


def test_what_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.xml"
    path.write_text(NET)
    path.chmod(0)
    if os.geteuid() == 0:  # who may read everything

        def refused(*_: object) -> int:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(os, "open", refused)
    with raises_error("file-unreadable", "Permission denied", str(path)):
        loomir.load(path)


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(bytes(11))
    with raises_error("file-too-large", "11 bytes, at most 10"):
        read_file(tmp_path / "f", 10)


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    (tmp_path / "d").mkdir()
    for _ in range(20):
        with raises_error("file-unreadable", "a folder"):
            read_file(tmp_path / "d", 10)
    (tmp_path / "f").write_bytes(b"1")
    for _ in range(20):
        read_file(tmp_path / "f", 10)
    assert len(os.listdir("/proc/self/fd")) <= before + 1


def test_arrays_have_any_name(tmp_path: Path) -> None:
    """`np.savez` takes `file` and `allow_pickle` for arguments of its own."""
    arrays = {"file": np.arange(3), "allow_pickle": np.float32(2.5).reshape(1), "a/b": np.zeros((0, 2))}
    write_arrays(tmp_path / "some.npz", arrays)
    with np.load(tmp_path / "some.npz", allow_pickle=False) as read:
        assert {name: read[name].tolist() for name in read.files} == {
            n: a.tolist() for n, a in arrays.items()
        }


# -- files that belong together


def pair(folder: Path) -> tuple[Path, Path]:
    """Two files that are there already."""
    first, second = folder / "m.bin", folder / "m.xml"
    first.write_bytes(b"old weights")
    second.write_bytes(b"old net")
    return first, second


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


OLD = {"m.bin": b"old weights", "m.xml": b"old net"}


def test_files_are_written_together(tmp_path: Path) -> None:
    first, second = pair(tmp_path)
    write_together({first: [b"new ", memoryview(b"weights")], second: [b"new net"]})
    assert contents(tmp_path) == {"m.bin": b"new weights", "m.xml": b"new net"}


def test_links_are_followed_and_devices_stay(tmp_path: Path) -> None:
    """A pipe stands for `/dev/null` and `/dev/stdout`, which a root user must not replace by files."""
    first, second = pair(tmp_path)
    (tmp_path / "link").symlink_to("m.bin")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_together({pipe: [b"to ", b"pipe"], tmp_path / "link": [b"new"], second: [b"net"]})
    assert os.read(reader, 100) == b"to pipe"
    os.close(reader)
    assert pipe.is_fifo()
    assert (tmp_path / "link").is_symlink()
    assert (first.read_bytes(), second.read_bytes()) == (b"new", b"net")


def test_a_full_device_leaves_the_files_as_they_were(tmp_path: Path) -> None:
    _, second = pair(tmp_path)
    with pytest.raises(OSError, match="No space left"):
        write_together({Path("/dev/full"): [b"new"], second: [b"new"]})
    assert contents(tmp_path) == OLD
    assert Path("/dev/full").is_char_device()


class Interrupted(BaseException):
    """Stand-in for a user's Ctrl-C."""


@pytest.mark.parametrize("at", [1, 2])
@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("links", [True, False])
def test_files_that_cannot_be_moved(
    at: int, there: bool, links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of two moves fails, what was there is there, and nothing else; on a file system without hard links too."""
    first, second = pair(tmp_path) if there else (tmp_path / "m.bin", tmp_path / "m.xml")
    moves = 0
    real = os.replace

    def move(a: Path, b: Path) -> None:
        nonlocal moves
        moves += 1
        if moves == at:
            raise Interrupted
        real(a, b)

    def no_links(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "replace", move)
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    with pytest.raises(Interrupted):
        write_together({first: [b"new"], second: [b"new"]})
    assert contents(tmp_path) == (OLD if there else {})


KILLED = """
import os, signal, sys
from pathlib import Path
from loomir.compiler.files import write_together

def pieces():
    yield b"half"
    os.kill(os.getpid(), signal.SIGKILL)

folder = Path(sys.argv[1])
write_together({folder / "m.bin": [b"new"], folder / "m.xml": pieces()})
"""


def test_a_writer_that_is_killed(tmp_path: Path) -> None:
    """In the middle of the second file: the old pair is there. What it leaves is gone with the next pair that is written."""
    first, second = pair(tmp_path)
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    left = [path for path in tmp_path.iterdir() if path.is_dir()]
    assert len(left) == 1
    assert sorted(path.name for path in left[0].iterdir()) == ["new0", "new1"]
    assert {path.name: path.read_bytes() for path in (first, second)} == OLD
    write_together({tmp_path / "other": [b"text"]})
    assert contents(tmp_path) == {**OLD, "other": b"text"}


FULL = """
import resource, signal, sys
import loomir
from loomir.errors import Error

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
model = loomir.load(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
try:
    model.save(sys.argv[2])
except Error as error:
    print(error)
"""
READ_ONLY = """
import os, sys
import loomir
from loomir.errors import Error

model = loomir.load(sys.argv[1])
if os.getuid() == 0:
    os.setuid(65534)
try:
    model.save(sys.argv[2])
except Error as error:
    print(error)
"""
MODEL = Path(__file__).parents[2] / "fixtures" / "ad01_fp32.xml"


@pytest.mark.parametrize("most", [0, 1000, 100_000])
def test_a_disk_that_is_full(most: int, tmp_path: Path) -> None:
    """No file may have more bytes: the weights, or the net, do not go onto it."""
    pair(tmp_path)
    command = [sys.executable, "-c", FULL, str(MODEL), str(tmp_path / "m.xml"), str(most)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "m.xml: cannot be written: File too large [file-unwritable]" in done.stdout, done.stderr
    assert contents(tmp_path) == OLD


def test_a_folder_that_may_not_be_written_to(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    pair(folder)
    folder.chmod(0o555)
    for parent in (tmp_path, *tmp_path.parents[:2]):
        parent.chmod(parent.stat().st_mode | 0o111)
    command = [sys.executable, "-c", READ_ONLY, str(MODEL), str(folder / "m.xml")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "m.xml: cannot be written: Permission denied [file-unwritable]" in done.stdout, done.stderr
    folder.chmod(0o755)
    assert contents(folder) == OLD
