"""Compilation of many LOOPS modules into one C file and library.

Tests use it, because starting the compiler costs more than their programs do.

Each module has its own prefix (`p17`), with which all its names begin, so that headers and sources can simply be
concatenated into one translation unit.
"""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from loomir.compiler.backends.c.emit import CCode, emit_c
from loomir.compiler.backends.libraries import DoesNotCompile, build_library, library_command
from loomir.compiler.backends.native import CompiledFunction, model_name


def compile_batch(
    modules: Sequence[ModuleOp], *, flags: Sequence[str] = (), alignment: int = 1
) -> list[CompiledFunction | Exception]:
    """Compile each module, returning its function or its error.

    The error is the exception that `emit_c` raised, or `DoesNotCompile`. An invalid program does not affect the others. `flags`
    follow those of the native engine; weights and outputs begin at multiples of `alignment` bytes. No files are left on disk.
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
    for part in _compiled(command, codes):
        for number, code, library in part:
            made = (
                library
                if isinstance(library, DoesNotCompile)
                else CompiledFunction(code, library, model_name(modules[number]), alignment)
            )
            results[number] = made
    return [r for r in results if r is not None]


_Part = list[tuple[int, CCode, ctypes.CDLL | DoesNotCompile]]


def _compiled(command: Sequence[str], codes: Sequence[tuple[int, CCode]]) -> list[_Part]:
    """Pair the codes with their library, bisecting units that do not compile.

    All codes share one library; if the unit does not compile, each half is compiled in the same way.
    """
    if not codes:
        return []
    try:
        library = _library(command, [code for _, code in codes])
    except DoesNotCompile as error:
        if len(codes) == 1:
            return [[(*codes[0], error)]]
        middle = len(codes) // 2
        return _compiled(command, codes[:middle]) + _compiled(command, codes[middle:])
    return [[(number, code, library) for number, code in codes]]


def _library(command: Sequence[str], codes: Sequence[CCode]) -> ctypes.CDLL:
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
