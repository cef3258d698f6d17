"""The C compiler and the folder of compiled models: whatever is wrong with them is said, or mended."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from loomir.compiler.engines import libraries
from loomir.compiler.engines.libraries import cache_directory, flags_for
from loomir.compiler.engines.native import NativeFunction
from loomir.compiler.files import write_together
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.passes.analysis.machines import Machine, machine_of, native
from tests.support import raises_error
from tests.support_tools import why_not_sanitized
from tests.unit.compiler.thread_programs import in_threads

ROOT = Path(__file__).parents[4]
MODEL = """
func.func @main(%x: f32 {loomir.name = "x"}) -> (f32 {loomir.name = "y"}) {
  %y = arith.addf %x, %x : f32
  func.return %y : f32
}"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir(mode=0o700)
    return tmp_path / "cache" / "loomir" / "native"


def run() -> float:
    return float(NativeFunction(parse_module(MODEL))({"x": np.float32(2)})["y"])


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: data[:99] + bytes([data[99] ^ 1]) + data[100:],
    ],
)
def test_a_damaged_library_is_made_again(cache: Path, damage: Callable[[bytes], bytes]) -> None:
    assert run() == 4
    (kept,) = cache.iterdir()
    whole = kept.read_bytes()
    # Another file with the name of the one that is loaded: that one is in use.
    kept.unlink()
    kept.write_bytes(damage(whole))
    assert run() == 4
    (again,) = cache.iterdir()
    assert again.read_bytes() != damage(whole)


def test_what_is_whole_but_no_library_is_passed_over(cache: Path) -> None:
    assert run() == 4
    (kept,) = cache.iterdir()
    key = kept.name.partition("-")[0]
    kept.unlink()
    other = cache / f"{key}-{libraries._digest(b'of another machine')}.so"  # pyright: ignore[reportPrivateUsage]
    other.write_bytes(b"of another machine")
    assert run() == 4


@pytest.mark.parametrize(
    ("command", "identifier", "says"),
    [
        ("gcc '", "no-c-compiler", "No closing quotation"),
        ("/no/such/cc", "no-c-compiler", "/no/such/cc"),
        ("/", "no-c-compiler", "'/'"),
        ("false", "bad-c-compiler", "ends with status 1"),
        ("true", "bad-c-compiler", "succeeds, but writes nothing"),
    ],
)
def test_compilers_that_are_none(
    monkeypatch: pytest.MonkeyPatch, command: str, identifier: str, says: str
) -> None:
    monkeypatch.setenv("CC", command)
    if identifier == "no-c-compiler":
        with raises_error("no-c-compiler", says, "environment variable CC"):
            run()
    else:
        with raises_error("bad-c-compiler", says, "environment variable CC"):
            run()


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_a_compiler_s_own_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", script(tmp_path / "cc1", 'printf "no licence: \\377\\n" >&2; exit 3'))
    with raises_error("bad-c-compiler", "ends with status 3: no licence: \ufffd"):
        run()
    # As one for another machine does.
    monkeypatch.setenv(
        "CC", script(tmp_path / "cc2", 'for a; do case "$o" in -o) echo elf > "$a";; esac; o="$a"; done')
    )
    with raises_error("bad-c-compiler", "cannot be loaded"):
        run()
    (tmp_path / "cc3").write_bytes(b"\x7fELF and no more")
    (tmp_path / "cc3").chmod(0o755)
    monkeypatch.setenv("CC", str(tmp_path / "cc3"))
    with raises_error("no-c-compiler", "cannot be run"):
        run()


@pytest.mark.parametrize("end", ["abort();", "exit(0);", 'fputs("not here\\n", stderr), _Exit(3);'])
def test_a_library_that_ends_what_loads_it(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    """A library that ends the loading process does not end this one.

    A sanitizer's library does so, since it must be loaded first.
    """
    header = tmp_path / "first.h"
    header.write_text(
        f"#include <stdio.h>\n#include <stdlib.h>\n__attribute__((constructor)) static void first(void) {{ {end} }}\n"
    )
    monkeypatch.setenv("CC", f"cc -include {header}")
    with raises_error(
        "bad-c-compiler", "produces a library that cannot be loaded", "not here" if "not here" in end else ""
    ):
        run()
    assert [*cache.iterdir()] == []


@pytest.mark.skipif(why_not_sanitized("gcc") is not None, reason="no sanitizers here")
def test_a_sanitizer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "gcc -fsanitize=address")
    with raises_error(
        "bad-c-compiler", "produces a library that cannot be loaded", "ASan runtime does not come first"
    ):
        run()


