"""Constants of every element type: what OpenVINO 2026.4 reads from the same bytes, in graph and native."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loomir
from loomir.compiler.formats.openvino.files import WeightsReader, read_constant
from loomir.compiler.model import Engine
from tests.support import raises_error

RAW = bytes([0b10110001, 0b01100011, 0b11110000])

DECODED: dict[str, list[float]] = {
    "u1": [1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0],
    "u2": [1, 0, 3, 2, 3, 0, 2, 1, 0, 0, 3, 3],
    "u3": [6, 7, 4, 5, 1, 2, 0, 3],
    "u4": [1, 11, 3, 6, 0, 15],
    "u6": [59, 49, 6, 3],
    "i4": [1, -5, 3, 6, 0, -1],
    "nf4": [-0.6961928, 0.33791524, -0.3949175, -0.091050036, -1.0, 1.0],
    "f4e2m1": [0.5, -1.5, 1.5, 4.0, 0.0, -6.0],
    "f8e4m3": [-0.5625, 44.0, -128.0],
    "f8e5m2": [-0.15625, 896.0, -8192.0],
    "f8e8m0": [1.1258999e15, 3.7252903e-09, 1.0384594e34],
    "i8": [-79, 99, -16],
    "u8": [177, 99, 240],
}

MODEL = """<net name="m" version="11"><layers>
<layer id="0" name="c" type="Const" version="opset1">
  <data element_type="{type}" shape="{count}" offset="0" size="{size}"/>
  <output><port id="0" precision="{type}"><dim>{count}</dim></port></output></layer>
<layer id="1" name="x" type="Parameter" version="opset1"><data element_type="f32" shape="{count}"/>
  <output><port id="0" precision="FP32"><dim>{count}</dim></port></output></layer>
<layer id="2" name="w" type="Convert" version="opset1"><data destination_type="f32"/>
  <input><port id="0"/></input><output><port id="1" precision="FP32"><dim>{count}</dim></port></output></layer>
<layer id="3" name="y" type="Add" version="opset1"><data auto_broadcast="numpy"/>
  <input><port id="0"/><port id="1"/></input><output><port id="2" precision="FP32" names="y"/></output></layer>
<layer id="4" name="r" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="3" to-port="0"/>
<edge from-layer="2" from-port="1" to-layer="3" to-port="1"/>
<edge from-layer="3" from-port="2" to-layer="4" to-port="0"/>
</edges></net>"""


def write_model(folder: Path, type_: str, count: int, raw: bytes) -> Path:
    path = folder / "m.xml"
    path.write_text(MODEL.format(type=type_, count=count, size=len(raw)))
    path.with_suffix(".bin").write_bytes(raw)
    return path


@pytest.mark.parametrize("engine", ["graph", "native"])
@pytest.mark.parametrize("type_", DECODED)
def test_as_openvino_reads_it(type_: str, engine: Engine, tmp_path: Path) -> None:
    expected = np.array(DECODED[type_], np.float32)
    model = loomir.load(write_model(tmp_path, type_, len(expected), RAW))
    (actual,) = model.run({"x": np.zeros(len(expected), np.float32)}, engine=engine).values()
    np.testing.assert_allclose(actual, expected, rtol=1e-7)


@pytest.mark.parametrize(
    ("type_", "count", "size"),
    [
        ("u1", 9, 2),
        ("u2", 5, 2),
        ("u3", 9, 6),
        ("u4", 5, 3),
        ("u6", 5, 6),
        ("nf4", 3, 2),
        ("i4", 0, 0),
        ("u3", 0, 0),
    ],
)
def test_sizes_are_rounded_up(type_: str, count: int, size: int, tmp_path: Path) -> None:
    """Constants need as many bytes as OpenVINO's tensors of these types.

    One byte fewer is an error.
    """
    path = tmp_path / "m.bin"
    path.write_bytes(bytes(size))
    assert read_constant(WeightsReader(path), type_, (count,), 0, size).shape == (count,)
    if size:
        with raises_error("const-size"):
            read_constant(WeightsReader(path), type_, (count,), 0, size - 1)


@pytest.mark.parametrize("type_", ["string", "u5"])
def test_types_that_there_are_not(type_: str, tmp_path: Path) -> None:
    with raises_error("unsupported-type", type_):
        loomir.load(write_model(tmp_path, type_, 3, RAW))


def test_types_of_constants_only(tmp_path: Path) -> None:
    """Nothing computes what only constants are widened from."""
    path = write_model(tmp_path, "i8", 3, RAW)
    path.write_text(path.read_text().replace('<data element_type="f32"', '<data element_type="nf4"'))
    with raises_error("unsupported-type", "nf4"):
        loomir.load(path)


@pytest.mark.parametrize("name", ["dynamic", "undefined"])
def test_a_type_that_is_left_open(name: str, tmp_path: Path) -> None:
    """It says what to write, and with what."""
    path = write_model(tmp_path, "i8", 3, RAW)
    path.write_text(path.read_text().replace('<data element_type="f32"', f'<data element_type="{name}"'))
    with raises_error("unsupported-type", "'x' (Parameter)", name, 'element_type="f32"', "set_element_type"):
        loomir.load(path)
