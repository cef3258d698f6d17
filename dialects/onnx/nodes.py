"""Attributes of nodes, operator schemas, and nodes as ONNX's messages.

Attributes are ONNX's `AttributeProto` and ours. (Graphs are regions: see `graphs`.)

| ONNX | FRONT |
|---|---|
| FLOAT, INT, STRING | `1.0 : f32`, `1 : i64`, `"text"` (as bytes where it is not UTF-8) |
| FLOATS, INTS, STRINGS | `array<f32: …>`, `array<i64: …>`, `["a", "b"]` |
| TENSOR, SPARSE_TENSOR, TENSORS | `dense<…>`, `#ov.blob<…>` or `#ov.strings<…>`, a list of them |
| TYPE_PROTO, TYPE_PROTOS | a type, a list of types |
| a reference to an attribute of the function | `#onnx.reference<"name" "KIND">` |

ONNX's operator schemas are cached: each is queried once, because the package copies a schema's lists on every read.

Nodes and graphs of FRONT are converted to protobuf messages (`node_proto`, `graph_proto`), which ONNX's own functions require.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import onnx.defs
from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, ValueInfoProto, numpy_helper
from onnx.defs import OpSchema
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    NoneType,
    StringAttr,
)
from xdsl.ir import Attribute, OpResult, Region, SSAValue, TypeAttribute

from loomir.dialects.attributes import ConstantAttr, constant_array, constant_attr
from loomir.dialects.element_types import dtype_of, f32, i64, numbers_of
from loomir.dialects.onnx.operations import ConstantOp, NodeOp, YieldOp
from loomir.dialects.onnx.tensors import (
    External,
    array_of,
    declared_type,
    dense_array_of,
    nothing_external,
    proto_of,
    type_text,
)
from loomir.dialects.onnx.types import ReferenceAttr, is_declared
from loomir.errors import Error

KNOWN = 4096
"""How many operators are remembered: models may name any number."""

VERSIONS = range(1, 1 << 31)
"""Versions that ONNX's package accepts."""


@dataclass(frozen=True)
class Parameter:
    """Formal input or output, with its type variable and permitted types."""

    name: str
    type_variable: str
    types: frozenset[str]
    is_variadic: bool
    is_homogeneous: bool


@dataclass(frozen=True)
class Schema:
    """One version of an operator."""

    operator: OpSchema
    version: int
    inputs: tuple[Parameter, ...]
    input_counts: tuple[int, int]
    """The least and the most."""
    outputs: tuple[Parameter, ...]
    output_counts: tuple[int, int]
    defaults: dict[str, AttributeProto | None]
    """Attributes of the operator, with their defaults."""


@lru_cache(KNOWN)
def schema_of(operator: str, version: int, domain: str = "") -> Schema | None:
    """Return the newest version of an operator not newer than `version`.

    None if there is none.
    """
    if version not in VERSIONS:
        return None
    try:
        schema: Any = onnx.defs.get_schema(operator, version, domain)
    except onnx.defs.SchemaError:
        return None
    defaults = {name: attribute.default_value for name, attribute in schema.attributes.items()}
    return Schema(
        schema,
        schema.since_version,
        tuple(map(_parameter, schema.inputs)),
        (schema.min_input, schema.max_input),
        tuple(map(_parameter, schema.outputs)),
        (schema.min_output, schema.max_output),
        {n: d if d is not None and d.type != AttributeProto.UNDEFINED else None for n, d in defaults.items()},
    )


def _parameter(formal: OpSchema.FormalParameter) -> Parameter:
    variadic = formal.option == OpSchema.FormalParameterOption.Variadic
    return Parameter(formal.name, formal.type_str, frozenset(formal.types), variadic, formal.is_homogeneous)


GRAPHS = (AttributeProto.GRAPH, AttributeProto.GRAPHS)


@dataclass(frozen=True)
class Contents:
    """Options for reading the contents of tensors.

    They are the source of contents that the file does not hold, and the maximum size of a sparse tensor.
    """

    external: External = nothing_external
    max_sparse_bytes: int = 1 << 30


def attribute_of(proto: AttributeProto, contents: Contents) -> Attribute:
    """Convert an attribute message to an attribute.

    For a graph, only `onnx.reference` can represent it. Errors: `invalid-onnx`, those of tensors.
    """
    kind = proto.type
    if proto.ref_attr_name:
        return ReferenceAttr(
            StringAttr(proto.ref_attr_name), StringAttr(AttributeProto.AttributeType.Name(kind))
        )
    match kind:
        case AttributeProto.FLOAT:
            return FloatAttr(proto.f, f32)
        case AttributeProto.INT:
            return _integer(proto.i)
        case AttributeProto.STRING:
            return _string(proto.s)
        case AttributeProto.FLOATS:
            return _numbers(f32, proto.floats)
        case AttributeProto.INTS:
            return _numbers(i64, proto.ints)
        case AttributeProto.STRINGS:
            return ArrayAttr(map(_string, proto.strings))
        case AttributeProto.TENSOR:
            return constant_attr(array_of(proto.t, contents.external))
        case AttributeProto.TENSORS:
            return ArrayAttr([constant_attr(array_of(t, contents.external)) for t in proto.tensors])
        case AttributeProto.SPARSE_TENSOR:
            array = dense_array_of(proto.sparse_tensor, contents.max_sparse_bytes, contents.external)
            return constant_attr(array)
        case AttributeProto.TYPE_PROTO:
            return declared_type(proto.tp)
        case AttributeProto.TYPE_PROTOS:
            return ArrayAttr(map(declared_type, proto.type_protos))
        case _:
            raise Error("invalid-onnx", f"the attribute '{proto.name}' is of an unknown kind")


