"""Operations: names, own attributes, inference by extensions, internal ones.

A graph has the Model Optimizer's names for operations of the operation sets: `Mul` where IR has the type `Multiply`. The
back phase introduces the types of IR. In the middle phase a convolution is a `Conv`, and both poolings have the type
`Pooling`.

Updates of an operation's own attributes keep the attributes' kinds.

Inference of operators from old-style extensions calls the `infer` of the operator's class on a graph of one node.

Internal operations belong to no operation set. The Model Optimizer replaces them in its later phases; here the reader
replaces them. A front transformation may leave them: `Slice` with its parameters in ONNX's order, `Size`, `Rank` …
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, Protocol

import numpy as np
from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, FloatAttr, IntegerAttr, IntegerType, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.dialects.diagnostics import layer_name
from loomir.dialects.element_types import dtype_of, element_of, i1
from loomir.dialects.onnx.operations import NodeOp
from loomir.dialects.ov.facts import Dim, Fact
from loomir.dialects.ov.layers import is_known
from loomir.dialects.ov.layers.attributes import ELEMENTS
from loomir.dialects.ov.operators.custom import CustomOp, Inference, inferring_custom
from loomir.dialects.ovseq.types import AnyFact
from loomir.tools.model_optimizer.mo.bridge.node_attributes import value_of
from loomir.tools.model_optimizer.mo.context import blamed_on, conversion, conversion_state
from loomir.tools.model_optimizer.mo.graph.graph import DATA_ATTRIBUTES, Graph, Node
from loomir.tools.model_optimizer.mo.op_table import rows_by_module
from loomir.tools.model_optimizer.mo.shapes import dynamic_dimension, shape_array

LaterPhase = Literal["middle", "back"]


@dataclass(frozen=True)
class OperationNames:
    """`op` and `type` of a node.

    `back_op` and `back_type` are those at the end of the back phase, if they differ.
    """

    op: str
    type: str | None
    back_op: str | None = None
    back_type: str | None = None

    def of(self, phase: LaterPhase) -> tuple[str, str | None]:
        """Those of a phase."""
        if phase == "middle":
            return self.op, self.type
        return self.back_op or self.op, self.back_type or self.type


OTHERS: Mapping[str, OperationNames] = {
    "AvgPool": OperationNames("AveragePool", "Pooling", back_type="AvgPool"),
    "Clamp": OperationNames("Clamp", None, "AttributedClamp", "Clamp"),
    "Convolution": OperationNames("Conv", "Convolution"),
    "ConvolutionBackpropData": OperationNames(
        "Deconv2D", "Deconvolution", back_type="ConvolutionBackpropData"
    ),
    "GRUSequence": OperationNames("GRU", "RNNSequence", back_type="GRUSequence"),
    "GroupConvolution": OperationNames("Conv", "Convolution", back_type="GroupConvolution"),
    "GroupConvolutionBackpropData": OperationNames(
        "Deconv2D", "Deconvolution", back_type="GroupConvolutionBackpropData"
    ),
    "LRN": OperationNames("AttributedLRN", "Norm", "LRN", "LRN"),
    "LSTMSequence": OperationNames("LSTM", "RNNSequence", back_type="LSTMSequence"),
    "MaxPool": OperationNames("MaxPool", "Pooling", back_type="MaxPool"),
    "RNNSequence": OperationNames("RNN", "RNNSequence"),
}
"""Names, by layer type, that no class of the operation table has.

Extractors and transformations assign them.
"""

LEAKY_RELU = OperationNames("LeakyReLU", "LeakyReLU", "PReLU", "PReLU")
"""A PReLU whose slope is one number."""


@cache
def _operations() -> Mapping[str, str]:
    """By layer type the operation of the first class of the table."""
    found: dict[str, str] = {}
    for rows in rows_by_module().values():
        for row in rows:
            if row.type is not None and row.op is not None:
                found.setdefault(row.type, row.op)
    return found


def names_of(type_: str) -> OperationNames:
    """Return the names of a layer's node; by default its type."""
    return OTHERS.get(type_) or OperationNames(_operations().get(type_, type_), type_)


