"""Updates of an operation's own attributes, which keep the attributes' kinds."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from xdsl.dialects.builtin import BoolAttr, DenseArrayBase, FloatAttr, IntegerAttr, IntegerType, StringAttr
from xdsl.ir import Attribute, Operation

from loomir.dialects.element_types import element_of, i1
from loomir.dialects.onnx.operations import NodeOp
from loomir.dialects.ov.layers.attributes import ELEMENTS
from loomir.dialects.ov.operators.custom import CustomOp
from loomir.tools.model_optimizer.mo.bridge.values import value_of


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
