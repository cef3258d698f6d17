"""`loomir-reduce`, and the checks of `loomir-opt` and `loomir`: what they print and write."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.compiler import pipeline
from loomir.compiler.checking.cases import read_feed, write_case
from loomir.compiler.extensions.loading import unloaded_afterwards
from loomir.compiler.formats.mlir.parser import load_mlir
from loomir.passes.structured.convert_ov_to_linalg import ConvertOvToLinalgPass
from loomir.tools.loomir_main import main as loomir_main
from loomir.tools.loomir_opt import LoomirOpt
from loomir.tools.loomir_reduce import main
from tests.support_planted import (
    CrashPass,
    SwapArmsPass,
    SwapSubtractPass,
    UseBeforeDefinitionPass,
    planted_feed,
    planted_program,
)

PLANTED: tuple[type[ModulePass], ...] = (CrashPass, SwapArmsPass, SwapSubtractPass, UseBeforeDefinitionPass)


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted passes can be named."""
    known = {**pipeline.available_passes(), **{p.name: lambda p=p: p for p in PLANTED}}
    monkeypatch.setattr(pipeline, "available_passes", lambda: known)
    monkeypatch.setattr(LoomirOpt, "register_all_passes", lambda self: self.available_passes.update(known))


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """The planted program and its inputs, as files."""
    return write_case(planted_program(), planted_feed(), tmp_path, "whole")[0]


