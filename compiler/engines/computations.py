"""`arith`, `math`, `cf.assert` and `scf` for xDSL's interpreter.

Scalar operations run one value at a time, or one array of values where a `linalg.generic` runs many points at once
(`generics`). `elementwise(op)` is the numpy function of an operation; the generated code uses it too.

Loops of `scf` have a bound on iterations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects import arith, cf, scf
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    VectorType,
)
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.interpreters.scf import ScfFunctions as XdslScfFunctions
from xdsl.ir import Attribute, Operation

from loomir.compiler.engines import (
    InterpreterError,
    LoomirInterpreter,
    is_scalar,
    runtime_error,
    to_value,
    trip_count,
)
from loomir.dialects.element_types import dtype_of
from loomir.dialects.scalars import SCALARS
from loomir.dialects.scalars.row import Function
from loomir.dialects.vectors import lane_operation, touches_vectors


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
        if isinstance(op, arith.SelectOp) and not isinstance(args[0], np.ndarray):
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
        if not np.all(args[0]):
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
