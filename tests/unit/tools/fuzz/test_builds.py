"""Builds of native code: which there are, what each is compiled with, which of them a case gets."""

from __future__ import annotations

import os
import shlex
import sys
from collections import Counter
from itertools import pairwise

import numpy as np
import onnx
import pytest

import loomir
from loomir.compiler.engines import libraries
from loomir.compiler.engines.native import compile_batch
from loomir.passes.analysis import machines
from loomir.passes.analysis.machines import machine_of, runs_here
from loomir.tools.fuzz import builds as module
from loomir.tools.fuzz.builds import (
    FLAGS,
    Build,
    as_options,
    build_for,
    builds,
    compilers,
    usual_compilers,
    usual_machines,
)
from tests.support import raises_error

MODEL = '<ir_version: 8, opset_import: ["" : 21]> g (float[19] x) => (float[19] y) { y = Mul (x, x) }'
X86 = runs_here(machine_of("x86-64"))


def test_the_rotation_has_everything_once_and_neighbours_differ() -> None:
    given = builds(["native", "generic", "x86-64-v3"], ["cc", "cc"], list(FLAGS))
    assert Counter(given) == Counter(
        Build(m, "cc", f) for m in ("native", "generic", "x86-64-v3") for _ in range(2) for f in FLAGS
    )
    assert all(a.machine != b.machine for a, b in pairwise(given))
    assert len({b.flags for b in given[:4]}) > 1
    assert builds()[0] == Build("native", usual_compilers()[0], "O2")
    assert set(usual_machines()) >= {"native", "generic"}


def test_a_case_keeps_its_build() -> None:
    given = builds()
    assert build_for("ov.add 0", given) == build_for("ov.add 0", given)
    assert len({build_for(f"case {k}", given) for k in range(1000)}) == len(given)


def test_a_build_is_what_the_native_engine_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment says it, and is as it was afterwards."""
    monkeypatch.setenv("LOOMIR_MACHINE", "generic")
    monkeypatch.delenv("CC", raising=False)
    chosen = Build("x86-64", "ziglang")
    with chosen.chosen():
        assert os.environ["LOOMIR_MACHINE"] == "x86-64"
        assert libraries.compiler() == [sys.executable, "-m", "ziglang", "cc"]
    assert os.environ["LOOMIR_MACHINE"] == "generic"
    assert "CC" not in os.environ
    monkeypatch.setenv("CC", "some 'other one'")
    with Build("generic", "cc").chosen():
        assert os.environ["CC"] == "some 'other one'"


@pytest.mark.parametrize("compiler", sorted(compilers()))
def test_each_compiler_makes_what_runs(compiler: str) -> None:
    for machine in usual_machines():
        build = Build(machine, compiler)
        with build.chosen():
            model = loomir.load(onnx.parser.parse_model(MODEL)).for_machine(machine)
            lowered = model.lowered("loops")
            (function,) = compile_batch([lowered], flags=build.compiler_flags, alignment=build.alignment)
            assert not isinstance(function, Exception)
            if build.runs:
                x = np.arange(19, dtype=np.float32)
                np.testing.assert_array_equal(function({"x": x})["y"], x * x)


@pytest.mark.skipif(not X86, reason="levels of x86-64")
@pytest.mark.parametrize("compiler", sorted(compilers()))
def test_each_compiler_knows_the_levels_of_x86(compiler: str) -> None:
    """`zig cc` by names of its own: without flags it would compile for this processor, whichever level is meant."""
    for machine in ("x86-64", "x86-64-v3", "x86-64-v4"):
        flags = Build(machine, compiler).compiler_flags
        assert any(
            f in flags
            for f in (f"-march={machine}", f"-mcpu={machine.replace('-', '_', 1).replace('-', '_')}")
        )


@pytest.mark.skipif(not X86, reason="levels of x86-64")
def test_what_the_processor_lacks_is_compiled_only(monkeypatch: pytest.MonkeyPatch) -> None:
    for where in (module, libraries, machines):
        monkeypatch.setattr(where, "runs_here", lambda machine: machine.name in ("native", "x86-64"))
    assert Build("x86-64").runs
    assert Build("native").runs
    assert Build("generic").runs
    # Another architecture's vectors are GNU C, which any processor runs.
    assert all(Build("cortex-a53", compiler).runs for compiler in compilers())
    assert not Build("x86-64-v4").runs
    assert Build("x86-64-v4").compiler_flags[0] in ("-march=x86-64-v4", "-mcpu=x86_64_v4")


def test_names_that_there_are_not() -> None:
    with raises_error("bad-option", "machine='z80'"):
        builds(["z80"])
    with raises_error("bad-option", "unknown compiler 'tcc'", "known: cc"):
        builds(None, ["tcc"])
    with raises_error("bad-option", "unknown flags 'O9'", "O1-trap"):
        builds(flags=["O9"])


def test_options_that_name_them_give_them_again() -> None:
    assert as_options(builds(["native", "generic"], ["cc"], ["O2", "O0"])) == (
        "--machines native,generic --compilers cc --c-flags O2,O0"
    )


def test_clang_is_ziglang_s_where_there_is_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.shutil, "which", lambda name: "/usr/bin/gcc" if name == "gcc" else None)
    monkeypatch.delenv("CC", raising=False)
    assert shlex.join(compilers()["clang"]) == f"{sys.executable} -m ziglang cc"
    assert usual_compilers() == ("gcc", "clang")
    monkeypatch.setenv("CC", "icx")
    assert usual_compilers() == ("cc",)
