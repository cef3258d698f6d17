"""Tensors in every form in which a model may hold them."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import loomir
from loomir.compiler.formats.onnx.importer import load_onnx
from loomir.dialects.element_types import dtype_of
from loomir.dialects.onnx.tensors import ELEMENTS, array_of
from loomir.dialects.ov.operators.constant import ConstantOp
from tests.support import raises_error

VALUES = {
    "b": [True, False, True],
    "i": [-3, 0, 7],
    "u": [3, 0, 7],
    "f": [0.5, -2.0, 1.25],
    "V": [0.5, -2.0, 1.25],
    "O": ["", "Ω", "a b"],
    "c": [1 + 2j, -0.5, 3j],
}
SMALL_VALUES = {
    "int2": [-2, 1, -1],
    "int4": [-8, 7, -3],
    "uint2": [3, 0, 2],
    "uint4": [15, 0, 9],
    "float4_e2m1fn": [0.5, -6.0, 3.0],
    "float8_e8m0fnu": [0.5, 4.0, 2.0**-126],
}


@pytest.mark.parametrize("data_type", sorted(ELEMENTS), ids=TensorProto.DataType.Name)
@pytest.mark.parametrize("raw", [True, False], ids=["raw", "typed"])
def test_every_element_type(data_type: int, raw: bool) -> None:
    dtype = dtype_of(ELEMENTS[data_type])
    expected = np.array(SMALL_VALUES.get(dtype.name) or VALUES[dtype.kind], dtype)
    if raw:
        tensor = numpy_helper.from_array(expected.reshape(3, 1), "t")
    else:
        tensor = helper.make_tensor("t", data_type, [3, 1], expected)
    assert tensor.HasField("raw_data") == (raw and data_type != TensorProto.STRING)
    actual = array_of(tensor)
    assert actual.dtype == dtype
    assert actual.tolist() == expected.reshape(3, 1).tolist()
    assert not actual.flags.writeable


def test_sixteen_bit_floats_are_bits_in_the_integer_field() -> None:
    tensor = TensorProto(data_type=TensorProto.BFLOAT16, dims=[2], int32_data=[0x3F80, 0xC000])
    np.testing.assert_array_equal(array_of(tensor), np.array([1.0, -2.0], ml_dtypes.bfloat16))


def test_any_nonzero_byte_is_true() -> None:
    tensor = TensorProto(data_type=TensorProto.BOOL, dims=[3], raw_data=b"\x00\x02\xff")
    np.testing.assert_array_equal(array_of(tensor), [False, True, True])


def test_scalar_and_empty() -> None:
    assert array_of(helper.make_tensor("t", TensorProto.FLOAT, [], [1.5])).shape == ()
    assert array_of(helper.make_tensor("t", TensorProto.INT64, [0, 3], [])).shape == (0, 3)


@pytest.mark.parametrize(
    "tensor",
    [
        TensorProto(data_type=TensorProto.FLOAT, dims=[3], raw_data=b"\0" * 8),
        TensorProto(data_type=TensorProto.FLOAT, dims=[3], float_data=[1.0]),
        TensorProto(data_type=TensorProto.INT64, dims=[1 << 40, 1 << 20], raw_data=b""),
        TensorProto(data_type=TensorProto.INT64, dims=[-1], raw_data=b""),
        TensorProto(data_type=0, dims=[]),
        TensorProto(data_type=999, dims=[]),
    ],
    ids=["raw", "typed", "huge", "negative", "undefined", "no type"],
)
def test_sizes_and_types_that_cannot_be(tensor: TensorProto) -> None:
    with raises_error("invalid-onnx"):
        array_of(tensor)


@pytest.mark.parametrize(
    "tensor",
    [
        TensorProto(data_type=TensorProto.STRING, dims=[2], string_data=[b"a"]),
        TensorProto(data_type=TensorProto.STRING, dims=[1], string_data=[b"\xff"]),
        TensorProto(data_type=TensorProto.STRING, dims=[1], raw_data=b"a"),
        TensorProto(data_type=TensorProto.STRING, dims=[1], data_location=TensorProto.EXTERNAL),
        TensorProto(data_type=TensorProto.COMPLEX64, dims=[2], float_data=[1, 2, 3]),
        TensorProto(data_type=TensorProto.COMPLEX128, dims=[1], raw_data=bytes(15)),
    ],
)
def test_strings_and_complex_numbers_that_cannot_be(tensor: TensorProto) -> None:
    with raises_error("invalid-onnx"):
        array_of(tensor)


def test_segments_are_refused() -> None:
    tensor = TensorProto(data_type=TensorProto.FLOAT, dims=[1], segment=TensorProto.Segment(begin=0, end=1))
    with raises_error("unsupported-type", "segment"):
        array_of(tensor)


# -- external data


def model_with_external(folder: Path, location: str, **fields: str) -> Path:
    """y = x + w, where w [300] is in a file; returns the model's path."""
    weights = TensorProto(
        name="w", data_type=TensorProto.FLOAT, dims=[300], data_location=TensorProto.EXTERNAL
    )
    for key, value in {"location": location, **fields}.items():
        weights.external_data.add(key=key, value=value)
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [300]) for n in "xy"]
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])], "g", info[:1], info[1:], [weights]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    path = folder / "m.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def test_external_data_is_mapped(tmp_path: Path) -> None:
    data = np.arange(304, dtype=np.float32)
    data.tofile(tmp_path / "w.bin")
    module = load_onnx(model_with_external(tmp_path, "w.bin", offset="16", length="1200"))
    (constant,) = [op for op in module.walk() if isinstance(op, ConstantOp)]
    np.testing.assert_array_equal(constant.array, data[4:])
    base = constant.array
    while isinstance(base.base, np.ndarray):
        base = base.base
    assert isinstance(base, np.memmap), "the weights were copied"


