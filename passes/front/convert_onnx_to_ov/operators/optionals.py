"""Operators on optionals.

Since version 18 a tensor or a sequence also counts as an optional that has a value.
"""

from __future__ import annotations

import numpy as np

from loomir.dialects.ovseq.operators.optionals import GetOp, HasOp, NoneOp, SomeOp
from loomir.dialects.ovseq.types import OptionalType, open_type
from loomir.passes.front.convert_onnx_to_ov.node import Node
from loomir.passes.front.convert_onnx_to_ov.registry import Results, translates


@translates("Optional", 15, 28)
def optional(node: Node) -> Results:
    """Translate Optional, with or without an input.

    Without an input an attribute determines the type; the shapes in it do not matter.
    """
    value = node.optional(0)
    if value is not None:
        return node.op(SomeOp, value)
    return node.op(NoneOp, value_type=open_type(node.type("type")))


@translates("OptionalHasElement", 15, 18, 28)
def optional_has_element(node: Node) -> Results:
    """Translate OptionalHasElement.

    The result is false for an omitted input, true for a tensor or a sequence.
    """
    value = node.optional(0)
    if value is None or not isinstance(value.type, OptionalType):
        return node.constant(np.array(value is not None))
    return node.op(HasOp, value)


@translates("OptionalGetElement", 15, 18, 28)
def optional_get_element(node: Node) -> Results:
    """Translate OptionalGetElement.

    The result is the optional's value; a tensor or a sequence is its own value. An absent value is undefined in ONNX, and an error
    here.
    """
    value = node.input(0)
    return node.op(GetOp, value) if isinstance(value.type, OptionalType) else value
