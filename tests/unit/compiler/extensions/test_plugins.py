"""Stages of passes, dialects, targets and machines of extensions; what loads the same extensions again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def
from xdsl.passes import ModulePass
from xdsl.utils.target import Target

import loomir
from loomir.compiler.checking.checker import check_each_pass
from loomir.compiler.extensions import named_sources
from loomir.compiler.extensions.loading import unloaded_afterwards
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.universe import accepted_stages, added_dialects, added_targets, folder_of
from loomir.passes.analysis.machines import Machine, machines
from loomir.tools.loomir_main import main as loomir_main
from loomir.tools.loomir_opt import LoomirOpt
from tests.support import raises_error
from tests.support_extensions import load


@irdl_op_definition
class TwiceOp(IRDLOperation):
    name = "acme.twice"
    value = operand_def(f32)
    result = result_def(f32)
    assembly_format = "$value attr-dict"


@dataclass(frozen=True)
class Names(Target):
    """The names of all operations."""

    name = "acme-names"

    separator: str = " "

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(self.separator.join(op.name for op in module.walk()) + "\n")


def pass_class(stage: object) -> type[ModulePass]:
    @dataclass(frozen=True)
    class AcmePass(ModulePass):
        name = "acme-pass"
        STAGE = stage

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            raise ValueError("not this one")

    return AcmePass


PROGRAM = """func.func @f(%a: f32) -> f32 {
  %r = acme.twice %a
  func.return %r : f32
}
"""
GRAPH = """func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %r = ov.relu %a : (tensor<8xf32>) -> tensor<8xf32>
  func.return %r : tensor<8xf32>
}
"""


@pytest.fixture
def extension() -> Iterator[loomir.Extension]:
    with unloaded_afterwards():
        yield loomir.Extension("acme")


def test_the_stage_of_a_pass(extension: loomir.Extension, tmp_path: Path, capsys) -> None:
    extension.named_pass(pass_class("loops"))
    load(extension)
    assert folder_of("acme-pass") == "loops"
    assert accepted_stages("acme-pass") == ("structured", "loops")
    program = tmp_path / "p.mlir"
    program.write_text(GRAPH)
    with pytest.raises(SystemExit):
        LoomirOpt([str(program), "-p", "acme-pass"]).run()
    told = "acme-pass takes programs of the structured and loops stage"
    assert told in capsys.readouterr().err


def test_a_pass_without_a_stage_takes_any(extension: loomir.Extension) -> None:
    @extension.named_pass
    @dataclass(frozen=True)
    class AnyPass(ModulePass):
        name = "acme-any"

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            pass

    load(extension)
    assert (folder_of("acme-any"), accepted_stages("acme-any")) == ("", ())


@pytest.mark.parametrize("stage", ["later", "general", 3])
def test_an_unknown_stage(extension: loomir.Extension, stage: object) -> None:
    extension.named_pass(pass_class(stage))
    with raises_error("bad-stage", "acme-pass", "front, graph, structured, loops"):
        load(extension)


class NoPass:
    name = "acme-none"


@pytest.mark.parametrize("wrong", [*("a,b", "", "-a", "1", 3, None), NoPass, NoPass()])
def test_what_pipelines_cannot_name(extension: loomir.Extension, wrong: object) -> None:
    named = pass_class("graph")
    if isinstance(wrong, str | int | None):
        named.name = wrong
        wrong = named
    extension.named_pass(wrong)
    with raises_error("bad-option", " is not a"):
        load(extension)


def test_a_pass_is_not_called_like_a_level(extension: loomir.Extension) -> None:
    named = pass_class("graph")
    named.name = "O2"
    extension.named_pass(named)
    with raises_error("extension-clash", "O2"):
        load(extension)


def test_a_dialect_is_parsed_and_printed(extension: loomir.Extension, tmp_path: Path, capsys) -> None:
    with raises_error("mlir-syntax", "acme.twice"):
        parse_module(PROGRAM)
    extension.dialect(Dialect("acme", [TwiceOp]))
    load(extension)
    assert "acme.twice" in str(parse_module(PROGRAM))
    program = tmp_path / "p.mlir"
    program.write_text(PROGRAM)
    LoomirOpt([str(program), "-p", "cse"]).run()
    assert "%r = acme.twice %a" in capsys.readouterr().out


def test_a_target(extension: loomir.Extension, tmp_path: Path, capsys) -> None:
    extension.dialect(Dialect("acme", [TwiceOp]))
    assert extension.target(Names) is Names
    load(extension)
    program = tmp_path / "p.mlir"
    program.write_text(PROGRAM)
    LoomirOpt([str(program), "-t", 'acme-names{separator=","}']).run()
    assert capsys.readouterr().out == "builtin.module,func.func,acme.twice,func.return\n"


def test_a_machine(extension: loomir.Extension, tmp_path: Path, capsys) -> None:
    machine = Machine(name="acme-dsp", lanes=4, alignment=16)
    assert extension.machine(machine) is machine
    load(extension)
    assert machines()["acme-dsp"] is machine
    program = tmp_path / "p.mlir"
    program.write_text(GRAPH)
    loomir_main(["compile", str(program), "--machine", "acme-dsp", "-o", str(tmp_path)])
    capsys.readouterr()
    assert "vector_size" in next(tmp_path.glob("*.c")).read_text()


def test_everything_is_taken_back() -> None:
    with unloaded_afterwards():
        extension = loomir.Extension("acme")
        extension.dialect(Dialect("acme", [TwiceOp]))
        extension.target(Names)
        extension.machine(Machine(name="acme-dsp"))
        extension.named_pass(pass_class("graph"))
        load(extension)
        assert "acme" in added_dialects
        assert "acme-names" in added_targets
    assert not added_dialects
    assert not added_targets
    assert "acme-dsp" not in machines()
    assert folder_of("acme-pass") == ""


@pytest.mark.parametrize("name", ["ov", "arith", "onnx"])
def test_a_dialect_that_is_there(extension: loomir.Extension, name: str) -> None:
    extension.dialect(Dialect(name))
    with raises_error("extension-clash", f"a dialect {name} exists already"):
        load(extension)


@pytest.mark.parametrize("name", ["c", "mlir"])
def test_a_target_that_is_there(extension: loomir.Extension, name: str) -> None:
    extension.target(type("Other", (Names,), {"name": name}))
    with raises_error("extension-clash", f"a target {name} exists already"):
        load(extension)


def test_a_machine_that_is_there(extension: loomir.Extension) -> None:
    extension.machine(Machine(name="generic"))
    with raises_error("bad-option", "generic"):
        load(extension)


WRONG = """import loomir
from dataclasses import dataclass
from loomir.dialects.ov.operators.elementwise_binary import AddOp, SubtractOp
from xdsl.passes import ModulePass

extension = loomir.Extension("wrong")


@extension.named_pass
@dataclass(frozen=True)
class WrongPass(ModulePass):
    name = "wrong-sums"
    EXACT = True

    def apply(self, ctx, op):
        for each in [o for o in op.walk() if isinstance(o, AddOp)]:
            made = SubtractOp.make(*each.operands)
            each.parent.insert_op_before(made, each)
            each.results[0].replace_all_uses_with(made.results[0])
"""


def test_the_command_that_repeats_a_failure_loads_the_extension(tmp_path: Path) -> None:
    file = tmp_path / "wrong one.py"
    file.write_text(WRONG)
    module = parse_module(
        "func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %r = ov.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n  func.return %r : tensor<2xf32>\n}"
    )
    with unloaded_afterwards():
        loomir.load_extension(file)
        assert named_sources() == [str(file)]
        with raises_error("pass-changed-result", f"-p wrong-sums --extension '{file}' --check-each-pass"):
            check_each_pass(module, "wrong-sums")
    assert named_sources() == []
