"""Running emitted C under sanitizers: what is undefined, reads too far or reads what nobody wrote,
fails here.

The program built has a `main` of its own. Every buffer is allocated with exactly its size, outputs and
arena are poisoned, and both gcc and clang compile the model with every warning as an error.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr

from loomir.compiler.backends.c.emit import CCode, emit_c, write_c
from loomir.compiler.backends.c.header import STATUSES
from loomir.compiler.backends.c.interface import Parameter

STRICT = "-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -ffp-contract=off".split()  # noqa: SIM905
SANITIZE = ["-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all", "-g"]


def c_compilers() -> list[str]:
    """Those of gcc and clang that this machine has."""
    return [c for c in ("gcc", "clang") if shutil.which(c)]


class CStatus(Exception):
    """The emitted function returned an error status, such as `ERROR_INDEX`."""


def compile_strict(code: CCode, folder: Path, compiler: str, flags: Sequence[str] = ("-O2",)) -> Path:
    """The object file of a model, compiled with every warning as an error."""
    write_c(code, folder)
    output = folder / f"{code.name}.{compiler}.o"
    _run([compiler, *STRICT, *flags, "-c", f"{code.name}.c", "-o", output.name], folder)
    return output


def run_sanitized(
    module: ModuleOp,
    feed: Mapping[str, object],
    compilers: Sequence[str] | None = None,
    optimise: str = "-O1",
) -> dict[str, np.ndarray]:
    """The outputs of a LOOPS module's C, built with sanitizers by each compiler; all must give the same
    bits.

    Raises `CStatus` for an error status, `AssertionError` for a warning, a sanitizer's report or a
    disagreement.
    """
    name = module.attributes.get("loomir.name")
    code = emit_c(module, name.data if isinstance(name, StringAttr) else "model")
    again = emit_c(module, code.name)
    assert again.source == code.source, "printing twice gave two texts"
    results: list[dict[str, np.ndarray]] = []
    for compiler in compilers or c_compilers():
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work)
            compile_strict(code, folder, compiler, [optimise, *SANITIZE])
            results.append(_execute(code, feed, folder, compiler))
    assert results, "neither gcc nor clang is here"
    for other in results[1:]:
        for key, value in results[0].items():
            # libm is the same, so a difference means undefined behaviour; but which NaN it is, C leaves open.
            a, b = np.atleast_1d(value), np.atleast_1d(other[key])
            assert a.shape == b.shape, f"compilers disagree on the shape of {key}"
            kept = ~np.isnan(a) if a.dtype.kind == "f" else np.ones(a.shape, np.bool_)
            assert a[kept].tobytes() == b[kept].tobytes(), f"compilers disagree on {key}"
    return results[0]


def _execute(code: CCode, feed: Mapping[str, object], folder: Path, compiler: str) -> dict[str, np.ndarray]:
    arguments = code.signature.pack(feed)
    data = bytearray()
    for p in code.parameters:
        if p.kind in ("input", "input_dim"):
            assert p.argument is not None
            value = arguments[p.argument]
            if not p.by_pointer:
                dtype = np.uintp if p.kind == "input_dim" else p.port.dtype  # pyright: ignore
                value = (
                    np.asarray(value).astype(dtype)
                    if p.kind == "input_dim"
                    else np.asarray(value).view(dtype)
                )
            data += np.asarray(value).tobytes()
    (folder / "in.bin").write_bytes(data)
    (folder / "driver.c").write_text(driver(code, arguments))
    objects = [f"{code.name}.{compiler}.o"]
    _run(
        [compiler, "-std=c99", "-Wall", "-Werror", *SANITIZE, "driver.c", *objects, "-o", "run", "-lm"],
        folder,
    )
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run(["./run"], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{compiler}:\n{done.stderr}\n{code.source}"
    raw = (folder / "out.bin").read_bytes()
    status = STATUSES[int(np.frombuffer(raw[:4], np.int32)[0])]
    if status != "OK":
        raise CStatus(status)
    position = 4
    results: list[object] = [None] * len(code.signature.result_types)
    for p in code.parameters:
        if p.kind not in ("output", "output_dim"):
            continue
        assert p.port is not None
        dtype, count = _shape_of(p)
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


def _shape_of(p: Parameter) -> tuple[np.dtype, int]:
    if p.kind == "output_dim":
        return np.dtype(np.uintp), 1
    assert p.port is not None
    return p.port.storage_dtype, 1 if p.port.in_results else p.port.capacity


def driver(code: CCode, arguments: Sequence[object]) -> str:
    """A `main` that reads in.bin, calls the model and writes status and outputs to out.bin."""
    lines = [
        "#define _POSIX_C_SOURCE 200112L",
        "#include <stdio.h>",
        "#include <stdlib.h>",
        "#include <string.h>",
        f'#include "{code.name}.h"',
        "static void *poisoned(size_t bytes, size_t align)",
        "{",
        "    void *p = NULL;",
        "    if (posix_memalign(&p, align < 8 ? 8 : align, bytes) != 0) abort();",
        "    return memset(p, 0xA5, bytes);",
        "}",
        "static void get(FILE *f, void *p, size_t n) { if (fread(p, 1, n, f) != n) abort(); }",
        "int main(void)",
        "{",
        '    FILE *in = fopen("in.bin", "rb"), *out = fopen("out.bin", "wb");',
        "    int status;",
    ]
    after: list[str] = []
    for k, p in enumerate(code.parameters):
        if p.kind == "arena":
            size = f"{code.arena_bytes}u, {max(8, code.alignment)}u"
            lines.append(f"    void *a{k} = {f'poisoned({size})' if code.arena_bytes else 'NULL'};")
        elif p.kind in ("input", "input_dim"):
            if p.by_pointer:
                assert p.argument is not None
                size = np.asarray(arguments[p.argument]).nbytes
                lines += [f"    void *a{k} = poisoned({size}u, 8);", f"    get(in, a{k}, {size}u);"]
            else:
                lines += [f"    {p.c_type} a{k};", f"    get(in, &a{k}, sizeof a{k});"]
        else:
            dtype, count = _shape_of(p)
            lines.append(f"    void *a{k} = poisoned({dtype.itemsize * count}u, 8);")
            after.append(f"    fwrite(a{k}, 1, {dtype.itemsize * count}u, out);")
    names = ", ".join(f"a{k}" for k in range(len(code.parameters)))
    lines += [f"    status = (int){code.entry}({names});", "    fwrite(&status, 4, 1, out);", *after]
    lines += ["    fclose(in);", "    fclose(out);", "    return 0;", "}", ""]
    return "\n".join(lines)


def _run(command: Sequence[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sources = "\n".join(p.read_text() for p in sorted(folder.glob("*.c")))
        raise AssertionError(f"{' '.join(command)}\n{done.stderr}\n{sources}")
