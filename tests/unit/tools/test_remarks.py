"""`--remarks`: who hears what, and its forms."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

import pytest
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, NameLoc, StringAttr
from xdsl.dialects.test import TestOp

from loomir.dialects.diagnostics import Remark, Remarks, is_listening, listening
from loomir.tools.remarks import (
    add_remarks_argument,
    printed_remarks,
    remark_as_json,
    remark_as_text,
    remark_as_yaml,
    summary_of_remarks,
    with_default_format,
)
from tests.support import raises_error


def test_a_listener_hears_all_of_a_remark_and_nobody_else_does() -> None:
    op = TestOp()
    op.location = NameLoc(StringAttr("Loop_4"), FileLineColLoc(StringAttr("a.mlir"), IntAttr(3), IntAttr(7)))
    heard: list[Remark] = []
    Remarks("some-pass").passed(op, "before")
    assert not is_listening()
    with listening(heard.append):
        assert is_listening()
        Remarks("some-pass").missed(op, "too long", trips=9, limit=8, size=None)
        with listening(None):
            Remarks("some-pass").passed(op, "again, by who repeats a pipeline")
    wanted = Remark(
        "left", "some-pass", "test.op", "too long", "Loop_4", ("a.mlir", 3, 7), {"trips": 9, "limit": 8}
    )
    assert heard == [wanted]
    assert wanted.message == "some-pass: left: 'Loop_4' (test.op): too long"


def test_json_is_an_object_in_one_line() -> None:
    text = remark_as_json(Remark("done", "p", "ov.if", "gone\nfor “good”", numbers={"cost": 3}))
    assert "\n" not in text
    assert json.loads(text) == {
        "kind": "done",
        "pass": "p",
        "operation": "ov.if",
        "layer": None,
        "file": None,
        "line": None,
        "column": None,
        "text": "gone\nfor “good”",
        "numbers": {"cost": 3},
    }


def test_a_remark_without_a_position_names_the_file_that_was_read() -> None:
    remark = Remark("left", "p", "ov.loop", "too long", "Loop_4")
    assert remark_as_text(remark) == "remark: p: left: 'Loop_4' (ov.loop): too long"
    assert remark_as_text(remark, "m.onnx") == "m.onnx: remark: p: left: 'Loop_4' (ov.loop): too long"
    said = json.loads(remark_as_json(remark, "m.onnx"))
    assert (said["file"], said["layer"], said["line"]) == ("m.onnx", "Loop_4", None)
    placed = Remark("left", "p", "ov.loop", "too long", position=("a.mlir", 3, 7))
    assert remark_as_text(placed, "b.mlir") == "a.mlir:3:7: remark: p: left: ov.loop: too long"


def test_summary_counts_what_differs_only_in_numbers() -> None:
    remarks = [
        Remark("left", "b-pass", "ov.loop", "its 9 trips are more than max-trips=8"),
        Remark("done", "a-pass", "ov.if", "gone"),
        Remark("left", "b-pass", "ov.loop", "its 12 trips are more than max-trips=8"),
        Remark("done", "b-pass", "ov.loop", "unrolled its 3 trips"),
    ]
    assert summary_of_remarks(remarks).splitlines() == [
        "b-pass: 1 done, 2 left",
        "      1 done ov.loop: unrolled its 3 trips",
        "      2 left ov.loop: its … trips are more than max-trips=8",
        "a-pass: 1 done, 0 left",
        "      1 done ov.if: gone",
    ]
    assert summary_of_remarks([]) == "no remarks"


def test_a_form_alone_does_not_take_the_file() -> None:
    assert with_default_format(["--remarks", "a.mlir", "--remarks=json"], "text") == [
        "--remarks=text",
        "a.mlir",
        "--remarks=json",
    ]


def options_of(*arguments: str) -> Namespace:
    parser = ArgumentParser()
    add_remarks_argument(parser, "text")
    return parser.parse_args(arguments)


@pytest.mark.parametrize("option", ["--remarks=xml", "--remarks-filter=(", "--remarks-file=/nowhere/of.txt"])
def test_wrong_option(option: str) -> None:
    identifier = "file-unwritable" if "file" in option else "bad-option"
    with raises_error(identifier), printed_remarks(options_of(option)):
        pytest.fail("not reached")


def test_filter_and_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "remarks.txt"
    path.write_text("of an earlier command\n")
    options = options_of("--remarks-filter", "^second-pass: left", "--remarks-file", str(path))
    for _ in range(2):
        with printed_remarks(options):
            Remarks("first-pass").missed(TestOp(), "too long")
            Remarks("second-pass").passed(TestOp(), "gone")
            Remarks("second-pass").missed(TestOp(), "too short")
    assert path.read_text() == 2 * "remark: second-pass: left: test.op: too short\n"
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("layer", [None, "Loop_4", "a: 'b' \"c\" #d \\ ü\n- e"])
def test_yaml_holds_all_of_a_remark(layer: str | None) -> None:
    yaml = pytest.importorskip("yaml")
    numbers = {"trips": 9, "limit": 8, "bytes": 4}
    remark = Remark(
        "left",
        "p",
        "ov.loop",
        "its 9 trips of 3d are more than max=8",
        layer,
        ("a.mlir", 3, 7),
        numbers,
        "main",
    )
    text = remark_as_yaml(remark)
    headline, *rest = text.splitlines()
    assert headline == "--- !Missed"
    found = yaml.safe_load("\n".join(rest[:-1]))
    args = [pair for each in found.pop("Args") for pair in each.items()]
    assert found == {
        "Pass": "p",
        "Name": "ov.loop",
        "DebugLoc": {"File": "a.mlir", "Line": 3, "Column": 7},
        "Function": "main",
    }
    assert {key: int(value) for key, value in args if key in numbers} == numbers
    assert dict(args).get("Layer") == layer
    told = "".join(value for _, value in args)
    assert told == f"{f'{layer}: ' if layer else ''}{remark.text} bytes=4"
    assert remark_as_yaml(Remark("done", "p", "ov.if", "gone")).startswith("--- !Passed\n")
