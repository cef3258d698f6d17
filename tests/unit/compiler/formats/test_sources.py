"""A model by its path, its contents, a file that is open, and as an object of another library."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser
import onnx.printer
import onnxscript
import pytest
from onnxscript import FLOAT, opset17

import loomir
from tests.support import raises_error

PROTO = onnx.parser.parse_model(
    '<ir_version: 10, opset_import: ["" : 17]> double (float[2] x) => (float[2] y) { y = Add(x, x) }'
)
MLIR = loomir.load(PROTO).mlir(full_constants=True)
LOOPS = loomir.load(PROTO).mlir("loops", full_constants=True)
CONTENTS: dict[str, bytes] = {
    "onnx": PROTO.SerializeToString(),
    "onnxtxt": onnx.printer.to_text(PROTO).encode(),
    "mlir": MLIR.encode(),
    "mlir of a later stage": LOOPS.encode(),
}
FORMS: dict[str, Callable[[bytes], Any]] = {
    "bytes": lambda data: data,
    "bytearray": bytearray,
    "memoryview": memoryview,
    "BytesIO": io.BytesIO,
}


def doubles(model: Any) -> None:
    made = loomir.load(model)
    np.testing.assert_array_equal(made(np.array([1, 2], np.float32)), [2, 4])


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("data", CONTENTS.values(), ids=CONTENTS)
def test_contents(data: bytes, form: Callable[[bytes], Any]) -> None:
    doubles(form(data))


class Named:
    """A path as another library has it."""

    def __init__(self, path: bytes | str) -> None:
        self.path = path

    def __fspath__(self) -> bytes | str:
        return self.path


def test_paths_and_files(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(CONTENTS["onnx"])
    for given in (path, str(path), Named(str(path)), Named(os.fsencode(path))):
        doubles(given)
        assert loomir.load(given).source == str(path)
    with path.open("rb") as file, path.open("rb", buffering=0) as raw:
        doubles(file)
        doubles(raw)
    with zipfile.ZipFile(tmp_path / "m.zip", "w") as archive:
        archive.writestr("m.onnx", CONTENTS["onnx"])
    with zipfile.ZipFile(tmp_path / "m.zip") as archive, archive.open("m.onnx") as member:
        doubles(member)


def test_contents_have_no_path() -> None:
    model = loomir.load(CONTENTS["onnx"])
    assert (model.source, model.name) == (None, "double")
    with raises_error("input-missing") as found:
        model.run({})
    assert found.value.where.file is None


def test_an_option_of_load_applies_to_contents() -> None:
    text = '<ir_version: 10, opset_import: ["" : 17]> g (float[n] x) => (float[n] y) { y = Neg(x) }'
    data = onnx.parser.parse_model(text).SerializeToString()
    assert str(loomir.load(io.BytesIO(data), shapes={"x": [3]}).inputs[0]) == "x: float32[3]"


def test_a_function_of_onnxscript() -> None:
    @onnxscript.script()
    def twice(x: FLOAT[2]) -> FLOAT[2]:
        return opset17.Add(x, x)

    doubles(twice)


class Exported:
    """An object with the method, and nothing else of onnxscript."""

    def __init__(self, made: Any) -> None:
        self.made = made

    def to_model_proto(self) -> Any:
        if isinstance(self.made, Exception):
            raise self.made
        return self.made


def test_what_becomes_a_model() -> None:
    doubles(Exported(PROTO))
    with raises_error("invalid-onnx", "TypeError: no types"):
        loomir.load(Exported(TypeError("no types")))
    with raises_error("invalid-onnx", "becomes 7"):
        loomir.load(Exported(7))


class Closed(io.RawIOBase):
    def read(self, size: int = -1) -> bytes:
        raise OSError("the disk is gone")


GARBAGE: dict[str, tuple[Any, str, str]] = {
    "nothing": (b"", "invalid-onnx", "empty"),
    "bytes": (bytes(range(256)), "invalid-onnx", "not an ONNX model"),
    "half a model": (CONTENTS["onnx"][:-9], "invalid-onnx", "not an ONNX model"),
    "text": (b"hello", "mlir-syntax", "hello"),
    "text of another model": (b"<ir_version: 10> hello", "invalid-onnx", "not textual ONNX"),
    "XML": (b'<?xml version="1.0"?><net name="a"/>', "unknown-format", "give the path of the .xml"),
    "a text that is no path": (MLIR, "unknown-format", "given as bytes"),
    "a file of text": (io.StringIO(MLIR), "bad-option", "binary mode"),
    "a file that cannot be read": (Closed(), "file-unreadable", "the disk is gone"),
    "a number": (7, "bad-option", "a path, bytes"),
    "a class": (Exported, "bad-option", "a path, bytes"),
}


@pytest.mark.parametrize(("model", "identifier", "said"), GARBAGE.values(), ids=GARBAGE)
def test_what_is_no_model(model: Any, identifier: str, said: str) -> None:
    with raises_error(identifier, said):
        loomir.load(model)


def test_a_closed_file() -> None:
    file = io.BytesIO(CONTENTS["onnx"])
    file.close()
    with raises_error("file-unreadable", "closed"):
        loomir.load(file)


def test_convert_reads_the_same() -> None:
    model = loomir.convert(CONTENTS["onnx"])
    np.testing.assert_array_equal(model(np.array([1, 2], np.float32)), [2, 4])
