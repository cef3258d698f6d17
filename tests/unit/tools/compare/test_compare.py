"""`loomir compare`: results, numbers and their absence, failures, and processes."""

from __future__ import annotations

import json
import signal
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import CalledProcessError

import pytest

import loomir
from loomir.compiler.extensions.loading import unloaded_afterwards
from loomir.compiler.formats.c.emit import CCode
from loomir.passes.analysis.machines import machine_of
from loomir.tools.compare import compare, own_processes
from loomir.tools.compare.comparing import pipelines_of
from loomir.tools.compare.measuring import not_of_here
from loomir.tools.compare.rows import COLUMNS, SKIPPED, Row, geometric_means
from loomir.tools.loomir_main import main
from tests.support import raises_error
from tests.support_tools import needs

EXAMPLES = Path(__file__).parents[4] / "examples"
LOOP = EXAMPLES / "controlflow.xml"
BRANCH = """
<ir_version: 10, opset_import: ["" : 21]>
branch (float[4] x, float[N] unused) => (float[4] y) {
  zero = Constant <value = float {0}> ()
  sum = ReduceSum <keepdims = 0> (x)
  positive = Greater (sum, zero)
  y = If (positive) <
    then_branch = positive_arm () => (float[4] a) { a = Add (x, x) },
    else_branch = negative_arm () => (float[4] b) { b = Mul (x, x) }
  >
}
"""
BREAKING = """
import os
import loomir
from xdsl.passes import ModulePass
from loomir.dialects.ov.operators.elementwise_binary import AddOp, SubtractOp
from loomir.dialects.ov.operators.control_flow import LoopOp

extension = loomir.Extension("breaking")

@extension.named_pass
class AddToSubtractPass(ModulePass):
    name = "add-to-subtract"

    def apply(self, ctx, op):
        for each in list(op.walk()):
            if isinstance(each, AddOp):
                made = SubtractOp.make(*each.operands)
                each.parent.insert_op_before(made, each)
                each.results[0].replace_all_uses_with(made.results[0])
                each.detach()

@extension.named_pass
class EndOnLoopPass(ModulePass):
    name = "end-on-loop"

    def apply(self, ctx, op):
        if any(isinstance(each, LoopOp) for each in op.walk()):
            os._exit(3)
"""
QUICK = {"skip": SKIPPED, "feeds": 2}


@pytest.fixture
def branch(tmp_path: Path) -> Path:
    path = tmp_path / "branch.onnxtxt"
    path.write_text(BRANCH)
    return path


@pytest.fixture
def breaking(tmp_path: Path):
    path = tmp_path / "breaking.py"
    path.write_text(BREAKING)
    with unloaded_afterwards():
        yield str(path)


def by_names(rows: list[Row]) -> dict[tuple[str, str], Row]:
    return {(Path(row.model).name, row.pipeline): row for row in rows}


@needs("gcc")
def test_a_program_that_amplifies_roundings_is_equal(tmp_path: Path) -> None:
    """Twelve products of matrices: another order of additions is 10⁻⁷ at first, and more than the tolerance in the end."""
    steps = [
        f"""%p{k} = ov.mat_mul %v{k}, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
        %v{k + 1} = ov.tanh %p{k} : (tensor<16x16xf32>) -> tensor<16x16xf32>"""
        for k in range(12)
    ]
    text, path = "\n".join(steps), tmp_path / "steps.mlir"
    path.write_text(
        f"""func.func @main(%v0: tensor<16x16xf32>, %a: tensor<16x16xf32>) -> tensor<16x16xf32> {{
        {text}
        func.return %v12 : tensor<16x16xf32> }}"""
    )
    (row,) = compare([path], ["Os"], skip=SKIPPED, feeds=5)
    assert row.difference is None
    assert row.verdict == "equal"


@needs("gcc")
@needs("size")
def test_numbers_of_two_models(branch: Path) -> None:
    """A loop of 8 trips is unrolled at -O2, so that one loop of 10 trips is left; all results agree."""
    rows = compare([LOOP, branch], ["O0", "O2"], skip=["instructions"], repeat=1)
    assert [(Path(row.model).name, row.pipeline) for row in rows] == [
        (name, level) for name in ("controlflow.xml", "branch.onnxtxt") for level in ("O0", "O2")
    ]
    assert all(row.equal and row.error is None and row.difference is None for row in rows)
    found = by_names(rows)
    before, after = found["controlflow.xml", "O0"], found["controlflow.xml", "O2"]
    assert (before.loops, before.branches, before.trips) == (2, 1, 18)
    assert (after.loops, after.branches, after.trips) == (1, 1, 10)
    assert [(loop.layer, loop.trips) for loop in before.per_loop] == [
        ("TensorIterator_9", 8),
        ("Loop_45", 10),
    ]
    assert after.operations < before.operations
    assert after.arena < before.arena
    for row in rows:
        assert row.text > 0
        assert row.seconds > 0
        assert row.notes == {"instructions": "left out by --skip"}
    assert (found["branch.onnxtxt", "O0"].loops, found["branch.onnxtxt", "O0"].branches) == (0, 1)


