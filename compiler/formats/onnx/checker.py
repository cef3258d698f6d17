"""Preparation of a model for ONNX's checker, and its messages as errors.

The checker requires more than other tools do, and than an import needs: a copy of the model that satisfies it is checked.

An error has the node and the operator that the message names, and advice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import onnx
import onnx.checker
from google.protobuf.message import EncodeError
from onnx import (
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    SparseTensorProto,
    TensorProto,
    ValueInfoProto,
)

from loomir.dialects.onnx.graphs import domain_of, opset_versions
from loomir.dialects.onnx.nodes import schema_of
from loomir.errors import Error
from loomir.passes.front.convert_onnx_to_ov.registry import DOMAINS

PLACEHOLDER = "g"
"""Where the checker asks for a name."""

OWN_DOMAINS = ("", *DOMAINS)
"""Domains whose unknown operators the checker rejects.

It accepts any operator of other domains.
"""

UNKNOWN = "loomir.unknown"
"""The domain of operators that the checker is not to know."""


def checkable(model: ModelProto) -> ModelProto:
    """Return the model, or a copy that the checker accepts.

    The copy avoids excessive requirements of the checker:

    - External tensors become empty ones: the checker looks for their files in the working directory (`tensors` checks them where
      they are used).
    - Inputs and outputs of unknown rank get some rank, outputs without a type or an element type get one: they are what the graph
      returns (onnxscript writes such outputs).
    - Graphs without a name get one.
    - Nodes of the domain `ai.onnx` get the default domain, which is the same.
    - Nodes of operators that ONNX's own domains do not have get an unknown domain: they are rejected when they are translated,
      unless nothing needs them.
    """
    graphs = list(_graphs(model))
    unknown = any(_unknown(graph, versions) for graph, versions in graphs)
    if (
        not unknown
        and not any(_needs_relaxing(graph) for graph, _ in graphs)
        and not any(_is_vague(v) for v in (*model.graph.input, *model.graph.output))
    ):
        return model
    copy = ModelProto()
    copy.CopyFrom(model)
    for graph, versions in list(_graphs(copy)):
        _relax(graph)
        for node in _unknown(graph, versions):
            node.domain = UNKNOWN
    if unknown:
        for imports in (copy.opset_import, *(function.opset_import for function in copy.functions)):
            imports.add(domain=UNKNOWN, version=1)
    for value in (*copy.graph.input, *copy.graph.output):
        if _is_vague(value):
            tensor = value.type.tensor_type
            tensor.elem_type = tensor.elem_type or TensorProto.FLOAT
            tensor.shape.SetInParent()
    return copy


def _unknown(graph: GraphProto | FunctionProto, versions: Mapping[str, int]) -> list[NodeProto]:
    """Return the nodes whose operators ONNX's own domains do not have.

    The versions are those imported. Functions of the model are among these nodes: the checker does not look for functions
    in ONNX's own domains.
    """
    return [
        node
        for node in graph.node
        if (domain := domain_of(node.domain)) in OWN_DOMAINS
        and schema_of(node.op_type, versions.get(domain, 1), domain) is None
    ]


def _needs_relaxing(graph: GraphProto | FunctionProto) -> bool:
    return (
        (isinstance(graph, GraphProto) and not graph.name)
        or any(_is_external(t) for t in _tensors(graph))
        or any(node.domain and not domain_of(node.domain) for node in graph.node)
    )


def _relax(graph: GraphProto | FunctionProto) -> None:
    if isinstance(graph, GraphProto) and not graph.name:
        graph.name = PLACEHOLDER
    for node in graph.node:
        node.domain = domain_of(node.domain)
    for tensor in _tensors(graph):
        if not _is_external(tensor):
            continue
        for part in (tensor.values, tensor.indices) if isinstance(tensor, SparseTensorProto) else (tensor,):
            part.CopyFrom(TensorProto(name=part.name, data_type=part.data_type, dims=[0], raw_data=b""))


def _is_vague(value: ValueInfoProto) -> bool:
    kind = value.type.WhichOneof("value")
    tensor = value.type.tensor_type
    return kind is None or (
        kind == "tensor_type" and not (tensor.HasField("shape") and tensor.elem_type != TensorProto.UNDEFINED)
    )


def _graphs(model: ModelProto) -> Iterator[tuple[GraphProto | FunctionProto, Mapping[str, int]]]:
    """Yield every graph and function of a model, including nested graphs.

    Each comes with the versions of the operator sets that it imports.
    """
    waiting: list[tuple[GraphProto | FunctionProto, Mapping[str, int]]] = [
        (model.graph, opset_versions(model.opset_import)),
        *((function, opset_versions(function.opset_import)) for function in model.functions),
    ]
    while waiting:
        graph, versions = waiting.pop()
        yield graph, versions
        for node in graph.node:
            for attribute in node.attribute:
                waiting.extend((each, versions) for each in attribute.graphs)
                if attribute.HasField("g"):
                    waiting.append((attribute.g, versions))


Tensor = onnx.TensorProto | onnx.SparseTensorProto


def _tensors(graph: GraphProto | FunctionProto) -> Iterator[Tensor]:
    """The tensors of one graph: initialisers and attributes."""
    if isinstance(graph, GraphProto):
        yield from graph.initializer
        yield from graph.sparse_initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            if attribute.HasField("sparse_tensor"):
                yield attribute.sparse_tensor
            yield from attribute.tensors


def _is_external(tensor: Tensor) -> bool:
    if isinstance(tensor, SparseTensorProto):
        return _is_external(tensor.values) or _is_external(tensor.indices)
    return tensor.data_location == TensorProto.EXTERNAL


_NODE = re.compile(
    r"==> Context: Bad node spec for node\. Name: (?P<name>.*) OpType: (?P<op>\S*)\s*$", re.MULTILINE
)
"""Line for each node around the fault, the innermost first."""

_ADVICE = (
    (
        r"not an output of any node",
        "a graph can only return values of its own nodes: put an Identity between the outer value and the output",
    ),
    (
        r"is deprecated in domain_version",
        "import an older operator set that has it, or use its replacement in the newer one",
    ),
    (
        r"has (in|out)put size",
        "compare their number with the operator's page of ONNX's documentation, for the imported version",
    ),
    (
        r"[Aa]ttribute",
        "the operator's page of ONNX's documentation lists its attributes, for the imported version",
    ),
    (
        r"in initializer but not in graph input",
        "before IR version 4 initialisers are inputs as well: add it there, or raise ir_version",
    ),
    (
        r"ir_version",
        "if it is too new, update the package onnx; if it is missing, the exporter must write one",
    ),
    (
        r"[Oo]pset import",
        "a function must import the same version of an operator set as the model, if its operators differ",
    ),
    (
        r"value field|data_type",
        "a tensor must have a type, and its numbers in either raw_data or one typed field",
    ),
)
"""Topic of a message, and advice for it."""

ADVICE = "export the model again; onnx.checker.check_model reports the same"
"""Advice for all other messages."""


def check_model(model: ModelProto) -> None:
    """ONNX's own checker: arities, attribute names and types, required fields. `Error("invalid-onnx")`."""
    try:
        onnx.checker.check_model(checkable(model))
    except onnx.checker.ValidationError as error:
        raise checker_error(str(error)) from error
    except (EncodeError, ValueError) as error:
        raise Error(
            "invalid-onnx",
            f"the model cannot be checked: {brief(error)}",
            hint="keep weights of more than 2 GB as external data",
        ) from error


def checker_error(said: str) -> Error:
    """Return the error for a message of the checker.

    Its location is the node that the message names first.
    """
    what = brief(said)
    hint = next((advice for words, advice in _ADVICE if re.search(words, what)), ADVICE)
    error = Error("invalid-onnx", what, hint=hint)
    for node in _NODE.finditer(said):
        if node["name"] or node["op"]:
            return error.at(layer=node["name"] or None, op=node["op"] or None)
    return error


def brief(said: object) -> str:
    """Return the message on one line, without ONNX's context lines."""
    return " ".join(str(said).split("==>")[0].split()) or type(said).__name__
