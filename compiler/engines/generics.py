"""`linalg` for xDSL's interpreter, by single points or many at once.

`LinalgFunctions` runs the body of a `linalg.generic` once per point and is the reference.

`LaneFunctions` runs it once per point of the reduction loops, in their order, for all points of the parallel loops. The body is
interpreted as for one point, by the same implementations, but its scalars are arrays with one axis per parallel loop. That is
correct if each parallel point has an output element of its own, and if all operations of the body accept arrays (`runs_in_lanes`).
Reductions keep their order, so that results are bit-identical to those of the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from xdsl.dialects import arith, cf, memref, tensor
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
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from loomir.compiler.engines import InterpreterError, LoomirInterpreter, OutOfBoundsError
from loomir.compiler.engines.computations import is_elementwise
from loomir.compiler.shared_state import Built
from loomir.passes.structured.lib.memrefs import PadSpec, read_pads


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
        for operand, indexing in zip(operands, maps):
            if not isinstance(operand, np.ndarray):
                continue
            for size, expr in zip(operand.shape, indexing.results):
                low, high = _reached(expr, known_extents)
                if not 0 <= low <= high < size:
                    raise OutOfBoundsError(f"indices {low} to {high} leave an extent of {size}")
    return known_extents


def _reached(expr: AffineExpr, extents: Sequence[int]) -> tuple[int, int]:
    """Return the lowest and highest index over the iteration space's corners.

    Each loop of a sum contributes by itself; only where an expression divides, all corners of its loops are tried.
    """
    used = expr.used_dims()
    start = [0] * len(extents)
    if _is_linear(expr):
        origin = expr.eval(start, [])
        ends = [expr.eval([n - 1 if k == d else 0 for k, n in enumerate(extents)], []) - origin for d in used]
        return origin + sum(n for n in ends if n < 0), origin + sum(n for n in ends if n > 0)
    corners = product(*[(0, n - 1) if d in used else (0,) for d, n in enumerate(extents)])
    reached = [expr.eval(corner, []) for corner in corners]
    return min(reached), max(reached)


def _is_linear(expr: AffineExpr) -> bool:
    return all(not isinstance(e, AffineBinaryOpExpr) or e.kind in _LINEAR for e in expr.dfs())


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


def _prepared(op: linalg.GenericOp, args: PythonValues) -> tuple[list[Any], list[int]]:
    """Return the operands that a generic reads and writes, and its extents.

    Tensors that become results are copied, and padded inputs are padded.
    """
    operands, first = list(args), len(op.inputs)
    if op.res:
        operands[first:] = [array.copy() for array in operands[first:]]
    for operand, pad in padded_operands(op).items():
        operands[operand] = pad(args)
    return operands, iteration_extents(op, operands)


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
        first, maps = len(op.inputs), maps_of(op)
        operands, extents = _prepared(op, args)
        indices = [isinstance(arg.type, IndexType) for arg in op.body.block.args]
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


_LANEWISE = (arith.ConstantOp, cf.AssertOp, linalg.IndexOp, linalg.YieldOp, memref.LoadOp, tensor.ExtractOp)
"""Operations of a body, besides elementwise ones, that accept arrays for scalars."""


def runs_in_lanes(op: linalg.GenericOp) -> bool:
    """Return True if a generic's parallel points can run at once."""
    parallel = {d for d, kind in enumerate(op.iterator_types) if kind.data == "parallel"}
    for indexing in maps_of(op)[len(op.inputs) :]:
        used = {d for expr in indexing.results for d in expr.used_dims()}
        plain = {expr.position for expr in indexing.results if isinstance(expr, AffineDimExpr)}
        if used != parallel or plain != parallel or _Strides.of(indexing) is None:
            return False
    return all(isinstance(inner, _LANEWISE) or is_elementwise(inner) for inner in op.body.block.ops)