def own_attributes(op: Operation) -> dict[str, Attribute]:
    """Return the operation's own attributes.

    The operation's node has them under the same names.
    """
    return op.attributes if isinstance(op, NodeOp | CustomOp) else op.properties


def refit(op: Operation, given: Mapping[str, Attribute], gone: Collection[str]) -> None:
    """Give an operation other attributes of its own, and take some away."""
    held = own_attributes(op)
    for name, value in given.items():
        held[name] = _like(held[name], value)
    for name in gone:
        del held[name]


def _like(before: Attribute, value: Attribute) -> Attribute:
    """Convert an attribute to the kind of another one if possible.

    Extensions write 1 for true, and numbers of any width.
    """
    match before, value:
        case IntegerAttr(), IntegerAttr() if before.type == i1:
            return BoolAttr.from_bool(bool(value.value.data))
        case IntegerAttr(), IntegerAttr():
            return IntegerAttr(int(value_of(value)), before.type)
        case FloatAttr(), FloatAttr() | IntegerAttr():
            return FloatAttr(float(value.value.data), before.type)
        case DenseArrayBase(), _:
            numbers = np.asarray(value_of(value)).reshape(-1)
            if numbers.dtype.kind in "iuf":
                element = before.elt_type
                if isinstance(element, IntegerType):
                    return DenseArrayBase.from_list(element, [int(n) for n in numbers.tolist()])
                return DenseArrayBase.from_list(element, [float(n) for n in numbers.tolist()])
        case _, StringAttr() if before in ELEMENTS.values():
            return ELEMENTS[value.data] if value.data in ELEMENTS else element_of(np.dtype(value.data))
        case _:
            pass
    return value


def remember(node: Node, version: str) -> None:
    """Register the node as an operator that its class's `infer` infers."""
    infer, type_ = node.soft_get("infer", None), node.type
    if not callable(infer) or is_known(type_, version):
        return
    kept = {k: v for k, v in node.attrs().items() if isinstance(k, str) and not k.startswith("_")}
    conversion_state().nodes[type_, version, str(node.name)] = infer, kept


@contextmanager
def known_by_classes() -> Iterator[None]:
    """Enter one conversion, with inference of operators by their nodes.

    Within the context, operators that were created from nodes are inferred by the `infer` of these nodes.
    """
    with conversion(), inferring_custom(_inference_of):
        yield


def _inference_of(op: CustomOp) -> Inference | None:
    found = conversion_state().nodes.get((*op.key, layer_name(op) or ""))
    if found is None:
        return None
    infer, held = found
    return lambda op, facts: _infer(op, facts, infer, held)


def _infer(
    op: CustomOp, facts: Sequence[AnyFact], infer: Callable[[Node], object], kept: Mapping[str, Any]
) -> Sequence[AnyFact]:
    """Facts of the results. Errors: `mo-extension-failed`."""
    graph = Graph()
    graph.graph.update({"layout": "NCHW", "fw": "onnx"})
    held = {
        **kept,
        **{name: value_of(value) for name, value in op.attributes.items()},
        "op": op.type.data,
        "type": op.type.data,
        "version": op.version.data,
        "name": layer_name(op) or "node",
    }
    graph.add_node("node", kind="op", **{k: v for k, v in held.items() if k not in ("kind", "infer")})
    node = Node(graph, "node")
    for port, fact in enumerate(facts):
        node.add_input_port(port, skip_if_exist=True)
        graph.add_node(f"in{port}", **{**DATA_ATTRIBUTES, "name": f"in{port}", **_known(fact)})
        graph.add_edge(f"in{port}", "node", **{"in": port})
    for port in range(len(op.outputs)):
        node.add_output_port(port, skip_if_exist=True)
        graph.add_node(f"out{port}", **{**DATA_ATTRIBUTES, "name": f"out{port}"})
        graph.add_edge("node", f"out{port}", out=port)
    graph.stage = "middle"
    with blamed_on("mo-extension-failed", f"the inference of '{op.type.data}' failed", None):
        infer(node)
    first = next((f.element for f in facts if isinstance(f, Fact)), None)
    return [
        _fact(Node(graph, f"out{port}"), Fact.of_type(result.type), first)
        for port, result in enumerate(op.outputs)
    ]


