"""Differences between FRONT and GRAPH in conversions of blocks and graphs.

The conversions run in both directions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, NameLoc, NoneAttr, StringAttr, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from loomir.dialects.attributes import ConstantAttr, constant_array, constant_attr
from loomir.dialects.diagnostics import layer_name
from loomir.dialects.element_types import AnyTensor, dtype_of
from loomir.dialects.onnx.nodes import Names, node_proto
from loomir.dialects.onnx.operations import ConstantOp as Initialiser
from loomir.dialects.onnx.operations import NodeOp, NoneOp
from loomir.dialects.onnx.types import UNKNOWN, is_declared
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.layers import OWN
from loomir.dialects.ov.layers.conversion import row_for
from loomir.dialects.ov.layers.format import VERSIONS, first_opset, layer_type, operator_name
from loomir.dialects.ov.operators.activation import PReluOp
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.dialects.ov.operators.control_flow import IfOp, LoopOp
from loomir.dialects.ov.operators.custom import CustomOp, declared_types
from loomir.passes.analysis.inference import Inference
from loomir.passes.front.convert_onnx_to_ov.registry import LAYERS
from loomir.tools.model_optimizer.mo.bridge.node_attributes import RESERVED, value_of
from loomir.tools.model_optimizer.mo.bridge.operations import LEAKY_RELU, LaterPhase, names_of
from loomir.tools.model_optimizer.mo.shapes import dynamic_dimension, shape_array

Known = tuple[Any, np.ndarray | None, type | None]
"""Shape, contents and element type of a value, as far as known."""

Layer = tuple[str, str]
"""Type and version."""


BODIES = {"then_branch": "then_graph", "else_branch": "else_graph"}
"""The Model Optimizer's names for subgraphs that ONNX names differently."""


class StageAdaptor(ABC):
    """How operations of one stage are described, and made."""

    with_data: bool
    """True if the graph has data nodes, with shapes and values."""

    def name(self, op: Operation) -> str:
        """Return the name of an operation's node."""
        return layer_name(op) or op.name

    def value_name(self, value: SSAValue) -> str:
        """Return the name of a tensor."""
        return value.name_hint or ""

    def result_name(self, terminator: Operation, index: int) -> str:
        """Return the name of a block's result."""
        return self.value_name(terminator.operands[index]) or f"result_{index}"

    def parameter(self, value: SSAValue) -> dict[str, Any]:
        """The attributes of an input."""
        type_ = value.type
        shape, element = None, np.dtype(np.float32)
        if isinstance(type_, AnyTensor) and is_declared(type_):
            element = dtype_of(type_.element_type)
        if isinstance(type_, TensorType):
            shape = _shape(type_)
        return {
            "op": "Parameter",
            "type": "Parameter",
            "version": "opset1",
            "shape": shape,
            "data_type": element.type,
        }

    @abstractmethod
    def is_absent(self, op: Operation | Block) -> bool:
        """Return True if an operation stands for an omitted input."""

    @abstractmethod
    def attributes(self, op: Operation) -> dict[str, Any]:
        """The attributes of the node of an operation."""

    def told(self, op: Operation) -> Mapping[int, str]:
        """Return the names of operands that the node holds as attributes.

        These are the last operands. They are constants of the same block, and not inputs of the node.
        """
        return {}

    def is_told(self, op: Operation) -> bool:
        """Return True if nodes hold the constant only as an attribute."""
        return False

    def layer_of(self, op: Operation) -> Layer | None:
        """Return the layer of an operation, or None if there is none.

        The layer's type may differ from that of the operation's node.
        """
        return None

    def bodies(self, op: Operation) -> Iterator[tuple[str, Region]]:
        """The regions of an operation, by the attribute that holds each."""
        for index, region in enumerate(op.regions):
            yield f"body_{index}", region

    def known(self, value: SSAValue) -> Known:
        """Return the known shape, contents and element type of a value."""
        return None, None, None

    @abstractmethod
    def constant(self, array: np.ndarray, name: str) -> Operation:
        """A constant."""

    @abstractmethod
    def layer(
        self,
        type_: str,
        version: str,
        name: str,
        attributes: Mapping[str, Attribute],
        operands: Sequence[SSAValue | None],
        results: int,
    ) -> list[Operation]:
        """Create a layer, which is the last of the returned operations.

        The operations before it replace its omitted inputs.
        """

    takes_any: bool
    """True if an operation takes any number of operands."""

    def copied(self, op: Operation) -> Operation:
        """Another operation like this one, for a copy of its node."""
        return op.clone()

    @abstractmethod
    def rename(self, op: Operation, name: str) -> None:
        """Give an operation the name that its node has now."""

    def absent(self) -> Operation | None:
        """Return an operation that stands for an omitted input, or None."""
        return None


