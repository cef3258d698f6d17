"""What a row's `upgrade` function builds with, where a layer is more than its row says: older versions of an operator.

>>> def range_without_type(layer: LayerBuilder) -> Results:
...     return layer.make(RangeOp, *layer.operands, **layer.properties, output_type=layer.element(0))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue

from loomir.compiler.frontends.openvino.network import Layer
from loomir.compiler.frontends.openvino.opsets import operator_name, operator_version
from loomir.dialects.ov.base import AttrValue, OvOperation
from loomir.dialects.ov.constant import ConstantOp
from loomir.dialects.ov.facts import Fact, fact_of

Results = Sequence[SSAValue]
"""A value for each output port."""


@dataclass
class LayerBuilder:
    """A layer that is being imported."""

    layer: Layer
    operands: list[SSAValue]
    properties: dict[str, AttrValue]
    """What the row's attribute readers found in `<data>`."""
    _add: Callable[[Operation], None]

    @property
    def version(self) -> int:
        """The version of the operator that the layer means: 4 for `Range` of any set from `opset4` on."""
        name = operator_name(self.layer.type)
        assert name is not None, f"{self.layer.type} is in no operation set"
        return operator_version(name, self.layer.version)

    def fact(self, index: int) -> Fact:
        """What the importer knows of an operand: its element type and perhaps its shape."""
        return fact_of(self.operands[index])

    def element(self, index: int) -> Attribute:
        """The element type of an operand."""
        return self.fact(index).element

    def make(
        self, operation: type[OvOperation], *operands: Any, results: int = 1, **attributes: AttrValue
    ) -> Results:
        """Insert an operation; its results."""
        op = operation.make(*operands, attributes=attributes, results=results)
        self._add(op)
        return op.results

    def constant(self, value: np.ndarray) -> SSAValue:
        """Insert a constant."""
        op = ConstantOp.of(value)
        self._add(op)
        return op.results[0]