def _known(fact: AnyFact) -> dict[str, Any]:
    if not isinstance(fact, Fact) or fact.shape is None:
        return {}
    extents = [dynamic_dimension if d.static is None else d.static for d in fact.shape]
    return {"shape": shape_array(extents), "value": fact.value, "data_type": dtype_of(fact.element).type}


def _fact(data: Node, declared: Fact, first: Any) -> Fact:
    value, shape, data_type = (
        data.soft_get("value", None),
        data.soft_get("shape", None),
        data.soft_get("data_type", None),
    )
    if isinstance(value, np.ndarray) and not np.ma.is_masked(value):
        return Fact.of_array(np.array(value, order="C"))
    element = declared.element if data_type is None else element_of(np.dtype(data_type))
    if shape is None:
        return Fact(element, declared.shape)
    masked = np.ma.getmaskarray(shape)
    return Fact(
        element,
        tuple(Dim() if unknown else Dim(int(e), int(e)) for e, unknown in zip(np.ma.getdata(shape), masked)),
    )


class Layers(Protocol):
    """Builder of layers at the position of the operation."""

    def layer(
        self, type_: str, opset: int, operands: Sequence[SSAValue], **attributes: bool | int | float | str
    ) -> SSAValue:
        """A layer with one result."""
        ...

    def constant(self, array: np.ndarray) -> SSAValue:
        """A constant."""
        ...


Operands = Mapping[int, SSAValue]
"""By port; those that are not connected are not there."""

Meaning = Callable[[Node, Operands, Layers], SSAValue]


def _slice(node: Node, operands: Operands, make: Layers) -> SSAValue:
    """Create a `Slice` from operands in ONNX order.

    ONNX has data, starts, ends, axes, steps. The operation set has steps before axes, and requires steps.
    """
    starts = operands[1]
    steps = operands.get(4)
    if steps is None:
        length = make.layer("ShapeOf", 3, [starts], output_type="i64")
        steps = make.layer("Broadcast", 3, [make.constant(np.array(1, np.int64)), length], mode="numpy")
        steps = make.layer("ConvertLike", 1, [steps, starts])
    axes = [operands[3]] if 3 in operands else []
    return make.layer("Slice", 8, [operands[0], starts, operands[2], steps, *axes])


def _size(node: Node, operands: Operands, make: Layers) -> SSAValue:
    shape = make.layer("ShapeOf", 3, [operands[0]], output_type="i64")
    return make.layer("ReduceProd", 1, [shape, make.constant(np.array([0], np.int64))], keep_dims=False)


def _rank(node: Node, operands: Operands, make: Layers) -> SSAValue:
    shape = make.layer("ShapeOf", 3, [operands[0]], output_type="i64")
    length = make.layer("ShapeOf", 3, [shape], output_type="i64")
    return make.layer("Squeeze", 1, [length, make.constant(np.array([0], np.int64))])


def _identity(node: Node, operands: Operands, make: Layers) -> SSAValue:
    return operands[0]


def _expand_dims(node: Node, operands: Operands, make: Layers) -> SSAValue:
    axes = make.constant(np.array(node.soft_get("expand_axis", []), np.int64).reshape(-1))
    return make.layer("Unsqueeze", 1, [operands[0], axes])


