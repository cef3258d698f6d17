"""Native engine: compiles a LOOPS module's C and calls it.

It uses the system's compiler. Weights are passed by pointer, so that a large model compiles as fast as a small one. Compiled
models are cached (see `libraries`).

`compile_batch` compiles many LOOPS modules as one C file and library. Tests use it, because starting the compiler costs more
than their programs do. Each module has its own prefix (`p17`), with which all its names begin, so that headers and sources can
simply be concatenated into one translation unit.

`build_program` compiles emitted C as a standalone program, with a `main` around it that reads the inputs from a file and writes
the outputs to one. The demonstration uses it to show that the C needs nothing but a compiler; tests build it with sanitizers.
Buffers have exactly the size that the header specifies and are filled with 0xA5 before the call.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.engines.compiled import CompiledFunction
from loomir.compiler.engines.libraries import (
    CompilerRejection,
    build_library,
    library_command,
    shared_library,
)
from loomir.compiler.feeds.signature import ARENA_FILL
from loomir.compiler.formats.c.emit import CCode, emit_c, write_c
from loomir.compiler.formats.c.header import STATUSES, Parameter
from loomir.dialects.interface import program_name
from loomir.passes.analysis.machines import machine_of


class NativeFunction(CompiledFunction):
    """A LOOPS module as a function of numpy arrays.

    `NativeFunction(module)` compiles (or finds the compiled library); calling it with a feed gives the outputs.
    """

    def __init__(self, module: ModuleOp, *, flags: Sequence[str] = (), machine: str = "generic") -> None:
        """Compile a LOOPS module with the system's compiler.

        `flags` follow the default ones and those of the `machine` that the module was lowered for. Raises `bad-option`,
        `no-c-compiler`, `bad-c-compiler`, `file-unwritable`, and the errors of `emit_c`.
        """
        # One name for all models: the prefix is invisible here, and equal programs share a library.
        code = emit_c(module, "model", weights="pointer")
        what_for = machine_of(machine)
        library = shared_library(code, flags, what_for)
        super().__init__(code, library, model_name(module), what_for.alignment)


def model_name(module: ModuleOp) -> str:
    """Return the model name that errors mention."""
    return program_name(module) or "model"


def compile_batch(
    modules: Sequence[ModuleOp], *, flags: Sequence[str] = (), alignment: int = 1
) -> list[CompiledFunction | Exception]:
    """Compile each module, returning its function or its error.

    The error is the exception that `emit_c` raised, or `CompilerRejection`. An invalid program does not affect the others. `flags`
    follow those of the native engine; weights and outputs begin at multiples of `alignment` bytes, and buffers are poisoned in each
    call. No files are left on disk.
    Raises `no-c-compiler`.
    """
    results: list[CompiledFunction | Exception | None] = [None] * len(modules)
    codes: list[tuple[int, CCode]] = []
    for number, module in enumerate(modules):
        try:
            codes.append((number, emit_c(module, f"p{number}", weights="pointer")))
        except Exception as error:
            # Whatever it is, it belongs to this program; the caller judges it.
            results[number] = error
    command = library_command(flags)
    for part in _compile_units(command, codes):
        for number, code, library in part:
            if isinstance(library, CompilerRejection):
                results[number] = library
                continue
            results[number] = made = CompiledFunction(code, library, model_name(modules[number]), alignment)
            made.fill = ARENA_FILL
    return [r for r in results if r is not None]


_CompiledUnit = list[tuple[int, CCode, ctypes.CDLL | CompilerRejection]]


def _compile_units(command: Sequence[str], codes: Sequence[tuple[int, CCode]]) -> list[_CompiledUnit]:
    """Pair the codes with their library, bisecting units that do not compile.

    All codes share one library; if the unit does not compile, each half is compiled in the same way.
    """
    if not codes:
        return []
    try:
        library = _load_unit(command, [code for _, code in codes])
    except CompilerRejection as error:
        if len(codes) == 1:
            return [[(*codes[0], error)]]
        middle = len(codes) // 2
        return _compile_units(command, codes[:middle]) + _compile_units(command, codes[middle:])
    return [[(number, code, library) for number, code in codes]]


def _load_unit(command: Sequence[str], codes: Sequence[CCode]) -> ctypes.CDLL:
    with tempfile.TemporaryDirectory(prefix="loomir-batch-") as work:
        path = build_library(command, Path(work), {"batch.c": unit_text(codes)}, "batch.c")
        # A loaded library stays although its file goes.
        return ctypes.CDLL(str(path))


def unit_text(codes: Sequence[CCode]) -> str:
    """One translation unit of all codes, whose prefixes must differ."""
    assert len({code.name for code in codes}) == len(codes), "two codes with one prefix"
    parts: list[str] = []
    for code in codes:
        include = f'#include "{code.name}.h"\n'
        assert include in code.source, code.name
        parts += [code.header, code.source.replace(include, "", 1)]
    return "\n".join(parts)


STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-ffp-contract=off")
"""Compiler flags under which emitted C compiles without warnings."""


class CStatus(Exception):
    """Error status that the model returned.

    The message is the status name without the prefix, such as `ERROR_INDEX`.
    """


class CBuildError(Exception):
    """Failure to compile or run emitted C, which is a loomir bug.

    The compiler rejected the C, or the program crashed; the message quotes the compiler.
    """


def build_program(
    code: CCode, folder: Path, *, compiler: Sequence[str] = ("cc",), flags: Sequence[str] = ("-O2",)
) -> None:
    """Build the program `run` in the folder.

    This writes `<name>.c`, `<name>.h` and `driver.c` there. Error: `CBuildError`.
    """
    write_c(code, folder)
    (folder / "driver.c").write_text(driver(code))
    _call([*compiler, *STRICT, *flags, "-c", f"{code.name}.c", "-o", f"{code.name}.o"], folder)
    _call(
        [*compiler, "-std=c99", "-Wall", "-Werror", *flags, "driver.c", f"{code.name}.o", "-o", "run", "-lm"],
        folder,
    )


def run_program(code: CCode, folder: Path, feed: Mapping[str, object]) -> dict[str, np.ndarray]:
    """Run a program that `build_program` built and return its outputs.

    Errors: `CStatus`, `CBuildError` (with a sanitizer's report).
    """
    arguments = code.signature.pack(feed)
    data = bytearray()
    for p in code.parameters:
        if p.kind == "input_dim":
            assert p.argument is not None
            data += np.asarray(arguments[p.argument]).astype(np.uintp).tobytes()
        elif p.kind == "input":
            assert p.argument is not None
            array = np.ascontiguousarray(np.asarray(arguments[p.argument]))
            data += np.uint64(array.nbytes).tobytes() * p.by_pointer + array.tobytes()
    (folder / "in.bin").write_bytes(data)
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run(["./run"], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CBuildError(done.stderr)
    return _read_outputs(code, arguments, (folder / "out.bin").read_bytes())


def _read_outputs(code: CCode, arguments: list, raw: bytes) -> dict[str, np.ndarray]:
    status = STATUSES[int(np.frombuffer(raw[:4], np.int32)[0])]
    if status != "OK":
        raise CStatus(status)
    position = 4
    results: list[object] = [None] * len(code.signature.result_types)
    for p in code.parameters:
        if p.kind not in ("output", "output_dim"):
            continue
        assert p.port is not None
        dtype, count = _storage(p)
        array = np.frombuffer(raw, dtype, count, position)
        position += array.nbytes
        if p.kind == "output_dim":
            results[p.port.dims[p.dimension]] = int(array[0])
        elif p.port.in_results:
            results[p.port.position] = array.reshape(())[()]
        else:
            assert p.argument is not None
            arguments[p.argument] = array.reshape(p.port.storage_shape)
    return code.signature.unpack(arguments, results)


def _storage(p: Parameter) -> tuple[np.dtype, int]:
    if p.kind == "output_dim":
        return np.dtype(np.uintp), 1
    assert p.port is not None
    return p.port.storage_dtype, 1 if p.port.in_results else p.port.capacity


def driver(code: CCode) -> str:
    """Return the text of a `main` that calls the model once.

    It reads in.bin and writes the status and the outputs to out.bin.
    """
    lines = [
        "int main(void)",
        "{",
        '    FILE *in = fopen("in.bin", "rb"), *out = fopen("out.bin", "wb");',
        "    if (in == NULL || out == NULL) { return 2; }",
    ]
    after: list[str] = []
    for k, p in enumerate(code.parameters):
        if p.kind == "arena":
            value = (
                f"poisoned({code.arena_bytes}u, {max(8, code.alignment)}u)" if code.arena_bytes else "NULL"
            )
            lines.append(f"    void *a{k} = {value};")
        elif p.kind in ("input", "input_dim") and p.by_pointer:
            lines.append(f"    void *a{k} = input(in);")
        elif p.kind in ("input", "input_dim"):
            lines += [f"    {p.c_type} a{k};", f"    get(in, &a{k}, sizeof a{k});"]
        else:
            dtype, count = _storage(p)
            size = dtype.itemsize * count
            lines.append(f"    void *a{k} = poisoned({size}u, sizeof(void *));")
            after.append(f"    fwrite(a{k}, 1, {size}u, out);")
    names = ", ".join(f"a{k}" for k in range(len(code.parameters)))
    lines += [
        f"    int32_t status = (int32_t){code.entry}({names});",
        "    fwrite(&status, 4, 1, out);",
        *after,
    ]
    lines += ["    fclose(in);", "    fclose(out);", "    return 0;", "}", ""]
    body = "\n".join(lines)
    # Only what is called: an unused static function is a warning.
    helpers: list[str] = []
    for name, text in reversed(_HELPERS.items()):
        if f"{name}(" in body or any(f"{name}(" in h for h in helpers):
            helpers.insert(0, text)
    return "\n".join([_INCLUDES, f'#include "{code.name}.h"', *helpers, body])


_INCLUDES = """#define _POSIX_C_SOURCE 200112L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>"""

_HELPERS = {
    "poisoned": """static void *poisoned(size_t bytes, size_t align)
{
    /* Static: gcc 12 takes what posix_memalign stores for the address of p itself (-Wdangling-pointer). */
    static void *p;
    if (posix_memalign(&p, align, bytes) != 0) { abort(); }
    return memset(p, 0xA5, bytes);
}""",
    "get": "static void get(FILE *f, void *p, size_t n) { if (fread(p, 1, n, f) != n) { abort(); } }",
    "input": """static void *input(FILE *f)
{
    uint64_t n;
    get(f, &n, sizeof n);
    void *p = poisoned((size_t)n, sizeof(void *));
    get(f, p, (size_t)n);
    return p;
}""",
}


def _call(command: Sequence[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CBuildError(f"{' '.join(command)}\n{done.stderr}")
