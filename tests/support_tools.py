"""The optional tools of this machine: a second C compiler, sanitizers, a C++ compiler, upstream's `mlir-opt`, packages with models.

What wants one that is not here is skipped, and says which. In CI (`LOOMIR_ALL_TESTS=1`) nothing is: there the test runs, and fails for want
of the tool.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

ALL_TESTS = os.environ.get("LOOMIR_ALL_TESTS") == "1"
"""True if every optional tool must be installed."""

MLIR_OPT = "mlir-opt-22"

SANITIZE = ("-Wshadow", "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all", "-g")

_INSTALL = {
    "gcc": "libasan and libubsan come with gcc itself in most distributions",
    "clang": "its run-time library is a package of its own: libclang-rt-<version>-dev in Debian, compiler-rt in others",
}


def needs(tool: str) -> pytest.MarkDecorator:
    """Skips a test where a command is not installed."""
    missing = shutil.which(tool) is None
    return pytest.mark.skipif(missing and not ALL_TESTS, reason=f"{tool} is not installed")


def package_file(package: str, place: str) -> Path:
    """A model that is a file of a package, which is not imported for it. Skips where the package is not (not every Python has each)."""
    spec = importlib.util.find_spec(package)
    if spec is None and not ALL_TESTS:
        pytest.skip(f"{package} is not installed")
    assert spec is not None, package
    assert spec.origin is not None
    return Path(spec.origin).parent / place


@cache
def why_not_sanitized(compiler: str) -> str | None:
    """Why a compiler cannot be used with sanitizers; None if it can.

    A compiler without their run-time library compiles, and fails when it links: so a program is linked and run to know.
    """
    if shutil.which(compiler) is None:
        return f"{compiler} is not installed"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.c"
        source.write_text("int main(void) { return 0; }\n")
        command = [compiler, *SANITIZE, source.name, "-o", "probe"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            last = done.stderr.strip().splitlines()[-1:]
            return f"{compiler} cannot link a sanitized program ({' '.join(last)}): {_INSTALL[compiler]}"
        if subprocess.run([Path(folder) / "probe"], capture_output=True, check=False).returncode != 0:
            return f"{compiler}'s sanitizers do not run here"
    return None


def sanitizing_compilers() -> list[str]:
    """Those of gcc and clang that link sanitized programs here; without one the test is skipped. In CI both must."""
    reasons = {compiler: why_not_sanitized(compiler) for compiler in ("gcc", "clang")}
    missing = [reason for reason in reasons.values() if reason is not None]
    if ALL_TESTS and missing:
        pytest.fail("; ".join(missing))
    if len(missing) == len(reasons):
        pytest.skip("; ".join(missing))
    return [compiler for compiler, reason in reasons.items() if reason is None]


def c_compilers() -> list[str]:
    """Those of gcc and clang that are installed."""
    return [c for c in ("gcc", "clang") if shutil.which(c)]
