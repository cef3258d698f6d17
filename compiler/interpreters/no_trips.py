"""Results of zero-trip loops in the graph engine.

They are zeros, whose extents follow from values outside of the loop.

Inference walks the body as for a first iteration, with all that is known of every value that the body reads. The body
is not run: indices into tensors without elements, for example, have no influence on its shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.interpreter import Interpreter

from loomir.compiler.interpreters.sequences import fact_of_value
from loomir.dialects.captures import captured
from loomir.dialects.element_types import zeros_of_element
from loomir.dialects.ov.facts import Fact
from loomir.dialects.ov.no_iterations import types_of_no_trip
from loomir.dialects.ov.operators.control_flow import LoopOp
from loomir.dialects.ovseq.facts import AnyFact
from loomir.passes.analysis.inference import Inference
from loomir.passes.analysis.inference.loops import results_of_no_trip


def values_of_no_trip(interpreter: Interpreter, op: LoopOp, operands: Sequence[Any]) -> list[np.ndarray]:
    """Return the last values and concatenations of a zero-trip loop."""
    given = [v.type for v in (*op.next.last, *op.next.concat)]
    types = types_of_no_trip(op)
    if not all(isinstance(t, TensorType) and t.has_static_shape() for t in given):
        inference = Inference()
        outside = captured(op, {})
        for value, held in [*zip(outside, interpreter.get_values(outside)), *zip(op.operands, operands)]:
            inference.set(value, fact_of_value(held, value.type))
        facts = results_of_no_trip(op, inference, [inference.any_fact(v) for v in op.carried])
        found = facts[len(op.carried) :]
        types = [_type_of(fact) or t for t, fact in zip(types, found, strict=True)]
    return [zeros_of_element(t.get_shape(), t.element_type) for t in types]


def _type_of(fact: AnyFact) -> TensorType | None:
    """Return the type with 0 for unknown extents; None for unknown rank."""
    assert isinstance(fact, Fact)
    if fact.shape is None:
        return None
    return TensorType(fact.element, [d.static or 0 for d in fact.shape])
