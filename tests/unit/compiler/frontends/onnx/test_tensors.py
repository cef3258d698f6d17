"""Tensors in every form in which a model may hold them."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from loomir.compiler.frontends.onnx import load_onnx
from loomir.compiler.frontends.onnx.tensors import ELEMENTS, array_of
from loomir.dialects.element_types import dtype_of
from loomir.dialects.ov.constant import ConstantOp
from tests.support import raises_error

VALUES = {
    "b": [True, False, True],
    "i": [-3, 0, 7],
    "u": [3, 0, 7],
    "f": [0.5, -2.0, 1.25],
    "V": [0.5, -2.0, 1.25],
}


@pytest.mark.parametrize("data_type", sorted(ELEMENTS), ids=TensorProto.DataType.Name)
@pytest.mark.parametrize("raw", [True, False], ids=["raw", "typed"])
def test_every_element_type(data_type: int, raw: bool) -> None:
    dtype = dtype_of(ELEMENTS[data_type])
    expected = np.array(VALUES[dtype.kind], dtype)
    if raw:
        tensor = numpy_helper.from_array(expected.reshape(3, 1), "t")
    else:
        tensor = helper.make_tensor("t", data_type, [3, 1], expected)
    assert tensor.HasField("raw_data") == raw
    actual = array_of(tensor, None)
    assert actual.dtype == dtype
    np.testing.assert_array_equal(actual, expected.reshape(3, 1))
    assert not actual.flags.writeable


def test_sixteen_bit_floats_are_bits_in_the_integer_field() -> None:
    tensor = TensorProto(data_type=TensorProto.BFLOAT16, dims=[2], int32_data=[0x3F80, 0xC000])
    np.testing.assert_array_equal(array_of(tensor, None), np.array([1.0, -2.0], ml_dtypes.bfloat16))


def test_any_nonzero_byte_is_true() -> None:
    tensor = TensorProto(data_type=TensorProto.BOOL, dims=[3], raw_data=b"\x00\x02\xff")
    np.testing.assert_array_equal(array_of(tensor, None), [False, True, True])


def test_scalar_and_empty() -> None:
    assert array_of(helper.make_tensor("t", TensorProto.FLOAT, [], [1.5]), None).shape == ()
    assert array_of(helper.make_tensor("t", TensorProto.INT64, [0, 3], []), None).shape == (0, 3)


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
        array_of(tensor, None)


@pytest.mark.parametrize("data_type", [TensorProto.STRING, TensorProto.COMPLEX64, TensorProto.FLOAT8E4M3FN])
def test_types_that_are_refused_by_name(data_type: int) -> None:
    with raises_error("unsupported-type", TensorProto.DataType.Name(data_type).lower()):
        array_of(TensorProto(data_type=data_type, dims=[0]), None)


def test_segments_are_refused() -> None:
    tensor = TensorProto(data_type=TensorProto.FLOAT, dims=[1], segment=TensorProto.Segment(begin=0, end=1))
    with raises_error("unsupported-type", "segment"):
        array_of(tensor, None)


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
