"""One Model in several threads: each call gives what it gives alone, and what is kept is built once."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl import builder
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import FloatAttr, TensorType, f32
from xdsl.ir import Operation

import loomir
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.compiler.model import Model
from loomir.compiler.option_names import ENGINES, Engine
from loomir.compiler.shared_state import Built
from loomir.dialects.upstream.implicit_bodies import IMPLICIT_BUILDER, buffer_copy, fill
from tests.unit.compiler.thread_programs import (
    INTERVALS,
    NESTED,
    PROGRAMS,
    Program,
    in_threads,
    onnx_program,
    switching,
    vector,
    wrong_calls,
)

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_every_call_gives_what_it_gives_alone(program: Program, engine: Engine) -> None:
    interval = INTERVALS[PROGRAMS.index(program) % 2]
    assert wrong_calls(program, engine, runs=4, interval=interval) == 0


def test_what_is_kept_is_built_once() -> None:
    model = onnx_program(NESTED, values={"n": np.int64(3)})()
    with switching(1e-6):
        results = in_threads(lambda k: model.lowered("structured" if k % 2 else "loops"))
    assert [r is results[k % 2] for k, r in enumerate(results)] == [True] * 8
    assert isinstance(results[0], type(model.module))
    names = [record.name for record in model.history.records]
    assert names.count("bufferize") == names.count("ov-bound-shapes") == 1


def test_building_one_thing_may_need_another_and_may_fail() -> None:
    table = Built[str, int]()
    assert table.of("a", lambda: 1 + table.of("b", lambda: 2)) == 3
    with pytest.raises(ZeroDivisionError):
        table.of("c", lambda: 1 // 0)
    assert (table.of("c", lambda: 5), table.of("a", lambda: 7), list(table.values())) == (5, 3, [2, 3, 5])


def test_who_asks_for_what_is_being_built_waits_for_it() -> None:
    table, made = Built[int, object](), []

    def build() -> object:
        made.append(object())
        return made[-1]

    with switching(1e-6):
        assert in_threads(lambda k: [table.of(n, build) for n in range(200)]) == [made] * 8


def test_programs_are_made_in_parallel() -> None:
    """Loading, optimising and lowering in threads: the very same text."""

    def text(number: int) -> str:
        model = onnx_program(NESTED, values={"n": np.int64(2 + number % 2)})()
        return model.mlir("graph") + model.optimize("ov-loop-unroll{max-trips=2},cse").mlir("loops")

    alone = [text(0), text(1)]
    with switching(1e-5):
        made = in_threads(text)
    assert [made[k] == alone[k % 2] for k in range(8)] == [True] * 8


def test_one_model_is_optimised_printed_and_specialised_while_it_runs() -> None:
    model: Model = PROGRAMS[1].make()
    x = vector(0, 2, 3)
    wanted = PROGRAMS[1].make().run({"x": x}, engine="graph")["y"].tobytes()

    def work(number: int) -> object:
        if number % 4 == 0:
            return model.optimize("canonicalize,cse").run({"x": x}, engine="graph")["y"].tobytes()
        if number % 4 == 1:
            return model.with_shapes({"x": [2, 3]}).run({"x": x}, engine="loops")["y"].tobytes()
        if number % 4 == 2:
            assert model.mlir()
        return model.run({"x": x}, engine="structured")["y"].tobytes()

    with switching(1e-6):
        assert in_threads(work) == [wanted] * 8


def test_the_first_thing_that_a_process_does() -> None:
    """Modules are imported and registries filled by eight threads at once."""
    program = textwrap.dedent("""
        import sys, threading
        sys.setswitchinterval(1e-6)
        import loomir
        from tests.unit.compiler.thread_programs import PROGRAMS, in_threads, outcome
        program = PROGRAMS[0]
        results = in_threads(lambda k: outcome(program.make(), program.feeds[3], "structured"))
        assert all(r == results[0] for r in results), results
        assert isinstance(results[0], list), results
    """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_regions_are_built_in_several_threads() -> None:
    """xDSL's `ImplicitBuilder`, which `linalg.fill` uses for its region."""

    own = Operation.__post_init__

    def work(number: int) -> int:
        zero = arith.ConstantOp(FloatAttr(0.0, f32)).result
        target = tensor.EmptyOp([], TensorType(f32, [2])).tensor
        made = [fill(zero, target) if k % 2 else buffer_copy(target, target) for k in range(300)]
        return sum(len(each.regions[0].block.ops) for each in made)

    with switching(1e-6):
        assert in_threads(work) == [300] * 8
    assert Operation.__post_init__ is own


@pytest.mark.parametrize("machine", ["generic", "x86-64-v3", "cortex-m7"])
def test_implicit_builders_are_locked(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every region that xDSL builds implicitly during a compilation is built under the lock."""
    entered, unlocked, original = 0, list[str](), builder.ImplicitBuilder

    def watched(block: Any) -> Any:
        nonlocal entered
        entered += 1
        if not IMPLICIT_BUILDER._is_owned():  # type: ignore
            unlocked.append("".join(traceback.format_stack(limit=8)))
        return original(block)

    monkeypatch.setattr(builder, "ImplicitBuilder", watched)
    models = [
        onnx_program(NESTED, values={"n": np.int64(2)})(),
        loomir.load(EXAMPLES / "kws.xml", shapes={"input_1": [1, 49, 10, 1]}, machine=machine),
    ]
    for model in models:
        parse_module(model.mlir("loops"))
    assert entered
    assert unlocked == []