@dataclass(frozen=True)
class _Strides:
    """Linear map: the first point's index, and the step of each loop."""

    origin: tuple[int, ...]
    steps: tuple[tuple[int, ...], ...]

    @staticmethod
    def of(indexing: AffineMap) -> _Strides | None:
        """The strides of a map; None if it divides."""
        if not all(map(_is_linear, indexing.results)):
            return None
        loops = range(indexing.num_dims)
        origin = indexing.eval([0] * len(loops), [])
        units = [indexing.eval([int(d == loop) for d in loops], []) for loop in loops]
        return _Strides(origin, tuple(tuple(a - b for a, b in zip(unit, origin)) for unit in units))

    def view(self, array: np.ndarray, loops: Sequence[int], counts: Sequence[int]) -> np.ndarray:
        """Return a view with one axis per loop.

        `iteration_extents` has checked that it is within the array's bounds.
        """
        steps = [sum(n * s for n, s in zip(self.steps[loop], array.strides)) for loop in loops]
        return as_strided(array[(..., *(slice(n, None) for n in self.origin))], counts, steps)


_LINEAR = (AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul)


class _Lanes:
    """Runs one generic, all parallel points at once."""

    def __init__(self, op: linalg.GenericOp) -> None:
        self.op = op
        self.maps = maps_of(op)
        self.strides = [_Strides.of(indexing) for indexing in self.maps]
        kinds = [kind.data for kind in op.iterator_types]
        self.parallel = [d for d, kind in enumerate(kinds) if kind == "parallel"]
        self.reduction = [d for d, kind in enumerate(kinds) if kind != "parallel"]
        block = op.body.block
        self.inside = [*block.args, *(result for inner in block.ops for result in inner.results)]

    def run(self, interpreter: LoomirInterpreter, args: PythonValues) -> PythonValues:
        operands, extents = _prepared(self.op, args)
        first = len(self.op.inputs)
        if 0 not in extents:
            self._run(interpreter, operands[:first], operands[first:], extents)
        return tuple(operands[first:]) if self.op.res else ()

    def _run(
        self, interpreter: LoomirInterpreter, inputs: list[Any], outputs: list[np.ndarray], extents: list[int]
    ) -> None:
        point: list[Any] = [0] * len(extents)
        for axis, d in enumerate(self.parallel):
            shape = [-1 if a == axis else 1 for a in range(len(self.parallel))]
            point[d] = np.arange(extents[d]).reshape(shape)
        readers = [self._reader(k, operand, point, extents) for k, operand in enumerate(inputs)]
        targets = [
            strides.view(output, self.parallel, [extents[d] for d in self.parallel])
            for strides, output in zip(self.strides[len(inputs) :], outputs, strict=True)
            if strides is not None
        ]
        values: PythonValues = tuple(targets)
        interpreter.points.append(point)
        for numbers in product(*[range(extents[d]) for d in self.reduction]):
            for d, number in zip(self.reduction, numbers):
                point[d] = number
            given = (*[read(numbers) for read in readers], *values)
            values = interpreter.run_ssacfg_region(self.op.body, given, "linalg.generic")
        interpreter.points.pop()
        interpreter.forget(self.inside)
        if len(values) > 1:
            # Such a value may be a view of what the assignment of another one overwrites.
            values = tuple(map(np.copy, values))
        for target, value in zip(targets, values, strict=True):
            target[...] = value

    def _reader(
        self, k: int, operand: Any, point: Sequence[Any], extents: Sequence[int]
    ) -> Callable[[tuple[int, ...]], Any]:
        """Return a function that reads an input at a reduction point."""
        if not isinstance(operand, np.ndarray):
            return lambda numbers: operand
        strides, indexing = self.strides[k], self.maps[k]
        if strides is None:
            return lambda numbers: operand[indexing.eval(point, [])]
        counts = [extents[d] if any(strides.steps[d]) else 1 for d in self.parallel]
        counts += [extents[d] for d in self.reduction]
        view = strides.view(operand, [*self.parallel, *self.reduction], counts)
        return lambda numbers: view[(..., *numbers)]


@register_impls
class LaneFunctions(LinalgFunctions):
    """`linalg.generic` for many points at once where that is possible."""

    def __init__(self) -> None:
        super().__init__()
        self._lanes = Built[linalg.GenericOp, _Lanes | None]()

    @impl(linalg.GenericOp)
    def run_generic(self, interpreter: Interpreter, op: linalg.GenericOp, args: PythonValues) -> PythonValues:
        assert isinstance(interpreter, LoomirInterpreter)
        lanes = self._lanes.of(op, lambda: _Lanes(op) if runs_in_lanes(op) else None)
        return (
            self.interpret_generic(interpreter, op, args) if lanes is None else lanes.run(interpreter, args)
        )
