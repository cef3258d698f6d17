"""The native engine: the C of a LOOPS module, compiled with the system's compiler and called.

Weights are handed over by pointer, so that a large model compiles as fast as a small one, and a
compiled model is kept: its shared library is named after a hash of source, compiler and flags.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr

from loomir.compiler.backends.c.emit import CCode, emit_c, write_atomically
from loomir.compiler.backends.c.header import STATUSES
from loomir.errors import Error

FLAGS = ("-std=c99", "-O2", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
"""Nothing that changes a result: nobody reads `errno` or the floating-point exceptions, and where nobody does, square
roots and choices between numbers need no branches."""

_SCALARS: dict[str, type] = {
    "bool": ctypes.c_bool,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "size_t": ctypes.c_size_t,
    **{f"int{n}_t": getattr(ctypes, f"c_int{n}") for n in (8, 16, 32, 64)},
    **{f"uint{n}_t": getattr(ctypes, f"c_uint{n}") for n in (8, 16, 32, 64)},
}


class CompiledFunction:
    """C code as a function of numpy arrays: `CompiledFunction(code, library)(feed)` gives the outputs.

    It keeps nothing between calls and may be called from several threads. Several may share one library.
    """

    def __init__(self, code: CCode, library: ctypes.CDLL, model: str) -> None:
        """`library` has the function `code.entry`; `model` is the name that errors mention."""
        self.code = code
        self.model = model
        self._run = getattr(library, code.entry)
        self._run.restype = ctypes.c_int
        self._run.argtypes = [
            ctypes.c_void_p if p.by_pointer else _SCALARS[p.c_type] for p in code.parameters
        ]

    def __call__(self, feed: Mapping[str, object]) -> dict[str, np.ndarray]:
        """Run the model. Raises the errors of `Signature.pack`, and `runtime-index`, `runtime-capacity`,
        `runtime-limit`, `runtime-shape` where the model does."""
        signature = self.code.signature
        arguments = signature.pack(feed)
        results: list[object] = [None] * len(signature.result_types)
        weights = iter(self.code.weights)
        values: list[object] = []
        cells: list[tuple[int, np.ndarray]] = []
        for p in self.code.parameters:
            if p.kind == "weight":
                values.append(next(weights).ctypes.data)
            elif p.kind in ("output", "output_dim") and p.argument is None:
                # A result of `main` leaves through a pointer to one element.
                assert p.port is not None
                dim = p.kind == "output_dim"
                cell = np.zeros((), np.uintp if dim else p.port.storage_dtype)
                cells.append((p.port.dims[p.dimension] if dim else p.port.position, cell))
                values.append(cell.ctypes.data)
            elif p.argument is None:
                values.append(None)
            else:
                value = arguments[p.argument]
                values.append(value.ctypes.data if p.by_pointer else _scalar(value, p.c_type))  # pyright: ignore
        status = STATUSES[self._run(*values)]
        if status != "OK":
            raise _failed(status, self.model)
        for position, cell in cells:
            results[position] = cell[()]
        return signature.unpack(arguments, results)


class NativeFunction(CompiledFunction):
    """A LOOPS module as a function of numpy arrays.

    `NativeFunction(module)` compiles (or finds the compiled library); calling it with a feed gives the outputs.
    """

    def __init__(self, module: ModuleOp, *, flags: Sequence[str] = ()) -> None:
        """`flags` come behind the usual ones. Raises `no-c-compiler` and what `emit_c` raises."""
        # One name for all models: the prefix is invisible here, and equal programs share a library.
        code = emit_c(module, "model", weights="pointer")
        super().__init__(code, ctypes.CDLL(str(shared_library(code, flags))), model_name(module))


def model_name(module: ModuleOp) -> str:
    """What errors call the model of a module."""
    name = module.attributes.get("loomir.name")
    return name.data if isinstance(name, StringAttr) else "model"


def _scalar(value: object, c_type: str) -> object:
    """A number as ctypes takes it; 16-bit floats as their bits."""
    array = np.asarray(value)
    if c_type == "uint16_t":
        return int(array.view(np.uint16))
    number = array.item()
    return number


def _failed(status: str, model: str) -> Error:
    if status == "ERROR_INDEX":
        return Error("runtime-index", "an index computed from the data is out of range", layer=model)
    if status == "ERROR_CAPACITY":
        return Error(
            "runtime-capacity",
            "a tensor grew beyond its bound",
            layer=model,
            hint="fix the model's input shapes (shapes=, --shape), from which the bound is worked out",
        )
    if status == "ERROR_LIMIT":
        return Error(
            "runtime-limit", "a loop ran longer than it may", layer=model, hint="see --max-iterations"
        )
    assert status == "ERROR_SHAPE", status
    return Error("runtime-shape", "shapes that must agree do not", layer=model)


def compiler() -> list[str]:
    """The C compiler's command: `$CC`, else `cc`. Raises `no-c-compiler`."""
    command = shlex.split(os.environ.get("CC", "")) or ["cc"]
    if shutil.which(command[0]) is None:
        raise Error(
            "no-c-compiler",
            f"the native engine needs a C compiler, and there is no '{command[0]}'",
            hint="install gcc or clang, or name one in the environment variable CC",
        )
    return command


def library_command(flags: Sequence[str]) -> list[str]:
    """What compiles a shared library, `flags` behind the usual ones. Raises `no-c-compiler`."""
    return [*compiler(), *FLAGS, *flags, "-shared", "-fPIC"]


def shared_library(code: CCode, flags: Sequence[str]) -> Path:
    """The path of the compiled code, compiled now unless the cache has it."""
    command = library_command(flags)
    key = "\0".join([*command, code.header, code.source])
    digest = hashlib.sha256(key.encode()).hexdigest()[:32]
    folder = cache_directory()
    library = folder / f"{digest}.so"
    if library.exists():
        return library
    with tempfile.TemporaryDirectory(dir=folder) as work:
        files = {f"{code.name}.h": code.header, f"{code.name}.c": code.source}
        output = build_library(command, Path(work), files, f"{code.name}.c")
        # Another process may have made the same library meanwhile: the one replaces the other at once.
        os.replace(output, library)
    return library


class DoesNotCompile(RuntimeError):
    """The C compiler refused what we emitted: a defect of ours, never the user's."""


def build_library(command: Sequence[str], folder: Path, files: Mapping[str, str], unit: str) -> Path:
    """A shared library in `folder` from the one translation unit `unit` of `files`. Raises `DoesNotCompile`."""
    for name, text in files.items():
        write_atomically(folder / name, text)
    output = folder / "out.so"
    build = [*command, unit, "-o", output.name, "-lm"]
    done = subprocess.run(build, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise DoesNotCompile(f"the emitted C does not compile: {shlex.join(build)}\n{done.stderr}")
    return output


def cache_directory() -> Path:
    """`$XDG_CACHE_HOME/loomir`, else `~/.cache/loomir`, else a folder of this user's among temporary
    files.
    """
    base = os.environ.get("XDG_CACHE_HOME")
    folder = (Path(base) if base else Path.home() / ".cache") / "loomir" / "native"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        # A library that anybody could replace must not be loaded: the folder is the user's alone.
        folder = Path(tempfile.gettempdir()) / f"loomir-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.stat().st_uid != os.getuid() or folder.stat().st_mode & 0o077:
            raise
    return folder