def fails(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    with pytest.raises(SystemExit) as info:
        main([str(a) for a in arguments])
    assert info.value.code == 1
    return capsys.readouterr().err


@pytest.mark.usefixtures("planted")
def test_a_pass_that_changes_the_result(
    program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "small.mlir"
    main([str(program), "-p", "canonicalize,swap-subtract,cse", "-o", str(output)])
    printed = capsys.readouterr()
    assert "pass 2, swap-subtract: output" in printed.err
    assert "1 operation after" in printed.err
    assert "ov.subtract" in printed.out
    assert "np.array(" in printed.out
    assert load_mlir(output) is not None
    assert read_feed(tmp_path / "small.npz")


@pytest.mark.usefixtures("planted")
def test_given_inputs(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    zeros = {n: np.zeros_like(a) for n, a in planted_feed().items()}
    inputs = write_case(planted_program(), zeros, tmp_path, "zeros")[1]
    arguments = (program, "-p", "swap-subtract", "--inputs", inputs, "-q", "-o", tmp_path / "o.mlir")
    assert "no pass fails on 1 inputs [not-interesting]" in fails(capsys, *arguments)


@pytest.mark.usefixtures("planted")
def test_a_crash(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(program), "-p", "crash-on-nesting", "-q", "-o", str(tmp_path / "o.mlir")])
    printed = capsys.readouterr()
    assert "ends with KeyError" in printed.err
    assert "ov.loop" in printed.out
    assert not (tmp_path / "o.npz").exists()


def test_a_pass_of_an_extension(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A branch on an invariant in a loop, both arms of which become the second one."""
    model = tmp_path / "model.mlir"
    model.write_text(
        """func.func @main(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<3xf32>) -> tensor<3xf32> {
             %y = ov.loop trip(%n) carried(%x) : (tensor<i64>, tensor<3xf32>) -> tensor<3xf32> {
             ^bb0(%i: tensor<i64>, %v: tensor<3xf32>):
               %w = ov.if %c -> (tensor<3xf32>) {
                 %a = ov.add %v, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
                 ov.yield %a : tensor<3xf32>
               } else {
                 %b = ov.tanh %v : (tensor<3xf32>) -> tensor<3xf32>
                 ov.yield %b : tensor<3xf32>
               }
               ov.next carried(%w : tensor<3xf32>)
             }
             func.return %y : tensor<3xf32>
           }"""
    )
    wrong = Path(__file__).parents[2] / "fixtures" / "plugins" / "else_twice.py"
    output = ("--feeds", 20, "-q", "-o", tmp_path / "o.mlir")
    assert "[bad-pipeline]" in fails(capsys, model, "-p", "else-twice", *output)
    with unloaded_afterwards():
        main([str(a) for a in (model, "--extension", wrong, "-p", "ov-infer,else-twice", *output)])
    printed = capsys.readouterr()
    assert "pass 2, else-twice: output" in printed.err
    assert "ov.if" in printed.out
    assert len(printed.out.splitlines()) < 20
    assert "[extension-broken]" in fails(capsys, model, "--extension", tmp_path / "none.py", *output)


def test_two_engines(
    program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = ConvertOvToLinalgPass.apply

    def wrong(self: ConvertOvToLinalgPass, ctx: Context, op: ModuleOp) -> None:
        SwapSubtractPass().apply(ctx, op)
        right(self, ctx, op)

    arguments = (program, "--engine", "graph", "--engine", "structured", "-q", "-o", tmp_path / "o.mlir")
    assert "the engines graph and structured agree on 6 inputs [not-interesting]" in fails(capsys, *arguments)
    monkeypatch.setattr(ConvertOvToLinalgPass, "apply", wrong)
    main([str(a) for a in arguments])
    printed = capsys.readouterr()
    assert "structured differs from graph" in printed.err
    assert "1 operation after" in printed.err
    assert "ov.subtract" in printed.out


@pytest.mark.parametrize("status", [0, 1])
def test_a_command(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], status: int) -> None:
    script = tmp_path / "test.py"
    words = f"sys.exit({status} if 'ov.sigmoid' in open(sys.argv[1]).read() else {1 - status})"
    script.write_text(f"import sys\n{words}\n")
    command = f"{sys.executable} -S {script}"
    arguments = [str(program), "--test", command, "--status", str(status), "-o", str(tmp_path / "o.mlir")]
    main([*arguments, "-q"])
    printed = capsys.readouterr()
    assert "ov.sigmoid" in printed.out
    assert len(printed.out.splitlines()) <= 6


def test_user_errors(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = ("-q", "-o", tmp_path / "o.mlir")
    assert "[not-interesting]" in fails(capsys, program, "--test", "false", *output)
    assert "[bad-option]" in fails(capsys, program, "--engine", "graph", *output)
    assert "[file-unreadable]" in fails(capsys, program, "--inputs", tmp_path / "none.npz", *output)
    assert "[bad-pipeline]" in fails(capsys, program, "-p", "no-such-pass", *output)
    assert "no pass fails on 2 inputs" in fails(
        capsys, program, "--feeds", 1, "--stage", "structured", *output
    )


def test_what_grows_gets_a_capacity(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "grows.onnxtxt"
    path.write_text(
        """<ir_version: 8, opset_import: ["" : 21]>
        g (int64 n, float[2] x) => (float[m, 2] y) {
          y = Loop (n, "") <body = b (int64 i, bool c) => (bool d, float[2] z) { d = Identity (c)  z = Neg (x) }>
        }"""
    )
    message = fails(capsys, path)
    assert "grows.onnxtxt: " in message
    assert "--capacity" in message
    assert "[not-interesting]" in fails(capsys, path, "--capacity", 8)


def opt(*arguments: object) -> None:
    LoomirOpt([str(a) for a in arguments]).run()


@pytest.mark.usefixtures("planted")
def test_opt_checks_each_pass(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "found"
    with pytest.raises(SystemExit):
        opt(program, "-p", "cse,swap-arms", "--check-each-pass", "--check-folder", folder)
    message = capsys.readouterr().err
    assert "loomir-opt: error: after pass 2, swap-arms: output" in message
    assert f"loomir-opt {folder}/reduced.mlir -p swap-arms --check-each-pass" in message
    # The command that it names shows it again.
    inputs = folder / "reduced.npz"
    with pytest.raises(SystemExit):
        opt(
            folder / "reduced.mlir", "-p", "swap-arms", "--check-inputs", inputs, "--reduce-seconds", 0,
            "--check-folder", folder / "again",
        )  # fmt: skip
    assert "after pass 1, swap-arms: output" in capsys.readouterr().err


@pytest.mark.usefixtures("planted")
def test_opt_verifies_each_pass(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        opt(program, "-p", "use-before-definition,canonicalize", "--verify-each")
    assert "[pass-broke-ir]" in capsys.readouterr().err


def test_opt_prints_programs_around_passes(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    opt(program, "-p", "canonicalize,cse,canonicalize", "--print-ir-before", "cse", "--print-ir-after", "cse")
    heads = [line for line in capsys.readouterr().err.splitlines() if line.startswith("// -----//")]
    assert heads == ["// -----// IR Dump Before cse //----- //", "// -----// IR Dump After cse //----- //"]
    opt(program, "-p", "canonicalize,cse", "--print-ir-before-all", "--print-ir-after-all")
    assert capsys.readouterr().err.count("// -----// IR Dump") == 4


def test_loomir_checks_each_pass(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [str(program), "--check-each-pass", "--check-feeds", "2", "--verify-each"]
    x = tmp_path / "x.npy"
    np.save(x, planted_feed()["x"])
    loomir_main(["run", *arguments, "--engine", "structured", "--input", f"x={x}"])
    assert "passes checked" in capsys.readouterr().err
    loomir_main(["compile", *arguments, "-o", str(tmp_path / "c")])
    loomir_main(["inspect", *arguments, "--stage", "loops"])
    passes = sum(map(len, pipeline.PIPELINES.values()))
    counts = f"loomir: {passes} passes checked, {3 * passes} runs agree"
    assert capsys.readouterr().err.splitlines() == [counts, counts]
    with pytest.raises(SystemExit):
        loomir_main(["inspect", str(program), "--check-each-pass", "--check-feeds", "0"])
    assert "[bad-option]" in capsys.readouterr().err
