"""`linalg` for xDSL's interpreter.

It evaluates one point of the iteration space at a time and is the reference for the vectorised form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    TerminatorValue,
    impl,
    impl_terminator,
    register_impls,
)
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap

from loomir.compiler.interpreters.core import InterpreterError, LoomirInterpreter, OutOfBoundsError
from loomir.passes.structured.bufferize.pads import PadSpec, read_pads


def maps_of(op: linalg.GenericOp) -> list[AffineMap]:
    """One indexing map per operand."""
    return [attr.data for attr in op.indexing_maps]


def iteration_extents(op: linalg.GenericOp, operands: Sequence[Any]) -> list[int]:
    """Return the extent of each loop.

    The extent is that of an operand's dimension indexed by the loop alone.

    Raises `InterpreterError` if operands disagree or a loop has no such dimension, `OutOfBoundsError` if another index
    expression leaves its operand.
    """
    maps = maps_of(op)
    extents: list[int | None] = [None] * maps[0].num_dims
    for operand, indexing in zip(operands, maps):
        if not isinstance(operand, np.ndarray):
            continue
        for size, expr in zip(operand.shape, indexing.results, strict=True):
            if isinstance(expr, AffineDimExpr):
                known = extents[expr.position]
                if known is not None and known != size:
                    raise InterpreterError(f"loop d{expr.position} has extents {known} and {size}")
                extents[expr.position] = size
    if None in extents:
        raise InterpreterError(f"loop d{extents.index(None)} has no extent")
    known_extents = [n for n in extents if n is not None]
    if 0 not in known_extents:
        corners = list(product(*[(0, n - 1) for n in known_extents])) if len(known_extents) <= 8 else []
        for operand, indexing in zip(operands, maps):
            if not isinstance(operand, np.ndarray):
                continue
            for size, expr in zip(operand.shape, indexing.results):
                if isinstance(expr, AffineDimExpr):
                    continue
                if isinstance(expr, AffineConstantExpr):
                    reached = [expr.value]
                else:
                    reached = [expr.eval(corner, []) for corner in corners]
                if reached and not (min(reached) >= 0 and max(reached) < size):
                    raise OutOfBoundsError(
                        f"indices {min(reached)} to {max(reached)} leave an extent of {size}"
                    )
    return known_extents


def padded_operands(op: linalg.GenericOp) -> dict[int, Callable[[Sequence[Any]], np.ndarray]]:
    """Return a padding function for each implicitly padded input (`loomir.pads`).

    Such an input is read as if it were padded. Its function takes all operands and pads the input.
    """

    def pad_of(operand: int, spec: PadSpec) -> Callable[[Sequence[Any]], np.ndarray]:
        # An amount or value is one of the operands: the positions are found once.
        position = {v: k for k, v in reversed(list(enumerate(op.operands)))}

        def pad(operands: Sequence[Any]) -> np.ndarray:
            def amounts(given: Sequence[int | SSAValue]) -> list[int]:
                return [n if isinstance(n, int) else int(operands[position[n]]) for n in given]

            source = operands[operand]
            low, high = amounts(spec.low), amounts(spec.high)
            shape = [a + n + b for a, n, b in zip(low, source.shape, high, strict=True)]
            result = np.full(shape, operands[position[spec.value]], source.dtype)
            result[tuple(slice(a, a + n) for a, n in zip(low, source.shape))] = source
            return result

        return pad

    return {operand: pad_of(operand, spec) for operand, spec in read_pads(op).items()}


def element(array: Any, index: tuple[int, ...], is_index: bool) -> Any:
    """The element of an operand; a scalar operand is its own."""
    if not isinstance(array, np.ndarray):
        return array
    value = array[index]
    return int(value) if is_index else value


@register_impls
class LinalgFunctions(InterpreterFunctions):
    """Semantics of linalg on tensors and memrefs, per element."""

    @impl(linalg.GenericOp)
    def run_generic(self, interpreter: Interpreter, op: linalg.GenericOp, args: PythonValues) -> PythonValues:
        return self.interpret_generic(interpreter, op, args)

    def interpret_generic(
        self, interpreter: Interpreter, op: linalg.GenericOp, args: PythonValues
    ) -> PythonValues:
        """The body once for each point."""
        assert isinstance(interpreter, LoomirInterpreter)
        points = interpreter.points
        operands = list(args)
        first = len(op.inputs)
        if op.res:
            operands[first:] = [array.copy() for array in operands[first:]]
        for operand, pad in padded_operands(op).items():
            operands[operand] = pad(args)
        maps = maps_of(op)
        indices = [isinstance(arg.type, IndexType) for arg in op.body.block.args]
        extents = iteration_extents(op, operands)
        for point in product(*[range(n) for n in extents]):
            at = [m.eval(point, []) for m in maps]
            points.append(point)
            yielded = interpreter.run_ssacfg_region(
                op.body, tuple(map(element, operands, at, indices)), "linalg.generic"
            )
            points.pop()
            for array, index, value in zip(operands[first:], at[first:], yielded, strict=True):
                array[index] = value
        return tuple(operands[first:]) if op.res else ()

    @impl(linalg.IndexOp)
    def run_index(self, interpreter: Interpreter, op: linalg.IndexOp, args: PythonValues) -> PythonValues:
        assert isinstance(interpreter, LoomirInterpreter)
        return (interpreter.points[-1][op.dim.value.data],)

    @impl(linalg.FillOp)
    def run_fill(self, interpreter: Interpreter, op: linalg.FillOp, args: PythonValues) -> PythonValues:
        value, out = args
        if isinstance(op.outputs[0].type, TensorType):
            return (np.full(out.shape, value, out.dtype),)
        out[...] = value
        return ()

    @impl(linalg.CopyOp)
    def run_copy(self, interpreter: Interpreter, op: linalg.CopyOp, args: PythonValues) -> PythonValues:
        source, out = args
        if source.shape != out.shape or source.dtype != out.dtype:
            raise InterpreterError(f"linalg.copy from {source.dtype}{source.shape} to {out.dtype}{out.shape}")
        if isinstance(op.outputs[0].type, TensorType):
            return (source,)
        out[...] = source
        return ()

    @impl_terminator(linalg.YieldOp)
    def run_yield(
        self, interpreter: Interpreter, op: linalg.YieldOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()
