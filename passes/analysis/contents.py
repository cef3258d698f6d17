"""Contents of small integer tensors, computed on demand during import.

Exporters compute axes, pads and lengths with nodes (`Concat` of `Constant`s, `Shape` of a weight). Translators need the
numbers where they decide which operations to create; everything else is left to inference, later.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from loomir.dialects.element_types import i1, is_integer
from loomir.dialects.ov.base import OvOperation
from loomir.dialects.ov.evaluation import evaluate, has_evaluator
from loomir.dialects.ov.facts import CONTENT_LIMIT, Fact
from loomir.dialects.ov.operators.constant import ConstantOp
from loomir.errors import Error

MAX_DEPTH = 64
"""How many operations back a question goes."""


class Contents:
    """Facts known of values, computed at most once per operation."""

    def __init__(self, given: Mapping[SSAValue, Fact] = MappingProxyType({})) -> None:
        """`given` is what is known already."""
        self._facts: dict[SSAValue, Fact] = dict(given)

    def known(self, value: SSAValue) -> np.ndarray | None:
        """Return a value's contents if constants and static shapes determine them."""
        if isinstance(value.owner, ConstantOp):
            return value.owner.array
        return self.fact(value).value

    def fact(self, value: SSAValue, depth: int = MAX_DEPTH) -> Fact:
        """Type and, for small integer tensors, contents of a value."""
        if (fact := self._facts.get(value)) is not None:
            return fact
        op = value.owner
        if isinstance(op, ConstantOp):
            return Fact.of_array(op.array)
        fact = Fact.of_type(value.type)
        if not isinstance(op, OvOperation) or depth == 0 or not _is_small(value):
            return fact
        operands = [self.fact(operand, depth - 1) for operand in op.operands]
        try:
            results = list(op.results_of(operands))
            arrays = [f.value for f in operands]
            if has_evaluator(type(op)) and all(a is not None and a.size <= CONTENT_LIMIT for a in arrays):
                values = evaluate(op, [a for a in arrays if a is not None])
                results = [Fact.of_array(v) for v in values]
        except Error:
            # Illegal with these contents: an error when it runs, if it ever does; nothing is known of it.
            return fact
        for result, inferred in zip(op.results, results, strict=True):
            self._facts[result] = inferred
        return self._facts[value]


def _is_small(value: SSAValue) -> bool:
    """Return True if the value may be a shape, axes, or condition.

    Only these values (a shape, a list of axes, a condition) are worth following.
    """
    type_ = value.type
    if not isinstance(type_, TensorType) or not (is_integer(type_.element_type) or type_.element_type == i1):
        return False
    return type_.get_num_dims() <= 1
