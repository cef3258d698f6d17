"""Engines in processes of their own: the protocol with an engine made for the purpose, those that are installed."""

from __future__ import annotations

import ast
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from corpus import PROGRAMS
from engines.process import HERE, Failure, Process, Refused, TooSlow, python_of, version_of
from in_lax import functions_of
from loops import ALL, corpus_programs, in_process
from make_corpus import make
from programs import loop_if
from runners import Build, Loomir, OnnxRuntime, check, shape_of
from scan_stack import scan_stack

import loomir
from loomir.compiler.files import write_arrays
from loomir.compiler.formats.c.emit import emit_c
from tests.support_tools import needs

DOUBLING = """
import os, sys, time
sys.path.insert(0, {benchmarks!r})
import numpy as np
from engines.protocol import Prepared, mean_of, serve

def prepare(model, feed, *arguments):
    print("noise of the engine")
    {prepare}
    def call():
        {call}
        return feed["x"] * 2
    inside = mean_of(lambda count: count / 8) if "inside" in arguments else None
    return Prepared(call, lambda y: {{"y": y}}, inside)

serve("Doubling 1.0", prepare)
"""


def engine(folder: Path, *, prepare: str = "pass", call: str = "pass") -> list[str]:
    """The command of an engine that doubles `x`, and does something else before."""
    text = DOUBLING.format(benchmarks=str(HERE.parent), prepare=prepare, call=call)
    (folder / "engine.py").write_text(textwrap.dedent(text))
    return [sys.executable, str(folder / "engine.py")]


def start(folder: Path, command: list[str], *arguments: str, seconds: float = 60) -> Process:
    (folder / "model.onnx").touch()
    write_arrays(folder / "feed.npz", {"x": np.arange(3.0)})
    return Process(command, folder, "wall", arguments, seconds)


def test_runs_and_feeds(tmp_path: Path) -> None:
    with closing(start(tmp_path, engine(tmp_path), "inside")) as process:
        assert process.outputs["y"].tolist() == [0, 2, 4]
        assert process.run() >= 0
        process.feed({"x": np.ones((2, 2))})
        assert process.outputs["y"].tolist() == [[2, 2], [2, 2]]
        assert process.inside() == 1 / 8
        assert process.peak_bytes() > 1 << 20


def test_an_engine_that_cannot_tell_refuses(tmp_path: Path) -> None:
    with closing(start(tmp_path, engine(tmp_path))) as process:
        with pytest.raises(Refused, match="no such measure"):
            process.inside()
        assert process.run() >= 0


@pytest.mark.parametrize(
    ("where", "does", "error", "says"),
    [
        ("prepare", "raise ValueError('no Loop\\nat line 3')", Refused, "ValueError: no Loop at line 3"),
        ("prepare", "raise ValueError('noise\\nx.mlir:3:1: error: no Loop')", Refused, "no Loop"),
        ("call", "raise ValueError('trip count')", Refused, "ValueError: trip count"),
        ("prepare", "os.abort()", Failure, "SIGABRT"),
        ("call", "os._exit(3)", Failure, "exit status 3"),
    ],
)
def test_failures(tmp_path: Path, where: str, does: str, error: type[Failure], says: str) -> None:
    with pytest.raises(Failure) as raised:
        start(tmp_path, engine(tmp_path, **{where: does}))
    assert type(raised.value) is error
    assert str(raised.value) == says


def test_an_engine_without_end_is_killed(tmp_path: Path) -> None:
    with pytest.raises(TooSlow):
        start(tmp_path, engine(tmp_path, call="time.sleep(1000)"), seconds=0.5)


def test_a_crash_after_the_first_run(tmp_path: Path) -> None:
    """The first run is right, the second one ends the process."""
    call = "os._exit(2) if os.path.exists('%s') else None" % (tmp_path / "out.npz")
    process = start(tmp_path, engine(tmp_path, call=call))
    with closing(process), pytest.raises(Failure, match="exit status 2"):
        process.run()


@pytest.mark.parametrize("name", sorted(p.stem for p in HERE.glob("*.py") if "def prepare(" in p.read_text()))
def test_an_installed_engine_runs_a_loop(name: str, tmp_path: Path) -> None:
    """Engines without an environment of their own are here. A refusal is an answer, too: not each has loops."""
    if python_of(name) is None:
        pytest.skip("make engines")
    assert any(letter.isdigit() for letter in version_of(name))
    program = loop_if(4)
    process = in_process(name, program, tmp_path / name, "wall")
    if process is None:
        assert python_of(name) != Path(sys.executable)
        return
    with closing(process):
        check(name, process.outputs, OnnxRuntime(program.model, program.feed).outputs)


@pytest.mark.parametrize("where", [*functions_of({"programs"}).values(), *functions_of().values()])
def test_parameters_of_a_function_in_lax(where: str) -> None:
    """They are the model's inputs, all of them, and initializers; what the function gives are its outputs."""
    _, module, name = where.split(".")
    model = ALL[name]().model if module == "programs" else PROGRAMS[name].model()
    tree = ast.parse((HERE.parent / "in_lax" / f"{module}.py").read_text())
    (function,) = (f for f in tree.body if isinstance(f, ast.FunctionDef) and f.name == name)
    parameters = {a.arg for a in function.args.args}
    inputs = {i.name for i in model.graph.input}
    assert inputs <= parameters <= inputs | {t.name for t in model.graph.initializer}
    last = function.body[-1]
    assert isinstance(last, ast.Return)
    assert isinstance(last.value, ast.Dict)
    names = {k.value for k in last.value.keys if isinstance(k, ast.Constant)}
    assert names == {o.name for o in model.graph.output}


def test_programs_in_lax_are_enough() -> None:
    """Issue 46 asks for 25; every program of the benchmarks is among them."""
    assert functions_of({"programs"}).keys() == ALL.keys()
    assert len(functions_of()) + len(ALL) >= 25


def test_a_corpus_has_its_programs_in_lax(tmp_path: Path) -> None:
    """Programs that are not in lax are left out."""
    make(tmp_path, ["viterbi", "gcd"])
    found = corpus_programs(tmp_path)
    assert found.keys() == {"corpus/viterbi"}
    program = found["corpus/viterbi"]()
    assert program.lax == "in_lax.dynamic_programming.viterbi"
    assert program.truths is not None
    assert program.truths.keys() == {o.name for o in program.model.graph.output}


@needs("gcc")
def test_a_stack_of_scans_gives_what_onnx_runtime_gives(tmp_path: Path) -> None:
    """The C of loomir, also in a loop of calls in C."""
    program = scan_stack(blocks=2, channels=16, states=4, steps=5)
    code = emit_c(loomir.load(program.model).lowered("loops"), "model", weights="pointer")
    shapes = {o.name: shape_of(program, o.name) for o in program.model.graph.output}
    ours = Loomir(code, program.feed, shapes, tmp_path, Build(("gcc",)))
    expected = OnnxRuntime(program.model, program.feed).outputs
    for run in (ours.run, ours.inside):
        for output in ours.outputs.values():
            output[...] = np.nan
        assert run() > 0
        check("loomir", ours.outputs, expected)