def test_external_data_outside_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "secret").write_bytes(b"\0" * 1200)
    (tmp_path / "model" / "link").symlink_to(tmp_path / "secret")
    for location in ("../secret", str(tmp_path / "secret"), "link", "", "missing"):
        with raises_error("external-data"):
            load_onnx(model_with_external(tmp_path / "model", location))


@pytest.mark.parametrize(
    "fields",
    [{"offset": "4"}, {"length": "4"}, {"offset": "-4"}, {"offset": "x"}, {"length": "100000"}],
    ids=["offset", "short", "negative", "no number", "long"],
)
def test_external_data_out_of_range(tmp_path: Path, fields: dict[str, str]) -> None:
    (tmp_path / "w.bin").write_bytes(b"\0" * 1200)
    with raises_error("external-data", "w"):
        load_onnx(model_with_external(tmp_path, "w.bin", **fields))


def test_external_data_of_a_model_in_memory(tmp_path: Path) -> None:
    model = onnx.load(model_with_external(tmp_path, "w.bin"), load_external_data=False)
    with raises_error("external-data", "'w'"):
        load_onnx(model)


def test_external_data_in_subgraphs_and_attributes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everywhere where a model may hold a tensor; the working directory does not matter."""
    np.array([1, 2], np.float32).tofile(tmp_path / "w.bin")

    def external(name: str) -> TensorProto:
        tensor = TensorProto(
            name=name, data_type=TensorProto.FLOAT, dims=[2], data_location=TensorProto.EXTERNAL
        )
        tensor.external_data.add(key="location", value="w.bin")
        return tensor

    def constant(name: str) -> onnx.NodeProto:
        node = helper.make_node("Constant", [], [name])
        node.attribute.append(
            onnx.AttributeProto(name="value", type=onnx.AttributeProto.TENSOR, t=external(name))
        )
        return node

    def info(name: str, data_type: int = TensorProto.FLOAT, shape: tuple[int, ...] = (2,)):
        return helper.make_tensor_value_info(name, data_type, shape)

    then = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["r"])], "t", [], [info("r")], [external("w")]
    )
    otherwise = helper.make_graph(
        [constant("k"), helper.make_node("Mul", ["x", "k"], ["q"])], "e", [], [info("q")]
    )
    nodes = [
        constant("m"),
        helper.make_node("If", ["c"], ["z"], then_branch=then, else_branch=otherwise),
        helper.make_node("Add", ["z", "m"], ["y"]),
    ]
    graph = helper.make_graph(nodes, "g", [info("c", TensorProto.BOOL, ()), info("x")], [info("y")])
    path = tmp_path / "m.onnx"
    path.write_bytes(
        helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10
        ).SerializeToString()
    )
    monkeypatch.chdir("/")
    model, x = loomir.load(path), np.ones(2, np.float32)
    for c, expected in ((True, [3, 5]), (False, [2, 4])):
        np.testing.assert_array_equal(
            model.run({"c": c, "x": x}, engine="graph")["y"], np.array(expected, np.float32)
        )
    (tmp_path / "w.bin").unlink()
    with raises_error("external-data", "'w.bin'", "not a file in the model's folder"):
        load_onnx(path)
