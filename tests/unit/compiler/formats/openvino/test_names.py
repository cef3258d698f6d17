"""Names of layers and tensors, in the file and in OpenVINO."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loomir
from tests.openvino_process import names_in_openvino, run_openvino
from tests.unit.compiler.formats.openvino.nets import layers, net

LOOP = """
func.func @main(%n: tensor<i64> {loomir.name = "n"}, %a: tensor<2xf32> {loomir.name = "a"}) -> (tensor<2xf32> {loomir.name = "b"}) {
  %true = ov.constant dense<true> : tensor<i1> : tensor<i1> loc("again")
  %r = ov.loop trip(%n) while(%true) carried(%a) : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> (tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<2xf32>):
    %go = ov.constant dense<true> : tensor<i1> : tensor<i1> loc("again")
    %d = ov.add %c, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> loc("again")
    ov.next while(%go) carried(%d : tensor<2xf32>)
  } loc("again")
  %s = ov.negative %r : (tensor<2xf32>) -> tensor<2xf32> loc("again")
  %t = ov.abs %s : (tensor<2xf32>) -> tensor<2xf32> loc("again_1")
  func.return %t : tensor<2xf32>
}"""


def test_a_loop_is_called_as_its_layer() -> None:
    """Not a constant that its layer has too, nor what comes behind it; and nothing gets the name of a layer that is still to come."""
    assert layers(net(LOOP)) == [
        ("Parameter", "n"), ("Parameter", "a"), ("Const", "again_2"), ("Loop", "again"), ("Negative", "again_3"),
        ("Abs", "again_1"), ("Result", "b/result"),
    ]  # fmt: skip


def passing(element: str, inputs: str = "x", outputs: str = "y z") -> str:
    """Inputs of which the first is all outputs but the last, which is the second input or computed; and a value that is two outputs."""
    x, (y, z) = inputs, outputs.split()
    type_ = f"tensor<2x{element}>"
    return f"""
func.func @main(%x: {type_} {{loomir.name = "{x}"}}) -> ({type_} {{loomir.name = "{y}"}}, {type_} {{loomir.name = "{z}"}},
                 {type_} {{loomir.name = "u"}}, {type_} {{loomir.name = "v"}}) {{
  %c = ov.constant dense<[1, 0]> : tensor<2xi64> : tensor<2xi64>
  %d = ov.convert %c {{destination_type = {element}}} : (tensor<2xi64>) -> {type_}
  %s = ov.maximum %x, %d : ({type_}, {type_}) -> {type_}
  func.return %x, %x, %s, %s : {type_}, {type_}, {type_}, {type_}
}}"""


ELEMENTS = {
    "f32": np.float32,
    "f16": np.float16,
    "ui8": np.uint8,
    "si32": np.int32,
    "i64": np.int64,
    "f64": np.float64,
}


@pytest.mark.parametrize("element", ELEMENTS)
def test_names_of_what_passes_through(element: str, tmp_path: Path) -> None:
    """Each output has its own name in OpenVINO, and no input loses its. Numbers of 64 bits have all names of their tensor."""
    (tmp_path / "m.mlir").write_text(passing(element.removeprefix("s"), "in,1", "y z"))
    model = loomir.load(tmp_path / "m.mlir")
    path = tmp_path / "m.xml"
    model.save(path)
    inputs, outputs = names_in_openvino(path)
    one = {"in,1"}
    if element in ("i64", "f64"):
        whole = {"in,1", "y", "z"}
        assert inputs == [whole]
        assert outputs == [whole, whole, {"u", "v"}, {"u", "v"}]
    else:
        assert inputs == [one]
        assert outputs == [{"y"}, {"z"}, {"u"}, {"v"}]
    again = loomir.load(path)
    assert [i.name for i in again.inputs] == ["in,1"]
    assert [o.name for o in again.outputs] == ["y", "z", "u", "v"]
    x = np.array([2**40, -(2**40)] if element == "i64" else [100, 3], ELEMENTS[element])
    ((y, z, _, _),) = run_openvino(path, [[x]], tmp_path)
    np.testing.assert_array_equal(y, x)
    np.testing.assert_array_equal(z, x)


@pytest.mark.parametrize("shape", ["", "2x?x", "0x3x"])
def test_shapes_of_what_passes_through(shape: str, tmp_path: Path) -> None:
    type_ = f"tensor<{shape}f32>"
    (tmp_path / "m.mlir").write_text(
        f'func.func @main(%x: {type_} {{loomir.name = "x"}}) -> ({type_} {{loomir.name = "y"}}) {{ func.return %x : {type_} }}'
    )
    path, again = tmp_path / "m.xml", tmp_path / "again" / "m.xml"
    again.parent.mkdir()
    loomir.load(tmp_path / "m.mlir").save(path)
    assert names_in_openvino(path) == ([{"x"}], [{"y"}])
    loomir.load(path, optimize=False).save(again)
    assert path.read_bytes() == again.read_bytes()
    x = np.full([int(e) if e.isdigit() else 3 for e in shape.split("x")[:-1]], np.inf, np.float32)
    ((y,),) = run_openvino(path, [[x]], tmp_path)
    np.testing.assert_array_equal(y, x)
