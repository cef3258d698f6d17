"""IR v10, and what writers before OpenVINO 2022 did: rewritten types, names of layers, attributes in other places."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openvino as ov
import pytest

import loomir
from tests.conformance.test_specification_examples import edges, layer, loop_example
from tests.support import raises_error
from tests.unit.compiler.formats.openvino.test_broken_models import EDGES, LAYERS, write

TYPES = {
    "f16": "FP16", "bf16": "BF16", "f32": "FP32", "f64": "FP64", "i8": "I8", "i16": "I16", "i32": "I32", "i64": "I64", "u8": "U8",
    "u16": "U16", "u32": "U32", "u64": "U64", "boolean": "BOOL",
}  # fmt: skip
"""Element types and the `precision` of their ports."""


def passing(folder: Path, element: str, version: int) -> Path:
    """x → Reshape → y."""
    precision = TYPES[element]
    layers = [
        layer(
            0, "x", "Parameter", f'element_type="{element}" shape="2"', outputs=[((2,), precision)]
        ).replace("<port ", '<port names="tensor_x" '),
        layer(
            1, "shape", "Const", 'element_type="i64" shape="1" offset="0" size="8"', outputs=[((1,), "I64")]
        ),
        layer(2, "re/shape", "Reshape", 'special_zero="false"', [(2,), (1,)], [((2,), precision)]),
        layer(3, "re/shape/sink_port_0", "Result", inputs=[(2,)]),
    ]
    path = folder / f"{element}.xml"
    wires = edges((0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0))
    path.write_text(f'<net name="n" version="{version}"><layers>{"".join(layers)}</layers>{wires}</net>')
    path.with_suffix(".bin").write_bytes(np.int64(2).tobytes())
    return path


@pytest.mark.parametrize("element", TYPES)
def test_types_and_names_of_v10(element: str, tmp_path: Path) -> None:
    path = passing(tmp_path, element, 10)
    theirs = ov.Core().read_model(path)
    ours = loomir.load(path)
    assert [i.name for i in ours.inputs] == ["x"]
    assert [o.name for o in ours.outputs] == ["re/shape"]
    assert ours.outputs[0].name in theirs.output(0).get_names()
    assert {"x", "tensor_x"} == theirs.input(0).get_names()
    dtype = theirs.input(0).get_element_type()
    assert (ours.inputs[0].dtype.name == "bfloat16") == (dtype == ov.Type.bf16)
    if dtype != ov.Type.bf16:
        assert ours.inputs[0].dtype == dtype.to_dtype()
    assert ours.outputs[0].dtype == theirs.output(0).get_element_type().to_dtype()
    x = np.array([0, 1]).astype(ours.inputs[0].dtype)
    np.testing.assert_array_equal(ours.run({"x": x}, engine="graph")["re/shape"], [0, 1])


def test_types_and_names_of_v11_stay(tmp_path: Path) -> None:
    model = loomir.load(passing(tmp_path, "f16", 11))
    assert [(i.name, i.dtype) for i in model.inputs] == [("tensor_x", np.dtype(np.float16))]
    assert [(o.name, o.dtype) for o in model.outputs] == [("re/shape/sink_port_0", np.dtype(np.float16))]


def test_v10_name_of_one_of_several_outputs(tmp_path: Path) -> None:
    split = layer(2, "part", "Split", 'num_splits="2"', [(2,), ()], [((1,), "FP32"), ((1,), "FP32")])
    axis = layer(1, "axis", "Const", 'element_type="i64" shape="" offset="0" size="8"', outputs=[((), "I64")])
    x = layer(0, "x", "Parameter", 'element_type="f32" shape="2"', outputs=[((2,), "FP32")])
    path = write(tmp_path, l0=x, l1=axis, l2=split, wires=(*EDGES[:2], (2, 3, 3, 0)))
    path.write_text(path.read_text().replace('version="11"', 'version="10"'))
    assert [o.name for o in loomir.load(path).outputs] == ["part.1"]
    assert ov.Core().read_model(path).output(0).get_names() == {"part.1"}


def test_types_in_bodies_stay(tmp_path: Path) -> None:
    """Only the model's own inputs and outputs are rewritten."""
    path = loop_example(tmp_path)
    eleven = loomir.load(path)
    path.write_text(path.read_text().replace('version="11"', 'version="10"'))
    feed = {"cond": np.bool_(True), "x": np.ones((1, 1), np.float32)}
    new, old = eleven.run(feed, engine="graph"), loomir.load(path).run(feed, engine="graph")
    for a, b in zip(new.values(), old.values()):
        np.testing.assert_array_equal(a, b)


def test_element_type_and_shape_of_the_port(tmp_path: Path) -> None:
    """The first v10 writers gave them with the output port only."""
    constant = layer(1, "c", "Const", 'offset="0" size="8"', outputs=[((2,), "FP32")])
    x = layer(0, "x", "Parameter", "", outputs=[((2,), "FP32")])
    model = loomir.load(write(tmp_path, l0=x, l1=constant, weights=np.array([3, 4], np.float32).tobytes()))
    (y,) = model.run({"x": np.ones(2, np.float32)}, engine="graph").values()
    np.testing.assert_array_equal(y, [4, 5])


