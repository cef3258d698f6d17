"""`arith`, `math`, `cf.assert`, `scf` and `linalg` for xDSL's interpreter.

Scalar operations run one value at a time. `elementwise(op)` is the numpy function of an operation, for arrays as well; the
generated code uses it too.

Loops of `scf` have a bound on iterations.

`linalg` evaluates one point of the iteration space at a time and is the reference for the vectorised form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from xdsl.dialects import arith, cf, scf
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    TensorType,
    VectorType,
)
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
from xdsl.interpreters.scf import ScfFunctions as XdslScfFunctions
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap

from loomir.compiler.engines import (
    InterpreterError,
    LoomirInterpreter,
    OutOfBoundsError,
    is_scalar,
    runtime_error,
    to_value,
    trip_count,
)
from loomir.dialects.element_types import dtype_of
from loomir.dialects.scalars import SCALARS
from loomir.dialects.scalars.row import Function
from loomir.dialects.vectors import is_vector, lane_operation, touches_vectors
from loomir.passes.structured.lib.memrefs import PadSpec, read_pads


def is_elementwise(op: Operation) -> bool:
    """Return True if the operation maps scalars to scalars by `elementwise`.

    A `select` between memrefs does not.
    """
    return type(op) in SCALARS and all(is_scalar(v.type) for v in (*op.operands, *op.results))


def elementwise(op: Operation) -> Function:
    """Return the numpy function of an `arith` or `math` operation.

    It maps arrays to arrays and numpy scalars to numpy scalars. For an operation on vectors it is the function of their
    lanes.
    """
    if touches_vectors(op):
        op = lane_operation(op)
    return SCALARS[type(op)].numpy(op)


def constant_value(attr: Attribute) -> Any:
    """The value of a scalar `arith.constant`."""
    if isinstance(attr, IntegerAttr):
        return to_value(attr.value.data, attr.type)
    if isinstance(attr, FloatAttr):
        return to_value(attr.value.data, attr.type)
    if isinstance(attr, DenseIntOrFPElementsAttr) and isinstance(attr.type, VectorType):
        lanes = np.array([to_value(v.value.data, attr.type.element_type) for v in attr.iter_attrs()])
        lanes = lanes.astype(dtype_of(attr.type.element_type))
        lanes.flags.writeable = False
        return lanes
    raise InterpreterError(f"arith.constant of {type(attr).__name__}: only scalars are constants below GRAPH")


class _Scalars(InterpreterFunctions):
    """One operation at a time: the function is made once per operation."""

    def __init__(self) -> None:
        self._functions: dict[Operation, Function] = {}
        self._constants: dict[Operation, Any] = {}

    def run_elementwise(self, interpreter: Interpreter, op: Operation, args: PythonValues) -> PythonValues:
        if isinstance(op, arith.SelectOp) and not is_vector(op.cond.type):
            # Also between memrefs and tensors: the value itself, not a copy.
            return (args[1] if args[0] else args[2],)
        function = self._functions.get(op)
        if function is None:
            function = self._functions[op] = elementwise(op)
        result = function(*[np.int64(a) if type(a) is int else a for a in args])
        if isinstance(result, tuple):
            return tuple(to_value(r, v.type) for r, v in zip(result, op.results))
        return (to_value(result, op.results[0].type),)

    def run_constant(
        self, interpreter: Interpreter, op: arith.ConstantOp, args: PythonValues
    ) -> PythonValues:
        if op not in self._constants:
            self._constants[op] = constant_value(op.value)
        return (self._constants[op],)

    def run_assert(self, interpreter: Interpreter, op: cf.AssertOp, args: PythonValues) -> PythonValues:
        if not args[0]:
            raise runtime_error(op.msg.data, op)
        return ()


ScalarFunctions = register_impls(
    type(
        "ScalarFunctions",
        (_Scalars,),
        {
            "__doc__": "Semantics of arith, math and cf.assert.",
            **{f"run_{c.__name__}": impl(c)(_Scalars.run_elementwise) for c in SCALARS},
            "run_arith_constant": impl(arith.ConstantOp)(_Scalars.run_constant),
            "run_cf_assert": impl(cf.AssertOp)(_Scalars.run_assert),
        },
    )
)


@register_impls
class ScfFunctions(XdslScfFunctions):
    """xDSL's `scf` functions with different semantics for loops.

    Loop bounds may have a type other than index, and iterations count against the budget.
    """

    @impl(scf.ForOp)
    def run_for(self, interpreter: Interpreter, op: scf.ForOp, args: PythonValues) -> PythonValues:
        return self.interpret_for(interpreter, op, args)

    @impl(scf.WhileOp)
    def run_while(self, interpreter: Interpreter, op: scf.WhileOp, args: PythonValues) -> PythonValues:
        return self.interpret_while(interpreter, op, args)

    def interpret_for(self, interpreter: Interpreter, op: scf.ForOp, args: PythonValues) -> PythonValues:
        """One iteration after the other."""
        assert isinstance(interpreter, LoomirInterpreter)
        lower, upper, step, *carried = args
        trips = trip_count(int(lower), int(upper), int(step))
        interpreter.budget.take(trips)
        of_type = type(lower)
        values = tuple(carried)
        for i in range(trips):
            values = interpreter.run_ssacfg_region(
                op.body, (of_type(int(lower) + i * int(step)), *values), "scf.for"
            )
        return values

    def interpret_while(self, interpreter: Interpreter, op: scf.WhileOp, args: PythonValues) -> PythonValues:
        """The condition is read before each iteration."""
        assert isinstance(interpreter, LoomirInterpreter)
        values = args
        while True:
            go_on, *forwarded = interpreter.run_ssacfg_region(op.before_region, values, "scf.while")
            if not go_on:
                return tuple(forwarded)
            interpreter.budget.take(1)
            values = interpreter.run_ssacfg_region(op.after_region, tuple(forwarded), "scf.while")


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
