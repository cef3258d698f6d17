"""Options that observe passes: files, failures, counters, and other threads."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loomir.compiler.extensions.loading import load_extension, unloaded_afterwards
from loomir.compiler.formats.mlir.parser import load_mlir
from loomir.compiler.pipeline import instrumenting, run_passes
from loomir.dialects.diagnostics import count
from loomir.dialects.upstream.rewriting import handling_patterns
from loomir.tools.loomir_opt import LoomirOpt
from loomir.tools.patterns import DebugCounter, DebugCounters, PassStatistics
from loomir.tools.timing import Timing

PLANTED = Path(__file__).parents[2] / "fixtures" / "planted_extension.py"
TYPE = "(tensor<4xf32>) -> tensor<4xf32>"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.mlir"
    path.write_text(
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        f"  %a = ov.negative %x : {TYPE}\n  %b = ov.negative %a : {TYPE}\n  %c = ov.negative %b : {TYPE}\n"
        "  func.return %c : tensor<4xf32>\n}\n"
    )
    return path


@pytest.fixture(autouse=True)
def _planted() -> Iterator[None]:
    with unloaded_afterwards():
        load_extension(PLANTED)
        yield


def run(*arguments: object) -> int:
    """The status of `loomir-opt`."""
    try:
        LoomirOpt([str(each) for each in arguments]).run()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def test_tree_has_a_file_for_each_pass(program: Path, tmp_path: Path) -> None:
    tree = tmp_path / "new" / "tree"
    given = (program, "-p", "canonicalize,planted-pattern,cse", "--print-ir-tree-dir", tree)
    assert run(*given, "-o", tmp_path / "out.mlir") == 0
    names = [path.name for path in sorted(tree.iterdir())]
    assert names == ["001-after-canonicalize.mlir", "002-after-planted-pattern.mlir", "003-after-cse.mlir"]
    assert (tree / names[0]).read_text().count("ov.negative") == 3
    assert (tree / names[1]).read_text().count("ov.multiply") == 3
    assert (tree / names[2]).read_text().strip() == (tmp_path / "out.mlir").read_text().strip()


def test_tree_of_changes_alone(program: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    given = (program, "-p", "canonicalize,planted-pattern,canonicalize", "--print-ir-tree-dir", tree)
    assert run(*given, "--print-ir-diff", "-o", tmp_path / "out.mlir") == 0
    (diff,) = tree.iterdir()
    assert diff.name == "001-after-planted-pattern.diff"
    assert sum(line.startswith("-    %") for line in diff.read_text().splitlines()) == 3


def test_tree_that_cannot_be_written(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(program, "-p", "cse", "--print-ir-tree-dir", program) == 1
    assert "[file-unwritable]" in capsys.readouterr().err


def test_a_pass_that_changes_nothing_prints_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "constant.mlir"
    numbers = ", ".join(["1.5"] * 5000)
    path.write_text(
        "func.func @main() -> tensor<5000xf32> {\n"
        f"  %a = ov.constant dense<[{numbers}]> : tensor<5000xf32> : tensor<5000xf32>\n"
        f"  %b = ov.negative %a : (tensor<5000xf32>) -> tensor<5000xf32>\n"
        "  func.return %b : tensor<5000xf32>\n}\n"
    )
    assert run(path, "-p", "ov-fold-constants,ov-fold-constants", "--print-ir-after-change") == 0
    assert capsys.readouterr().err.count("IR Dump After") == 1


def test_program_of_a_failing_pass(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its program so far is printed; the reproducer has the program before it, and fails alike."""
    reproducer = tmp_path / "crash.mlir"
    given = (program, "-p", "cse,planted-pattern{wrong=2 raises=true}", "--crash-reproducer", reproducer)
    assert run(*given, "--print-ir-after-failure") == 1
    told = capsys.readouterr()
    assert told.err.count("// -----// IR Dump") == 1
    dump = told.err.partition("// -----// IR Dump After planted-pattern Failed //----- //")[2]
    assert dump.count("ov.multiply") == 1
    assert "IndexError: planted" in told.err
    first, *rest = reproducer.read_text().splitlines()
    assert "\n".join(rest).count("ov.negative") == 3
    command = shlex.split(first.removeprefix("// again: "))
    assert command[0] == "loomir-opt"
    assert "--extension" in command
    assert run(*command[1:]) == 1
    assert "IndexError: planted" in capsys.readouterr().err


def test_reproducer_of_a_pass_that_refuses_a_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, reproducer = tmp_path / "unknown.mlir", tmp_path / "crash.mlir"
    path.write_text(
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        f'  "foo.bar"() : () -> ()\n  %y = ov.gelu %x : {TYPE}\n  func.return %y : tensor<4xf32>\n}}\n'
    )
    given = (path, "-p", "cse,convert-ov-to-linalg", "--allow-unregistered-dialect")
    assert run(*given, "--crash-reproducer", reproducer) == 1
    said = capsys.readouterr().err
    command = shlex.split(reproducer.read_text().splitlines()[0].removeprefix("// again: "))
    assert "--allow-unregistered-dialect" in command
    assert run(*command[1:]) == 1
    again = capsys.readouterr().err
    assert "ov.gelu" in again
    assert again.rpartition(": ")[2] == said.rpartition(": ")[2]