@lru_cache(1024)
def _integer(number: int) -> IntegerAttr:
    return IntegerAttr(number, i64)


def _numbers(element: AnyFloat | IntegerType, numbers: Iterable[float]) -> DenseArrayBase:
    """A list, packed at once."""
    data = np.fromiter(numbers, dtype_of(element)).tobytes()
    return DenseArrayBase(element, BytesAttr(data))


def _string(data: bytes) -> StringAttr | BytesAttr:
    try:
        return StringAttr(data.decode())
    except UnicodeDecodeError:
        return BytesAttr(data)


def attribute_proto(name: str, attr: Attribute) -> AttributeProto:
    """The message of an attribute. `Error("invalid-onnx")` for one that no message says."""
    proto = AttributeProto(name=name)
    if isinstance(attr, ReferenceAttr):
        proto = AttributeProto(name=name, type=attr.kind.data, ref_attr_name=attr.attribute.data)
    elif isinstance(attr, FloatAttr) and attr.type == f32:
        proto.type, proto.f = AttributeProto.FLOAT, attr.value.data
    elif isinstance(attr, IntegerAttr) and attr.type == i64:
        proto.type, proto.i = AttributeProto.INT, attr.value.data
    elif isinstance(attr, StringAttr | BytesAttr):
        proto.type, proto.s = AttributeProto.STRING, _bytes(attr)
    elif isinstance(attr, DenseArrayBase) and attr.elt_type == i64:
        proto.type = AttributeProto.INTS
        proto.ints.extend(numbers_of(attr).tolist())
    elif isinstance(attr, DenseArrayBase) and attr.elt_type == f32:
        proto.type = AttributeProto.FLOATS
        proto.floats.extend(numbers_of(attr).tolist())
    elif isinstance(attr, ConstantAttr):
        proto.type = AttributeProto.TENSOR
        proto.t.CopyFrom(tensor_proto(attr))
    elif isinstance(attr, TypeAttribute) and type_text(attr) is not None:
        proto.type = AttributeProto.TYPE_PROTO
        proto.tp.CopyFrom(proto_of(attr))
    elif isinstance(attr, ArrayAttr) and all(isinstance(a, StringAttr | BytesAttr) for a in attr):
        proto.type = AttributeProto.STRINGS
        proto.strings.extend(_bytes(a) for a in attr if isinstance(a, StringAttr | BytesAttr))
    else:
        raise Error("invalid-onnx", f"the attribute '{name}' is {attr}, which ONNX does not have")
    return proto


def _bytes(attr: StringAttr | BytesAttr) -> bytes:
    return attr.data.encode() if isinstance(attr, StringAttr) else attr.data


def tensor_proto(attr: ConstantAttr, name: str = "") -> TensorProto:
    """The message of a constant."""
    return numpy_helper.from_array(constant_array(attr), name)


class Names:
    """Unique names of values in a file.

    A value keeps its own name if it has one and no other value uses it.
    """

    def __init__(self) -> None:
        self._names: dict[SSAValue, str] = {}
        self._taken: set[str] = set()

    def of(self, value: SSAValue) -> str:
        """The name of a value; empty for what is left out."""
        if isinstance(value.type, NoneType):
            return ""
        if value not in self._names:
            stem = name = _own_name(value) or "v"
            while name in self._taken:
                name = f"{stem}_{len(self._taken)}"
            self._taken.add(name)
            self._names[value] = name
        return self._names[value]


def _own_name(value: SSAValue) -> str | None:
    if isinstance(value, OpResult) and isinstance(value.op, NodeOp):
        return value.op.name_of(value.index)
    return value.owner.title if isinstance(value.owner, ConstantOp) else value.name_hint


def node_proto(
    op: NodeOp, attributes: Mapping[str, Attribute], graphs: Iterable[tuple[str, Region]], names: Names
) -> NodeProto:
    """Convert a node with these attributes to a message.

    Raises `Error("invalid-onnx")` for an attribute that ONNX does not have.
    """
    domain, operator, overload = op.key
    proto = NodeProto(op_type=operator, domain=domain, overload=overload)
    if op.label is not None:
        proto.name = op.label.data
    proto.input.extend(map(names.of, op.operands))
    proto.output.extend(map(names.of, op.results))
    proto.attribute.extend(attribute_proto(name, attribute) for name, attribute in attributes.items())
    for name, region in graphs:
        attribute = proto.attribute.add(name=name, type="GRAPH")
        attribute.g.CopyFrom(graph_proto(name, region, names))
    return proto


def graph_proto(name: str, region: Region, names: Names) -> GraphProto:
    """A graph whose outer values have the names that they have outside."""
    proto = GraphProto(name=name)
    proto.input.extend(_info(names.of(value), value.type) for value in region.block.args)
    for op in region.block.ops:
        if isinstance(op, ConstantOp) and isinstance(op.value, ConstantAttr):
            proto.initializer.append(tensor_proto(op.value, names.of(op.output)))
        elif isinstance(op, NodeOp):
            proto.node.append(node_proto(op, op.attributes, op.graph_attributes.items(), names))
        elif isinstance(op, YieldOp):
            proto.output.extend(_info(names.of(v), t) for v, t in zip(op.values, op.types))
    return proto


def _info(name: str, type_: Attribute) -> ValueInfoProto:
    info = ValueInfoProto(name=name)
    if is_declared(type_):
        info.type.CopyFrom(proto_of(type_))
    return info
