"""Files of models: links that may be followed, files that change, and those that may not be read."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import loomir
from loomir.compiler.files import map_file, read_file, write_arrays
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


@pytest.mark.parametrize("form", [Path, str, os.fsencode])
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