def test_what_a_killed_compiler_leaves(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is gone when the next library is made."""
    monkeypatch.setenv("CC", script(tmp_path / "cc", "kill -KILL $PPID"))
    program = "from tests.unit.compiler.engines.test_libraries import run; run()"
    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False)
    assert result.returncode == -signal.SIGKILL
    assert len([path for path in cache.iterdir() if path.is_dir()]) == 1
    monkeypatch.delenv("CC")
    assert run() == 4
    assert [path.suffix for path in cache.iterdir()] == [".so"]


def test_a_compiler_with_arguments(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    assert run() == 4
    monkeypatch.setenv("CC", f"{shutil.which('cc')} -DX='a b' -O1")
    assert run() == 4
    assert len(list(cache.iterdir())) == 2


def test_folders_where_others_can_write_are_not_trusted(cache: Path, tmp_path: Path) -> None:
    assert cache_directory() == cache.resolve()
    private = tmp_path / "tmp" / f"loomir-{os.getuid()}"
    for folder in (cache, cache.parent, cache.parent.parent):
        for mode in (0o777, 0o770):
            folder.chmod(mode)
            assert cache_directory() == private
            folder.chmod(0o700)
    # What others may only add to keeps our folder.
    cache.parent.chmod(0o1777)
    assert cache_directory() == cache.resolve()
    cache.parent.chmod(0o700)
    assert cache_directory() == cache.resolve()


def test_folders_of_others_are_not_trusted(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache_directory()
    real = os.getuid()
    # All that is there belongs to somebody else, who is not root.
    monkeypatch.setattr("os.getuid", lambda: real + 4321)
    if real != 0:
        assert cache.parent not in cache_directory().parents
    chosen = cache_directory()
    assert chosen != cache
    assert chosen.parent == tmp_path / "tmp"
    assert chosen.stat().st_mode & 0o777 == 0o700


def test_a_link_in_the_private_folder_s_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "tmp" / f"loomir-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    chosen = cache_directory()
    assert (chosen.parent, chosen.is_symlink()) == (tmp_path / "tmp", False)
    assert cache_directory() == chosen


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert run() == 4
    monkeypatch.setattr("os.access", lambda _, mode: not mode & os.W_OK)
    assert run() == 4
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "file"))
    with raises_error("file-unwritable", "TMPDIR"):
        run()


def test_the_folder_of_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is kept while it is there, and made again where somebody has tidied it away."""
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setattr("os.access", lambda _, mode: not mode & os.W_OK)
    chosen = cache_directory()
    assert chosen.parent == tmp_path / "tmp"
    assert cache_directory() == chosen
    chosen.rmdir()
    assert run() == 4
    again = cache_directory()
    assert (again.parent, again.stat().st_mode & 0o777) == (chosen.parent, 0o700)
    libraries._remove(again, os.getpid() + 1)  # pyright: ignore[reportPrivateUsage]
    assert again.is_dir(), "a process forked from this one has ended"


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")

    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("pathlib.Path.home", nowhere)
    assert cache_directory() == tmp_path / "tmp" / f"loomir-{os.getuid()}"
    assert run() == 4


def test_one_library_is_made_in_several_threads(cache: Path) -> None:
    assert in_threads(lambda _: run()) == [4.0] * 8
    assert all(path.suffix == ".so" for path in cache.iterdir()), "nothing half-made is left"


def test_files_are_written_under_the_umask_in_any_thread(tmp_path: Path) -> None:
    """Asking for the umask would change it for the other threads meanwhile."""
    before = os.umask(0o027)
    try:
        in_threads(lambda k: [write_together({tmp_path / f"{k}.{n}.txt": [b"x"]}) for n in range(50)])
        modes = {path.stat().st_mode & 0o777 for path in tmp_path.glob("*.txt")}
    finally:
        os.umask(before)
    assert modes == {0o640}


def test_the_compiler_reads_nothing_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []
    real = subprocess.run

    def watched(*args: object, **options: object) -> object:
        seen.append(options["stdin"])
        return real(*args, **options)  # pyright: ignore

    monkeypatch.setattr("subprocess.run", watched)
    assert run() == 4
    assert set(seen) == {subprocess.DEVNULL}


def test_flags_are_those_of_a_machine_that_this_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert flags_for(machine_of("generic")) == ()
    # What was lowered for another machine runs here too, without that one's flags.
    assert flags_for(machine_of("cortex-m4")) == ()
    assert flags_for(native()) in (native().flags, native().otherwise)
    monkeypatch.setattr(libraries, "runs_here", lambda machine: True)
    unknown = Machine(name="newer", flags=("-march=none-such",), otherwise=("-O1",))
    assert flags_for(unknown) == ("-O1",)


def test_a_library_for_a_machine_is_kept_for_its_processor(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = parse_module(MODEL)
    monkeypatch.setattr(libraries, "flags_for", lambda machine: () if machine.name == "generic" else ("-O1",))

    def kept(machine: str, *features: str) -> int:
        monkeypatch.setattr(libraries, "processor_flags", lambda: frozenset(features))
        assert NativeFunction(module, machine=machine)({"x": np.float32(2)})["y"] == 4
        return len(list(cache.glob("*.so")))

    assert [kept("native", "avx2"), kept("native", "avx2"), kept("native", "avx2", "fma")] == [1, 1, 2]
    # For any machine, on any.
    assert [kept("generic", "avx2"), kept("generic")] == [3, 3]