def _flatten(node: Node, operands: Operands, make: Layers) -> SSAValue:
    """[d_0 · … · d_(axis-1), the rest]."""
    (data,), axis = [operands[0]], int(node.soft_get("axis", 1))
    shape = make.layer("ShapeOf", 3, [data], output_type="i64")
    zero = make.constant(np.array([0], np.int64))

    def product(begin: int, end: int) -> SSAValue:
        ends = [make.constant(np.array([each], np.int64)) for each in (begin, end, 1)]
        return make.layer(
            "ReduceProd", 1, [make.layer("Slice", 8, [shape, *ends, zero]), zero], keep_dims=True
        )

    both = [product(0, axis), product(axis, np.iinfo(np.int64).max)]
    target = make.layer("Concat", 1, both, axis=0)
    return make.layer("Reshape", 1, [data, target], special_zero=False)


def _coerced(type_: str, opset: int) -> Meaning:
    """Return the meaning of Softmax or LogSoftmax of ONNX before version 13.

    These operate on all dimensions from the axis on together.
    """

    def meaning(node: Node, operands: Operands, make: Layers) -> SSAValue:
        shape = make.layer("ShapeOf", 3, [operands[0]], output_type="i64")
        flat = make.layer(type_, opset, [_flatten(node, operands, make)], axis=1)
        return make.layer("Reshape", 1, [flat, shape], special_zero=False)

    return meaning


def _gather(node: Node, operands: Operands, make: Layers) -> SSAValue:
    axis = make.constant(np.array(node.soft_get("axis", 0), np.int64))
    return make.layer("Gather", 8, [operands[0], operands[1], axis])


def _lrn(node: Node, operands: Operands, make: Layers) -> SSAValue:
    """Over channels, or in each channel over what lies around."""
    named = {
        "alpha": node.alpha,
        "beta": node.beta,
        "bias": node.soft_get("bias", 1.0),
        "size": node.soft_get("local_size", None) or node.size,
    }
    across = node.soft_get("region", "across") == "across"
    axes = operands.get(1) or make.constant(np.array([1] if across else [2, 3], np.int64))
    return make.layer("LRN", 1, [operands[0], axes], **named)


def _attributed_slice(node: Node, operands: Operands, make: Layers) -> SSAValue:
    parameters = {
        k: make.constant(np.array(node[name], np.int64)) for k, name in ((1, "starts"), (2, "ends"))
    }
    if node.has_valid("axes"):
        parameters[3] = make.constant(np.array(node.axes, np.int64))
    return _slice(node, {0: operands[0], **parameters}, make)


def _clamp(node: Node, operands: Operands, make: Layers) -> SSAValue:
    """min(max(x, low), high); what is no input is an attribute."""
    x = operands[0]
    for port, limit, type_ in ((1, "min", "Maximum"), (2, "max", "Minimum")):
        bound = operands.get(port)
        if bound is None and node.has_valid(limit):
            number = make.constant(np.array(node[limit], np.float32))
            bound = make.layer("ConvertLike", 1, [number, x])
        if bound is not None:
            x = make.layer(type_, 1, [x, bound])
    return x


def _leaky_relu(node: Node, operands: Operands, make: Layers) -> SSAValue:
    slope = make.constant(np.array([node.soft_get("negative_slope", 0.01)], np.float32))
    return make.layer("PReLU", 1, [operands[0], make.layer("ConvertLike", 1, [slope, operands[0]])])


INTERNAL: Mapping[str, Meaning] = {
    "AttributedGather": _gather,
    "AttributedLRN": _lrn,
    "AttributedSlice": _attributed_slice,
    "Clamp": _clamp,
    "ExpandDims": _expand_dims,
    "FlattenONNX": _flatten,
    "Identity": _identity,
    "LeakyReLU": _leaky_relu,
    "LogSoftmaxONNX": _coerced("LogSoftmax", 5),
    "Rank": _rank,
    "Size": _size,
    "Slice": _slice,
    "SoftmaxONNX": _coerced("Softmax", 8),
}
"""By the name of the operation."""