def _shape(type_: TensorType) -> Any:
    return shape_array([dynamic_dimension if e == DYNAMIC_INDEX else e for e in type_.get_shape()])


def _values(attributes: Mapping[str, Attribute]) -> dict[str, Any]:
    return {name: value_of(value) for name, value in attributes.items() if name not in RESERVED}


def _constant_attributes(array: np.ndarray) -> dict[str, Any]:
    return {
        "op": "Const",
        "type": "Const",
        "version": "opset1",
        "value": array,
        "shape": np.array(array.shape, np.int64),
        "data_type": array.dtype.type,
    }


class FrontAdaptor(StageAdaptor):
    """FRONT: nodes as the framework has them, with their message as `pb`."""

    with_data = False

    def __init__(self) -> None:
        self._names = Names()

    def name(self, op: Operation) -> str:
        if isinstance(op, NodeOp):
            # As the Model Optimizer calls them: the node's own name, or its first tensor's.
            return (
                op.label.data
                if op.label is not None
                else next(filter(None, map(op.name_of, range(len(op.results)))), "")
            )
        return op.title if isinstance(op, Initialiser) else op.name

    def is_absent(self, op: Operation | Block) -> bool:
        return isinstance(op, NoneOp)

    def attributes(self, op: Operation) -> dict[str, Any]:
        if isinstance(op, Initialiser):
            assert isinstance(op.value, ConstantAttr)
            return _constant_attributes(constant_array(op.value))
        assert isinstance(op, NodeOp), op.name
        return {**_values(op.attributes), "op": op.operator.data, "pb": self._proto(op), "type": None}

    def _proto(self, op: NodeOp) -> Any:
        """(Graphs are left out: each is a graph of its own here.)"""
        return node_proto(op, dict(op.attributes), (), self._names)

    def bodies(self, op: Operation) -> Iterator[tuple[str, Region]]:
        if isinstance(op, NodeOp):
            for name, region in op.graph_attributes.items():
                yield BODIES.get(name, name), region

    def constant(self, array: np.ndarray, name: str) -> Operation:
        return Initialiser.of(constant_attr(np.array(array, order="C")), name)

    def layer(
        self,
        type_: str,
        version: str,
        name: str,
        attributes: Mapping[str, Attribute],
        operands: Sequence[SSAValue | None],
        results: int,
    ) -> list[Operation]:
        absent = NoneOp.of()
        given = [absent.output if value is None else value for value in operands]
        made = NodeOp.of(
            type_,
            1,
            given,
            [UNKNOWN] * results,
            domain=f"{LAYERS}{version}",
            label=name,
            attributes=attributes,
        )
        return [absent, made] if any(value is None for value in operands) else [made]

    takes_any = True

    def copied(self, op: Operation) -> Operation:
        made = op.clone()
        # What it gives are other tensors.
        made.properties.pop("names", None)
        for result in made.results:
            result.name_hint = None
        return made

    def rename(self, op: Operation, name: str) -> None:
        if isinstance(op, NodeOp | Initialiser):
            op.properties["label"] = StringAttr(name)

    def absent(self) -> Operation:
        op = NoneOp.of()
        op.output.name_hint = "none"
        return op


