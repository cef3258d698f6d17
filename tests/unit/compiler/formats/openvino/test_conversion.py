"""Convert to floats of 8 bits as OpenVINO means it: what is out of range is infinite or NaN."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loomir
from tests.support import raises_error

X = [1e6, -1e6, 448.0, 464.0, 480.0, 1.0625, 1.6, 0.0]

MODEL = """<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data element_type="f32" shape="8"/>
  <output><port id="0" precision="FP32"><dim>8</dim></port></output></layer>
<layer id="1" name="small" type="Convert" version="opset1"><data destination_type="{type}"/>
  <input><port id="0"/></input><output><port id="1" precision="{type}"/></output></layer>
<layer id="2" name="like" type="ConvertLike" version="opset8">
  <input><port id="0"/><port id="1"/></input><output><port id="2" precision="{type}"/></output></layer>
<layer id="3" name="y" type="Convert" version="opset1"><data destination_type="f32"/>
  <input><port id="0"/></input><output><port id="1" precision="FP32" names="y"/></output></layer>
<layer id="4" name="r" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
<edge from-layer="3" from-port="1" to-layer="4" to-port="0"/>
</edges></net>"""

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("f8e4m3", [NAN, NAN, 448, 448, NAN, 1.0, 1.625, 0]),
        ("f8e5m2", [INF, -INF, 448, 448, 512, 1.0, 1.5, 0]),
        ("f8e8m0", [2.0**20, 2.0**20, 512, 512, 512, 1.0, 2.0, 2.0**-127]),
    ],
)
def test_out_of_range(type_: str, expected: list[float], tmp_path: Path) -> None:
    """Of negative numbers OpenVINO makes the least `f8e8m0`; ONNX leaves them open, and here the sign does not count."""
    path = tmp_path / "m.xml"
    path.write_text(MODEL.format(type=type_))
    path.with_suffix(".bin").write_bytes(b"")
    model = loomir.load(path)
    for engine in ("graph", "native"):
        (actual,) = model.run({"x": np.array(X, np.float32)}, engine=engine).values()
        np.testing.assert_array_equal(actual, np.array(expected, np.float32), err_msg=engine)


def test_no_type(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(MODEL.format(type="f32").replace('<data destination_type="f32"/>', ""))
    with raises_error("bad-attribute", "destination_type"):
        loomir.load(path)
