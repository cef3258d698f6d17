"""Shared libraries: C compiled by the system's compiler, and their cache.

The cache is a folder of compiled models.

The name of a cached library contains a hash of its inputs (source, compiler, flags) and a hash of its own contents, so
that a truncated library is detected before it is loaded, and is then rebuilt. Write access to a loaded library grants
all rights of this process: libraries are cached only where no other user can write.
"""

from __future__ import annotations

import atexit
import ctypes
import hashlib
import os
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock

from loomir.compiler.files import Workspace, workspace, write_together
from loomir.compiler.formats.c.emit import CCode
from loomir.errors import Error
from loomir.passes.analysis.machines import Machine, processor_flags, runs_here

FLAGS = ("-std=c99", "-O2", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
"""Compiler flags, none of which changes a result.

`errno` and the floating-point exceptions are never read, so square roots and choices between numbers need no branches.
"""

_PROBE = "int loomir_probe(int x);\nint loomir_probe(int x) { return x + 1; }\n"
"""Source that every C compiler compiles."""

_MESSAGE_LINES = 6


class CompilerRejection(RuntimeError):
    """Rejection of emitted C by the compiler.

    This is a loomir defect, never the user's.
    """


def compiler() -> list[str]:
    """The C compiler's command: `$CC`, else `cc`. Raises `no-c-compiler`."""
    text = os.environ.get("CC", "")
    hint = "install gcc or clang, or name one in the environment variable CC"
    try:
        command = shlex.split(text) or ["cc"]
    except ValueError as error:
        raise Error("no-c-compiler", f"CC is not a command: {error} in {text!r}", hint=hint) from error
    if shutil.which(command[0]) is None:
        raise Error(
            "no-c-compiler",
            f"the native engine needs a C compiler, and '{command[0]}' was not found",
            hint=hint,
        )
    return command


def library_command(flags: Sequence[str]) -> list[str]:
    """Return the command that compiles a shared library.

    `flags` follow the default ones. Raises `no-c-compiler`.
    """
    return [*compiler(), *FLAGS, *flags, "-shared", "-fPIC"]


def flags_for(machine: Machine) -> tuple[str, ...]:
    """Return the compiler flags for a machine's instructions, if it runs here.

    The result is empty for `generic` and for a machine that this processor is not. Code lowered for another machine
    computes the same numbers here, only more slowly. Raises `no-c-compiler`.
    """
    return known_flags(machine) if runs_here(machine) else ()


def known_flags(machine: Machine) -> tuple[str, ...]:
    """Return the compiler flags that enable a machine's instructions.

    The features of this processor do not matter. The result is empty if the compiler has no such flags.

    Raises `no-c-compiler`.
    """
    return first_known(machine.flags, machine.otherwise)


def first_known(*alternatives: tuple[str, ...]) -> tuple[str, ...]:
    """Return the first alternative whose flags the compiler accepts, or `()`.

    Raises `no-c-compiler`.
    """
    return next((f for f in alternatives if f and _compiles(tuple(compiler()), f)), ())


@cache
def _compiles(command: tuple[str, ...], flags: tuple[str, ...]) -> bool:
    """Return True if a compiler accepts these flags."""
    with workspace(Path(tempfile.gettempdir())) as work:
        (work / "probe.c").write_text(_PROBE, encoding="ascii")
        return _run([*command, *flags, "-c", "probe.c", "-o", "probe.o"], work).returncode == 0


def shared_library(code: CCode, flags: Sequence[str], machine: Machine | None = None) -> ctypes.CDLL:
    """Return the compiled code, compiling it unless it is cached.

    Raises `no-c-compiler`, `bad-c-compiler`, `file-unwritable`.

    Code compiled for a `machine` is cached for processors with exactly the features of this one.
    """
    of_machine = () if machine is None else flags_for(machine)
    command = library_command((*of_machine, *flags))
    processor = sorted(processor_flags()) if of_machine else []
    # What is loaded before it is a part of what it is loaded into: a sanitizer's library may need that.
    around = [os.environ.get("LD_PRELOAD", "")]
    key = _digest("\0".join([*command, *processor, *around, code.header, code.source]).encode())
    folder = cache_directory()
    for kept in _kept(folder, key):
        try:
            return ctypes.CDLL(str(kept))
        except OSError:
            # Whole, and yet no library for this machine: the folder came from another one.
            continue
    try:
        with workspace(folder) as work:
            files = {f"{code.name}.h": code.header, f"{code.name}.c": code.source}
            output = build_library(command, work, files, f"{code.name}.c")
            library = _loaded(command, output)
            # Another process may have made the same library meanwhile: the one replaces the other at once.
            os.replace(output, folder / f"{key}-{_digest(output.read_bytes())}.so")
    except OSError as error:
        raise _unwritable(folder, error) from error
    return library


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def _kept(folder: Path, key: str) -> Iterator[Path]:
    """The libraries with this key that are whole; the others are removed."""
    for path in sorted(folder.glob(f"{key}-*.so")):
        try:
            if path.name == f"{key}-{_digest(path.read_bytes())}.so":
                yield path
            else:
                path.unlink(missing_ok=True)
        except OSError:
            continue


def build_library(command: Sequence[str], folder: Path, files: Mapping[str, str], unit: str) -> Path:
    """Build a shared library in `folder` from one translation unit.

    `unit` names that unit among `files`. Raises `bad-c-compiler`, `CompilerRejection`.
    """
    for name, text in files.items():
        write_together({folder / name: [text.encode("ascii")]})
    output = folder / "out.so"
    build = [*command, unit, "-o", output.name, "-lm"]
    done = _run(build, folder)
    if done.returncode != 0 or not output.is_file():
        _probe(command)
        raise CompilerRejection(f"the emitted C does not compile: {shlex.join(build)}\n{done.stderr}")
    return output


def _run(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise Error(
            "no-c-compiler",
            f"the C compiler '{command[0]}' cannot be run: {error.strerror}",
            hint="install gcc or clang, or name one in the environment variable CC",
        ) from error


def _probe(command: Sequence[str]) -> None:
    """Raise `Error("bad-c-compiler")` if the compiler builds no library at all.

    In that case the emitted C is not at fault.
    """
    with workspace(Path(tempfile.gettempdir())) as work:
        (work / "probe.c").write_text(_PROBE, encoding="ascii")
        # Without our flags and the caller's: one that a compiler doesn't know is not the user's mistake.
        done = _run([*compiler(), "-shared", "-fPIC", "probe.c", "-o", "probe.so"], work)
        if done.returncode == 0 and (work / "probe.so").is_file():
            return
        how = f"ends with status {done.returncode}" if done.returncode else "succeeds, but writes nothing"
        raise _bad_compiler(command, how, done.stderr)


_LOAD = "import ctypes, sys; ctypes.CDLL(sys.argv[1]); print(1)"
"""Script that loads a library in a separate process."""


def _loaded(command: Sequence[str], output: Path) -> ctypes.CDLL:
    """Return the library after a test load in another process.

    A library that is linked with a sanitizer terminates the process that loads it.
    """
    tried = _run([sys.executable, "-I", "-S", "-c", _LOAD, str(output)], output.parent)
    if tried.stdout != "1\n":
        lines = [line.replace(str(output), "the library") for line in tried.stderr.splitlines()]
        # Of an exception the last line alone says why.
        said = lines[-1:] if lines and lines[0].startswith("Traceback") else lines
        raise _bad_compiler(command, "produces a library that cannot be loaded", "\n".join(said))
    try:
        return ctypes.CDLL(str(output))
    except OSError as error:
        raise _bad_compiler(
            command, "produces a library that cannot be loaded", str(error).replace(str(output), "")
        ) from None


def _bad_compiler(command: Sequence[str], how: str, message: str) -> Error:
    said = "; ".join([line.strip() for line in message.splitlines() if line.strip()][:_MESSAGE_LINES])
    return Error(
        "bad-c-compiler",
        f"the C compiler '{command[0]}' {how}" + (f": {said}" if said else ""),
        hint="name one that makes shared libraries for this machine in the environment variable CC",
    )


# ----- where libraries are kept -------------------------------------------------------------------------------


def cache_directory() -> Path:
    """Return the cache folder for compiled models.

    It is `$XDG_CACHE_HOME/loomir/native`, else `~/.cache/loomir/native`, if no other user can write there; else a folder of
    this user among the temporary files; else a folder of this process. Error: `file-unwritable`.
    """
    base = _cache_base()
    if base is not None and _made(base) and _made(base / "loomir"):
        folder = base / "loomir" / "native"
        if _made(folder):
            folder = folder.resolve()
            if _is_private(folder) and _is_safe(folder.parent) and _is_safe(folder.parent.parent):
                return folder
    try:
        folder = Path(tempfile.gettempdir()) / f"loomir-{os.getuid()}"
        return folder if _made(folder) and _is_private(folder) else _folder_of_this_process()
    except OSError as error:
        raise _unwritable(Path(error.filename or "TMPDIR"), error) from error


def _cache_base() -> Path | None:
    """Return this user's cache directory, or None.

    Relative paths are ignored (XDG); a user without a home directory has no cache directory.
    """
    try:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:
        return None
    return base if base.is_absolute() else None


def _made(folder: Path) -> bool:
    """Create a missing folder for this user only.

    Returns True if the folder exists afterwards.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return False
    return True


def _is_private(folder: Path) -> bool:
    """Return True if only this user can write to this user's folder.

    A folder of another user does not qualify.
    """
    try:
        found = folder.lstat()
    except OSError:
        return False
    mine = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022
    return mine and os.access(folder, os.W_OK | os.X_OK)


def _is_safe(folder: Path) -> bool:
    """Return True if no other user can replace this folder's subfolders."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    kept = not found.st_mode & 0o022 or found.st_mode & stat.S_ISVTX
    return bool(kept) and found.st_uid in (os.getuid(), 0)


_own_folders: dict[tuple[str, int], Workspace] = {}
_own_lock = Lock()


def _folder_of_this_process() -> Path:
    """Return a folder that is removed when this process ends.

    A new one is created if it has disappeared, or if the location of temporary files has changed.
    """
    key = tempfile.gettempdir(), os.getpid()
    with _own_lock:
        made = _own_folders.get(key)
        if made is None or not made.path.is_dir() or made.path.lstat().st_uid != os.getuid():
            made = _own_folders[key] = Workspace(Path(key[0]))
            atexit.register(_remove, made, os.getpid())
        return made.path


def _remove(made: Workspace, owner: int) -> None:
    """Remove the folder of a process: not in one forked from it."""
    if os.getpid() == owner:
        made.close()


def _unwritable(folder: Path, error: OSError) -> Error:
    return Error(
        "file-unwritable",
        f"compiled models cannot be cached: {error.strerror or error}",
        file=str(folder),
        hint="set XDG_CACHE_HOME or TMPDIR to a folder of yours with free space",
    )
