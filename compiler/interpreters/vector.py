"""`vector` for xDSL's interpreter: a vector is a numpy array of one dimension that nothing writes to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects import vector
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls

from loomir.compiler.interpreters.core import OutOfBoundsError
from loomir.dialects.element_types import dtype_of
from loomir.dialects.scalars.lanes import lane_type, lanes_of


def _place(buffer: np.ndarray, index: Sequence[Any], lanes: int) -> tuple[Any, ...]:
    """Where the lanes of a vector are: neighbours along the last dimension, all inside of the buffer."""
    *outer, first = (int(i) for i in index)
    inside = all(0 <= i < extent for i, extent in zip(outer, buffer.shape))
    if not inside or first < 0 or first + lanes > buffer.shape[-1]:
        raise OutOfBoundsError(
            f"{lanes} elements from index {(*outer, first)} are outside of a buffer of shape {buffer.shape}"
        )
    return (*outer, slice(first, first + lanes))


@register_impls
class VectorFunctions(InterpreterFunctions):
    """Semantics of the vector operations of LOOPS."""

    @impl(vector.LoadOp)
    def run_load(self, interpreter: Interpreter, op: vector.LoadOp, args: PythonValues) -> PythonValues:
        buffer, *index = args
        return (buffer[_place(buffer, index, lanes_of(op.result))].copy(),)

    @impl(vector.StoreOp)
    def run_store(self, interpreter: Interpreter, op: vector.StoreOp, args: PythonValues) -> PythonValues:
        value, buffer, *index = args
        buffer[_place(buffer, index, lanes_of(op.vector))] = value
        return ()

    @impl(vector.BroadcastOp)
    def run_broadcast(
        self, interpreter: Interpreter, op: vector.BroadcastOp, args: PythonValues
    ) -> PythonValues:
        return (np.full(lanes_of(op.vector), args[0], dtype_of(lane_type(op.vector))),)