def test_reproducer_that_cannot_be_written(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = (program, "-p", "planted-pattern{wrong=1 raises=true}")
    assert run(*given, "--crash-reproducer", program / "crash.mlir") == 1
    said = capsys.readouterr().err
    assert "[file-unwritable]" in said
    assert "[pass-failed]" in said


def test_a_failing_run_leaves_its_output_as_it_was(program: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.mlir"
    output.write_text("old")
    assert run(program, "-p", "planted-pattern{wrong=1 raises=true}", "-o", output) == 1
    assert output.read_text() == "old"


class Counting(ModulePass):
    """A pass with two counters."""

    name = "counting"

    def apply(self, ctx, op) -> None:
        count("of threes", 3)
        count("of ones")
        count("of ones")


def test_counters_are_summed_by_pass(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    statistics = PassStatistics()
    passes = [Counting(), "planted-pattern{wrong=0}", Counting()]
    run_passes(load_mlir(program), passes, instrumentation=statistics)
    assert statistics.numbers["counting"] == Counter(
        {"runs": 2, "of threes": 6, "of ones": 4, "operations added": 0}
    )
    assert statistics.numbers["planted-pattern"]["NegativeToProduct applied"] == 3
    statistics.report()
    assert "6  of threes" in capsys.readouterr().err
    # Nobody counts any more.
    run_passes(load_mlir(program), [Counting()])
    assert statistics.numbers["counting"]["of threes"] == 6


def test_commands_instrument_every_run_of_passes(program: Path) -> None:
    statistics = PassStatistics()
    with instrumenting(statistics):
        run_passes(load_mlir(program), "cse")
        run_passes(load_mlir(program), "cse", instrumentation=DebugCounters([DebugCounter("cse", 0)]))
    run_passes(load_mlir(program), "cse")
    assert statistics.numbers["cse"]["runs"] == 2


def test_threads_have_counters_and_handlers_of_their_own(program: Path) -> None:
    def applications(limit: int) -> int:
        module: ModuleOp = load_mlir(program)
        run_passes(
            module,
            "planted-pattern{wrong=0}",
            instrumentation=DebugCounters([DebugCounter("NegativeToProduct", limit)]),
        )
        return str(module).count("ov.multiply")

    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(applications, [0, 1, 2, 3, 4] * 4)] == [0, 1, 2, 3, 3] * 4


def test_handlers_nest_and_end(program: Path) -> None:
    outer: list[str] = []
    inner: list[str] = []
    module = load_mlir(program)
    with handling_patterns(lambda a: outer.append(a.pattern) or a.run()):
        with handling_patterns(lambda a: inner.append(a.pattern)):
            run_passes(module, "planted-pattern")
        assert str(module).count("ov.negative") == 3
        # The inner one has run none; both were asked for each operation and pattern.
        assert outer == inner
        assert outer.count("NegativeToProduct") > 2
        run_passes(module, "planted-pattern{wrong=0}")
    assert str(module).count("ov.multiply") == 3
    heard = len(outer)
    run_passes(load_mlir(program), "planted-pattern")
    assert len(outer) == heard


def test_several_handlers_end_with_their_pass(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where one of two counters skips the last pass."""
    options = [
        "--debug-counter",
        "NegativeToProduct=2",
        "--debug-counter",
        "cse=0",
        "--trace-patterns=Negative",
    ]
    assert run(program, "-p", "planted-pattern{wrong=0},canonicalize,cse", *options, "--pass-statistics") == 0
    said = capsys.readouterr().err
    assert said.count("planted-pattern/NegativeToProduct") == 2
    assert "2  NegativeToProduct applied" in said
    module = load_mlir(program)
    run_passes(module, "planted-pattern{wrong=0}")
    assert str(module).count("ov.multiply") == 3
    assert capsys.readouterr().err == ""


def test_parts_of_the_time_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(1000))
    monkeypatch.setattr("loomir.tools.timing.time.perf_counter", lambda: float(next(now)))
    timing = Timing()
    with timing.phase("passes"):
        with timing.phase("verify"):
            pass
        with timing.begin_pass("a"), timing.phase("inner"):
            pass
        with timing.phase("verify"):
            pass
        with timing.begin_pass("a"):
            pass
    (passes,) = timing.total.parts
    rows = [*passes.rows()]
    assert [name for _, name in rows] == ["verify", "a", "  inner", "  rest", "a", "rest"]
    assert sum(seconds for seconds, name in rows if not name.startswith(" ")) == passes.seconds
    assert {name: seconds for seconds, name in rows}["verify"] == 2.0


def test_time_of_a_pass_that_fails_ends(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(program, "-p", "planted-pattern{wrong=1 raises=true}", "--timing") == 1
    lines = capsys.readouterr().err.splitlines()
    assert any(line.endswith("  planted-pattern") for line in lines)
    assert any(line.endswith("(100.0%)  total") for line in lines)
