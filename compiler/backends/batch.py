"""Many LOOPS modules in one C file and one library: for tests, where starting the compiler costs more than the programs.

Each module has a prefix of its own (`p17`), which all its names begin with, so that headers and sources simply follow each
other in one translation unit.
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
    """A function for each module, or why there is none: what `emit_c` raised, or `DoesNotCompile`.

    One program that is wrong hides no other. `flags` come behind those of the native engine; weights and outputs begin at multiples
    of `alignment` bytes. Nothing is left on disk. Raises `no-c-compiler`.
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
    """The codes with their library: one for all, or, where the unit does not compile, for each half of them again."""
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
