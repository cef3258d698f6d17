"""Attributes that no element of OpenVINO IR has, or that count for nothing where they are: a warning with the place."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import loomir
from loomir.tools.loomir_main import main
from tests.conformance.test_specification_examples import FIXTURES, loop_example
from tests.support import assert_agree
from tests.unit.compiler.formats.openvino.test_port_maps import (
    EDGE,
    STATE,
    STATES,
    edited,
    if_example,
    iterator_example,
)

ROOT = Path(__file__).parents[5]
X = {"cond": np.bool_(True), "x": np.ones((1, 1), np.float32)}

LOOP_SLIPS: dict[str, tuple[tuple[str, str], str]] = {
    "net": (('<net name="loop"', '<net name="loop" foo="1"'), "foo in <net"),
    "a layer": (('<layer id="3" name="loop"', '<layer foo="1" id="3" name="loop"'), "'loop' (Loop): foo in <layer"),
    "a port": (('<port id="4" precision', '<port foo="1" id="4" precision'), "'loop' (Loop): foo in <port"),
    "data": (('version="opset5"><data/>', 'version="opset5"><data foo="1"/>'), "'loop' (Loop): foo in <data"),
    "data of an operator": (('auto_broadcast="numpy"', 'auto_brodcast="numpy"'), "'twice' (Add): auto_brodcast in <data"),
    "data of a Parameter": (('<data element_type="f32"', '<data layout="NC" element_type="f32"'), "(Parameter): layout in <data"),
    "an output": ((STATES, STATES.replace("/>", ' strid="-1"/>')), "'loop' (Loop): strid in <output"),
    "start without an axis": ((STATE, STATE.replace("/>", ' start="3"/>')), "start in <output"),
    "stride without an axis": ((STATE, STATE.replace("/>", ' stride="0"/>')), "stride in <output"),
    "start of an output": ((STATES, STATES.replace("/>", ' start="3"/>')), "start in <output"),
    "end of an output": ((STATES, STATES.replace("/>", ' end="4"/>')), "end in <output"),
    "a back edge": ((EDGE, EDGE.replace("/>", ' foo="1"/>')), "'loop' (Loop): foo in <edge"),
    "the body": (("<body>", '<body foo="1">'), "'loop' (Loop): foo in <body"),
    "an attribute of a namespace": (("<body>", '<body xmlns:a="b" a:foo="1">'), "'loop' (Loop): {b}foo in <body"),
}  # fmt: skip


def slips(path: Path) -> list[str]:
    """The warnings of a file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loomir.load(path)
    return [str(w.message) for w in caught if isinstance(w.message, loomir.FormatWarning)]


@pytest.mark.parametrize("slip", LOOP_SLIPS)
def test_slip(slip: str, tmp_path: Path) -> None:
    expected = loomir.load(loop_example(tmp_path)).run(X, engine="graph")
    change, words = LOOP_SLIPS[slip]
    path = edited(loop_example(tmp_path), change)
    (message,) = slips(path)
    assert words in message
    line = next(
        k for k, text in enumerate(path.read_text().splitlines(), 1) if change[1].splitlines()[0] in text
    )
    assert message.startswith(f"{path}:{line}: "), message
    with pytest.warns(loomir.FormatWarning):
        outputs = loomir.load(path).run(X, engine="graph")
    for name, value in expected.items():
        assert_agree(outputs[name], value)


def test_slip_in_a_branch(tmp_path: Path) -> None:
    entry = '<input external_port_id="1" internal_layer_id="0"/>'
    (message,) = slips(edited(if_example(tmp_path), (entry, entry.replace("/>", ' start="0"/>'))))
    assert "'if/cond' (If): start in <input" in message
    assert "without an axis" in message


def test_one_warning_for_a_kind(tmp_path: Path) -> None:
    """A hundred thousand attributes that nobody knows are not a hundred thousand warnings."""
    many = " ".join(f'a{k}="1"' for k in range(20_000))
    path = loop_example(tmp_path)
    path.write_text(
        path.read_text().replace('<port id="', f'<port {many} id="', 3).replace("<dim>", '<dim foo="1">')
    )
    ports, dims = sorted(slips(path), key=len, reverse=True)
    assert "a0 in <port" in ports
    assert len(ports) < 600
    assert re.search(r"foo in <dim.*\(\d+ more such elements\)", dims)


def test_what_an_extension_knows_is_its_own(tmp_path: Path) -> None:
    path = edited(loop_example(tmp_path), ('type="Add" version="opset1"', 'type="Bend" version="extension"'))
    path.write_text(path.read_text().replace('auto_broadcast="numpy"', 'how="far"', 1))
    assert slips(path) == []


def test_real_files() -> None:
    """Nothing that OpenVINO, the Model Optimizer or this repository wrote has an attribute that nobody knows."""
    files = [
        p
        for p in (*ROOT.joinpath("examples").rglob("*.xml"), *FIXTURES.rglob("*.xml"))
        if "<net" in p.read_text()[:400]
    ]
    assert len(files) > 50
    assert {p.name: found for p in files if "extension" not in p.parts and (found := slips(p))} == {}


def test_what_we_write(tmp_path: Path) -> None:
    for example in (loop_example, iterator_example, if_example):
        model = loomir.load(example(tmp_path))
        model.save(tmp_path / "again.xml")
        assert slips(tmp_path / "again.xml") == []


def test_tools_print_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = edited(loop_example(tmp_path), (STATE, STATE.replace("/>", ' start="3"/>')))
    main(["inspect", str(path)])
    told = capsys.readouterr().err
    assert told.startswith("loomir: warning:")
    assert "start in <output" in told