def test_sections_of_model_optimizer(tmp_path: Path) -> None:
    """Comments, `meta_data`, `cli_parameters`, `quantization_parameters` and layers in any order."""
    layers = "".join(
        LAYERS[k].replace('version="opset1"', 'version="opset1"><!-- c --', 0) for k in (3, 1, 2, 0)
    )
    meta = (
        '<meta_data><MO_version value="2021.4"/><cli_parameters><caffe_parser_path value="DIR"/></cli_parameters></meta_data>'
        "<quantization_parameters><config>{ 'a': 1 }</config></quantization_parameters><!-- the end -->"
    )
    text = f'<?xml version="1.0" ?><net name="n" version="10"><!-- first --><layers>{layers}</layers>{edges(*EDGES)}{meta}</net>'
    model = loomir.load(write(tmp_path, text=text))
    assert [(o.name, o.dtype) for o in model.outputs] == [("sum", np.dtype(np.float32))]
    (y,) = model.run({"x": np.ones(2, np.float32)}, engine="graph").values()
    np.testing.assert_array_equal(y, [1, 1])


def test_layers_that_nothing_needs_do_not_count(tmp_path: Path) -> None:
    """OpenVINO does not look at them, whatever they are."""
    unknown = layer(9, "dead", "Frobnicate", "", [(2,)], [((2,), "FP32")])
    model = loomir.load(write(tmp_path, l9=unknown, wires=(*EDGES, (0, 0, 9, 0))))
    assert "dead" not in model.mlir()


def test_bounds_of_a_parameter(tmp_path: Path) -> None:
    """Intervals become bounds, so that code for every shape within them can be made."""
    shapes = {"2..5": 5, "..7": 7}
    for text, bound in shapes.items():
        x = layer(0, "x", "Parameter", f'element_type="f32" shape="{text},2"', outputs=[((-1, 2), "FP32")])
        model = loomir.load(write(tmp_path, l0=x))
        assert model.inputs[0].shape == (None, 2)
        assert model.inputs[0].max_shape == (bound, 2)
        assert "tensor<?x2xf32>" in model.mlir("loops")
    for text in ("?", "3..", "-1"):
        x = layer(0, "x", "Parameter", f'element_type="f32" shape="{text},2"', outputs=[((-1, 2), "FP32")])
        model = loomir.load(write(tmp_path, l0=x))
        assert model.inputs[0].shape == (None, 2)
        assert model.inputs[0].max_shape is None
    x = layer(0, "x", "Parameter", 'element_type="f32" shape="..."', outputs=[((), "FP32")])
    assert loomir.load(write(tmp_path, l0=x)).inputs[0].shape is None


@pytest.mark.parametrize("shape", ["5..2", "2...5", "-2", "a"])
def test_shape_of_a_parameter_that_cannot_be_read(shape: str, tmp_path: Path) -> None:
    x = layer(0, "x", "Parameter", f'element_type="f32" shape="{shape}"', outputs=[((2,), "FP32")])
    with raises_error("bad-attribute", "'x' (Parameter)"):
        loomir.load(write(tmp_path, l0=x))


def test_compressed_weights(tmp_path: Path) -> None:
    """A Const of f16 behind a Convert that is marked as decompression is a weight of f32."""
    convert = layer(4, "wide", "Convert", 'destination_type="f32"', [(2,)], [((2,), "FP32")]).replace(
        "<input>", '<rt_info><attribute name="decompression" version="0"/></rt_info><input>'
    )
    constant = layer(
        1, "c", "Const", 'element_type="f16" shape="2" offset="0" size="4"', outputs=[((2,), "FP16")]
    )
    wires = (EDGES[0], (1, 0, 4, 0), (4, 1, 2, 1), EDGES[2])
    path = write(
        tmp_path, l1=constant, l4=convert, wires=wires, weights=np.array([0.5, 3], np.float16).tobytes()
    )
    model = loomir.load(path)
    assert "ov.convert" not in model.mlir()
    (y,) = model.run({"x": np.ones(2, np.float32)}, engine="graph").values()
    np.testing.assert_array_equal(y, [1.5, 4])


def test_broadcast_of_paddle_with_ones_behind(tmp_path: Path) -> None:
    """Trailing ones of the second operand do not count: [2, 1] from dimension 0 of [2] is [2]."""
    data = 'auto_broadcast="pdpd" auto_broadcast.auto_broadcast_axis="0"'
    constant = layer(
        1, "c", "Const", 'element_type="f32" shape="2,1" offset="0" size="8"', outputs=[((2, 1), "FP32")]
    )
    add = layer(2, "sum", "Add", data, [(2,), (2, 1)], [((2,), "FP32")])
    path = write(tmp_path, l1=constant, l2=add, weights=np.array([3, 4], np.float32).tobytes())
    (y,) = loomir.load(path).run({"x": np.ones(2, np.float32)}, engine="graph").values()
    np.testing.assert_array_equal(y, [4, 5])
    with raises_error("bad-attribute", "auto_broadcast_axis='x'"):
        loomir.load(write(tmp_path, l1=constant, l2=add.replace('axis="0"', 'axis="x"')))
    x = layer(0, "x", "Parameter", 'element_type="f32" shape="..."', outputs=[((), "FP32")])
    with raises_error("unknown-rank", "'sum' (Add)"):
        loomir.load(write(tmp_path, l0=x, l1=constant, l2=add))
