"""Preparation of a model for ONNX's checker.

The checker requires more than other tools do, and than an import needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import onnx
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
from loomir.dialects.onnx.schemas import schema_of
from loomir.passes.front.convert_onnx_to_ov.refusals import DOMAINS

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
        and not any(_asks_too_much(graph) for graph, _ in graphs)
        and not any(_is_vague(v) for v in (*model.graph.input, *model.graph.output))
    ):
        return model
    copy = ModelProto()
    copy.CopyFrom(model)
    for graph, versions in list(_graphs(copy)):
        _give_in(graph)
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


def _asks_too_much(graph: GraphProto | FunctionProto) -> bool:
    return (
        (isinstance(graph, GraphProto) and not graph.name)
        or any(_is_external(t) for t in _tensors(graph))
        or any(node.domain and not domain_of(node.domain) for node in graph.node)
    )


def _give_in(graph: GraphProto | FunctionProto) -> None:
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
