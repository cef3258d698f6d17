"""Records and estimates of `loomir explain`, and its command."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import onnx
import pytest

import loomir
from loomir.compiler.pipeline import passes_to
from loomir.dialects.ov.facts import Dim
from loomir.passes.analysis.machines import machine_of
from loomir.tools.explain.costs import layer_costs
from loomir.tools.explain.page import Compilation, Layers, c_blocks
from loomir.tools.explain.recording import CONTEXT, IRText, Recorder, compared, unchanged_groups
from loomir.tools.loomir_main import main
from tests.support import raises_error

EXAMPLES = Path(__file__).parents[4] / "examples"
MODEL = str(EXAMPLES / "controlflow.xml")


def compilation(model: object = MODEL, **options: object) -> Compilation:
    recorder = Recorder()
    with recorder.recording():
        loaded = loomir.load(model, **options)  # pyright: ignore[reportArgumentType]
    return Compilation("-O2", loaded, recorder)


@pytest.fixture(scope="module")
def example() -> Compilation:
    made = compilation()
    assert made.loops is not None
    return made


def text_of(lines: str, layers: str = "") -> IRText:
    return IRText(tuple(lines), tuple(layers or [None] * len(lines)))


def test_every_pass_is_recorded(example: Compilation) -> None:
    steps = passes_to(example.model.options.pipelines, "loops")
    assert [run.name for run in example.runs] == [each.name for each in steps]
    for run, following in zip(example.runs, example.runs[1:]):
        assert run.after == following.before
    unroll = next(run for run in example.runs if run.name == "ov-loop-unroll")
    assert (unroll.before.operations, unroll.before.loops) == (29, 2)
    assert unroll.after is not None
    assert (unroll.after.operations, unroll.after.loops, unroll.after.branches) == (97, 1, 1)
    assert [(r.kind, r.layer) for r in unroll.remarks] == [("done", "TensorIterator_9"), ("left", "Loop_45")]
    assert {run.name for run in example.runs if run.seconds > 0} >= {"canonicalize", "bufferize"}


def test_passes_without_an_effect_stand_together(example: Compilation) -> None:
    groups = unchanged_groups(example.runs)
    assert [run for group in groups for run in group] == list(example.runs)
    assert any(len(group) > 5 for group in groups)
    for group in groups:
        assert len(group) == 1 or not any(run.changed or run.remarks for run in group)
    alone = [g[0] for g in groups if len(g) == 1 and not g[0].changed and not g[0].remarks]
    assert all(run.before == run.after for run in alone)


def test_a_comparison_is_complete() -> None:
    """Each line is shown or counted, and each line that changed is shown as such."""
    before, after = text_of("abcdefghijklmnop"), text_of("abcdefghXYklmnopq")
    rows, left_out = compared(before, after)
    assert left_out == 0
    for side, whole in (("before", before), ("after", after)):
        shown = [(s.number, s.text) for r in rows if (s := getattr(r, side)) is not None]
        assert all(whole.lines[number - 1] == text for number, text in shown)
        assert len(shown) + sum(r.skipped for r in rows) == len(whole.lines)
    changed = [(r.before and r.before.text, r.after and r.after.text) for r in rows if r.changed]
    assert changed == [("i", "X"), ("j", "Y"), (None, "q")]
    kept = [r for r in rows if not r.changed and not r.skipped]
    assert len(kept) == 3 * CONTEXT


def test_numbers_of_ssa_names_are_no_difference() -> None:
    before = IRText(("%1 = ov.abs %0", "%2 = ov.add %1, %0"), (None, None))
    after = IRText(("%8 = ov.abs %7", "%9 = ov.add %8, %7"), (None, None))
    assert compared(before, after) == ([], 0)
    other = IRText(("%8 = ov.abs %7", "%9 = ov.sub %8, %7"), (None, None))
    assert sum(row.changed for row in compared(before, other)[0]) == 1


def test_long_differences_are_cut_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loomir.tools.explain.recording.MOST_ROWS", 5)
    rows, left_out = compared(text_of("a" * 12), text_of("b" * 12))
    assert len(rows) == 5
    assert left_out == 7


def test_lines_know_their_layer(example: Compilation) -> None:
    text = IRText.of(example.model.module)
    found = {layer for line, layer in zip(text.lines, text.layers) if "= ov.reduce_sum" in line}
    assert found == {"ReduceSum_16"}
    start = next(k for k, line in enumerate(text.lines) if "= ov.loop" in line)
    assert text.layers[start] == "Loop_45"
    assert text.layers[start + 2] != "Loop_45"
    assert "\n".join(text.lines) == str(example.model.module)


def test_a_changed_large_constant_is_a_difference() -> None:
    """Its elements are not printed, but a checksum is."""

    def text(last: int) -> IRText:
        values = ", ".join(map(str, [*range(40), last]))
        module = onnx.parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]>
            g (int64[41] x) => (int64[41] y) <int64[41] w = {{{values}}}> {{ y = Add(x, w) }}""")
        return IRText.of(loomir.load(module).module)

    assert compared(text(1), text(1)) == ([], 0)
    rows, _ = compared(text(1), text(2))
    assert sum(row.changed for row in rows) == 1
    assert not any("12, 13, 14" in line for line in text(1).lines)


