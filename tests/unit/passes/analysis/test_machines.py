"""Machines: rows, flags that their compilers take, and what passes ask them."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

import loomir
from loomir.passes.analysis import machines as table
from loomir.passes.analysis.machines import Machine, level_of_x86, machine_of, machines, register
from tests.support import raises_error

MODEL = Path(__file__).parents[4] / "examples" / "controlflow.xml"
HERE = {"x86-64": ("x86_64", "AMD64"), "x86-64-v3": ("x86_64", "AMD64"), "x86-64-v4": ("x86_64", "AMD64")}


@pytest.mark.parametrize("name", [*machines(), "native"])
def test_flags_are_taken(name: str, tmp_path: Path) -> None:
    machine = machine_of(name)
    found = next((c for c in machine.compilers if shutil.which(c)), None)
    if found is None or platform.machine() not in HERE.get(name, (platform.machine(),)):
        pytest.skip(f"no compiler for {name} is installed: {', '.join(machine.compilers)}")
    source = tmp_path / "m.c"
    source.write_text("float twice(float x);\nfloat twice(float x) { return x + x; }\n")
    subprocess.run([found, "-std=c99", *machine.flags, "-c", source, "-o", tmp_path / "m.o"], check=True)


def test_levels_of_x86() -> None:
    v3 = {"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"}
    assert level_of_x86(frozenset()) == "x86-64"
    assert level_of_x86(frozenset(v3)) == "x86-64-v3"
    assert level_of_x86(frozenset(v3 | {"avx512f"})) == "x86-64-v3"
    v4 = v3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
    assert level_of_x86(frozenset(v4)) == "x86-64-v4"


def test_passes_ask_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where branches are dear, both are computed."""
    monkeypatch.setattr(table, "_MACHINES", dict(machines()))
    register(Machine(name="dear-branches", branch=1 << 20))
    with raises_error("bad-option"):
        register(Machine(name="generic"))
    assert "ov.if" in loomir.load(MODEL).mlir()
    assert "ov.if" not in loomir.load(MODEL, machine="dear-branches").mlir()


@pytest.mark.parametrize("name", ["z80", "", 4])
def test_machines_that_there_are_not(name: object) -> None:
    with raises_error("bad-option"):
        loomir.load(MODEL, machine=name)  # pyright: ignore[reportArgumentType]