@needs("valgrind")
@needs("gcc")
def test_instructions_do_not_differ_between_runs() -> None:
    first, second = (
        compare([LOOP], ["O2"], skip=["text", "seconds"], feeds=1)[0].instructions for _ in range(2)
    )
    assert first == second
    assert first > 1000


@needs("valgrind")
@needs("gcc")
def test_instructions_that_valgrind_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends with SIGILL, at those of AVX-512: that is no defect of loomir."""

    def ends(code: CCode, folder: Path) -> int:
        raise CalledProcessError(-signal.SIGILL, "valgrind")

    monkeypatch.setattr("loomir.tools.compare.comparing.count_instructions", ends)
    (row,) = compare([LOOP], ["O2"], skip=["text", "seconds"], feeds=1)
    assert row.notes["instructions"] == "valgrind does not know an instruction of this code"


@needs("arm-none-eabi-gcc")
@needs("size")
def test_code_for_another_machine_is_compiled_and_not_run() -> None:
    (row,) = compare([LOOP], ["Os"], machine="cortex-m4", c_flags=["-Os"], feeds=1)
    reason = not_of_here(machine_of("cortex-m4"))
    assert row.notes == {"instructions": reason, "seconds": reason}
    (host,) = compare([LOOP], ["Os"], c_flags=["-Os"], feeds=1, skip=["instructions", "seconds"])
    assert 0 < row.text != host.text


def test_a_machine_without_a_compiler_has_no_code_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    (row,) = compare([LOOP], ["O0"], feeds=1, machine="cortex-m4")
    assert row.equal
    assert row.text is None
    assert "arm-none-eabi-gcc [no-c-compiler]" in row.notes["text"]
    assert row.arena > 0
    (row,) = compare([LOOP], ["O0"], feeds=1)
    assert row.equal
    assert {column for column, note in row.notes.items() if "no-c-compiler" in note} == set(SKIPPED)


def test_a_pipeline_that_changes_results_differs(breaking: str, branch: Path) -> None:
    rows = by_names(
        compare(
            [LOOP, branch], {"right": "O0", "wrong": "O0,add-to-subtract"}, extensions=[breaking], **QUICK
        )
    )
    assert rows["branch.onnxtxt", "right"].equal
    wrong = rows["branch.onnxtxt", "wrong"]
    assert wrong.equal is False
    assert wrong.verdict == "differs"
    assert "engine graph: output 'y' differs by up to" in wrong.difference


def test_a_model_that_fails_is_a_row(branch: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.onnxtxt"
    damaged.write_text("nothing")
    rows = compare([tmp_path / "absent.onnx", damaged, branch], ["O0", "O2"], **QUICK)
    assert [row.verdict for row in rows] == ["fails"] * 4 + ["equal"] * 2
    assert "[file-unreadable]" in rows[0].error
    assert rows[2].error is not None


def test_a_run_that_always_fails_is_equal_and_not_counted(tmp_path: Path) -> None:
    """The index, at least 0, is beyond the only row, if it is not 0: the unoptimised program fails alike."""
    path = tmp_path / "index.onnxtxt"
    path.write_text(
        '<ir_version: 10, opset_import: ["" : 21]>\n'
        "g (float[1] x, int64 i) => (float y) { seven = Constant <value = int64 {7}> ()\n"
        " k = Add (i, seven)\n y = Gather (x, k) }"
    )
    (row,) = compare([path], ["O2"], **QUICK)
    assert row.equal
    assert row.operations is None
    assert "[runtime-index]" in row.notes["operations"]


def test_a_run_that_reaches_a_limit_is_no_evidence() -> None:
    (row,) = compare([LOOP], ["O2"], max_iterations=1, **QUICK)
    assert row.verdict == "unknown"
    assert "[limit-iterations]" in row.notes["equal"]
    assert "[limit-iterations]" in row.notes["trips"]


def test_code_that_does_not_end_is_not_run(tmp_path: Path) -> None:
    path = tmp_path / "endless.onnxtxt"
    path.write_text(
        '<ir_version: 10, opset_import: ["" : 21]>\n'
        "g (float x) => (float y) { true = Constant <value = bool {1}> ()\n none = Constant <value = int64 {-1}> ()\n"
        " limit = Constant <value = float {-1e30}> ()\n"
        " y = Loop ('', true, x) < body = b (int64 i, bool c, float v) => (bool d, float w) {\n"
        "  w = Abs (v)\n d = Greater (w, limit) } > }".replace("''", "")
    )
    (row,) = compare([path], ["O2"], feeds=1, max_iterations=100)
    assert (row.verdict, row.arena, row.instructions, row.seconds) == ("unknown", 0, None, None)
    assert "[limit-iterations]" in row.notes["instructions"]


def test_text_of_a_later_stage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["inspect", str(LOOP), "--mlir", "--stage", "loops", "-O0"])
    path = tmp_path / "loops.mlir"
    path.write_text(capsys.readouterr().out)
    (row,) = compare([path], ["O0"], **QUICK)
    assert row.equal
    assert row.loops > 2
    assert row.notes["trips"] == "only runs of GRAPH are counted"


def test_options_of_inputs_apply_to_the_models_that_have_them(branch: Path) -> None:
    rows = compare([LOOP, branch], ["O0"], shapes={"unused": [3]}, **QUICK)
    assert [row.verdict for row in rows] == ["equal", "equal"]
    with raises_error("bad-option", "no model has an input 'nobody'"):
        compare([LOOP, branch], ["O0"], shapes={"nobody": [3]}, **QUICK)
    (row,) = compare([LOOP], ["O0"], shapes={"nobody": [3]}, **QUICK)
    assert row.verdict == "fails"


def test_profiles_are_those_of_the_model(branch: Path, tmp_path: Path) -> None:
    file = tmp_path / "profile.json"
    main(["run", str(LOOP), "-O0", "--profile", str(file)])
    command = ["compare", "--pipelines", "O2", "--profile-use", str(file), "--feeds", "1"]
    command += [argument for column in SKIPPED for argument in ("--skip", column)]
    main([*command, str(LOOP)])
    (row,) = compare([branch], ["O2"], profile=file, **QUICK)
    assert "[bad-profile]" in row.error
    with raises_error("bad-option", "profile=7"):
        compare([LOOP], ["O2"], profile=7, **QUICK)


@pytest.mark.parametrize(
    ("identifier", "pipelines"),
    [
        ("bad-pipeline", ["no-such-pass"]),
        ("bad-pipeline", ["O2,no-such-pass"]),
        ("bad-pipeline", [""]),
        ("bad-option", []),
        ("bad-option", ["O2", "a=O2", "a=O0"]),
        ("file-unreadable", ["./absent.txt"]),
    ],
)
def test_wrong_pipelines(identifier: str, pipelines: list[str]) -> None:
    with pytest.raises(Exception, match=rf"\[{identifier}\]"):
        compare([LOOP], pipelines, **QUICK)


def test_wrong_options(tmp_path: Path) -> None:
    for options in ({"level": "O9"}, {"nobody": 1}, {"feeds": 0}, {"skip": ["arena"]}, {"repeat": 0}):
        with raises_error("bad-option"):
            compare([LOOP], ["O2"], **options)
    with raises_error("file-unreadable", "the folder holds no model"):
        compare([tmp_path], ["O2"])


def test_pipelines_have_names(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("O0,ov-infer,\n  canonicalize\n")
    assert pipelines_of(["O2", "ov-loop-unroll{max-trips=8}", "b=ov-infer", str(file), f"c={file}"]) == {
        "O2": "O2",
        "ov-loop-unroll{max-trips=8}": "ov-loop-unroll{max-trips=8}",
        "b": "ov-infer",
        "mine": "O0,ov-infer,canonicalize",
        "c": "O0,ov-infer,canonicalize",
    }


def test_geometric_means() -> None:
    """Of the models in which both numbers are positive, over the first pipeline."""
    rows = [
        *(Row(f"m{k}", "a", operations=n, loops=0) for k, n in enumerate((1, 10, 5))),
        *(Row(f"m{k}", "b", operations=n, loops=0) for k, n in enumerate((4, 10, None))),
    ]
    assert geometric_means(rows) == {"b": {"operations": (pytest.approx(2.0), 2)}}


def test_an_executor_keeps_the_order(branch: Path) -> None:
    seen: list[str] = []
    with ThreadPoolExecutor(2) as executor:
        rows = compare(
            [LOOP, branch], ["O0", "O2"], executor, each=lambda rows: seen.append(rows[0].model), **QUICK
        )
    assert [row.model for row in rows] == [str(LOOP)] * 2 + [str(branch)] * 2
    assert sorted(seen) == sorted([str(LOOP), str(branch)])


def test_a_process_that_ends_is_a_row(breaking: str, branch: Path) -> None:
    """Of the model that ends it alone. Workers load the extension, too."""
    with own_processes(1) as executor:
        rows = compare([LOOP, branch], ["O0,end-on-loop"], executor, extensions=[breaking], **QUICK)
    assert [row.verdict for row in rows] == ["fails", "equal"]
    assert "BrokenProcessPool" in rows[0].error


# -- the command


def test_json(branch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["compare", str(branch), "--pipelines", "O0", "fast=O2", "--json", "--feeds", "1"]
    main([*command, *(word for column in SKIPPED for word in ("--skip", column))])
    printed = json.loads(capsys.readouterr().out)
    assert set(printed) == {"rows", "geometric_means"}
    assert [(row["model"], row["pipeline"], row["verdict"]) for row in printed["rows"]] == [
        (str(branch), "O0", "equal"),
        (str(branch), "fast", "equal"),
    ]
    for row in printed["rows"]:
        assert {*COLUMNS, "equal", "difference", "error", "per_loop", "notes"} < row.keys()
    mean = printed["geometric_means"]["fast"]["operations"]
    assert mean["models"] == 1
    first, second = (row["operations"] for row in printed["rows"])
    assert mean["ratio"] == pytest.approx(second / first)


def test_the_table_and_the_status(breaking: str, branch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["compare", str(LOOP), str(branch), "absent.onnx", "--extension", breaking, "--feeds", "1"]
    command += ["--skip", "text", "--skip", "instructions", "--skip", "seconds", "--pipelines", "O0"]
    with pytest.raises(SystemExit) as info:
        main([*command, "bad=O0,add-to-subtract"])
    assert info.value.code == 1
    printed = capsys.readouterr()
    lines = [line.split() for line in printed.out.splitlines()]
    (titles,) = (line for line in lines if line[:1] == ["model"])
    assert titles == [
        *(
            "model",
            "pipeline",
            "results",
            "loops",
            "branches",
            "trips",
            "operations",
            "bytes",
            "arena",
            "weights",
        )
    ]
    assert [line for line in lines if line[:2] == ["Loop_45", "10"]], printed.out
    assert [line for line in lines if line[:5] == ["geometric", "mean", "bad", "/", "O0"]]
    assert f"{branch}: O0 equal, bad differs" in printed.err
    assert "absent.onnx: O0, bad fails: " in printed.err
    main([*command[:3], *command[4:]])  # Without what is wrong the status is 0.


@pytest.mark.parametrize(
    "arguments", [["--jobs", "0"], ["--scheduler", "nonsense://nowhere"], ["--c-flags='"], ["--level"]]
)
def test_wrong_options_of_the_command(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as info:
        main(["compare", str(LOOP), "--pipelines", "O2", *arguments])
    assert info.value.code == (2 if arguments == ["--level"] else 1)
    assert arguments == ["--level"] or "[bad-option]" in capsys.readouterr().err


def test_a_cluster_without_its_package(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(SystemExit):
        main(["compare", str(LOOP), "--pipelines", "O2", "--scheduler", "tcp://127.0.0.1:1"])
    assert "loomir[cluster]" in capsys.readouterr().err


def test_a_cluster_of_two_workers(breaking: str, branch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Processes that know of the extension only by its name."""
    distributed = pytest.importorskip("distributed")
    command = ["compare", str(LOOP), str(branch), "--extension", breaking, "--json", "--feeds", "1"]
    command += ["--pipelines", "O0", "bad=O0,add-to-subtract"]
    command += ["--skip", "text", "--skip", "instructions", "--skip", "seconds"]
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster,
        pytest.raises(SystemExit),
    ):
        main([*command, "--scheduler", cluster.scheduler_address])
    remote = json.loads(capsys.readouterr().out)
    with pytest.raises(SystemExit):
        main(command)
    assert remote == json.loads(capsys.readouterr().out)
    assert [row["verdict"] for row in remote["rows"][2:]] == ["equal", "differs"]


def test_processes_are_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    """Their warnings are those of the command, and Ctrl-C ends them without a traceback."""
    with own_processes(1) as executor:
        executor.submit(warnings.warn, "as ONNX Runtime", loomir.SemanticsWarning).result()
        assert executor.submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_DFL
    assert capfd.readouterr().err == "loomir: warning: as ONNX Runtime\n"