def test_costs_of_layers() -> None:
    """At each of 64 points two elements are read, multiplied and added; 8 sums are stored."""
    model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]>
        g (float[4, 8] x, float[8, 2] w) => (float[4, 2] y) { [product] y = MatMul(x, w) }""")
    cost = compilation(model, level="O0").costs["product"]
    assert cost.macs == Dim(64, 64)
    assert cost.instructions == Dim(64 * 4 + 8, 64 * 4 + 8)
    assert cost.moved == Dim(4 * (64 * 2 + 8), 4 * (64 * 2 + 8))


def test_costs_of_loops_and_branches_are_intervals(example: Compilation) -> None:
    costs = example.costs
    assert costs["ReduceSum_16"].instructions == Dim(32, 320)  # 1 to 10 trips
    assert costs["Multiply_21"].instructions == Dim(0, 480)  # in an arm
    assert costs["Multiply_7"].instructions.static == 496
    assert costs["Multiply_7"].operators == {"ov.multiply": 8}
    assert compilation(level="O0").costs["Loop_45"].arena == 64
    machine = machine_of("generic")
    unknown = layer_costs(example.model.module, example.loops, example.arena, {}, machine)
    assert unknown["ReduceSum_16"].instructions.hi is None


def test_c_by_layer(example: Compilation) -> None:
    assert example.code is not None
    layers = Layers()
    for name in example.costs:
        layers.number(name)
    blocks = c_blocks(example.code.source, layers)
    assert "\n".join(line for block in blocks for line in block.lines) == example.code.source.rstrip()
    of = {line.strip(): block.layer for block in blocks for line in block.lines}
    assert of["acc = acc + v3 * v3;"] == layers.numbers["ReduceSum_16"]
    assert of["v = v + 1;"] == layers.numbers["Loop_45"]
    assert of["settled[i] = settled[i] * 0.5f;"] == layers.numbers["Multiply_21"]
    assert of["#include <math.h>"] is None
    assert {"return CONTROLFLOW_OK;", "*states_dim0 = (size_t)v;"} <= set(of)


def test_arrays_of_weights_are_cut() -> None:
    made = compilation(EXAMPLES / "kws.xml", shapes={"input_1": [1, 49, 10, 1]})
    assert made.code is not None
    blocks = c_blocks(made.code.source, Layers())
    lines = [line for block in blocks for line in block.lines]
    assert len("\n".join(lines)) < len(made.code.source) / 3
    kept = [line for line in lines if line.strip() != "…"]
    source = made.code.source.split("\n")
    for block in blocks:  # The numbers of lines are those of the file.
        assert source[block.first - 1] == block.lines[0]
    assert all(line in source for line in kept)
    assert any("for (" in line for line in lines)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "model.html"
    main(["explain", MODEL, "-o", str(page), "--against", "O0,ov-loop-unroll{max-trips=4}"])
    assert re.fullmatch(rf"{page}: [\d,]+ bytes\n", capsys.readouterr().out)
    text = page.read_text()
    assert "-O0 --pipeline ov-loop-unroll{max-trips=4}" in text
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", text)


def test_a_model_without_c_has_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "kws.html"
    main(["explain", str(EXAMPLES / "kws.xml"), "-o", str(page)])
    assert "[dynamic-input]" in capsys.readouterr().err
    assert "[dynamic-input]" in page.read_text()


def test_text_of_a_later_stage(tmp_path: Path) -> None:
    text = tmp_path / "loops.mlir"
    text.write_text(loomir.load(MODEL).mlir("loops"))
    main(["explain", str(text), "-o", str(tmp_path / "loops.html")])
    assert "scf.while" in (tmp_path / "loops.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--against", "no-such-pass"], "[bad-pipeline]"),
        (["--against", "O7"], "[bad-pipeline]"),
        (["--capacity", "0"], "[bad-option]"),
        (["-o", "{folder}/missing/page.html"], "[file-unwritable]"),
    ],
)
def test_errors(arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [a.replace("{folder}", str(tmp_path)) for a in arguments]
    with pytest.raises(SystemExit):
        main(["explain", MODEL, "-o", str(tmp_path / "page.html"), *arguments])
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_without_jinja2(monkeypatch: pytest.MonkeyPatch) -> None:
    from loomir.tools.explain.page import page_template

    monkeypatch.setitem(sys.modules, "jinja2", None)
    with raises_error("no-jinja2", "pip install 'loomir[explain]'"):
        page_template()
