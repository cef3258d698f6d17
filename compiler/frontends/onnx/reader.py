"""From a file, text or protobuf object to a checked ONNX model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import onnx
import onnx.checker
import onnx.parser
from google.protobuf.message import DecodeError, EncodeError

from loomir.compiler.frontends.onnx.options import ImportOptions
from loomir.compiler.frontends.onnx.structure import check_structure
from loomir.compiler.frontends.onnx.text import check_text
from loomir.errors import Error

PROTOBUF_BYTES = (1 << 31) - 1
"""A protobuf message cannot be larger."""


@dataclass(frozen=True)
class Source:
    """A model and where it came from; `directory` is where its external data must be."""

    model: onnx.ModelProto
    name: str
    file: str | None
    directory: Path | None


def read_model(model: str | Path | onnx.ModelProto, options: ImportOptions) -> Source:
    """Read and check a model: `.onnx`, textual ONNX in any other file (`.onnxtxt`), or an object.

    External data stays where it is. Errors: `file-unreadable`, `invalid-onnx`, `import-limit` and those of
    `check_structure`.
    """
    if isinstance(model, onnx.ModelProto):
        source = Source(model, model.graph.name or "model", None, None)
    else:
        path = Path(model)
        try:
            proto = _parse(path, options)
        except OSError as error:
            raise Error("file-unreadable", f"cannot be read: {error.strerror}", file=str(path)) from error
        except Error as error:
            raise error.at(file=str(path)) from error
        source = Source(proto, path.stem, str(path), path.parent)
    try:
        check_text(source.model)
        ordered = check_structure(source.model, options)
        _check(ordered)
    except Error as error:
        raise error.at(file=source.file) from error
    return Source(ordered, source.name, source.file, source.directory)


def _parse(path: Path, options: ImportOptions) -> onnx.ModelProto:
    size = path.stat().st_size
    if size > options.max_file_bytes:
        raise Error(
            "import-limit", f"the file has {size} bytes, more than the limit of {options.max_file_bytes}"
        )
    if path.suffix != ".onnx":
        try:
            text = path.read_text(encoding="utf-8")
            return onnx.parser.parse_model(text)
        except (onnx.parser.ParseError, UnicodeDecodeError) as error:
            raise Error("invalid-onnx", f"not textual ONNX: {_brief(error)}") from error
    try:
        return onnx.load_model_from_string(path.read_bytes())
    except DecodeError as error:
        raise Error("invalid-onnx", f"not an ONNX model: {_brief(error)}") from error


def _check(model: onnx.ModelProto) -> None:
    """ONNX's own checker: arities, attribute names and types, required fields."""
    model = _checkable(model)
    try:
        onnx.checker.check_model(model)
    except onnx.checker.ValidationError as error:
        raise Error("invalid-onnx", _brief(error)) from error
    except (EncodeError, ValueError) as error:
        raise Error(
            "invalid-onnx",
            f"the model cannot be checked: {_brief(error)}",
            hint="keep weights of more than 2 GB as external data",
        ) from error


def _checkable(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model, or where the checker asks too much a copy without that.

    External tensors become empty ones: the checker looks for their files in the working directory (`tensors` checks them
    where they are used). Inputs and outputs of unknown rank get some rank: it insists on one, other tools do not.
    """
    external = any(_is_external(t) for t in _tensors(model))
    unranked = any(_is_unranked(v) for v in (*model.graph.input, *model.graph.output))
    if not external and not unranked:
        return model
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for tensor in _tensors(copy):
        if _is_external(tensor):
            parts = (
                (tensor.values, tensor.indices) if isinstance(tensor, onnx.SparseTensorProto) else (tensor,)
            )
            for part in parts:
                empty = onnx.TensorProto(name=part.name, data_type=part.data_type, dims=[0], raw_data=b"")
                part.CopyFrom(empty)
    for value in (*copy.graph.input, *copy.graph.output):
        if _is_unranked(value):
            value.type.tensor_type.shape.SetInParent()
    return copy


Tensor = onnx.TensorProto | onnx.SparseTensorProto


def _tensors(model: onnx.ModelProto) -> Iterator[Tensor]:
    """Every tensor of the model: initialisers and attributes, in subgraphs and functions too."""
    waiting: list[onnx.GraphProto | onnx.FunctionProto] = [model.graph, *model.functions]
    while waiting:
        graph = waiting.pop()
        if isinstance(graph, onnx.GraphProto):
            yield from graph.initializer
            yield from graph.sparse_initializer
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.HasField("t"):
                    yield attribute.t
                if attribute.HasField("sparse_tensor"):
                    yield attribute.sparse_tensor
                yield from attribute.tensors
                waiting.extend(attribute.graphs)
                if attribute.HasField("g"):
                    waiting.append(attribute.g)


def _is_external(tensor: Tensor) -> bool:
    if isinstance(tensor, onnx.SparseTensorProto):
        return _is_external(tensor.values) or _is_external(tensor.indices)
    return tensor.data_location == onnx.TensorProto.EXTERNAL


def _is_unranked(value: onnx.ValueInfoProto) -> bool:
    return value.type.HasField("tensor_type") and not value.type.tensor_type.HasField("shape")


def _brief(error: Exception) -> str:
    """The message on one line, without ONNX's account of how it got there."""
    return " ".join(str(error).split("==>")[0].split()) or type(error).__name__