class GraphAdaptor(StageAdaptor):
    """GRAPH form: layers of OpenVINO's operation sets.

    The layers use the names of a phase (`operations.names_of`) and carry the inferred facts about their results.
    """

    with_data = True

    def __init__(self, inference: Inference, phase: LaterPhase) -> None:
        self._inference = inference
        self._phase: LaterPhase = phase

    def is_absent(self, op: Operation | Block) -> bool:
        return False

    def attributes(self, op: Operation) -> dict[str, Any]:
        if isinstance(op, ConstantOp):
            return _constant_attributes(op.array)
        if isinstance(op, CustomOp):
            return {
                **_values(op.attributes),
                "op": op.type.data,
                "type": op.type.data,
                "version": op.version.data,
            }
        own = _values({n: value for n, value in op.properties.items() if not n.startswith("operand")})
        if (layer := self.layer_of(op)) is not None:
            type_, version = layer
            names = LEAKY_RELU if _leaky_slope(op) is not None else names_of(type_)
            name, shown = names.of(self._phase)
            own |= {attribute: _number(op.operands[index]) for index, attribute in self.told(op).items()}
            return {**own, "op": name, "type": shown, "version": version}
        kinds = {LoopOp: "Loop", IfOp: "If"}
        name = kinds.get(type(op), op.name)
        return {**own, "op": name, "type": name, "version": "loomir"}

    def told(self, op: Operation) -> Mapping[int, str]:
        if self._phase != "middle":
            return {}
        slope = _leaky_slope(op)
        return {1: "negative_slope"} if slope is not None and slope.parent is op.parent else {}

    def is_told(self, op: Operation) -> bool:
        return isinstance(op, ConstantOp) and all(
            use.index in self.told(use.operation) for use in op.results[0].uses
        )

    def layer_of(self, op: Operation) -> Layer | None:
        if not isinstance(op, OvOperation) or (found := row_for(type(op))) is None:
            return None
        name = operator_name(found[0])
        if name is None:
            return found[0], OWN
        versions = op.SOURCES.openvino[1:] or (1,)
        if not op.SOURCES.openvino:
            versions = (max(found[1].versions or VERSIONS[name]),)
        return layer_type(name), f"opset{first_opset(name, int(versions[0]))}"

    def bodies(self, op: Operation) -> Iterator[tuple[str, Region]]:
        if isinstance(op, LoopOp):
            yield "body", op.body
        elif isinstance(op, IfOp):
            yield "then_graph", op.then_region
            yield "else_graph", op.else_region
        else:
            yield from super().bodies(op)

    def known(self, value: SSAValue) -> Known:
        if isinstance(value.owner, ConstantOp):
            array = value.owner.array
            return array.shape, array, array.dtype.type
        if not isinstance(value.type, AnyTensor):
            return None, None, None
        fact = self._inference.fact(value)
        element = dtype_of(fact.element).type
        if fact.shape is None:
            return None, None, element
        extents = [dynamic_dimension if d.static is None else d.static for d in fact.shape]
        return extents, fact.value, element

    def constant(self, array: np.ndarray, name: str) -> Operation:
        return ConstantOp.of(np.array(array, order="C"))

    def layer(
        self,
        type_: str,
        version: str,
        name: str,
        attributes: Mapping[str, Attribute],
        operands: Sequence[SSAValue | None],
        results: int,
    ) -> list[Operation]:
        given = [value for value in operands if value is not None]
        op = CustomOp.of((type_, version), given, declared_types(results, given), attributes)
        return [op]

    takes_any = False

    def rename(self, op: Operation, name: str) -> None:
        located_as(op, name)


def _number(value: SSAValue) -> Any:
    assert isinstance(value.owner, ConstantOp)
    return value.owner.array.item()


def _leaky_slope(op: Operation) -> ConstantOp | None:
    """The slope of a LeakyReLU: one number, which belongs to no dimension."""
    slope = op.slope.owner if isinstance(op, PReluOp) else None
    return slope if isinstance(slope, ConstantOp) and not slope.array.shape else None


def located_as(op: Operation, name: str) -> None:
    """Give an operation the name of its node as location."""
    op.location = NameLoc(StringAttr(name), NoneAttr())
