"""Builder that inserts new nodes into FRONT, for patterns that replace nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FloatAttr, IntegerAttr, LocationAttr, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from loomir.dialects.blob import constant_attr
from loomir.dialects.element_types import f32, i64
from loomir.dialects.onnx.graphs import version_of
from loomir.dialects.onnx.operations import ConstantOp, NodeOp, NoneOp
from loomir.dialects.onnx.types import UNKNOWN
from loomir.errors import Error, shown

NodeAttribute = (
    Attribute | bool | int | float | str | np.ndarray | Sequence[int] | Sequence[float] | Sequence[str]
)
"""Python types accepted as an attribute of a node."""

OpT = TypeVar("OpT", bound=Operation)


def node_attribute(value: NodeAttribute) -> Attribute:
    """Convert a Python value to a node's attribute, as in a file.

    int → i64, float → f32, str → string, arrays → tensors, lists of these.

    Raises `Error("attribute-value")` for anything else, and for an integer beyond 64 bits.
    """
    if isinstance(value, Attribute):
        return value
    if isinstance(value, bool | int | np.integer):
        return IntegerAttr(_integer(value), i64)
    if isinstance(value, float | np.floating):
        return FloatAttr(float(value), f32)
    if isinstance(value, str):
        return StringAttr(value)
    if isinstance(value, np.ndarray):
        return constant_attr(value)
    if isinstance(value, Sequence):
        strings = [each for each in value if isinstance(each, str)]
        integers = [each for each in value if isinstance(each, int | np.integer)]
        numbers = [float(each) for each in value if isinstance(each, int | float | np.integer | np.floating)]
        if strings and len(strings) == len(value):
            return ArrayAttr([StringAttr(each) for each in strings])
        if len(integers) == len(value):
            return DenseArrayBase.from_list(i64, [_integer(each) for each in integers])
        if len(numbers) == len(value):
            return DenseArrayBase.from_list(f32, numbers)
    raise Error("attribute-value", f"{shown(value)} is nothing that an attribute of a node can be")


def _integer(value: object) -> int:
    assert isinstance(value, int | np.integer)
    if not -(1 << 63) <= int(value) < 1 << 63:
        raise Error("attribute-value", f"{value} is no integer of 64 bits")
    return int(value)


@dataclass
class FrontBuilder:
    """Builder that inserts nodes at one place.

    Each node gets the location of the node that it replaces.

    >>> scaled = build.node("Mul", x, build.constant(np.float32(2)))
    """

    point: InsertPoint
    location: LocationAttr
    opset: int
    """Version of ONNX's operator set in force at the insertion point.

    It determines the version of each operator.
    """
    made: dict[Operation, None] = field(default_factory=dict)
    """Inserted operations, in order."""

    def node(
        self,
        operator: str,
        *inputs: SSAValue | None,
        attributes: Mapping[str, NodeAttribute] = MappingProxyType({}),
        domain: str = "",
        version: int | None = None,
        label: str = "",
        type: Attribute = UNKNOWN,
    ) -> SSAValue:
        """Insert a node with one result, and return the result.

        An input that is left out is None. `type` is the declared type of the result.
        """
        return self.nodes(
            operator,
            *inputs,
            types=[type],
            attributes=attributes,
            domain=domain,
            version=version,
            label=label,
        )[0]

    def nodes(
        self,
        operator: str,
        *inputs: SSAValue | None,
        types: Sequence[Attribute],
        attributes: Mapping[str, NodeAttribute] = MappingProxyType({}),
        domain: str = "",
        version: int | None = None,
        label: str = "",
    ) -> Sequence[SSAValue]:
        """A node with a result for each type; all its results.

        A domain `openvino.opset4` has the layers of that operation set. Without a version ONNX's own operators are of the version
        that is in force, others of version 1.
        """
        if version is None:
            version = version_of(operator, "", self.opset) if not domain else 1
        op = NodeOp.of(
            operator,
            version,
            [self._add(NoneOp.of()).output if value is None else value for value in inputs],
            types,
            domain=domain,
            label=label,
            attributes={name: node_attribute(value) for name, value in attributes.items()},
        )
        return self._add(op).results

    def constant(self, value: np.ndarray | np.generic | float, label: str = "") -> SSAValue:
        """An initialiser with the array's dtype."""
        return self._add(ConstantOp.of(constant_attr(np.asarray(value)), label)).output

    def integers(self, values: Sequence[int], label: str = "") -> SSAValue:
        """An initialiser `tensor<Nxi64>`."""
        return self.constant(np.array([_integer(value) for value in values], np.int64), label)

    def _add(self, op: OpT) -> OpT:
        op.location = self.location
        if self.point.insert_before is None:
            self.point.block.add_op(op)
        else:
            self.point.block.insert_op_before(op, self.point.insert_before)
        self.made[op] = None
        return op
