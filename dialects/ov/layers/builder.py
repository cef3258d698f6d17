"""Builder for a row's `upgrade` function.

Such a function imports a layer that its row alone does not describe: older versions of an operator.

>>> def range_without_type(layer: LayerBuilder) -> Results:
...     return layer.make(RangeOp, *layer.operands, **layer.properties, output_type=layer.element(0))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.dialects.ov.base import AttrValue, OvOperation
from loomir.dialects.ov.facts import Fact, fact_of
from loomir.dialects.ov.layers.opsets import operator_name, operator_version
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.errors import Error

Results = Sequence[SSAValue]
"""A value for each output port."""


class Layer(Protocol):
    """Interface of a layer for rows, from a file or `ov.custom`."""

    @property
    def type(self) -> str: ...

    @property
    def version(self) -> str:
        """The operation set, `opset4`."""
        ...

    @property
    def data(self) -> Mapping[str, str]:
        """The attributes, as text."""
        ...


@dataclass(frozen=True)
class PlainLayer:
    """A layer that is in no file."""

    type: str
    version: str
    data: Mapping[str, str]


@dataclass
class LayerBuilder:
    """A layer that is being imported."""

    layer: Layer
    operands: list[SSAValue]
    properties: dict[str, AttrValue]
    """Properties that the row's attribute readers found in `<data>`."""
    _add: Callable[[Operation], object]

    @property
    def version(self) -> int:
        """Version of the operator that the layer refers to.

        For example, it is 4 for `Range` of any set from `opset4` on.
        """
        name = operator_name(self.layer.type)
        assert name is not None, f"{self.layer.type} is in no operation set"
        return operator_version(name, self.layer.version)

    def take(self, count: int) -> list[SSAValue]:
        """The operands of a layer that has exactly so many. `Error("operand-count")`."""
        self._expect(count, count)
        return list(self.operands)

    def take_up_to(self, least: int, most: int) -> list[SSAValue | None]:
        """`most` operands, the last of which may be left out: None. `Error("operand-count")`."""
        self._expect(least, most)
        return [*self.operands, *([None] * (most - len(self.operands)))]

    def _expect(self, least: int, most: int) -> None:
        if not least <= len(self.operands) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            raise Error(
                "operand-count",
                f"there are {len(self.operands)} operands, but {self.layer.type} of version {self.version} has {wanted}",
            )

    def attribute(self, name: str) -> AttrValue:
        """An attribute that must be there. `Error("attribute-missing")`."""
        if name not in self.properties:
            raise Error("attribute-missing", f"the attribute {name} is missing")
        return self.properties[name]

    def operand(self, index: int) -> SSAValue:
        """An operand that must be there. `Error("operand-count")`."""
        if index >= len(self.operands):
            raise Error("operand-count", f"operand {index} is missing, there are {len(self.operands)}")
        return self.operands[index]

    def fact(self, index: int) -> Fact:
        """Return the importer's fact about an operand.

        It holds the element type and perhaps the shape. Raises `Error("operand-count")`.
        """
        return fact_of(self.operand(index))

    def element(self, index: int) -> Attribute:
        """The element type of an operand."""
        return self.fact(index).element

    def make(self, operation: type[OvOperation], *operands: Any, **attributes: AttrValue) -> Results:
        """Insert an operation; its results."""
        op = operation.make(*operands, attributes=attributes)
        self._add(op)
        return op.results

    def constant(self, value: np.ndarray) -> SSAValue:
        """Insert a constant."""
        op = ConstantOp.of(value)
        self._add(op)
        return op.results[0]
