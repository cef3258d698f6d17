"""`vector` for xDSL's interpreter.

A vector is a numpy array of one dimension that is never written after its creation.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects import vector
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls

from loomir.compiler.interpreters.core import OutOfBoundsError
from loomir.compiler.interpreters.views import check_index
from loomir.dialects.element_types import dtype_of
from loomir.dialects.vectors import lanes_of


def neighbours(buffer: np.ndarray, index: list[int], count: int) -> np.ndarray:
    """Return a view of `count` elements of the last dimension.

    The view starts at `index`. Raises `OutOfBoundsError`.
    """
    *outer, first = check_index(buffer, index)
    if first + count > buffer.shape[-1]:
        raise OutOfBoundsError(f"{count} elements from index {index} on leave shape {list(buffer.shape)}")
    return buffer[(*outer, slice(first, first + count))]


@register_impls
class VectorFunctions(InterpreterFunctions):
    """Semantics of the vector operations of LOOPS."""

    @impl(vector.LoadOp)
    def run_load(self, interpreter: Interpreter, op: vector.LoadOp, args: PythonValues) -> PythonValues:
        buffer, *index = args
        return (neighbours(buffer, index, lanes_of(op.result.type)).copy(),)

    @impl(vector.StoreOp)
    def run_store(self, interpreter: Interpreter, op: vector.StoreOp, args: PythonValues) -> PythonValues:
        value, buffer, *index = args
        neighbours(buffer, index, lanes_of(op.vector.type))[...] = value
        return ()

    @impl(vector.BroadcastOp)
    def run_broadcast(
        self, interpreter: Interpreter, op: vector.BroadcastOp, args: PythonValues
    ) -> PythonValues:
        t = op.vector.type
        return (np.full(lanes_of(t), args[0], dtype_of(t.element_type)),)
