"""Running emitted C under sanitizers: what is undefined, reads too far or reads what nobody wrote, fails.

Every buffer has exactly its size, outputs and arena are poisoned (`loomir.compiler.engines.native`), and
gcc and clang, those of them that can, compile the model with every warning as an error.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr

from loomir.compiler.engines.native import STRICT, CBuildError, CStatus, build_program, run_program
from loomir.compiler.feeds import Boundary
from loomir.compiler.formats.c.emit import CCode, emit_c, write_c
from tests.support_tools import SANITIZE, sanitizing_compilers

__all__ = ["CBuildError", "CStatus", "compile_strict", "run_sanitized"]


def compile_strict(code: CCode, folder: Path, compiler: str, flags: Sequence[str] = ("-O2",)) -> Path:
    """The object file of a model, compiled with every warning as an error; `CBuildError` for one."""
    write_c(code, folder)
    output = folder / f"{code.name}.{compiler}.o"
    command = [compiler, *STRICT, "-Wshadow", *flags, "-c", f"{code.name}.c", "-o", output.name]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CBuildError(f"{done.stderr}\n{code.header}\n{code.source}")
    return output


def run_sanitized(
    module: ModuleOp,
    feed: Mapping[str, object],
    compilers: Sequence[str] | None = None,
    optimise: str = "-O1",
) -> dict[str, Any]:
    """The outputs of a LOOPS module's C, built with sanitizers by each compiler: all give the same bits.

    Raises `CStatus` for an error status, `CBuildError` for a warning or a sanitizer's report, and
    `AssertionError` for a disagreement.
    """
    name = module.attributes.get("loomir.name")
    code = emit_c(module, name.data if isinstance(name, StringAttr) else "model")
    again = emit_c(module, code.name)
    assert again.source == code.source, "printing twice gave two texts"
    results: list[dict[str, np.ndarray]] = []
    for compiler in compilers or sanitizing_compilers():
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work)
            try:
                build_program(code, folder, compiler=(compiler,), flags=(optimise, *SANITIZE))
                results.append(run_program(code, folder, feed))
            except CBuildError as error:
                raise CBuildError(f"{error}\n{code.source}") from error
    for other in results[1:]:
        for key, value in results[0].items():
            # libm is the same, so a difference means undefined behaviour; but which NaN, C leaves open.
            a, b = np.atleast_1d(value), np.atleast_1d(other[key])
            assert a.shape == b.shape, f"compilers disagree on the shape of {key}"
            kept = ~np.isnan(a) if a.dtype.kind == "f" else np.ones(a.shape, np.bool_)
            assert a[kept].tobytes() == b[kept].tobytes(), f"compilers disagree on {key}"
    return Boundary.of(module).assemble(results[0])
