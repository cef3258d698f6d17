"""Python source generated from loops.

It makes the interpreters fast enough to be useful. This module has the hooks into xDSL's interpreter: an operation is compiled
when it is first run, and cached.

- `source`: the text of a function and its conversions;
- `scalar`: regions as Python loops over Python numbers, and a scalar operation as a Python expression.

A generated function runs the operations in the order of the program, so that results are bit-identical to those of the pure
interpreter.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls
from xdsl.ir import Operation, SSAValue

from loomir.compiler.engines import LoomirInterpreter
from loomir.compiler.engines.codegen.scalar import MAX_NESTING, ScalarEmitter, nesting
from loomir.compiler.engines.codegen.source import GeneratedFunction
from loomir.compiler.engines.computations import ScfFunctions
from loomir.compiler.shared_state import Built

Compiled = tuple[Sequence[SSAValue], GeneratedFunction]
"""The values that a generated function needs, and the function."""


@register_impls
class CompiledScfFunctions(ScfFunctions):
    """Loops and branches as generated Python, whole nests at once."""

    def __init__(self) -> None:
        self._compiled = Built[Operation, Compiled | None]()

    def _run(self, interpreter: Interpreter, op: Operation) -> PythonValues | None:
        """Run a compiled operation and return its results, or None.

        The result is None if the operation is to be interpreted (and the operations inside it compiled).
        """
        assert isinstance(interpreter, LoomirInterpreter)
        compiled = self._compiled.of(op, lambda: self._compile(interpreter, op))
        if compiled is None:
            return None
        arguments, function = compiled
        return function(interpreter, interpreter.get_values(arguments))

    def _compile(self, interpreter: LoomirInterpreter, op: Operation) -> Compiled | None:
        if nesting(op) > MAX_NESTING:
            return None
        emitter = ScalarEmitter(interpreter)

        def emit() -> list[str]:
            emitter.emit(op)
            return [emitter.use(r) for r in op.results]

        function = emitter.compile(op, emit)
        return emitter.arguments, function

    @impl(scf.ForOp)
    def run_for(self, interpreter: Interpreter, op: scf.ForOp, args: PythonValues) -> PythonValues:
        results = self._run(interpreter, op)
        return self.interpret_for(interpreter, op, args) if results is None else results

    @impl(scf.WhileOp)
    def run_while(self, interpreter: Interpreter, op: scf.WhileOp, args: PythonValues) -> PythonValues:
        results = self._run(interpreter, op)
        return self.interpret_while(interpreter, op, args) if results is None else results

    @impl(scf.IfOp)
    def run_if(self, interpreter: Interpreter, op: scf.IfOp, args: PythonValues) -> PythonValues:
        region = op.true_region if args[0] else op.false_region
        return interpreter.run_ssacfg_region(region, (), "scf.if")
