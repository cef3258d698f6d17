"""`scf` for xDSL's interpreter, with a bound on iterations."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls
from xdsl.interpreters.scf import ScfFunctions as XdslScfFunctions

from loomir.compiler.interpreters.core import LoomirInterpreter, trip_count


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
